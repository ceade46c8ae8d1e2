#!/usr/bin/env python3
"""Trains a rule that climbs sand in zigzag where driving straight up would dig in, with grouser.Batch and NumPy alone.

    train_zigzag.py [GENERATIONS] [--device cuda]

A rover like the Mars Exploration Rovers comes along a slope of soft sand and is to climb GOAL metres. Every second the rule sees slip
and tilt, and says how far off the line of steepest ascent to drive; the rover tacks between two lines. Its four weights are found by the
cross-entropy method: every generation drives all candidates on the same soils at once, keeps the best quarter, and draws new ones around
them. The result is compared with driving straight up, and with one fixed angle, on soils and slopes that the training has not seen.
"""

import sys
import time
import warnings

import numpy as np

import grouser

warnings.simplefilter("ignore", grouser.GrouserWarning)
CANDIDATES, SOILS, HELD_OUT = 16, 16, 64
TRAINED, TESTED = 100, 100  # length of a drive [s]
PERIOD, SPEED, SHARPEST, HALF_WIDTH = 1.0, 0.05, 0.8, 2.0  # [s], [m/s], [1/m], [m]
GOAL = 1.5  # up the slope [m]
STEEPEST_TACK = np.radians(75)

# Numbers of the sand, uniform between bounds that are those of 90 % of the class mars_sand (grouser show soil mars_sand).
SAND = {"soil:phi": (26.9, 36.4), "soil:k_phi": (299e3, 2140e3), "soil:c": (67, 856), "soil:K_x": (0.0144, 0.0626)}
SLOPES = {"gravity.tilt_deg": (11, 20)}
STRAIGHT = np.array([-50.0, 0, 0, 0])  # weights of a rule that never tacks


def fixed(angle):
    """Weights that always tack at this angle [rad]."""
    part = angle / STEEPEST_TACK
    return np.array([np.log(part / (1 - part)), 0, 0, 0])


def draw(random, count):
    """Slopes and soils, a column each."""
    return {path: random.uniform(low, high, count) for path, (low, high) in {**SAND, **SLOPES}.items()}


def climb(weights, ground, seconds, device="cpu"):
    """Metres up the slope, at most GOAL, [rules, grounds]: each rule on each ground, all at once."""
    rules, grounds = len(weights), len(ground["soil:phi"])
    count = rules * grounds
    values = {path: np.tile(numbers, rules) for path, numbers in ground.items()}
    where = {} if device == "cpu" else {"device": device}
    drives = grouser.Batch("gradeability", count, {"rover": "mer_like", "soil": "mars_sand", "gravity.body": "mars", "start.heading_deg": 75, "stop.time_s": seconds + 1, **values}, **where)
    rule, side, slip = np.repeat(weights, grounds, 0), np.ones(count), np.zeros(count)
    steep = (values["gravity.tilt_deg"] - 15) / 4
    best = np.zeros(count)
    for _ in range(round(seconds / PERIOD)):
        state = np.nan_to_num(drives.get("x_m", "y_m", "heading_deg", "*.slip"))
        x, y, heading = state[:, 0], state[:, 1], np.radians(state[:, 2])
        best = np.maximum(best, x)
        slip += 0.3 * (np.clip(state[:, 3:], 0, 1).mean(1) - slip)  # a mean over some seconds
        side = np.where(y > HALF_WIDTH, -1, np.where(y < -HALF_WIDTH, 1, side))
        seen = np.stack([np.ones(count), slip / 0.3, steep, slip / 0.3 * steep], 1)
        tack = STEEPEST_TACK / (1 + np.exp(-np.clip((rule * seen).sum(1), -50, 50)))
        turn = np.clip(side * tack - heading, -1, 1)
        drives.drive("ackermann", speed=SPEED, curvature=SHARPEST * turn)
        drives.advance(PERIOD)
    return np.minimum(GOAL, np.maximum(best, np.nan_to_num(drives.get("x_m")))).reshape(rules, grounds)


def train(generations, random, device="cpu"):
    """Weights of the best rule, and rover-seconds simulated."""
    middle, spread = np.zeros(4), np.full(4, 3.0)
    for generation in range(generations):
        rules = middle + spread * random.standard_normal((CANDIDATES, 4))
        rules[0] = middle
        gained = climb(rules, draw(random, SOILS), TRAINED, device).mean(1)
        elite = rules[np.argsort(gained)[-CANDIDATES // 4 :]]
        middle, spread = elite.mean(0), 0.8 * elite.std(0) + 0.2 * spread
        print(f"generation {generation + 1:2d}: mean {gained.mean():.2f} m, best {gained.max():.2f} m", flush=True)
    return middle


def main():
    generations = int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 12
    device = sys.argv[sys.argv.index("--device") + 1] if "--device" in sys.argv else "cpu"
    random = np.random.default_rng(1)
    began = time.perf_counter()
    learnt = train(generations, random, device)
    seconds = time.perf_counter() - began
    print(f"trained for {seconds:.0f} s of wall time, {generations * CANDIDATES * SOILS * TRAINED / seconds:.0f} rover-seconds a second; weights {np.round(learnt, 2)}")
    ground = draw(np.random.default_rng(2), HELD_OUT)
    straight, tacked, zigzag = climb(np.stack([STRAIGHT, fixed(np.radians(45)), learnt]), ground, TESTED, device)
    differences = zigzag - straight
    error = differences.std(ddof=1) / np.sqrt(HELD_OUT)
    print(f"{HELD_OUT} soils and slopes not seen, {TESTED} s: straight {straight.mean():.2f} m, always 45° {tacked.mean():.2f} m, learnt {zigzag.mean():.2f} m")
    print(f"learnt less straight: {differences.mean():.2f} ± {error:.2f} m, better on {(differences > 0.05).sum()}, worse on {(differences < -0.05).sum()}")


if __name__ == "__main__":
    main()
