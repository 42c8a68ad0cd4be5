"""Every answer of the engine against exact arithmetic: detect.h, toi.h, and the first contact of a stepped world.

    oracle.py oracle_queries circles|segment [--part 0|1|2] [--count N] [--class NAME] [--seed S]

A decision (hit or not) may only be wrong within the band of 8 ulp of max(distance at the start, R). At each reported time the
exact gap must be within it. What detect.h says must be right altogether, each early-out and each time to one ulp, but for what
differs by less than 2^-90 of that maximum. A world's contact with a wall may come earlier or later by a part of the skin
(Slack).
"""
import argparse
import array
import math
import random
import subprocess
import sys

from gmpy2 import mpfr

import exact
from exact import AT_START, HIT, MOVING_AWAY, Circle, Segment
from queries import CLASSES, circles_skin, least_skin, segment_skin

BAND = 8
# Of max(distance, R), or of the speed: closer than this, 31 digits do not tell cases apart.
CLOSE = mpfr(2) ** -90
# Ticks: a movement so much longer shows what a pair would have come to.
AFTER = 2.0 ** 40
# Of the speed: whether they come nearer at less than this is rounding to the engine's doubles.
ROUNDING = 2.0 ** -49
# Of the skin: the engine's faces are a skin longer than the segment, so that nothing slips in between face and end. A contact
# there has the face's height, sqrt(R^2 + skin^2) - R too early. That is most where the radius is nothing beside the skin,
# sqrt(2) - 1 of it.
SEAM = 0.4143
# Every third class from the one given, so that they can run side by side.
PARTS = 3
NAMES = ("hit", "at start", "not moving", "out of reach", "moving away", "passes", "ends before")


def circles_of(q, margin, other):
    """With either margin: what it is with one, the radius with the other."""
    lengths, moves, exponent = exact.scaled((q[0], q[1], q[5], q[6], q[2], q[7], margin, other), (q[3], q[4], q[8], q[9]), q[11])
    ax, ay, bx, by, ar, br, skin, other = lengths
    return Circle(ax - bx, ay - by, moves[0] - moves[2], moves[1] - moves[3], ar + br + skin), ar + br + other, exponent


def segment_of(q, margin, other):
    lengths, moves, exponent = exact.scaled((q[0], q[1], q[5], q[6], q[7], q[8], q[2], margin, other), (q[3], q[4]), q[10])
    cx, cy, x1, y1, x2, y2, r, skin, other = lengths
    return Segment(x1, y1, x2, y2, cx, cy, moves[0], moves[1], r + skin), r + other, exponent


def farthest(q):
    """Of a segment's ends from the centre: what the engine's coordinates along it are as large as."""
    return max(math.hypot(q[0] - q[5], q[1] - q[6]), math.hypot(q[0] - q[7], q[1] - q[8]))


# Of the speeds that meet: a slower approach is rounding to the engine (cluster.h), most of all where both are fast.
SLOW = 2.0 ** -44
# Queries of which the world is asked about one: it is the slowest to answer and to judge.
WORLD_EVERY = 1


class Query:
    """A query as exact arithmetic sees it, with the unit of its band."""

    def __init__(self, q, made, other=0.0):
        """With its own margin. `other`: that of with_other."""
        self.q, self.dt, self.made = q, q[-1], made
        self.truth, self.other, exponent = made(q, q[-2], other)
        self.unit = exact.unit(exponent)
        self.start = self.truth.distance() * self.unit
        self.measure(0.0)

    def measure(self, size):
        self.R = self.truth.R * self.unit
        self.largest = max(self.start, self.R)
        self.ulp = math.ulp(max(float(self.largest), size))
        self.outcome = self.truth.outcome()

    def with_other(self, size=0.0):
        """With the other margin; numbers of that size are in it."""
        query = exact.twin(self)
        query.truth = self.truth.of_radius(self.other)
        query.measure(size)
        return query

    def travel(self):
        """The longest way in the time."""
        speeds = self.q[3:5] + (self.q[8:10] if len(self.q) == 12 else ())
        return max(map(sum, zip(map(abs, speeds[::2]), map(abs, speeds[1::2])))) * self.dt

    def fraction_of(self, time):
        """Of the movement: numerator and denominator."""
        n, d = time.as_integer_ratio()
        tn, td = self.dt.as_integer_ratio()
        return n * td, d * tn

    def gap_at(self, time):
        """Exact but for its root."""
        return self.truth.distance_at(*self.fraction_of(time)) * self.unit - self.R

    def is_late(self, time):
        """A first contact is before the closest approach. At a graze time itself is rounding: what counts is how much farther."""
        return not self.truth.falls_at(*self.fraction_of(time)) and self.gap_at(time) - self.gap_least() > BAND * self.ulp

    def gap_least(self):
        return self.truth.closest() * self.unit - self.R

    def approach_within(self, part):
        """The rate at which the distance changes, or its opposite, is less than this part of the speed."""
        truth = self.truth
        if isinstance(truth, Segment) and truth.nearest() is None:
            return abs(truth.rate) < exact.root(truth.u2 * truth.p2) * part
        end = truth.nearest() if isinstance(truth, Segment) else truth
        return abs(end.b) < exact.root(end.d2 * end.p2) * part

    def is_slow(self):
        """Their approach at the start, and so at any time, is what the engine takes for rounding of the two velocities."""
        return self.truth.approach() * self.unit <= SLOW * self.travel()

    def glides(self):
        """Its approach to the face is that slow."""
        return abs(self.truth.rate) * self.unit <= SLOW * self.travel() * exact.root(self.truth.u2)

    def differs_by_little(self, close):
        """Some cases of detect.h are nearer to each other than that part of the largest length, now or long after the tick."""
        after = Query(self.q[:-1] + (self.dt * AFTER,), self.made)
        gaps = self.gap_least(), after.gap_least(), self.start - self.R
        return min(map(abs, gaps)) < close * self.largest or self.approach_within(close)


