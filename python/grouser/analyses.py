"""Analyses: single-wheel rig, standard tests of a rover, soil fits, validation, missions. Names and numbers are those of the command."""

import json
import os
import re
import threading

import numpy as np

from ._native import Log, Texts, ffi, gravity_of, lib, nearest, text, value_text, warn
from .errors import Error, Message
from .soil import Soil

_COMMON_TEST_OPTIONS = ("soil", "model", "gravity", "step", "hard", "friction", "soil_damping", "set", "set_soil", "uncertainty")


def records(rows):
    """Rows of JSON as a structured array: numbers (NaN where there is none), booleans or texts."""
    names = list(dict.fromkeys(name for row in rows for name in row if not isinstance(row[name], (list, dict))))
    columns = {}
    for name in names:
        values = [row.get(name) for row in rows]
        if any(isinstance(value, str) for value in values):
            columns[name] = np.array([value or "" for value in values])
        elif all(isinstance(value, bool) for value in values):
            columns[name] = np.array(values)
        else:
            columns[name] = np.array([np.nan if value is None else value for value in values], np.float64)
    table = np.empty(len(rows), [(name, column.dtype) for name, column in columns.items()])
    for name, column in columns.items():
        table[name] = column
    return table


def _option(name, value):
    """An option of the command line; a list becomes a,b,c, a dict one option per item."""
    dashed = name.replace("_", "-")
    if value is None or value is False:
        return []
    if value is True:
        return [f"--{dashed}"]
    if isinstance(value, dict):
        return [f"--{dashed}={key}={value_text(item)}" for key, item in value.items()]
    if isinstance(value, (str, os.PathLike)):
        return [f"--{dashed}={os.fspath(value)}"]
    if np.ndim(value) > 0:
        return [f"--{dashed}=" + ",".join(item if isinstance(item, str) else repr(float(item)) for item in value)]
    return [f"--{dashed}={value!r}" if isinstance(value, int) else f"--{dashed}={float(value)!r}"]


def _in_python(message):
    """A message with names of Python's arguments in the place of options: --slip-angle becomes slip_angle."""

    def plain(words):
        return re.sub(r"--([a-z][a-z-]*)", lambda found: found.group(1).replace("-", "_"), words)

    return message._replace(field=plain(message.field), text=plain(message.text))


def _interruptible(function, *arguments):
    """Calls a function that takes long, so that Ctrl-C raises KeyboardInterrupt at once; what was begun ends in the background."""
    if threading.current_thread() is not threading.main_thread():
        return function(*arguments)
    returned = []
    worker = threading.Thread(target=lambda: returned.append(function(*arguments)), daemon=True)
    worker.start()
    while worker.is_alive():
        worker.join(0.1)
    return returned[0]


def _call(function, options, *more, words=()):
    """JSON of a function that takes a command line: options, and words that are on it already. None: it gave none."""
    line = [word for name, value in options.items() for word in _option(name, value)]
    arguments, log, out = Texts([*line, *words]), Log(), ffi.new("char **")
    status = _interruptible(function, len(arguments.keep), ffi.cast("char **", arguments.c), *more, out, log.c)
    found = ffi.gc(out[0], lib.gr_free)
    try:
        log.check(status)
    except Error as error:
        raise Error(error.status, [_in_python(message) for message in error.messages]) from None
    return json.loads(text(found)) if found != ffi.NULL else None


