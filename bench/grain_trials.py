#!/usr/bin/env python3
"""Runs CMU's plates and single-wheel trials (data/measurements) in grains, and scores them as docs/validation.md scores laws.

    bench/grain_trials.py -o DIR [--device cuda] [--jobs N] [--only smooth,grouser] [--minutes M] [--program PATH]

Friction and rolling resistance of the grains come from the plate of 60 mm alone (`grains calibrate`). Everything else is
predicted: the plate of 100 mm, the wheel that is pressed without rolling, and each trial of the rolling wheel, under the
load that was measured. Every answer is kept in DIR, from which an interrupted run, or one that --minutes has ended, goes
on. DIR/grains_SUBJECT.csv are the tables that data/measurements has.
"""

import argparse
import concurrent.futures
import csv
import datetime
import json
import math
import statistics
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MEASURED = ROOT / "data" / "measurements"
RADIUS, WIDTH = 0.058, 0.05
GROUSERS = {"smooth": None, "grouser": "24,0.005,0.002"}
GRAINS = """title: Stand-ins for the silica sand Soil Direct 90
diameter_m: {diameter}
spread: 0.2
young_Pa: {young}
restitution: 0.5
wall_friction: 0.4
wall_rolling: 0.2
"""
BEDS = {  # length, width, depth [m]
    "calibration": (0.24, 0.24, 0.1), "plates": (0.36, 0.36, 0.12), "track": (0.42, 0.2, 0.1),
    "wide": (0.42, 0.28, 0.12)}
DEPTH = 0.02  # to which plates are compared [m]


