#!/usr/bin/env python3
"""outside_gen.py COLLIDED COLLIDE: the playful generators make what they say. Nothing overlaps at the start (every pair, every
seed), and nothing leaves. A maze has one way between any two cells. The same options make the same bytes."""
import json
import math
import re
import subprocess
import sys
import unittest

COLLIDE = sys.argv[2]


def generated(*words):
    done = subprocess.run([COLLIDE, "gen", *map(str, words)], capture_output=True, check=False, timeout=600)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


def column(columns, name, count, default):
    values = columns.get(name, [])
    return values if len(values) == count else [values[0] if values else default] * count


def shapes(text):
    """(x, y, radius, kind) and (x1, y1, x2, y2), from either form."""
    scene = json.loads(text)
    circles = [(c.get("x", 0), c.get("y", 0), c["radius"], c.get("kind", "BODY_KIND_DYNAMIC")) for c in scene.get("circles", [])]
    if "circleColumns" in scene:
        columns = scene["circleColumns"]
        count = columns["count"]
        circles = list(zip(*(column(columns, name, count, default) for name, default in
                             (("x", 0), ("y", 0), ("radius", 0), ("kind", "BODY_KIND_DYNAMIC")))))
    walls = [tuple(s.get(name, 0) for name in ("x1", "y1", "x2", "y2")) for s in scene.get("segments", [])]
    if "segmentColumns" in scene:
        columns = scene["segmentColumns"]
        walls = list(zip(*(column(columns, name, columns["count"], 0) for name in ("x1", "y1", "x2", "y2"))))
    return circles, walls, scene


def wall_distance(x, y, wall):
    x1, y1, x2, y2 = wall
    dx, dy = x2 - x1, y2 - y1
    along = max(0.0, min(1.0, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy)))
    return math.hypot(x - x1 - along * dx, y - y1 - along * dy)


KINDS = {
    "galton": [(), ("--count", 1), ("--count", 30, "--segments", 5, "--radius", 0.01), ("--segments", 31), ("--restitution", 1)],
    "pinball": [(), ("--count", 20), ("--count", 1, "--radius", 3, "--speed", 0)],
    "pile": [(), ("--count", 1), ("--count", 300), ("--radius", 10, "--gap", 0)],
    "crowd": [(), ("--count", 1, "--fraction", 0.01), ("--count", 500, "--fraction", 0.35), ("--radius", 0.1)],
    "maze": [(), ("--segments", 1, "--count", 1), ("--segments", 40, "--count", 300), ("--radius", 7)],
}


