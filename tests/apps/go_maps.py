#!/usr/bin/env python3
"""Reachable goals are reached, and unreachable ones are named so: `grouser mission go` against many routes driven.

    tests/apps/go_maps.py GROUSER DATA

On the shipped map and on three that are generated, random pairs of start and goal are asked for. A pair whose answer
is not "arrives" is also driven along routes with random way-points, in the same world, until one arrives. A goal that
any drive reaches is reachable. Of these at least nine of ten must be reached, and none may be called unreachable. One
goal is inside a ring that no rover of this size gets over. With GROUSER_TEST_WHOLE more pairs and more routes.
"""

import csv
import json
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

WHOLE = bool(os.environ.get("GROUSER_TEST_WHOLE"))
PAIRS, ROUTES = (12, 40) if WHOLE else (1, 8)  # of each map, and driven for each pair at most
BATCH = 8  # routes that are driven before it is asked whether one has arrived
SHARE = 0.9
DISTANCE = 25, 60  # of start and goal [m]
GENERATED = {  # names of terms: grouser terrain generate --help
    "craters": ["craters:smallest_m=4,largest_m=20,density=2", "fractal:hurst=0.8,rms_m=0.05,lag_m=1,smallest_m=0.5"],
    "rough": ["fractal:hurst=0.7,rms_m=0.16,lag_m=1,smallest_m=0.5,largest_m=20"],
    "dunes": ["ripples:wavelength_m=12,height_m=1.4,wander=0.5", "fractal:hurst=0.8,rms_m=0.05,lag_m=1,smallest_m=0.5"],
}
RING = 9, 1.6  # radius and height of the ring [m], flanks of 1 : 1.2

SCENARIO = """
rover: {rover}
soil: mars_sand
gravity: mars
terrain: {{file: {file}{more}}}
drive: {{speed_mps: 0.15, path: [[0, 0]]}}
stop: {{stuck_s: 20}}
step: {{hub_travel_mm: 10, max_ms: 50}}
"""
MISSION = "run: {{scenario: {name}.yaml}}\nmission: {{go: {{from: {start}, to: {goal}, move_m: 0}}}}\n"
DRIVES = """
run: {{scenario: {name}.yaml}}
sample: {{method: table, table: {pair}.csv}}
measure: {{x: last(x_m), y: last(y_m), ok: succeeded}}
"""


def run(*command, codes=(0,)):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode not in codes:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def make_maps(grouser, data):
    """Name -> half of width and height [m]."""
    shutil.copy(data / "examples" / "dem.tif", "shipped.tif")
    boxes = {"shipped": (80, 60)}
    Path("shipped.yaml").write_text(SCENARIO.format(rover="mer_like", file="shipped.tif", more=""))
    for seed, (name, terms) in enumerate(GENERATED.items()):
        add = [word for term in terms for word in ("--add", term)]
        run(grouser, "terrain", "generate", "--size", "80,80", "--cell", "0.4", "--seed", seed + 3, "-o", f"{name}.tif", *add)
        Path(f"{name}.yaml").write_text(SCENARIO.format(rover="mer_like", file=f"{name}.tif", more=""))
        boxes[name] = (40, 40)
    radius, height = RING
    with open("ring.txt", "w") as file:
        for j in range(121):
            for i in range(121):
                off = abs(math.hypot(0.5 * i - 30, 0.5 * (120 - j) - 30) - radius)
                file.write(f"{max(0, height - max(0, off - 0.5) / 1.2):.3f} ")
            file.write("\n")
    Path("ring.yaml").write_text(SCENARIO.format(rover="mer_like", file="ring.txt", more=", pixel_m: 0.5"))
    return boxes


def choose_pair(rng, box):
    while True:
        start, goal = ([round(rng.uniform(-0.85 * half, 0.85 * half), 2) for half in box] for _ in range(2))
        if DISTANCE[0] <= math.dist(start, goal) <= DISTANCE[1]:
            return start, goal


