#!/usr/bin/env python3
"""Environments: the interface, equal bits for equal seeds, tasks that a sensible policy solves and chance does not."""

import importlib
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

import numpy as np
from support import Case

import grouser
from grouser.env import AUTORESET_MODES, OBSERVATIONS, Box, PathFollow, SlopeClimb, TrapEscape, VectorEnv

TASKS = (SlopeClimb, PathFollow, TrapEscape)


def ahead(observation, info):
    """Full speed straight ahead."""
    del observation, info
    return 1, 0


def on_the_line(observation, info):
    """Full speed, steered to the line."""
    del info
    return 1, float(np.clip(-2 * observation[3] - 3 * observation[2], -0.4, 0.4))


def downhill(observation, info):
    """Full speed where the ground falls, which the reset tells."""
    error = (np.radians(info["toward_deg"]) + np.pi - observation[2] + np.pi) % (2 * np.pi) - np.pi
    return (1 if abs(error) < 0.3 else 0), float(np.clip(5 * error, -1, 1))


def episode(env, policy, seed):
    """(return, done, observations)."""
    observation, first = env.reset(seed=seed)
    total, seen = 0.0, [observation]
    while True:
        observation, reward, terminated, truncated, info = env.step(policy(observation, first))
        total += reward
        seen.append(observation)
        if terminated or truncated:
            return total, info["done"], np.array(seen)


def chance(seed):
    random = np.random.default_rng(seed)
    return lambda observation, info: random.uniform(-1, 1, 2)


class Interface(Case):
    def test_spaces(self):
        for task in TASKS:
            env = task()
            observation, info = env.reset(seed=3)
            self.assertTrue(env.observation_space.contains(observation))
            self.assertEqual((observation.dtype, observation.shape), (np.float32, (len(OBSERVATIONS),)))
            self.assertLessEqual(set(task.DRAWS), set(info))
            env.action_space.seed(1)
            for _ in range(5):
                observation, reward, terminated, truncated, _ = env.step(env.action_space.sample())
                self.assertTrue(env.observation_space.contains(observation))
                self.assertIsInstance(reward, float)
                self.assertIsInstance(terminated, bool)
                self.assertIsInstance(truncated, bool)
            env.close()

    def test_equal_seeds_give_equal_bits(self):
        for task in TASKS:
            first, second = episode(task(duration=10), chance(1), 5), episode(task(duration=10), chance(1), 5)
            self.assertEqual(first[0], second[0])
            np.testing.assert_array_equal(first[2], second[2])
            self.assertNotEqual(first[0], episode(task(duration=10), chance(1), 6)[0])

    def test_order_of_calls(self):
        env = SlopeClimb(duration=1)
        with self.assertRaises(RuntimeError):
            env.step((0, 0))
        env.reset(seed=1)
        env.step((0, 0))
        self.assertEqual(env.step((0, 0))[2:4], (False, True))
        with self.assertRaises(RuntimeError):
            env.step((0, 0))

    def test_wrong_input(self):
        env = SlopeClimb()
        env.reset(seed=1)
        for action in ((2, 0), (0, float("nan")), (0, 0, 0)):
            with self.assertRaises(ValueError):
                env.step(action)
        with self.assertRaises(ValueError):
            env.reset(options={"tilt": 3})
        with self.assertRaises(ValueError):
            SlopeClimb(draws={"tilt": (1, 2)})

    def test_options_replace_what_is_drawn(self):
        _, info = SlopeClimb().reset(seed=1, options={"tilt_deg": 9})
        self.assertEqual(info["tilt_deg"], 9)
        self.assertEqual(SlopeClimb(draws={"phi_deg": (36, 36)}).reset(seed=1)[1]["phi_deg"], 36)

    def test_pictures(self):
        plain, seen = SlopeClimb(duration=10), SlopeClimb(duration=10, render_mode="rgb_array")
        self.assertIsNone(plain.render())
        with self.assertRaises(RuntimeError):
            seen.render()
        with self.assertRaises(ValueError):
            SlopeClimb(render_mode="human")
        observed = []
        for env in (plain, seen):
            env.reset(seed=3)
            observed.append(env.step((1, 0.2))[0])
        np.testing.assert_array_equal(*observed)  # the camera changes nothing
        picture = seen.render()
        self.assertEqual((picture.shape, picture.dtype), ((240, 320, 3), np.uint8))
        self.assertGreater(picture.max(), picture.min() + 50)  # a rover on its ground, not one grey

    def test_gymnasium(self):
        try:
            from gymnasium.utils.env_checker import check_env
        except ImportError:
            self.skipTest("Gymnasium is not installed")
        for task in TASKS:
            check_env(task(), skip_render_check=True)

    def test_random_numbers_are_those_of_gymnasium(self):
        # its base class makes them with PCG64(SeedSequence(seed)), and its checker looks for them in np_random
        env = SlopeClimb()
        env.reset(seed=7)
        random = np.random.Generator(np.random.PCG64(np.random.SeedSequence(7)))
        random.uniform(size=len(SlopeClimb.DRAWS))
        self.assertEqual(env.np_random.bit_generator.state, random.bit_generator.state)
        env.reset()
        random.uniform(size=len(SlopeClimb.DRAWS))
        self.assertEqual(env.np_random.bit_generator.state, random.bit_generator.state)

    def test_base_classes_are_those_of_gymnasium(self):
        # a stand-in with what the module takes from it, in its own process
        done = subprocess.run([sys.executable, "-B", "-W", "ignore", "-c", STAND_IN], capture_output=True, text=True, check=False)
        self.assertEqual(done.stdout, "True True SAME_STEP 7\nTrue 3 <class 'grouser.env.SlopeClimb'>\n", done.stderr)

    def test_entry_point(self):
        # what Gymnasium before 1.0 looks for in the metadata of installed packages
        source = Path(os.environ["GROUSER_SOURCE"], "python", "pyproject.toml").read_text(encoding="utf-8")
        entry = re.search(r'\[project\.entry-points\."gymnasium\.envs"\]\n__root__ = "([\w.]+):(\w+)"\n', source)
        self.assertTrue(callable(getattr(importlib.import_module(entry[1]), entry[2])))


