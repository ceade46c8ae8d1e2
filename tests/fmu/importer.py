#!/usr/bin/env python3
"""Exports units with the command, checks the archives against the standard, and steps them by ctypes.

    tests/fmu/importer.py GROUSER [SECONDS] [--json]

SECONDS: length of the drive that is compared with grouser run, bit for bit (default 60). --json prints the figures of
drives and of a wheel's contact, for tools/doc-figures.
"""

import ctypes
import json
import math
import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from xml.etree import ElementTree

GROUSER = sys.argv[1]
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 60
JSON = "--json" in sys.argv
DATA = Path(__file__).resolve().parents[2] / "data"
MACHINE = platform.machine() + "-linux"
FOLDERS = {2: {"x86_64-linux": "linux64", "aarch64-linux": "aarch64-linux"},
           3: {"x86_64-linux": "x86_64-linux", "aarch64-linux": "aarch64-linux"}}
ORDER = ["CoSimulation", "UnitDefinitions", "TypeDefinitions", "LogCategories", "DefaultExperiment", "ModelVariables",
         "ModelStructure"]


def command(*words, code=0):
    done = subprocess.run([GROUSER, *words], capture_output=True, text=True, check=False)
    assert done.returncode == code, (words, done.returncode, done.stderr)
    return done.stdout + done.stderr


class Unit:
    """An unpacked unit: what an importer learns from its description."""

    def __init__(self, version, archive, folder):
        self.version, self.folder = version, Path(folder)
        with zipfile.ZipFile(archive) as packed:
            assert packed.testzip() is None
            self.names = packed.namelist()
            packed.extractall(folder)
        self.root = ElementTree.parse(self.folder / "modelDescription.xml").getroot()
        self.token = self.root.get("guid" if version == 2 else "instantiationToken")
        self.identifier = self.root.find("CoSimulation").get("modelIdentifier")
        self.variables = list(self.root.find("ModelVariables"))
        self.reference = {v.get("name"): int(v.get("valueReference")) for v in self.variables}

    def binary(self):
        return self.folder / "binaries" / FOLDERS[self.version][MACHINE] / (self.identifier + ".so")


def kind(variable):
    """The element that has the attributes of the type."""
    return variable[0] if variable.tag == "ScalarVariable" else variable


def check_description(unit):
    root = unit.root
    assert root.get("fmiVersion") == f"{unit.version}.0"
    assert [e.tag for e in root] == ORDER
    assert (unit.folder / "resources/grouser.txt").read_text().startswith(f"token {unit.token}\n")
    assert unit.binary().exists(), unit.names
    assert "documentation/index.html" in unit.names
    names = [v.get("name") for v in unit.variables]
    assert len(set(names)) == len(names)
    assert len(set(unit.reference.values())) == len(names), "value references are not unique"
    units = {u.get("name") for u in root.find("UnitDefinitions")}
    types = {t.get("name") for t in root.find("TypeDefinitions")}
    for v in unit.variables:
        of_type = kind(v)
        assert of_type.get("unit") is None or of_type.get("unit") in units, v.attrib
        assert of_type.get("declaredType") is None or of_type.get("declaredType") in types
        given = v.get("causality") in ("input", "parameter")
        assert (of_type.get("start") is not None) == given, v.attrib
        assert (v.get("causality") == "parameter") == (v.get("variability") in ("fixed", "tunable"))
        if of_type.tag not in ("Real", "Float64"):
            assert v.get("variability") != "continuous", v.attrib
        for bound, sign in (("min", 1), ("max", -1)):
            if of_type.get(bound) is not None:
                assert sign * float(of_type.get("start")) >= sign * float(of_type.get(bound)), v.attrib
    assert [v.get("causality") for v in unit.variables].count("independent") == 1
    check_structure(unit)


def check_structure(unit):
    structure = unit.root.find("ModelStructure")
    outputs = [v for v in unit.variables if v.get("causality") == "output"]
    if unit.version == 2:
        expected = [unit.variables.index(v) + 1 for v in outputs]
        for group in ("Outputs", "InitialUnknowns"):
            assert [int(u.get("index")) for u in structure.find(group)] == expected
        assert all(u.get("dependencies") == "" for u in structure.find("Outputs")), "no input acts within an instant"
    else:
        expected = [int(v.get("valueReference")) for v in outputs]
        assert [int(u.get("valueReference")) for u in structure.findall("Output")] == expected
        assert [int(u.get("valueReference")) for u in structure.findall("InitialUnknown")] == expected
        assert [e.tag for e in structure] == ["Output"] * len(outputs) + ["InitialUnknown"] * len(outputs)


