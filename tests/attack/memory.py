#!/usr/bin/env python3
"""Commands whose memory runs out: in each process one allocation fails, each time another.

    tests/attack/memory.py GROUSER SOURCE LIBRARY [--count N] [--seed N] [--only WORDS]

LIBRARY is made from fail_malloc.c. A command that was refused memory may do without it, and then writes the very bytes that it
writes otherwise; or it ends with 1 or 2, says that memory ran out, and leaves no file that looks whole. All else is a finding: a
signal, another cause, other bytes, blocks that nobody freed. Crashes inside libfyaml, which does not look whether it got its
input's memory, are counted apart. Prints a table; the exit code is 1 after a finding.
"""
import argparse
import concurrent.futures
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

LIMIT = 60  # [s]
INSIDE = "ended inside a library"
SHORT = "rover: rashid_like\nsoil: ishigami2007\ndrive: {path: [[5, 0]]}\nstop: {time_s: 0.1}\n"
GRID = "rover: rashid_like\nsoil: {use: ishigami2007, law: scm}\nstop: {time_s: 0.02}\nterrain: {rocks: {k: 0.05, smallest_m: 0.1}, size_m: 20}\n"
# {o} is a new folder for what the command writes; the names are what it writes there, and what must not differ.
COMMANDS = {
    "run": (["run", "{w}/short.yaml", "-o", "{o}/run"], ["run/run.csv", "run/run.mcap"]),
    "run, law scm and rocks": (["run", "{w}/grid.yaml", "-o", "{o}/run", "--ruts"], ["run/run.csv", "run/ruts.bin"]),
    "check": (["check", "{w}/short.yaml"], []),
    "check a rover in URDF": (["check", "{s}/data/rovers/urdf_example/pebble.urdf"], []),
    "show rover": (["show", "rover", "rashid_like", "--svg", "{o}/rover.svg"], ["rover.svg"]),
    "show soil": (["show", "soil", "ishigami2007", "--html", "{o}/soil.html"], ["soil.html"]),
    "wheel": (["wheel", "--soil", "ishigami2007", "--radius", "0.1", "--width", "0.1", "--load", "20", "--slip", "0:0.4:3",
               "--html", "{o}/wheel.html"], ["wheel.html"]),
    "test drawbar": (["test", "drawbar", "rashid_like", "--pulls", "0", "--html", "{o}/test.html"], ["test.html"]),
    "fit soil": (["fit", "soil", "--data", "{s}/data/measurements/cmu_smooth.csv", "--radius", "0.058", "--width", "0.05", "--free",
                  "phi", "--evaluations", "0", "-o", "{o}/fit.yaml"], ["fit.yaml"]),
    "asset rock": (["asset", "rock", "--kind", "noise", "-o", "{o}/rock.obj"], ["rock.obj"]),
    "terrain generate": (["terrain", "generate", "--size", "12", "--cell", "0.5", "--add", "fractal", "--no-cache", "-o", "{o}/map.tif"],
                         ["map.tif"]),
    "terrain info": (["terrain", "info", "{w}/map.tif", "--png", "{o}/map.png"], ["map.png"]),
    "terrain export": (["terrain", "export", "{w}/map.tif", "-o", "{o}/map.glb", "--resolution", "0.5"], ["map.glb"]),
    "terrain light": (["terrain", "light", "{w}/map.tif", "-o", "{o}/light.tif", "--azimuth", "90", "--elevation", "5",
                       "--azimuths", "8", "--threads", "1"], ["light.tif"]),
    "sweep": (["sweep", "{s}/tests/apps/campaign_small.yaml", "-o", "{o}/c.db"], []),
    "campaign export": (["campaign", "export", "{w}/c.db", "-o", "{o}/c.csv"], ["c.csv"]),
    "export fmu": (["export", "fmu", "{w}/short.yaml", "-o", "{o}/run.fmu"], []),
}


