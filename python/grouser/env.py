"""Environments for learning, with the interface of Gymnasium: reset(seed), step(action), spaces.

    >>> from grouser.env import SlopeClimb
    >>> env = SlopeClimb()
    >>> observation, info = env.reset(seed=1)
    >>> observation, reward, terminated, truncated, info = env.step([1, 0])

They work without Gymnasium; where it is installed, they are its environments and have its spaces, and
gymnasium.make("grouser/SlopeClimb-v0") makes them. Soil and slope are drawn at every reset; equal seeds and actions
give equal bits.
"""

import math

import numpy as np

from ._gymnasium import register as _register
from ._native import value_text
from .batch import Batch
from .errors import Error
from .mission import Mission
from .sensors import Sensors

try:
    from gymnasium import Env as _Env
    from gymnasium.spaces import Box
    from gymnasium.vector import VectorEnv as _VectorEnv
except ImportError:
    from ._spaces import Box, Env as _Env

    _VectorEnv = object
try:
    from gymnasium.vector import AutoresetMode as _AutoresetMode
except ImportError:  # not installed, or older than 1.1
    _AutoresetMode = None
try:
    _register()
except ImportError:
    pass


# Name, lower and upper bound of what a rover observes.
OBSERVATIONS = (
    ("specific force ahead / g", -10, 10),
    ("specific force to the left / g", -10, 10),
    ("heading [rad]", -math.pi, math.pi),
    ("left of the start's line [m]", -1e3, 1e3),
    ("speed along the heading / top speed", -100, 100),
    ("mean slip", -1, 1),
    ("largest slip", 0, 1),
    ("mean sinkage [m]", -1, 10),
    ("mean drive torque [N m]", -1e4, 1e4),
)
_GRAVITY = 1.62  # [m/s²] of the Moon, where all tasks are
_DEGREE = math.pi / 180

# What observations and rewards are made of: the first three are position and energy, the last three have a column for each wheel.
_CHANNELS = (
    *("x_m", "y_m", "energy.electric_J", "heading_deg", "vx_m_per_s", "vy_m_per_s", "imu_ax_m_per_s2", "imu_ay_m_per_s2"),
    *("*.slip", "*.sinkage_m", "*.torque_Nm"),
)

# The camera of render(): behind the rover to its right, carried by the chassis, with the sun in its back.
_CAMERA = {
    "kind": "camera",
    "at_m": [-1.6, -1.0, 1.1],
    "rotation_deg": [0, 30, 30],
    "width": 320,
    "height": 240,
    "range_max_m": 30,
    "albedo": 0.7,
    "ambient": 0.1,
    "sun_azimuth_deg": 225,
}