class Callbacks(ctypes.Structure):
    _fields_ = [("logger", ctypes.c_void_p), ("allocate", ctypes.c_void_p), ("free", ctypes.c_void_p),
                ("finished", ctypes.c_void_p), ("environment", ctypes.c_void_p)]


def drive2(unit, step):
    """Hash of the state after SECONDS, through FMI 2.0."""
    lib = ctypes.CDLL(str(unit.binary()))
    lib.fmi2Instantiate.restype = ctypes.c_void_p
    lib.fmi2DoStep.argtypes = [ctypes.c_void_p, ctypes.c_double, ctypes.c_double, ctypes.c_int]
    lib.fmi2SetupExperiment.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_double, ctypes.c_double, ctypes.c_int,
                                        ctypes.c_double]
    callbacks = Callbacks()
    make = lib.fmi2Instantiate
    uri = (unit.folder / "resources").as_uri().encode()
    assert make(b"a", 1, b"{no}", uri, ctypes.byref(callbacks), 0, 0) is None
    one = ctypes.c_void_p(make(b"a", 1, unit.token.encode(), uri, ctypes.byref(callbacks), 0, 0))
    assert one.value is not None
    assert lib.fmi2DoStep(one, 0, step, 1) == 3, "a step before initialisation is an error"
    assert lib.fmi2SetupExperiment(one, 0, 0, 0, 1, SECONDS) == 0
    assert lib.fmi2EnterInitializationMode(one) == 0
    assert lib.fmi2ExitInitializationMode(one) == 0
    for k in range(round(SECONDS / step)):
        assert lib.fmi2DoStep(one, k * step, step, 1) == 0
    text = ctypes.c_char_p()
    reference = (ctypes.c_uint * 1)(unit.reference["state_hash"])
    assert lib.fmi2GetString(one, reference, ctypes.c_size_t(1), ctypes.byref(text)) == 0
    value = text.value.decode()
    assert lib.fmi2Terminate(one) == 0
    lib.fmi2FreeInstance(one)
    return value


def drive3(unit, step):
    """The same through FMI 3.0."""
    lib = ctypes.CDLL(str(unit.binary()))
    make = lib.fmi3InstantiateCoSimulation
    make.restype = ctypes.c_void_p
    place = (str(unit.folder / "resources") + "/").encode()
    false = ctypes.c_bool(False)
    one = ctypes.c_void_p(make(b"a", unit.token.encode(), place, false, false, false, false, None, ctypes.c_size_t(0), None,
                               None, None))
    assert one.value is not None
    lib.fmi3EnterInitializationMode.argtypes = [ctypes.c_void_p, ctypes.c_bool, ctypes.c_double, ctypes.c_double,
                                                ctypes.c_bool, ctypes.c_double]
    assert lib.fmi3EnterInitializationMode(one, False, 0, 0, True, SECONDS) == 0
    assert lib.fmi3ExitInitializationMode(one) == 0
    flags = [ctypes.c_bool() for _ in range(3)]
    reached = ctypes.c_double()
    lib.fmi3DoStep.argtypes = [ctypes.c_void_p, ctypes.c_double, ctypes.c_double, ctypes.c_bool] + [ctypes.c_void_p] * 4
    for k in range(round(SECONDS / step)):
        places = [ctypes.byref(f) for f in flags] + [ctypes.byref(reached)]
        assert lib.fmi3DoStep(one, k * step, step, True, *places) == 0
        assert not any(f.value for f in flags)
    text = ctypes.c_char_p()
    reference = (ctypes.c_uint32 * 1)(unit.reference["state_hash"])
    assert lib.fmi3GetString(one, reference, ctypes.c_size_t(1), ctypes.byref(text), ctypes.c_size_t(1)) == 0
    value = text.value.decode()
    assert lib.fmi3Terminate(one) == 0
    lib.fmi3FreeInstance(one)
    return value


LEVEL = """rover: rashid_like
soil: ishigami2007
gravity: moon
ruts: {kind: none}
drive: {speed_mps: 0.1, path: [[0.5, 0], [1, 0]]}
stop: {time_s: 60}
"""