class Command:
    def __init__(self, options, work, name):
        self.options, self.work, self.name = options, work, name
        self.line, self.files = COMMANDS[name]
        self.libraries = name.startswith("check")  # the allocations of libfyaml and libxml2, too

    def start(self, at):
        """Runs it with the allocation `at` failing; None: with none."""
        out = tempfile.mkdtemp(prefix="out_", dir=self.work)
        count = os.path.join(out, "allocations")
        line = [a.format(o=out, w=self.work, s=self.options.source) for a in self.line]
        environment = dict(os.environ, LD_PRELOAD=self.options.library, GROUSER_FAIL_COUNT=count)
        if not self.libraries:
            environment["GROUSER_FAIL_OWN"] = "1"
        if at is not None:
            environment["GROUSER_FAIL_AT"] = str(at)
        done = subprocess.run([self.options.grouser] + line, capture_output=True, timeout=LIMIT, check=False, cwd=out, env=environment)
        try:
            with open(count, encoding="ascii") as file:
                total, left = map(int, file.read().split())
        except (OSError, ValueError):
            total, left = 0, 0
        return done, out, total, left

    def measure(self):
        done, self.whole, self.total, self.left = self.start(None)
        if done.returncode != 0 or self.total < 5:
            sys.exit(f"{self.name}: {' '.join(self.line)}: {done.returncode} with {self.total} allocations: {done.stderr.decode()}")

    def fault(self, at):
        """What is wrong with the way the command ends without that allocation; None: nothing."""
        try:
            done, out, total, left = self.start(at)
        except subprocess.TimeoutExpired:
            return f"more than {LIMIT} s"
        fault = self.judge(done, out, total, left)
        shutil.rmtree(out)
        return fault

    def judge(self, done, out, total, left):
        said = done.stderr.decode(errors="replace")
        if self.libraries and done.returncode == -11:
            return INSIDE
        if done.returncode not in (0, 1, 2):
            return f"ended with {done.returncode}: {said[-300:]}"
        if done.returncode != 0 and not re.search(r"memory", said, re.IGNORECASE):
            return f"does not say that memory ran out: {said[-300:]}"
        for name in self.files:
            path = os.path.join(out, name)
            whole = self.is_same(name, path) if os.path.exists(path) else True
            if done.returncode != 0 and not whole and not self.is_marked(out) and os.path.basename(name) not in said:
                return f"left {name}: {said[-300:]}"
            if done.returncode == 0 and not self.is_same(name, path):
                return f"wrote another {name}: {said[-300:]}"
        if left > self.left and not self.libraries:  # those leak where they run out
            return f"leaves {left} blocks and not {self.left}: {said[-300:]}"
        return None

    def is_same(self, name, path):
        try:
            with open(path, "rb") as a, open(os.path.join(self.whole, name), "rb") as b:
                return a.read() == b.read()
        except OSError:
            return False

    @staticmethod
    def is_marked(out):
        """A run may leave what it had, if its summary says that it ended early, or if there is none."""
        summary = os.path.join(out, "run", "summary.json")
        if not os.path.isdir(os.path.join(out, "run")):
            return False
        if not os.path.exists(summary):
            return True
        with open(summary, encoding="utf-8") as file:
            return json.load(file)["outcome"] in ("failed", "interrupted", "running")


def prepare(options, work):
    for name, text in (("short", SHORT), ("grid", GRID)):
        with open(os.path.join(work, name + ".yaml"), "w", encoding="ascii") as file:
            file.write(text)
    for line in (["terrain", "generate", "--size", "12", "--cell", "0.5", "--add", "fractal", "--no-cache", "-o", "map.tif"],
                 ["run", "short.yaml", "-o", "run"], ["sweep", os.path.join(options.source, "tests/apps/campaign_small.yaml"), "-o", "c.db"]):
        subprocess.run([options.grouser] + line, check=True, capture_output=True, cwd=work)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("grouser")
    parser.add_argument("source")
    parser.add_argument("library")
    parser.add_argument("--count", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    os.environ["GROUSER_DATA"] = os.path.join(options.source, "data")
    work = tempfile.mkdtemp(prefix="grouser_memory_")
    prepare(options, work)
    rng = random.Random(options.seed)
    bad = 0
    print("| command | allocations | failed once | findings | ended inside a library |\n|---|---|---|---|---|")
    for name in COMMANDS:
        if options.only not in name:
            continue
        command = Command(options, work, name)
        command.measure()
        chosen = sorted(rng.sample(range(command.total), min(options.count, command.total)))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            faults = [(at, fault) for at, fault in zip(chosen, pool.map(command.fault, chosen)) if fault is not None]
        inside = sum(fault == INSIDE for _, fault in faults)
        faults = [(at, fault) for at, fault in faults if fault != INSIDE]
        print(f"| `{name}` | {command.total} | {len(chosen)} | {len(faults)} | {inside} |", flush=True)
        for at, fault in faults:
            print(f"GROUSER_FAIL_AT={at} grouser {' '.join(command.line)}: {fault}")
        bad += len(faults)
    shutil.rmtree(work)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
