#!/usr/bin/env python3
"""A host of FMI 3.0 in plain Python: pulls harder and harder at a driving rover, and reads how its wheels slip.

    grouser export fmu drawbar --fmi 3 --set drive.pull_N=0 -o drawbar.fmu
    tow.py drawbar.fmu [PLOT.svg]

Any importer of FMI does what this program does by ctypes: unpack, read the description, instantiate, step.
"""

import ctypes
import platform
import sys
import tempfile
import zipfile
from pathlib import Path
from xml.etree import ElementTree

STEP, PULL_RATE, PULL_MAX, SETTLED = 0.1, 1.0, 70.0, 10.0  # [s], [N/s], [N], [s]


class Unit:
    """An instance of a unit."""

    def __init__(self, folder):
        root = ElementTree.parse(folder / "modelDescription.xml").getroot()
        name = root.find("CoSimulation").get("modelIdentifier")
        self.lib = ctypes.CDLL(str(folder / f"binaries/{platform.machine()}-linux/{name}.so"))
        self.references = {v.get("name"): int(v.get("valueReference")) for v in root.find("ModelVariables")}
        make = self.lib.fmi3InstantiateCoSimulation
        make.restype = ctypes.c_void_p
        no, number, none = ctypes.c_bool(False), ctypes.c_double, None
        token = root.get("instantiationToken").encode()
        self.instance = ctypes.c_void_p(make(b"rover", token, str(folder / "resources").encode(), no, no, no, no, none,
                                             ctypes.c_size_t(0), none, none, none))
        self.check(self.instance.value is None)
        self.check(self.lib.fmi3EnterInitializationMode(self.instance, no, number(0), number(0), no, number(0)))
        self.check(self.lib.fmi3ExitInitializationMode(self.instance))

    @staticmethod
    def check(status):
        if status > 1:  # a warning is 1
            raise RuntimeError(f"the unit failed with status {status}")

    def get(self, name):
        value = ctypes.c_double()
        reference = (ctypes.c_uint32 * 1)(self.references[name])
        one = ctypes.c_size_t(1)
        self.check(self.lib.fmi3GetFloat64(self.instance, reference, one, ctypes.byref(value), one))
        return value.value

    def set(self, name, number):
        value = ctypes.c_double(number)
        reference = (ctypes.c_uint32 * 1)(self.references[name])
        one = ctypes.c_size_t(1)
        self.check(self.lib.fmi3SetFloat64(self.instance, reference, one, ctypes.byref(value), one))

    def step(self, time, length):
        flags, reached = [ctypes.c_bool() for _ in range(3)], ctypes.c_double()
        places = [ctypes.byref(f) for f in flags] + [ctypes.byref(reached)]
        self.check(self.lib.fmi3DoStep(self.instance, ctypes.c_double(time), ctypes.c_double(length), ctypes.c_bool(True),
                                       *places))

    def free(self):
        self.lib.fmi3FreeInstance(self.instance)


def tow(unit):
    """Rows of pull [N], mean slip, mean sinkage [m], power [W]."""
    wheels = sorted({n.split(".")[1] for n in unit.references if n.startswith("wheels.")})
    rows, count = [], round((SETTLED + PULL_MAX / PULL_RATE) / STEP)
    for k in range(count):
        pull = max(0.0, (k * STEP - SETTLED) * PULL_RATE)
        unit.set("force.x", -pull)
        unit.step(k * STEP, STEP)
        if k * STEP >= SETTLED:
            rows.append((pull, *(sum(unit.get(f"wheels.{w}.{of}") for w in wheels) / len(wheels)
                                 for of in ("slip", "sinkage")), unit.get("power")))
    return rows


def draw(rows, path):
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "grouser", "axes.grid": True, "grid.alpha": 0.3})
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 3, figsize=(10, 3.2), layout="constrained")
    titles = (("slip [-]", 1), ("sinkage [mm]", 1000), ("power of all motors [W]", 1))
    for i, (axis, (title, scale)) in enumerate(zip(axes, titles)):
        axis.plot([r[0] for r in rows], [scale * r[i + 1] for r in rows])
        axis.set_xlabel("pull [N]")
        axis.set_title(title, fontsize=10)
    figure.savefig(path, metadata={"Date": None})


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with zipfile.ZipFile(sys.argv[1]) as archive:
            archive.extractall(folder)
        unit = Unit(folder)
        rows = tow(unit)
        unit.free()
    print("   pull      slip   sinkage    power")
    for pull, slip, sinkage, power in rows[::round(10 / PULL_RATE / STEP)]:
        print(f"{pull:5.0f} N  {slip:8.4f}  {1000 * sinkage:5.1f} mm  {power:5.2f} W")
    if len(sys.argv) > 2:
        draw(rows, sys.argv[2])


main()
