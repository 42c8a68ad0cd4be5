"""The oracle can fail: engines with one fault each, all of which it must report, and the real one, which it must not.

    selftest.py oracle_queries

A faulty engine is the real one that is asked something else (`hears`), or with its answers changed (`says`). Each has classes
in which it must be caught, and the check that must catch it: detect, toi or world.
"""
import math
import struct
import sys

import oracle
from queries import CLASSES, circles_skin

COUNT = 2000
RELATION, GAP, OUTCOME, TIME, TOI, CONTACT = range(6)


def single(x):
    """As a float of 32 bits."""
    return struct.unpack("f", struct.pack("f", max(-3e38, min(3e38, x))))[0]


def changed(answer, **columns):
    answer = list(answer)
    for name, value in columns.items():
        answer[globals()[name]] = value
    return tuple(answer)


def discriminant_of_textbooks(q, answer):
    """b^2 - a c in doubles, and the root that subtracts."""
    dx, dy, wx, wy, R = q[0] - q[5], q[1] - q[6], q[3] - q[8], q[4] - q[9], q[2] + q[7] + q[10]
    a, b, c = wx * wx + wy * wy, dx * wx + dy * wy, dx * dx + dy * dy - R * R
    disc = b * b - a * c
    if not (b < 0 < c and disc > 0 and a > 0):
        return answer
    time = (-b - math.sqrt(disc)) / a
    return changed(answer, TOI=time if time <= q[11] else math.inf)


def time_of_leaving(q, answer):
    """The other root: there the gap is 0 as well."""
    dx, dy, wx, wy, R = q[0] - q[5], q[1] - q[6], q[3] - q[8], q[4] - q[9], q[2] + q[7] + q[10]
    w2, b, cross = wx * wx + wy * wy, dx * wx + dy * wy, abs(dx * wy - dy * wx)
    reach = math.sqrt(w2) * R
    if not (0 < answer[TOI] < math.inf and reach > cross):
        return answer
    return changed(answer, TOI=(math.sqrt((reach - cross) * (reach + cross)) - b) / w2)


def grazing_is_a_hit(q, answer):
    """>= for >: what passes at a distance of exactly R, to doubles, is hit at the closest approach."""
    dx, dy, wx, wy = q[0] - q[5], q[1] - q[6], q[3] - q[8], q[4] - q[9]
    w2 = wx * wx + wy * wy
    if answer[OUTCOME] != oracle.NAMES.index("passes") or abs(dx * wy - dy * wx) != math.sqrt(w2) * (q[2] + q[7] + q[10]):
        return answer
    return changed(answer, OUTCOME=0.0, TIME=-(dx * wx + dy * wy) / w2)


def end_of_tick_excluded(q, answer):
    """t < dt for t <= dt."""
    return changed(answer, OUTCOME=6.0, TIME=q[-1]) if answer[OUTCOME] == 0.0 and answer[TIME] == q[-1] else answer


def receding_pairs_collide(q, answer):
    """No check that they come nearer."""
    return changed(answer, OUTCOME=1.0, TIME=0.0) if answer[OUTCOME] == 4.0 and answer[RELATION] > 0.0 else answer


def early_outs_exchanged(q, answer):
    return changed(answer, OUTCOME={3.0: 5.0, 5.0: 3.0}.get(answer[OUTCOME], answer[OUTCOME]))


def touching_is_none(q, answer):
    return changed(answer, RELATION=0.0 if answer[RELATION] == 1.0 else answer[RELATION])


def times_of_32_bits(q, answer):
    return changed(answer, TIME=single(answer[TIME]), TOI=single(answer[TOI]) if answer[TOI] < math.inf else answer[TOI],
                   CONTACT=single(answer[CONTACT]) if answer[CONTACT] < math.inf else answer[CONTACT])


def one_in_a_hundred_is_lost(q, answer):
    lost = math.frexp(q[0])[0] * 8192 % 1 < .01
    return changed(answer, TOI=math.inf, CONTACT=math.inf) if lost else answer


def no_skin(q):
    """The world's contact at r1 + r2: its radii made smaller by the skin."""
    skin = circles_skin(q) / 2
    return q[:2] + (q[2] - skin,) + q[3:7] + (q[7] - skin,) + q[8:]


def radius_16_ulp_larger(q):
    return q[:2] + (q[2] + 16 * math.ulp(max(map(abs, q[:9]))),) + q[3:]


