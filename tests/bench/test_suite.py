#!/usr/bin/env python3
"""test_suite.py BIN WORK: the whole suite on its smallest scenes, with our engine and the others with a runner that was built.
What it says is checked for its form and for what must hold for every engine; never for time."""
import json
import math
import os
import struct
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
# pylint: disable=wrong-import-position
from catalogue import ENGINES, SCENES, WORKS, Places, columns_of, scene_make, skip_reason
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
            self.assertEqual(len(ours["repeat_means_ms"]), 2)
            self.assertGreater(ours["mean_ms"], 0)
            self.assertGreaterEqual(ours["max_ms"], ours["p99_ms"])
            self.assertEqual(ours["ours_by_this"]["mean"], 1)
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

    def test_ticks_that_are_judged_but_not_timed(self):
        raw = os.path.join(WORK, "lead.json")
        done = suite("--only", "room_tick", "--only", "gas_a_100", "--engines", "collided", "--repeat", "1", "--thread-time", "--raw", raw)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(raw, encoding="utf-8") as file:
            cells = [result["cells"]["collided"] for result in json.load(file)["scenes"]]
        for cell, ticks, lead in zip(cells, (400, 400), (4, 0)):
            self.assertLessEqual(len(cell["repeats"][0]), ticks)
            self.assertLessEqual(cell["verdict"]["frames"], ticks + lead)
            if cell["verdict"]["whole"]:
                self.assertEqual(cell["verdict"]["frames"], ticks + lead)

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
        sleeper = "import sys, time; print('runner slow 1\\nready', flush=True); time.sleep(1000000)"
        with Runner([sys.executable, "-c", sleeper]) as slow:
            with self.assertRaises(TooSlow):
                slow.ask("step 1 1000", 0.2)
        self.assertIsNotNone(slow.process.returncode)

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
                self.assertEqual(own.ask(f"trace 20 60000 {trace}", 120), [20])
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


class Works(unittest.TestCase):
    def states(self, commands, name="room_tick"):
        """Of all circles in the tick after these commands."""
        path, trace = scene_make(scene(name), PLACES), os.path.join(WORK, "works")
        with runner() as own:
            own.ask(f"load {path}", 60)
            for command in commands:
                own.ask(command, 120)
            own.ask(f"trace 1 60000 {trace}", 120)
        with open(trace, "rb") as file:
            return file.read()

    def test_each_is_timed(self):
        path = scene_make(scene("room_tick"), PLACES)
        with runner() as own:
            for work in WORKS:
                own.ask(f"load {path}", 60)
                if work == "step":
                    continue
                answer = own.ask(f"work {work} 3 60000", 120)
                self.assertEqual((answer[0], len(answer)), (3, 4))
            own.ask(f"load {path}", 60)
            with self.assertRaises(Failed):
                own.ask("work nonsense 1 1000", 60)

    def test_a_restore_is_the_state_of_the_snapshot(self):
        # A restore comes after a snapshot and one tick, so that it is back where it began.
        self.assertEqual(self.states(["step 7 60000"]), self.states(["step 7 60000", "work restore 3 60000"]))

    def test_a_return_is_to_the_state_that_was_kept(self):
        for name in ("room_tick", "heap_tick"):
            here = self.states(["step 7 60000"], name)
            self.assertEqual(here, self.states(["step 7 60000", "work return 3 60000"], name))
            # Eight ticks forward from there, each time: where eight ticks lead that never went back.
            ahead = self.states(["step 31 60000"], name)
            self.assertEqual(ahead, self.states(["step 7 60000", "work eight 3 60000"], name))

    def test_keeping_changes_nothing(self):
        self.assertEqual(self.states(["step 8 60000"]), self.states(["step 7 60000", "work keep 1 60000"]))

    def test_a_snapshot_changes_nothing(self):
        self.assertEqual(self.states(["step 8 60000"]), self.states(["step 7 60000", "work snapshot 1 60000"]))

    def test_players_are_steered(self):
        raw = self.states([], "game")
        count = len(raw) // 2 // 32
        with open(os.path.join(WORK, "game.scene"), "rb") as file:
            table = file.read()[-600 * 64 * 16:]
        # Those that hit nothing in the first tick fly with the velocity of the table's first row.
        first = struct.iter_unpack("<4d", raw[32 * count:])
        rows = struct.iter_unpack("<2d", table[:64 * 16])
        steered = sum((vx, vy) == row for (_, _, vx, vy), row in zip(list(first)[:64], rows))
        self.assertGreater(steered, 40)


