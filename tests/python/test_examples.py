#!/usr/bin/env python3
"""The programs of examples/python run and print what they must."""

import importlib.util
import os
import subprocess
import sys
import unittest
from pathlib import Path

from support import Case

FOLDER = Path(os.environ["GROUSER_SOURCE"]) / "examples/python"
PRINTS = {
    "first_run.py": "wheel_rear_right",
    "soil_sensitivity.py": "friction angle [deg]: 30 -> slip",
    "own_controller.py": "careful is slower",
    "train_steering.py": "\nlearned\n",
}


class Examples(Case):
    def test_all_are_listed(self):
        self.assertEqual({path.name for path in FOLDER.glob("*.py")}, set(PRINTS))

    def test_programs(self):
        for name, text in PRINTS.items():
            done = subprocess.run([sys.executable, "-B", FOLDER / name], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(text, done.stdout)

    def test_more_friction_means_less_slip(self):
        done = subprocess.run([sys.executable, "-B", FOLDER / "soil_sensitivity.py"], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout.count("more of it, less slip"), 2)

    def test_plot(self):
        if importlib.util.find_spec("matplotlib") is None:
            self.skipTest("matplotlib is not installed")
        subprocess.run([sys.executable, "-B", FOLDER / "first_run.py", "plot.svg"], check=True, capture_output=True)
        self.assertIn("<svg", Path("plot.svg").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
