"""What the tests of the Python package share: the command, and temporary folders."""

import csv
import json
import os
import subprocess
import tempfile
import unittest
import warnings
from pathlib import Path

import grouser

GROUSER = os.environ["GROUSER"]


def command(*arguments):
    """What `grouser ARGUMENTS` prints, run in a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([GROUSER, *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


def command_run(scenario, *settings):
    """Summary and rows of run.csv of `grouser run`."""
    with tempfile.TemporaryDirectory() as folder:
        options = [f"--set={setting}" for setting in settings]
        line = [GROUSER, "run", scenario, *options, "--json", "-o", "run"]
        summary = json.loads(subprocess.run(line, cwd=folder, check=True, capture_output=True, text=True).stdout)
        with open(Path(folder) / "run/run.csv", encoding="utf-8", newline="") as file:
            return summary, list(csv.reader(file))


class Case(unittest.TestCase):
    """A test whose warnings of the library are not printed; those that matter are asserted."""

    def setUp(self):
        self.caught = warnings.catch_warnings()
        self.caught.__enter__()
        warnings.simplefilter("ignore", grouser.GrouserWarning)
        self.folder = tempfile.TemporaryDirectory()
        self.old = os.getcwd()
        os.chdir(self.folder.name)

    def tearDown(self):
        os.chdir(self.old)
        self.folder.cleanup()
        self.caught.__exit__(None, None, None)
