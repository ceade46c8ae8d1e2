#!/usr/bin/env python3
"""Drives the wheel of Kamohara et al. 2024, table 2, through their grains, and prints its traces beside theirs.

    bench/grain_traces.py -o DIR [--device cuda] [--diameter M] [--depth M] [--speed M/S] [--program PATH]

Rim of 160 mm with 14 grousers of 20 mm: 200 mm over their tips, which go as fast as the axle (slip -0.2 of the rim).
The bin is as long and wide as theirs, with walls. The bed and the answers are kept in DIR.
"""

import argparse
import csv
import json
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
THEIRS = ROOT / "data" / "measurements" / "ka24_traces.csv"
WHEEL = ("--radius", 0.08, "--width", 0.08, "--grousers", "14,0.02,0.003", "--slip=-0.2")
LENGTH, WIDTH = 0.65, 0.14  # of the bin [m]


def rows_of(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--program", default=str(ROOT / "build/release/bin/grouser"), help="words of a command line")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--diameter", type=float, default=0.002)
    parser.add_argument("--depth", type=float, default=0.075)
    parser.add_argument("--travel", type=float, default=0.4)
    parser.add_argument("--speed", type=float, default=0.3)
    args = parser.parse_args()
    folder = Path(args.output)
    folder.mkdir(parents=True, exist_ok=True)

    def run(name, *words):
        if not (folder / f"{name}.json").exists():
            done = subprocess.run([*args.program.split(), "grains", *map(str, words), "--device", args.device, "-j",
                                   str(args.threads), "--json"], cwd=folder, check=False, capture_output=True, text=True)
            if done.returncode != 0:
                raise SystemExit(f"{' '.join(map(str, words))}: {done.stderr.strip()}")
            (folder / f"{name}.json").write_text(done.stdout, encoding="utf-8")
        return json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))

    (folder / "bed.yaml").write_text(
        f"grains: toyoura_ka24\ndiameter_m: {args.diameter}\nsize_m: [{LENGTH}, {WIDTH}, {2.3 * args.depth:.4g}]\n"
        f"side_x: wall\nside_y: wall\ndepth_m: {args.depth}\n", encoding="utf-8")
    print(run("bed", "prepare", "bed.yaml", "-o", "bed.grains")["answer"], flush=True)
    print("| load [N] | trough, theirs | ours | crest, theirs | ours | mean, theirs | ours | crest to trough, theirs | "
          "ours [mm] | sinkage [mm] | pull [N] |\n|" + "---|" * 11)
    for row in rows_of(THEIRS):
        load = row["load_N"]
        point = run(f"load_{load}", "wheel", "bed.grains", *WHEEL, "--load", load, "--travel", args.travel, "--speed",
                    args.speed, "--trace", f"trace_{load}.csv", "--csv", f"wheel_{load}.csv")["points"][0]
        ours = rows_of(folder / f"trace_{load}.csv")[0]
        cells = [f"{float(row[k]):.3g} | {float(ours[k]):.1f}" for k in ("trough_mm", "crest_mm", "mean_mm", "amplitude_mm")]
        print(f"| {load} | " + " | ".join(cells) + f" | {1000 * point['sinkage_m']:.1f} | {point['fx_N']:.2f} |", flush=True)


if __name__ == "__main__":
    main()
