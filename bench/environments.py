#!/usr/bin/env python3
"""Environments for learning: steps a second of a vector of them in threads, beside a loop over single ones.

    environments.py [TASK]...    with the package in PYTHONPATH

Both drive the same episodes with the same actions; their sums of rewards are equal, or the program fails. Wall time: the median of
alternating rounds, and of their ratios.
"""

import os
import statistics
import sys
import time
import warnings

import numpy as np

import grouser
from grouser import env

warnings.simplefilter("ignore", grouser.GrouserWarning)
COUNT, STEPS, ROUNDS = 32, 60, 7


def actions_of(random):
    """Ahead, with some steering."""
    return np.stack([np.ones(COUNT), random.uniform(-0.3, 0.3, COUNT)], 1)


def in_threads(task, seed):
    """(seconds, rewards) of STEPS steps of COUNT environments at once."""
    random, total = np.random.default_rng(seed), np.zeros(COUNT)
    with env.VectorEnv(task, COUNT, autoreset="same_step") as envs:
        envs.reset(seed=seed)
        began = time.perf_counter()
        for _ in range(STEPS):
            total += envs.step(actions_of(random))[1]
        return time.perf_counter() - began, total


def one_by_one(task, seed):
    """The same in a loop."""
    random, total = np.random.default_rng(seed), np.zeros(COUNT)
    envs = [task() for _ in range(COUNT)]
    for i, one in enumerate(envs):
        one.reset(seed=seed + i)
    began = time.perf_counter()
    for _ in range(STEPS):
        for i, action in enumerate(actions_of(random)):
            _, reward, terminated, truncated, _ = envs[i].step(action)
            total[i] += reward
            if terminated or truncated:
                envs[i].reset()
    return time.perf_counter() - began, total


def measure(task):
    """One line of the table."""
    rounds = []
    for seed in range(ROUNDS):
        (fast, first), (slow, second) = in_threads(task, seed), one_by_one(task, seed)
        if not np.array_equal(first, second):
            raise SystemExit(f"{task.__name__}: threads and a loop give different rewards")
        rounds.append((COUNT * STEPS / fast, COUNT * STEPS / slow, slow / fast))
    vector, loop, ratio = (statistics.median(column) for column in zip(*rounds))
    simulated = task.PERIOD * vector
    print(f"  {task.__name__:12} {vector:8.0f} steps/s in threads, {loop:8.0f} in a loop, {ratio:5.2f} times as many; {simulated:6.0f} times real time")


if __name__ == "__main__":
    print(f"\nEnvironments in Python: {COUNT} rovers, steps of {env.RoverEnv.PERIOD} s, {os.cpu_count()} processors")
    for name in sys.argv[1:] or ("SlopeClimb", "PathFollow", "TrapEscape"):
        measure(getattr(env, name))
