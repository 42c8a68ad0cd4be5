"""Every answer about space against exact arithmetic: rays, circle casts, overlaps, nearest, and each leg of the mover.

    space.py oracle_space [--count N] [--seed S] [--break NAME]

Questions are put to random scenes: spread, clustered, on whole numbers (ties, touching, shared points, rays along walls), far from the
origin. The shapes that answer must be those that answer in integers. A fraction and a gap may differ by one ulp from their 256
bits. The order must be that of the doubles told. Of a leg the least distance to every shape is compared with the radii in
integers: not by an ulp less.

--break makes one answer wrong on purpose, so that a test can see that it is seen.
"""
import argparse
import math
import random
import subprocess
import sys

from gmpy2 import mpfr, mpq

import exact
from exact import AT_START, HIT, Circle, Segment, root

QUESTIONS = 50  # to a scene
# Relation, as in detect.h: touching within this part of the largest number.
BAND = mpfr(2) ** -50
NONE, TOUCHING, OVERLAPPING = range(3)
HITS, APPROACHES, PASSES_START = range(3)
FACE, END_1, END_2 = range(3)


class Scene:
    def __init__(self, kind, circles, segments):
        self.kind, self.circles, self.segments = kind, circles, segments

    def lines(self):
        yield "scene %d %d" % (len(self.circles), len(self.segments))
        for shape in self.circles + self.segments:
            yield "%d %s" % (shape[0], " ".join(map(float.hex, shape[1:])))

    def shapes(self):
        return [(0, c) for c in self.circles] + [(1, s) for s in self.segments]


# --- Questions


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def place(self, scene):
        r = self.random
        if scene.kind == "whole":
            return [float(r.randint(-8, 8)) for _ in range(2)]
        around = {"far": 2.0 ** 30, "spread": 0.0, "cluster": 0.0}[scene.kind]
        if r.random() < 0.25 and (scene.circles or scene.segments):
            shape = r.choice(scene.circles + scene.segments)
            return [shape[1], shape[2]]
        width = 2.0 if scene.kind == "cluster" else 20.0
        return [around + r.uniform(-width, width) for _ in range(2)]

    def way(self, scene):
        r = self.random
        if scene.kind == "whole":
            way = [float(r.randint(-16, 16)) for _ in range(2)]
        else:
            length = 2.0 ** r.randint(-2, 6)
            way = [r.uniform(-length, length) for _ in range(2)]
        choice = r.randrange(16)
        if choice < 2:
            way[choice] = 0.0
        elif choice == 2:
            way = [0.0, 0.0]
        elif choice == 3:
            way[0] *= 1e9
        return way

    def radius(self, scene, most=0.25):
        r = self.random
        if r.random() < most:
            return 0.0
        return r.randint(1, 4) * 0.5 if scene.kind == "whole" else 20.0 * 2.0 ** -r.uniform(2, 10)

    def scene(self):
        r = self.random
        scene = Scene(r.choice(("whole", "whole", "spread", "cluster", "far")), [], [])
        for i in r.sample(range(1000), r.randint(0, 10)):
            scene.circles.append([i] + self.place(scene) + [self.radius(scene, 0.0)])
        for i in r.sample(range(1000), r.randint(0, 10)):
            while True:
                a, way = self.place(scene), self.way(scene)
                b = [a[0] + math.copysign(min(abs(way[0]), 40.0), way[0]), a[1] + way[1]]
                if a != b:
                    break
            # Half are thin, a quarter one-sided.
            scene.segments.append([i] + a + b + [self.radius(scene, 0.5), float(r.random() < 0.25)])
        return scene

    def question(self, scene):
        r = self.random
        kind = r.choice(("cast", "cast", "cast", "cast", "circle", "box", "segment", "nearest", "move", "move"))
        place = self.place(scene)
        limit = r.choice((-1, -1, 1, 1, 2, 5))
        if kind == "cast":
            return [kind] + place + self.way(scene) + [self.radius(scene), r.randrange(3), limit]
        if kind == "circle":
            return [kind] + place + [self.radius(scene)]
        if kind == "nearest":
            return [kind] + place + [self.radius(scene), r.choice((math.inf, 0.0, 2.0)), limit]
        if kind == "move":
            return [kind] + place + [self.radius(scene, 0.0)] + self.way(scene) + [0.0, r.choice((64, 64, 3))]
        way = self.way(scene)
        other = [place[0] + math.copysign(min(abs(way[0]), 40.0), way[0]), place[1] + way[1]]
        if kind == "box":
            return [kind, min(place[0], other[0]), min(place[1], other[1]), max(place[0], other[0]), max(place[1], other[1])]
        return [kind] + place + other


