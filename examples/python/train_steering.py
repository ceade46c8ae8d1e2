#!/usr/bin/env python3
"""Trains a steering controller by random search: a rover follows a line across a slope, down which it slips.

The controller is linear: turn = tanh(gains · (lean, heading, distance from the line)). Each trial disturbs the best gains
so far and is kept if the mean return over the same eight slopes rises. All slopes are driven at once, in threads.
"""

import time
import warnings

import numpy as np

import grouser
from grouser.env import PathFollow, VectorEnv

warnings.simplefilter("ignore", grouser.GrouserWarning)
SLOPES, TRIALS = 8, 40
USED = [1, 2, 3]  # specific force to the left, heading, distance from the line


def score(envs, gains, seed):
    """Mean return of one episode on each slope, and the number of steps."""
    observations, _ = envs.reset(seed=seed)
    total, running, steps = np.zeros(SLOPES), np.ones(SLOPES, bool), 0
    while running.any():
        turns = np.tanh(observations[:, USED] @ gains)
        observations, rewards, terminations, truncations, _ = envs.step(np.stack([np.ones(SLOPES), turns], 1))
        total += rewards * running
        steps += running.sum()
        running &= ~(terminations | truncations)
    return total.mean(), steps


random = np.random.default_rng(1)
began, steps = time.monotonic(), 0
with VectorEnv(PathFollow, SLOPES) as envs:
    best = np.zeros(len(USED))
    first = reached = score(envs, best, 100)[0]
    for trial in range(TRIALS):
        gains = best + random.normal(0, 1, best.shape)
        value, count = score(envs, gains, 100)
        steps += count
        if value > reached:
            best, reached = gains, value
            print(f"trial {trial:3}: mean return {value:8.2f}")
    others, untrained = score(envs, best, 500)[0], score(envs, 0 * best, 500)[0]
print(f"{steps / (time.monotonic() - began):.0f} steps a second")
print(f"on slopes of the training: {first:.1f} -> {reached:.1f}; on others: {untrained:.1f} -> {others:.1f}")
print("learned" if reached > first and others > untrained else "not learned")
