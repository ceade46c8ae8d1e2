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
# Missions of every kind: legs, then routes and pairs that depend on them; places; ramps.
MISSIONS = {"traverse": """
run: {scenario: gradeability, set: ["drive={speed_mps: 0.1, path: [[2, 0]]}", "gravity={body: moon, tilt_deg: 5}"]}
vary: {"soil:phi": {from: 30, to: 40}}
sample: {method: sobol, count: 2}
mission: {traverse: {cell_m: 2, area: [0, 0, 6, 4], directions: 4, from: [1, 1], to: [5, 3], routes: [energy, time],
                      pairs: 3}}
""", "placement": """
run:
  placement:
    lander: kazachok_like
    terrain: {size_m: 40, add: [{fractal: {hurst: 0.8, rms_m: 0.2, lag_m: 1}}]}
sample: {method: random, count: 40, seed: 1}
mission: {placement: {limits: {tilt_deg: {below: 12}, clearance_m: {above: 0.1}}}}
""", "egress": """
run: {scenario: leave_lander, set: [stop.time_s=2]}
vary: {lander.heading_deg: {from: 0, to: 360}}
compare: {lander.ramp: [front, left]}
sample: {method: sobol, count: 3}
mission: {egress: {}}
measure: {tilt_deg: lander.tilt_deg, distance_m: distance_m}
"""}
SENSITIVITY = """
run: {scenario: gradeability, set: [stop.time_s=2]}
vary: {"soil:phi": {from: 25, to: 45}, gravity.tilt_deg: {from: 0, to: 20}}
sample: {method: sobol}
sensitivity: {method: morris, count: 6}
measure: {slip: wheels.slip_mean}
"""
# Points that the search alone knows, in small batches; several variables, also whole numbers; noise and its repeats.
SEARCHES = {"cmaes": """
run: {scenario: gradeability, set: [stop.time_s=%g]}
vary: {"soil:phi": {from: 25, to: 45}, gravity.tilt_deg: {from: 0, to: 20}, "soil:c": {from: 0, to: 1000}}
measure: {miss: "(wheels.slip_mean - 0.1)^2 + ({soil:c}/1000 - 0.3)^2", far: "last(x_m)"}
optimize: {minimize: miss, limits: {far: {above: 0.02}}, budget: %d, population: 12}
""", "nsga2": """
run: {function: {f: "x", g: "(1 + 9*y)*(1 - sqrt(x/(1 + 9*y))) + n"}}
vary: {x: {from: 0, to: 1}, y: {from: 0, to: 1}, n: {from: 0, to: 3, integer: true}}
optimize: {minimize: [f, g], budget: 400, population: 20}
"""}
# Open MPI refuses root, which tests in containers are, unless it is told twice.
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
KILLED_RUNS = 400  # a second or more for two processes: enough to kill one on the way
MPIRUN = ["mpirun", "--oversubscribe", "-np"]


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


