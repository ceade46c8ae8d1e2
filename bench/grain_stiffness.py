#!/usr/bin/env python3
"""Measures what the reduced stiffness of grains does to repose, plates and wheels, as the table of docs/grains.md.

    bench/grain_stiffness.py [--program PATH] [--young A,B,..] [--seeds N] [--diameter M] [--jobs N]

Every case runs in beds of several seeds, so that the differences stand beside the scatter from bed to bed. The time of a
case grows with the root of the modulus.
"""

import argparse
import concurrent.futures
import json
import math
import statistics
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BED = "grains: ./grains.yaml\nsize_m: [{size}, 0.1, 0.12]\ndepth_m: {depth}\nseed: {seed}\n"
HEAP = "grains: ./grains.yaml\nsize_m: [0.24, 0.05, 0.2]\ndepth_m: 0.06\nseed: {seed}\n"
GRAINS = "diameter_m: {diameter}\nyoung_Pa: {young}\nfriction: 0.5\nrolling: 0.1\nwall_friction: 0.5\nwall_rolling: 0.1\n"


def one(args, young, seed):
    """Repose [deg], pressure of a plate and its mean over the depth [kPa], pull and sinkage of a wheel, overlap."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)

        def run(*words):
            done = subprocess.run([*args.program, "grains", *map(str, words), "-j", "1", "--json"], cwd=place, check=True,
                                  capture_output=True, text=True)
            return json.loads(done.stdout)

        (place / "grains.yaml").write_text(GRAINS.format(diameter=args.diameter, young=young), encoding="utf-8")
        (place / "heap.yaml").write_text(HEAP.format(seed=seed), encoding="utf-8")
        (place / "bed.yaml").write_text(BED.format(size=0.2, depth=0.04, seed=seed), encoding="utf-8")
        run("prepare", "bed.yaml", "-o", "bed.grains")
        repose = run("repose", "heap.yaml", "--speed", 0.1)
        plate = run("plate", "bed.grains", "--diameter", 0.05, "--depth", 0.012, "--speed", 0.1, "--csv", "press.csv")
        rows = (place / "press.csv").read_text(encoding="utf-8").split()[1:]
        mean = statistics.mean(float(row.split(",")[4]) for row in rows) / (math.pi / 4 * 0.05**2)
        wheel = run("wheel", "bed.grains", "--radius", 0.04, "--width", 0.04, "--load", 4, "--slip", 0.4, "--travel", 0.1,
                    "--speed", 0.3)["points"][0]
        return {"repose": repose["angle_deg"], "mean plate pressure": mean / 1000, "pull over load": wheel["fx_N"] / 4,
                "sinkage": 1000 * wheel["sinkage_m"], "torque": wheel["torque_Nm"],
                "bulk density": plate["bed"]["bulk_density_kg_per_m3"],
                "overlap": plate["bed"]["largest_overlap"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--program", default=str(ROOT / "build/release/bin/grouser"), help="words of a command line")
    parser.add_argument("--young", default="1e6,5e6,2e7,8e7")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--diameter", type=float, default=0.006)
    parser.add_argument("--jobs", type=int, default=1, help="beds at a time")
    args = parser.parse_args()
    args.program = args.program.split()
    modules = [float(part) for part in args.young.split(",")]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        beds = [[pool.submit(one, args, young, seed + 1) for seed in range(args.seeds)] for young in reversed(modules)]
        for young, work in zip(modules, reversed(beds)):
            found = [w.result() for w in work]
            cells = []
            for key in found[0]:
                values = [f[key] for f in found]
                error = statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan
                cells.append(f"{key} {statistics.mean(values):.4g} ± {error:.2g}")
            print(f"{young:g} Pa: " + ", ".join(cells), flush=True)


if __name__ == "__main__":
    main()
