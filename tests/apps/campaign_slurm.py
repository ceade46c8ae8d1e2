#!/usr/bin/env python3
"""A campaign as a job array of Slurm: the study of one process, also when one of the jobs is killed and requeued.

    tests/apps/campaign_slurm.py GROUSER

Runs its own Slurm, one controller and one node, in a network namespace of its own. Ends with 77 (skipped)
where Slurm is not installed (tools/setup slurm), or without the right to make one.
"""

import contextlib
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PARTS = 3
LONGEST = 150 # [s] of the jobs
ADDRESS = "10.213.7.1"
CAMPAIGN = """
run: {scenario: gradeability, set: [stop.time_s=20]}
vary: {"soil:phi": {from: 25, to: 45}, start.heading_deg: {from: -180, to: 180}}
sample: {method: sobol, count: 600}
measure: {slip: wheels.slip_mean, far: "last(x_m)"}
"""
CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}({address})
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_res
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
KillWait=1
NodeName={host} NodeAddr={address} CPUs={parts} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


PAGE = Path(__file__).resolve().parents[2] / "docs" / "campaigns.md"


def script():
    """The script of the page, for this campaign and cluster."""
    page = PAGE.read_text(encoding="utf-8")
    text = page[page.index("#!/bin/sh\n#SBATCH"):]
    text = text[:text.index("```")]
    for old, new in (("1-8", f"1-{PARTS}"), ("--cpus-per-task=4", "--cpus-per-task=1"), ("slope", "c")):
        assert old in text, f"{PAGE} has another script than this test knows: no '{old}'"
        text = text.replace(old, new)
    return text


def skip(why):
    print(f"{why}: skipped")
    sys.exit(77)


def rows(path):
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.row_factory = sqlite3.Row
        table = [dict(row) for row in database.execute("SELECT * FROM runs ORDER BY id")]
    for row in table:
        del row["wall_s"], row["stepping_s"]
    return table


def call(command, folder, environment):
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=LONGEST,
                          check=False)
    if done.returncode != 0:
        logs = "".join(f"--- {log.name}\n{log.read_text(errors='replace')[-2000:]}" for log in folder.glob("*.log"))
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}{logs}")
    return done.stdout


def wait_for(condition, seconds, what):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"{what}: not within {seconds} s")
        time.sleep(0.1)


class Cluster:
    """Slurm's daemons in the foreground, as children that end with this process."""

    def __init__(self, folder):
        self.folder = folder
        self.environment = dict(os.environ, SLURM_CONF=str(folder / "slurm.conf"))
        self.daemons = []
        host = socket.gethostname().split(".")[0]
        for part in ("state", "spool"):
            (folder / part).mkdir()
        (folder / "slurm.conf").write_text(CONFIGURATION.format(host=host, address=ADDRESS, folder=folder, parts=PARTS),
                                           encoding="utf-8")
        (folder / "munge.key").write_bytes(os.urandom(128))
        (folder / "munge.key").chmod(0o400)

    def start(self):
        self.spawn(["munged", "--foreground", "--force", f"--key-file={self.folder}/munge.key",
                    f"--socket={self.folder}/munge.socket", f"--pid-file={self.folder}/munge.pid",
                    f"--seed-file={self.folder}/munge.seed"])
        wait_for((self.folder / "munge.socket").exists, 20, "munge")
        self.spawn(["slurmctld", "-D"])
        self.spawn(["slurmd", "-D"])
        wait_for(lambda: "idle" in self.ask(["sinfo", "--noheader", "--format=%T"]), 60, "a node that waits for work")

    def spawn(self, command):
        with open(self.folder / f"{command[0]}.out.log", "w", encoding="utf-8") as log:
            self.daemons.append(subprocess.Popen(command, cwd=self.folder, env=self.environment, stdout=log, stderr=log))

    def ask(self, command):
        return subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=30,
                              check=False).stdout

    def stop(self):
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(timeout=10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()


def run_array(cluster, grouser):
    """Runs the campaign as an array, one job of which is stopped in the middle of its work and starts again."""
    folder = cluster.folder
    environment = dict(cluster.environment, PATH=f"{Path(grouser).parent}:{os.environ['PATH']}")
    job = call(["sbatch", "--parsable", "job.sh"], folder, environment).strip()
    part = folder / f"c.db.shard-2-of-{PARTS}"
    wait_for(lambda: part.exists() and part.stat().st_size > 2000, 60, "results of the second job")
    call(["scontrol", "requeue", f"{job}_2"], folder, environment)
    wait_for(lambda: "PENDING" in cluster.ask(["squeue", "--noheader", "--format=%T", f"--jobs={job}_2"]), 30,
             "the second job in the queue again")
    kept = part.stat().st_size
    call(["scontrol", "update", f"JobId={job}_2", "StartTime=now"], folder, environment)
    wait_for(lambda: cluster.ask(["squeue", "--noheader"]).strip() == "", LONGEST, "the end of all jobs")
    print(f"the second job was stopped with {kept} bytes of results, and ended with {part.stat().st_size}")
    assert part.stat().st_size > kept, "the second job was stopped too late: nothing was left to do"


def main():
    grouser = os.path.abspath(sys.argv[1])
    for command in ("slurmctld", "slurmd", "sbatch", "munged", "unshare", "ip"):
        if shutil.which(command) is None:
            skip(f"{command} is not installed")
    if os.environ.get("GROUSER_TEST_NAMESPACE") is None:
        if subprocess.run(["unshare", "--net", "true"], capture_output=True, check=False).returncode != 0:
            skip("no right to make a network namespace")
        os.execvpe("unshare", ["unshare", "--net", sys.executable, *sys.argv],
                   dict(os.environ, GROUSER_TEST_NAMESPACE="1"))
    with tempfile.TemporaryDirectory(prefix="grouser_slurm_") as name:
        folder = Path(name)
        for command in ("ip link set lo up", "ip link add grouser0 type veth peer name grouser1",
                        f"ip address add {ADDRESS}/24 dev grouser0", "ip link set grouser0 up", "ip link set grouser1 up"):
            if subprocess.run(command.split(), capture_output=True, check=False).returncode != 0:
                skip(f"'{command}' fails")
        (folder / "c.yaml").write_text(CAMPAIGN, encoding="utf-8")
        (folder / "job.sh").write_text(script(), encoding="utf-8")
        cluster = Cluster(folder)
        try:
            cluster.start()
            run_array(cluster, grouser)
        finally:
            cluster.stop()
        print(call([grouser, "campaign", "merge", "c.yaml"], folder, os.environ))
        call([grouser, "sweep", "c.yaml", "-o", "one.db"], folder, os.environ)
        assert len(rows(folder / "one.db")) == 600
        assert rows(folder / "c.db") == rows(folder / "one.db"), "the array gives another study than one process"


if __name__ == "__main__":
    main()
