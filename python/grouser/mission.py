"""Mission: a scenario that is driven step by step."""

import json
import math

import numpy as np

from ._fields import FIELDS
from ._native import Log, check, dtype, ffi, lib, nearest, text, view
from .model import Data, Model
from .result import DRIVE_MODES
from .sensors import Sensors
from .world import World, table_of


def _described(title, struct):
    """The fields of a struct as lines of a docstring."""
    width = max(map(len, FIELDS[struct]))
    return f"\n    {title}\n\n" + "".join(f"        {name:{width}}  {text}\n" for name, text in FIELDS[struct].items() if text)


class Sample:
    """The recorded quantities of one instant, as views of C's GrSample without a copy (SI units, radians).

    body    one record: time, distance, pose, velocity, roll, pitch, heading, energy, power, ...
    wheels  one record per wheel: slip, slip_angle, sinkage, force, load, torque, speed, power, ...
    joints  one record per joint: angle, rate, torque, force, moment
    bodies  pose of every body: position x y z, rotation w x y z
    rocks   the same of movable rocks

    The views of a sample change when Mission.sample(into=sample) fills it again.
    """

    __doc__ += _described("Fields of body:", "GrSample")
    __doc__ += _described("Fields of wheels:", "GrWheelSample")
    __doc__ += _described("Fields of joints:", "GrJointSample")
    __doc__ += _described("Fields of body.energy:", "GrEnergySample")
    __doc__ += _described("Fields of body.supply:", "GrSupplySample")
    __doc__ += _described("Fields of body.localisation:", "GrLocalisationSample")

    def __init__(self, model, rock_count):
        c = ffi.new("GrSample *")
        if not lib.gr_sample_init(model._c, rock_count, c):
            raise MemoryError
        self._c, self._model = ffi.gc(c, lib.gr_sample_free), model._c
        self.body = view(c, 1, dtype("GrSample"), self._c)[0:1].view(np.recarray)[0]
        self.wheels = view(c.wheels, len(model.wheels), dtype("GrWheelSample"), self._c)
        self.joints = view(c.joints, len(model.joints), dtype("GrJointSample"), self._c)
        self.bodies = view(c.bodies, len(model.bodies), dtype("GrPose"), self._c)
        self.rocks = view(c.rocks, rock_count, dtype("GrPose"), self._c)

    @property
    def time(self):
        """[s]"""
        return self._c.time