STAND_IN = """
import enum, sys, types
import numpy as np
from grouser._spaces import Box, Env
class VectorEnv: pass
AutoresetMode = enum.Enum("AutoresetMode", "NEXT_STEP SAME_STEP DISABLED")
NAMES = ("gymnasium", "gymnasium.spaces", "gymnasium.vector", "gymnasium.envs", "gymnasium.envs.registration")
gymnasium, spaces, vector, envs, registration = map(types.ModuleType, NAMES)
registration.registry = {}
registration.register = lambda id, entry_point: registration.registry.__setitem__(id, entry_point)
class Base(Env):
    seeds = []
    def reset(self, *, seed=None, options=None):
        Base.seeds.append(seed)
        super().reset(seed=seed)
gymnasium.Env, spaces.Box, vector.VectorEnv, vector.AutoresetMode = Base, Box, VectorEnv, AutoresetMode
sys.modules.update(zip(NAMES, (gymnasium, spaces, vector, envs, registration)))
from grouser import env
with env.VectorEnv(env.SlopeClimb, 1, autoreset="same_step") as envs:
    envs.reset(seed=7)
    print(isinstance(envs.envs[0], Base), isinstance(envs, VectorEnv), envs.metadata["autoreset_mode"].name, *Base.seeds)
registry = registration.registry
module, name = registry["grouser/SlopeClimb-v0"].split(":")
env._register()  # a second time, as by the entry point
print(module == env.__name__, len(registry), getattr(env, name))
"""


class Tasks(Case):
    def test_what_is_observed(self):
        env = SlopeClimb()
        observation, _ = env.reset(seed=1, options={"tilt_deg": 10})
        # at rest the specific force is that of gravity: a slope that rises ahead shows its sine
        self.assertAlmostEqual(observation[0], np.sin(np.radians(10)), delta=0.02)
        self.assertAlmostEqual(observation[1], 0, delta=0.01)

    def test_sensible_policies_are_better_than_chance(self):
        for task, policy in ((SlopeClimb, ahead), (PathFollow, on_the_line), (TrapEscape, downhill)):
            sensible = [episode(task(), policy, seed)[0] for seed in range(6)]
            random = [episode(task(), chance(seed), seed)[0] for seed in range(6)]
            self.assertGreater(min(sensible), max(random), task.__name__)

    def test_steering_is_needed_on_a_side_slope(self):
        for seed in range(4):
            self.assertGreater(episode(PathFollow(), on_the_line, seed)[0], episode(PathFollow(), ahead, seed)[0] + 5)

    def test_the_trap_opens_on_one_side(self):
        found = [episode(TrapEscape(), downhill, seed)[1] for seed in range(6)]
        self.assertEqual(found, [True] * 6)
        uphill = TrapEscape(draws={"toward_deg": (-30, 30)})
        self.assertFalse(any(episode(uphill, ahead, seed)[1] for seed in range(6)))


