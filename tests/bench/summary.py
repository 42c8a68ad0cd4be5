"""From what was measured to what is told: every figure of the table, the plot and the JSON is made here."""
from statistics import mean

from catalogue import BOX2D3S, CHIPMUNKS, OURS
import figures
from goals import goals_judge

FAMILIES = {"Box2D 3": BOX2D3S, "Chipmunk": CHIPMUNKS}


def cell_summary(cell, ours):
    """A cell without its single ticks; with the ratio of ours by it, if both are there."""
    if "skipped" in cell:
        return {"skipped": cell["skipped"]}
    repeats = cell["repeats"]
    times = figures.milliseconds(repeats)
    return {
        "mean_ms": times["mean"],
        "p99_ms": times["p99"],
        "max_ms": times["max"],
        "repeat_means_ms": [mean(repeat) / 1e6 for repeat in repeats],
        "ticks": [len(repeat) for repeat in repeats],
        "build_ms": mean(cell["build_ns"]) / 1e6,
        "peak_mib": cell["peak_mib"],
        "ours_by_this": figures.ratio(ours, repeats) if ours else None,
        "notes": cell["notes"],
        "verdict": cell["verdict"],
        "faults": figures.faults(cell["verdict"]),
    }


def family_summary(ours, timed, names):
    """Ours by the fastest build of an engine, by means and by 99th percentiles: each the ratio and the build's name; None if there
    is none."""
    builds = {name: timed[name] for name in names if name in timed}
    if not ours or not builds:
        return None
    return {part: dict(zip(("ratio", "build"), figures.fastest(ours, builds, part))) for part in ("mean", "p99")}


def scene_summary(scene):
    cells = scene["cells"]
    ours = cells.get(OURS, {}).get("repeats")
    timed = {name: cell["repeats"] for name, cell in cells.items() if "skipped" not in cell}
    return {
        **{key: scene[key] for key in ("name", "title", "group", "circles", "rooms")},
        "cells": {name: cell_summary(cell, ours) for name, cell in cells.items()},
        "fastest": {family: family_summary(ours, timed, names) for family, names in FAMILIES.items()},
    }


def summary_make(raw):
    """`raw`: machine, run, engines and scenes as suite.py writes them."""
    goals = goals_judge({scene["name"]: scene["cells"] for scene in raw["scenes"]})
    return {
        "machine": raw["machine"],
        "run": raw["run"],
        "engines": raw["engines"],
        "scenes": [scene_summary(scene) for scene in raw["scenes"]],
        "goals": [dict(zip(("what", "value", "bound", "goal", "met", "by"), row)) for row in goals],
    }
