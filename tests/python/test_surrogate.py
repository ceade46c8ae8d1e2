"""Datasets as NumPy reads them, and the surrogate of slip: its error and band on runs that it never saw, and its routes."""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

import numpy as np
from support import GROUSER, Case

import grouser

CAMPAIGN = """run: {{scenario: gradeability, set: [stop.time_s=5, rover=rashid_like, record.rate_Hz=5, stop.stuck_s=inf]}}
vary:
  gravity.tilt_deg: {{from: 0, to: 15}}
  gravity.toward_deg: {{from: 0, to: 360}}
  "rover:params.total_mass": {{from: 8, to: 12}}
sample: {{method: sobol, count: {count}, seed: {seed}}}
measure: {{slip: wheels.slip_mean}}
"""


def make(folder, count, seed):
    """A dataset by the command, once."""
    name = f"{folder}.yaml"
    Path(name).write_text(CAMPAIGN.format(count=count, seed=seed), encoding="utf-8")
    for _ in range(2):  # the second time everything is there
        out = subprocess.run([GROUSER, "dataset", name, "-o", folder, "--json"], check=True, capture_output=True, text=True)
        answer = json.loads(out.stdout)
    return answer


def on_fresh_runs(surrogate):
    """Mean error of the slip on runs that were not learned, and the shares of their samples that are known and in the band."""
    make("fresh", 16, 7)
    fresh = grouser.load_dataset("fresh")
    keep = fresh["time_s"] >= 1
    slip, low, high = surrogate.predict(fresh["slope_along_deg"][keep], fresh["slope_across_deg"][keep], fresh["load_N"][keep], "lunar_mare")
    known = np.isfinite(slip)
    truth = fresh["slip"][keep][known]
    return np.abs(truth - slip[known]).mean(), known.mean(), ((truth >= low[known]) & (truth <= high[known])).mean()


def learned_slip(surrogate, slope):
    """Slip and its band straight up a slope, at the load of a wheel there."""
    return [float(x) for x in surrogate.predict(slope, 0, 10 * 1.62 * np.cos(np.radians(slope)) / 4, "lunar_mare")]


class Datasets(Case):
    def test_samples_are_those_of_the_run(self):
        answer = make("few", 4, 1)
        self.assertEqual((answer["runs"], answer["kept"], answer["new"]), (4, 4, 0))
        sheet = json.loads(Path("few/datasheet.json").read_text(encoding="utf-8"))
        with np.load(sorted(Path("few").glob("run_00002_*.npz"))[0]) as arrays:
            for column in sheet["columns"]:
                self.assertIn(column["name"], arrays)
            values = dict(zip(np.char.decode(arrays["variable"]), np.char.decode(arrays["value"])))
            self.assertEqual(arrays["heights_m"].shape, (len(arrays["slip"]), 9, 9))
            ours = {name: arrays[name] for name in ("time_s", "wheel", "slip", "load_N", "slope_along_deg", "slope_across_deg")}
            heights = arrays["heights_m"]
        changes = {name.replace("rover:", "rover.set."): value for name, value in values.items() if "mass" not in name}
        changes.update({"rover": "{use: rashid_like, set: {params.total_mass: " + values["rover:params.total_mass"] + "}}"})
        changes.update({"stop.time_s": 5, "record.rate_Hz": 5, "stop.stuck_s": "inf"})
        run = grouser.run("gradeability", set=changes)
        wheel = run.wheels[1]
        own = ours["wheel"] == 1
        np.testing.assert_allclose(ours["slip"][own], run[f"{wheel}.slip"][1:], atol=1e-6)
        np.testing.assert_allclose(ours["load_N"][own], run[f"{wheel}.load_N"][1:], rtol=1e-5)
        tilt = float(values["gravity.tilt_deg"])  # the plane leans by this much, in whatever direction
        slope = np.hypot(np.sin(np.radians(ours["slope_along_deg"])), np.sin(np.radians(ours["slope_across_deg"])))
        np.testing.assert_allclose(slope, np.sin(np.radians(tilt)), atol=1e-4)
        # the patch of heights has the same slope: rows go ahead, columns to the left
        along = (heights[:, 8, 4] - heights[:, 0, 4]) / 0.4
        np.testing.assert_allclose(along, np.sin(np.radians(ours["slope_along_deg"])), atol=1e-4)

    def test_shards_together_are_the_whole(self):
        Path("part.yaml").write_text(CAMPAIGN.format(count=4, seed=3), encoding="utf-8")
        for shard in ("1/2", "2/2"):
            subprocess.run([GROUSER, "dataset", "part.yaml", "-o", "part", "--shard", shard], check=True, capture_output=True)
        self.assertEqual(len(list(Path("part").glob("run_*.npz"))), 4)
        wrong = subprocess.run([GROUSER, "dataset", "part.yaml", "--shard", "3/2"], capture_output=True, text=True, check=False)
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("--shard", wrong.stderr)


    def test_other_options_make_other_files(self):
        Path("sizes.yaml").write_text(CAMPAIGN.format(count=2, seed=5), encoding="utf-8")
        said = []
        for patch in ("3", "5"):
            out = subprocess.run([GROUSER, "dataset", "sizes.yaml", "-o", "sizes", "--patch", patch, "--json"], check=True, capture_output=True, text=True)
            self.assertEqual(json.loads(out.stdout)["new"], 2)
            said.append(out.stderr)
        self.assertNotIn("2 of its", said[0])
        self.assertIn("2 of its 4 files are not runs of this campaign", said[1])


