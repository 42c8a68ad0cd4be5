"""Readers that go elsewhere (Steer), and readers that come back (Subscribe.after_tick)."""
import random

import outside_paths
from followers import Follower
from outside_client import EXHAUSTED, INVALID, circle, rounds
from outside_paths import bits
from outside_talk import Reader
from outside_worlds import NOT_FOUND, WithWorlds

EVERYWHERE = (-1e9, -1e9, 1e9, 1e9)


def region_of(corners):
    return dict(box=dict(zip(("x_min", "y_min", "x_max", "y_max"), corners)))


def truth_of(update):
    """Of a Frame: the state of each circle, and its place."""
    bodies = update.frame.bodies
    angles = bodies.angle or [0.0] * len(bodies.id)
    spins = bodies.angular_velocity or [0.0] * len(bodies.id)
    return {name: (bits(*row), row[:2]) for name, *row in zip(bodies.id, bodies.x, bodies.y, bodies.vx, bodies.vy, angles, spins)}


class Watcher:
    """Follows a part of a world that changes, by a connection that is lost at times."""

    def __init__(self, test, info, chance):
        self.test, self.info, self.chance, self.schema = test, info, chance, test.schema
        self.seen, self.asked = {}, []  # tick: (states, what was in force); Steers that are not in force yet
        self.corners, self.every = EVERYWHERE, 3
        self.follower = Follower(on_tick=self.see)
        self.encoding = self.keys = self.returned = self.bridged = 0
        self.subscribe()

    def see(self, follower):
        self.seen[follower.tick] = {name: bits(one.x, one.y, one.vx, one.vy, one.angle, one.spin)
                                    for name, one in follower.circles.items()}, self.corners

    def subscribe(self):
        self.talk = self.test.connect_talk()
        region = {} if self.corners is EVERYWHERE else dict(region=region_of(self.corners))
        self.request = self.talk.send(subscribe=dict(
            stream=self.schema.STREAM_PATHS, every=self.every, spectator=dict(world=self.info.name, secret=self.info.join_secret),
            after_tick=self.follower.tick, after_encoding=self.encoding, **region))

    def steer(self):
        corners = EVERYWHERE if self.chance.random() < 0.2 else (x := self.chance.uniform(-10, 8), y := self.chance.uniform(-12, 8),
                                                                 x + self.chance.uniform(0, 4), y + self.chance.uniform(0, 4))
        self.every = self.chance.choice((1, 2, 3, 5))
        region = {} if corners is EVERYWHERE else dict(region=region_of(corners))
        request = self.talk.send(steer=dict(subscription=self.request, every=self.every, **region))
        self.asked.append((request, corners))
        steered = self.talk.next(request).steered
        self.test.assertEqual(steered.every, self.every)
        box = steered.region.box
        if steered.HasField("region"):
            self.test.assertTrue(box.x_min <= corners[0] and box.y_min <= corners[1] and box.x_max >= corners[2] and
                                 box.y_max >= corners[3], (box, corners))

    def read(self):
        """What has come."""
        self.talk.ask(ping={})  # all that was on its way before
        came = self.talk.filed[self.request]
        while came:
            update = came.popleft().world_update
            self.encoding = update.encoding or self.encoding
            self.keys += update.HasField("key")
            if update.steered:
                while self.asked[0][0] != update.steered:
                    self.asked.pop(0)
                self.corners = (0, 0, 0, 0)  # until then, nothing is sure
                self.follower.update(update.SerializeToString())
                self.corners = self.asked.pop(0)[1]
                self.bridged += not update.HasField("key")
            else:
                self.follower.update(update.SerializeToString())

    def lose(self):
        """The connection; what it asked for and has not got is forgotten."""
        self.talk.connection.close()
        if self.asked:
            self.corners, self.encoding = self.asked[-1][1], 0
        self.asked = []
        self.subscribe()
        self.returned += self.encoding != 0