def check_exchange(unit):
    """Continuous states of model exchange: each has a derivative, in the structure too, and events."""
    states = {v.get("name"): v for v in unit.variables if v.get("name").startswith("memory.")}
    rates = [v for v in unit.variables if v.get("name").startswith("der(")]
    assert len(states) == len(rates) > 40, len(states)
    first = (lambda v: unit.variables.index(v) + 1) if unit.version == 2 else lambda v: int(v.get("valueReference"))
    for rate in rates:
        state = states[rate.get("name")[4:-1]]
        assert int(kind(rate).get("derivative")) == first(state)
        assert state.get("initial") == "exact" and kind(state).get("reinit") == "true" and kind(state).get("start") is not None
    structure, exchange = unit.root.find("ModelStructure"), unit.root.find("ModelExchange")
    if unit.version == 2:
        assert [e.tag for e in structure] == ["Outputs", "Derivatives", "InitialUnknowns"]
        assert [int(u.get("index")) for u in structure.find("Derivatives")] == [first(v) for v in rates]
        assert exchange.get("completedIntegratorStepNotNeeded") in ("true", "false")
        assert len([v for v in unit.variables if v.get("name").startswith("event.")]) == int(unit.root.get("numberOfEventIndicators"))
    else:
        assert [int(u.get("valueReference")) for u in structure.findall("ContinuousStateDerivative")] == [first(v) for v in rates]
        assert exchange.get("needsCompletedIntegratorStep") in ("true", "false")


def roll2(unit, radius, sinkage, slip):
    """Load of a wheel unit that rolls at a sinkage and a slip, through FMI 2.0."""
    lib = ctypes.CDLL(str(unit.binary()))
    lib.fmi2Instantiate.restype = ctypes.c_void_p
    lib.fmi2DoStep.argtypes = [ctypes.c_void_p, ctypes.c_double, ctypes.c_double, ctypes.c_int]
    lib.fmi2SetupExperiment.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_double, ctypes.c_double, ctypes.c_int,
                                        ctypes.c_double]
    callbacks = Callbacks()
    uri = (unit.folder / "resources").as_uri().encode()
    one = ctypes.c_void_p(lib.fmi2Instantiate(b"a", 1, unit.token.encode(), uri, ctypes.byref(callbacks), 0, 0))
    assert one.value is not None and lib.fmi2SetupExperiment(one, 0, 0, 0, 0, 0) == 0
    assert lib.fmi2EnterInitializationMode(one) == 0 and lib.fmi2ExitInitializationMode(one) == 0
    speed, step, end = 0.05, 0.005, 8
    rate = speed / ((1 - slip) * radius)
    names = ("position.x", "position.z", "rotation.w", "rotation.y", "velocity.x", "angular_velocity.y", "angle")
    places = (ctypes.c_uint * len(names))(*(unit.reference[name] for name in names))
    for k in range(round(end / step)):
        angle = rate * k * step
        values = (ctypes.c_double * len(names))(speed * k * step, radius - sinkage, math.cos(angle / 2), math.sin(angle / 2), speed,
                                                rate, angle)
        assert lib.fmi2SetReal(one, places, ctypes.c_size_t(len(names)), values) == 0
        assert lib.fmi2DoStep(one, k * step, step, 1) == 0
    force = ctypes.c_double()
    assert lib.fmi2GetReal(one, (ctypes.c_uint * 1)(unit.reference["load"]), ctypes.c_size_t(1), ctypes.byref(force)) == 0
    lib.fmi2FreeInstance(one)
    return force.value


def check_contact(folder, load=5, slip=0.2):
    """A wheel unit at the sinkage that `grouser wheel` finds under a load has that load. Returns it."""
    (folder / "level.yaml").write_text(LEVEL)
    point = json.loads(command("wheel", "--soil", "ishigami2007", "--rover", "rashid_like", "--gravity", "moon", "--load", str(load),
                               "--slip", str(slip), "--json").split("\n}\n")[0] + "\n}")["points"][0]
    for version in (3, 2):
        archive = folder / f"wheel{version}.fmu"
        command("export", "fmu", str(folder / "level.yaml"), "--contact", "wheel", "--fmi", str(version), "-o", str(archive))
        unit = Unit(version, archive, folder / f"wheel {version}")
        check_exchange(unit)
    rover = json.loads(command("show", "rover", "rashid_like", "--json").split("\n}\n")[0] + "\n}")
    found = roll2(unit, rover["wheels"][0]["radius_m"] + rover["wheels"][0].get("grouser_height_m", 0), point["sinkage_m"], slip)
    assert abs(found / load - 1) < 0.01, found
    return found


