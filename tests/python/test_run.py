#!/usr/bin/env python3
"""grouser.run(): the numbers of `grouser run`, bad input, threads, Ctrl-C."""

import math
import os
import pickle
import signal
import threading
import time
import unittest
import warnings
from pathlib import Path

import numpy as np
from support import Case, command_run

import grouser

# Minutes of wall time, if nothing stops it.
LONG = """rover: rashid_like
soil: ishigami2007
gravity: moon
drive: {speed_mps: 0.1, path: [[90, 0]]}
stop: {time_s: 900}
step: {pace: fixed, step_ms: 0.1}
"""
WALL = ("wall_time_s", "real_time_factor")


def without_wall_time(summary):
    return {key: value for key, value in summary.items() if key not in WALL}


class Numbers(Case):
    def test_summary_is_that_of_the_command(self):
        for scenario, settings in (("step", {"stop.time_s": 3}), ("crossing", {"stop.time_s": 2, "soil:phi": 30, "gravity": "moon"})):
            theirs, _ = command_run(scenario, *(f"{key}={value}" for key, value in settings.items()))
            ours = grouser.run(scenario, set=settings)
            self.assertEqual(without_wall_time(ours.summary), without_wall_time(theirs))
            self.assertEqual(ours.state_hash, theirs["state_hash"])

    def test_table_is_run_csv(self):
        _, rows = command_run("mixed_soils", "stop.time_s=2")
        result = grouser.run("mixed_soils", set={"stop.time_s": 2})
        self.assertEqual(list(result.table.dtype.names), rows[0])
        self.assertEqual(len(result), len(rows) - 1)
        for i, name in enumerate(rows[0]):
            cells = [row[i] for row in rows[1:]]
            if name in result.labels:
                self.assertEqual(result.texts_of(name), cells, name)
                continue
            theirs = np.array([float(cell) if cell else math.nan for cell in cells])
            # the file has 9 significant digits or more
            np.testing.assert_allclose(result[name], theirs, rtol=1e-8, atol=1e-12, err_msg=name)

    def test_files(self):
        result = grouser.run("step", set={"stop.time_s": 1}, output=Path("out"))
        self.assertEqual(result.output, Path("out"))
        for name in ("run.csv", "run.mcap", "summary.json", "report.html", "replay.bin"):
            self.assertTrue(Path("out", name).stat().st_size > 0, name)

    def test_table_outlives_the_result(self):
        table = grouser.run("step", set={"stop.time_s": 1}).table
        for _ in range(5):
            grouser.run("step", set={"stop.time_s": 1})
        self.assertEqual(table["time_s"][-1], 1)
        self.assertFalse(table.flags.writeable)

    def test_display(self):
        result = grouser.run("step", set={"stop.time_s": 1})
        self.assertIn(result.state_hash, result._repr_html_())
        self.assertIn("finished after 1 s", repr(result))
        try:
            frame = result.to_pandas()
        except ImportError:
            return
        self.assertEqual(frame.shape, (len(result), len(result.table.dtype.names)))

    def test_plot(self):
        try:
            import matplotlib
        except ImportError:
            self.skipTest("matplotlib is not installed")
        matplotlib.use("Agg")
        result = grouser.run("step", set={"stop.time_s": 1})
        axes = result.plot("slip", "pitch_deg")
        self.assertEqual([len(axis.lines) for axis in axes], [6, 1])
        with self.assertRaises(KeyError):
            result.plot("slippp")


class Errors(Case):
    def test_unknown_scenario(self):
        with self.assertRaisesRegex(grouser.Error, "did you mean 'step'"):
            grouser.run("stepp")

    def test_place_of_a_wrong_value(self):
        Path("bad.yaml").write_text("rover: rashid_like\nsoil: ishigami2007\ngravity: moon\ndrive: {speed_mps: fast}\n", encoding="utf-8")
        with self.assertRaises(grouser.Error) as caught:
            grouser.run("bad.yaml")
        error = caught.exception
        self.assertEqual((Path(error.file).name, error.line), ("bad.yaml", 4))
        self.assertIn("speed_mps", error.field)
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((again.line, str(again)), (4, str(error)))

    def test_unknown_override(self):
        with self.assertRaisesRegex(grouser.Error, "did you mean 'phi_deg'"):
            grouser.run("step", set={"soil:phii": 3})

    def test_unknown_column(self):
        with self.assertRaisesRegex(KeyError, "did you mean 'time_s'"):
            grouser.run("step", set={"stop.time_s": 0.1})["tim_s"]

    def test_warnings_point_at_the_caller(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            grouser.run("step", set={"stop.time_s": 0.1, "soil": "ishigami2007"})
        self.assertTrue(any("fitted under" in str(w.message) for w in caught))
        self.assertEqual({Path(w.filename).name for w in caught}, {"test_run.py"})


class Threads(Case):
    def test_runs_in_threads_are_equal(self):
        results = {}

        def work(key):
            results[key] = grouser.run("crossing", set={"stop.time_s": 2}).state_hash

        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(results), 4)
        self.assertEqual(set(results.values()), {grouser.run("crossing", set={"stop.time_s": 2}).state_hash})

    def test_other_threads_go_on(self):
        counts = []
        thread = threading.Thread(target=lambda: counts.append(grouser.run("step")), daemon=True)
        thread.start()
        turns = 0
        while thread.is_alive():
            turns += 1
            time.sleep(0.001)
        self.assertGreater(turns, 10)

    def test_interrupt(self):
        Path("long.yaml").write_text(LONG, encoding="utf-8")
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        try:
            with self.assertRaises(KeyboardInterrupt):
                grouser.run("long.yaml")
        finally:
            timer.cancel()
            timer.join()
        self.assertEqual(grouser.run("step", set={"stop.time_s": 0.1}).outcome, "finished")


if __name__ == "__main__":
    unittest.main()
