#!/usr/bin/env python3
"""Runs CMU's single-wheel trials (data/measurements) in coarse grains, and scores them as docs/validation.md scores laws.

    bench/grain_trials.py -o DIR [--program PATH] [--diameter M] [--only smooth|grouser] [--slips A,B] [--angles A,B]

First come beds of grains with each pair of --friction and --rolling, into which plates of 60 and 100 mm are pushed: the
pair with the least error of the smaller plate is taken, and the larger one tells how well it holds. Then each trial
runs in one bed of these grains, under the load that was measured. Every result is kept in DIR, from which an
interrupted run goes on. Slip angles above 45 degrees and a locked wheel are beyond what `grains wheel` takes.
"""

import argparse
import csv
import json
import math
import statistics
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MEASURED = ROOT / "data" / "measurements"
RADIUS, WIDTH = 0.058, 0.05
GROUSERS = {"smooth": None, "grouser": "24,0.005,0.002"}
GRAINS = """title: Coarse stand-ins for Soil Direct 90
diameter_m: {diameter}
spread: 0.2
young_Pa: {young}
restitution: 0.5
friction: {friction}
rolling: {rolling}
wall_friction: {friction}
wall_rolling: {rolling}
"""
BED = "grains: ./{grains}\nsize_m: [{length}, {width}, {high}]\ndepth_m: {depth}\n"


def numbers(text):
    return [float(part) for part in text.split(",")]