class RoverEnv(_Env):
    """A rover that gets a speed and a turn rate every half second. Base of the tasks.

    action       (speed, turn), each -1 to 1, times TOP_SPEED and TOP_TURN; positive turns are to the left. An arc tighter
                 than LEAST_RADIUS becomes a turn on the spot
    observation  OBSERVATIONS, float32
    reward       see each task
    terminated   the task is done, or the rover is stuck, tipped over or off the map (info["outcome"])
    truncated    the time is up

    draws        ranges of what a reset draws, {"tilt_deg": (5, 15)}; they replace those of the task
    render_mode  "rgb_array": render() gives a picture of the rover from behind, by the simulator's own camera; it changes
                 neither observations nor rewards. None: there are no pictures
    """

    TOP_SPEED = 0.1  # [m/s]
    TOP_TURN = 0.2  # [rad/s]
    LEAST_RADIUS = 0.2  # [m]
    PERIOD = 0.5  # [s]
    SCENARIO = "gradeability"
    SOIL = "lunar_apollo"  # firm: the ranges below belong to it
    DRAWS = {}

    metadata = {"render_modes": ["rgb_array"], "render_fps": 2}

    def __init__(self, duration=90.0, draws=None, render_mode=None):
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ValueError(f"render_mode is '{render_mode}'; it must be None or one of {', '.join(self.metadata['render_modes'])}")
        self.render_mode = render_mode
        unknown = set(draws or {}) - set(self.DRAWS)
        if unknown:
            raise ValueError(f"the task draws no {', '.join(sorted(unknown))}; it draws {', '.join(self.DRAWS)}")
        self.duration, self.draws = duration, {**self.DRAWS, **(draws or {})}
        low, high = (np.array([row[i] for row in OBSERVATIONS], np.float32) for i in (1, 2))
        self.observation_space = Box(low, high, dtype=np.float32)
        self.action_space = Box(-1, 1, shape=(2,), dtype=np.float32)
        self.mission = None

    # What a task defines. --------------------------------------------------------------------------------------------

    def settings(self, drawn):
        """Values of the scenario for what was drawn."""
        raise NotImplementedError

    def judge(self, before, now):
        """(reward, done) of a step between two instants, each (x, y, energy [J])."""
        raise NotImplementedError

    # The interface. --------------------------------------------------------------------------------------------------

    def reset(self, *, seed=None, options=None):
        """Begins again. `options`: values in place of drawn ones. Returns (observation, info); info has what was drawn."""
        settings, info = self._draw(seed, options)
        self.mission = Mission(self.SCENARIO, settings, sensors=self.render_mode is not None)
        self._sample = self.mission.sample()
        self._ended = False
        return self._begin(self._row()), info

    def step(self, action):
        """Drives for PERIOD. Returns (observation, reward, terminated, truncated, info)."""
        if self.mission is None or self._ended:
            raise RuntimeError("the episode has not begun or has ended: call reset()")
        self.mission.drive(*self._command(action))
        outcome = self.mission.advance(self.mission.time + self.PERIOD)
        self.mission.sample(into=self._sample)
        row = self._row()
        reward, terminated, truncated, info = self._judge(row[:3], outcome, self.mission.time)
        self._ended = terminated or truncated
        return self._observe([row])[0], reward, terminated, truncated, info

    def render(self):
        """The newest picture, [height, width, 3] of 8 bits, if render_mode is "rgb_array"; None otherwise."""
        if self.render_mode is None:
            return None
        if self.mission is None:
            raise RuntimeError("there is nothing to see before reset()")
        return _picture(self.mission.sensors)

    def close(self):
        """Gives the memory back."""
        self.mission = None

    # Parts that VectorEnv shares. ------------------------------------------------------------------------------------

    def _draw(self, seed, options):
        """Values of the scenario for a new episode, and its first info."""
        super().reset(seed=seed)
        unknown = set(options or {}) - set(self.draws)
        if unknown:
            raise ValueError(f"the task draws no {', '.join(sorted(unknown))}; it draws {', '.join(self.draws)}")
        drawn = {name: float(self.np_random.uniform(*bounds)) for name, bounds in self.draws.items()}
        drawn.update(options or {})
        camera = {"rover:sensors": {"render": {**_CAMERA, "rate_Hz": 1 / self.PERIOD}}} if self.render_mode else {}
        settings = {"stop.time_s": self.duration, "soil": self.SOIL, **self.settings(drawn), **camera}
        return settings, dict(drawn, outcome="running", time_s=0.0)

    def _begin(self, row):
        """The first observation of an episode, from the values of _CHANNELS."""
        self._now = row[:3]
        return self._observe([row])[0]

    def _command(self, action):
        """Arguments of drive()."""
        action = np.asarray(action, float)
        if action.shape != (2,) or not all(abs(number) <= 1 for number in action.tolist()):
            raise ValueError(f"the action is {action}; it must be two numbers from -1 to 1")
        speed, turn = self.TOP_SPEED * float(action[0]), self.TOP_TURN * float(action[1])
        if abs(speed) < self.LEAST_RADIUS * abs(turn):
            return "point_turn", 0.0, 0.0, turn
        return "skid", speed, turn / speed if speed != 0 else 0.0, 0.0

    def _judge(self, now, outcome, time):
        """(reward, terminated, truncated, info) of a step that has brought the rover to (x, y, energy)."""
        before, self._now = self._now, now
        reward, done = self.judge(before, now)
        terminated = done or outcome not in ("running", "finished")
        truncated = outcome == "finished" and not terminated
        info = {"outcome": outcome, "time_s": time, "x_m": now[0], "y_m": now[1], "energy_J": now[2], "done": done}
        return float(reward), bool(terminated), bool(truncated), info

    def _row(self):
        """The present values of _CHANNELS."""
        c, wheels = self._sample._c, self._sample.wheels
        body = [c.pose.position.x, c.pose.position.y, c.energy.electric, c.heading * (1 / _DEGREE)]
        motion = [c.velocity.x, c.velocity.y, c.acceleration.x, c.acceleration.y]
        return body + motion + wheels["slip"].tolist() + wheels["sinkage"].tolist() + wheels["torque"].tolist()

    def _observe(self, rows):
        """Observations of runs from their values of _CHANNELS. In plain numbers: sums of arrays depend on their shape."""
        observed = []
        for _, y, _, heading, vx, vy, ax, ay, *wheels in rows:
            count, heading = len(wheels) // 3, heading * _DEGREE
            slip, sinkage, torque = wheels[:count], wheels[count : 2 * count], wheels[2 * count :]
            ahead = vx * math.cos(heading) + vy * math.sin(heading)
            means = sum(slip) / count, max(map(abs, slip)), sum(sinkage) / count, sum(torque) / count
            observed.append((ax / _GRAVITY, ay / _GRAVITY, heading, y, ahead / self.TOP_SPEED, *means))
        return np.clip(np.array(observed, np.float32), self.observation_space.low, self.observation_space.high)


