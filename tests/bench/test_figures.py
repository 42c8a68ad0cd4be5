#!/usr/bin/env python3
"""test_figures.py: the suite's arithmetic on numbers with known answers, and its pages from a made-up run."""
import json
import os
import re
import sys
import tempfile
from types import SimpleNamespace
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
# pylint: disable=wrong-import-position
import catalogue
import figures
import goals
import plot
import report
import suite
from summary import FAMILIES, summary_make

RIGHT = {"escapes": 0, "overlap_max": 0, "overlap_mean": 0, "overlaps": 0, "energy_drift": 1e-15, "missed_pairs": 0,
         "missed_walls": 0, "energy_gain": None, "frames": 10, "circles": 100, "rooms_open": False, "whole": True}


def cell(*repeats, **verdict):
    return {"repeats": [list(repeat) for repeat in repeats], "build_ns": [1e6] * len(repeats), "peak_mib": 3.0, "notes": [],
            "version": "1.2", "settings": ["a setting"], "verdict": {**RIGHT, **verdict}}


def made_run(scenes, quiet=True):
    names = sorted({name for cells in scenes.values() for name in cells})
    return {
        "machine": {"processor": "a processor", "cores": 2, "memory_gib": 4.0, "system": "a system", "kernel": "6", "compiler": "cc",
                    "build": "Release", "node": None, "commit": "abc", "date": "2000-01-01"},
        "run": {"kind": "quick", "repeats": 1, "words": "./dev bench --quick", "seconds": 60, "others_share": 0.01, "quiet": quiet},
        "engines": {name: {"title": name.title(), "version": "1.2", "settings": ["a setting"], "missing": None} for name in names},
        "scenes": [{"name": name, "title": f"the {name}", "group": "gas A", "circles": 100, "rooms": 1, "cells": cells}
                   for name, cells in scenes.items()],
    }


class Percentiles(unittest.TestCase):
    def test_nearest_rank(self):
        hundred = list(range(100, 0, -1))
        self.assertEqual(figures.percentile(hundred, 0.99), 99)
        self.assertEqual(figures.percentile(hundred, 0.5), 50)
        self.assertEqual(figures.percentile(hundred, 1), 100)
        self.assertEqual(figures.percentile(list(range(1, 201)), 0.99), 198)

    def test_few_values_have_their_largest(self):
        self.assertEqual(figures.percentile([3, 1, 2], 0.99), 3)
        self.assertEqual(figures.percentile([7], 0.5), 7)


class Ratios(unittest.TestCase):
    def test_median_of_the_repeats(self):
        ratio = figures.ratio([[10, 10, 10], [30, 30, 30], [10, 10, 10]], [[20, 20, 20]] * 3)
        self.assertEqual((ratio["mean"], ratio["least"], ratio["largest"], ratio["ticks"]), (0.5, 0.5, 1.5, 3))
        self.assertEqual(ratio["p99"], 0.5)

    def test_a_slow_tick_counts(self):
        # The median would not see it.
        ratio = figures.ratio([[10, 10, 40]], [[20, 20, 20]])
        self.assertEqual((ratio["mean"], ratio["p99"]), (1, 2))

    def test_over_the_ticks_that_both_made(self):
        # Later ticks cost less; the other never came to them.
        ratio = figures.ratio([[40, 40, 1, 1, 1]], [[80, 80]])
        self.assertEqual((ratio["mean"], ratio["ticks"]), (0.5, 2))

    def test_milliseconds(self):
        times = figures.milliseconds([[1e6, 2e6, 9e6], [3e6, 4e6, 5e6], [1e6, 2e6, 3e6]])
        self.assertEqual((times["mean"], times["p99"], times["max"]), (4.0, 5.0, 5.0))

    def test_the_fastest_build(self):
        builds = {"tree": [[5, 5, 1, 1, 1]], "hash": [[4, 4]], "none": None}
        self.assertEqual(figures.fastest([[2, 2]], builds, "mean"), (0.5, "hash"))
        self.assertIsNone(figures.fastest([[2, 2]], {"none": None}, "mean"))
        # By the slowest ticks it is another one.
        builds = {"even": [[4] * 4], "uneven": [[1, 1, 1, 9]]}
        self.assertEqual(figures.fastest([[2] * 4], builds, "mean")[1], "uneven")
        self.assertEqual(figures.fastest([[2] * 4], builds, "p99")[1], "even")


class Faults(unittest.TestCase):
    def test_each(self):
        self.assertEqual(figures.faults(RIGHT), [])
        for change, word in (({"escapes": 1}, "escapes"), ({"overlap_max": 0.02}, "overlap"), ({"energy_drift": -0.01}, "energy"),
                             ({"missed_pairs": 1}, "missed hits"), ({"missed_walls": 1}, "missed hits"),
                             ({"pairs": 3, "pairs_hit": 2}, "pairs not hit")):
            self.assertEqual(figures.faults({**RIGHT, **change}), [word])
        self.assertEqual(figures.faults({**RIGHT, "energy_drift": None, "missed_pairs": None, "missed_walls": None}), [])
        self.assertEqual(figures.faults({**RIGHT, "energy_drift": None, "energy_gain": 0.01}), ["energy"])
        self.assertEqual(figures.faults({**RIGHT, "energy_drift": None, "energy_gain": 0}), [])
        self.assertEqual(figures.faults({**RIGHT, "pairs": 3, "pairs_hit": 2, "whole": False}), [])