def coordinates_of_32_bits(q):
    return tuple(map(single, q[:2])) + q[2:]


def velocities_of_32_bits(q):
    return q[:3] + tuple(map(single, q[3:5])) + q[5:]


def tick_64_ulp_longer(q):
    return q[:-1] + (q[-1] + 64 * math.ulp(q[-1]),)


def second_end_forgotten(q):
    """The segment goes on behind it."""
    return q[:7] + (q[7] + 3 * (q[7] - q[5]), q[8] + 3 * (q[8] - q[6])) + q[9:]


def face_too_short(q):
    """By a part in a million: the circle gets in beside the end point."""
    return q[:7] + (q[7] + 1e-6 * (q[5] - q[7]), q[8] + 1e-6 * (q[6] - q[8])) + q[9:]


# What is wrong; where it must be seen.
HEARS = {
    "circles": ((radius_16_ulp_larger, "fast toi, grazing detect, grazing toi, grazing world, start_of_tick detect, ties detect"),
                (no_skin, "uniform world, far_from_origin world"),
                (coordinates_of_32_bits, "uniform toi, uniform world, far_from_origin detect"),
                (velocities_of_32_bits, "fast toi, fast world, end_of_tick detect"),
                (tick_64_ulp_longer, "end_of_tick detect")),
    "segment": ((radius_16_ulp_larger, "grazing detect, start_of_tick detect, seam detect, ties detect"),
                (second_end_forgotten, "uniform detect, uniform world, grazing world, seam detect"),
                (face_too_short, "uniform detect, seam detect"),
                (coordinates_of_32_bits, "uniform world, seam detect, far_from_origin detect"),
                (velocities_of_32_bits, "fast world, parallel detect, tiny_velocity detect"),
                (tick_64_ulp_longer, "end_of_tick detect")),
}
SAYS = {
    "circles": ((discriminant_of_textbooks, "fast toi"), (time_of_leaving, "uniform toi, parallel toi"),
                (grazing_is_a_hit, "ties detect"),
                (end_of_tick_excluded, "end_of_tick detect, ties detect"),
                (receding_pairs_collide, "uniform detect, ties detect"), (early_outs_exchanged, "uniform detect, parallel detect"),
                (touching_is_none, "start_of_tick detect, ties detect"),
                (times_of_32_bits, "uniform detect, uniform toi, fast world"),
                (one_in_a_hundred_is_lost, "fast toi, fast world")),
    "segment": ((end_of_tick_excluded, "end_of_tick detect, ties detect"), (receding_pairs_collide, "uniform detect"),
                (early_outs_exchanged, "uniform detect, parallel detect"), (touching_is_none, "start_of_tick detect, ties detect"),
                (times_of_32_bits, "uniform detect, uniform world"), (one_in_a_hundred_is_lost, "fast world, seam world")),
}


def same(thing):
    return thing


def complaints(program, shape, make, hears=same, says=lambda q, answer: answer):
    """Of a class, how many by each answerer."""

    def asked(program, shape, queries):
        answers = oracle.ask(program, shape, [tuple(map(float, hears(q))) for q in queries])
        return (says(q, answer) for q, answer in zip(queries, answers))

    tallies = oracle.run_class(program, shape, make, COUNT, 2, asked)
    return {who: len(tally.bad) for who, tally in zip(("detect", "toi", "world"), tallies)}


def main():
    program, failures = sys.argv[1], 0
    for shape, classes in CLASSES.items():
        classes = {make.__name__.split("_", 1)[1]: make for make in classes}
        for kind, table in (("hears", HEARS), ("says", SAYS)):
            for fault, where in table[shape]:
                places = [place.split() for place in where.split(", ")]
                for name in sorted({name for name, _ in places}):
                    counts = complaints(program, shape, classes[name], **{kind: fault})
                    for who in (who for place, who in places if place == name):
                        failures += not counts[who]
                        print(f"{counts[who]:6d} {shape} {name} {who}: {fault.__name__}{'' if counts[who] else ' NOT SEEN'}")
        for name, make in classes.items():
            counts = complaints(program, shape, make)
            failures += any(counts.values())
            print(f"{sum(counts.values()):6d} {shape} {name}: no fault{' BUT SEEN' if any(counts.values()) else ''}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