def _picture(sensors):
    return np.repeat(sensors["render"].grey[:, :, None], 3, axis=2)


class SlopeClimb(RoverEnv):
    """Climbs a slope of loose soil. Done after GOAL metres.

    Reward: progress over that at top speed without slip, less the motor energy over ENERGY_SCALE. Full speed straight ahead
    is close to the best, since the forces of the soil do not depend on speed: a task to see whether learning works.
    """

    GOAL = 2.0  # [m]
    ENERGY_SCALE = 20.0  # [J]
    DRAWS = {"tilt_deg": (5, 18), "phi_deg": (34, 40)}

    def settings(self, drawn):
        """A plane that rises ahead."""
        return {"gravity.tilt_deg": drawn["tilt_deg"], "gravity.toward_deg": 0, "soil:phi": drawn["phi_deg"]}

    def judge(self, before, now):
        """Progress uphill, and energy."""
        progress = (now[0] - before[0]) / (self.TOP_SPEED * self.PERIOD)
        return progress - (now[2] - before[2]) / self.ENERGY_SCALE, now[0] >= self.GOAL


class PathFollow(RoverEnv):
    """Follows a straight line across a slope, down which the rover slips. Done after GOAL metres, or LOST off the line.

    Reward: progress over that at top speed without slip, times exp(-(distance from the line / TOLERANCE)²). A penalty for the
    distance would reward leaving early.
    """

    GOAL = 3.0  # [m]
    LOST = 1.0  # [m]
    TOLERANCE = 0.25  # [m]
    DRAWS = {"tilt_deg": (5, 12), "phi_deg": (32, 40), "toward_deg": (60, 120)}

    def settings(self, drawn):
        """A plane that rises to the left."""
        return {"gravity.tilt_deg": drawn["tilt_deg"], "gravity.toward_deg": drawn["toward_deg"], "soil:phi": drawn["phi_deg"]}

    def judge(self, before, now):
        """Progress near the line."""
        progress = (now[0] - before[0]) / (self.TOP_SPEED * self.PERIOD)
        near = math.exp(-((now[1] / self.TOLERANCE) ** 2))
        return progress * near, now[0] >= self.GOAL or abs(now[1]) > self.LOST


class TrapEscape(RoverEnv):
    """Leaves a small crater on a slope: only the lower side of its wall can be climbed. Done at its rim.

    Reward: the gain of distance from the middle over the way at top speed.
    """

    DRAWS = {"diameter_m": (4, 5), "depth_ratio": (0.16, 0.18), "phi_deg": (34, 38), "tilt_deg": (6, 8), "toward_deg": (-180, 180)}

    def settings(self, drawn):
        """A crater around the start, on ground that rises in one direction."""
        self._radius = drawn["diameter_m"] / 2
        crater = {"x_m": 0, "y_m": 0, "diameter_m": drawn["diameter_m"], "depth_ratio": drawn["depth_ratio"]}
        ground = {"size_m": [20, 20], "cell_m": 0.1, "add": [{"crater": crater}]}
        slope = {"body": "moon", "tilt_deg": drawn["tilt_deg"], "toward_deg": drawn["toward_deg"]}
        return {"gravity": slope, "terrain": ground, "soil:phi": drawn["phi_deg"]}

    def judge(self, before, now):
        """The way out."""
        was, here = math.hypot(before[0], before[1]), math.hypot(now[0], now[1])
        return (here - was) / (self.TOP_SPEED * self.PERIOD), here >= self._radius