class Tally:
    """What came of one class, for one answerer."""

    def __init__(self, name):
        self.name, self.asked, self.hits, self.wrong, self.slackened, self.bad = name, 0, 0, 0, 0, []
        self.gap_ulp = self.wrong_ulp = self.time_ulp = self.slack_skins = 0.0

    def complain(self, query, text):
        self.bad.append(f"{self.name}: {text}: {tuple(x.hex() for x in query.q)}")

    def is_beyond(self, query, gap, slack):
        """Outside the band and the slack; what is outside the band only is counted."""
        if abs(gap) > BAND * query.ulp and slack.skin:
            self.slackened += 1
            self.slack_skins = max(self.slack_skins, abs(float(gap / slack.skin)))
        return -gap > BAND * query.ulp + slack.late or gap > BAND * query.ulp + slack.early

    def wrong_decision(self, query, text, slack):
        """Hit and miss exchanged: by how little?"""
        gap = query.gap_least()
        self.wrong += 1
        if self.is_beyond(query, gap, slack):
            self.complain(query, f"{text}, wrong by {float(gap / query.ulp):.3g} ulp")
        elif abs(gap) <= BAND * query.ulp:
            self.wrong_ulp = max(self.wrong_ulp, float(abs(gap) / query.ulp))

    def hit(self, query, time, slack):
        gap = query.gap_at(time)
        self.hits += 1
        if self.is_beyond(query, gap, slack):
            self.complain(query, f"at the time {time!r} the gap is {float(gap / query.ulp):.3g} ulp")
        elif abs(gap) <= BAND * query.ulp:
            self.gap_ulp = max(self.gap_ulp, float(abs(gap) / query.ulp))
        return gap

    def line(self):
        return (f"{self.asked:9d} {self.hits:8d} {self.wrong:7d} {self.wrong_ulp:9.3g} {self.gap_ulp:9.3g} "
                f"{self.slackened:6d} {self.slack_skins:7.3g} {self.time_ulp:9.3g}  {self.name}")


class Slack:
    """Besides the band, how much earlier and later than at r + skin a world may make contact with a wall."""

    def __init__(self, skin=0.0, late=0.0):
        self.skin, self.early, self.late = skin, skin * SEAM, late


NONE = Slack()


def judge_detect(tally, query, outcome, time, relation, gap, close):
    """All of it must be right, but for what differs by less than `close`. The static gap has no margin, so only queries without
    one tell about it."""
    q, should = query.q, query.outcome
    tally.asked += 1
    if outcome != should:
        tally.wrong += 1
        if not query.differs_by_little(close):
            tally.complain(query, f"says {NAMES[outcome]}, is {NAMES[should]}")
    elif should == HIT:
        gap_then = tally.hit(query, time, NONE)
        error = float(abs(query.truth.hit_fraction() * query.dt - time) / math.ulp(time))
        if error > 1 and abs(gap_then) > close * query.largest:
            tally.complain(query, f"the time {time!r} is {error:.3g} ulp off")
        elif error <= 1:
            tally.time_ulp = max(tally.time_ulp, error)
    elif outcome == AT_START and time != 0.0:
        tally.complain(query, "at the start, but not at time 0")
    if q[-2] == 0.0:
        true_gap = query.start - query.R
        size = max(map(abs, q[:3] + (q[5:-2] if len(q) == 11 else q[5:8])))
        band = size * 2.0 ** -50
        if abs(true_gap - mpfr(gap)) > max(abs(true_gap) * 2.0 ** -52, CLOSE * query.largest):
            tally.complain(query, f"the gap is {gap!r}, should be {float(true_gap)!r}")
        if relation != (0 if gap > band else 2 if gap < -band else 1):
            tally.complain(query, f"relation {relation} at a gap of {gap!r}")


