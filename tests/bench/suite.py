#!/usr/bin/env python3
"""suite.py --bin PROGRAMS --node PACKAGES [options]: the same scenes through our engine and through others, in turns, in one run.

Prints a table of times, of their ratios and of what each engine got wrong. ./dev bench builds and installs what it needs and runs
it; docs/performance.md tells how things are measured.
"""
import argparse
from dataclasses import dataclass
import json
import os
import sys
import time
from typing import Callable

import catalogue
import goals
import machine
import measure
import plot
import report
from summary import FAMILIES, summary_make

MARK, END = "<!-- table -->", "<!-- end of the table -->"


@dataclass(frozen=True)
class Size:
    """How much of the suite is run, unless options say otherwise."""

    name: str
    limits: measure.Limits
    repeats: int
    takes: Callable  # whether a scene is of it


QUICK = Size("quick", measure.QUICK, 3, lambda scene: scene.quick)
PROMISED = Size("promised", measure.PROMISED, 5, lambda scene: scene.name in goals.SCENES_PROMISED)
FULL = Size("full", measure.FULL, 5, lambda scene: True)


def size_of(options):
    return FULL if options.full else PROMISED if options.promised else QUICK


class Progress:
    """A bar on a terminal; otherwise a line for each scene."""

    WIDTH = 30

    def __init__(self, total):
        self.total, self.done, self.begin, self.bar = total, 0, time.monotonic(), sys.stderr.isatty()

    def step(self, count, what=""):
        """`count` runs begin, or are left out."""
        if self.bar:
            share = self.done / self.total
            left = (time.monotonic() - self.begin) / self.done * (self.total - self.done) if self.done else 0
            filled = round(self.WIDTH * share)
            print(f"\r\033[K[{'#' * filled}{'.' * (self.WIDTH - filled)}] {self.done}/{self.total}, {left / 60:.0f} min left  {what}"[:110],
                  end="", file=sys.stderr, flush=True)
        self.done += count

    def scene(self, title):
        if not self.bar:
            print(f"bench: {title}", file=sys.stderr, flush=True)

    def end(self):
        if self.bar:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__.split("\n\n")[1])
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="the smaller scenes, three repeats, some minutes (default)")
    size.add_argument("--promised", action="store_true", help="the scenes that something is promised of, and the engines that it is promised by; five "
                      "repeats, about an hour")
    size.add_argument("--full", action="store_true", help="all scenes, five repeats, some hours")
    parser.add_argument("--only", action="append", metavar="SCENE",
                        help="the scene of this name, or all whose names begin so; may be said again")
    parser.add_argument("--engines", metavar="LIST", help="names with commas between them")
    parser.add_argument("--box2d3", metavar="DIR", help="sources of Box2D 3, to be built for this machine into the build folder; "
                        "later runs remember it")
    parser.add_argument("--chipmunk", metavar="DIR", help="sources of Chipmunk, to be built without its run-time checks; 'debian': those "
                        "of Debian's package; later runs remember it")
    parser.add_argument("--thread-time", action="store_true", help="times are of the processor instead of a clock on the wall, for a "
                        "machine that others use; engines in C and C++ only")
    parser.add_argument("--list", action="store_true", help="the names of scenes and engines, nothing else")
    parser.add_argument("--repeat", type=int, metavar="N", help="runs of each cell that are timed")
    parser.add_argument("--json", metavar="FILE", help="the figures")
    parser.add_argument("--svg", metavar="FILE", help="the picture")
    parser.add_argument("--raw", metavar="FILE", help="every tick of the run, for --from (default: in the work folder)")
    parser.add_argument("--from", dest="source", metavar="FILE", help="nothing is run: figures of an earlier run's --raw")
    parser.add_argument("--write", action="store_true", help="table, picture and JSON into docs/, a table into README.md; only of a quiet machine")
    parser.add_argument("--bin", required=True, metavar="FOLDER", help=argparse.SUPPRESS)
    parser.add_argument("--node", required=True, metavar="FOLDER", help=argparse.SUPPRESS)
    parser.add_argument("--work", default="build/bench", metavar="FOLDER", help="for scenes and traces")
    parser.add_argument("--docs", default="docs", metavar="FOLDER", help="for --write")
    return parser.parse_args()


def scenes_chosen(options):
    if options.only:
        names = {scene.name for scene in catalogue.SCENES}
        chosen = [scene for scene in catalogue.SCENES
                  if any(scene.name == only or (only not in names and scene.name.startswith(only)) for only in options.only)]
    else:
        chosen = [scene for scene in catalogue.SCENES if size_of(options).takes(scene)]
    if not chosen:
        sys.exit("bench: there is no such scene; --list has their names")
    return chosen


