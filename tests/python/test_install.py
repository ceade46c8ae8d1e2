#!/usr/bin/env python3
"""The wheel: built offline, installed with pip in a clean virtual environment, and used there."""

import importlib.util
import os
import subprocess
import sys
import unittest
from pathlib import Path

from support import Case

SOURCE, BUILD = os.environ["GROUSER_SOURCE"], os.environ["GROUSER_BUILD"]
PROGRAM = 'import grouser; print(grouser.__file__); print(grouser.run("step", set={"stop.time_s": 1}).state_hash)'

ENTRY_POINTS = 'from importlib.metadata import distribution; print([e.value for e in distribution("grouser").entry_points if e.group == "gymnasium.envs"])'


class Wheel(Case):
    def test_install(self):
        clean = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "GROUSER_DATA")}

        def call(*arguments):
            return subprocess.run(arguments, env=clean, check=True, capture_output=True, text=True).stdout

        call(f"{SOURCE}/tools/python-wheel", BUILD, "wheels")
        wheel = next(Path("wheels").glob("grouser-*.whl"))
        self.assertIn("-cp38-abi3-linux_", wheel.name)
        call(sys.executable, "-m", "venv", "--system-site-packages", "env")
        call("env/bin/python", "-m", "pip", "--disable-pip-version-check", "install", "--no-index", str(wheel))
        place, state = call("env/bin/python", "-W", "ignore", "-c", PROGRAM).split()
        self.assertIn("site-packages", place)
        points = call("env/bin/python", "-c", ENTRY_POINTS)  # by which Gymnasium finds the tasks
        self.assertIn("grouser._gymnasium:register", points)
        ours = subprocess.run([sys.executable, "-W", "ignore", "-c", PROGRAM], check=True, capture_output=True, text=True)
        self.assertEqual(state, ours.stdout.split()[1])


if __name__ == "__main__":
    missing = [name for name in ("pip", "setuptools", "venv", "wheel") if importlib.util.find_spec(name) is None]
    if missing:
        print(f"skipped: without {', '.join(missing)}; tools/setup python installs them")
        sys.exit(77)
    unittest.main()