def rows_of(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def write_rows(path, rows, head=""):
    with open(path, "w", newline="", encoding="utf-8") as file:
        file.write(head)
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def presses(body):
    """Measured (depth, force) of each press of a body into the large box."""
    trials = {}
    for r in rows_of(MEASURED / "cmu_presses.csv"):
        if r["box"] == "large" and r["body"] == body:
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
        self.end = time.monotonic() + 60 * args.minutes

    def run(self, *words, group="grains"):
        args = self.args
        compute = ["--device", args.device, "-j", str(args.threads)] if group == "grains" else []
        done = subprocess.run([*args.program, group, *map(str, words), *compute], cwd=self.folder, check=False,
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(map(str, words))}: {done.stderr.strip()}")
        return done.stdout

    def kept(self, name, *words):
        """The JSON answer of a command, from its file if it is there."""
        path = self.folder / f"{name}.json"
        if not path.exists():
            answer = self.run(*words, "--json")
            path.write_text(answer, encoding="utf-8")
        return json.loads(path.read_text(encoding="utf-8"))

    def bed_file(self, kind, grains):
        length, width, depth = (x * self.args.scale for x in BEDS[kind])
        name = f"{kind}.yaml"
        (self.folder / name).write_text(
            f"grains: ./{grains}\nsize_m: [{length:.4g}, {width:.4g}, {2.2 * depth:.4g}]\ndepth_m: {depth:.4g}\n"
            f"seed: {1 + list(BEDS).index(kind)}\n", encoding="utf-8")
        return name

    def bed(self, kind):
        name = self.bed_file(kind, "grains.yaml")
        if not (self.folder / f"{kind}.grains").exists():
            (self.folder / f"{kind}_bed.json").unlink(missing_ok=True)
        self.kept(f"{kind}_bed", "prepare", name, "-o", f"{kind}.grains")
        return f"{kind}.grains"

    def calibrate(self):
        """Friction and rolling resistance from the smaller plate."""
        args = self.args
        start = GRAINS.format(diameter=args.diameter, young=args.young)
        (self.folder / "start.yaml").write_text(start, encoding="utf-8")
        write_rows(self.folder / "plate_60mm.csv",
                   [r for r in rows_of(MEASURED / "cmu_presses.csv") if r["body"] == "plate_60mm" and r["box"] == "large"
                    and float(r["depth_m"]) <= DEPTH + 1e-9])
        bed = self.bed_file("calibration", "start.yaml")
        return self.kept("calibration", "calibrate", bed, "--plates", "plate_60mm.csv", "--free",
                         "friction=0.2:1,rolling=0:0.5", "--runs", args.runs, "--speed", args.plate_speed,
                         "--csv", "calibration.csv", "-o", "grains.yaml")

    def pressed(self):
        """Forces of plates and of the wheel that does not roll, beside the means of their measured presses."""
        if (self.folder / "grains_presses.csv").exists():
            return [{k: v if k == "body" else float(v) for k, v in row.items()}
                    for row in rows_of(self.folder / "grains_presses.csv")]
        bed = self.bed("plates")
        common = ("--depth", DEPTH, "--speed", self.args.plate_speed, "--csv")
        self.kept("pressed_plates", "plate", bed, "--diameter", "0.06,0.1", *common, "plates.csv")
        self.run("wheel", "--radius", RADIUS, "--width", WIDTH, "--grousers", 0, "-o", "wheel.obj", group="asset")
        self.kept("pressed_wheel", "plate", bed, "--mesh", "wheel.obj", *common, "wheel.csv")
        rows = []
        for body, diameter, file in (("plate_60mm", 0.06, "plates.csv"), ("plate_100mm", 0.1, "plates.csv"),
                                     ("wheel_smooth", None, "wheel.csv")):
            computed = [(float(r["depth_m"]), float(r["force_N"])) for r in rows_of(self.folder / file)
                        if diameter is None or float(r["diameter_m"]) == diameter]
            for depth in (0.004, 0.006, 0.008, 0.01, 0.012, 0.014, 0.016, 0.018):
                near = [force for at, force in computed if abs(at - depth) < 0.001]
                real = [at_depth(trial, depth) for trial in presses(body)]
                rows.append({"body": body, "depth_m": depth, "force_N": round(statistics.mean(real), 2),
                             "sd_force_N": round(statistics.stdev(real), 2),
                             "grains_force_N": round(statistics.mean(near), 2)})
        write_rows(self.folder / "grains_presses.csv", rows, self.head("The presses of cmu_presses.csv"))
        return rows

    def head(self, what):
        """First lines of a table: where its numbers come from."""
        best = json.loads((self.folder / "calibration.json").read_text(encoding="utf-8"))["parameters"]
        values = ", ".join(f"{p['name']} {p['value']:.3g}" for p in best)
        return (f"# {what}, computed in grains of {1000 * self.args.diameter:g} mm by bench/grain_trials.py on "
                f"{datetime.date.today().isoformat()}:\n# {values}, from the plate of 60 mm alone.\n")

    @staticmethod
    def name(kind, row):
        return f"{kind}_{row['slip_angle_deg']}_{float(row['slip']):g}"

    @staticmethod
    def bed_of(row):
        return "track" if float(row["slip"]) > -1 and float(row["slip_angle_deg"]) < 20 else "wide"

    def trial(self, kind, row):
        """A trial as the rig drove it. The axle goes 0.22 m, or the rim 0.5 m; means are over the second half."""
        slip, angle = float(row["slip"]), math.radians(float(row["slip_angle_deg"]))
        args = self.args
        forward = math.cos(angle) / (1 - max(0, slip))  # of the rim, for each part of the axle's way
        travel, speed = min(0.5, 0.22 * forward) * args.scale, min(1, forward) * args.speed
        words = ["wheel", f"{self.bed_of(row)}.grains", "--radius", RADIUS, "--width", WIDTH, "--load", row["fz_N"], f"--slip={slip}",
                 f"--slip-angle={row['slip_angle_deg']}", "--travel", f"{travel:.5g}", "--speed", f"{speed:.5g}"]
        if GROUSERS[kind]:
            words += ["--grousers", GROUSERS[kind]]
        return self.kept(self.name(kind, row), *words)["points"][0]

    def wheel(self, kind):
        """All trials of a wheel that --minutes leaves time for, as rows of the measured table and of that in grains."""
        wanted = [row for row in rows_of(MEASURED / f"cmu_{kind}.csv")
                  if not self.args.angles or row["slip_angle_deg"] in self.args.angles.split(",")]

        def is_done(row):
            return (self.folder / f"{self.name(kind, row)}.json").exists()

        def run(row):
            return self.trial(kind, row) if is_done(row) or time.monotonic() < self.end else None

        for bed in sorted({self.bed_of(row) for row in wanted if not is_done(row)}):
            self.bed(bed)
        with concurrent.futures.ThreadPoolExecutor(self.args.jobs) as pool:
            points = list(pool.map(run, wanted))
        done = [(row, point) for row, point in zip(wanted, points) if point is not None]
        rows = [{"slip_angle_deg": row["slip_angle_deg"], "slip": row["slip"], "fx_N": round(point["fx_N"], 3),
                 "fy_N": round(point["fy_N"], 3), "fz_N": row["fz_N"],
                 "sinkage_mm": round(1000 * point["sinkage_m"], 3), "sd_fx_N": round(point["sd_fx_N"], 3)}
                for row, point in done]
        if rows:
            write_rows(self.folder / f"grains_{kind}.csv", rows, self.head(f"The trials of cmu_{kind}.csv"))
        return [row for row, _ in done], rows


def score(real, computed, key, scale):
    """Median and 90 % of the absolute errors, and the part of pairs that are ordered as measured."""
    value = [float(r[key]) for r in real]
    sd = [float(r["sd_" + key]) for r in real]
    found = [float(r[key]) for r in computed]
    errors = sorted(abs(f - v) / (1 if scale else float(r["fz_N"])) for f, v, r in zip(found, value, real))
    good = pairs = 0
    for i, a in enumerate(value):
        for j in range(i):
            if abs(a - value[j]) > 2 * math.hypot(sd[i], sd[j]):
                pairs += 1
                good += (a - value[j]) * (found[i] - found[j]) > 0
    return (f"median {statistics.median(errors):.3g}, 90 % {errors[math.ceil(0.9 * len(errors)) - 1]:.3g}, "
            f"{good} of {pairs} pairs ordered as measured")


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--program", default=str(ROOT / "build/release/bin/grouser"), help="words of a command line")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=0, help="of each command, on processors")
    parser.add_argument("--jobs", type=int, default=1, help="trials at a time")
    parser.add_argument("--minutes", type=float, default=1e6, help="after which no further trial begins")
    parser.add_argument("--diameter", type=float, default=0.003)
    parser.add_argument("--young", type=float, default=5e6)
    parser.add_argument("--runs", type=int, default=18, help="of the calibration")
    parser.add_argument("--plate-speed", type=float, default=0.1)
    parser.add_argument("--speed", type=float, default=0.3, help="of rim or axle, what is faster")
    parser.add_argument("--scale", type=float, default=1, help="of beds and travel, to try the script")
    parser.add_argument("--only", default="smooth,grouser")
    parser.add_argument("--angles", default="", help="slip angles, as 0,15,45; default: all")
    args = parser.parse_args()
    args.program = args.program.split()
    return args


def main():
    args = options()
    trials = Trials(args)
    print(trials.calibrate()["answer"], flush=True)
    for row in trials.pressed():
        print(f"{row['body']:12} {1000 * row['depth_m']:4.0f} mm: {row['force_N']:7.2f} N measured, "
              f"{row['grains_force_N']:7.2f} N in grains, x {row['grains_force_N'] / row['force_N']:.2f}", flush=True)
    for kind in args.only.split(","):
        real, computed = trials.wheel(kind)
        for m, g in zip(real, computed):
            print(f"{kind} {m['slip_angle_deg']:>2}° slip {m['slip']:>7}: pull {m['fx_N']:>7} measured, {g['fx_N']:7.2f} in "
                  f"grains; side {m['fy_N']:>6}, {g['fy_N']:6.2f} N; sinkage {m['sinkage_mm']:>6}, {g['sinkage_mm']:5.1f} mm")
        if computed:
            for key, text, scale in (("fx_N", "pull over load", False), ("fy_N", "side force over load", False),
                                     ("sinkage_mm", "sinkage [mm]", True)):
                print(f"{kind}, {len(real)} trials, {text}: {score(real, computed, key, scale)}", flush=True)


if __name__ == "__main__":
    main()