class Vector(Case):
    def actions(self, count, steps):
        return np.random.default_rng(7).uniform(-1, 1, (steps, count, 2))

    def test_threads_do_not_matter(self):
        actions, seen = self.actions(5, 30), []
        for threads in (1, 4):
            with VectorEnv(lambda: SlopeClimb(duration=5), 5, threads=threads) as envs:
                rows = [envs.reset(seed=1)[0]] + [envs.step(action)[0] for action in actions]
                seen.append(np.array(rows))
        np.testing.assert_array_equal(seen[0], seen[1])

    def compare(self, task, autoreset, steps=14, **more):
        """Steps a vector and single environments side by side; counts the episodes that end."""
        count, ends = 4, 0
        random = np.random.default_rng(5)
        singles = [task() for _ in range(count)]
        with VectorEnv(task, count, autoreset=autoreset, **more) as envs:
            observations, infos = envs.reset(seed=2)
            seen = [env.reset(seed=2 + i) for i, env in enumerate(singles)]
            over = np.zeros(count, bool)
            for _ in range(steps):
                np.testing.assert_array_equal(observations, [observation for observation, _ in seen])
                self.assertEqual([infos["time_s"][i] for i in range(count)], [info["time_s"] for _, info in seen])
                actions = random.uniform((0.5, -0.4), (1, 0.4), (count, 2))
                observations, *results, infos = envs.step(actions)
                for i, env in enumerate(singles):
                    if autoreset == "next_step" and over[i]:
                        seen[i], result = env.reset(), [0.0, False, False]
                    else:
                        observation, *result, info = env.step(actions[i])
                        seen[i] = observation, info
                    self.assertEqual([column[i] for column in results], result)
                    over[i] = any(result[1:])
                    if over[i] and autoreset == "same_step":
                        np.testing.assert_array_equal(infos["final_obs"][i], seen[i][0])
                        self.assertEqual(infos["final_info"][i], seen[i][1])
                        seen[i] = env.reset()
                ends += over.sum()
                if over.any() and autoreset == "disabled":
                    observations, infos = envs.reset(options={"reset_mask": over})
                    for i in np.flatnonzero(over):
                        seen[i] = singles[i].reset()
                    infos["time_s"] = np.array([info["time_s"] for _, info in seen])  # it has those that began alone
        return ends

    def test_equal_single_ones(self):
        for autoreset in AUTORESET_MODES:
            for task in TASKS:
                self.assertGreaterEqual(self.compare(lambda task=task: task(duration=3), autoreset), 4)

    def test_ends_by_the_task(self):
        # the goals of two, and the edge of the way in a third, are reached at different times
        def near():
            env = PathFollow(duration=30, draws={"tilt_deg": (5, 12)})
            env.GOAL = 0.2
            return env

        self.assertGreater(self.compare(near, "same_step", 24), 4)

    def test_equal_on_a_gpu(self):
        try:
            ends = self.compare(lambda: SlopeClimb(duration=2), "same_step", 6, device="cuda")
        except grouser.Error as error:  # a machine without a GPU says so
            self.assertRegex(str(error), "driver|GPU")
        else:
            self.assertGreaterEqual(ends, 4)
        with VectorEnv(SlopeClimb, 2, device="gpu") as envs, self.assertRaisesRegex(grouser.Error, "allowed: cpu, cuda"):
            envs.reset(seed=1)

    def test_numbers_that_differ(self):
        times = iter((1, 2))
        with VectorEnv(lambda: SlopeClimb(duration=next(times)), 2) as envs:
            envs.reset(seed=1)
            envs.step(np.zeros((2, 2)))
            np.testing.assert_array_equal(envs.step(np.zeros((2, 2)))[3], [True, False])
            self.assertEqual((envs.batch.count, envs.batch.outcomes), (2, ["finished", "running"]))
        with VectorEnv(lambda: SlopeClimb(duration=1), 1) as envs:  # from reset to reset
            for seed in (1, 2):
                single = SlopeClimb(duration=1)
                np.testing.assert_array_equal(envs.reset(seed=seed)[0][0], single.reset(seed=seed)[0])
        tasks = iter((SlopeClimb, PathFollow))
        with self.assertRaisesRegex(ValueError, "the same task"):
            VectorEnv(lambda: next(tasks)(), 2)

        class Named(SlopeClimb):
            def settings(self, drawn):
                return {**super().settings(drawn), "gravity.body": "moon" if drawn["tilt_deg"] < 10 else "mars"}

        with VectorEnv(Named, 8) as envs, self.assertRaisesRegex(ValueError, "numbers only, not in 'gravity.body'"):
            envs.reset(seed=1)

    def test_a_start_without_ground(self):
        class Away(TrapEscape):
            DRAWS = {**TrapEscape.DRAWS, "x_m": (0, 40)}

            def settings(self, drawn):
                return {**super().settings(drawn), "start.x_m": drawn["x_m"]}

        with VectorEnv(Away, 8) as envs, self.assertRaisesRegex(grouser.Error, "environment [0-7]: .*no ground"):
            envs.reset(seed=1)

    def test_pictures(self):
        def make():
            return SlopeClimb(duration=1, render_mode="rgb_array")

        single = make()
        single.reset(seed=2)
        with VectorEnv(make, 2, autoreset="disabled") as envs:
            envs.reset(seed=1)
            for _ in range(2):
                envs.step([(1, 0.2)] * 2)
                single.step((1, 0.2))
                np.testing.assert_array_equal(envs.render()[1], single.render())
            self.assertFalse(np.array_equal(*envs.render()))

    def test_next_step(self):
        with VectorEnv(lambda: SlopeClimb(duration=1), 2) as envs:
            envs.reset(seed=1)
            still = np.zeros((2, 2))
            envs.step(still)
            *_, truncations, _ = envs.step(still)
            self.assertTrue(truncations.all())
            _, rewards, terminations, truncations, infos = envs.step(still)
            self.assertFalse((terminations | truncations).any())
            np.testing.assert_array_equal(rewards, 0)
            np.testing.assert_array_equal(infos["time_s"], 0)

    def test_same_step(self):
        with VectorEnv(lambda: SlopeClimb(duration=1), 2, autoreset="same_step") as envs:
            envs.reset(seed=1)
            still = np.zeros((2, 2))
            self.assertNotIn("final_obs", envs.step(still)[4])
            observations, _, _, truncations, infos = envs.step(still)
            self.assertTrue(truncations.all() and infos["_final_obs"].all())
            self.assertTrue(all(info["time_s"] == 1 for info in infos["final_info"]))
            np.testing.assert_array_equal(infos["time_s"], 0)
            self.assertFalse(np.array_equal(infos["final_obs"][0], observations[0]))

    def test_disabled(self):
        with VectorEnv(lambda: SlopeClimb(duration=1), 2, autoreset="disabled") as envs:
            envs.reset(seed=1)
            still = np.zeros((2, 2))
            envs.step(still)
            envs.step(still)
            with self.assertRaises(RuntimeError):
                envs.step(still)
            envs.reset(options={"reset_mask": np.array([True, False])})
            with self.assertRaises(RuntimeError):
                envs.step(still)
            envs.reset(options={"reset_mask": np.array([False, True])})
            envs.step(still)

    def test_wrong_input(self):
        with self.assertRaises(ValueError):
            VectorEnv(SlopeClimb, 2, autoreset="never")
        with self.assertRaises(ValueError):
            VectorEnv(SlopeClimb, 0)
        with VectorEnv(SlopeClimb, 2) as envs:
            with self.assertRaises(ValueError):
                envs.reset(seed=[1])
            envs.reset(seed=[1, 2])
            with self.assertRaises(ValueError):
                envs.step(np.zeros(2))


class Spaces(Case):
    def test_box(self):
        box = Box(np.array([-1, 0], np.float32), np.array([1, 2], np.float32), dtype=np.float32)
        box.seed(3)
        self.assertTrue(all(box.contains(box.sample()) for _ in range(100)))
        self.assertFalse(box.contains(np.array([0, 3], np.float32)))


if __name__ == "__main__":
    unittest.main()
