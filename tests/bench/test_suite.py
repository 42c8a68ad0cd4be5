#!/usr/bin/env python3
"""test_suite.py BIN WORK: the whole suite on its smallest scenes, with our engine and the others with a runner that was built.
What it says is checked for its form and for what must hold for every engine; never for time."""
import json
import os
import subprocess
import sys
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
# pylint: disable=wrong-import-position
from catalogue import ENGINES, SCENES, Places, columns_of, scene_make, skip_reason
from runners import Failed, Runner, TooSlow

BIN, WORK = sys.argv.pop(1), sys.argv.pop(1)
NODE = os.path.join(WORK, "no_node")
PLACES = Places(bin=BIN, node=NODE, work=WORK)
BUILT = [engine.name for engine in ENGINES if os.path.exists(engine.path(PLACES))]


def suite(*words):
    return subprocess.run([sys.executable, "-B", os.path.join(HERE, "suite.py"), "--bin", BIN, "--node", NODE, "--work", WORK, *words],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, text=True)


def scene(name):
    return next(scene for scene in SCENES if scene.name == name)


def runner():
    return Runner(ENGINES[0].command(PLACES))


class Suite(unittest.TestCase):
    def test_small_scenes(self):
        figures, picture = os.path.join(WORK, "figures.json"), os.path.join(WORK, "picture.svg")
        done = suite("--only", "gas_a_100", "--only", "pairs", "--repeat", "2", "--json", figures, "--svg", picture)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(figures, encoding="utf-8") as file:
            summary = json.load(file)
        self.assertEqual([scene["name"] for scene in summary["scenes"]], ["gas_a_100", "pairs"])
        for result in summary["scenes"]:
            self.assertEqual(list(result["cells"]), BUILT)
            ours = result["cells"]["collided"]
            self.assertEqual(ours["faults"], [])
            self.assertEqual(len(ours["repeat_medians_ms"]), 2)
            self.assertGreater(ours["median_ms"], 0)
            self.assertGreaterEqual(ours["p99_ms"], ours["median_ms"])
            self.assertEqual(ours["ours_by_this"]["median"], 1)
            self.assertLess(abs(ours["verdict"]["energy_drift"]), 1e-12)
        pairs = summary["scenes"][1]["cells"]["collided"]["verdict"]
        if pairs["whole"]:
            self.assertEqual((pairs["pairs_hit"], pairs["pairs"]), (1000, 1000))
            self.assertLess(pairs["pair_error_max"], 1e-12)
        self.assertIn("collided", done.stdout)
        for engine in ENGINES:
            if engine.name not in BUILT:
                self.assertIn(engine.title, done.stderr)
        with open(picture, encoding="utf-8") as file:
            self.assertTrue(file.read().endswith("</svg>\n"))
        # Told again from what was kept.
        again = suite("--from", os.path.join(WORK, "run.json"))
        self.assertEqual((again.returncode, again.stdout), (0, done.stdout))

    def test_wrong_words(self):
        for words in (("--only", "no_such_scene"), ("--engines", "no_such_engine"), ("--repeat", "0"), ("--no-such-option",)):
            self.assertNotEqual(suite(*words).returncode, 0)

    def test_list_names_everything(self):
        names = [line.split()[0] for line in suite("--list").stdout.splitlines()]
        self.assertEqual(names, [row.name for row in SCENES + ENGINES])
        self.assertEqual(len(set(names)), len(names))


class Runners(unittest.TestCase):
    def test_errors_are_told(self):
        with runner() as own:
            with self.assertRaises(Failed):
                own.ask("load /no/such/scene", 60)
            with self.assertRaises(Failed):
                own.ask("step 1 1000", 60)

    def test_what_is_too_slow_is_killed(self):
        begin = time.monotonic()
        sleeper = "import sys, time; print('runner slow 1\\nready', flush=True); time.sleep(1000)"
        with Runner([sys.executable, "-c", sleeper]) as slow:
            with self.assertRaises(TooSlow):
                slow.ask("step 1 1000", 0.2)
        self.assertIsNotNone(slow.process.returncode)
        self.assertLess(time.monotonic() - begin, 500)

    def test_limit_of_time_ends_between_ticks(self):
        path = scene_make(scene("gas_a_100"), PLACES)
        with runner() as own:
            self.assertEqual(own.ask(f"load {path}", 60)[:2], [1, 100])
            self.assertEqual(own.ask("step 5 0", 60), [0])
            answer = own.ask("step 5 60000", 120)
            self.assertEqual((answer[0], len(answer)), (5, 6))

    def test_traces_are_the_same_however_often(self):
        path, traces = scene_make(scene("gas_a_100"), PLACES), []
        for name in ("first", "second"):
            trace = os.path.join(WORK, name)
            with runner() as own:
                own.ask(f"load {path}", 60)
                self.assertEqual(own.ask(f"trace {trace} 20 60000", 120), [20])
            with open(trace, "rb") as file:
                traces.append(file.read())
        self.assertEqual(len(traces[0]), 21 * 100 * 32)
        self.assertEqual(traces[0], traces[1])

    def test_judge_refuses_half_a_frame(self):
        path, trace = scene_make(scene("gas_a_100"), PLACES), os.path.join(WORK, "half")
        with open(trace, "wb") as file:
            file.write(bytes(100 * 32 + 1))
        done = subprocess.run([os.path.join(BIN, "bench_judge"), path, trace], stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"does not end with a frame", done.stderr)


class Catalogue(unittest.TestCase):
    def test_what_is_left_out_has_a_reason(self):
        planck = next(engine for engine in ENGINES if engine.name == "planck")
        self.assertIn("20,000", skip_reason(scene("gas_a_100k"), planck))
        self.assertIsNone(skip_reason(scene("gas_a_10k"), planck))
        self.assertIn("2,000", skip_reason(scene("pile_5k"), planck))
        self.assertIsNone(skip_reason(scene("pile_1k"), planck))

    def test_columns_of_an_import(self):
        rows = columns_of({"circleColumns": {"count": 2, "x": [1, 2], "radius": [8]}}, "circle", ("x", "y", "radius"), (0, 0, 1))
        self.assertEqual(rows, [[1, 0, 8], [2, 0, 8]])
        self.assertEqual(columns_of({"circles": [{"y": 5}]}, "circle", ("x", "y", "radius"), (0, 0, 1)), [[0, 5, 1]])


if __name__ == "__main__":
    os.makedirs(WORK, exist_ok=True)
    unittest.main()
