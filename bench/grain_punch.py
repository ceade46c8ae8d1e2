#!/usr/bin/env python3
"""A long flat punch in grains against the bearing capacity that their own friction gives.

    bench/grain_punch.py [--program PATH] [--diameter M] [--wide N] [--friction MU] [--smooth] [--seeds N] [--young PA]

The strip is N grains wide and spans 95 % of a periodic bin, so that the state is plane. Its pressure is held against
p = γ (B/2 Nγ + z Nq) (exact Nγ of Martin 2005 for associated flow, Reissner's Nq), with the angle whose tangent is the
mean shear stress over the pressure of an annulus with blades in the same grains, under the mean pressure of the punch.
That angle is the one that Davis (1968) puts into limit loads of soils which dilate less than associated ones.
"""

import argparse
import csv
import json
import math
import statistics
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GRAINS = ("diameter_m: {d}\nspread: 0.3\nyoung_Pa: {young}\nfriction: {mu}\nrolling: {roll}\nwall_friction: {mu}\n"
          "wall_rolling: {roll}\n")
BED = "grains: ./grains.yaml\nsize_m: [{x}, {y}, {z}]\ndepth_m: {depth}\nseed: {seed}\n"
#: Martin (2005), "Exact bearing capacity calculations using the method of characteristics": degrees, smooth, rough.
N_GAMMA = [(5, 0.08446, 0.1134), (10, 0.2809, 0.4332), (15, 0.6991, 1.181), (20, 1.579, 2.839), (25, 3.461, 6.491),
           (30, 7.653, 14.75), (35, 17.58, 34.48), (40, 43.19, 85.57)]
TO = (0.04, 0.12)  # of the width: where the curve is compared, beyond the rise of the first contact


def n_gamma(degrees, smooth):
    column = 1 if smooth else 2
    (a, b) = next(p for p in zip(N_GAMMA, N_GAMMA[1:]) if p[0][0] <= degrees <= p[1][0])
    part = (degrees - a[0]) / (b[0] - a[0])
    return math.exp(math.log(a[column]) * (1 - part) + math.log(b[column]) * part)


def box(length, width, high):
    text = "".join(f"v {x} {y} {z}\n" for z in (0, high) for y in (0, width) for x in (0, length))
    faces = ((1, 3, 4), (1, 4, 2), (5, 6, 8), (5, 8, 7), (1, 2, 6), (1, 6, 5), (2, 4, 8), (2, 8, 6), (4, 3, 7), (4, 7, 8),
             (3, 1, 5), (3, 5, 7))
    return text + "".join("f %d %d %d\n" % f for f in faces)


def case(args, seed):
    d, wide = args.diameter, args.wide * args.diameter
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)

        def run(*words):
            done = subprocess.run([args.program, "grains", *map(str, words), "-j", "1", "--json"], cwd=place, check=True,
                                  capture_output=True, text=True)
            return json.loads(done.stdout)

        def rows(name):
            with open(place / name, encoding="utf-8") as file:
                return list(csv.DictReader(file))

        (place / "grains.yaml").write_text(GRAINS.format(d=d, young=args.young, mu=args.friction, roll=args.rolling),
                                           encoding="utf-8")
        depth, across = 1.5 * wide, 6 * d
        (place / "strip.yaml").write_text(BED.format(x=6 * wide, y=across, z=3.2 * depth, depth=depth, seed=seed),
                                          encoding="utf-8")
        (place / "ring.yaml").write_text(BED.format(x=26 * d, y=26 * d, z=40 * d, depth=13 * d, seed=seed), encoding="utf-8")
        (place / "strip.obj").write_text(box(wide, 0.949 * across, wide), encoding="utf-8")
        words = ["plate", "strip.yaml", "--mesh", "strip.obj", "--depth", TO[1] * wide, "--speed", args.speed, "--csv",
                 "strip.csv"] + (["--friction", 0, "--rolling", 0] if args.smooth else [])
        density = run(*words)["bed"]["bulk_density_kg_per_m3"]
        unit = density * 9.81
        curve = [(float(r["depth_m"]), float(r["force_N"]) / (wide * across)) for r in rows("strip.csv")]
        used = [(z, p) for z, p in curve if z >= TO[0] * wide]
        pressure = statistics.mean(p for _, p in used)
        run("shear", "ring.yaml", "--annulus", f"{8 * d},{22 * d}", "--pressures", pressure, "--travel", 5 * d, "--speed",
            args.speed, "--csv", "shear.csv")
        shear = [float(r["shear_stress_Pa"]) for r in rows("shear.csv")]
        ratio = statistics.mean(shear[len(shear) // 3:]) / pressure
        angle = math.degrees(math.atan(ratio))
        n_q = math.exp(math.pi * ratio) * math.tan(math.pi / 4 + math.atan(ratio) / 2) ** 2
        theory = statistics.mean(unit * (wide / 2 * n_gamma(angle, args.smooth) + z * n_q) for z, _ in used)
        print(f"seed {seed}: {density:.0f} kg/m³, annulus {angle:.1f}° under {pressure:.0f} Pa, Nγ "
              f"{n_gamma(angle, args.smooth):.2f}, Nq {n_q:.2f}; {pressure / (unit * wide / 2):.2f} γB/2 in grains, "
              f"{theory / (unit * wide / 2):.2f} predicted, ratio {pressure / theory:.3f}; curve over γB/2: "
              + " ".join(f"{p / (unit * wide / 2):.2f}" for _, p in curve), flush=True)
        return pressure / theory


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--program", default=str(ROOT / "build/release/bin/grouser"))
    parser.add_argument("--diameter", type=float, default=0.004)
    parser.add_argument("--wide", type=float, default=15)
    parser.add_argument("--friction", type=float, default=0.3)
    parser.add_argument("--rolling", type=float, default=0.02)
    parser.add_argument("--young", type=float, default=5e6)
    parser.add_argument("--speed", type=float, default=0.05)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--smooth", action="store_true")
    parser.add_argument("--within", type=float, help="fail where the mean ratio is farther from 1")
    args = parser.parse_args()
    args.program = str(Path(args.program).resolve())
    ratios = [case(args, seed + 1) for seed in range(args.seeds)]
    mean = statistics.mean(ratios)
    print(f"mean ratio {mean:.3f} of {len(ratios)} beds")
    if args.within is not None and abs(mean - 1) > args.within:
        raise SystemExit(f"not within {args.within:g}")


if __name__ == "__main__":
    main()