class Steering(WithWorlds):
    def play(self, make, seed):
        """Wherever it goes and however often it comes back, it has what is there, to the bit."""
        chance = random.Random(seed)
        scene = make(chance)
        info = self.create(scene, policy=self.policy(dt=1 / 60))
        seat = self.attach(info)
        states = self.talk.send(subscribe=dict(stream=self.schema.STREAM_STATES, every=1,
                                               spectator=dict(world=info.name, secret=info.join_secret)))
        watcher, everyone, made = Watcher(self, info, chance), sorted(one["id"] for one in scene["circles"]), [0]
        for _ in range(60):
            if chance.random() < 0.3:
                seat.send(skip_missing=True, **outside_paths.Paths.commands(self, chance, everyone, made))
            self.stepped(seat, chance.randint(1, 5))
            watcher.read()
            if chance.random() < 0.15:
                watcher.lose()
            elif chance.random() < 0.4:
                watcher.steer()
        self.stepped(seat, 5)
        watcher.read()
        checked = 0
        while self.talk.filed[states]:
            update = self.talk.filed[states].popleft().world_update
            if update.tick not in watcher.seen or not update.frame.bodies.id:
                continue
            truth, (told, corners) = truth_of(update), watcher.seen[update.tick]
            for name, state in told.items():
                self.assertEqual(state, truth[name][0] if name in truth else None, (make.__name__, seed, name, update.tick))
            for name, (_, (x, y)) in truth.items():
                if corners[0] - 0.2 <= x <= corners[2] + 0.2 and corners[1] - 0.2 <= y <= corners[3] + 0.2 and any(corners):
                    self.assertIn(name, told, (make.__name__, seed, update.tick, corners, x, y))
            checked += 1
        self.assertGreater(checked, 60)
        self.talk.ask(destroy_world=dict(name=info.name, secret=info.owner_secret))
        watcher.talk.connection.close()
        return watcher.bridged, watcher.returned, watcher.keys

    def test_wherever_it_goes(self):
        sums, seeds = [0, 0, 0], rounds(1, 3)
        for i, make in enumerate(outside_paths.MORE_SCENES):
            for seed in range(seeds):
                with self.subTest(scene=make.__name__, seed=seed):
                    sums = [a + b for a, b in zip(sums, self.play(make, 10 * i + seed))]
        bridged, returned, keys = sums
        self.assertGreater(bridged, 100 * seeds)
        self.assertGreater(returned, 20 * seeds)
        self.assertLess(keys, returned)  # the first of each, and those of Steers that a loss has overtaken

    def test_a_paused_world(self):
        """No tick is to come for a Steer to be in force."""
        circles = [circle(3 * i, 0, id=i + 1) for i in range(20)]
        info = self.create({"circles": circles}, policy=self.policy(clock=self.schema.CLOCK_PAUSED))
        watcher = Watcher(self, info, random.Random(1))
        watcher.talk.next(watcher.request)
        request = self.at(watcher, dict(region=region_of((29, -1, 31, 1))))
        update = watcher.talk.next(watcher.request).world_update
        self.assertEqual((update.steered, update.ticks, len(update.paths.changes)), (request, 0, 1))
        self.assertNotIn(11, update.paths.changes[0].removed_circles)
        self.assertIn(1, update.paths.changes[0].removed_circles)

    def at(self, watcher, what):
        request = watcher.talk.send(steer=dict(subscription=watcher.request, **what))
        self.assertEqual(watcher.talk.next(request).WhichOneof("reply"), "steered")
        return request

    def test_a_radius_and_states(self):
        info = self.create({"circles": [circle(3 * i, 0, vx=1, id=i + 1) for i in range(20)]})
        seat = self.attach(info)
        spectator = dict(world=info.name, secret=info.join_secret)
        request = self.talk.send(subscribe=dict(stream=self.schema.STREAM_PATHS, spectator=spectator))
        self.assertEqual(len(self.talk.next(request).world_update.key.scene.circle_columns.id), 20)
        steer = self.talk.send(steer=dict(subscription=request, region=dict(around=dict(circle=7, radius=3))))
        self.assertEqual(self.talk.next(steer).steered.region.around.radius, 4)
        self.stepped(seat, 3)
        while (update := self.talk.next(request).world_update).steered != steer:
            pass
        self.assertEqual(sorted(update.paths.changes[0].removed_circles), [i for i in range(1, 21) if abs(i - 7) > 1])
        states = self.talk.send(subscribe=dict(stream=self.schema.STREAM_STATES, every=2, spectator=spectator))
        self.talk.next(states)
        steer = self.talk.send(steer=dict(subscription=states, every=5))
        self.assertEqual(self.talk.next(steer).steered.every, 5)
        self.stepped(seat, 17)
        told = [self.talk.next(states).world_update]
        while told[-1].tick < 20:
            told.append(self.talk.next(states).world_update)
        self.assertEqual([update.tick for update in told][-3:], [10, 15, 20])
        self.assertEqual([update.ticks for update in told][-2:], [5, 5])
        self.assertIn(steer, [update.steered for update in told])

    def test_what_cannot_be_steered(self):
        info = self.create()
        spectator = dict(world=info.name, secret=info.join_secret)
        paths, states = [self.talk.send(subscribe=dict(stream=stream, spectator=spectator))
                         for stream in (self.schema.STREAM_PATHS, self.schema.STREAM_STATES)]
        cases = [
            (dict(subscription=12345), NOT_FOUND, "SUBSCRIPTION", "steer.subscription"),
            (dict(subscription=paths, every=3601), EXHAUSTED, "LIMIT", "steer.every"),
            (dict(subscription=paths, region={}), INVALID, "BAD_FIELD", "steer.region"),
            (dict(subscription=paths, region=region_of((1, 0, 0, 1))), INVALID, "BAD_FIELD", "steer.region.box"),
            (dict(subscription=states, region=region_of((0, 0, 1, 1))), INVALID, "BAD_FIELD", "steer.region"),
        ]
        for steer, code, reason, field in cases:
            with self.subTest(steer=steer):
                self.refused(self.talk.ask(steer=steer), code, reason, field)


