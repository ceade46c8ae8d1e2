"""Many runs of one scenario at once, in threads of C or on a GPU."""

import math
from types import SimpleNamespace

import numpy as np

from ._native import Log, Texts, check, dtype, ffi, lib, nearest, overrides, text
from .result import DRIVE_MODES

_COMMAND = dtype("GrDriveCommand")
_OUTCOMES = tuple(text(lib.gr_outcome_name(i)) for i in range(lib.GR_OUTCOME_COUNT))


class Batch:
    """Runs of a scenario that differ in some numbers, each the run that grouser.run() would do with these.

    scenario  a shipped one by name, or a file
    count     number of runs
    set       values for all runs, as for grouser.run(); an array of `count` numbers has one for each run
    threads   default: one for each processor; results do not depend on it
    device    "cpu", "cuda" or "cuda:1": where the runs advance; results do not depend on it

    A run that cannot start has the outcome "failed" and a cause; its channels are NaN. Use a batch from one thread.

        >>> import grouser
        >>> batch = grouser.Batch("gradeability", 3, {"soil:phi": [26, 30, 34], "gravity.tilt_deg": 8, "stop.time_s": 5})
        >>> batch.advance(5)
        >>> batch.outcomes
        ['finished', 'finished', 'finished']
        >>> batch.get("distance_m").shape
        (3,)
    """

    def __init__(self, scenario, count, set=None, *, threads=None, device="cpu"):  # noqa: A002
        common = {path: value for path, value in (set or {}).items() if np.ndim(value) == 0 or np.shape(value) != (count,)}
        given, name, log = overrides(common), ffi.new("char[]", str(scenario).encode()), Log()
        where = ffi.new("char[]", device.encode())
        definition = ffi.new("GrBatchDef *", {"scenario": name, "overrides": given.c, "count": count, "threads": threads or 0, "device": where})
        self._c = ffi.gc(log.create("GrBatch", lib.gr_batch_create, definition), lib.gr_batch_free)
        self.count, self._widths = count, {}
        for path, value in (set or {}).items():
            if path not in common:
                self.set(path, value)
        self.reset()

    def __len__(self):
        return self.count

    def set(self, path, values):
        """Gives each run its value of a number of the scenario, from its next reset() on; one number is for all."""
        values = np.ascontiguousarray(np.broadcast_to(np.asarray(values, float), (self.count,)))
        log = Log()
        log.check(lib.gr_batch_set(self._c, path.encode(), ffi.from_buffer("double[]", values), log.c))

    def reset(self, mask=None):
        """Places the runs at their start: all, or those whose element of `mask` is true."""
        log = Log()
        log.check(lib.gr_batch_reset(self._c, self._mask(mask), log.c))

    def drive(self, mode, speed=0.0, curvature=0.0, yaw_rate=0.0, crab=0.0, mask=None):
        """Drives by hand from now on, as Mission.drive(); each argument is one for all or an array of `count`."""
        modes = np.broadcast_to(mode, (self.count,))
        for name in np.unique(modes):
            if name not in DRIVE_MODES:
                raise ValueError(nearest(str(name), DRIVE_MODES))
        numbers = {"speed": speed, "curvature": curvature, "yaw_rate": yaw_rate, "crab": crab}
        commands = ffi.new("GrDriveCommand[]", self.count)
        table = np.frombuffer(ffi.buffer(commands), _COMMAND)
        table["mode"] = [DRIVE_MODES.index(name) for name in modes]
        for name, value in numbers.items():
            table[name] = value
        if not all(np.isfinite(table[name]).all() for name in numbers):
            raise ValueError("a command must be finite")
        lib.gr_batch_drive(self._c, commands, self._mask(mask))

    def advance(self, seconds):
        """Advances every run that has not ended."""
        if not seconds >= 0 or math.isinf(seconds):
            raise ValueError(f"found {seconds} seconds; it must be 0 or more")
        log = Log()
        log.check(lib.gr_batch_advance(self._c, seconds, log.c))

    def get(self, *channels, out=None):
        """Present values by the names of `grouser list channels`, [count, columns]; one plain channel: [count].

        "*.slip" has one column for each wheel. out: an array that is filled in place of a new one
        """
        names, log = Texts(channels), Log()
        for name in set(channels) - self._widths.keys():
            self._widths[name] = lib.gr_batch_width(self._c, name.encode())
        widths = [self._widths[name] for name in channels]
        shape = (self.count, sum(widths)) if len(channels) != 1 or widths != [1] else (self.count,)
        values = np.empty(shape) if out is None else out
        if values.shape != shape or values.dtype != float or not values.flags.c_contiguous:
            raise ValueError(f"out must be a contiguous array of floats of the shape {shape}")
        log.check(lib.gr_batch_get(self._c, names.c, len(channels), ffi.from_buffer("double[]", values, require_writable=True), log.c))
        return values

    def save(self, mask=None):
        """The states of the runs, or of those of the mask, as bytes."""
        mask = self._mask(mask)
        size = lib.gr_batch_size(self._c, mask)
        out = ffi.new("char[]", size)
        check(lib.gr_batch_save(self._c, mask, out))
        return ffi.buffer(out, size)[:]

    def restore(self, saved):
        """Restores what a batch of the same scenario has saved; its runs continue bit for bit.

        Each must have been placed with the numbers that it had then. All other runs stay as they are.
        """
        log = Log()
        log.check(lib.gr_batch_restore(self._c, ffi.from_buffer(saved), len(saved), log.c))

    @property
    def outcomes(self):
        """The outcome of each run; "running" until it has ended."""
        return [_OUTCOMES[lib.gr_batch_outcome(self._c, i)] for i in range(self.count)]

    @property
    def causes(self):
        """Why each run ended."""
        return [text(lib.gr_batch_cause(self._c, i)) for i in range(self.count)]

    @property
    def times(self):
        """Simulated time of each run [s]."""
        return np.array([lib.gr_batch_time(self._c, i) for i in range(self.count)])

    @property
    def running(self):
        """Which runs go on, as an array of booleans."""
        return np.array([lib.gr_batch_outcome(self._c, i) == lib.GR_OUTCOME_RUNNING for i in range(self.count)])

    def _world(self, run):
        """What Sensors needs of a World, until the next reset of the run."""
        world = lib.gr_batch_world(self._c, run)
        return SimpleNamespace(c=world, scenario=lib.gr_world_scenario(world))

    def _mask(self, mask):
        if mask is None:
            return ffi.NULL
        mask = np.ascontiguousarray(mask)
        if mask.shape != (self.count,) or mask.dtype != bool:
            raise ValueError("the mask must have one boolean for each run")
        return ffi.from_buffer("_Bool[]", mask)

    def __repr__(self):
        return f"<grouser.Batch of {self.count} runs, {int(self.running.sum())} running>"