def engines_chosen(options):
    """Those asked for; else all, or those that something is promised by."""
    names = [engine.name for engine in catalogue.ENGINES if not options.promised or engine.name in goals.ENGINES_PROMISED]
    names = options.engines.split(",") if options.engines else names
    unknown = set(names) - {engine.name for engine in catalogue.ENGINES}
    if unknown:
        sys.exit(f"bench: there is no engine {', '.join(sorted(unknown))}; --list has their names")
    return [engine for engine in catalogue.ENGINES if engine.name in names and not (options.thread_time and engine.script)]


def engine_description(engine, missing, scenes):
    cells = [scene["cells"][engine.name] for scene in scenes if engine.name in scene["cells"]]
    said = next((cell for cell in cells if "version" in cell), {})
    return {"title": engine.title, "version": said.get("version"), "settings": said.get("settings", []), "missing": missing}


def run(options):
    """Measures. The result is all there is to know of the run."""
    places = catalogue.Places(bin=options.bin, node=options.node, work=options.work)
    os.makedirs(places.work, exist_ok=True)
    scenes, engines = scenes_chosen(options), engines_chosen(options)
    size = size_of(options)
    repeats = options.repeat or size.repeats
    there = [engine for engine in engines if os.path.exists(engine.path(places))]
    for engine in engines:
        if engine not in there:
            hint = f"; {engine.needs} DIR names its sources" if engine.needs else ""
            print(f"bench: {engine.title} is left out, there is no {engine.path(places)}{hint}", file=sys.stderr)
    if options.thread_time:
        os.environ["COLLIDED_BENCH_CLOCK"] = "thread"
    progress, watch, results = Progress(len(scenes) * len(there) * (repeats + 1)), machine.Watch(), []
    for scene in scenes:
        progress.scene(scene.title)
        cells = measure.scene_measure(places, scene, there, repeats, size.limits, progress)
        results.append({"name": scene.name, "title": scene.title, "group": scene.group, "circles": scene.circles,
                        "rooms": scene.rooms, "cells": cells})
    progress.end()
    root = os.path.join(places.here, "..", "..")
    return {
        "machine": machine.description(places.bin, root),
        "run": {"kind": size.name, "repeats": repeats, "words": words_of(options), **watch.end()},
        "engines": {engine.name: engine_description(engine, None if engine in there else "it was not installed", results)
                    for engine in engines},
        "scenes": results,
    }


def words_of(options):
    """The command that measures this again."""
    words = ["./dev bench", f"--{size_of(options).name}"]
    words += [f"--only {only}" for only in options.only or []]
    words += [f"--engines {options.engines}"] if options.engines else []
    words += [f"--repeat {options.repeat}"] if options.repeat else []
    words += ["--thread-time"] if options.thread_time else []
    return " ".join(words)


def file_write(path, content):
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(content)


def page_write(path, table):
    """Puts the table between the marks of the page. Raises SystemExit if it has none."""
    with open(path, encoding="utf-8") as file:
        page = file.read()
    if page.count(MARK) != 1 or page.count(END) != 1:
        sys.exit(f"bench: {path} has no place for the table")
    before, rest = page.split(MARK)
    file_write(path, before + MARK + "\n\n" + table + "\n" + END + rest.split(END)[1])


def docs_write(summary, folder):
    if not summary["run"]["quiet"]:
        sys.exit(f"bench: nothing was written into {folder}: others used {100 * summary['run']['others_share']:.0f} % of the machine "
                 f"during the run, at most {100 * machine.QUIET_SHARE:.0f} % is quiet")
    page_write(os.path.join(folder, "performance.md"), report.markdown(summary, summary["run"]["words"], "performance.svg"))
    file_write(os.path.join(folder, "performance.svg"), plot.svg(summary))
    file_write(os.path.join(folder, "performance.json"), json.dumps(summary, indent=1) + "\n")
    page_write(os.path.join(folder, "..", "README.md"), report.readme(summary, FAMILIES))


def main():
    options = arguments()
    if options.list:
        for row in catalogue.SCENES + catalogue.ENGINES:
            print(f"{row.name:18} {row.title}")
        return 0
    if options.repeat is not None and options.repeat < 1:
        sys.exit("bench: --repeat must be at least 1")
    if options.source:
        with open(options.source, encoding="utf-8") as file:
            raw = json.load(file)
    else:
        raw = run(options)
        file_write(options.raw or os.path.join(options.work, "run.json"), json.dumps(raw) + "\n")
    summary = summary_make(raw)
    print(report.text(summary), end="")
    if options.json:
        file_write(options.json, json.dumps(summary, indent=1) + "\n")
    if options.svg:
        file_write(options.svg, plot.svg(summary))
    if options.write:
        docs_write(summary, options.docs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