def fast_gas(count, seed):
    """Circles that meet some hundred times in a tick, and take little time for it."""
    chance, side = random.Random(seed), int(count ** 0.5)
    circles = [circle(1.5 * (i % side), 1.5 * (i // side), vx=chance.uniform(-300, 300), vy=chance.uniform(-300, 300), radius=0.5)
               for i in range(side * side)]
    low, high = -1.0, 1.5 * side
    corners = ((low, low), (high, low), (high, high), (low, high))
    return {"circles": circles, "segments": [dict(x1=a[0], y1=a[1], x2=b[0], y2=b[1])
                                             for a, b in zip(corners, corners[1:] + corners[:1])]}


class Much(WithWorlds):
    def test_more_than_a_table_holds(self):
        """Updates come before their tick, each of one tick whatever its parts; and every contact is told once."""
        scene = fast_gas(400, 3)
        info = self.create(scene)
        seat, talk = self.attach(info), self.connect_talk()
        reader = Reader(talk, self.schema, every=3600, contacts=True, spectator=dict(world=info.name, secret=info.join_secret))
        reader.next()
        contacts, early, parts = 0, 0, 0
        for _ in range(rounds(12, 80)):  # it reads what comes
            self.stepped(seat, 8)
            talk.ask(ping={})
            filed = talk.filed[reader.request_id]
            parts += sum(message.world_update.frame.more for message in filed)
            while filed:
                update = reader.next()
                self.assertIsNotNone(update, (reader.unsubscribed, reader.error))
                early += update.tick % 3600 > 0 and len(update.frame.bodies.id) > 0
                contacts += len(update.frame.contacts.tick)
                last = update.tick
        frames, _ = self.connect().simulate(scene=scene, dt=1 / 64, ticks=last, every=last)
        self.assertEqual(contacts, sum(len(frame.contacts.tick) for frame in frames))
        self.assertGreater(early, 1)
        self.assertGreater(parts, 0)


class Returning(WithWorlds):
    def updates(self, talk, request):
        talk.ask(ping={})
        out = [message.world_update for message in talk.filed[request]]
        talk.filed[request].clear()
        return out

    def same(self, some, others):
        self.assertEqual([update.tick for update in some], [update.tick for update in others])
        self.assertTrue(all(one.SerializeToString() == other.SerializeToString() for one, other in zip(some, others)))

    def test_the_same_bytes(self):
        """One that stays and one that comes back are told the same, contacts too; of both streams."""
        for stream in (self.schema.STREAM_PATHS, self.schema.STREAM_STATES):
            with self.subTest(stream=stream):
                info = self.create(outside_paths.heap(random.Random(4)))
                seat = self.attach(info)
                ask = dict(stream=stream, contacts=True, spectator=dict(world=info.name, secret=info.join_secret))
                stays, talk = self.talk.send(subscribe=ask), self.connect_talk()
                comes = talk.send(subscribe=ask)
                self.stepped(seat, 30)
                told, had = self.updates(self.talk, stays), self.updates(talk, comes)
                self.same(*([update for update in some if update.tick > 3] for some in (told, had)))  # after both keys
                talk.connection.close()
                self.stepped(seat, 15)
                talk = self.connect_talk()
                comes = talk.send(subscribe=dict(ask, after_tick=30, after_encoding=had[0].encoding))
                had = self.updates(talk, comes)
                for _ in range(10):
                    self.stepped(seat, 3)
                    had += self.updates(talk, comes)
                told = self.updates(self.talk, stays)
                self.same(told, had)
                self.assertGreater(sum(len(update.frame.contacts.tick) for update in had), 100)

    def test_states_alone(self):
        """Of states alone a few are kept; then a key tells as much, and how many ticks were missed."""
        info = self.create(outside_paths.gas(random.Random(6)))
        seat = self.attach(info)
        ask = dict(stream=self.schema.STREAM_STATES, every=1, spectator=dict(world=info.name, secret=info.join_secret))
        talk = self.connect_talk()
        request = talk.send(subscribe=ask)
        self.stepped(seat, 10)
        had = self.updates(talk, request)
        size = max(update.ByteSize() for update in had[1:])
        kept = self.connection.welcome.limits.worlds.kept_bytes_max // 64 // size
        self.assertIn(kept, range(1, 10))
        self.stepped(seat, 20)
        for back, goes_on in ((kept // 2, True), (kept + 1, False)):
            talk = self.connect_talk()
            request = talk.send(subscribe=dict(ask, after_tick=30 - back, after_encoding=had[0].encoding))
            self.stepped(seat, 1)
            first = talk.next(request).world_update
            self.assertEqual(first.HasField("key"), not goes_on, (back, first.tick))
            talk.connection.close()

    def test_paths_alone(self):
        """Of paths without contacts some are kept, with contacts many: a key tells as much of the world, and not what touched."""
        info = self.create(outside_paths.gas(random.Random(7)))
        seat = self.attach(info)
        for contacts in (False, True):
            ask = dict(stream=self.schema.STREAM_PATHS, every=1, contacts=contacts, spectator=dict(world=info.name, secret=info.join_secret))
            talk = self.connect_talk()
            request = talk.send(subscribe=ask)
            for _ in range(20):
                self.stepped(seat, 30)
            had = self.updates(talk, request)
            talk.connection.close()
            for back, goes_on in ((3, True), (550, contacts)):
                talk = self.connect_talk()
                request = talk.send(subscribe=dict(ask, after_tick=had[-1].tick - back, after_encoding=had[0].encoding))
                self.stepped(seat, 1)
                first = talk.next(request).world_update
                self.assertEqual(first.HasField("key"), not goes_on, (contacts, back, first.tick))
                talk.connection.close()

    def test_alone_and_too_late(self):
        """The only reader may come back; not for a tick or an encoding that is not known, nor to another past."""
        info = self.create(outside_paths.gas(random.Random(5)), policy=self.policy(seat_ttl_ms=20000))
        seat = self.attach(info)
        ask = dict(stream=self.schema.STREAM_PATHS, spectator=dict(world=info.name, secret=info.join_secret))
        talk = self.connect_talk()
        request = talk.send(subscribe=ask)
        self.stepped(seat, 30)
        encoding = self.updates(talk, request)[0].encoding
        talk.connection.close()
        self.stepped(seat, 3)
        for tick, name, goes_on in ((30, encoding, True), (33, encoding, True), (31, encoding, False), (3000, encoding, False),
                                    (30, encoding + 1, False), (30, 0, False)):
            with self.subTest(tick=tick, name=name):
                talk = self.connect_talk()
                request = talk.send(subscribe=dict(ask, after_tick=tick, after_encoding=name))
                self.stepped(seat, 3)
                first = talk.next(request).world_update
                self.assertEqual(first.HasField("key"), not goes_on)
                talk.connection.close()
        self.stepped(seat, 1300)  # more than is kept: for as long as a seat stays
        talk = self.connect_talk()
        self.assertTrue(talk.next(talk.send(subscribe=dict(ask, after_tick=30, after_encoding=encoding))).world_update.HasField("key"))
        data = self.talk.snapshot(name=info.name, secret=info.owner_secret)
        self.talk.ask(restore_world=dict(name=info.name, secret=info.owner_secret, snapshot=data))
        talk = self.connect_talk()
        again = dict(ask, after_tick=1351, after_encoding=encoding)
        self.assertTrue(talk.next(talk.send(subscribe=again)).world_update.HasField("key"))
