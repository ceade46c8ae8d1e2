#!/usr/bin/env python3
"""Sensors of a mission: the numbers and arrays of the files that `grouser run` writes, at the times of delivery."""

import csv
import pickle
import struct
import tempfile
import unittest
import zlib
from pathlib import Path

import numpy as np
from support import Case

import grouser

SET = {"rover": "rashid_like_sensing", "stop.time_s": 2.5}


def read_csv(path):
    with path.open() as file:
        return [{k: float(v) if v else float("nan") for k, v in row.items()} for row in csv.DictReader(file)]


def paeth(a, b, c):
    p = a + b - c
    distance = [(abs(p - a), a), (abs(p - b), b), (abs(p - c), c)]
    return min(distance, key=lambda each: each[0])[1]


def read_png(path):
    """A grey PNG whose rows all have the Paeth filter."""
    data, at, packed, head = path.read_bytes(), 8, b"", None
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        head = struct.unpack_from(">IIBB", data, at + 8) if kind == b"IHDR" else head
        packed += data[at + 8 : at + 8 + size] if kind == b"IDAT" else b""
        at += 12 + size
    columns, rows, bits, _ = head
    step, size, raw = bits // 8, columns * bits // 8, zlib.decompress(packed)
    above, pixels = [0] * size, []
    for i in range(rows):
        line = raw[i * (size + 1) : (i + 1) * (size + 1)]
        assert line[0] == 4, "another filter"
        row = []
        for k, byte in enumerate(line[1:]):
            left, corner = (row[k - step], above[k - step]) if k >= step else (0, 0)
            row.append((byte + paeth(left, above[k], corner)) & 255)
        pixels += row
        above = row
    return np.frombuffer(bytes(pixels), ">u2" if bits == 16 else "u1").reshape(rows, columns)


class Sensors(Case):
    def test_equals_the_files_of_a_run(self):
        with tempfile.TemporaryDirectory() as folder:
            result = grouser.run("rock_field", set=SET, output=folder)
            files = Path(folder) / "sensors"
            mission = grouser.Mission("rock_field", set=SET, sensors=True)
            taken = {}
            mission.record()
            first = {name: m for name, m in mission.sensors.items() if m is not None}
            for k in range(1, 51):  # as the run, in which a step ends at each sample
                mission.advance(k * (1 / 20), each=lambda m: taken.setdefault(m.sensor, []).append(m))
                mission.record()
            self.assertEqual(mission.data.hash, result.state_hash)
            self.assertEqual(len(taken["imu"]), 250)
            for name in ("imu", "encoder_front_left", "level"):
                rows = read_csv(files / f"{name}.csv")
                self.assertEqual(len(rows), len(taken[name]))
                for row, m in zip(rows, taken[name]):
                    self.assertAlmostEqual(row["time_s"], m.time, delta=1e-8)
                    for column, value in m.values.items():
                        np.testing.assert_allclose(value, row[column], rtol=1e-8, atol=1e-12)
            self.assertEqual(sorted(first), ["camera", "lidar", "sun"])  # others measure over an interval or come later
            camera = first["camera"]
            np.testing.assert_array_equal(camera.grey, read_png(files / "camera_000000.png"))
            depth = read_png(files / "camera_000000_depth.png") / 1000
            seen = ~np.isnan(camera.depth)
            np.testing.assert_allclose(camera.depth[seen], depth[seen], atol=0.51e-3)
            lidar = first["lidar"]
            self.assertEqual(lidar.points.shape, (32, 720, 3))
            ply = (files / "lidar_000000.ply").read_bytes().split(b"end_header\n", 1)[1]
            np.testing.assert_array_equal(lidar.cloud, np.frombuffer(ply, "<f4").reshape(-1, 3))
            self.assertEqual(len(lidar.cloud), lidar["returns"])
            np.testing.assert_allclose(np.linalg.norm(lidar.cloud, axis=1), lidar.ranges[~np.isnan(lidar.ranges)], rtol=1e-6)

    def test_latency(self):
        mission = grouser.Mission("rock_field", set=SET, sensors=True)
        self.assertIsNone(mission.sensors["odometry"])
        mission.advance(1.4)
        self.assertIsNone(mission.sensors["odometry"])  # of 1 s, and late by 0.5 s
        mission.advance(1.5)
        self.assertEqual((mission.sensors["odometry"].time, mission.sensors["odometry"].delivered), (1, 1.5))
        self.assertEqual(mission.sensors["stars"].time, 0)

    def test_localisation(self):
        calm = {**SET, "rover:sensors.odometry.latency_s": 0}  # so that the estimate is of now
        mission = grouser.Mission("rock_field", set=calm, sensors=True)
        mission.advance(2)
        sample, imu = mission.sample().body.localisation, mission.sensors["imu"]
        self.assertEqual((imu.time, sample["delay"]), (2, 0))
        off = np.array([sample["position"][axis] for axis in "xyz"]) - imu.position
        self.assertAlmostEqual(np.hypot(off[0], off[1]), sample["error"], delta=1e-12)
        self.assertAlmostEqual(off[2], sample["error_up"], delta=1e-12)
        self.assertTrue(0 < sample["error"] < 4 * sample["sigma"] < 0.2)
        with tempfile.TemporaryDirectory() as folder:
            result = grouser.run("rock_field", set=calm, output=folder)
            self.assertAlmostEqual(result["localisation.error_m"][40], sample["error"], delta=1e-4)  # other steps
            self.assertEqual(result.summary["localisation"]["error_m"], result["localisation.error_m"][-1])
            self.assertIn("error of localisation", (Path(folder) / "report.html").read_text())
            with (Path(folder) / "run.csv").open() as file:
                row = next(csv.DictReader(file))
            self.assertAlmostEqual(float(row["localisation.error_m"]), result["localisation.error_m"][0], delta=1e-6)
            self.assertGreater(float(row["localisation.error_m"]), 0)  # it starts with an error
        self.assertNotIn("localisation.error_m", grouser.run("rock_field", set={**calm, "stop.time_s": 0.1}).table.dtype.names)

    def test_names_and_switch(self):
        mission = grouser.Mission("rock_field", set=SET, sensors=True)
        with self.assertRaisesRegex(KeyError, "lidar"):
            mission.sensors["lidr"]
        with self.assertRaisesRegex(KeyError, "nearest_m"):
            mission.sensors["lidar"]["nearest"]
        self.assertEqual(len(mission.sensors), 12)
        with self.assertRaisesRegex(ValueError, "sensors=True"):
            grouser.Mission("rock_field", set=SET).sensors["imu"]
        with self.assertRaisesRegex(ValueError, "leaves sensors out"):
            grouser.Mission("rock_field", set={**SET, "record.sensors": False}, sensors=True)

    def test_pickle(self):
        mission = grouser.Mission("rock_field", set=SET, sensors=True)
        mission.advance(0.5)
        copy = pickle.loads(pickle.dumps(mission))
        mission.advance(1)
        copy.advance(1)
        self.assertEqual(copy.data.hash, mission.data.hash)
        self.assertEqual(copy.sensors["imu"].time, 1)


if __name__ == "__main__":
    unittest.main()
