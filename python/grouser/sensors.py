"""Sensors of a mission: measurements as numbers and NumPy arrays."""

from collections.abc import Mapping

import numpy as np

from ._native import Log, ffi, lib, nearest, text


def _array(pointer, shape, kind):
    """A copy of C's memory; None for NULL."""
    if pointer == ffi.NULL:
        return None
    kind = np.dtype(kind)
    size = int(np.prod(shape)) * kind.itemsize
    return np.frombuffer(ffi.buffer(ffi.cast("char *", pointer), size), kind).reshape(shape).copy()


class Measurement:
    """What a sensor gave at one instant, with its errors. measurement["rate_x_rad_s"] is a number of it.

    sensor, kind        name of the sensor, and its kind: "imu", "lidar", ...
    frame               number of the measurement, from 0; those that drop out are counted
    time, delivered     instant of the measurement, and when it arrived [s]
    values              {column: number}, as in the sensor's CSV; nan: no value
    position, rotation  true pose of the sensor frame in the world: x y z [m], and w x y z
    ranges              lidar: range of each ray [lines, columns] (m); nan: no return
    points              lidar: x y z of each return in the sensor frame [lines, columns, 3] (m)
    intensities         lidar with intensity: 1, of each return; None otherwise
    depth               camera: depth along x [rows, columns] (m); nan: none
    grey                camera: grey image [rows, columns] of 8 bits; None: depth alone
    """

    def __init__(self, c, sensor):
        self.sensor, self.kind = text(sensor.name), text(lib.gr_sensor_kind_name(sensor.kind))
        self.frame, self.time, self.delivered = c.frame, c.time, c.delivered
        self.values = {text(lib.gr_sensor_column(sensor.kind, i)): c.values[i] for i in range(c.count)}
        p, q = c.pose.position, c.pose.rotation
        self.position, self.rotation = np.array([p.x, p.y, p.z]), np.array([q.w, q.x, q.y, q.z])
        shape, camera = (c.rows, c.columns), sensor.kind == lib.GR_SENSOR_CAMERA
        ranges = _array(c.ranges, shape, "f4")
        self.ranges, self.depth = (None, ranges) if camera else (ranges, None)
        self.points = _array(c.points, (*shape, 3), "f4")
        self.intensities = _array(c.intensities, shape, "f4")
        self.grey = _array(c.grey, shape, "u1")

    def __getitem__(self, column):
        if column not in self.values:
            raise KeyError(nearest(column, self.values))
        return self.values[column]

    @property
    def cloud(self):
        """The returns of a lidar alone: x y z in the sensor frame [returns, 3] (m); None for other sensors."""
        return None if self.points is None else self.points[~np.isnan(self.ranges)]

    def __repr__(self):
        return f"<grouser.Measurement of {self.sensor} ({self.kind}) at {self.time:g} s>"


class Sensors(Mapping):
    """The sensors of a mission by name: the latest measurement of each that has been delivered, or None before it."""

    def __init__(self, world):
        log = Log()
        self._rover = lib.gr_scenario_rover(world.scenario)
        if not lib.gr_scenario_has_sensors(world.scenario):
            raise ValueError("the scenario leaves sensors out (record: {sensors: false})")
        self._c = ffi.gc(log.create("GrPythonSense", lib.gr_python_sense_create, world.c), lib.gr_python_sense_free)
        self._world = world.c  # must outlive the sensors
        self._index = {text(self._rover.sensors[i].name): i for i in range(self._rover.sensor_count)}

    def _measurement(self, c):
        return Measurement(c, self._rover.sensors[c.sensor])

    def __getitem__(self, name):
        if name not in self._index:
            raise KeyError(nearest(name, self._index))
        c = lib.gr_python_sense_latest(self._c, self._index[name])
        return self._measurement(c) if c != ffi.NULL else None

    def __iter__(self):
        return iter(self._index)

    def __len__(self):
        return len(self._index)

    def _go(self, function, until):
        """Steps with a function of C; returns the outcome."""
        log, outcome = Log(), ffi.new("GrOutcome *")
        log.check(function(self._c, until, outcome, log.c))
        return outcome[0]

    def _fresh(self):
        """Measurements that were delivered in the last step."""
        return [self._measurement(lib.gr_python_sense_fresh(self._c, i)) for i in range(lib.gr_python_sense_fresh_count(self._c))]
