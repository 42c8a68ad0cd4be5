"""Runs the cells: each scene through each engine, the engines taking turns, one process at a time."""
from dataclasses import dataclass
import json
import os
import subprocess

import catalogue
from runners import Failed, Runner, TooSlow

WARM_TICKS = 30
WORKS_JUDGED = 5  # before the ticks that are judged
TRACE_BYTES = 256 << 20
STATE_BYTES = 32


@dataclass(frozen=True)
class Limits:
    """Seconds. No tick of a run begins later than `cell`, or than `judge` in the run for the judge, or than `settle` where it
    settles first. Building, and a tick that has begun, may last `answer` more."""

    cell: float
    judge: float
    settle: float
    answer: float


QUICK = Limits(0.5, 1, 30, 5)
PROMISED = Limits(3, 4, 60, 10)
FULL = Limits(3, 10, 120, 60)


def limits_of(scene, limits):
    times = scene.patience
    return Limits(limits.cell * times, limits.judge * times, limits.settle, limits.answer * times)


def load(runner, path, limits):
    """Nanoseconds that the engine took to build its worlds."""
    try:
        return runner.ask(f"load {path}", limits.answer)[2]
    except TooSlow:
        raise Failed(f"building its world takes more than {limits.answer:g} s") from None


def ticks_ask(runner, command, seconds, limits, file=""):
    """The numbers of the answer to a command that makes ticks for at most so long."""
    try:
        numbers = runner.ask(f"{command} {1000 * seconds:.0f} {file}".rstrip(), seconds + limits.answer)
    except TooSlow:
        raise Failed(f"a tick takes more than {limits.answer:g} s") from None
    if not numbers[0]:
        raise Failed("no tick was made")
    return numbers


def settle(runner, scene, limits):
    if not scene.settle:
        return
    made = ticks_ask(runner, f"step {scene.settle}", limits.settle, limits)[0]
    if made < scene.settle:
        raise Failed(f"it settled only {made} of {scene.settle} ticks in {limits.settle:g} s")


def warm(runner, engine, scene, path, limits):
    """A script's first ticks are spent on compiling it: they are run on the same scene and thrown away."""
    if engine.script and scene.settle < WARM_TICKS:
        load(runner, path, limits)
        ticks_ask(runner, f"step {WARM_TICKS}", limits.cell, limits)


def judge(places, path, trace):
    done = subprocess.run([os.path.join(places.bin, "bench_judge"), path, trace], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.decode(errors="replace").strip())
    return json.loads(done.stdout)


def cell_judge(places, engine, scene, path, limits):
    """What the engine's states are worth, and what it says of itself. Not timed."""
    trace = os.path.join(places.work, "trace")
    ticks = max(3, min(scene.lead + scene.ticks, TRACE_BYTES // (STATE_BYTES * scene.circles) - 1))
    try:
        with Runner(engine.command(places)) as runner:
            load(runner, path, limits)
            settle(runner, scene, limits)
            if scene.work != "step":
                ticks_ask(runner, f"work {scene.work} {WORKS_JUDGED}", limits.judge, limits)
            made = ticks_ask(runner, f"trace {ticks}", limits.judge, limits, trace)[0]
            about = {"version": runner.version, "settings": runner.settings, "notes": runner.notes}
        verdict = {**judge(places, path, trace), "whole": made == scene.lead + scene.ticks}
        if scene.settle:
            verdict["energy_gain"] = None  # of what spins already
        return {**about, "verdict": verdict}
    finally:
        if os.path.exists(trace):
            os.remove(trace)


def cell_measure(places, engine, scene, path, limits):
    """Nanoseconds of each tick of one run; and of building; and the most memory."""
    with Runner(engine.command(places)) as runner:
        warm(runner, engine, scene, path, limits)
        build_ns = load(runner, path, limits)
        settle(runner, scene, limits)
        if scene.lead:
            ticks_ask(runner, f"step {scene.lead}", limits.settle, limits)
        command = f"work {scene.work}" if scene.work != "step" else "step"
        numbers = ticks_ask(runner, f"{command} {scene.ticks}", limits.cell, limits)
        return numbers[1:], build_ns, runner.peak_mib()


def scene_measure(places, scene, engines, repeats, limits, progress):
    """All cells of one scene: {engine: cell}. A cell has `repeats` (ns per tick, a list for each), its verdict, and what the
    engine said; or `skipped`, a text."""
    cells, limits = {engine.name: {} for engine in engines}, limits_of(scene, limits)
    try:
        path = catalogue.scene_make(scene, places)
    except RuntimeError as error:
        progress.step(len(engines) * (repeats + 1))
        return {name: {"skipped": f"left out: {error}"} for name in cells}
    try:
        for repeat in range(-1, repeats):
            # The engine that is first in one repeat is not in the next.
            turn = engines[repeat % len(engines):] + engines[:repeat % len(engines)]
            for engine in turn:
                cell_step(places, engine, scene, path, limits, cells[engine.name], repeat, progress)
    finally:
        os.remove(path)
    for cell in cells.values():
        if "skipped" in cell:
            cell.pop("repeats", None)
    return cells


def cell_step(places, engine, scene, path, limits, cell, repeat, progress):
    """Repeat -1 is for the judge."""
    progress.step(1, f"{scene.title}: {engine.title}")
    reason = catalogue.skip_reason(scene, engine)
    if reason:
        cell["skipped"] = reason
    if "skipped" in cell:
        return
    try:
        if repeat < 0:
            cell.update(cell_judge(places, engine, scene, path, limits))
            return
        ns, build_ns, peak_mib = cell_measure(places, engine, scene, path, limits)
        cell.setdefault("repeats", []).append(ns)
        cell.setdefault("build_ns", []).append(build_ns)
        cell["peak_mib"] = peak_mib
    except Failed as error:
        cell["skipped"] = f"left out: {error}"