class Mission:
    """A scenario, placed at its start, to be driven step by step. Use it from one thread at a time.

    scenario, set  as for grouser.run()
    sensors        whether the rover's sensors measure; `sensors` then has the latest measurement of each

    A mission can be pickled: the copy reads the scenario again and continues bit for bit. The files must be the same.
    The errors of its sensors restart.
    """

    def __init__(self, scenario, set=None, *, sensors=False):  # noqa: A002
        self._world = World(scenario, set)
        self._table, self._columns = None, None
        c = self._world.c
        self._c = lib.gr_world_mission(c)
        self.model = Model._of(lib.gr_world_model(c), c)
        self.data = Data._of(self.model, lib.gr_mission_data(self._c), c)
        self._outcome = lib.GR_OUTCOME_RUNNING
        self._sensors = Sensors(self._world) if sensors else None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        """Gives the memory back, once no view of it is left."""
        self.data.__exit__()
        self.model = self.data = self._world = self._c = self._table = self._sensors = None

    @property
    def time(self):
        """Simulated time [s]."""
        return self.data.time

    @property
    def outcome(self):
        """Name of the outcome; "running" until the mission has ended."""
        return text(lib.gr_outcome_name(self._outcome))

    @property
    def running(self):
        """Whether the mission goes on."""
        return self._outcome == lib.GR_OUTCOME_RUNNING

    @property
    def sensors(self):
        """The latest measurement of each sensor, by its name: mission.sensors["imu"] is a Measurement, or None."""
        if self._sensors is None:
            raise ValueError("the sensors of this mission do not measure: Mission(..., sensors=True)")
        return self._sensors

    def step(self, until=math.inf, *, each=None):
        """One step, at most to the time `until` [s]. Returns the outcome; a mission that has ended does not change.

        each  is called with every Measurement that was delivered in the step
        """
        if self._sensors is None and each is None:
            self._outcome = lib.gr_mission_step(self._c, until)
            return self.outcome
        self._outcome = self.sensors._go(lib.gr_python_sense_step, until)
        if each is not None:
            for measurement in self._sensors._fresh():
                each(measurement)
        return self.outcome

    def advance(self, until, *, each=None):
        """Steps until that time [s] or an outcome, which it returns.

        each  is called with every Measurement, in the order of delivery
        """
        if math.isnan(until):
            raise ValueError("the time is not a number")
        if each is not None:
            end = min(until, lib.gr_scenario_mission(self._world.scenario).duration)  # as in C
            while self.running and self.time < end:
                self.step(end, each=each)
        elif self._sensors is not None:
            self._outcome = self._sensors._go(lib.gr_python_sense_advance, until)
        else:
            self._outcome = lib.gr_mission_advance(self._c, until)
        return self.outcome

    def sample(self, into=None):
        """The present instant as a Sample; `into`: an earlier one of this mission, which is filled again."""
        sample = into if into is not None else Sample(self.model, lib.gr_mission_rock_count(self._c))
        if sample._model != self.model._c:
            raise ValueError("the sample is of another mission")
        lib.gr_mission_sample(self._c, sample._c)
        if self._sensors is not None:
            lib.gr_python_sense_sample(self._sensors._c, sample._c)
        return sample

    def record(self):
        """Adds the present instant to `table`."""
        if self._table is None:
            self._table = table_of(self._world.c, self._sensors is not None)
            self._columns = self._world.columns(self._table)
            self._kept = Sample(self.model, lib.gr_mission_rock_count(self._c))
        log = Log()
        log.check(lib.gr_python_table_add(self._table, self.sample(self._kept)._c, log.c))

    @property
    def table(self):
        """A copy of what record() has added, with the columns of run.csv; None before the first."""
        return self._columns.rows(self._table).copy() if self._table is not None else None

    def drive(self, mode, speed=0.0, curvature=0.0, yaw_rate=0.0, crab=0.0):
        """Drives by hand from now on, in place of the scenario's path or script.

        mode       a name of grouser.DRIVE_MODES: ackermann, skid, point_turn, stop, ...
        speed      of the centre [m/s]; curvature [1/m], positive: left; yaw_rate [rad/s]; crab [rad]
        """
        if mode not in DRIVE_MODES:
            raise ValueError(nearest(mode, DRIVE_MODES))
        if not all(math.isfinite(value) for value in (speed, curvature, yaw_rate, crab)):
            raise ValueError("a command must be finite")
        control = lib.gr_mission_control(self._c)
        control.manual = {"mode": DRIVE_MODES.index(mode), "speed": speed, "curvature": curvature, "yaw_rate": yaw_rate, "crab": crab}
        control.by_hand = True

    def release(self):
        """Gives control back to the scenario's path or script."""
        lib.gr_mission_control(self._c).by_hand = False

    def summary(self):
        """The summary so far, as Result.summary."""
        log, out = Log(), ffi.new("char **")
        log.check(lib.gr_python_summary(self._world.c, out, log.c))
        return json.loads(text(ffi.gc(out[0], lib.gr_free)))

    def save(self):
        """The complete state with its ruts, as bytes."""
        size = lib.gr_mission_size(self._c)
        out = ffi.new("char[]", size)
        check(lib.gr_mission_save(self._c, out))
        return ffi.buffer(out, size)[:]

    def restore(self, saved):
        """Restores a state that a mission of the same scenario has saved; it continues bit for bit.

        Sensors restart at that time.
        """
        log = Log()
        log.check(lib.gr_mission_restore(self._c, ffi.from_buffer(saved), len(saved), log.c))
        summary = ffi.new("GrRunSummary *")
        check(lib.gr_mission_summary(self._c, summary, ffi.NULL))
        self._outcome = summary.outcome
        lib.gr_run_summary_free(summary)
        if self._sensors is not None:
            self._sensors = Sensors(self._world)

    def __reduce__(self):
        return _mission, (self._world.name, self._world.set, self.save(), self._sensors is not None)

    def __repr__(self):
        return f"<grouser.Mission {text(lib.gr_scenario_name(self._world.scenario))}: {self.outcome} at {self.time:g} s>"


def _mission(scenario, overrides, saved, sensors):
    mission = Mission(scenario, overrides, sensors=sensors)
    mission.restore(saved)
    return mission
