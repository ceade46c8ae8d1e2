#!/usr/bin/env python3
"""The notebooks and programs of examples/python run and print what they must."""

import contextlib
import importlib.util
import io
import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

from notebook import cells_of, run_notebook
from support import Case

FOLDER = Path(os.environ["GROUSER_SOURCE"]) / "examples/python"
PRINTS = {
    "first_run.ipynb": "wheel_rear_right",
    "soil_sensitivity.ipynb": "friction angle [deg]: 30 -> slip",
    "own_controller.ipynb": "careful is slower",
    "train_steering.ipynb": "\nlearned\n",
}


def has(*modules):
    """Whether modules are installed."""
    return all(importlib.util.find_spec(name) is not None for name in modules)


class Notebooks(Case):
    def test_all_are_listed(self):
        self.assertEqual({path.name for path in FOLDER.glob("*.ipynb")}, set(PRINTS))

    def test_cells_run_in_order(self):
        for name, text in PRINTS.items():
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                run_notebook(FOLDER / name)
            self.assertIn(text, printed.getvalue(), name)
            if name == "soil_sensitivity.ipynb":
                self.assertEqual(printed.getvalue().count("more of it, less slip"), 2)

    def test_no_outputs_are_kept(self):
        for name in PRINTS:
            for cell in json.loads((FOLDER / name).read_text(encoding="utf-8"))["cells"]:
                self.assertFalse(cell.get("outputs"), f"{name}: outputs go stale; clear them before a commit")

    def test_jupyter(self):
        if not has("nbclient", "nbformat", "ipykernel"):
            self.skipTest("nbclient or ipykernel is not installed (tools/setup learning)")
        import nbclient
        import nbformat

        page = nbformat.read(FOLDER / "first_run.ipynb", as_version=4)
        nbformat.validate(page)
        nbclient.NotebookClient(page, timeout=300, kernel_name="python3").execute()
        shown = [output for cell in page.cells if cell.cell_type == "code" for output in cell.outputs]
        self.assertTrue(any("text/html" in output.get("data", {}) for output in shown))

    def test_plot(self):
        if not has("matplotlib"):
            self.skipTest("matplotlib is not installed")
        drawing = Path("plot.svg")
        picture = Path(__file__).with_name("notebook.py")
        subprocess.run([sys.executable, "-B", picture, FOLDER / "first_run.ipynb", drawing], check=True, capture_output=True)
        self.assertIn("<svg", drawing.read_text(encoding="utf-8"))

    def test_cells(self):
        self.assertEqual([cell.count("import grouser") for cell in cells_of(FOLDER / "first_run.ipynb")], [1, 0, 0])


class Learning(Case):
    def test_ppo(self):
        if not has("torch"):
            self.skipTest("PyTorch is not installed (tools/setup learning)")
        done = subprocess.run([sys.executable, "-B", FOLDER / "train_ppo.py", "40"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("\nbeats random\n", done.stdout)

    def test_zigzag(self):
        done = subprocess.run([sys.executable, "-B", FOLDER / "train_zigzag.py", "2"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"generation  2: mean .*\n(.*\n)*64 soils and slopes not seen")


if __name__ == "__main__":
    unittest.main()