def line_of(question):
    return " ".join([question[0]] + [v.hex() if isinstance(v, float) else str(v) for v in question[1:]])


# --- Geometry in rationals: distances squared, signs.


def integers(values):
    """As integers in one unit, 2^-exponent."""
    lengths, _, exponent = exact.scaled(values, (), 1.0)
    return lengths, exponent


def point_square(px, py, x1, y1, x2, y2):
    """The distance from a point to a segment, squared."""
    ux, uy, dx, dy = x2 - x1, y2 - y1, px - x1, py - y1
    u2, foot = ux * ux + uy * uy, ux * dx + uy * dy
    if foot <= 0:
        return mpq(dx * dx + dy * dy)
    if foot >= u2:
        return mpq((px - x2) ** 2 + (py - y2) ** 2)
    return mpq((ux * dy - uy * dx) ** 2, u2)


def side(ax, ay, bx, by, px, py):
    return (bx - ax) * (py - ay) - (by - ay) * (px - ax)


def between(a, b, p):
    return min(a[0], b[0]) <= p[0] <= max(a[0], b[0]) and min(a[1], b[1]) <= p[1] <= max(a[1], b[1])


def segments_meet(a, b, c, d):
    s1, s2, s3, s4 = side(*a, *b, *c), side(*a, *b, *d), side(*c, *d, *a), side(*c, *d, *b)
    if ((s1 > 0 > s2) or (s1 < 0 < s2)) and ((s3 > 0 > s4) or (s3 < 0 < s4)):
        return True
    return ((s1 == 0 and between(a, b, c)) or (s2 == 0 and between(a, b, d)) or (s3 == 0 and between(c, d, a)) or
            (s4 == 0 and between(c, d, b)))


def segments_square(a, b, c, d):
    if segments_meet(a, b, c, d):
        return mpq(0)
    return min(point_square(*a, *c, *d), point_square(*b, *c, *d), point_square(*c, *a, *b), point_square(*d, *a, *b))