class Goals(unittest.TestCase):
    def judged(self, cells):
        return {row[0]: row[1:] for row in goals.goals_judge(cells)}

    def test_the_fastest_chipmunk_counts(self):
        scenes = {"gas_a_1k": {"collided": cell([19]), "chipmunk-tree": cell([100]), "chipmunk-hash": cell([200])}}
        row = self.judged(scenes)["gas A, 1,000 by Chipmunk, mean"]
        self.assertEqual(row, (0.19, 0.2, 0.15, True, "chipmunk-tree"))
        scenes["gas_a_1k"]["chipmunk-ndebug-hash"] = cell([50])
        row = self.judged(scenes)["gas A, 1,000 by Chipmunk, mean"]
        self.assertEqual((row[0], row[3], row[4]), (0.38, False, "chipmunk-ndebug-hash"))

    def test_mean_and_slowest_ticks_are_judged_apart(self):
        ours, theirs = [10] * 97 + [90] * 3, [10] * 100
        judged = self.judged({"pegs": {"collided": cell(ours), "box2d3": cell(theirs)}})
        self.assertEqual(judged["500 balls through 1,000 pegs by Box2D 3, mean"][:4], (1.24, 1.3, 1.0, True))
        self.assertEqual(judged["500 balls through 1,000 pegs by Box2D 3, p99"][:4], (9, 5, 3, False))

    def test_cost_of_a_circle(self):
        scenes = {"gas_a_1m": {"collided": cell([300])}, "gas_a_10k": {"collided": cell([2])}}
        self.assertEqual(self.judged(scenes)["gas A: a circle of 1,000,000 by one of 10,000"][0], 1.5)

    def test_slowest_tick_after_ten_seconds(self):
        late = [10] * 300 + [1] * 599
        judged = self.judged({"collapse_5k_late": {"collided": cell([*late, 2], [*late, 4], [*late, 5])}})
        self.assertEqual(judged["collapse of 5,000: slowest tick after 10 s by the median"][0], 4)
        judged = self.judged({"collapse_5k_late": {"collided": cell(late[:300])}})
        self.assertIsNone(judged["collapse of 5,000: slowest tick after 10 s by the median"][0])

    def test_microseconds(self):
        scenes = {"room_keep": {"collided": cell([2000, 4000])}, "room_tick": {"collided": cell([5000, 5000, 50000])},
                  "room_eight": {"collided": cell([45000, 51000])}}
        judged = self.judged(scenes)
        self.assertEqual(judged["64 circles, 50 walls: keep, µs"][:4], (3, 3, None, True))
        self.assertEqual(judged["64 circles, 50 walls: return and eight ticks beyond eight ticks, µs"][0], 8)

    def test_what_was_not_run_is_not_met(self):
        self.assertTrue(all(row[1] is None and row[4] is None for row in goals.goals_judge({})))
        skipped = {"pairs": {"collided": {"skipped": "left out: no reason"}}}
        self.assertTrue(all(row[4] is None for row in goals.goals_judge(skipped)))

    def test_the_scenes_of_a_promise_are_all_that_it_needs(self):
        names, engines = {scene.name for scene in catalogue.SCENES}, {engine.name for engine in catalogue.ENGINES}
        self.assertEqual(len({goal.what for goal in goals.GOALS}), len(goals.GOALS))
        for figure in (goal.figure for goal in goals.GOALS):
            self.assertLessEqual(set(figure.scenes), names)
            self.assertLessEqual(set(figure.families), engines)
            made = cell([1] * 400, pairs=1, pairs_hit=1, pair_error_max=0)
            cells = {name: {engine: made for engine in (catalogue.OURS, *figure.families)} for name in figure.scenes}
            self.assertIsNotNone(figure.value(cells))
            for name in figure.scenes:
                self.assertIsNone(figure.value({**cells, name: {}}))
        chosen = suite.scenes_chosen(SimpleNamespace(only=None, full=False, promised=True))
        self.assertEqual({scene.name for scene in chosen}, goals.SCENES_PROMISED)
        chosen = suite.engines_chosen(SimpleNamespace(engines=None, promised=True, thread_time=False))
        self.assertEqual({engine.name for engine in chosen}, {"collided", *catalogue.BOX2D3S, *catalogue.CHIPMUNKS})
        chosen = suite.engines_chosen(SimpleNamespace(engines="planck", promised=True, thread_time=False))
        self.assertEqual([engine.name for engine in chosen], ["planck"])

    def test_counts_of_the_judge(self):
        scenes = {"bullets_200": {"collided": cell([1], escapes=2, missed_walls=3)},
                  "pairs": {"collided": cell([1], pairs=1000, pairs_hit=999, pair_error_median=0, pair_error_max=1e-13)}}
        judged = self.judged(scenes)
        self.assertEqual(judged["bullets at 200 units/s: escapes and missed hits"][0], 5)
        self.assertEqual(judged["1,000 head-on pairs: not hit"][0], 1)
        self.assertEqual(judged["1,000 head-on pairs: largest error of the velocities"][3], True)


