#!/usr/bin/env python3
"""Model, Data, Soil and Terrain: mechanics that are known, views without copies, pickling."""

import gc
import pickle
import threading
import unittest

import numpy as np
from support import Case

import grouser


class Motion(Case):
    def test_free_fall(self):
        model = grouser.Model("curiosity_like")
        data = model.data()
        data.step(200)
        # the default integrator is of first order: g t (t + dt) / 2
        self.assertAlmostEqual(data.time, 1)
        self.assertAlmostEqual(data.position[2], -9.80665 * 1 * 1.005 / 2, places=9)
        np.testing.assert_allclose(data.velocity[:3], [0, 0, -9.80665], atol=1e-9)

    def test_loads_carry_the_weight(self):
        model = grouser.Model("rashid_like", "ishigami2007", gravity="moon")
        data = model.data()
        self.assertLess(data.settle()["residual"], 1e-6)
        load = sum(data.wheel(wheel)["world_force"]["z"] for wheel in model.wheels)
        self.assertAlmostEqual(load / (data.balance()["mass"] * 1.62), 1, places=6)

    def test_views_follow_the_state(self):
        data = grouser.Model("rashid_like").data()
        height = data.position
        self.assertEqual(height[2], 0)
        data.step(10)
        self.assertLess(height[2], 0)
        self.assertTrue(np.shares_memory(height, data.position))
        with self.assertRaises(ValueError):
            height[2] = 1
        before = height[2]
        del data
        gc.collect()
        self.assertEqual(height[2], before)

    def test_context(self):
        with grouser.Model("rashid_like").data() as data:
            data.step()
            view = data.velocity
        self.assertIsNone(data._c)
        self.assertLess(view[2], 0)

    def test_joints_and_pose(self):
        model = grouser.Model("curiosity_like")
        data = model.data()
        name = next(joint for joint in model.joints if "steer" in joint)
        data.set_joint(name, 0.2, 0.1)
        np.testing.assert_allclose(data.joint(name), (0.2, 0.1))
        data.base_position = (1, 2, 3)
        data.base_rotation = (2, 0, 0, 0)
        np.testing.assert_array_equal(data.position[:7], [1, 2, 3, 1, 0, 0, 0])
        data.forward()
        np.testing.assert_allclose(data.body_pose(model.bodies[0])[0], [1, 2, 3])
        with self.assertRaisesRegex(KeyError, "did you mean"):
            data.joint(name[:-1])
        with self.assertRaises(IndexError):
            data.wheel(99)

    def test_wrong_input(self):
        with self.assertRaisesRegex(grouser.Error, "did you mean 'moon'"):
            grouser.Model("rashid_like", gravity="mon")
        with self.assertRaisesRegex(grouser.Error, "did you mean"):
            grouser.Model("rashid_like", integrator="linea")
        with self.assertRaises(grouser.Error):
            grouser.Model("rashid_like", step=-1)
        with self.assertRaisesRegex(grouser.Error, "needs a soil"):
            grouser.Model("rashid_like", terrain=grouser.Terrain(np.zeros((2, 2)), 1))
        with self.assertRaises(ValueError):
            grouser.Model("rashid_like").data().step(-1)


    def test_soil_under_another_gravity(self):
        with self.assertWarnsRegex(grouser.GrouserWarning, "fitted under"):
            grouser.Model("curiosity_like", "mars_dlr_drift", gravity="mars")


class Copies(Case):
    def test_save_and_restore(self):
        model = grouser.Model("rashid_like", "ishigami2007", gravity="moon")
        data = model.data()
        data.settle()
        data.step(20)
        saved, copy, pickled = data.save(), data.copy(), pickle.loads(pickle.dumps(data))
        data.step(50)
        for other in (copy, pickled):
            other.step(50)
            self.assertEqual(other.hash, data.hash)
        end = data.hash
        data.restore(saved)
        self.assertNotEqual(data.hash, end)
        data.step(50)
        self.assertEqual(data.hash, end)
        with self.assertRaises(grouser.Error):
            data.restore(saved[:100])

    def test_threads_share_a_model(self):
        model = grouser.Model("rashid_like", "ishigami2007", gravity="moon")
        hashes = []

        def work():
            data = model.data()
            data.settle()
            data.step(300)
            hashes.append(data.hash)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((len(hashes), len(set(hashes))), (4, 1))


