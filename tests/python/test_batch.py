#!/usr/bin/env python3
"""Batch: the runs of Mission, many at once."""

import unittest

import numpy as np
from support import Case

import grouser

PHI = [26.0, 30.0, 34.0]


def make(**more):
    return grouser.Batch("gradeability", 3, {"soil": "mars_sand", "soil:phi": PHI, "gravity.tilt_deg": 8, "stop.time_s": 6, **more})


def make_on(device):
    return grouser.Batch("gradeability", 3, {"soil": "mars_sand", "soil:phi": PHI}, device=device)


class Runs(Case):
    def test_equal_missions(self):
        batch = make()
        batch.advance(2)
        batch.advance(2)
        x, slip = batch.get("x_m"), batch.get("*.slip", "time_s")
        for i, phi in enumerate(PHI):
            mission = grouser.Mission("gradeability", {"soil": "mars_sand", "soil:phi": phi, "gravity.tilt_deg": 8, "stop.time_s": 6})
            mission.advance(2)
            mission.advance(4)
            sample = mission.sample()
            self.assertEqual(x[i], sample.body.pose.position.x)
            np.testing.assert_array_equal(slip[i], np.append(sample.wheels["slip"], 4.0))
        self.assertEqual(batch.outcomes, ["running"] * 3)
        batch.advance(9)
        self.assertEqual(batch.outcomes, ["finished"] * 3)
        np.testing.assert_array_equal(batch.times, [6, 6, 6])
        self.assertFalse(batch.running.any())

    def test_devices(self):
        with self.assertRaisesRegex(grouser.Error, "allowed: cpu, cuda"):
            make_on("gpu")
        batch = make_on("cpu")
        batch.advance(1)
        try:
            there = make_on("cuda")
            there.advance(1)
        except grouser.Error as error:  # a machine without a GPU says so
            self.assertRegex(str(error), "driver|GPU")
        else:
            np.testing.assert_array_equal(there.get("*.slip"), batch.get("*.slip"))

    def test_numbers_and_masks(self):
        batch = make()
        self.assertEqual(len(batch), 3)
        batch.advance(3)
        ahead = batch.get("distance_m")
        self.assertTrue((np.diff(ahead) > 0).all())  # firmer soil, farther
        batch.set("soil:phi", 34)
        batch.reset(np.array([True, False, True]))
        np.testing.assert_array_equal(batch.times, [0, 3, 0])
        batch.reset()
        batch.advance(3)
        again = batch.get("distance_m", out=np.empty(3))
        np.testing.assert_array_equal(again, np.full(3, ahead[2]))

    def test_commands(self):
        batch = make()
        batch.drive(["stop", "skid", "skid"], speed=[0, 0.05, -0.05])
        batch.advance(4)
        x = batch.get("x_m")
        self.assertLess(abs(x[0]), 0.02)
        self.assertGreater(x[1], 0.05)
        self.assertLess(x[2], -0.05)
        with self.assertRaisesRegex(ValueError, "did you mean 'skid'"):
            batch.drive("skit")
        with self.assertRaisesRegex(ValueError, "finite"):
            batch.drive("skid", speed=[0, np.nan, 0])

    def test_arrays_are_shared_by_dlpack(self):
        try:
            from torch import from_dlpack
        except ImportError:
            from_dlpack = getattr(np, "from_dlpack", None)  # NumPy's own, from 1.22 on
            if from_dlpack is None:
                self.skipTest("neither PyTorch nor a NumPy with from_dlpack is installed")
        batch, out = make(), np.zeros((3, 2))
        theirs = from_dlpack(out)
        for time in (1, 2):
            batch.advance(1)
            batch.get("x_m", "time_s", out=out)
            np.testing.assert_array_equal(np.asarray(theirs)[:, 1], time)
        self.assertEqual(np.asarray(theirs).ctypes.data, out.ctypes.data)
        fresh = batch.get("*.slip")
        self.assertEqual(np.asarray(from_dlpack(fresh)).ctypes.data, fresh.ctypes.data)
        batch.drive("skid", speed=theirs[:, 1] / 100)  # commands, numbers and masks may be theirs, too
        batch.set("gravity.tilt_deg", theirs[:, 1])
        batch.reset(theirs[:, 1] > 5)
        np.testing.assert_array_equal(batch.times, 2)

    def test_saved_states(self):
        batch, other = make(), make()
        batch.advance(1.5)
        saved, then = batch.save(), batch.get("x_m", "power_W", "*.slip")
        batch.advance(2)
        end = batch.get("x_m", "power_W", "*.slip")
        for one in batch, other:
            one.restore(saved)
            np.testing.assert_array_equal(one.get("x_m", "power_W", "*.slip"), then)
            one.advance(2)
            np.testing.assert_array_equal(one.get("x_m", "power_W", "*.slip"), end)
        second = batch.save(np.array([False, True, False]))
        other.reset()
        other.restore(second)
        np.testing.assert_array_equal(other.times, [0, 3.5, 0])
        with self.assertRaisesRegex(grouser.Error, "not a saved batch"):
            batch.restore(b"abc")
        with self.assertRaisesRegex(grouser.Error, "run 0: .*other numbers"):
            make(**{"gravity.tilt_deg": 9}).restore(saved)

    def test_refusals(self):
        for more in {"soil:phi": [1.0, 2.0]}, {"drive.sped": 1}:
            with self.assertRaises(grouser.Error):
                make(**more)
        batch = grouser.Batch("crossing", 2, {"start.x_m": [0, 1e5], "stop.time_s": 1})
        self.assertEqual(batch.outcomes, ["running", "failed"])
        self.assertIn("no ground", batch.causes[1])
        self.assertTrue(np.isnan(batch.get("z_m")[1]))
        with self.assertRaisesRegex(grouser.Error, "did you mean 'z_m'|no channel"):
            batch.get("zz_m")
        with self.assertRaises(ValueError):
            batch.reset([True])
        with self.assertRaises(ValueError):
            batch.advance(-1)
        with self.assertRaises(ValueError):
            batch.get("z_m", out=np.empty((2, 2)))
        with self.assertRaises(grouser.Error):
            grouser.Batch("crossing", 0)


if __name__ == "__main__":
    unittest.main()