class Generators(unittest.TestCase):
    def test_nothing_overlaps_at_the_start(self):
        for kind, variants in KINDS.items():
            for words in variants:
                for seed in (0, 1, 2 ** 64 - 1):
                    circles, walls, _ = shapes(generated(kind, *words, "--seed", seed))
                    moving = [c for c in circles if c[3] == "BODY_KIND_DYNAMIC"]
                    wanted = dict(zip(words[::2], words[1::2])).get("--count")
                    self.assertEqual(len(moving), wanted if wanted is not None else len(moving))
                    for i, (x, y, r, _) in enumerate(moving):
                        for x2, y2, r2, _ in circles[:circles.index(moving[i])] + [c for c in circles if c[3] != "BODY_KIND_DYNAMIC"]:
                            self.assertGreaterEqual(math.hypot(x - x2, y - y2), (r + r2) * (1 - 1e-12), (kind, words, seed))
                        for wall in walls:
                            self.assertGreaterEqual(wall_distance(x, y, wall), r * (1 - 1e-12), (kind, words, seed))

    def test_seeds(self):
        for kind in KINDS:
            self.assertEqual(generated(kind, "--seed", 5), generated(kind, "--seed", 5))
            self.assertNotEqual(generated(kind, "--seed", 5), generated(kind, "--seed", 6))

    def test_a_maze_has_one_way(self):
        for side, seed in ((1, 1), (2, 3), (9, 4), (30, 5)):
            _, walls, _ = shapes(generated("maze", "--segments", side, "--seed", seed, "--count", 1))
            cell = max(max(wall) for wall in walls) / side
            blocked = set()
            for x1, y1, x2, y2 in walls:
                steps = round(max(abs(x2 - x1), abs(y2 - y1)) / cell)
                for i in range(steps):
                    middle = (i + 0.5) / steps
                    blocked.add((round(2 * (x1 + (x2 - x1) * middle) / cell), round(2 * (y1 + (y2 - y1) * middle) / cell)))
            open_sides, reached, todo = 0, {(0, 0)}, [(0, 0)]
            while todo:
                x, y = todo.pop()
                for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1)):
                    if (2 * x + 1 + dx, 2 * y + 1 + dy) in blocked:
                        continue
                    open_sides += 1
                    if (x + dx, y + dy) not in reached:
                        reached.add((x + dx, y + dy))
                        todo.append((x + dx, y + dy))
            self.assertEqual(len(reached), side * side)
            self.assertEqual(open_sides, 2 * (side * side - 1))

    def test_a_duel_is_symmetric(self):
        circles, walls, _ = shapes(generated("duel", "--segments", 9, "--seed", 5))
        width, height = max(x2 for _, _, x2, _ in walls), max(y2 for _, _, _, y2 in walls)
        for shown in ({(round(x, 6), round(y, 6), r) for x, y, r, _ in circles},
                      {(round(x1, 6), round(y1, 6), round(x2, 6), round(y2, 6)) for x1, y1, x2, y2 in walls[4:]}):
            turned = {(round(width - v[0], 6), round(height - v[1], 6), v[2]) if len(v) == 3 else
                      (round(width - v[0], 6), round(height - v[1], 6), round(width - v[2], 6), round(height - v[3], 6)) for v in shown}
            self.assertEqual(shown, turned)

    def test_a_galton_board_is_symmetric(self):
        circles, walls, _ = shapes(generated("galton"))
        pegs = {(x, y) for x, y, _, kind in circles if kind == "BODY_KIND_STATIC"}
        self.assertEqual(pegs, {(-x, y) for x, y in pegs})
        upright = sorted(x1 for x1, y1, x2, y2 in walls if x1 == x2 and min(y1, y2) == 0)
        self.assertEqual(upright, sorted(-x for x in upright))
        gaps = {round(b - a, 6) for a, b in zip(upright, upright[1:])}
        self.assertEqual(len(gaps), 1, "bins of equal width")

    def test_runs_are_certified(self):
        for kind in (*KINDS, "duel"):
            done = subprocess.run([COLLIDE, "run", "-", "--local", "--ticks", "150", "--format", "none", "--certify"],
                                  input=generated(kind), capture_output=True, check=False, timeout=600)
            self.assertEqual(done.returncode, 0, (kind, done.stdout, done.stderr))
            self.assertIn(b"0 escapes, 0 overlaps, 0 jumps in 150 ticks", done.stdout)

    def test_what_the_help_says_to_try_shows_the_whole(self):
        help_text = subprocess.run([COLLIDE, "help", "gen"], capture_output=True, check=True).stdout.decode()
        flags = dict(re.findall(r"Try: collide gen (\w+) \| collide run - --local *(.*?) *--png", help_text))
        self.assertEqual(len(flags), 12)

        def last(kind):
            words = ["run", "-", "--local", "--format", "json", "--certify", *flags[kind].split()]
            done = subprocess.run([COLLIDE, *words], input=generated(kind), capture_output=True, check=True, timeout=600)
            return [json.loads(line) for line in done.stdout.splitlines()]

        self.assertEqual([round(v, 9) for v in last("cradle")[-1]["bodies"]["vx"]], [0, 0, 0, 0, 4])
        self.assertEqual(sum(int(frame.get("collisions", 0)) for frame in last("galperin")), 314)
        self.assertGreater(sum(x > 0 for x in last("crowd")[-1]["bodies"]["x"]), 3)
        self.assertGreater(min(last("pile")[-1]["bodies"]["y"]), 0, "none is thrown out of the bowl")

    def test_wrong_use(self):
        for words in (("maze", "--segments", "0"), ("maze", "--segments", "301"), ("galton", "--segments", "1"), ("pinball", "--count", "21"),
                      ("pile", "--speed", "1"), ("crowd", "--segments", "3"), ("gas", "--segments", "3")):
            done = subprocess.run([COLLIDE, "gen", *words], capture_output=True, check=False)
            self.assertEqual(done.returncode, 2, words)
        done = subprocess.run([COLLIDE, "gen", "maze", "--segments", "1", "--count", "500"], capture_output=True, check=False)
        self.assertEqual(done.returncode, 1)


unittest.main(argv=sys.argv[:1])