class Soils(Case):
    def test_parameters(self):
        soil = grouser.Soil("ishigami2007")
        self.assertEqual((soil.k_phi, soil.law), (814000, "wong_reece"))
        self.assertIn("Ishigami", soil.source_of("k_phi"))
        other = grouser.Soil("ishigami2007", set={"phi": 30}, law="bekker")
        self.assertAlmostEqual(other.friction_angle, np.radians(30))
        self.assertEqual((other.law, pickle.loads(pickle.dumps(other)).to_dict()), ("bekker", other.to_dict()))
        with self.assertRaises(AttributeError):
            soil.n0 = 2
        with self.assertRaisesRegex(AttributeError, "did you mean 'k_phi'"):
            _ = soil.kphi

    def test_file(self):
        grouser.Soil("ishigami2007", set={"phi": 31}).save("own.yaml")
        self.assertAlmostEqual(grouser.Soil("./own.yaml").friction_angle, np.radians(31), places=12)

    def test_wrong_input(self):
        with self.assertRaisesRegex(grouser.Error, "did you mean 'ishigami2007'"):
            grouser.Soil("ishigami2070")
        with self.assertRaises(grouser.Error):
            grouser.Soil("ishigami2007", set={"n0": -1})
        with self.assertRaisesRegex(grouser.Error, "did you mean 'bekker'"):
            grouser.Soil("ishigami2007", law="beker")


class Terrains(Case):
    def test_heights(self):
        x = np.arange(0.0, 11)
        terrain = grouser.Terrain(0.1 * x[np.newaxis, :] + 0.02 * x[:, np.newaxis], 1, x0=-5, y0=-5)
        self.assertEqual(terrain.box, (-5, -5, 5, 5))
        self.assertAlmostEqual(terrain.height(0.5, 1.5), 0.1 * 5.5 + 0.02 * 6.5)
        grid = terrain.height(np.array([[-1.0], [2.0]]), np.array([0.0, 1, 20]))
        self.assertEqual(grid.shape, (2, 3))
        self.assertTrue(np.isnan(grid[:, 2]).all())
        np.testing.assert_allclose(grid[:, 1], [0.1 * 4 + 0.02 * 6, 0.1 * 7 + 0.02 * 6])
        normal = terrain.normal(1.3, 0.7)
        np.testing.assert_allclose(normal, np.array([-0.1, -0.02, 1]) / np.linalg.norm([0.1, 0.02, 1]))
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(terrain)).height(x, x), terrain.height(x, x))

    def test_rover_on_a_slope(self):
        x = np.array([-10.0, 10])
        terrain = grouser.Terrain(np.tile(0.1 * x, (2, 1)), 20, x0=-10, y0=-10)
        model = grouser.Model("rashid_like", "ishigami2007", terrain=terrain, gravity="moon")
        del terrain
        gc.collect()
        data = model.data()
        data.base_position = (0, 0, 0.3)
        data.settle()
        w, x, y, z = data.base_rotation
        pitch = np.arcsin(2 * (w * y - z * x))
        self.assertAlmostEqual(pitch, -np.arctan(0.1), delta=0.01)

    def test_wrong_input(self):
        with self.assertRaises(ValueError):
            grouser.Terrain(np.zeros(5), 1)
        with self.assertRaises(grouser.Error):
            grouser.Terrain(np.zeros((5, 5)), -1)
        with self.assertRaises(grouser.Error):
            grouser.Terrain.open("nowhere.tif")


if __name__ == "__main__":
    unittest.main()
