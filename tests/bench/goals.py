"""What the project promises of its speed, as rows that a run meets or misses. Rows without their cells are not judged."""
from dataclasses import dataclass
from statistics import mean, median
from typing import Callable

from catalogue import BOX2D3S, CHIPMUNKS, OURS
import figures


@dataclass(frozen=True)
class Figure:
    """A number of a run, and the names of the scenes that it is of. `value` has it from the scenes' cells, or None; with the name of
    the build that it is by, if it is by another engine's."""

    scenes: tuple
    value: Callable
    families: tuple = ()  # of the engines that it is by


@dataclass(frozen=True)
class Goal:
    """A row: what, its figure, its bound, and the goal beyond the bound if there is one."""

    what: str
    figure: Figure
    bound: float
    goal: float = None


def repeats_of(scenes, scene, engine):
    return scenes.get(scene, {}).get(engine, {}).get("repeats")


def ratio_to(names, scene, part, theirs_scene=None):
    """Ours by the fastest of these builds; theirs perhaps on another scene."""
    def value(scenes):
        ours = repeats_of(scenes, scene, OURS)
        builds = {name: repeats_of(scenes, theirs_scene or scene, name) for name in names}
        return figures.fastest(ours, builds, part) if ours else None
    return Figure((scene, theirs_scene or scene), value, names)


def by_own(scene, other, factor=1):
    """Our mean on one scene by that on another."""
    def value(scenes):
        a, b = repeats_of(scenes, scene, OURS), repeats_of(scenes, other, OURS)
        return (figures.ratio(a, b)["mean"] * factor, None) if a and b else None
    return Figure((scene, other), value)


def per_circle(large, large_count, small, small_count):
    return by_own(large, small, small_count / large_count)


def microseconds(scene):
    """Our mean."""
    def value(scenes):
        ours = repeats_of(scenes, scene, OURS)
        return (1000 * figures.milliseconds(ours)["mean"], None) if ours else None
    return Figure((scene,), value)


def microseconds_each(scene, rooms):
    """The same for one of so many rooms."""
    each = microseconds(scene)

    def value(scenes):
        found = each.value(scenes)
        return (found[0] / rooms, None) if found else None
    return Figure((scene,), value)


def beyond_ticks(scene, tick_scene, ticks):
    """Microseconds of our mean beyond so many median ticks of another scene."""
    def value(scenes):
        a, b = repeats_of(scenes, scene, OURS), repeats_of(scenes, tick_scene, OURS)
        if not a or not b:
            return None
        return median(mean(work) - ticks * median(tick) for work, tick in zip(a, b)) / 1000, None
    return Figure((scene, tick_scene), value)


def slowest_tick(scene, first):
    """Our slowest tick from the one of that number on, by the median of these."""
    def value(scenes):
        ours = [repeat[first:] for repeat in repeats_of(scenes, scene, OURS) or [] if len(repeat) > first]
        return (median(max(late) / median(late) for late in ours), None) if ours else None
    return Figure((scene,), value)


def of_verdict(scene, *names):
    """The sum of what the judge counted."""
    def value(scenes):
        verdict = scenes.get(scene, {}).get(OURS, {}).get("verdict")
        return (sum(verdict[name] or 0 for name in names), None) if verdict else None
    return Figure((scene,), value)


def pairs_not_hit():
    def value(scenes):
        verdict = scenes.get("pairs", {}).get(OURS, {}).get("verdict")
        return (verdict["pairs"] - verdict["pairs_hit"], None) if verdict and verdict["whole"] else None
    return Figure(("pairs",), value)


def both(what, names, scene, bound, goal=None, p99=None, p99_goal=None, theirs_scene=None):
    """Rows for mean and 99th percentile; the same bound for both unless there is one for `p99`."""
    return (Goal(f"{what}, mean", ratio_to(names, scene, "mean", theirs_scene), bound, goal),
            Goal(f"{what}, p99", ratio_to(names, scene, "p99", theirs_scene), p99 or bound, p99_goal if p99 else goal))


def rooms(what, scene):
    return (*both(f"{what} by Chipmunk", CHIPMUNKS, scene, 0.65, 0.5), *both(f"{what} by Box2D 3", BOX2D3S, scene, 0.25))


UNEVEN = (
    ("uneven_100", "5,000 in a block, 5,000 over 100 times its width"), ("clusters_1", "one dense block, the world 100 times as wide"),
    ("clusters_4", "4 dense blocks far apart"), ("clusters_20", "20 dense blocks far apart"),
    ("clusters_100", "100 dense blocks far apart"), ("forming", "a crowd that forms"),
)
HASHES = tuple(name for name in CHIPMUNKS if name.endswith("hash"))

