#!/usr/bin/env python3
"""wheel(), test(), fit(), validate() and mission_go(): the numbers of the command."""

import inspect
import json
import os
import re
import signal
import threading
import time
import unittest
from pathlib import Path

import numpy as np
from support import Case, command

import grouser

SOURCE = Path(os.environ["GROUSER_SOURCE"])
RIG = {"radius": 0.09, "width": 0.11, "load": 64.68}
RIG_LINE = ("wheel", "--soil", "ishigami2007", "--radius", "0.09", "--width", "0.11", "--load", "64.68")


def options_of(*words):
    """Options in the --help of a command, as names of arguments."""
    return {name.replace("-", "_") for name in re.findall(r"(?m)^ +(?:-\w, )?--([a-z-]+)", command(*words, "--help"))}


class Wheel(Case):
    def test_points_are_those_of_the_command(self):
        theirs = json.loads(command(*RIG_LINE, "--slip", "0,0.25,0.5", "--slip-angle", "0,15", "--compare", "bekker", "--json"))
        ours = grouser.wheel("ishigami2007", slip=[0, 0.25, 0.5], slip_angle=[0, 15], compare="bekker", **RIG)
        self.assertEqual(ours.points.shape, (2, 2, 3))
        self.assertEqual(ours.soils, [("ishigami2007", "wong_reece"), ("ishigami2007", "bekker")])
        for name in ("slip", "slip_angle_deg", "sinkage_m", "fx_N", "fy_N", "torque_Nm"):
            np.testing.assert_array_equal(ours.points[name].ravel(), [point[name] for point in theirs["points"]])
        self.assertEqual(ours.sweeps, theirs["sweeps"])

    def test_published_point(self):
        # docs/validation.md, soil/check_table: f_x at a slip angle of 5 degrees and a slip of 0.1
        result = grouser.wheel("ishigami2007", slip=0.1, slip_angle=5, **RIG)
        self.assertAlmostEqual(float(result["fx_N"]), 4.92, delta=0.01)

    def test_bands(self):
        theirs = json.loads(command(*RIG_LINE, "--slip", "0,0.5", "--uncertainty", "8", "--json"))
        ours = grouser.wheel("ishigami2007", slip=[0, 0.5], uncertainty=8, **RIG)
        for name in ("fx_N_low", "fx_N_high", "sinkage_m_low", "sinkage_m_high"):
            np.testing.assert_array_equal(ours[name], [point[name] for point in theirs["points"]])
        self.assertTrue(np.all(ours["fx_N_low"] < ours["fx_N_high"]))
        self.assertIn("fx_N_low", ours.sweeps[0]["max_drawbar_pull"])
        plain = grouser.wheel("ishigami2007", slip=[0, 0.5], uncertainty=0, **RIG)
        self.assertNotIn("fx_N_low", plain.points.dtype.names)
        np.testing.assert_array_equal(plain["fx_N"], ours["fx_N"])

    def test_all_options_are_arguments(self):
        files = {"help", "json", "output", "html", "csv", "motion", "control", "trench"}  # a motion is a file in and a table out
        self.assertEqual(set(inspect.signature(grouser.wheel).parameters), options_of("wheel") - files)

    def test_errors_name_arguments(self):
        with self.assertRaisesRegex(grouser.Error, "radius and width are needed"):
            grouser.wheel("ishigami2007", load=50)
        with self.assertRaisesRegex(grouser.Error, "slip: 2 is out of range"):
            grouser.wheel("ishigami2007", slip=2, **RIG)
        with self.assertRaises(TypeError):
            grouser.wheel("ishigami2007", radus=1)

    def test_an_argument_without_effect_is_a_warning(self):
        with self.assertWarnsRegex(grouser.GrouserWarning, "no effect"):
            grouser.wheel("ishigami2007", slip=0.2, cell=0.01, **RIG)

    def test_threads(self):
        alone = {law: grouser.wheel("ishigami2007", model=law, **RIG)["fx_N"] for law in ("wong_reece", "bekker", "ding")}
        found = []

        def work(law):
            found.append((law, grouser.wheel("ishigami2007", model=law, **RIG)["fx_N"]))

        threads = [threading.Thread(target=work, args=(law,)) for law in list(alone) * 3]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(found), 9)
        for law, values in found:
            np.testing.assert_array_equal(values, alone[law])


