"""Subscribe.bytes_per_second, judged by what STREAM_STATES tells beside it: bytes of any second, which circles are left out, by how much, in
what order and for how long. What is refused."""
import copy
import math
import random
import unittest

import outside_paths
from followers import Follower
from outside_client import INVALID, circle
from outside_worlds import WithWorlds

HZ = 60
ENVELOPE = 16  # of a message, at most
ROW = 64  # bytes of a circle, at most


class Limited(WithWorlds):
    def begin(self, scene, region=None, limit=2048, tolerance=0.01, every=3, **more):
        self.info = self.create(scene, policy=self.policy(dt=1 / HZ))
        self.seat = self.attach(self.info)
        spectator = dict(world=self.info.name, secret=self.info.join_secret)
        self.states = self.talk.send(subscribe=dict(stream=self.schema.STREAM_STATES, every=1, spectator=spectator))
        self.limit, self.every, self.tolerance, self.tick, self.sent = limit, every, tolerance, 0, []
        near = dict(stream=self.schema.STREAM_STATES, every=every, spectator=spectator, tolerance=tolerance, bytes_per_second=limit, **more)
        if region:
            near["region"] = region
        self.near, self.follower, self.real = self.talk.send(subscribe=near), Follower(), {}
        key = self.talk.next(self.near).world_update
        self.follower.update(key.SerializeToString())
        return key.key

    def updates(self, ticks):
        """Each of so many ticks, with what the reader had before and how far that is off: {id: (error in tolerances, stale)}."""
        for _ in range(0, ticks, self.every):
            self.stepped(self.seat, self.every)
            self.tick += self.every
            while self.talk.filed[self.states]:
                update = self.talk.filed[self.states].popleft().world_update
                if update.frame.bodies.id:
                    bodies = update.frame.bodies
                    angles = bodies.angle or [0.0] * len(bodies.id)
                    self.real[update.tick] = dict(zip(bodies.id, zip(bodies.x, bodies.y, angles)))
            while self.talk.filed[self.near]:
                message = self.talk.filed[self.near].popleft()
                update, follower = message.world_update, self.follower
                self.sent.append((update.tick, message.ByteSize() + 2))
                off = {}
                if not update.HasField("frame"):
                    for name, one in follower.circles.items():
                        if name in self.real[update.tick] and name not in update.changes.circles.id:
                            gone_on = copy.copy(one)
                            follower.quantized.go_on(gone_on, update.ticks)
                            off[name] = (self.error(gone_on, update.tick) / self.tolerance, one.stale)
                follower.update(update.SerializeToString())
                yield update, off

    def error(self, one, tick):
        x, y, angle = self.real[tick][one.id]
        return max(math.hypot(one.x - x, one.y - y), abs(one.angle - angle) * one.radius)

    def judge_errors(self, update):
        """Each circle is within its tolerance, or it is said that it is not, and by how much at most. Returns how many are not."""
        worst, stale = 0.0, 0
        for one in self.follower.circles.values():
            error = self.error(one, update.tick)
            self.assertEqual(error > self.tolerance, one.stale > 0, (update.tick, one.id, error))
            if one.stale:
                worst, stale = max(worst, error), stale + 1
        self.assertLessEqual(worst, self.follower.quantized.stale_error)
        self.assertLessEqual(self.follower.quantized.stale_error, worst * (1 + 1e-6))
        return stale

    def judge_choice(self, off, weight):
        """Three of four are those that matter most, the fourth has waited for longest. Returns those that were told."""
        told = {name for name in off if self.follower.circles[name].history & 1}
        left = [name for name in off if name not in told and off[name][0] > 1]
        if told and left:
            most, longest = max(off[name][0] * weight(name) for name in left), max(off[name][1] for name in left)
            oldest = [name for name in told if off[name][0] * weight(name) < most * (1 - 1e-12)]
            self.assertLessEqual(len(oldest), len(told) / 4 + 1)
            for name in oldest:
                self.assertGreaterEqual(off[name][1], longest)
        return told

    def judge_bytes(self, least=0.0):
        """No second takes more than the limit, an update's part, and a circle."""
        share = max(self.limit * self.every / HZ, 5 * ENVELOPE + 2.5 * len(self.follower.circles) / 8)
        worst = 0
        for i, (tick, _) in enumerate(self.sent):
            worst = max(worst, sum(size for at, size in self.sent[i:] if at < tick + HZ))
        self.assertLessEqual(worst, self.limit + share + ROW + ENVELOPE)
        all_of_it = sum(size for _, size in self.sent) * HZ / self.tick
        self.assertGreaterEqual(all_of_it, least * self.limit)
        return worst, all_of_it

    def follow(self, ticks, weight=lambda name: 1.0):
        """All of the above. In what part of the updates more than ten were stale, the largest error, and how long one was stale at most."""
        waits, rows, most, worst, longest, count = {}, 0, 0, 0.0, 0, 0
        for update, off in self.updates(ticks):
            if update.HasField("frame"):
                continue
            stale = self.judge_errors(update)
            told = self.judge_choice(off, weight)
            rows += len(told)
            for name, one in self.follower.circles.items():
                if one.stale and name not in waits:
                    waits[name] = (rows, stale)
                elif not one.stale:
                    waits.pop(name, None)
                elif off.get(name, (0, 0))[1] == 0:
                    waits[name] = (rows, stale)
                if one.stale:
                    began, others = waits[name]
                    self.assertLessEqual(rows - began, 4 * others + 4, (update.tick, name))
                    longest = max(longest, one.stale)
            most, worst, count = most + (stale > 10), max(worst, update.stale_error), count + 1
        return most / count, worst, longest

    def test_everything_moves(self):
        """Of worlds of many kinds too little room for all: what is left out is told, in its order; the bytes are what was asked for."""
        overloaded = 0
        for i, make in enumerate((outside_paths.gas, outside_paths.bouncing, outside_paths.damped, outside_paths.moving, outside_paths.rules)):
            for limit in (320, 640):
                with self.subTest(scene=make.__name__, limit=limit):
                    self.begin(make(random.Random(i)), limit=limit, tolerance=0.0005, every=2)
                    most, worst, longest = self.follow(240)
                    self.judge_bytes(0.8 if most > 0.9 else 0.0)
                    overloaded += most > 0.1 and worst > 0.004 and longest > 4
                    self.talk.ask(destroy_world=dict(name=self.info.name, secret=self.info.owner_secret))
        self.assertGreater(overloaded, 4)

    def test_enough_is_as_without(self):
        """With room for all nothing is left out."""
        self.begin(outside_paths.gas(random.Random(3)), limit=65536)
        self.assertEqual(self.follow(120), (0, 0.0, 0))

    def test_what_is_near_goes_first(self):
        """About a circle in a crowd that moves all the time: what is near it is less far off than what is at the region's rim."""
        chance = random.Random(5)
        crowd = outside_paths.crowd(chance, 400, 60, 9.0, restitution=1.0)
        scene = {"circles": crowd, "segments": outside_paths.box(61)}
        middle = 1 + 2 * 210
        region = dict(around=dict(circle=middle, radius=128.0))
        self.begin(scene, region=region, limit=2048, tolerance=0.002)

        def weight(name):
            x, y, _ = self.real[self.follower.tick][name]
            at, to, _ = self.real[self.follower.tick][middle]
            return 1 / (1 + 16 * math.hypot(x - at, y - to) / 256)

        near, far = [], []
        for update, off in self.updates(240):
            self.judge_errors(update)
            self.judge_choice(off, weight)
            for name, one in self.follower.circles.items():
                if update.tick > 60:
                    (near if weight(name) > 0.4 else far if weight(name) < 0.2 else []).append(self.error(one, update.tick))
        self.judge_bytes(0.8)
        self.assertLess(3 * sum(near) / len(near), sum(far) / len(far))

    def test_circles_that_enter(self):
        """A region that jumps into a crowd: it is told little by little, the nearest first, and how many wait."""
        crowd = outside_paths.crowd(random.Random(6), 400, 60, 1.0)
        lone = circle(500, 500, id=1000, radius=0.3)
        self.begin({"circles": crowd + [lone], "segments": outside_paths.box(61)}, limit=2048, tolerance=0.01,
                   region=dict(around=dict(circle=1000, radius=20.0)))
        for _ in self.updates(30):
            self.assertEqual(sorted(self.follower.circles), [1000])
        self.seat.send(places=dict(id=[1000], x=[0.05], y=[0.05]))
        known, waited, last = 1, 0, 0
        for update, _ in self.updates(600):
            away = {name: math.hypot(x - 0.05, y - 0.05) for name, (x, y, _) in self.real[update.tick].items()}
            touching = {name for name, (x, y, _) in self.real[update.tick].items() if max(abs(x - 0.05), abs(y - 0.05)) < 20}
            missing = touching - set(self.follower.circles)
            self.assertGreaterEqual(update.waiting_circles, len(missing))
            entered = [name for name in update.changes.circles.id if name != 1000]
            if entered and missing:
                self.assertLessEqual(max(away[name] for name in entered), min(away[name] for name in missing) + 1e-9)
            waited, known, last = waited + bool(missing), max(known, len(self.follower.circles)), len(missing)
        self.judge_bytes()
        self.assertEqual(last, 0)
        self.assertGreater(waited, 20)
        self.assertGreater(known, 40)

    def test_readers_that_come_later_have_the_same(self):
        """The key has what is stale, and readers of like limits share an encoding."""
        self.begin(outside_paths.gas(random.Random(8)), limit=350, tolerance=0.0005)
        for _ in self.updates(90):
            pass
        spectator = dict(world=self.info.name, secret=self.info.join_secret)
        second = self.talk.send(subscribe=dict(stream=self.schema.STREAM_STATES, every=3, spectator=spectator, tolerance=0.0005,
                                               bytes_per_second=330))
        other, both = Follower(), 0
        for _ in self.updates(180):
            while self.talk.filed[second]:
                message = self.talk.filed[second].popleft().world_update
                if message.HasField("key"):
                    self.assertEqual(message.key.bytes_per_second, 320)
                    self.assertGreater(sum(message.key.stale), 0)
                other.update(message.SerializeToString())
            if other.tick == self.follower.tick:
                self.assertEqual([(one.x, one.y, one.vx, one.stale) for one in other.circles.values()],
                                 [(one.x, one.y, one.vx, one.stale) for one in self.follower.circles.values()])
                both += 1
        self.assertGreater(both, 5)

    def test_under_commands(self):
        """Commands may define and place anything, and circles end: errors are told all the same."""
        for i, make in enumerate(outside_paths.SCENES):
            chance, made = random.Random(40 + i), [0]
            self.begin(make(chance), limit=900, tolerance=0.005, contacts=i % 2 == 0)
            for update, _ in self.updates(180):
                if not update.HasField("frame"):
                    self.judge_errors(update)
                if chance.random() < 0.4 and self.follower.circles:
                    everyone = sorted(self.follower.circles)
                    self.seat.send(skip_missing=True, **outside_paths.Paths.commands(self, chance, everyone, made))
            self.talk.ask(destroy_world=dict(name=self.info.name, secret=self.info.owner_secret))

    def test_very_little(self):
        """The least limit, and updates at each tick: they come less often. All of a large world is told of in the end."""
        self.begin(outside_paths.gas(random.Random(9)), limit=256, tolerance=0.01, every=1)
        ticks = [update.tick for update, _ in self.updates(360)]
        self.judge_bytes(0.7)
        self.assertLess(len(ticks), 180)

    def test_what_is_refused(self):
        info = self.create(policy=self.policy())
        spectator = dict(world=info.name, secret=info.join_secret)
        states, paths, commands = self.schema.STREAM_STATES, self.schema.STREAM_PATHS, self.schema.STREAM_COMMANDS
        for more in (dict(stream=states, bytes_per_second=1000), dict(stream=paths, bytes_per_second=1000),
                     dict(stream=commands, bytes_per_second=1000), dict(stream=states, tolerance=0.1, bytes_per_second=1),
                     dict(stream=states, tolerance=0.1, bytes_per_second=255),
                     dict(stream=states, tolerance=0.1, bytes_per_second=1_000_000_001),
                     dict(stream=states, tolerance=0.1, bytes_per_second=2**32 - 1)):
            with self.subTest(more=more):
                self.refused(self.talk.ask(subscribe=dict(spectator=spectator, **more)), INVALID, "BAD_FIELD", "subscribe.bytes_per_second")


if __name__ == "__main__":
    unittest.main()
