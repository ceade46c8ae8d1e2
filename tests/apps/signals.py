#!/usr/bin/env python3
"""Commands that are stopped: by Ctrl-C, by SIGTERM, by a reader that closes the pipe.

    tests/apps/signals.py GROUSER SOURCE

A run ends with a whole summary, `interrupted`; a sweep keeps its rows and goes on to the same result; a map is there whole or not at
all; a closed pipe costs no file. And nothing that is no run is overwritten.
"""
import csv
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

GROUSER, SOURCE = sys.argv[1:3]
os.environ["GROUSER_DATA"] = os.path.join(SOURCE, "data")
LONG = "rover: rashid_like\nsoil: {use: ishigami2007, law: scm}\ndrive: {path: [[5000, 0]]}\nstop: {time_s: 50000}\n"
STUDY = ("run: {scenario: short.yaml}\nvary: {soil:phi: {from: 25, to: 40, count: 20}, soil:c: {from: 0, to: 500, count: 10}}\n"
         "measure: {distance_m: distance_m}\n")
SHORT = "rover: rashid_like\nsoil: ishigami2007\ndrive: {path: [[50, 0]]}\nstop: {time_s: 40}\n"


def check(good, what):
    if not good:
        sys.exit(f"FAILED: {what}")


def start(words):
    return subprocess.Popen([GROUSER] + words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for(condition, process, limit=60):
    """Until the condition holds while the process runs."""
    end = time.time() + limit
    while not condition():
        check(process.poll() is None, f"ended before it could be stopped: {process.args}: {process.stderr.read() if process.poll() is not None else ''}")
        check(time.time() < end, f"nothing to stop within {limit} s: {process.args}")
        time.sleep(0.02)


def size(path):
    return os.path.getsize(path) if os.path.exists(path) else 0


def stop_run(number):
    out = f"{number.name}.run"
    process = start(["run", "long.yaml", "-o", out])
    wait_for(lambda: size(f"{out}/run.csv") > 20000, process)
    process.send_signal(number)
    process.communicate(timeout=60)
    check(process.returncode == 1, f"run after {number.name}: exit code {process.returncode}")
    with open(f"{out}/summary.json", encoding="utf-8") as file:
        summary = json.load(file)
    check(summary["outcome"] == "interrupted" and summary["time_s"] > 0, f"run after {number.name}: {summary['outcome']}")
    with open(f"{out}/run.csv", encoding="utf-8", newline="") as file:
        text = file.read()
    table = list(csv.reader(text.splitlines()))
    check(text.endswith("\n") and len({len(row) for row in table}) == 1, f"run after {number.name}: a row was cut off")
    check(abs(float(table[-1][0]) - summary["time_s"]) < 1, f"run after {number.name}: rows and summary end at other times")
    for name in ("run.mcap", "report.html", "replay.html"):
        check(size(os.path.join(out, name)) > 1000, f"run after {number.name}: {name} is missing")


def rows(path):
    with sqlite3.connect(path) as db:
        return db.execute("SELECT key, outcome, distance_m FROM runs WHERE outcome IS NOT NULL ORDER BY key").fetchall()


def count_rows(path):
    try:
        return len(rows(path))
    except sqlite3.Error: # not made yet, or locked
        return 0


def stop_sweep(number, whole):
    path = f"{number.name}.db"
    process = start(["sweep", "study.yaml", "-o", path, "-j", "1"])  # slowly: several seconds, of which the first writes rows
    wait_for(lambda: count_rows(path) >= 3, process)
    process.send_signal(number)
    out, _ = process.communicate(timeout=60)
    check(process.returncode == 1 and "stopped" in out, f"sweep after {number.name}: exit code {process.returncode}: {out}")
    some = rows(path)
    check(0 < len(some) < len(whole), f"sweep after {number.name}: {len(some)} rows of {len(whole)}")
    done = subprocess.run([GROUSER, "sweep", "study.yaml", "-o", path, "-j", "2"], capture_output=True, text=True, check=False)
    check(done.returncode == 0, f"sweep continued: {done.stderr}")
    check(rows(path) == whole, "a sweep that was stopped and continued has other results")


def stop_light(number):
    process = start(["terrain", "light", "map.tif", "--azimuth", "90", "--elevation", "5", "-o", f"{number.name}.tif", "--azimuths", "720"])
    time.sleep(0.5)
    check(process.poll() is None, "terrain light ended before it could be stopped")
    process.send_signal(number)
    process.communicate(timeout=60)
    check(process.returncode in (1, -number), f"terrain light after {number.name}: exit code {process.returncode}")
    check(not os.path.exists(f"{number.name}.tif"), f"terrain light after {number.name}: left half a map")


def close_pipe():
    """The reader takes one byte and goes."""
    for words in (["run", "brief.yaml", "-o", "piped"], ["list", "soils"], ["wheel", "--soil", "ishigami2007", "--radius", "0.1", "--width", "0.1",
                  "--load", "20", "--json"], ["show", "rover", "rashid_like"]):
        with subprocess.Popen([GROUSER] + words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            process.stdout.close()
            process.wait(timeout=60)
        check(process.returncode in (0, 1, -signal.SIGPIPE), f"{words[0]} into a closed pipe: exit code {process.returncode}")
    with open("piped/summary.json", encoding="utf-8") as file:
        check(json.load(file)["outcome"] == "finished", "a closed pipe cost the run")


def keep_folder():
    """A folder with other files in it, and a file where a folder should be, stay as they are."""
    os.mkdir("thesis")
    for name in ("run.csv", "chapter.tex"):
        with open(os.path.join("thesis", name), "w", encoding="ascii") as file:
            file.write("mine\n")
    with open("file", "w", encoding="ascii") as file:
        file.write("mine\n")
    for words in (["run", "brief.yaml", "-o"], ["view", "brief.yaml", "--once", "--no-browser", "--port", "0", "--speed", "0", "-o"]):
        for place in ("thesis", "file"):
            done = subprocess.run([GROUSER] + words + [place], capture_output=True, text=True, check=False)
            check(done.returncode in (1, 2) and "error:" in done.stderr, f"{words[0]} -o {place}: exit code {done.returncode}: {done.stderr}")
    for name in ("thesis/run.csv", "thesis/chapter.tex", "file"):
        with open(name, encoding="ascii") as file:
            check(file.read() == "mine\n", f"{name} was overwritten")
    check(sorted(os.listdir("thesis")) == ["chapter.tex", "run.csv"], f"left in a folder that is no run: {os.listdir('thesis')}")


def main():
    with tempfile.TemporaryDirectory(prefix="grouser_signals_") as work:
        os.chdir(work)
        for name, text in (("long", LONG), ("study", STUDY), ("short", SHORT), ("brief", SHORT.replace("40}", "0.5}"))):
            with open(name + ".yaml", "w", encoding="ascii") as file:
                file.write(text)
        subprocess.run([GROUSER, "terrain", "generate", "--size", "400", "--cell", "0.5", "--add", "fractal", "--no-cache", "-o", "map.tif"],
                       check=True, capture_output=True)
        done = subprocess.run([GROUSER, "sweep", "study.yaml", "-o", "whole.db", "-j", "2"], capture_output=True, text=True, check=False)
        check(done.returncode == 0, f"sweep: {done.stderr}")
        whole = rows("whole.db")
        keep_folder()
        close_pipe()
        for number in (signal.SIGINT, signal.SIGTERM):
            stop_run(number)
            stop_sweep(number, whole)
            stop_light(number)
        os.chdir("/")
    print("stopped 6 commands, closed 4 pipes, kept 3 files")


if __name__ == "__main__":
    main()