def check_drives(folder):
    """Both versions give the bits of grouser run, far from the files that they were made from."""
    summary = json.loads(subprocess.run(
        [GROUSER, "run", "crossing", "--set", f"stop.time_s={SECONDS}", "--set", "soil:phi=34", "-o", folder / "crossing.run",
         "--json"], capture_output=True, text=True, check=True).stdout)
    for version, drive in ((2, drive2), (3, drive3)):
        archive = folder / f"crossing{version}.fmu"
        told = command("export", "fmu", "crossing", "--fmi", str(version), "--set", "soil:phi=34", "-o", str(archive))
        assert f"FMI {version}.0 for co-simulation" in told
        unit = Unit(version, archive, folder / f"unit {version}")
        check_description(unit)
        assert drive(unit, 0.5) == summary["state_hash"], version
        again = folder / "again.fmu"
        command("export", "fmu", "crossing", "--fmi", str(version), "--set", "soil:phi=34", "-o", str(again))
        assert archive.read_bytes() == again.read_bytes(), "the same input gives the same bytes"
    return 2


def check_own_files(folder):
    """A user's files keep their places relative to each other; absolute paths are refused."""
    (folder / "sites").mkdir()
    (folder / "parts").mkdir()
    shutil.copy(DATA / "rovers/rashid_like.yaml", folder / "parts/own.yaml")
    (folder / "sites/heights.csv").write_text("x,y,z\n" + "".join(
        f"{x},{y},{0.001 * x}\n" for y in range(-10, 11) for x in range(-10, 11)))
    (folder / "sites/here.yaml").write_text(
        "rover: ../parts/own.yaml\nsoil: ishigami2007\ngravity: moon\nterrain: {file: heights.csv}\n"
        "drive: {speed_mps: 0.05, path: [[2, 0]]}\nstop: {time_s: 10}\n")
    archive = folder / "here.fmu"
    command("export", "fmu", str(folder / "sites/here.yaml"), "-o", str(archive))
    unit = Unit(2, archive, folder / "here")
    check_description(unit)
    assert {"resources/files/sites/heights.csv", "resources/files/parts/own.yaml"} <= set(unit.names), unit.names
    (folder / "sites/far.yaml").write_text(
        f"rover: rashid_like\nsoil: ishigami2007\ngravity: moon\nterrain: {{file: {folder}/sites/heights.csv}}\n")
    told = command("export", "fmu", str(folder / "sites/far.yaml"), "-o", str(folder / "far.fmu"), code=2)
    assert "absolute path" in told, told
    assert not (folder / "far.fmu").exists()


def check_maps(folder):
    """A raster that GDAL reads travels as plain nodes, with the same bits."""
    scenario = str(DATA / "examples/my_scenario.yaml")
    done = subprocess.run([GROUSER, "export", "fmu", scenario, "-o", folder / "map.fmu"], capture_output=True, text=True,
                          check=False)
    if "install libgdal-dev" in done.stderr:
        return
    assert done.returncode == 0, done.stderr
    unit = Unit(2, folder / "map.fmu", folder / "map")
    assert "resources/files/dem.tif.nodes" in unit.names and "resources/files/dem.tif" not in unit.names
    summary = json.loads(subprocess.run(
        [GROUSER, "run", scenario, "--set", f"stop.time_s={SECONDS}", "-o", folder / "map.run", "--json"],
        capture_output=True, text=True, check=True).stdout)
    assert drive2(unit, 1) == summary["state_hash"]


def check_refusals(folder):
    assert "allowed: 2 or 3" in command("export", "fmu", "crossing", "--fmi", "1", code=2)
    assert "crossing" in command("export", "fmu", "crosing", code=2)
    assert "phi_deg" in command("export", "fmu", "crossing", "--set", "soil:phii=3", code=2)
    assert "not available in a unit" in command("export", "fmu", "crossing", "--set", "step.integrator=cvode", "-o",
                                     str(folder / "c.fmu"), code=2)
    assert not (folder / "c.fmu").exists()
    command("export", "fmu", code=2)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        equal, load = check_drives(folder), check_contact(folder)
        if JSON:
            print(json.dumps({"versions_equal": equal, "load_N": load}))
            return
        check_own_files(folder)
        check_maps(folder)
        check_refusals(folder)
    print("both versions: description, bits and refusals are right")


main()