class WheelResult:
    """Operating points of a single wheel.

    points    structured array of shape (runs, slip angles, slips): slip, slip_angle_deg, sinkage_m, fx_N, fy_N, fz_N,
              torque_Nm, tractive_efficiency, ...; NaN where there is no equilibrium. With samples of the soil also
              fx_N_low, fx_N_high, ...: quantiles of 5 % and 95 %
    soils     soil and law of each run
    sweeps    for each run and slip angle: towed and self-propelled point, largest drawbar pull, best efficiency
    trust     for each run: how far to trust it
    warnings  number of points outside the range of the law, by reason
    misfit    for each run: root-mean-square differences from measured data; None: no data

    result["fx_N"] is a column without the axes of length 1.
    """

    def __init__(self, found):
        points = records(found["points"])
        runs = len(found["trust"])
        self.points = points.reshape(runs, len(found["sweeps"]) // runs, -1)
        self.soils = [(str(p["soil"]), str(p["model"])) for p in self.points[:, 0, 0]]
        self.sweeps, self.trust, self.warnings = found["sweeps"], found["trust"], found["warnings"]
        self.misfit = found.get("data")
        for reason, count in self.warnings.items():
            if count > 0:
                warn(f"{count} of {points.size} points: {reason}")

    def __getitem__(self, column):
        if column not in self.points.dtype.names:
            raise KeyError(nearest(column, self.points.dtype.names))
        return np.squeeze(self.points[column])

    def plot(self, *columns, axes=None):
        """Plots columns against slip, one axes each (default: fx_N, torque_Nm, sinkage_m). Needs matplotlib."""
        columns = columns or ("fx_N", "torque_Nm", "sinkage_m")
        if axes is None:
            import matplotlib.pyplot

            _, axes = matplotlib.pyplot.subplots(1, len(columns), squeeze=False, figsize=(4 * len(columns), 3.5))
            axes = axes[0]
        for axis, column in zip(axes, columns):
            for (soil, law), run in zip(self.soils, self.points):
                for sweep in run:
                    (line,) = axis.plot(sweep["slip"], sweep[column], label=f"{soil}, {law}, {sweep['slip_angle_deg'][0]:g}°")
                    if f"{column}_low" in self.points.dtype.names:
                        band = (sweep[f"{column}_low"], sweep[f"{column}_high"])
                        axis.fill_between(sweep["slip"], *band, alpha=0.2, color=line.get_color())
            axis.set_xlabel("slip")
            axis.set_ylabel(column)
        axes[0].legend(fontsize="small")
        return axes

    def __repr__(self):
        runs, angles, slips = self.points.shape
        return f"<grouser.WheelResult: {runs} runs, {angles} slip angles, {slips} slips>"


def wheel(
    soil=None,
    *,
    radius=None,
    width=None,
    load=None,
    sinkage=None,
    slip=None,
    slip_angle=None,
    model=None,
    set=None,  # noqa: A002
    grousers=None,
    grouser_model=None,
    stiffness=None,
    slices=None,
    mesh=None,
    rover=None,
    wheel=None,
    gravity=None,
    dynamic=False,
    speed=None,
    cell=None,
    flow=False,
    data=None,
    columns=None,
    compare=None,
    uncertainty=None,
):
    """Rolls a single wheel over level soil with given slips and slip angles, as `grouser wheel` does.

    soil           name or path of a soil
    radius, width  of the wheel [m]; or rover (and wheel): take them from a rover; or mesh: an OBJ or STL file
    load, sinkage  load [N], or sinkage [m] at which it is held
    slip           number or array, -1 to 1; default: 19 from 0 to 0.9
    slip_angle     number or array [deg]; default: 0, or those of the data
    model, set     law, and parameters of the soil that replace those of the file
    grousers       (count, height [m]) or with thickness [m]; grouser_model: radius, lugs or none
    compare        more laws or soils
    data           CSV file of measured points, for a comparison
    columns        what columns of the data with other names are: {"drawbar_N": "DBP", "fy_N": "-SIDE"} (-: the other sign)
    uncertainty    samples of the soil for bands of 90 %: columns NAME_low and NAME_high; default: 32 where they take
                   seconds, otherwise 0, which switches them off

    Returns a WheelResult.
    """
    if grousers is not None and not isinstance(grousers, str):
        grousers = ",".join(repr(part) for part in grousers)
    if gravity is not None:
        gravity = gravity_of(gravity)
    options = {
        "soil": soil, "radius": radius, "width": width, "load": load, "sinkage": sinkage, "slip": slip, "slip_angle": slip_angle,
        "model": model, "set": set, "grousers": grousers, "grouser_model": grouser_model, "stiffness": stiffness,
        "slices": slices, "mesh": mesh, "rover": rover, "wheel": wheel, "gravity": gravity, "dynamic": dynamic,
        "speed": speed, "cell": cell, "flow": flow, "data": data, "columns": columns, "compare": compare,
        "uncertainty": uncertainty,
    }  # fmt: skip
    return WheelResult(_call(lib.gr_python_wheel, options))


class TestResult(dict):
    """What `grouser test NAME --json` prints. `table` has its rows as a structured array."""

    __test__ = False  # not a test of pytest's

    @property
    def table(self):
        """The rows of the test: points, heights, directions, ..."""
        rows = next((value for value in self.values() if isinstance(value, list) and value and isinstance(value[0], dict)), [])
        return records(rows)


def _names(function):
    names = []
    while function(len(names)) != ffi.NULL:
        names.append(text(function(len(names))))
    return tuple(names)


TESTS = _names(lib.gr_python_test_name)


def test(name, rover, **options):
    """Runs a standard test of a rover, as `grouser test` does: test("gradeability", "rashid_like", gravity="moon").

    name     one of grouser.TESTS
    rover    name of a shipped rover, or path of a file
    options  those of the command, with underscores: soil, model, gravity, step [ms], set, set_soil, uncertainty
             (samples of the soil, for NAME_low and NAME_high), and those of the test; `grouser test NAME --help` lists them with their units

    Returns a TestResult.
    """
    if name not in TESTS:
        raise Error("a name refers to nothing", [Message("error", "", 0, 0, "test", nearest(name, TESTS))])
    index = TESTS.index(name)
    known = [option.replace("-", "_") for option in _names(lambda i: lib.gr_python_test_option(index, i))]
    known += _COMMON_TEST_OPTIONS
    for option in options:
        if option not in known:
            raise TypeError(f"test '{name}': {nearest(option, known)}")
    words = Texts([word for option, value in options.items() for word in _option(option, value)] + [os.fspath(rover)])
    log, out = Log(), ffi.new("char **")
    status = _interruptible(lib.gr_python_test, name.encode(), len(words.keep), ffi.cast("char **", words.c), out, log.c)
    found = ffi.gc(out[0], lib.gr_free)
    log.check(status)
    return TestResult(json.loads(text(found)))


test.__test__ = False


class FitResult(dict):
    """What `grouser fit soil --json` prints. `soil` is the fitted Soil where it was saved with output=."""

    soil = None


def fit(
    data,
    free=None,
    *,
    radius=None,
    width=None,
    plates=None,
    columns=None,
    plate_columns=None,
    soil=None,
    output=None,
    load=None,
    model=None,
    set=None,  # noqa: A002
    bounds=None,
    weights=None,
    loss=None,
    loss_scale=None,
    folds=None,
    hold_out=None,
    evaluations=None,
    seed=None,
    gravity=None,
    grousers=None,
    grouser_height=None,
    grouser_model=None,
    slip_radius=None,
    cell=None,
):
    """Finds soil parameters from measured single-wheel data, as `grouser fit soil` does.

    data           CSV file of measured points
    free           names of the parameters to find: ["k_phi", "n0", "phi"]; None: those that tests of one wheel determine
    radius, width  of the wheel [m]; not needed where the data have the columns radius_m and width_m
    plates         measured presses, a CSV file, fitted together with the data; plate_columns: as columns, of this file
    columns        what columns of the data with other names are: {"drawbar_N": "DBP", "fy_N": "-SIDE"} (-: the other sign)
    soil, set      starting point (None: dry sand that gives way), and parameters that stay fixed
    bounds         {"k_phi": (1e5, 1e7)}; weights {"fx": 1, "torque": 0.5}; hold_out {"slip_angle": [15, 75]}
    output         file for the fitted soil

    Returns a FitResult.
    """
    options = {
        "data": data, "free": [free] if isinstance(free, str) else free if free is None else list(free), "radius": radius, "width": width, "plates": plates, "soil": soil, "columns": columns, "plate_columns": plate_columns,
        "load": load, "model": model, "set": set, "loss": loss, "loss_scale": loss_scale, "folds": folds,
        "evaluations": evaluations, "seed": seed, "grouser_height": grouser_height, "grouser_model": grouser_model,
        "slip_radius": slip_radius, "cell": cell,
        "gravity": None if gravity is None else gravity_of(gravity),
        "bounds": {name: f"{low!r}:{high!r}" for name, (low, high) in (bounds or {}).items()},
        "weights": ",".join(f"{name}={weight!r}" for name, weight in weights.items()) if weights else None,
        "hold_out": {name: ",".join(repr(item) for item in np.atleast_1d(items).tolist()) for name, items in (hold_out or {}).items()},
        "grousers": ",".join(repr(part) for part in grousers) if grousers is not None else None,
    }  # fmt: skip
    path = ffi.new("char[]", os.fspath(output).encode()) if output is not None else ffi.NULL
    result = FitResult(_call(lib.gr_python_fit, options, path))
    if output is not None:
        name = os.fspath(output)
        result.soil = Soil(name if "/" in name or "." in name else f"./{name}")
    return result


def _place(place):
    """A place as the command takes it: "X,Y", or "137.3702E,4.6668S" as it is."""
    return place if isinstance(place, str) else ",".join(repr(float(number)) for number in place)


def mission_go(
    map,  # noqa: A002
    start,
    goal,
    rover=None,
    *,
    out=None,
    soil=None,
    gravity=None,
    speed=None,
    worlds=None,
    vary=None,
    limit=None,
    at_least=None,
    tries=None,
    move=None,
    arrive=None,
    cell=None,
    margin=None,
    pixel=None,
    seed=None,
    set=None,  # noqa: A002
    threads=None,
    device=None,
    html=None,
):
    """Finds a route from here to there on a map, drives it, and says how likely the rover arrives, as `grouser mission go` does.

    map          GeoTIFF or another raster of heights, or a scenario whose ground is taken
    start, goal  (x, y) in metres from the middle of the map, or "137.3702E,4.6668S"
    rover        name of a shipped rover, or path of a file; a scenario has one
    out          name of the study and the files beside it (None: by map and rover, in the working folder)
    vary         {"terrain.rocks.seed": "{seed: true}"}; limit ["tilt_deg<20"]; set {"stop.stuck_s": 20}
    device       where the runs advance: "cpu" (default), "cuda", "cuda:1"

    Returns what the command prints with --json as a dict: answer, probability, probability_low, probability_high, text,
    route, ... Ctrl-C raises KeyboardInterrupt; the same call goes on where it stopped.
    """
    options = {
        "from": _place(start), "to": _place(goal), "rover": rover, "out": out, "soil": soil,
        "gravity": None if gravity is None else str(gravity), "speed": speed, "worlds": worlds, "vary": vary, "at_least": at_least,
        "tries": tries, "move": move, "arrive": arrive, "cell": cell, "margin": margin, "pixel": pixel, "seed": seed, "set": set,
        "threads": threads, "device": device, "html": html, "json": True,
    }  # fmt: skip
    limits = [limit] if isinstance(limit, str) else limit or []
    words = [f"--limit={item}" for item in limits] + ["--", os.fspath(map)]
    found = _call(lib.gr_python_mission_go, options, words=words)
    if found is None:
        raise KeyboardInterrupt
    return found


class Validation(list):
    """Findings of `grouser validate --json`, one dict each. `table` has them as a structured array."""

    @property
    def table(self):
        """One row per finding."""
        return records(self)

    @property
    def out(self):
        """Findings that neither pass nor are known deviations."""
        return [finding for finding in self if not finding["pass"] and not finding["known"]]


def validate(only=None):
    """Recomputes published figures and own checks, as `grouser validate` does. `only`: a pattern such as "soil/*"."""
    log, out = Log(), ffi.new("char **")
    pattern = ffi.new("char[]", only.encode()) if only is not None else ffi.NULL
    status = _interruptible(lib.gr_python_validate, pattern, out, log.c)
    found = ffi.gc(out[0], lib.gr_free)
    try:
        log.check(status)
    except Error as error:
        raise Error(error.status, [_in_python(message) for message in error.messages]) from None
    return Validation(json.loads(text(found))["cases"])