class Doubts(Case):
    def test_slip_that_nothing_explains_is_doubted(self):
        random = np.random.default_rng(1)
        os.mkdir("noise")
        for run in range(12):
            columns = {name: random.uniform(1, 5, 40) for name in ("slope_along_deg", "slope_across_deg", "load_N")}
            np.savez(f"noise/run_{run}.npz", **columns, slip=random.uniform(0, 1, 40), time_s=np.full(40, 2.0), rock=np.zeros(40),
                     soil=np.full(40, b"sand"))
        with self.assertWarnsRegex(UserWarning, "do not rely on the predictions"):
            grouser.SlipSurrogate.fit("noise")


class Surrogates(Case):
    def setUp(self):
        super().setUp()
        make("learn", 64, 1)
        self.surrogate = grouser.SlipSurrogate.fit("learn")

    def test_error_and_band_hold_on_fresh_runs(self):
        error, known, inside = on_fresh_runs(self.surrogate)
        self.assertGreater(known, 0.8)
        self.assertLess(error, 0.02)
        self.assertGreater(inside, 0.75)  # 0.9 for exchangeable samples; those of a run are not independent
        self.assertGreater(self.surrogate.report["explained"], 0.8)

    def test_slip_is_that_of_steady_drives(self):
        command = "test gradeability rashid_like --soil lunar_mare --gravity moon --uncertainty 0 --json"
        points = json.loads(subprocess.run([GROUSER, *command.split()], check=True, capture_output=True, text=True).stdout)["points"]
        for slope in (5, 10):
            steady = next(p["slip"] for p in points if p["direction"] == "up" and p["slope_deg"] == slope)
            slip, low, high = learned_slip(self.surrogate, slope)
            self.assertAlmostEqual(slip / steady, 1, delta=0.1)
            self.assertTrue(low <= steady <= high)

    def test_slip_grows_with_the_slope(self):
        slip, low, high = self.surrogate.predict([0, 4, 8, 12], 0, 4, "lunar_mare")
        self.assertTrue(np.all(np.diff(slip) > 0))
        self.assertTrue(np.all(low <= high))
        self.assertTrue(np.isnan(self.surrogate.predict(40, 0, 4, "lunar_mare")[0]))
        with self.assertRaises(KeyError):
            self.surrogate.predict(0, 0, 4, "butter")

    def test_route_goes_around_a_hill(self):
        y, x = np.mgrid[0:40, 0:40] * 0.5
        hill = 1.6 * np.exp(-((x - 10) ** 2 + (y - 9.7) ** 2) / 14)
        way, cost = self.surrogate.route(hill, 0.5, (20, 2), (20, 37), load_N=4, soil="lunar_mare")
        flat, level = self.surrogate.route(0 * hill, 0.5, (20, 2), (20, 37), load_N=4, soil="lunar_mare")
        self.assertEqual((tuple(way[0]), tuple(way[-1])), ((20, 2), (20, 37)))
        slip = self.surrogate.predict(0, 0, 4, "lunar_mare")[2]
        self.assertAlmostEqual(level, 17.5 / (1 - slip), places=6)  # straight: 35 steps of 0.5 m over 1 - slip
        self.assertGreater(cost, level)
        self.assertGreater(hill[20].max() / 2, hill[way[:, 0], way[:, 1]].max())
        none, infinite = self.surrogate.route(np.where(x > 10, 30.0, 0.0), 0.5, (20, 2), (20, 37), load_N=4, soil="lunar_mare")
        self.assertEqual((len(none), infinite), (0, float("inf")))

    def test_saves(self):
        self.surrogate.save("slip.json")
        again = grouser.SlipSurrogate.load("slip.json")
        np.testing.assert_array_equal(again.predict(5, 1, 4, "lunar_mare"), self.surrogate.predict(5, 1, 4, "lunar_mare"))

    def test_faults(self):
        Path("empty").mkdir(exist_ok=True)
        with self.assertRaises(grouser.Error):
            grouser.SlipSurrogate.fit("empty")


def print_figures():
    """For tools/doc-figures."""
    make("learn", 64, 1)
    surrogate = grouser.SlipSurrogate.fit("learn")
    print(json.dumps({"error": on_fresh_runs(surrogate)[0], "slip": learned_slip(surrogate, 10)[0]}))


if __name__ == "__main__":
    if "--json" in sys.argv:
        print_figures()
    else:
        unittest.main()