def scene_rows(name):
    """Circles and walls of a scene's first world, as tuples."""
    with open(scene_make(scene(name), PLACES), "rb") as file:
        data = file.read()
    circles, walls = struct.unpack_from("<2Q", data, 80)
    at = 96 + 64 * circles
    return list(struct.iter_unpack("<8d", data[96:at])), list(struct.iter_unpack("<6d", data[at:at + 48 * walls]))


class Scenes(unittest.TestCase):
    NEW = ("uneven_100", "uneven_10", "clusters_1", "clusters_4", "clusters_20", "clusters_100", "forming", "fight", "fight_wide",
           "game", "pegs", "rooms_walls_4", "rooms_walls_32", "rooms_walls_128", "rooms_map_tick", "room_tick", "heap_tick")

    def test_nothing_overlaps_at_the_start(self):
        for name in self.NEW:
            circles, walls = scene_rows(name)
            self.assertEqual(len(circles), scene(name).circles // scene(name).rooms)
            cells = {}
            for i, (x, y, _, _, radius, *_) in enumerate(circles):
                for column in range(int(x // 1) - 1, int(x // 1) + 2):
                    for row in range(int(y // 1) - 1, int(y // 1) + 2):
                        for k in cells.get((column, row), ()):
                            self.assertGreaterEqual(math.dist((x, y), circles[k][:2]), radius + circles[k][4], (name, i, k))
                cells.setdefault((int(x // 1), int(y // 1)), []).append(i)
            for wall in walls if len(circles) < 2000 else ():
                for x, y, _, _, radius, *_ in circles:
                    self.assertGreaterEqual(wall_distance(wall, x, y), radius, name)

    def test_crowds_are_as_wide_as_they_should_be(self):
        def width(circles):
            xs = [circle[0] for circle in circles]
            return max(xs) - min(xs)
        circles, walls = scene_rows("uneven_100")
        block, side = width(circles[:5000]), width([wall[0:1] for wall in walls])
        self.assertAlmostEqual(block / (side / 100), 1, delta=0.02)
        self.assertAlmostEqual(width(circles[5000:]) / side, 1, delta=0.02)
        self.assertAlmostEqual(5000 * math.pi * 0.25 / (side / 100) ** 2, 0.6, delta=1e-6)
        # The crowd to be is ten times as wide as a block, and twice as wide after 240 ticks.
        circles, _ = scene_rows("forming")
        self.assertAlmostEqual(width(circles[:5000]) / block, 10, delta=0.2)
        after = [(circle[0] + circle[2] * 240 / 60,) for circle in circles[:5000]]
        self.assertAlmostEqual(width(after) / block, 2, delta=0.05)
        # Blocks of 500 are 26 wide: each meets nine squares of 40 at most, and nothing is anywhere else.
        circles, _ = scene_rows("clusters_20")
        spots = {(int(circle[0] // 40), int(circle[1] // 40)) for circle in circles}
        self.assertLess(len(spots), 20 * 9)

    def test_pegs_are_static(self):
        circles, _ = scene_rows("pegs")
        self.assertEqual([sum(circle[5] == math.inf for circle in circles), sum(circle[5] == 1 for circle in circles)], [1000, 500])


def wall_distance(wall, x, y):
    x1, y1, x2, y2 = wall[:4]
    ux, uy = x2 - x1, y2 - y1
    t = min(1, max(0, ((x - x1) * ux + (y - y1) * uy) / (ux * ux + uy * uy)))
    return math.hypot(x - x1 - t * ux, y - y1 - t * uy)


class Catalogue(unittest.TestCase):
    def test_what_is_left_out_has_a_reason(self):
        planck = next(engine for engine in ENGINES if engine.name == "planck")
        self.assertIn("20,000", skip_reason(scene("gas_a_100k"), planck))
        self.assertIsNone(skip_reason(scene("gas_a_10k"), planck))
        self.assertIn("settle", skip_reason(scene("pile_5k"), planck))
        wasm = next(engine for engine in ENGINES if engine.name == "box2d3-wasm")
        self.assertIn("128 worlds", skip_reason(scene("rooms_walls_4"), wasm))
        self.assertIsNone(skip_reason(scene("pile_1k"), planck))

    def test_columns_of_an_import(self):
        rows = columns_of({"circleColumns": {"count": 2, "x": [1, 2], "radius": [8]}}, "circle", ("x", "y", "radius"), (0, 0, 1))
        self.assertEqual(rows, [[1, 0, 8], [2, 0, 8]])
        self.assertEqual(columns_of({"circles": [{"y": 5}]}, "circle", ("x", "y", "radius"), (0, 0, 1)), [[0, 5, 1]])


if __name__ == "__main__":
    os.makedirs(WORK, exist_ok=True)
    unittest.main()
