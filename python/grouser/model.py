"""Model: a rover with its ground, immutable. Data: everything that changes."""

import os

import numpy as np

from ._native import Log, check, ffi, gravity_of, lib, nearest, overrides, plain, text, view
from .errors import Error, Message
from .soil import soil_of


def index_of(name, names):
    """Index by name or number."""
    if isinstance(name, str):
        if name not in names:
            raise KeyError(nearest(name, names))
        return names.index(name)
    if not -len(names) <= name < len(names):
        raise IndexError(f"{name} is not within 0 .. {len(names) - 1}")
    return name % len(names)


class Model:
    """A rover with its ground and its integrator. Immutable, shared by threads.

    rover       name of a shipped rover, or path of a file
    soil        Soil or name of a soil; None: no soil
    gravity     name of a body (earth, moon, mars) or a number [m/s²]
    step        length of a step [s]
    integrator  linear, euler, beeman or cvode
    terrain     Terrain on which the soil lies; None: the plane z = 0
    set         values that replace those of the rover's file
    """

    def __init__(self, rover, soil=None, *, gravity="earth", step=0.005, integrator="linear", terrain=None, set=None):  # noqa: A002
        self._arguments = (os.fspath(rover), soil, gravity, step, integrator, terrain, dict(set or {}))
        if terrain is not None and soil is None:
            raise Error("the call was wrong", [Message("error", "", 0, 0, "terrain", "needs a soil")])
        log, given = Log(), overrides(set)
        definition = ffi.new("GrRoverDef *")
        log.check(lib.gr_rover_load(os.fspath(rover).encode(), given.c, definition, log.c))
        definition = ffi.gc(definition, lib.gr_rover_free)
        options = ffi.new("GrOptions *", lib.gr_default_options())
        options.gravity = {"x": 0, "y": 0, "z": -gravity_of(gravity)}
        options.step = step
        kind, log = ffi.new("GrIntegrator *"), Log()
        log.check(lib.gr_integrator_find(integrator.encode(), kind, log.c))
        options.integrator = kind[0]
        soil = soil_of(soil)
        if soil is not None:
            log = Log()
            lib.gr_python_warn_soil(soil._c, soil._sources, gravity_of(gravity), log.c)
            log.check(lib.GR_OK)
        if terrain is not None:
            options.surface = lib.gr_surface_of_terrain(terrain._c, soil._c)
        elif soil is not None:
            options.surface.soil = soil._c
        log = Log()
        made = log.create("GrModel", lib.gr_model_create, definition, options)
        self._set_up(ffi.gc(made, lambda model, keep=terrain: lib.gr_model_free(model)), None)

    def _set_up(self, pointer, owner):
        self._c, self._owner = pointer, owner
        c = self._c
        self.name = text(lib.gr_model_name(c))
        self.wheels = tuple(text(lib.gr_model_wheel_name(c, i)) for i in range(lib.gr_model_wheel_count(c)))
        self.joints = tuple(text(lib.gr_model_joint_name(c, i)) for i in range(lib.gr_model_joint_count(c)))
        self.bodies = tuple(text(lib.gr_model_part_name(c, i)) for i in range(lib.gr_model_part_count(c)))
        self.dof_count = lib.gr_model_dof_count(c)

    @classmethod
    def _of(cls, pointer, owner):
        """The model of a mission, which owns it."""
        model = cls.__new__(cls)
        model._arguments = None
        model._set_up(pointer, owner)
        return model

    def data(self):
        """New data at the model's initial position, at rest."""
        return Data(self)

    def inverse_motion(self, path):
        """The torques of a motion, as `grouser inverse` gives them, from a CSV file with the columns of run.csv.

        A structured array with a row for each sample: time_s, chassis (force and moment that it needs from outside, world
        axes), and each joint by its name: the torque [N m] or force [N] of its motor, NaN where it follows another joint.
        """
        log, motion = Log(), ffi.new("GrInverseMotion *")
        log.check(lib.gr_inverse_motion(self._c, os.fspath(path).encode(), motion, log.c))
        motion = ffi.gc(motion, lib.gr_inverse_motion_free)
        rows, joints = motion.count, motion.joint_count
        table = np.empty(rows, [("time_s", "f8"), ("chassis", "f8", 6)] + [(name, "f8") for name in self.joints])
        table["time_s"] = ffi.unpack(motion.time, rows)
        table["chassis"] = np.reshape(ffi.unpack(motion.base, 6 * rows), (rows, 6))
        torque = np.reshape(ffi.unpack(motion.torque, joints * rows), (rows, joints)) if joints else None
        for i, name in enumerate(self.joints):
            table[name] = torque[:, i]
        return table

    def __reduce__(self):
        if self._arguments is None:
            raise TypeError("the model of a mission is saved with its mission")
        return _model, self._arguments

    def __repr__(self):
        return f"<grouser.Model {self.name}: {len(self.wheels)} wheels, {len(self.joints)} joints, {self.dof_count} degrees of freedom>"