AUTORESET_MODES = ("next_step", "same_step", "disabled")


def _autoreset_of(name):
    """Gymnasium's name of a mode; its wrappers ask for it."""
    return _AutoresetMode[name.upper()] if _AutoresetMode is not None else name


def _leaves(path, value):
    """Values of the scenario that are no mapping or list, by their paths."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(f"{path}.{key}", item)
    elif isinstance(value, (list, tuple)):
        for i, item in enumerate(value):
            yield from _leaves(f"{path}[{i}]", item)
    else:
        yield path, value


def _is_number(value):
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)


class VectorEnv(_VectorEnv):
    """Several environments that step at once as a grouser.Batch, with the interface of gymnasium.vector.VectorEnv.

    make       makes one environment: a class or a function without arguments. Those of a vector may differ in numbers of their
               scenario only
    count      number of environments
    autoreset  what happens after the end of an episode: "next_step", the next step resets it and ignores its action;
               "same_step", the step that ends it resets it, and infos["final_obs"] has its last observation; "disabled",
               the caller resets with options={"reset_mask": mask}
    threads    default: one for each processor
    device     "cpu", "cuda" or "cuda:1", as for grouser.Batch

    batch      the grouser.Batch; None before the first reset

    Results do not depend on the number of threads and the device, and are those of single environments.
    """

    def __init__(self, make, count, autoreset="next_step", threads=None, device="cpu"):
        if autoreset not in AUTORESET_MODES:
            raise ValueError(f"autoreset is '{autoreset}'; it must be one of {', '.join(AUTORESET_MODES)}")
        if count < 1:
            raise ValueError(f"count is {count}; it must be at least 1")
        self.envs = [make() for _ in range(count)]
        if len({(type(env), env.SCENARIO, env.PERIOD, env.render_mode) for env in self.envs}) > 1:
            raise ValueError("environments of a vector must have the same task, scenario, period and render_mode")
        self.num_envs, self.autoreset = count, autoreset
        self.single_observation_space, self.single_action_space = self.envs[0].observation_space, self.envs[0].action_space
        observed, acted = self.single_observation_space, self.single_action_space
        self.observation_space = Box(np.tile(observed.low, (count, 1)), np.tile(observed.high, (count, 1)), dtype=observed.dtype)
        self.action_space = Box(np.tile(acted.low, (count, 1)), np.tile(acted.high, (count, 1)), dtype=acted.dtype)
        self.metadata = {**self.envs[0].metadata, "autoreset_mode": _autoreset_of(autoreset)}
        self.render_mode = self.envs[0].render_mode
        self.batch = None
        self._threads, self._device = threads, device
        self._values = [None] * count  # of the scenario of each run, by path
        self._common = None  # those that the batch began with
        self._numbers = set()  # paths of those that have differed since
        self._observations = np.zeros(self.observation_space.shape, observed.dtype)
        self._pictures = [None] * count
        self._ended = np.ones(count, bool)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def reset(self, *, seed=None, options=None):
        """Begins all episodes, or those of options["reset_mask"]. `seed`: one per environment, or the first of them."""
        options = dict(options or {})
        mask = np.asarray(options.pop("reset_mask", np.ones(self.num_envs, bool)))
        if mask.shape != (self.num_envs,) or mask.dtype != bool:
            raise ValueError("reset_mask must have one boolean per environment")
        seeds = [None if seed is None else seed + i for i in range(self.num_envs)] if np.ndim(seed) == 0 else list(seed)
        if len(seeds) != self.num_envs:
            raise ValueError(f"there are {len(seeds)} seeds for {self.num_envs} environments")
        infos = self._begin(mask, seeds, options)
        self._ended[mask] = False
        return self._observations.copy(), self._join(infos)

    def step(self, actions):
        """One step of all. Returns (observations, rewards, terminations, truncations, infos)."""
        actions = np.asarray(actions, float)
        if actions.shape != self.action_space.shape:
            raise ValueError(f"actions have the shape {actions.shape}; it must be {self.action_space.shape}")
        if self.batch is None or (self.autoreset == "disabled" and self._ended.any()):
            raise RuntimeError("episodes have not begun or have ended: reset them, with options={'reset_mask': mask} for some")
        going = ~self._ended
        commands = [env._command(action) if goes else ("stop", 0.0, 0.0, 0.0) for env, action, goes in zip(self.envs, actions, going)]
        self.batch.drive(*(list(column) for column in zip(*commands)), mask=going)
        self.batch.advance(self.envs[0].PERIOD)
        rows, outcomes, times = self.batch.get(*_CHANNELS).tolist(), self.batch.outcomes, self.batch.times.tolist()
        self._observations[:] = self.envs[0]._observe(rows)
        rewards, ended, infos = np.zeros(self.num_envs), np.zeros((2, self.num_envs), bool), {}
        for i in np.flatnonzero(going):
            rewards[i], *ended[:, i], infos[i] = self.envs[i]._judge(rows[i][:3], outcomes[i], times[i])
        self._look(going)
        again = self._ended if self.autoreset == "next_step" else ended.any(axis=0)
        self._ended = ended.any(axis=0)
        if again.any() and self.autoreset != "disabled":
            final = self._observations.copy()
            for i, info in self._begin(again, [None] * self.num_envs, {}).items():
                infos[i] = {**info, "final_obs": final[i], "final_info": infos[i]} if i in infos else info
            self._ended = self._ended & ~again
        return self._observations.copy(), rewards, ended[0], ended[1], self._join(infos)

    def _begin(self, mask, seeds, options):
        """Begins the episodes of the mask. Returns their infos by number."""
        infos, chosen = {}, np.flatnonzero(mask)
        for i in chosen:
            settings, infos[i] = self.envs[i]._draw(seeds[i], options)
            self._values[i] = dict(leaf for path, value in settings.items() for leaf in _leaves(path, value))
        if len(chosen) > 0:
            self._place(mask, settings)
        rows, outcomes, causes = self.batch.get(*_CHANNELS).tolist(), self.batch.outcomes, self.batch.causes
        for i in chosen:
            if outcomes[i] == "failed":
                raise Error(f"environment {i}: {causes[i]}", [])
            self._observations[i] = self.envs[i]._begin(rows[i])
        self._look(mask)
        return infos

    def _place(self, mask, settings):
        """Gives the runs their numbers, and places those of the mask. `settings` of one of them make the batch."""
        if self.batch is None:
            self._common = dict(leaf for path, value in settings.items() for leaf in _leaves(path, value))
            self._values = [values or self._common for values in self._values]
        for values in self._values:
            for path in self._common.keys() | values.keys():
                first, value = self._common.get(path), values.get(path)
                if first != value and not (_is_number(first) and _is_number(value)):
                    raise ValueError(f"environments of a vector may differ in numbers only, not in '{path}'")
                self._numbers |= {path} if first != value else set()
        columns = {path: np.array([values[path] for values in self._values], float) for path in sorted(self._numbers)}
        if self.batch is None:
            common = {path: value_text(value) for path, value in settings.items() if path not in columns}
            self.batch = Batch(self.envs[0].SCENARIO, self.num_envs, {**common, **columns}, threads=self._threads, device=self._device)
        else:
            for path, column in columns.items():
                self.batch.set(path, column)
            self.batch.reset(mask)

    def _look(self, mask):
        """Takes new pictures of some runs, where one is due: a run may end between two of them."""
        for i in np.flatnonzero(mask) if self.render_mode else ():
            sensors = Sensors(self.batch._world(i))
            self._pictures[i] = _picture(sensors) if sensors["render"] is not None else self._pictures[i]

    def _join(self, infos):
        """Infos by name: an array of all environments, and under _NAME which of them have it."""
        joined = {}
        for i, info in infos.items():
            for name, value in info.items():
                if name not in joined:
                    joined[name] = np.zeros(self.num_envs) if _is_number(value) else np.full(self.num_envs, None, object)
                    joined[f"_{name}"] = np.zeros(self.num_envs, bool)
                joined[name][i], joined[f"_{name}"][i] = value, True
        return joined

    def render(self):
        """The newest pictures of all environments; None without a render_mode."""
        return tuple(self._pictures) if self.render_mode else None

    def close(self, **_):
        """Gives the memory back."""
        self.batch = None
