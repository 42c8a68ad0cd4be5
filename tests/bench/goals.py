"""What the project promises of its speed, as rows that a run meets or misses. Rows without their cells are not judged."""
from dataclasses import dataclass
from typing import Callable

from catalogue import CHIPMUNKS, OURS
import figures


@dataclass(frozen=True)
class Figure:
    """A number of a run, and the names of the scenes that it is of. `value` has it from the scenes' cells, or None."""

    scenes: tuple
    value: Callable


def repeats_of(scenes, scene, engine):
    return scenes.get(scene, {}).get(engine, {}).get("repeats")


def ratio_to_chipmunk(scene, names=CHIPMUNKS, theirs_scene=None, ticks=None):
    """Ours by Chipmunk's better broad phase; theirs perhaps on another scene. `ticks`: of so many first ticks."""
    def first(repeats):
        return repeats and [repeat[:ticks] for repeat in repeats]

    def value(scenes):
        ours = first(repeats_of(scenes, scene, OURS))
        theirs = {name: first(repeats_of(scenes, theirs_scene or scene, name)) for name in names}
        best = figures.better(theirs, names)
        return figures.ratio(ours, theirs[best])["median"] if ours and best else None
    return Figure((scene, theirs_scene or scene), value)


def per_circle(large, large_count, small, small_count):
    def value(scenes):
        a, b = repeats_of(scenes, large, OURS), repeats_of(scenes, small, OURS)
        return figures.ratio(a, b)["median"] * small_count / large_count if a and b else None
    return Figure((large, small), value)


def of_verdict(scene, *names):
    """The sum of what the judge counted."""
    def value(scenes):
        verdict = scenes.get(scene, {}).get(OURS, {}).get("verdict")
        return sum(verdict[name] or 0 for name in names) if verdict else None
    return Figure((scene,), value)


def pairs_not_hit():
    def value(scenes):
        verdict = scenes.get("pairs", {}).get(OURS, {}).get("verdict")
        return verdict["pairs"] - verdict["pairs_hit"] if verdict and verdict["whole"] else None
    return Figure(("pairs",), value)


# What, its figure, its bound, and the goal beyond the bound if there is one.
GOALS = (
    ("gas A, 1,000: time by Chipmunk's better broad phase", ratio_to_chipmunk("gas_a_1k"), 0.2, 0.15),
    ("gas A, 10,000: time by Chipmunk's better broad phase", ratio_to_chipmunk("gas_a_10k"), 0.13, 0.10),
    ("gas A, 100,000: time by Chipmunk's better broad phase", ratio_to_chipmunk("gas_a_100k"), 0.10, 0.07),
    ("gas B, 10,000, first 20 ticks: time by Chipmunk's spatial hash", ratio_to_chipmunk("gas_b_10k", ("chipmunk-hash",)), 1.0, 0.8),
    ("gas A: time per circle at 1,000,000 by that at 10,000", per_circle("gas_a_1m", 1e6, "gas_a_10k", 1e4), 2, None),
    ("gas B: time per circle at 1,000,000 by that at 10,000", per_circle("gas_b_1m", 1e6, "gas_b_10k", 1e4), 2, None),
    ("gas A, 10,000: time with radii 1 : 10 by that with equal ones", per_circle("gas_a_10k_mixed", 1, "gas_a_10k", 1), 2, None),
    ("gas B, 10,000: time with radii 1 : 10 by that with equal ones", per_circle("gas_b_10k_mixed", 1, "gas_b_10k", 1), 2, None),
    ("pile of 5,000: time by Chipmunk's better broad phase", ratio_to_chipmunk("pile_5k"), 0.3, None),
    ("pile of 1,000: time by Chipmunk's better broad phase", ratio_to_chipmunk("pile_1k"), 0.4, None),
    ("pile of 5,000: largest overlap, radii", of_verdict("pile_5k", "overlap_max"), 0, None),
    ("pile of 5,000, asleep: time by Chipmunk's that does not sleep", ratio_to_chipmunk("pile_5k_asleep", theirs_scene="pile_5k"),
     0.02, None),
    ("bullets at 20 units/s: escapes and missed hits", of_verdict("bullets_20", "escapes", "missed_pairs", "missed_walls"), 0, None),
    ("bullets at 200 units/s: escapes and missed hits", of_verdict("bullets_200", "escapes", "missed_pairs", "missed_walls"), 0, None),
    ("bullets at 2,000 units/s: escapes and missed hits", of_verdict("bullets_2000", "escapes", "missed_pairs", "missed_walls"), 0, None),
    ("1,000 head-on pairs: not hit", pairs_not_hit(), 0, None),
    ("1,000 head-on pairs: largest error of the velocities", of_verdict("pairs", "pair_error_max"), 1e-12, None),
    ("10,000 rooms of 32, stepped once: time by Chipmunk's better broad phase", ratio_to_chipmunk("rooms_32x10000", ticks=1), 0.2, None),
)

SCENES_PROMISED = frozenset(scene for _, figure, _, _ in GOALS for scene in figure.scenes)


def goals_judge(scenes):
    """Rows of (what, value or None, bound, goal or None, met or None)."""
    rows = []
    for what, figure, bound, goal in GOALS:
        value = figure.value(scenes)
        rows.append((what, value, bound, goal, None if value is None else value <= bound))
    return rows