def _model(rover, soil, gravity, step, integrator, terrain, overrides_):
    return Model(rover, soil, gravity=gravity, step=step, integrator=integrator, terrain=terrain, set=overrides_)


class Data:
    """The state of a simulation. Use it from one thread at a time; different data may run in different threads.

    position, velocity  read-only views of the state, without a copy, that follow it: base x y z and quaternion w x y z
                        (velocity: linear and angular), then the independent joint axes
    """

    def __init__(self, model):
        made = Log().create("GrData", lib.gr_data_create, model._c)
        self._set_up(model, ffi.gc(made, lambda data, keep=model: lib.gr_data_free(data)), None)

    def _set_up(self, model, pointer, owner):
        self.model, self._c, self._owner = model, pointer, owner
        state = lib.gr_python_state(model._c, pointer)
        self.position = view(state.position, state.position_count, "f8", (pointer, owner))
        self.velocity = view(state.velocity, state.velocity_count, "f8", (pointer, owner))

    @classmethod
    def _of(cls, model, pointer, owner):
        data = cls.__new__(cls)
        data._set_up(model, pointer, owner)
        return data

    def __enter__(self):
        return self

    def __exit__(self, *error):
        """Gives the memory back, once no view of it is left."""
        self.position = self.velocity = self._c = self._owner = None

    # The state. ------------------------------------------------------------------------------------------------------

    @property
    def time(self):
        """Simulated time [s]."""
        return lib.gr_data_time(self._c)

    @property
    def hash(self):
        """Hash of the state's bits, as 16 hexadecimal digits: equal for identical runs."""
        return f"{lib.gr_data_hash(self.model._c, self._c):016x}"

    @property
    def base_position(self):
        """Position of the base [m]; may be set."""
        return self.position[:3].copy()

    @base_position.setter
    def base_position(self, value):
        pose = lib.gr_data_base_pose(self._c)
        pose.position.x, pose.position.y, pose.position.z = (float(v) for v in value)
        lib.gr_data_set_base_pose(self._c, pose)

    @property
    def base_rotation(self):
        """Unit quaternion w x y z of the base; may be set."""
        return self.position[3:7].copy()

    @base_rotation.setter
    def base_rotation(self, value):
        q = np.asarray(value, float)
        if q.shape != (4,) or not np.linalg.norm(q) > 0:
            raise ValueError("a rotation is a quaternion w, x, y, z that is not zero")
        q = q / np.linalg.norm(q)
        pose = lib.gr_data_base_pose(self._c)
        pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z = (float(v) for v in q)
        lib.gr_data_set_base_pose(self._c, pose)

    def joint(self, name):
        """(position, velocity) of a joint, [rad] or [m]."""
        i = index_of(name, self.model.joints)
        return lib.gr_data_joint_position(self.model._c, self._c, i), lib.gr_data_joint_velocity(self.model._c, self._c, i)

    def set_joint(self, name, position, velocity=0.0):
        """Sets a joint; a coupled one also moves the joint that it follows."""
        lib.gr_data_set_joint(self.model._c, self._c, index_of(name, self.model.joints), position, velocity)

    def command(self, name, value):
        """Sets the command of a joint's motor: torque, speed or position, as the rover's file says."""
        lib.gr_data_set_command(self.model._c, self._c, index_of(name, self.model.joints), value)

    def motor_torque(self, name):
        """Torque [N m] or force [N] of a joint's motor."""
        return lib.gr_data_motor_torque(self.model._c, self._c, index_of(name, self.model.joints))

    def wheel(self, name):
        """A wheel and its contacts at the last evaluation, as a dict (C's GrWheelView)."""
        return plain(lib.gr_data_wheel(self.model._c, self._c, index_of(name, self.model.wheels)))

    def body_pose(self, name):
        """Position [m] and quaternion w x y z of a body, after forward() or step()."""
        pose = lib.gr_data_body_pose(self.model._c, self._c, index_of(name, self.model.bodies))
        p, q = pose.position, pose.rotation
        return np.array([p.x, p.y, p.z]), np.array([q.w, q.x, q.y, q.z])

    def balance(self):
        """Energies, mass, centre of mass and momentum, as a dict (C's GrBalance)."""
        return plain(lib.gr_balance(self.model._c, self._c))

    def joint_loads(self):
        """{joint: (force, moment)} of the parent on the child at the joint, in joint axes, at the present state."""
        names = self.model.joints
        loads = ffi.new("GrJointLoad[]", len(names) + 1)
        check(lib.gr_joint_loads(self.model._c, self._c, loads))
        return {name: (_vector(load.force), _vector(load.moment)) for name, load in zip(names, loads)}

    def inverse_dynamics(self, acceleration):
        """Generalised forces that accelerate the present state so: of the base (force, moment), then of independent joints.

        `acceleration` has the shape and order of `velocity`.
        """
        rate = np.ascontiguousarray(acceleration, float)
        if rate.shape != self.velocity.shape:
            raise ValueError(f"accelerations have the shape {rate.shape}; velocities have {self.velocity.shape}")
        force = np.zeros_like(rate)
        lib.gr_inverse_dynamics(
            self.model._c, self._c, ffi.from_buffer("double[]", rate), ffi.from_buffer("double[]", force, require_writable=True)
        )
        return force

    # Motion. ---------------------------------------------------------------------------------------------------------

    def step(self, count=1, dt=0.0):
        """Advances by steps of the model's length, or of `dt` [s]."""
        if count < 0 or not 0 <= dt < float("inf"):
            raise ValueError(f"count is {count} and dt {dt}; both must be at least 0")
        check(lib.gr_python_steps(self.model._c, self._c, count, dt))

    def forward(self):
        """Computes kinematics, forces and accelerations; changes neither state nor time."""
        check(lib.gr_forward(self.model._c, self._c))

    def settle(self):
        """Moves the rover to static equilibrium on its ground; returns iterations and residual as a dict."""
        log, info = Log(), ffi.new("GrEquilibrium *")
        log.check(lib.gr_settle(self.model._c, self._c, info, log.c))
        return plain(info[0])

    def reset(self):
        """Back to the state of new data."""
        lib.gr_data_reset(self.model._c, self._c)

    # Copies. ---------------------------------------------------------------------------------------------------------

    def save(self):
        """The complete state with its ruts, as bytes."""
        size = lib.gr_data_size(self.model._c, self._c)
        out = ffi.new("char[]", size)
        check(lib.gr_data_save(self.model._c, self._c, out))
        return ffi.buffer(out, size)[:]

    def restore(self, saved):
        """Restores a saved state, which then continues bit for bit."""
        log = Log()
        log.check(lib.gr_data_restore(self.model._c, self._c, ffi.from_buffer(saved), len(saved), log.c))

    def copy(self):
        """Data of the same model in the same state."""
        other = Data(self.model)
        check(lib.gr_data_copy(self.model._c, other._c, self._c))
        return other

    def __copy__(self):
        return self.copy()

    def __reduce__(self):
        return _data, (self.model, self.save())

    def __repr__(self):
        return f"<grouser.Data of {self.model.name} at {self.time:g} s>"


def _vector(v):
    return np.array([v.x, v.y, v.z])


def _data(model, saved):
    data = Data(model)
    data.restore(saved)
    return data