class Tests(Case):
    def test_drop(self):
        theirs = json.loads(command("test", "drop", "rashid_like", "--heights", "0.1", "--set-soil", "phi=30", "--json"))
        ours = grouser.test("drop", "rashid_like", heights=0.1, set_soil={"phi": 30})
        self.assertEqual(dict(ours), theirs)

    def test_table(self):
        result = grouser.test("tip", "rashid_like")
        self.assertGreater(len(result.table), 3)
        self.assertTrue(all(result.table[name].dtype.kind in "fUb" for name in result.table.dtype.names))

    def test_bands(self):
        options = {"slopes": "10,40", "heading": 0, "gravity": "moon"}
        banded = grouser.test("gradeability", "rashid_like", uncertainty=4, **options)
        self.assertLessEqual(banded["steepest_slope_deg_low"], banded["steepest_slope_deg"])
        plain = grouser.test("gradeability", "rashid_like", uncertainty=0, **options)
        self.assertNotIn("steepest_slope_deg_low", plain)
        self.assertEqual(plain["steepest_slope_deg"], banded["steepest_slope_deg"])

    def test_every_option_of_the_command_is_known(self):
        files = {"help", "json", "html", "svg", "csv"}
        for name in grouser.TESTS:
            for option in options_of("test", name) - files:
                with self.assertRaises((grouser.Error, TypeError)) as caught:
                    grouser.test(name, "no_such_rover", **{option: None})
                self.assertNotIn("there is no '" + option, str(caught.exception))

    def test_wrong_names(self):
        with self.assertRaisesRegex(grouser.Error, "did you mean 'drop'"):
            grouser.test("dropp", "rashid_like")
        with self.assertRaisesRegex(TypeError, "did you mean 'heights'"):
            grouser.test("drop", "rashid_like", heigt=1)
        with self.assertRaisesRegex(grouser.Error, "did you mean 'rashid_like'"):
            grouser.test("drop", "rashid_lik")


class Fit(Case):
    def test_fit(self):
        data = SOURCE / "data/examples/measured.csv"
        line = ("--radius", "0.058", "--width", "0.05", "--soil", "cmu_soildirect90", "--free", "k_phi,phi", "--folds", "0")
        limits = ("--evaluations", "0", "--bounds", "phi=20:45", "--hold-out", "slip_angle=15", "--weights", "fx=1,sinkage=0.5")
        theirs = json.loads(command("fit", "soil", "--data", str(data), *line, *limits, "-o", "s.yaml", "--json"))
        ours = grouser.fit(
            data, ["k_phi", "phi"], radius=0.058, width=0.05, soil="cmu_soildirect90", folds=0, evaluations=0,
            bounds={"phi": (20, 45)}, hold_out={"slip_angle": 15}, weights={"fx": 1, "sinkage": 0.5}, output="own.yaml",
        )  # fmt: skip
        self.assertEqual(dict(ours), theirs)
        k_phi = next(p["value"] for p in ours["parameters"] if p["name"] == "k_phi")
        self.assertAlmostEqual(ours.soil.k_phi / k_phi, 1, places=9)

    def test_columns(self):
        data = (SOURCE / "data/examples/measured.csv").read_text()
        head, rest = data[data.index("\nslip") + 1 :].split("\n", 1)
        self.assertIn("fx_N", head)
        with open("renamed.csv", "w") as file:
            file.write(head.replace(",fx_N,", ",DBP,") + "\n" + rest)
        options = {"radius": 0.058, "width": 0.05, "soil": "cmu_soildirect90", "folds": 0, "evaluations": 0}
        plain = grouser.fit(SOURCE / "data/examples/measured.csv", "phi", **options)
        renamed = grouser.fit("renamed.csv", "phi", columns={"drawbar_N": "DBP"}, **options)
        self.assertEqual(plain["parameters"], renamed["parameters"])
        wheel = {"radius": 0.058, "width": 0.05, "load": 80, "slip": [0.2], "uncertainty": 0}
        plain = grouser.wheel("cmu_soildirect90", data=SOURCE / "data/examples/measured.csv", **wheel)
        renamed = grouser.wheel("cmu_soildirect90", data="renamed.csv", columns={"drawbar_N": "DBP"}, **wheel)
        self.assertEqual(plain.misfit, renamed.misfit)

    def test_all_options_are_arguments(self):
        self.assertEqual(set(inspect.signature(grouser.fit).parameters), options_of("fit", "soil") - {"help", "json", "html"})

    def test_errors(self):
        with self.assertRaises(grouser.Error):
            grouser.fit("nowhere.csv", "k_phi", radius=0.1, width=0.1)
        with self.assertRaisesRegex(grouser.Error, "did you mean 'k_phi'"):
            grouser.fit(SOURCE / "data/examples/measured.csv", "kphi", radius=0.1, width=0.1)