def rows_of(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def presses(diameter):
    """Measured (depth, force) of each press of a plate into the large box."""
    trials = {}
    for r in rows_of(MEASURED / "cmu_presses.csv"):
        if r["box"] == "large" and r["diameter_m"] and float(r["diameter_m"]) == diameter:
            trials.setdefault(r["trial"], []).append((float(r["depth_m"]), float(r["force_N"])))
    return list(trials.values())


def at_depth(curve, depth):
    (a, low), (b, high) = next(pair for pair in zip(curve, curve[1:]) if pair[0][0] <= depth <= pair[1][0])
    return low + (high - low) * (depth - a) / (b - a)


class Trials:
    def __init__(self, args):
        self.args = args
        self.folder = Path(args.output)
        self.folder.mkdir(parents=True, exist_ok=True)

    def run(self, *words):
        command = [self.args.program, "grains", *map(str, words), "-j", "1"]
        return subprocess.run(command, cwd=self.folder, check=True, capture_output=True, text=True).stdout

    def kept(self, name, *words):
        """The JSON answer of a command, from its file if it is there."""
        path = self.folder / f"{name}.json"
        if not path.exists():
            path.write_text(self.run(*words, "--json"), encoding="utf-8")
        return json.loads(path.read_text(encoding="utf-8"))

    def bed(self, friction, rolling, kind, length, width):
        args = self.args
        name = f"{kind}_{friction:g}_{rolling:g}"
        grains = f"grains_{friction:g}_{rolling:g}.yaml"
        (self.folder / grains).write_text(GRAINS.format(
            diameter=args.diameter, young=args.young, friction=friction, rolling=rolling), encoding="utf-8")
        (self.folder / f"{name}.yaml").write_text(BED.format(
            grains=grains, length=length, width=width, high=2.2 * args.depth, depth=args.depth), encoding="utf-8")
        if not (self.folder / f"{name}.grains").exists():
            self.run("prepare", f"{name}.yaml", "-o", f"{name}.grains")
        return f"{name}.grains"

    def plates(self, friction, rolling):
        """Root mean square of the logarithms of computed over measured forces, of both plates."""
        bed = self.bed(friction, rolling, "plates", 0.24, 0.24)
        path = self.folder / (bed + ".csv")
        if not path.exists():
            self.run("plate", bed, "--diameter", "0.06,0.1", "--depth", 0.02, "--speed", 0.15, "--csv", path.name)
        errors = []
        for diameter in (0.06, 0.1):
            computed = [(float(r["depth_m"]), float(r["force_N"])) for r in rows_of(path)
                        if float(r["diameter_m"]) == diameter]
            logs = []
            for depth in (0.006, 0.01, 0.014, 0.018):
                real = statistics.mean(at_depth(trial, depth) for trial in presses(diameter))
                near = [force for at, force in computed if abs(at - depth) < 0.0015]
                logs.append(math.log(statistics.mean(near) / real))
            errors.append((math.sqrt(statistics.mean(x * x for x in logs)), statistics.mean(logs)))
        return errors

    def calibrate(self):
        best = None
        for friction in numbers(self.args.friction):
            for rolling in numbers(self.args.rolling):
                small, large = self.plates(friction, rolling)
                print(f"friction {friction:g}, rolling {rolling:g}: plate of 60 mm x {math.exp(small[1]):.2f} "
                      f"(error {small[0]:.2f}), of 100 mm x {math.exp(large[1]):.2f}", flush=True)
                if best is None or small[0] < best[0]:
                    best = (small[0], friction, rolling)
        return best[1:]

    def trial(self, kind, bed, row):
        slip, angle = float(row["slip"]), float(row["slip_angle_deg"])
        travel = self.args.travel * (2 if abs(slip) > 0.7 else 1)
        words = ["wheel", bed, "--radius", RADIUS, "--width", WIDTH, "--load", row["fz_N"], f"--slip={slip}",
                 f"--slip-angle={angle}", "--travel", travel, "--speed", self.args.speed]
        if GROUSERS[kind]:
            words += ["--grousers", GROUSERS[kind]]
        return self.kept(f"{kind}_{angle:g}_{slip:g}", *words)["points"][0]


def score(rows, key, scale):
    """Median and 90 % of the absolute errors, and the part of pairs that are ordered as measured."""
    errors = sorted(abs(r["grains_" + key] - r[key]) * (1 if scale else 1 / r["fz_N"]) for r in rows)
    good = pairs = 0
    for i, a in enumerate(rows):
        for b in rows[:i]:
            if abs(a[key] - b[key]) > 2 * math.hypot(a["sd_" + key], b["sd_" + key]):
                pairs += 1
                good += (a[key] - b[key]) * (a["grains_" + key] - b["grains_" + key]) > 0
    return {"median": errors[len(errors) // 2], "most_90": errors[math.ceil(0.9 * len(errors)) - 1],
            "ordered": f"{good} of {pairs}"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--program", default=str(ROOT / "build/release/bin/grouser"))
    parser.add_argument("--diameter", type=float, default=0.006)
    parser.add_argument("--young", type=float, default=5e6)
    parser.add_argument("--depth", type=float, default=0.08)
    parser.add_argument("--friction", default="0.3,0.5")
    parser.add_argument("--rolling", default="0.05,0.2")
    parser.add_argument("--travel", type=float, default=0.2)
    parser.add_argument("--speed", type=float, default=0.3)
    parser.add_argument("--only", choices=list(GROUSERS))
    parser.add_argument("--slips", default="-0.5,0,0.23,0.5,0.9", help="labels of the trials, to 0.03")
    parser.add_argument("--angles", default="0,15,45")
    args = parser.parse_args()
    args.program = str(Path(args.program).resolve())
    trials = Trials(args)
    friction, rolling = trials.calibrate()
    bed = trials.bed(friction, rolling, "wheel", 0.36, 0.17)
    done = []
    for kind in [args.only] if args.only else GROUSERS:
        for row in rows_of(MEASURED / f"cmu_{kind}.csv"):
            wanted = any(abs(float(row["label"]) - s) < 0.03 for s in numbers(args.slips))
            if not wanted or float(row["slip_angle_deg"]) not in numbers(args.angles):
                continue
            point = trials.trial(kind, bed, row)
            entry = {"kind": kind, **{k: float(v) for k, v in row.items()}, "grains_fx_N": point["fx_N"],
                     "grains_fy_N": point["fy_N"], "grains_sinkage_mm": 1000 * point["sinkage_m"],
                     "grains_sd_fx_N": point["sd_fx_N"]}
            done.append(entry)
            print(f"{kind} {entry['slip_angle_deg']:3g}° slip {entry['slip']:6.3f}: pull {entry['fx_N']:7.2f} measured, "
                  f"{point['fx_N']:7.2f} in grains; side {entry['fy_N']:6.2f}, {point['fy_N']:6.2f} N; sinkage "
                  f"{entry['sinkage_mm']:5.1f}, {1000 * point['sinkage_m']:5.1f} mm", flush=True)
            with open(trials.folder / "trials.csv", "w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, list(entry))
                writer.writeheader()
                writer.writerows(done)
    for key, text, scale in (("fx_N", "pull over load", False), ("fy_N", "side force over load", False),
                             ("sinkage_mm", "sinkage [mm]", True)):
        print(text, score(done, key, scale))


if __name__ == "__main__":
    main()
