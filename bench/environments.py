#!/usr/bin/env python3
"""Environments for learning: steps a second of a vector of them, which is a grouser.Batch, beside a loop over single ones.

    environments.py [TASK]...    with the package in PYTHONPATH

Both drive the same episodes with the same actions; their sums of rewards are equal, or the program fails. Medians of alternating rounds,
and of their ratios. Processor time is that of all threads: it depends less on what else the machine does.
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


def at_once(task, seed):
    """(seconds, those of the processors, rewards) of STEPS steps of COUNT environments at once."""
    random, total = np.random.default_rng(seed), np.zeros(COUNT)
    with env.VectorEnv(task, COUNT, autoreset="same_step") as envs:
        envs.reset(seed=seed)
        began, used = time.perf_counter(), time.process_time()
        for _ in range(STEPS):
            total += envs.step(actions_of(random))[1]
        return time.perf_counter() - began, time.process_time() - used, total


def one_by_one(task, seed):
    """The same in a loop."""
    random, total = np.random.default_rng(seed), np.zeros(COUNT)
    envs = [task() for _ in range(COUNT)]
    for i, one in enumerate(envs):
        one.reset(seed=seed + i)
    began, used = time.perf_counter(), time.process_time()
    for _ in range(STEPS):
        for i, action in enumerate(actions_of(random)):
            _, reward, terminated, truncated, _ = envs[i].step(action)
            total[i] += reward
            if terminated or truncated:
                envs[i].reset()
    return time.perf_counter() - began, time.process_time() - used, total


def measure(task):
    """One line of the table."""
    rounds = []
    for seed in range(ROUNDS):
        (fast, little, first), (slow, much, second) = at_once(task, seed), one_by_one(task, seed)
        if not np.array_equal(first, second):
            raise SystemExit(f"{task.__name__}: a vector and a loop give different rewards")
        rounds.append((COUNT * STEPS / fast, COUNT * STEPS / slow, slow / fast, little / much))
    vector, loop, ratio, effort = (statistics.median(column) for column in zip(*rounds))
    rates = f"{vector:8.0f} steps/s at once, {loop:8.0f} in a loop, {ratio:5.2f} times as many by {effort:5.2f} times the processor time each"
    print(f"  {task.__name__:12} {rates}; {task.PERIOD * vector:6.0f} times real time")


if __name__ == "__main__":
    print(f"\nEnvironments in Python: {COUNT} rovers, steps of {env.RoverEnv.PERIOD} s, {os.cpu_count()} processors")
    for name in sys.argv[1:] or ("SlopeClimb", "PathFollow", "TrapEscape"):
        measure(getattr(env, name))