def segments_gap(a, b, c, d):
    """As space.h has it: crossing, the least that one sticks out of the other's line."""
    if a == b or c == d or not segments_meet(a, b, c, d):
        return root(segments_square(a, b, c, d))
    ab = root((b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2)
    cd = root((d[0] - c[0]) ** 2 + (d[1] - c[1]) ** 2)
    return -min(abs(side(*a, *b, *c)) / ab, abs(side(*a, *b, *d)) / ab, abs(side(*c, *d, *a)) / cd, abs(side(*c, *d, *b)) / cd)


def box_gap(box, a, b):
    """Of a box and a segment, that may be a point."""
    x0, y0, x1, y1 = box
    corners = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
    if x0 == x1 or y0 == y1:
        if a == b:
            return root(point_square(*a, x0, y0, x1, y1))
        return segments_gap((x0, y0), (x1, y1), a, b)
    inside = any(x0 <= p[0] <= x1 and y0 <= p[1] <= y1 for p in (a, b))
    if not inside and not any(segments_meet(a, b, corners[i], corners[i - 1]) for i in range(4)):
        return root(min(segments_square(a, b, corners[i], corners[i - 1]) for i in range(4)))
    out = [max(a[0], b[0]) - x0, x1 - min(a[0], b[0]), max(a[1], b[1]) - y0, y1 - min(a[1], b[1])]
    ways = [mpfr(v) for v in out]
    if a != b:
        length = root((b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2)
        sides = [side(*a, *b, *corner) for corner in corners]
        ways += [mpfr(max(sides)) / length, mpfr(-min(sides)) / length]
    return -min(ways)


# --- Judging


class Wrong(Exception):
    pass


def near(told, truth, ulps=1):
    return abs(mpfr(told) - truth) <= ulps * mpfr(math.ulp(float(truth))) or (told == 0 and abs(truth) < mpfr(2) ** -1000)


def cast_of(question, shape, is_segment):
    """The question about one shape; its hit: (fraction, overlaps, gap, features) or None."""
    _, x, y, mx, my, radius, start, _ = question
    if is_segment:
        (cx, cy, x1, y1, x2, y2, s, r), (px, py), exponent = exact.scaled((x, y, *shape[1:6], radius), (mx, my), 1.0)
        r += s
        truth = Segment(x1, y1, x2, y2, cx, cy, px, py, r)
        end = truth.nearest()
        deep = end.d2 < end.R2 if end else truth.turn ** 2 < r * r * truth.u2
        if shape[6] and (deep or not comes_from_left(truth)):
            return None
    else:
        (cx, cy, bx, by, br, r), (px, py), exponent = exact.scaled((x, y, *shape[1:], radius), (mx, my), 1.0)
        truth = Circle(cx - bx, cy - by, px, py, r + br)
        end = None
        deep = truth.d2 < truth.R2
    outcome = truth.outcome()
    if deep:
        if start == PASSES_START or (start == APPROACHES and outcome != AT_START):
            return None
        return mpfr(0), True, (truth.distance() - truth.R) * exact.unit(exponent), None
    if outcome == AT_START:
        return mpfr(0), False, mpfr(0), None
    if outcome == HIT:
        return truth.hit_fraction(), False, mpfr(0), features_of(truth) if is_segment else {FACE}
    # A ray along the segment's line, to its nearer end.
    if is_segment and r == 0 and truth.p2 and truth.turn == 0 and truth.rate == 0 and end and 0 < -end.b <= truth.p2:
        return mpfr(-end.b) / truth.p2, False, mpfr(0), {END_1 if end is truth.first else END_2}
    return None


def comes_from_left(truth):
    """Whether what does not start in a segment is left of its line where it comes to it."""
    if truth.outcome() != HIT:
        return truth.turn > 0
    if FACE in features_of(truth):
        return truth.turn > 0
    return truth.turn + truth.rate * truth.hit_fraction() > 0


def features_of(truth):
    """Those that are met first; more than one at the seam of face and end, where 31 digits do not tell."""
    times = [(truth.face_fraction(), FACE)] if truth.face_enters() else []
    times += [(end.fraction(), feature) for end, feature in ((truth.first, END_1), (truth.second, END_2)) if end.enters()]
    first = min(times)[0]
    return {feature for time, feature in times if time - first <= mpfr(2) ** -90}


def judge_list(told, truth, limit, key):
    """told: [(segment, id, feature, relation, fraction, gap)]; truth: {(segment, id): ...}; key: index into told of what orders."""
    if len(told) != (len(truth) if limit < 0 else min(limit, len(truth))):
        raise Wrong("%d answers, not %d" % (len(told), len(truth)))
    order = [(hit[key], hit[0], hit[1]) if key else hit[:2] for hit in told]
    if order != sorted(order) or len(set(hit[:2] for hit in told)) != len(told):
        raise Wrong("not in order")
    for hit in told:
        if hit[:2] not in truth:
            raise Wrong("%s answers and should not" % (hit[:2],))


def judge_cast(question, scene, told):
    truth = {}
    for is_segment, shape in scene.shapes():
        hit = cast_of(question, shape, is_segment)
        if hit:
            truth[is_segment, shape[0]] = hit
    judge_list(told, truth, question[7], 4)
    for hit in told:
        fraction, deep, gap, features = truth.pop(hit[:2])
        if not near(hit[4], fraction):
            raise Wrong("fraction %r, not %s" % (hit[4], fraction))
        if hit[3] != (OVERLAPPING if deep else TOUCHING) or not near(hit[5], gap):
            raise Wrong("gap %r, not %s" % (hit[5], gap))
        if features and hit[2] not in features:
            raise Wrong("feature %d, not %s" % (hit[2], features))
    # Those left out by the limit are no earlier than the last that was kept.
    for fraction, *_ in truth.values():
        if fraction < told[-1][4] - mpfr(math.ulp(told[-1][4])):
            raise Wrong("an earlier hit is left out")


def relation_of(gap, size):
    band = BAND * size
    return NONE if gap > band else OVERLAPPING if gap < -band else TOUCHING


def gap_of(question, shape, is_segment):
    """(gap, largest number) of what a question of overlap or nearest asks of a shape."""
    asked = question[1:4] if question[0] in ("circle", "nearest") else question[1:5]
    values, exponent = integers(list(asked) + shape[1:6])
    n, unit = len(asked), exact.unit(exponent)
    own, other = values[:n], values[n:]
    size = mpfr(max(abs(v) for v in values)) * unit
    radius = other[4] if is_segment else other[2]
    a, b = tuple(other[:2]), tuple(other[2:4]) if is_segment else tuple(other[:2])
    if n == 3:
        gap = root(point_square(own[0], own[1], *a, *b)) - own[2] - radius
    elif question[0] == "box":
        gap = box_gap(own, a, b) - radius
    elif tuple(own[:2]) == tuple(own[2:]) or a == b:
        gap = root(point_square(*a, *own) if a == b else point_square(*own[:2], *a, *b)) - radius
    else:
        gap = segments_gap(tuple(own[:2]), tuple(own[2:]), a, b) - radius
    return gap * unit, size


def judge_gaps(question, scene, told):
    truth = {}
    for is_segment, shape in scene.shapes():
        gap, size = gap_of(question, shape, is_segment)
        relation = relation_of(gap, size)
        if (gap <= question[4] if question[0] == "nearest" else relation != NONE):
            truth[is_segment, shape[0]] = gap, relation
    nearest = question[0] == "nearest"
    judge_list(told, truth, question[5] if nearest else -1, 5 if nearest else None)
    for hit in told:
        gap, relation = truth.pop(hit[:2])
        if not near(hit[5], gap) or hit[3] != relation:
            raise Wrong("gap %r, not %s, or relation %d, not %d" % (hit[5], gap, hit[3], relation))
    for gap, _ in truth.values():
        if nearest and gap < told[-1][5] - mpfr(math.ulp(told[-1][5])):
            raise Wrong("a nearer one is left out")


def stopped_by(shape, here, there, radius):
    """Whether a one-sided segment is in the way from here to there."""
    (x, y, to_x, to_y, x1, y1, x2, y2, s, r), _ = integers([*here, *there, *shape[1:6], radius])
    truth = Segment(x1, y1, x2, y2, x, y, to_x - x, to_y - y, r + s)
    end = truth.nearest()
    deep = end.d2 < end.R2 if end else truth.turn ** 2 < truth.R ** 2 * truth.u2
    return truth.outcome() in (HIT, AT_START) and not deep and comes_from_left(truth)


def judge_move(question, scene, told):
    _, x, y, radius, mx, my, _, legs_max = question
    end, _, fraction, legs = told
    here, made = (x, y), 0.0
    for leg in legs:
        there = leg[:2]
        if not made <= leg[2] <= 1.0:
            raise Wrong("fractions fall")
        made = leg[2]
        for is_segment, shape in scene.shapes():
            v, _ = integers([*here, *there, radius] + shape[1:6])
            p, q = tuple(v[:2]), tuple(v[2:4])
            if is_segment:
                reach, a, b = v[4] + v[9], tuple(v[5:7]), tuple(v[7:9])
                # What it starts in, or comes to from the right, it may be in.
                if shape[6] and not stopped_by(shape, here, there, radius):
                    continue
            else:
                reach, a, b = v[4] + v[7], tuple(v[5:7]), tuple(v[5:7])
            start = point_square(*p, *a, *b)
            least = segments_square(p, q, a, b)
            # What 31 digits do not tell apart may be taken for equal: less than an atom beside a planet.
            if least < reach * reach and least < start - start / 2 ** 90:
                raise Wrong("leg to %r goes into %s %d" % (there, ("circle", "segment")[is_segment], shape[0]))
        here = there
    if made != fraction and not (end == 0 and mx == my == 0.0):
        raise Wrong("fraction %r, but legs made %r" % (fraction, made))
    if (end == 0) != (fraction == 1.0) or len(legs) > legs_max:
        raise Wrong("end %d at fraction %r after %d legs" % (end, fraction, len(legs)))


def told_of(question, line):
    words = line.split()
    if question[0] == "move":
        legs = [tuple(map(float.fromhex, words[i:i + 3])) for i in range(4, len(words), 3)]
        if len(legs) != int(words[3]):
            raise Wrong("an answer of another form")
        return int(words[0]), float.fromhex(words[1]), float.fromhex(words[2]), legs
    hits = [tuple(map(int, words[i:i + 4])) + tuple(map(float.fromhex, words[i + 4:i + 6])) for i in range(1, len(words), 6)]
    if len(hits) != int(words[0]):
        raise Wrong("an answer of another form")
    return hits


JUDGES = {"cast": judge_cast, "circle": judge_gaps, "box": judge_gaps, "segment": judge_gaps, "nearest": judge_gaps, "move": judge_move}


def broken(name, question, told):
    """The answer with one thing wrong; None: it has nothing of the kind."""
    if question[0] == "move":
        end, skin, fraction, legs = told
        if name == "leg" and legs:
            # Straight through, with nothing slid along.
            x, y, _ = legs[-1]
            return end, skin, fraction, [(question[1] + question[4], question[2] + question[5], fraction)]
        return None
    if not told or (name == "order" and len(told) < 2):
        return None
    hit = list(told[0])
    if name == "miss":
        return told[1:]
    if name == "order":
        return [told[1], told[0]] + told[2:]
    if name == "fraction" and hit[4] > 0:
        hit[4] *= 1 + 2.0 ** -50
    elif name == "gap" and abs(hit[5]) > 1e-9:
        hit[5] *= 1 + 2.0 ** -50
    elif name == "relation":
        hit[3] = 3 - hit[3]
    elif name == "other":
        hit[1] += 1
    else:
        return None
    return [tuple(hit)] + told[1:]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("answerer")
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--break", dest="wrong")
    options = parser.parse_args()
    maker, asked, lines = Maker(options.seed), [], []
    while len(asked) < options.count:
        scene = maker.scene()
        lines += scene.lines()
        for _ in range(min(QUESTIONS, options.count - len(asked))):
            asked.append((scene, maker.question(scene)))
            lines.append(line_of(asked[-1][1]))
    run = subprocess.run([options.answerer], input="\n".join(lines) + "\n", stdout=subprocess.PIPE, text=True, check=True)
    answers = run.stdout.splitlines()
    if len(answers) != len(asked):
        sys.exit("%d answers to %d questions" % (len(answers), len(asked)))
    tally, seen, tried = {}, 0, 0
    for (scene, question), line in zip(asked, answers):
        kind = question[0]
        try:
            told = told_of(question, line)
            if options.wrong:
                told = broken(options.wrong, question, told)
                if told is None:
                    continue
                tried += 1
            JUDGES[kind](question, scene, told)
        except Wrong as wrong:
            if options.wrong:
                seen += 1
                continue
            print("\n".join(scene.lines()))
            print(line_of(question))
            print(line)
            sys.exit("%s: %s" % (kind, wrong))
        count, answered = tally.get(kind, (0, 0))
        tally[kind] = count + 1, answered + bool(told if kind != "move" else told[3])
    if options.wrong:
        print("%s: %d of %d seen" % (options.wrong, seen, tried))
        # A leg straight through may be free, and two equal ones may change places unseen nowhere.
        sys.exit(0 if tried > 10 and seen >= (tried // 4 if options.wrong == "leg" else tried) else 1)
    for kind, (count, answered) in sorted(tally.items()):
        print("%-8s %7d asked, %7d with an answer, all right" % (kind, count, answered))


main()