def judge_late_start(tally, query, time, slack):
    """They touch at the start and come nearer, and that was not said. It is nothing if they hardly come nearer: by less than the
    band, or slower than what the engine takes for rounding of the two velocities. It is nothing as well if to the engine they
    begin apart, by an ulp or the slack. Then a time is judged as any other."""
    is_hit = time != math.inf
    gap = query.gap_at(time) if is_hit else query.gap_least()
    deeper = float((query.start - query.R - query.gap_least()) / query.ulp)
    tally.wrong += 1
    if is_hit and abs(gap) <= BAND * query.ulp:
        tally.hit(query, time, slack)
    elif query.is_slow():
        return
    elif deeper <= BAND:
        tally.wrong_ulp = max(tally.wrong_ulp, deeper)
    elif not slack.skin or tally.is_beyond(query, gap, slack):
        tally.complain(query, f"says {f'hit at {time!r}' if is_hit else 'no hit'}, is at start and {deeper:.3g} ulp nearer later")


def judge_engine(tally, query, time, slack):
    """Where the engine answers: hit or not within the band, and the gap at the time.

    A circle that starts within a wall's skin and leaves along it may graze the skin of its end: not a first contact, not judged.
    """
    is_hit = time != math.inf
    if slack.skin and query.start <= query.R and query.outcome == MOVING_AWAY:
        return
    tally.asked += 1
    if query.outcome == AT_START:
        if time != 0.0:
            judge_late_start(tally, query, time, slack)
    elif is_hit != (query.outcome == HIT):
        if query.outcome == MOVING_AWAY and query.approach_within(ROUNDING) or query.outcome == HIT and query.is_slow():
            tally.wrong += 1
            return
        tally.wrong_decision(query, f"says {'hit' if is_hit else 'no hit'}", slack)
    elif is_hit and slack.skin and query.is_late(time) and query.gap_least() >= -BAND * query.ulp - slack.late:
        tally.wrong_decision(query, "misses the first of two contacts", slack)
    elif is_hit and slack.skin and query.glides() and -slack.skin <= query.gap_at(time) < -BAND * query.ulp - slack.late:
        # It passed between an end's own skin and the face's, and the face sees no approach: in time if not deeper than r.
        tally.wrong += tally.is_beyond(query, query.gap_at(time), slack)
    elif is_hit:
        tally.hit(query, time, slack)
        if query.is_late(time):
            tally.complain(query, f"the time {time!r} is after the closest approach")


def ask(program, shape, queries):
    columns = [0.0 if shape == "circles" else 1.0, float(len(queries))]
    data = array.array("d", columns)
    for column in zip(*queries):
        data.extend(column)
    out = subprocess.run([program], input=data.tobytes(), stdout=subprocess.PIPE, check=True).stdout
    answers = array.array("d")
    answers.frombytes(out)
    count = len(queries)
    return zip(*(answers[i * count:(i + 1) * count] for i in range(len(answers) // count)))


def run_class(program, shape, make, count, seed, asked=ask):
    """One class; returns its tallies. In pieces, so that memory stays small."""
    rng = random.Random(f"{make.__name__} {seed}")
    detect, toi, world = (Tally(f"{make.__name__} {who}") for who in ("detect", "toi", "world"))
    # Whole numbers of few digits: what is equal must be taken for equal.
    close = 0 if make.__name__.endswith("_ties") else CLOSE
    made = circles_of if shape == "circles" else segment_of
    skin = circles_skin if shape == "circles" else segment_skin
    for start in range(0, count, 20000):
        queries = [tuple(map(float, make(rng))) for _ in range(min(20000, count - start))]
        for q, answer in zip(queries, asked(program, shape, queries)):
            relation, gap, outcome, time, engine_time, contact = answer
            width = skin(q)
            query = Query(q, made, width)
            judge_detect(detect, query, int(outcome), time, int(relation), gap, close)
            if engine_time == engine_time:
                judge_engine(toi, query, engine_time, NONE)
            if contact == contact:
                if shape == "circles":
                    judge_engine(world, query.with_other(), contact, NONE)
                else:
                    judge_engine(world, query.with_other(farthest(q)), contact, Slack(width, width - least_skin(q)))
    return detect, toi, world


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("shape", choices=sorted(CLASSES))
    parser.add_argument("--part", type=int, choices=range(PARTS))
    parser.add_argument("--count", type=int, default=100000)
    parser.add_argument("--class", dest="only")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    bad = []
    print("    asked     hits   wrong  by [ulp] gap [ulp] beyond  [skin] time[ulp]")
    for i, make in enumerate(CLASSES[options.shape]):
        if options.part not in (None, i % PARTS) or options.only not in (None, make.__name__):
            continue
        for tally in run_class(options.program, options.shape, make, options.count, options.seed):
            if tally.asked:
                print(tally.line(), flush=True)
                bad += tally.bad[:5] + ([f"{tally.name}: {len(tally.bad)} in all"] if len(tally.bad) > 5 else [])
                if not tally.hits and tally.name.endswith("detect"):
                    bad.append(f"{tally.name}: no query hits: the class tests nothing")
    print("\n".join(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
