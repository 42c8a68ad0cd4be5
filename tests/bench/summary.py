"""From what was measured to what is told: every figure of the table, the plot and the JSON is made here."""
from statistics import median

from catalogue import CHIPMUNKS, OURS
import figures
from goals import goals_judge


def cell_summary(cell, ours):
    """A cell without its single ticks; with the ratio of ours by it, if both are there."""
    if "skipped" in cell:
        return {"skipped": cell["skipped"]}
    repeats = cell["repeats"]
    times = figures.milliseconds(repeats)
    return {
        "median_ms": times["median"],
        "p99_ms": times["p99"],
        "repeat_medians_ms": [median(repeat) / 1e6 for repeat in repeats],
        "ticks": [len(repeat) for repeat in repeats],
        "build_ms": median(cell["build_ns"]) / 1e6,
        "peak_mib": cell["peak_mib"],
        "ours_by_this": figures.ratio(ours, repeats) if ours else None,
        "notes": cell["notes"],
        "verdict": cell["verdict"],
        "faults": figures.faults(cell["verdict"]),
    }


def scene_summary(scene):
    cells = scene["cells"]
    ours = cells.get(OURS, {}).get("repeats")
    timed = {name: cell["repeats"] for name, cell in cells.items() if "skipped" not in cell}
    best = figures.better(timed, CHIPMUNKS)
    return {
        **{key: scene[key] for key in ("name", "title", "group", "circles", "rooms")},
        "cells": {name: cell_summary(cell, ours) for name, cell in cells.items()},
        "better_chipmunk": best,
        "ours_by_better_chipmunk": figures.ratio(ours, timed[best])["median"] if ours and best else None,
    }


def summary_make(raw):
    """`raw`: machine, run, engines and scenes as suite.py writes them."""
    goals = goals_judge({scene["name"]: scene["cells"] for scene in raw["scenes"]})
    return {
        "machine": raw["machine"],
        "run": raw["run"],
        "engines": raw["engines"],
        "scenes": [scene_summary(scene) for scene in raw["scenes"]],
        "goals": [dict(zip(("what", "value", "bound", "goal", "met"), row)) for row in goals],
    }
