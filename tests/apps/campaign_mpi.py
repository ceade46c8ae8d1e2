#!/usr/bin/env python3
"""Campaigns over several processes by MPI: the same study as one process, also when a process is killed on the way.

    tests/apps/campaign_mpi.py GROUSER

Ends with 77 (skipped) where mpirun is not installed.
"""

import contextlib
import os
import shutil
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
# Legs that all processes drive, then routes that depend on them.
TRAVERSE = """
run: {scenario: gradeability, set: ["drive={speed_mps: 0.1, path: [[2, 0]]}", "gravity={body: moon, tilt_deg: 5}"]}
vary: {"soil:phi": {from: 30, to: 40}}
sample: {method: sobol, count: 2}
mission: {traverse: {cell_m: 2, area: [0, 0, 6, 4], directions: 4, from: [1, 1], to: [5, 3], routes: [energy]}}
"""
SENSITIVITY = """
run: {scenario: gradeability, set: [stop.time_s=2]}
vary: {"soil:phi": {from: 25, to: 45}, gravity.tilt_deg: {from: 0, to: 20}}
sample: {method: sobol}
sensitivity: {method: morris, count: 6}
measure: {slip: wheels.slip_mean}
"""
# Open MPI refuses root, which tests in containers are, unless it is told twice.
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def rows(path):
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.row_factory = sqlite3.Row
        table = [dict(row) for row in database.execute("SELECT * FROM runs ORDER BY id")]
    for row in table:
        del row["wall_s"], row["stepping_s"]
    return table


def ranks_of(grouser, study):
    """Process ids of the ranks above 0 that work on a study."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            variables = (folder / "environ").read_bytes().split(b"\0")
        except OSError: # no process, or not ours, or gone
            continue
        if words[0] == grouser.encode() and study.encode() in words and b"OMPI_COMM_WORLD_RANK=0" not in variables:
            found.append(int(folder.name))
    return found


def main():
    grouser = os.path.abspath(sys.argv[1])
    if shutil.which("mpirun") is None:
        print("mpirun is not installed: skipped")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="grouser_mpi_") as name:
        folder = Path(name)

        def run(command, **more):
            done = subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=120,
                                  check=False, **more)
            if done.returncode != 0:
                sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
            return done

        (folder / "c.yaml").write_text(CAMPAIGN % 300, encoding="utf-8")
        run([grouser, "sweep", "c.yaml", "-o", "one.db"])
        whole = rows(folder / "one.db")
        for ranks, threads in ((2, 1), (3, 2)):
            study = f"mpi_{ranks}.db"
            run(["mpirun", "--oversubscribe", "-np", str(ranks), grouser, "sweep", "c.yaml", "-o", study, "-j", str(threads)])
            assert rows(folder / study) == whole, f"{ranks} processes give another study than one"
        (folder / "t.yaml").write_text(TRAVERSE, encoding="utf-8")
        run([grouser, "mission", "t.yaml", "-o", "t_one.db"])
        run(["mpirun", "--oversubscribe", "-np", "2", grouser, "mission", "t.yaml", "-o", "t_mpi.db"])
        assert rows(folder / "t_mpi.db") == rows(folder / "t_one.db"), "two processes give another map than one"
        # An analysis: its numbers are those of one process.
        (folder / "s.yaml").write_text(SENSITIVITY, encoding="utf-8")
        one = run([grouser, "sensitivity", "s.yaml", "-o", "s_one.db", "--json"]).stdout
        two = run(["mpirun", "--oversubscribe", "-np", "2", grouser, "sensitivity", "s.yaml", "-o", "s_mpi.db", "--json"]).stdout
        assert two == one and '"measures"' in one, f"two processes give other indices than one:\n{one}\n{two}"
        assert rows(folder / "s_mpi.db") == rows(folder / "s_one.db"), "two processes give another study than one"
        # A search says that it needs one process, and leaves nothing behind.
        (folder / "o.yaml").write_text(SENSITIVITY + "optimize: {minimize: slip}\n", encoding="utf-8")
        refused = subprocess.run(["mpirun", "--oversubscribe", "-np", "2", grouser, "optimize", "o.yaml"], cwd=folder,
                                 env=ENVIRONMENT, capture_output=True, text=True, timeout=60, check=False)
        assert refused.returncode != 0 and "optimize runs in one process" in refused.stderr, refused
        assert not (folder / "o.db").exists()
        # A process that is killed: its rows are run by others, and the campaign ends by itself.
        (folder / "c.yaml").write_text(CAMPAIGN % 1500, encoding="utf-8")
        study = f"killed_{os.getpid()}.db"
        campaign = subprocess.Popen(["mpirun", "--oversubscribe", "--enable-recovery", "-np", "3", grouser, "sweep", "c.yaml",
                                     "-o", study], cwd=folder, env=ENVIRONMENT, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            for _ in range(200):
                time.sleep(0.05)
                if len(ranks_of(grouser, study)) == 2 and (folder / f"{study}.shard").exists():
                    break
            time.sleep(0.5)
            victims = ranks_of(grouser, study)
            assert len(victims) == 2, victims
            os.kill(victims[0], signal.SIGKILL)
            campaign.wait(timeout=120)
        finally:
            for rank in ranks_of(grouser, study):
                os.kill(rank, signal.SIGKILL)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(campaign.pid, signal.SIGKILL)
        run([grouser, "sweep", "c.yaml", "-o", "one.db"])
        killed = rows(folder / study)
        assert len(killed) == 1500 and all(row["outcome"] is not None for row in killed), "runs of the killed process are missing"
        by_key = {row["key"]: row for row in rows(folder / "one.db")}
        for row in killed:
            other = dict(by_key[row["key"]], id=row["id"])
            assert other == row, f"a run differs: {row}"
        print(f"2 and 3 processes: {len(whole)} equal runs; one of three killed: all {len(killed)} runs are there")


main()