class Validate(Case):
    def test_cases(self):
        theirs = json.loads(command("validate", "--only", "soil/check*", "--json"))["cases"]
        ours = grouser.validate("soil/check*")
        self.assertEqual(list(ours), theirs)
        self.assertEqual(ours.out, [])
        self.assertTrue(ours.table["pass"].all())

    def test_wrong_pattern(self):
        with self.assertRaisesRegex(grouser.Error, "only: no case matches"):
            grouser.validate("sol/*")


class MissionGo(Case):
    ROVER = {"rover": "rashid_like", "gravity": "moon", "soil": "lunar_mare", "speed": 0.2, "pixel": 0.5}
    COARSE = {"step": "{hub_travel_mm: 10, max_ms: 50}"}  # for speed

    def write_plane(self):
        Path("plane.txt").write_text("\n".join(" ".join(["0"] * 61) for _ in range(41)) + "\n")

    def test_answer_is_that_of_the_command(self):
        self.write_plane()
        ours = grouser.mission_go("plane.txt", (7, 6), (13, 7.5), worlds=2, limit=["tilt_deg<30"], set=self.COARSE, out="there", **self.ROVER)
        theirs = json.loads(command("mission", str(Path("there.yaml").resolve()), "--json"))
        files = {"route", "table", "geojson", "run", "study"}  # in a folder of their own
        self.assertEqual({key: ours[key] for key in set(ours) - files}, {key: theirs[key] for key in set(theirs) - files})
        self.assertEqual((ours["answer"], ours["probability"]), ("arrives", 1))
        self.assertEqual(grouser.run(ours["route"]).outcome, "reached_goal")

    def test_errors_name_arguments(self):
        self.write_plane()
        with self.assertRaisesRegex(grouser.Error, "limit: found 'tilt_deg', expected a measure and a number"):
            grouser.mission_go("plane.txt", (7, 6), (9, 6), limit="tilt_deg", **self.ROVER)
        with self.assertRaisesRegex(grouser.Error, "from: found '7', expected X,Y in metres"):
            grouser.mission_go("plane.txt", "7", (9, 6), **self.ROVER)

    def test_ctrl_c_ends_the_mission(self):
        self.write_plane()
        for delay in (0.2, 1):  # while the route is planned, and when worlds are driven, as a rule
            timer = threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()
            with self.assertRaises(KeyboardInterrupt):
                grouser.mission_go("plane.txt", (3, 3), (27, 17), worlds=200, out=f"after_{10 * delay:g}", **self.ROVER)
            timer.join()
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def test_all_options_are_arguments(self):
        renamed = {"from", "to"} | {"help", "json", "serve", "dry_run", "resume"}
        self.assertEqual(set(inspect.signature(grouser.mission_go).parameters) - {"map", "start", "goal"}, options_of("mission", "go") - renamed)


class Interrupt(Case):
    def test_ctrl_c_does_not_wait_for_the_analysis(self):
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        began = time.monotonic()
        try:
            with self.assertRaises(KeyboardInterrupt):
                # thousands of points on a grid: many minutes
                grouser.wheel("ishigami2007", radius=0.09, width=0.11, load=64.68, model="scm", slip=np.linspace(0, 0.9, 4000))
        finally:
            timer.cancel()
            timer.join()
        self.assertLess(time.monotonic() - began, 5)


if __name__ == "__main__":
    unittest.main()