def kill_one(grouser, folder, command):
    """Runs a campaign in three processes, of which one is killed on the way. Returns the name of the study."""
    study = f"killed_{command[0]}_{os.getpid()}.db"
    campaign = subprocess.Popen(["mpirun", "--oversubscribe", "--enable-recovery", "-np", "3", grouser, *command, "-o", study],
                                cwd=folder, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                start_new_session=True)
    try:
        for _ in range(200):
            time.sleep(0.05)
            if len(ranks_of(grouser, study)) == 2 and (folder / f"{study}.shard").exists():
                break
        victims = ranks_of(grouser, study)
        assert len(victims) == 2, victims
        os.kill(victims[0], signal.SIGKILL)
        campaign.wait(timeout=120)
    finally:
        for rank in ranks_of(grouser, study):
            os.kill(rank, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(campaign.pid, signal.SIGKILL)
    return study


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

        (folder / "c.yaml").write_text(CAMPAIGN % 40, encoding="utf-8")
        run([grouser, "sweep", "c.yaml", "-o", "one.db"])
        whole = rows(folder / "one.db")
        for ranks, threads in ((2, 1), (3, 2)):
            study = f"mpi_{ranks}.db"
            run([*MPIRUN, str(ranks), grouser, "sweep", "c.yaml", "-o", study, "-j", str(threads)])
            assert rows(folder / study) == whole, f"{ranks} processes give another study than one"
        for kind, text in MISSIONS.items():
            (folder / "m.yaml").write_text(text, encoding="utf-8")
            one = run([grouser, "mission", "m.yaml", "-o", f"{kind}_1.db", "--json"]).stdout
            more = run([*MPIRUN, "3", grouser, "mission", "m.yaml", "-o", f"{kind}_3.db", "--json"]).stdout
            assert rows(folder / f"{kind}_3.db") == rows(folder / f"{kind}_1.db"), f"{kind}: 3 processes give another study"
            assert more.replace(f"{kind}_3", f"{kind}_1") == one, f"{kind}: 3 processes give another answer:\n{one}\n{more}"
        # An analysis: its numbers are those of one process.
        (folder / "s.yaml").write_text(SENSITIVITY, encoding="utf-8")
        one = run([grouser, "sensitivity", "s.yaml", "-o", "s_one.db", "--json"]).stdout
        two = run([*MPIRUN, "2", grouser, "sensitivity", "s.yaml", "-o", "s_mpi.db", "--json"]).stdout
        assert two == one and '"measures"' in one, f"two processes give other indices than one:\n{one}\n{two}"
        assert rows(folder / "s_mpi.db") == rows(folder / "s_one.db"), "two processes give another study than one"
        # A search: its batches depend on the results of those before.
        for method, text in SEARCHES.items():
            (folder / "o.yaml").write_text(text % (2, 60) if "%" in text else text, encoding="utf-8")
            one = run([grouser, "optimize", "o.yaml", "-o", f"{method}_1.db", "--json"]).stdout
            for ranks in (2, 3):
                more = run([*MPIRUN, str(ranks), grouser, "optimize", "o.yaml", "-o", f"{method}_{ranks}.db", "-j", str(ranks - 1),
                            "--json"]).stdout
                assert more == one and '"history"' in one, f"{ranks} processes find another optimum than one:\n{one}\n{more}"
                assert rows(folder / f"{method}_{ranks}.db") == rows(folder / f"{method}_1.db"), "another study"
        # The first process cannot open its study: all end soon, with its message and exit code.
        refused = subprocess.run([*MPIRUN, "2", grouser, "optimize", "o.yaml", "-o", "one.db"], cwd=folder, env=ENVIRONMENT,
                                 capture_output=True, text=True, timeout=60, check=False)
        assert refused.returncode == 2 and "is the study of the campaign" in refused.stderr, refused
        # A process that is killed: its rows are run by others, and the campaign ends by itself.
        (folder / "c.yaml").write_text(CAMPAIGN % KILLED_RUNS, encoding="utf-8")
        study = kill_one(grouser, folder, ["sweep", "c.yaml"])
        run([grouser, "sweep", "c.yaml", "-o", "one.db"])
        killed = rows(folder / study)
        assert len(killed) == KILLED_RUNS and all(row["outcome"] is not None for row in killed), "runs of the killed process are missing"
        by_key = {row["key"]: row for row in rows(folder / "one.db")}
        for row in killed:
            other = dict(by_key[row["key"]], id=row["id"])
            assert other == row, f"a run differs: {row}"
        # The same in the middle of a search: also the order of the runs is that of an undisturbed one.
        (folder / "o.yaml").write_text(SEARCHES["cmaes"] % (10, 200), encoding="utf-8")
        study = kill_one(grouser, folder, ["optimize", "o.yaml"])
        run([grouser, "optimize", "o.yaml", "-o", "search.db"])
        assert rows(folder / study) == rows(folder / "search.db"), "a search with a killed process gives another study"
        print(f"2 and 3 processes: {len(whole)} equal runs; one of three killed: all {len(killed)} runs are there")


main()
