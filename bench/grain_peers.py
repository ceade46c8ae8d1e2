#!/usr/bin/env python3
"""Compares the speed of `grouser grains` with LIGGGHTS, LAMMPS and YADE on one settled bed.

    bench/grain_peers.py [--program PATH] [--cores N] [--depth M] [--steps N] [--repeat N] [-o FILE.json]

All compute Hertz-Mindlin contacts with tangential and rolling history from the same positions and with the same step, a
skin of 0.15 diameters and periodic sides (YADE: walls). Their turns alternate. The time of a step is that of a long run
less that of a short one, over the difference of their steps, and the least of the repeats, so that starting and other
work on the machine count little: processor time on one core, elapsed time on several (threads; LIGGGHTS and LAMMPS as
processes under mpirun). Peers that are not installed (Debian: liggghts, lammps, yade) are left out.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BED = """grains: toyoura_like
diameter_m: 0.004
size_m: [0.1, 0.06, {height}]
depth_m: {depth}
"""
COMMON = """newton off
{communicate}
units si
processors {cores} 1 1
read_data data.txt
neighbor {skin} bin
neigh_modify delay 0 every 1 check yes
"""
RUN = """timestep {step}
fix gravity all gravity 9.81 vector 0.0 0.0 -1.0
fix integrate all nve/sphere
thermo_style custom step atoms ke
thermo 1000
thermo_modify lost ignore norm no
run {steps}
"""
MATERIAL = {"young": 5e6, "poisson": 0.3, "restitution": 0.5, "friction": 0.5, "rolling": 0.3}
LIGGGHTS = ("atom_style granular\natom_modify map array\nboundary p p f\n" + COMMON + """
fix m1 all property/global youngsModulus peratomtype {young}
fix m2 all property/global poissonsRatio peratomtype {poisson}
fix m3 all property/global coefficientRestitution peratomtypepair 1 {restitution}
fix m4 all property/global coefficientFriction peratomtypepair 1 {friction}
fix m5 all property/global coefficientRollingFriction peratomtypepair 1 {rolling}
pair_style gran model hertz tangential history rolling_friction epsd2
pair_coeff * *
fix floor all wall/gran model hertz tangential history rolling_friction epsd2 primitive type 1 zplane 0.0
""" + RUN)
CONTACT = "hertz/material {young} {restitution} {poisson} tangential mindlin NULL 1.0 {friction} rolling sds 500.0 0.1 {rolling} damping tsuji"
LAMMPS = ("atom_style sphere\nboundary p p f\n" + COMMON + "pair_style granular\npair_coeff * * " + CONTACT
          + "\nfix floor all wall/gran granular " + CONTACT + " zplane 0.0 NULL\n" + RUN)
# The law has a spring for rolling, and a limit of its moment as of type C.
YADE = """
from math import atan
mat = O.materials.append(FrictMat(young={young}, poisson={poisson}, frictionAngle=atan({friction}), density=2650))
rows = open("data.txt").read().split("Atoms")[1].split("\\n")
for row in rows:
    w = row.split()
    if len(w) == 7:
        O.bodies.append(sphere([float(v) for v in w[4:7]], float(w[2]) / 2, material=mat))
for axis, ends in ((0, (0, 0.1)), (1, (0, 0.06)), (2, (0,))):
    for at in ends:
        O.bodies.append(wall(at, axis, material=mat))
O.engines = [
    ForceResetter(),
    InsertionSortCollider([Bo1_Sphere_Aabb(), Bo1_Wall_Aabb()], verletDist={skin} / 2),
    InteractionLoop([Ig2_Sphere_Sphere_ScGeom(), Ig2_Wall_Sphere_ScGeom()],
                    [Ip2_FrictMat_FrictMat_MindlinPhys(en={restitution}, es={restitution}, krot=1, eta={rolling})],
                    [Law2_ScGeom_MindlinPhys_Mindlin(includeMoment=True)]),
    NewtonIntegrator(gravity=(0, 0, -9.81), damping=0),
]
O.dt = {step}
O.run({steps}, True)
"""


def seconds_of(command, folder, cores):
    """Seconds that a command takes: of the processor on one core, else on the clock."""
    start = time.monotonic()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: {done.stdout[-600:]}{done.stderr[-600:]}")
    if cores > 1:
        return time.monotonic() - start
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def prepared(program, folder, depth):
    """A settled bed, and its positions for the others; returns what the program says of it."""
    (folder / "bed.yaml").write_text(BED.format(depth=depth, height=round(3.2 * depth + 0.02, 4)))
    subprocess.run([program, "grains", "prepare", "bed.yaml", "-o", "bed.grains"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    text = subprocess.run([program, "grains", "speed", "bed.grains", "--steps", "1", "--data", "data.txt", "--json"], cwd=folder,
                          check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    return json.loads(text)


def commands_of(program, folder, bed, cores):
    """The command of each program for a number of steps."""
    values = dict(MATERIAL, step=bed["step_s"], skin=0.15 * 0.004, cores=cores)
    several = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(cores)] if cores > 1 else []

    def peer(name, text, communicate):
        def command(steps):
            (folder / f"{name}_{steps}.in").write_text(text.format(**values, steps=steps, communicate=communicate))
            return several + [name, "-in", f"{name}_{steps}.in", "-log", "none"]
        return command

    found = {"grouser": lambda steps: [program, "grains", "speed", "bed.grains", "-j", str(cores), "--steps", str(steps), "--json"]}
    if shutil.which("liggghts"):
        found["liggghts"] = peer("liggghts", LIGGGHTS, "communicate single vel yes")
    if shutil.which("lmp"):
        found["lmp"] = peer("lmp", LAMMPS, "comm_modify vel yes")
    if shutil.which("yade"):
        def yade(steps):
            (folder / f"yade_{steps}.py").write_text(YADE.format(**values, steps=steps))
            return ["yade", "-n", "-x", f"-j{cores}", f"yade_{steps}.py"]
        found["yade"] = yade
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build/release/bin/grouser"))
    parser.add_argument("--cores", type=int, default=1)
    parser.add_argument("--depth", type=float, default=0.05, help="of the bed [m]; default 0.05: 5000 grains")
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("-o", "--output", help="write the figures as JSON")
    a = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bed = prepared(a.program, folder, a.depth)
        commands = commands_of(a.program, folder, bed, a.cores)
        best = {}
        for _ in range(a.repeat):
            for peer, command in commands.items():
                short = seconds_of(command(a.steps // 10), folder, a.cores)
                seconds = seconds_of(command(a.steps), folder, a.cores) - short
                best[peer] = min(best.get(peer, float("inf")), seconds)
    steps = a.steps - a.steps // 10
    rates = {peer: bed["grains"] * steps / seconds for peer, seconds in best.items()}
    print(f"{bed['grains']} grains, {bed['contacts']:.2f} contacts each, step {bed['step_s']:.3g} s, {a.cores} core{'s' if a.cores > 1 else ''}")
    for peer, rate in rates.items():
        print(f"  {peer:9} {rate:.3g} particle-steps a second")
    others = [rate for peer, rate in rates.items() if peer != "grouser"]
    if others:
        print(f"grouser over the best of the others: {rates['grouser'] / max(others):.2f}")
    if a.output:
        Path(a.output).write_text(json.dumps({"grains": bed["grains"], "contacts": bed["contacts"], "rates": rates}, indent=1) + "\n")


if __name__ == "__main__":
    main()