class Pages(unittest.TestCase):
    def summary(self, **run):
        return summary_make(made_run({
            "gas_a_1k": {"collided": cell([1e6, 1e6]), "chipmunk-tree": cell([4e6, 4e6], escapes=7),
                         "planck": {"skipped": "left out: a reason"}},
        }, **run))

    def test_summary(self):
        scene = self.summary()["scenes"][0]
        self.assertEqual(scene["fastest"]["Chipmunk"]["mean"], {"ratio": 0.25, "build": "chipmunk-tree"})
        self.assertIsNone(scene["fastest"]["Box2D 3"])
        self.assertEqual(scene["cells"]["chipmunk-tree"]["faults"], ["escapes"])
        self.assertEqual(scene["cells"]["planck"], {"skipped": "left out: a reason"})

    def test_text_and_markdown_say_what_was_left_out(self):
        for page in (report.text(self.summary()), report.markdown(self.summary(), "./dev bench", "picture.svg")):
            self.assertIn("the gas_a_1k", page)
            self.assertIn("left out: a reason", page)
            self.assertIn("0.25", page)
            self.assertIn("Chipmunk-Tree", page)
        self.assertNotIn("not quiet", report.markdown(self.summary(), "x", "y"))
        self.assertIn("not quiet", report.markdown(self.summary(quiet=False), "x", "y"))

    def test_picture_rings_who_was_wrong(self):
        picture = plot.svg(self.summary())
        self.assertEqual(picture.count("<circle"), 4)  # two in the legend
        self.assertEqual(picture.count('fill="none" stroke='), 1)
        self.assertIn(plot.COLOURS["chipmunk-tree"], picture)

    def test_picture_has_room_for_the_longest_title(self):
        summary = self.summary()
        title = summary["scenes"][0]["title"] = "a scene with a title as long as one that tells all about it"
        found = re.search(rf'<text x="(\d+)" y="[0-9.]+" text-anchor="end">{title}<', plot.svg(summary))
        self.assertGreater(int(found[1]), 7 * len(title))

    def test_readme_shows_where_we_lose(self):
        summary = summary_make(made_run({
            "won": {"collided": cell([1e6] * 2), "chipmunk-tree": cell([4e6] * 2, escapes=7), "box2d3": cell([2e6] * 2)},
            "lost": {"collided": cell([3e6] * 2), "box2d3": cell([2e6] * 2)},
            "alone": {"collided": cell([3e6] * 2)},
        }))
        page = report.readme(summary, FAMILIES)
        self.assertIn("| the won | 1, 1 | 0.5, 0.5 | 0.25, 0.25 | – | escapes |", page)
        self.assertIn("| the lost | 3, 3 | **1.5**, **1.5** | –, – | – | – |", page)
        self.assertNotIn("the alone", page)
        # Of a machine that others used, ratios only.
        summary["run"]["quiet"] = False
        self.assertIn("| the won | 0.5, 0.5 | 0.25, 0.25 | – | escapes |", report.readme(summary, FAMILIES))

    def test_write_keeps_the_pages_around_the_tables(self):
        with tempfile.TemporaryDirectory() as root:
            folder = os.path.join(root, "docs")
            os.mkdir(folder)
            paths = os.path.join(folder, "performance.md"), os.path.join(root, "README.md")
            for path in paths:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(f"before\n\n{suite.MARK}\nold\n{suite.END}\nafter\n")
            suite.docs_write(self.summary(), folder)
            for path, word in zip(paths, ("performance.svg", "Chipmunk")):
                with open(path, encoding="utf-8") as file:
                    page = file.read()
                self.assertTrue(page.startswith("before") and page.endswith("after\n"))
                self.assertNotIn("old", page)
                self.assertIn(word, page)
            self.assertEqual(sorted(os.listdir(folder)), ["performance.json", "performance.md", "performance.svg"])
            with self.assertRaises(SystemExit):
                suite.docs_write(self.summary(quiet=False), folder)

    def test_pages_are_those_of_the_kept_run(self):
        root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")

        def kept(name):
            with open(os.path.join(root, name), encoding="utf-8") as file:
                return file.read()

        summary = json.loads(kept("docs/performance.json"))
        self.assertEqual(kept("docs/performance.svg"), plot.svg(summary))
        for name, table in (("docs/performance.md", report.markdown(summary, summary["run"]["words"], "performance.svg")),
                            ("README.md", report.readme(summary, FAMILIES))):
            self.assertIn(f"{suite.MARK}\n\n{table}\n{suite.END}", kept(name))


if __name__ == "__main__":
    unittest.main()
