#!/usr/bin/env python3
"""Checks results of shipped campaigns that docs/studies quotes against independent calculations.

    tests/campaign/studies.py GROUSER [FOLDER]      FOLDER: campaigns whose runs are there are not run again (tools/doc-figures --keep)

steering: on rigid ground, four sliding contacts with Coulomb friction whose forces and moments balance give the circle. A
wheel touches along a line and carries along its whole width, so that the middle of its load is within the middle third: the
result must lie between its ends.
lightest_wheel: the standard test gradeability (steady motion) has the same slip and torque, and no wheel of a grid that
keeps the limits is lighter. With GROUSER_TEST_WHOLE, as by `make nightly`, the grid is finer.
"""

import csv
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

# Slip and torque of a run of 40 s from rest against the steady motion.
STEADY_TOLERANCE = 0.01
THIRD = 0.1 / 6  # half the middle third of the wheels of el_dorado2 [m]
GRID = 13 if "GROUSER_TEST_WHOLE" in os.environ else 7
AT_REST = 1e-15  # a change of velocity in one iteration [m/s, rad/s]
CAMPAIGN = Path(__file__).resolve().parents[2] / "data/campaigns/lightest_wheel.yaml"


def grouser(program, folder, *words):
    done = subprocess.run([program, *words], cwd=folder, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"studies: grouser {' '.join(words)}: exit {done.returncode}")
    return done.stdout


def runs(program, folder, *words):
    grouser(program, folder, *words, "-o", "study.db")
    grouser(program, folder, "campaign", "export", "study.db", "-o", "study.json")
    found = json.loads((Path(folder) / "study.json").read_text(encoding="utf-8"))["runs"]
    (Path(folder) / "study.db").unlink()
    return found


def balance(velocity, wheels):
    """Friction forces and moment of contacts (x, y, direction, rim speed, load) for a velocity (vx, vy, yaw rate)."""
    force = [0.0, 0.0, 0.0]
    for x, y, direction, rim, load in wheels:
        slide_x = velocity[0] - velocity[2] * y - rim * math.cos(direction)
        slide_y = velocity[1] + velocity[2] * x - rim * math.sin(direction)
        speed = math.hypot(slide_x, slide_y, 1e-7)
        fx, fy = -load * slide_x / speed, -load * slide_y / speed
        force[0] += fx
        force[1] += fy
        force[2] += x * fy - y * fx
    return force


def coulomb_radius(wheels):
    """Radius of the circle on which the sliding forces balance: a mass with friction comes to that motion."""
    velocity = [0.029, 0.003, 0.007]
    for _ in range(200000):
        change = [gain * f for f, gain in zip(balance(velocity, wheels), (1e-7, 1e-7, 8e-7))]
        velocity = [v + c for v, c in zip(velocity, change)]
        if max(map(abs, change)) < AT_REST:
            break
    return math.hypot(velocity[0], velocity[1]) / velocity[2]


def contacts(end, side):
    """The four contacts at the end of a run, `side` further out than the middle of each wheel."""
    heading, found = math.radians(end["heading_deg"]), []
    for name in ("front_left", "front_right", "rear_left", "rear_right"):
        dx, dy = end[f"wheel_{name}.x_m"] - end["x_m"], end[f"wheel_{name}.y_m"] - end["y_m"]
        x, y = dx * math.cos(heading) + dy * math.sin(heading), dy * math.cos(heading) - dx * math.sin(heading)
        steer, out = math.radians(end[f"joint.steer_{name}.angle_deg"]), side * math.copysign(1, y)
        found.append((x - out * math.sin(steer), y + out * math.cos(steer), steer, 0.03, end[f"wheel_{name}.load_N"]))
    return found


def check_steering(program, folder):
    problems = []
    for angle in (15, 30):
        grouser(program, folder, "run", "steering", "--set", f"params.steer={angle}", "--set", "soil=none", "-o", "steering.run")
        with open(Path(folder) / "steering.run/run.csv", encoding="utf-8") as file:
            end = {k: float(v) for k, v in list(csv.DictReader(file))[-1].items() if v and k not in ("command_mode",) and not v[0].isalpha()}
        have = math.hypot(end["vx_m_per_s"], end["vy_m_per_s"]) / math.radians(end["wz_deg_per_s"])
        want = [coulomb_radius(contacts(end, side)) for side in (-THIRD, 0, THIRD)]
        print(f"steering {angle} deg: radius {have:.3f} m; balance of forces: {want[1]:.3f} m, {min(want):.3f} to {max(want):.3f} m")
        if not min(want) <= have <= max(want):
            problems.append(f"steering at {angle} deg: {have:.3f} m is not within {min(want):.3f} to {max(want):.3f} m")
    return problems


def check_wheel(program, folder, ready):
    problems = []
    kept = Path(ready) / "lightest_wheel.json" if ready else None
    if kept and kept.exists():
        table = json.loads(kept.read_text(encoding="utf-8"))["runs"]
    else:
        table = runs(program, folder, "optimize", "lightest_wheel")
    found = [r for r in table if r["slip"] <= 0.45 and r["torque_Nm"] <= 30]
    best = min(found, key=lambda r: r["mass_kg"])
    size = [f"params.{name}={best[f'rover:params.{name}']}" for name in ("wheel_radius", "wheel_width")]
    steady = json.loads(grouser(program, folder, "test", "gradeability", "viper_like", "--soil", "ishigami2007", "--set-soil", "lambda=0.3", "--gravity", "moon",
                                "--heading", "0", "--slopes", "20", "--set", size[0], "--set", size[1], "--set", f"params.wheel_mass={best['mass_kg']}", "--json"))["points"][0]
    for name, want in (("slip", steady["slip"]), ("torque_Nm", steady["torque_most_Nm"])):
        print(f"lightest wheel: {name} {best[name]:.4f}, steady {want:.4f}")
        if abs(best[name] / want - 1) > STEADY_TOLERANCE:
            problems.append(f"lightest wheel: {name} is {best[name]:.4f}, {want:.4f} in steady motion")
    shipped = CAMPAIGN.read_text(encoding="utf-8")
    grid = shipped[:shipped.index("optimize:")].replace("to: 0.35}", f"to: 0.35, count: {GRID}}}") + "sample: {method: grid}\n"
    (Path(folder) / "grid.yaml").write_text(grid, encoding="utf-8")
    lighter = [r for r in runs(program, folder, "sweep", "grid.yaml") if r["slip"] <= 0.45 and r["torque_Nm"] <= 30 and r["mass_kg"] < best["mass_kg"]]
    print(f"lightest wheel: {best['mass_kg']:.3f} kg, {len(lighter)} of {GRID * GRID} wheels of a grid are lighter")
    problems += [f"a wheel of {r['mass_kg']} kg keeps the limits, lighter than {best['mass_kg']}" for r in lighter]
    return problems


def main():
    program = str(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        problems = check_steering(program, folder) + check_wheel(program, folder, sys.argv[2] if len(sys.argv) > 2 else None)
    for problem in problems:
        print(f"studies: {problem}", file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
