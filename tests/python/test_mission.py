#!/usr/bin/env python3
"""Mission: the run of `grouser run` step by step, samples without copies, own commands, pickling."""

import gc
import pickle
import unittest

import numpy as np
from support import Case

import grouser
from grouser._fields import FIELDS


class Steps(Case):
    def test_equals_a_run(self):
        result = grouser.run("step", set={"stop.time_s": 3})
        mission = grouser.Mission("step", set={"stop.time_s": 3})
        mission.record()
        k = 0
        while mission.running:
            k += 1
            mission.advance(k * (1 / 20))  # as the run, in which a step ends at each sample
            mission.record()
        self.assertEqual((mission.outcome, mission.time), ("finished", 3))
        self.assertEqual(mission.data.hash, result.state_hash)
        self.assertEqual(mission.summary()["state_hash"], result.state_hash)
        np.testing.assert_array_equal(mission.table, result.table)

    def test_single_steps(self):
        mission = grouser.Mission("step", set={"stop.time_s": 0.05})
        count = 0
        while mission.step() == "running":
            count += 1
        self.assertEqual(mission.summary()["steps"], count + 1)
        end = mission.data.hash
        self.assertEqual(mission.step(), "finished")
        self.assertEqual(mission.data.hash, end)

    def test_sample(self):
        mission = grouser.Mission("crossing")
        mission.advance(1)
        sample = mission.sample()
        self.assertEqual(sample.time, 1)
        self.assertEqual(len(sample.wheels), len(mission.model.wheels))
        load = sample.wheels["load"].sum()
        np.testing.assert_allclose(sample.body.pose["position"]["x"], mission.data.position[0])
        for i, name in enumerate(mission.model.wheels):
            self.assertEqual(sample.wheels["slip"][i], mission.data.wheel(name)["slip"])
        wheels = sample.wheels
        mission.advance(2)
        mission.sample(into=sample)
        self.assertEqual(sample.time, 2)
        self.assertNotEqual(wheels["load"].sum(), load)
        kept = wheels["load"].sum()
        del sample, mission
        gc.collect()
        self.assertEqual(wheels["load"].sum(), kept)

    def test_sample_of_another_mission(self):
        with self.assertRaisesRegex(ValueError, "another mission"):
            grouser.Mission("crossing").sample(into=grouser.Mission("gradeability").sample())

    def test_drive_by_hand(self):
        still = grouser.Mission("gradeability", set={"stop.time_s": 6})
        still.drive("stop")
        still.advance(5)
        moving = grouser.Mission("gradeability", set={"stop.time_s": 6})
        moving.drive("skid", speed=0.05)
        moving.advance(5)
        self.assertLess(still.summary()["distance_m"], 0.02)
        self.assertGreater(moving.summary()["distance_m"], 0.1)
        with self.assertRaisesRegex(ValueError, "did you mean 'skid'"):
            still.drive("skidd")
        with self.assertRaises(ValueError):
            still.drive("skid", speed=float("nan"))

    def test_release(self):
        plain, held = grouser.Mission("gradeability"), grouser.Mission("gradeability")
        held.drive("stop")
        held.release()
        plain.advance(2)
        held.advance(2)
        self.assertEqual(plain.data.hash, held.data.hash)


class Copies(Case):
    def test_pickle(self):
        mission = grouser.Mission("crossing", set={"stop.time_s": 4})
        mission.advance(1.5)
        other = pickle.loads(pickle.dumps(mission))
        self.assertEqual((other.time, other.outcome), (1.5, "running"))
        mission.advance(4)
        other.advance(4)
        self.assertEqual(other.data.hash, mission.data.hash)
        ended = pickle.loads(pickle.dumps(mission))
        self.assertEqual(ended.outcome, "finished")

    def test_restore(self):
        mission = grouser.Mission("step", set={"stop.time_s": 2})
        saved = mission.save()
        mission.advance(2)
        first = mission.data.hash
        mission.restore(saved)
        self.assertEqual((mission.time, mission.outcome), (0, "running"))
        mission.advance(2)
        self.assertEqual(mission.data.hash, first)
        with self.assertRaises(grouser.Error):
            mission.restore(b"nothing")

    def test_context(self):
        with grouser.Mission("step", set={"stop.time_s": 1}) as mission:
            mission.advance(0.5)
            position = mission.data.position
        gc.collect()
        self.assertTrue(np.isfinite(position).all())


class Docs(Case):
    def test_fields_are_described_by_the_headers(self):
        # written as in include/grouser/sample.h
        self.assertIn("slip_angle  [rad]", grouser.Mission("drop").sample().__doc__)
        self.assertRegex(type(grouser.Mission("drop").sample()).__doc__, r"sinkage +depth of its rut: of the rim's lowest point below the undisturbed ground \[m\]; 0 in the air")
        for struct, views in (("GrWheelSample", "wheels"), ("GrJointSample", "joints")):
            names = getattr(grouser.Mission("drop").sample(), views).dtype.names
            self.assertEqual(set(names), set(FIELDS[struct]), struct)


if __name__ == "__main__":
    unittest.main()
