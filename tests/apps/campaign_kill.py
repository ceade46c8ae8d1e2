#!/usr/bin/env python3
"""Campaigns survive what happens to processes: kill -9, a second writer, a full disk.

    tests/apps/campaign_kill.py GROUSER [--full-disk]

A campaign that was killed at twenty random moments and then finished has every run exactly once, with the values of one
that was left alone. --full-disk: on a file system of a few pages instead (needs the right to mount one; 77 if not).
"""

import contextlib
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CAMPAIGN = """
run: {scenario: gradeability, set: [stop.time_s=5]}
vary: {"soil:phi": {from: 25, to: 45}, start.heading_deg: {from: -180, to: 180}, gravity.tilt_deg: {from: 0, to: 30}}
sample: {method: sobol, count: %d}
measure: {slip: wheels.slip_mean, load: "max(*.load_N)", far: "last(x_m)"}
"""
KILLS = 20


def rows(path):
    """All runs without what depends on the clock, in the order of their ids."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.row_factory = sqlite3.Row
        table = [dict(row) for row in database.execute("SELECT * FROM runs ORDER BY id")]
    for row in table:
        del row["wall_s"], row["stepping_s"]
    return table


def sweep(grouser, folder, *options, check=True):
    done = subprocess.run([grouser, "sweep", "c.yaml", *options], cwd=folder, capture_output=True, text=True, check=False)
    if check and done.returncode != 0:
        sys.exit(f"sweep failed with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


def kill_often(grouser, folder):
    (folder / "c.yaml").write_text(CAMPAIGN % 250, encoding="utf-8")
    start = time.monotonic()
    sweep(grouser, folder, "-o", "whole.db")
    duration = time.monotonic() - start
    rng = random.Random(4)
    finished = []
    for _ in range(KILLS):
        process = subprocess.Popen([grouser, "sweep", "c.yaml", "-o", "killed.db"], cwd=folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        time.sleep(rng.uniform(0, 0.5 * duration))
        process.send_signal(signal.SIGKILL)
        process.wait()
        if (folder / "killed.db").exists():
            try:
                table = rows(folder / "killed.db")
            except sqlite3.OperationalError: # killed before the tables were there
                continue
            done = {row["key"]: row for row in table if row["outcome"] is not None}
            for key, row in finished[-1].items() if finished else []:
                assert done[key] == row, f"a finished run was lost or changed: {row}"
            finished.append(done)
    sweep(grouser, folder, "-o", "killed.db")
    whole, killed = rows(folder / "whole.db"), rows(folder / "killed.db")
    assert len(whole) == 250
    assert killed == whole, "a campaign that was killed differs from one that was not"
    counts = [len(done) for done in finished]
    print(f"killed {KILLS} times within {0.5 * duration:.2f} s each; finished runs in the study each time: {counts}")
    assert not list(folder.glob("*.shard")), "a merged shard was left behind"


def two_writers(grouser, folder):
    (folder / "c.yaml").write_text(CAMPAIGN % 2000, encoding="utf-8")
    first = subprocess.Popen([grouser, "sweep", "c.yaml", "-o", "two.db"], cwd=folder, stdout=subprocess.DEVNULL)
    for _ in range(100):
        if (folder / "two.db").exists():
            break
        time.sleep(0.02)
    time.sleep(0.2)
    second = sweep(grouser, folder, "-o", "two.db", check=False)
    assert second.returncode == 1, second.stdout + second.stderr
    assert f"process {first.pid} is writing this study" in second.stderr, second.stderr
    rows(folder / "two.db") # readers are welcome meanwhile
    first.send_signal(signal.SIGINT) # ends after the runs that are under way
    assert first.wait() == 1
    (folder / "c.yaml").write_text(CAMPAIGN % 10, encoding="utf-8")
    sweep(grouser, folder, "-o", "two.db")


def full_disk(grouser, folder):
    disk = folder / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", str(disk)], capture_output=True, check=False)
    if mounted.returncode != 0:
        print("no right to mount a small file system: skipped")
        sys.exit(77)
    try:
        (folder / "c.yaml").write_text(CAMPAIGN % 700, encoding="utf-8")
        sweep(grouser, folder, "-o", "whole.db")
        full = sweep(grouser, folder, "-o", "disk/full.db", check=False)
        assert full.returncode == 1, f"{full.returncode}: the disk was not full; {full.stdout}"
        assert "full" in full.stderr or "space" in full.stderr, full.stderr
        print(full.stderr.strip())
        subprocess.run(["mount", "-o", "remount,size=8m", str(disk)], check=True)
        sweep(grouser, folder, "-o", "disk/full.db", "--resume")
        assert rows(disk / "full.db") == rows(folder / "whole.db"), "results differ after a full disk"
    finally:
        subprocess.run(["umount", str(disk)], check=False)


def main():
    grouser = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="grouser_campaign_") as name:
        folder = Path(name)
        if "--full-disk" in sys.argv:
            full_disk(grouser, folder)
        else:
            kill_often(grouser, folder)
            two_writers(grouser, folder)


main()