GOALS = (
    *both("gas A, 1,000 by Chipmunk", CHIPMUNKS, "gas_a_1k", 0.2, 0.15),
    *both("gas A, 10,000 by Chipmunk", CHIPMUNKS, "gas_a_10k", 0.15, 0.10),
    *both("gas A, 100,000 by Chipmunk", CHIPMUNKS, "gas_a_100k", 0.08, 0.07),
    *both("gas B, 10,000, first 20 ticks by Chipmunk's hash", HASHES, "gas_b_10k", 1.0, 0.8),
    Goal("gas A: a circle of 1,000,000 by one of 10,000", per_circle("gas_a_1m", 1e6, "gas_a_10k", 1e4), 2),
    Goal("gas B: a circle of 1,000,000 by one of 10,000", per_circle("gas_b_1m", 1e6, "gas_b_10k", 1e4), 2),
    Goal("gas A, 10,000: radii 1 : 10 by equal ones", by_own("gas_a_10k_mixed", "gas_a_10k"), 2),
    Goal("gas B, 10,000: radii 1 : 10 by equal ones", by_own("gas_b_10k_mixed", "gas_b_10k"), 2),
    *(goal for scene, what in UNEVEN for goal in both(f"{what} by Box2D 3", BOX2D3S, scene, 0.6, 0.25)),
    Goal("a fight within walls 1,000 times as wide by the fight alone", by_own("fight_wide", "fight"), 1.2),
    *both("500 balls through 1,000 pegs by Box2D 3", BOX2D3S, "pegs", 1.3, 1.0, 5, 3),
    *both("collapse of 1,000 by Box2D 3", BOX2D3S, "collapse_1k", 1.2, 0.9, 1.7, 1.3),
    *both("collapse of 5,000 by Box2D 3", BOX2D3S, "collapse_5k", 1.2, 0.9, 1.7, 1.3),
    Goal("collapse of 5,000: slowest tick after 10 s by the median", slowest_tick("collapse_5k_late", 300), 3),
    Goal("collapse of 1,000: largest overlap, radii", of_verdict("collapse_1k", "overlap_max"), 0),
    Goal("collapse of 5,000: largest overlap, radii", of_verdict("collapse_5k", "overlap_max"), 0),
    Goal("collapse of 1,000: energy gained", of_verdict("collapse_1k", "energy_gain"), 1e-3),
    Goal("collapse of 5,000: energy gained", of_verdict("collapse_5k", "energy_gain"), 1e-3),
    *both("pile of 5,000 by Box2D 3", BOX2D3S, "pile_5k", 0.5),
    *both("pile of 5,000 by Chipmunk", CHIPMUNKS, "pile_5k", 0.3),
    *both("pile of 1,000 by Chipmunk", CHIPMUNKS, "pile_1k", 0.4),
    Goal("pile of 5,000: largest overlap, radii", of_verdict("pile_5k", "overlap_max"), 0),
    *both("pile of 5,000, asleep, by Chipmunk's that does not sleep", CHIPMUNKS, "pile_5k_asleep", 0.02, theirs_scene="pile_5k"),
    Goal("bullets at 20 units/s: escapes and missed hits", of_verdict("bullets_20", "escapes", "missed_pairs", "missed_walls"), 0),
    Goal("bullets at 200 units/s: escapes and missed hits", of_verdict("bullets_200", "escapes", "missed_pairs", "missed_walls"), 0),
    Goal("bullets at 2,000 units/s: escapes and missed hits", of_verdict("bullets_2000", "escapes", "missed_pairs", "missed_walls"), 0),
    Goal("1,000 head-on pairs: not hit", pairs_not_hit(), 0),
    Goal("1,000 head-on pairs: largest error of the velocities", of_verdict("pairs", "pair_error_max"), 1e-12),
    *both("mixed game by Chipmunk", CHIPMUNKS, "game", 1.5),
    *both("mixed game by Box2D 3", BOX2D3S, "game", 0.35),
    *rooms("rooms of 4 with walls", "rooms_walls_4"),
    *rooms("rooms of 32 with walls", "rooms_walls_32"),
    *rooms("rooms of 128 with walls", "rooms_walls_128"),
    *rooms("10,000 rooms of 32", "rooms_32x10000"),
    Goal("64 circles in a map of 500 walls: create and destroy, µs", microseconds_each("rooms_map_create", 1000), 30),
    Goal("64 circles, 50 walls: keep, µs", microseconds("room_keep"), 3),
    Goal("64 circles, 50 walls: return, µs", microseconds("room_return"), 3),
    Goal("heap of 64: keep, µs", microseconds("heap_keep"), 10),
    Goal("heap of 64: return, µs", microseconds("heap_return"), 10),
    Goal("64 circles, 50 walls: return and eight ticks beyond eight ticks, µs", beyond_ticks("room_eight", "room_tick", 8), 10),
    Goal("heap of 64: return and eight ticks beyond eight ticks, µs", beyond_ticks("heap_eight", "heap_tick", 8), 10),
    Goal("64 circles, 50 walls: restore by create", by_own("room_restore", "room_create"), 1.5),
    Goal("264 circles, 304 walls: restore by create", by_own("arena_restore", "arena_create"), 1.5),
    Goal("64 circles, 50 walls: one velocity set, µs", microseconds("room_edit"), 0.3),
    Goal("64 circles, 50 walls: velocities added to 16 circles, µs", microseconds("room_add"), 1),
    Goal("64 circles, 1,900 walls: a wall switched, µs", microseconds("doors_switch"), 5),
)

ENGINES_PROMISED = frozenset((OURS, *(name for goal in GOALS for name in goal.figure.families)))
SCENES_PROMISED = frozenset(scene for goal in GOALS for scene in goal.figure.scenes)


def goals_judge(scenes):
    """Rows of (what, value or None, bound, goal or None, met or None, the build that it is by or None)."""
    rows = []
    for goal in GOALS:
        value, by = goal.figure.value(scenes) or (None, None)
        rows.append((goal.what, value, goal.bound, goal.goal, None if value is None else value <= goal.bound, by))
    return rows