def routes_of(rng, start, goal):
    """Straight, and with one to three way-points beside the line, in order along it."""
    yield [goal]
    dx, dy = goal[0] - start[0], goal[1] - start[1]
    for _ in range(ROUTES - 1):
        parts = sorted(rng.uniform(0.1, 0.9) for _ in range(rng.randint(1, 3)))
        offs = [rng.uniform(-0.5, 0.5) for _ in parts]
        yield [[round(start[0] + p * dx - o * dy, 2), round(start[1] + p * dy + o * dx, 2)] for p, o in zip(parts, offs)] + [goal]


def drive_batch(grouser, name, batch, start, routes, arrive):
    """How many of the routes arrive."""
    goal = routes[0][-1]
    with open(f"{batch}.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["start.x_m", "start.y_m", "start.heading_deg", "stop.time_s", "drive.path"])
        for route in routes:
            length = sum(math.dist(a, b) for a, b in zip([start] + route, route))
            heading = math.degrees(math.atan2(route[0][1] - start[1], route[0][0] - start[0]))
            table.writerow([*start, round(heading, 3), math.ceil(3 * length / 0.15), json.dumps(route)])
    Path(f"{batch}_all.yaml").write_text(DRIVES.format(name=name, pair=batch))
    run(grouser, "sweep", f"{batch}_all.yaml")
    run(grouser, "campaign", "export", f"{batch}_all.db", "-o", f"{batch}_all.csv")
    with open(f"{batch}_all.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(routes), rows
    return sum(row["ok"] == "1" and math.dist((float(row["x"]), float(row["y"])), goal) <= arrive for row in rows if row["x"])


def drive_many(grouser, rng, name, pair, start, goal, arrive):
    """Drives routes until one arrives: how many do, and how many were driven."""
    routes, arrived, driven = list(routes_of(rng, start, goal)), 0, 0
    while driven < ROUTES and arrived == 0:
        arrived = drive_batch(grouser, name, f"{pair}_{driven}", start, routes[driven : driven + BATCH], arrive)
        driven += BATCH
    return arrived, driven


def ask(grouser, name, pair, start, goal):
    Path(f"{pair}.yaml").write_text(MISSION.format(name=name, start=start, goal=goal))
    return json.loads(run(grouser, "mission", f"{pair}.yaml", "--json", codes=(0, 1)))


def main():
    grouser, data = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    rng = random.Random(36)
    reachable = reached = wrong = straight = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, box in make_maps(grouser, data).items():
            for k in range(PAIRS):
                pair = f"{name}{k}"
                start, goal = choose_pair(rng, box)
                answer = ask(grouser, name, pair, start, goal)
                said, direct = answer["answer"], answer["straight"]["arrived"]
                print(f"{pair}: {start} to {goal}: {said} (straight: {direct})", flush=True)
                straight += direct
                arrived = 1
                if said != "arrives":
                    arrived, driven = drive_many(grouser, rng, name, pair, start, goal, 0.8)
                    print(f"  {arrived} of {driven} routes arrive: {answer['text']}", flush=True)
                reachable += arrived > 0
                reached += said == "arrives"
                wrong += said == "no route" and arrived > 0
        start, goal = [8.0, 8.0], [30.0, 30.0]
        answer = ask(grouser, "ring", "ring0", start, goal)
        arrived, driven = drive_many(grouser, rng, "ring", "ring0", start, goal, 0.8)
        off = math.dist(answer["barrier"]["at_m"], goal)
        print(f"ring: {answer['answer']}; {arrived} of {driven} routes arrive; barrier {off:.1f} m from the goal")
        os.chdir("/")
    assert answer["answer"] == "no route" and arrived == 0, answer["text"]
    assert abs(off - RING[0]) < 3, answer["barrier"]
    print(f"{reached} of {reachable} reachable goals are reached, {straight} of them straight, {wrong} are called unreachable")
    assert reachable >= PAIRS, "too few goals can be reached to tell"
    assert reached >= SHARE * reachable and wrong == 0


main()
