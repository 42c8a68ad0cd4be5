#!/usr/bin/env python3
"""test_figures.py: the suite's arithmetic on numbers with known answers, and its pages from a made-up run."""
import os
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
from summary import summary_make

RIGHT = {"escapes": 0, "overlap_max": 0, "overlap_mean": 0, "overlaps": 0, "energy_drift": 1e-15, "missed_pairs": 0,
         "missed_walls": 0, "frames": 10, "circles": 100, "rooms_open": False, "whole": True}


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
        self.assertEqual((ratio["median"], ratio["least"], ratio["largest"], ratio["ticks"]), (0.5, 0.5, 1.5, 3))
        self.assertEqual(ratio["p99"], 1.5)

    def test_over_the_ticks_that_both_made(self):
        # Later ticks cost less; the other never came to them.
        ratio = figures.ratio([[40, 40, 1, 1, 1]], [[80, 80]])
        self.assertEqual((ratio["median"], ratio["ticks"]), (0.5, 2))

    def test_milliseconds(self):
        times = figures.milliseconds([[1e6, 2e6, 9e6], [3e6, 4e6, 5e6]])
        self.assertEqual((times["median"], times["p99"]), (3.0, 9.0))

    def test_better(self):
        cells = {"tree": [[5, 5, 1, 1, 1]], "hash": [[4, 4]], "none": None}
        self.assertEqual(figures.better(cells, ("tree", "hash", "none")), "hash")
        self.assertIsNone(figures.better(cells, ("none",)))


class Faults(unittest.TestCase):
    def test_each(self):
        self.assertEqual(figures.faults(RIGHT), [])
        for change, word in (({"escapes": 1}, "escapes"), ({"overlap_max": 0.02}, "overlap"), ({"energy_drift": -0.01}, "energy"),
                             ({"missed_pairs": 1}, "missed hits"), ({"missed_walls": 1}, "missed hits"),
                             ({"pairs": 3, "pairs_hit": 2}, "pairs not hit")):
            self.assertEqual(figures.faults({**RIGHT, **change}), [word])
        self.assertEqual(figures.faults({**RIGHT, "energy_drift": None, "missed_pairs": None, "missed_walls": None}), [])
        self.assertEqual(figures.faults({**RIGHT, "pairs": 3, "pairs_hit": 2, "whole": False}), [])


class Goals(unittest.TestCase):
    def judged(self, cells):
        return {row[0]: row[1:] for row in goals.goals_judge(cells)}

    def test_the_better_chipmunk_counts(self):
        scenes = {"gas_a_1k": {"collided": cell([19]), "chipmunk-tree": cell([100]), "chipmunk-hash": cell([200])}}
        value, bound, goal, met = self.judged(scenes)["gas A, 1,000: time by Chipmunk's better broad phase"]
        self.assertEqual((value, bound, goal, met), (0.19, 0.2, 0.15, True))
        scenes["gas_a_1k"]["chipmunk-hash"] = cell([50])
        self.assertEqual(self.judged(scenes)["gas A, 1,000: time by Chipmunk's better broad phase"][3], False)

    def test_rooms_are_judged_by_their_first_tick(self):
        scenes = {"rooms_32x10000": {"collided": cell([100, 90, 90]), "chipmunk-tree": cell([1000, 90, 90]),
                                     "chipmunk-hash": cell([2000, 9, 9])}}
        self.assertEqual(self.judged(scenes)["10,000 rooms of 32, stepped once: time by Chipmunk's better broad phase"][0], 0.1)

    def test_cost_of_a_circle(self):
        scenes = {"gas_a_1m": {"collided": cell([300])}, "gas_a_10k": {"collided": cell([2])}}
        self.assertEqual(self.judged(scenes)["gas A: time per circle at 1,000,000 by that at 10,000"][0], 1.5)

    def test_what_was_not_run_is_not_met(self):
        self.assertTrue(all(met is None and value is None for value, _, _, met in self.judged({}).values()))
        skipped = {"pairs": {"collided": {"skipped": "left out: no reason"}}}
        self.assertTrue(all(met is None for _, _, _, met in self.judged(skipped).values()))

    def test_the_scenes_of_a_promise_are_all_that_it_needs(self):
        names = {scene.name for scene in catalogue.SCENES}
        for _, figure, _, _ in goals.GOALS:
            self.assertLessEqual(set(figure.scenes), names)
            cells = {name: {engine: cell([1], pairs=1, pairs_hit=1, pair_error_max=0) for engine in (catalogue.OURS, *catalogue.CHIPMUNKS)}
                     for name in figure.scenes}
            self.assertIsNotNone(figure.value(cells))
            for name in figure.scenes:
                self.assertIsNone(figure.value({**cells, name: {}}))
        chosen = suite.scenes_chosen(SimpleNamespace(only=None, full=False, promised=True))
        self.assertEqual({scene.name for scene in chosen}, goals.SCENES_PROMISED)

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
        self.assertEqual(scene["better_chipmunk"], "chipmunk-tree")
        self.assertEqual(scene["ours_by_better_chipmunk"], 0.25)
        self.assertEqual(scene["cells"]["chipmunk-tree"]["faults"], ["escapes"])
        self.assertEqual(scene["cells"]["planck"], {"skipped": "left out: a reason"})

    def test_text_and_markdown_say_what_was_left_out(self):
        for page in (report.text(self.summary()), report.markdown(self.summary(), "./dev bench", "picture.svg")):
            self.assertIn("the gas_a_1k", page)
            self.assertIn("left out: a reason", page)
            self.assertIn("0.25", page)
        self.assertNotIn("not quiet", report.markdown(self.summary(), "x", "y"))
        self.assertIn("not quiet", report.markdown(self.summary(quiet=False), "x", "y"))

    def test_picture_rings_who_was_wrong(self):
        picture = plot.svg(self.summary())
        self.assertEqual(picture.count("<circle"), 4)  # two in the legend
        self.assertEqual(picture.count('fill="none" stroke='), 1)
        self.assertIn(plot.COLOURS["chipmunk-tree"], picture)

    def test_write_keeps_the_page_around_the_table(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "performance.md")
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"before\n\n{suite.MARK}\nold\n{suite.END}\nafter\n")
            suite.docs_write(self.summary(), folder)
            with open(path, encoding="utf-8") as file:
                page = file.read()
            self.assertTrue(page.startswith("before") and page.endswith("after\n"))
            self.assertNotIn("old", page)
            self.assertIn("performance.svg", page)
            self.assertEqual(sorted(os.listdir(folder)), ["performance.json", "performance.md", "performance.svg"])
            with self.assertRaises(SystemExit):
                suite.docs_write(self.summary(quiet=False), folder)


if __name__ == "__main__":
    unittest.main()
