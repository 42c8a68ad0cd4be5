"""Worlds that live on the server: their life, secrets, clocks, snapshots and what readers get."""
import random

from outside_client import EXHAUSTED, INVALID, PRECONDITION, WithDaemon, box, circle
from outside_talk import Reader, Seat, Talk
from outside_wire import Connection, Daemon

NOT_FOUND, ALREADY_EXISTS, PERMISSION_DENIED, OUT_OF_RANGE = 5, 6, 7, 11
DT = 1 / 64  # exact in binary, so that a free circle's place is exact too


class WithWorlds(WithDaemon):
    def setUp(self):
        super().setUp()
        self.talk = Talk(self.connection)

    def connect_talk(self):
        return Talk(self.connect())

    def policy(self, **more):
        """What waits for its owner to come back does so for longer than a slow machine needs."""
        return dict(dict(dt=DT, clock=self.schema.CLOCK_CLIENT, seat_ttl_ms=600000, idle_ttl_ms=600000), **more)

    def create(self, scene=None, talk=None, **more):
        """A world that StepWorld steps, unless the policy says otherwise; its WorldInfo."""
        request = dict(dict(policy=self.policy()), **more)
        if "snapshot" not in request:
            request["scene"] = {"circles": [circle(0, 0, vx=1)]} if scene is None else scene
        reply = (talk or self.talk).ask(create_world=request)
        self.assertEqual(reply.WhichOneof("reply"), "world_info", reply)
        return reply.world_info

    def attach(self, info, talk=None, right=None, **more):
        right = self.schema.RIGHT_STEP if right is None else right
        request = dict(dict(world=info.name, secret=info.owner_secret, right=right), **more)
        seat = Seat(talk or self.talk, **request)
        self.assertIsNotNone(seat.attached, seat.reply)
        return seat

    def listed(self, name, talk=None):
        """The world as ListWorlds tells of it, or None."""
        worlds = [world for world in (talk or self.talk).ask(list_worlds=dict(prefix=name)).worlds.worlds if world.name == name]
        return worlds[0] if worlds else None

    def stepped(self, seat, ticks=1, **more):
        reply = seat.step(ticks, **more)
        self.assertEqual(reply.WhichOneof("reply"), "stepped", reply)
        return reply.stepped

    def simulated_hash(self, scene, ticks, dt=DT):
        """What Simulate makes of it: the hash after so many ticks."""
        _, last = self.connection.simulate(scene=scene, dt=dt, ticks=ticks, every=ticks)
        return last.simulate_done.hash


def heap(count, seed):
    """Rough circles that fall on a floor between two walls."""
    chance = random.Random(seed)
    circles = [circle(chance.uniform(-2.5, 2.5), 1 + 1.2 * i, radius=chance.uniform(0.3, 0.5), friction=0.5, restitution=0.2)
               for i in range(count)]
    walls = [dict(x1=-4, y1=0, x2=4, y2=0, friction=0.5), dict(x1=-4, y1=0, x2=-4, y2=200), dict(x1=4, y1=200, x2=4, y2=0)]
    return {"circles": circles, "segments": walls, "gravity_y": -9.81}


class Life(WithWorlds):
    def test_limits_are_announced(self):
        limits = self.connection.welcome.limits.worlds
        for field in limits.DESCRIPTOR.fields:
            self.assertGreater(getattr(limits, field.name), 0, field.name)

    def test_create_list_destroy(self):
        info = self.create({"circles": [circle(0, 0), circle(3, 0)], "segments": box(9.0)}, name="life/a",
                           labels=[dict(key="mode", value="duel")])
        self.assertEqual((info.name, info.tick, info.circles, info.segments), ("life/a", 0, 2, 4))
        self.assertNotEqual(info.epoch, 0)
        self.assertEqual([len(info.owner_secret), len(info.join_secret)], [16, 16])
        self.assertNotEqual(info.owner_secret, info.join_secret)
        self.assertEqual([(label.key, label.value) for label in info.labels], [("mode", "duel")])
        other = self.create(name="life/b")
        self.assertNotEqual(other.epoch, info.epoch)
        self.assertNotEqual(other.owner_secret, info.owner_secret)
        listed = self.talk.ask(list_worlds=dict(prefix="life/")).worlds
        self.assertEqual([world.name for world in listed.worlds], ["life/a", "life/b"])
        self.assertFalse(listed.more)
        for world in listed.worlds:
            self.assertEqual((world.owner_secret, world.join_secret), (b"", b""))
        some = self.talk.ask(list_worlds=dict(prefix="life/", labels=[dict(key="mode", value="duel")])).worlds
        self.assertEqual([world.name for world in some.worlds], ["life/a"])
        first = self.talk.ask(list_worlds=dict(prefix="life/", limit=1)).worlds
        self.assertEqual(([world.name for world in first.worlds], first.more), (["life/a"], True))
        rest = self.talk.ask(list_worlds=dict(prefix="life/", after="life/a")).worlds
        self.assertEqual(([world.name for world in rest.worlds], rest.more), (["life/b"], False))
        last = self.talk.ask(destroy_world=dict(name="life/a", secret=info.owner_secret))
        self.assertEqual(last.world_info.name, "life/a")
        self.refused(self.talk.ask(destroy_world=dict(name="life/a", secret=info.owner_secret)), NOT_FOUND, "NO_SUCH_WORLD")
        self.assertIsNone(self.listed("life/a"))

    def test_a_name_is_made_and_is_unique(self):
        names = {self.create().name for _ in range(3)}
        self.assertEqual(len(names), 3)
        self.assertNotIn("", names)
        taken = self.talk.ask(create_world=dict(name=names.pop(), scene={"circles": [circle(0, 0)]}, policy=self.policy()))
        self.refused(taken, ALREADY_EXISTS, "NAME_TAKEN")

    def test_a_ticket_makes_one_world(self):
        ticket = bytes(range(16))
        info = self.create(ticket=ticket)
        again = self.create(talk=self.connect_talk(), ticket=ticket)
        self.assertEqual((again.name, again.epoch, again.owner_secret), (info.name, info.epoch, info.owner_secret))
        self.assertNotEqual(self.create(ticket=bytes(16)).name, info.name)

    def test_what_cannot_be_a_world(self):
        scene = {"circles": [circle(0, 0)]}
        label = dict(key="k", value="v")
        cases = [
            (dict(scene=scene), INVALID, "BAD_FIELD", "create_world.policy"),
            (dict(policy=self.policy()), INVALID, "BAD_FIELD", "create_world.scene"),
            (dict(scene=scene, policy=self.policy(dt=0)), INVALID, "BAD_FIELD", "create_world.policy.dt"),
            (dict(scene=scene, policy=self.policy(dt=float("nan"))), INVALID, "BAD_FIELD", "create_world.policy.dt"),
            (dict(scene=scene, policy=self.policy(tick_hz=1 << 30)), EXHAUSTED, "LIMIT", "create_world.policy.tick_hz"),
            (dict(scene=scene, policy=self.policy(history_ticks=1 << 30)), EXHAUSTED, "LIMIT", "create_world.policy.history_ticks"),
            (dict(scene=scene, policy=self.policy(cpu_permille_max=1001)), INVALID, "BAD_FIELD", "create_world.policy.cpu_permille_max"),
            (dict(scene=scene, policy=self.policy(), name="a b"), INVALID, "BAD_FIELD", "create_world.name"),
            (dict(scene=scene, policy=self.policy(), name="n" * 65), None, None, "create_world.name"),
            (dict(scene=scene, policy=self.policy(), ticket=b"short"), INVALID, "BAD_FIELD", "create_world.ticket"),
            (dict(scene=scene, policy=self.policy(), labels=[label, label]), INVALID, "BAD_FIELD", "create_world.labels[1].key"),
            (dict(scene=scene, policy=self.policy(), map="none"), NOT_FOUND, "NO_SUCH_MAP", None),
            (dict(scene={"circles": [circle(0, 0, radius=-1)]}, policy=self.policy()), INVALID, "BAD_FIELD",
             "create_world.scene.circles[0].radius"),
            (dict(snapshot=b"nonsense", policy=self.policy()), INVALID, "BAD_FIELD", "create_world.snapshot"),
        ]
        before = len(self.talk.ask(list_worlds={}).worlds.worlds)
        for request, code, reason, field in cases:
            with self.subTest(field=field, reason=reason):
                reply = self.talk.ask(create_world=request)
                self.refused(reply, reply.error.code if code is None else code, reason, field)
        self.assertEqual(len(self.talk.ask(list_worlds={}).worlds.worlds), before)

    def test_a_map_is_shared(self):
        columns = {key: [side[key] for side in box(5.0)] for key in ("x1", "y1", "x2", "y2")}
        info = self.talk.ask(create_map=dict(name="arena", segments=dict(columns, id=[100, 101, 102, 103]))).map_info
        self.assertEqual((info.name, info.segments, info.worlds), ("arena", 4, 0))
        self.refused(self.talk.ask(create_map=dict(name="arena", segments=columns)), ALREADY_EXISTS, "NAME_TAKEN")
        scene = {"circles": [circle(0, 0, vx=50, vy=21), circle(2, 1, vx=-9, vy=4)]}
        worlds = [self.create(scene, map="arena") for _ in range(2)]
        self.assertEqual([(world.map, world.segments) for world in worlds], [("arena", 4)] * 2)
        own = dict(scene, segments=[dict(side, id=100 + i) for i, side in enumerate(box(5.0))])
        expected = self.simulated_hash(own, 100)
        for world in worlds:
            self.assertEqual(self.stepped(self.attach(world), 100).hash, expected)
        taken = self.talk.ask(create_world=dict(scene=dict(scene, segments=[dict(box(1.0)[0], id=101)]), map="arena",
                                                policy=self.policy()))
        self.refused(taken, INVALID, "BAD_FIELD")
        dropped = self.talk.ask(drop_map=dict(name="arena")).map_info
        self.assertEqual((dropped.name, dropped.worlds), ("arena", 2))
        self.refused(self.talk.ask(drop_map=dict(name="arena")), NOT_FOUND, "NO_SUCH_MAP")
        self.assertEqual(self.stepped(self.attach(worlds[0]), 1).tick, 101)

    def got_map(self, talk=None, **which):
        """The parts of a GetMap's answer; or the Error."""
        talk = talk or self.talk
        request_id, parts = talk.send(get_map=which), []
        while not parts or parts[-1].more:
            message = talk.next(request_id)
            if message.WhichOneof("reply") != "map_segments":
                return message
            parts.append(message.map_segments)
        return parts

    @staticmethod
    def rows(parts, name, default=0):
        """A column of all parts, in which one element may stand for all of its part."""
        values = []
        for part in parts:
            column, count = getattr(part.segments, name), part.segments.count or len(part.segments.id)
            values += list(column) if len(column) == count else [*(column or [default])] * count
        return values

    def test_the_segments_of_a_map_are_told(self):
        count, chance = 10000, random.Random(5)
        sent = {name: [chance.uniform(-1e4, 1e4) for _ in range(count)] for name in ("x1", "y1")}
        for end, begin in (("x2", "x1"), ("y2", "y1")):
            sent[end] = [at + chance.uniform(-9, 9) for at in sent[begin]]
        sent.update(id=chance.sample(range(1 << 32), count), friction=[chance.random() for _ in range(count)],
                    restitution=[0.5], radius=[chance.choice((0.0, 0.25)) for _ in range(count)], group=[7],
                    filter_group=[chance.randrange(-9, 9) for _ in range(count)], category=[1 << 31], mask=[6],
                    surface_speed=[-1.5], rolling_resistance=[0.125], one_sided=[i % 3 == 0 for i in range(count)],
                    sensor=[i % 7 == 0 for i in range(count)], disabled=[i % 5 == 0 for i in range(count)])
        info = self.talk.ask(create_map=dict(name="large", segments=sent)).map_info
        parts = self.got_map(name="large")
        self.assertEqual({(part.name, part.hash) for part in parts}, {("large", info.hash)})
        self.assertEqual([part.more for part in parts], [True] * (len(parts) - 1) + [False])
        self.assertTrue(all(len(part.segments.id) <= 4096 for part in parts))
        self.assertGreater(len(parts), 2)
        order = sorted(range(count), key=sent["id"].__getitem__)
        for name, column in sent.items():
            whole = column * count if len(column) == 1 else column
            self.assertEqual(self.rows(parts, name), [whole[i] for i in order], name)
        # What was told makes the same map.
        again = {name: self.rows(parts, name) for name in sent}
        self.assertEqual(self.talk.ask(create_map=dict(name="again", segments=again)).map_info.hash, info.hash)

    def test_who_may_ask_for_the_segments_of_a_map(self):
        columns = {key: [side[key] for side in box(5.0)] for key in ("x1", "y1", "x2", "y2")}
        info = self.talk.ask(create_map=dict(name="yard", segments=columns)).map_info
        world, bare = self.create(map="yard"), self.create()
        other = self.connect_talk()
        seat, bare_seat = self.attach(world, talk=other), self.attach(bare, talk=other)
        self.assertEqual(self.rows(self.got_map(talk=other, name="yard"), "id"), [0, 1, 2, 3])
        self.talk.ask(drop_map=dict(name="yard"))
        # It is not found by its name any more, but its worlds still have it.
        reader = dict(world=world.name, secret=world.join_secret)
        for which in (dict(handle=seat.handle), dict(spectator=reader), dict(spectator=dict(reader, secret=world.owner_secret)),
                      dict(spectator=dict(reader, epoch=world.epoch))):
            with self.subTest(which=which):
                parts = self.got_map(talk=other, **which)
                self.assertEqual([(part.name, part.hash, part.more) for part in parts], [("yard", info.hash, False)])
                self.assertEqual([self.rows(parts, key) for key in columns], list(columns.values()))
        for which, code, reason, field in (
                (dict(name="yard"), NOT_FOUND, "NO_SUCH_MAP", "get_map.name"),
                (dict(name=""), NOT_FOUND, "NO_SUCH_MAP", "get_map.name"),
                (dict(name="a b"), INVALID, "BAD_FIELD", "get_map.name"),
                ({}, INVALID, "BAD_FIELD", "get_map.name"),
                (dict(handle=999), NOT_FOUND, "HANDLE", "get_map.handle"),
                (dict(handle=bare_seat.handle), NOT_FOUND, "NO_SUCH_MAP", "get_map.handle"),
                (dict(spectator=dict(world="nix", secret=world.join_secret)), NOT_FOUND, "NO_SUCH_WORLD", "get_map.spectator.world"),
                (dict(spectator=dict(reader, secret=bytes(16))), PERMISSION_DENIED, "SECRET", "get_map.spectator.secret"),
                (dict(spectator=dict(reader, secret=world.join_secret + b"x")), PERMISSION_DENIED, "SECRET",
                 "get_map.spectator.secret"),
                (dict(spectator=dict(reader, epoch=world.epoch + 1)), PRECONDITION, "EPOCH", "get_map.spectator.epoch"),
                (dict(spectator=dict(world=bare.name, secret=bare.join_secret)), NOT_FOUND, "NO_SUCH_MAP",
                 "get_map.spectator.world")):
            with self.subTest(which=which, reason=reason):
                self.refused(self.got_map(talk=other, **which), code, reason, field)

    def test_unused_it_ends_by_itself(self):
        info = self.create(policy=self.policy(idle_ttl_ms=1))
        while self.listed(info.name) is not None:
            pass
        self.refused(Seat(self.talk, world=info.name, secret=info.owner_secret).reply, NOT_FOUND, "NO_SUCH_WORLD")


class Epochs(WithWorlds):
    def test_an_epoch_keeps_names_apart(self):
        old = self.create(name="twice")
        self.talk.ask(destroy_world=dict(name="twice", epoch=old.epoch, secret=old.owner_secret))
        new = self.create(name="twice")
        self.assertNotEqual(new.epoch, old.epoch)
        self.refused(Seat(self.talk, world="twice", epoch=old.epoch, secret=new.owner_secret).reply, PRECONDITION, "EPOCH")
        for kind in ("destroy_world", "set_world", "snapshot_world"):
            reply = self.talk.ask(**{kind: dict(name="twice", epoch=old.epoch, secret=new.owner_secret)})
            self.refused(reply, PRECONDITION, "EPOCH")
        self.refused(self.talk.ask(subscribe=dict(spectator=dict(world="twice", epoch=old.epoch, secret=new.join_secret),
                                                  stream=self.schema.STREAM_STATES)), PRECONDITION, "EPOCH")
        self.attach(new, epoch=new.epoch)


class Stepping(WithWorlds):
    def test_steps_are_those_of_simulate(self):
        scene = heap(12, 1)
        info = self.create(scene)
        seat = self.attach(info)
        self.assertEqual((seat.tick, seat.next_due_ns, seat.sequence), (0, 0, 0))
        for tick in (1, 2, 3, 40):
            stepped = self.stepped(seat, tick - self.listed(info.name).tick)
            self.assertEqual((stepped.tick, stepped.hash), (tick, self.simulated_hash(scene, tick)))
        listed = self.listed(info.name)
        self.assertEqual((listed.tick, listed.hash), (40, stepped.hash))

    def test_a_retry_is_harmless(self):
        seat = self.attach(self.create())
        first = self.stepped(seat, 3, expect_tick=0)
        again = self.stepped(seat, 3, expect_tick=0)
        self.assertEqual((again.tick, again.hash), (first.tick, first.hash))
        self.assertEqual(self.stepped(seat, 2, expect_tick=3).tick, 5)
        for ticks, expect in ((3, 0), (2, 4), (1, 6)):
            self.refused(seat.step(ticks, expect_tick=expect), PRECONDITION, "TICK")

    def test_what_cannot_be_stepped(self):
        schema = self.schema
        for clock in schema.CLOCK_SERVER, schema.CLOCK_PAUSED:
            self.refused(self.attach(self.create(policy=self.policy(clock=clock))).step(), PRECONDITION, "CLOCK")
        seat = self.attach(self.create())
        self.refused(seat.step(0), INVALID, "BAD_FIELD", "step_world.ticks")
        self.refused(self.talk.ask(step_world=dict(handle=seat.handle + 99, ticks=1)), NOT_FOUND, "HANDLE")

    def test_a_heap_through_lost_connections(self):
        """A frictional heap of 60, one step at a time, over connections that are cut at random moments, some before the answer. Each
        tick has the hash, counts and contacts that it has in one Simulate."""
        scene, chance, ticks = heap(60, 5), random.Random(9), 240
        info = self.create(scene)
        reader = Reader(self.connect_talk(), self.schema, spectator=dict(world=info.name, secret=info.join_secret), every=1,
                        contacts=True)
        self.assertTrue(reader.next().HasField("key"))
        seat, tick, cut_at = self.attach(info, talk=self.connect_talk()), 0, sorted(chance.sample(range(ticks), 3))
        hashes, told = {}, []
        while tick < ticks:
            if cut_at and tick == cut_at[0]:
                cut_at.pop(0)
                seat.talk.send(step_world=dict(handle=seat.handle, ticks=1, expect_tick=tick))
                if chance.random() < 0.5:
                    seat.talk.pump()
                seat.talk.connection.close()
                seat = self.attach(info, talk=self.connect_talk(), token=seat.token)
            reply = seat.step(1, expect_tick=tick)
            if reply.WhichOneof("reply") == "error" and reply.error.reason == "CLOCK":
                continue  # the step of the lost connection is still under way
            tick += 1
            self.assertEqual(reply.stepped.tick, tick)
            hashes[tick] = reply.stepped.hash
            while not told or told[-1].tick < tick or not told[-1].frame.bodies.x:  # contacts may come before the states
                told.append(reader.next())
        frames, last = self.connection.simulate(scene=scene, dt=DT, ticks=ticks, every=1)
        self.assertEqual(hashes, {frame.tick: frame.hash for frame in frames})
        expected, made = self.by_tick(frames), self.by_tick(update.frame for update in told)
        self.assertEqual(list(made), list(expected))
        for at, counts_and_contacts in expected.items():
            self.assertEqual(made[at], counts_and_contacts, at)
        done = last.simulate_done
        self.assertEqual([sum(getattr(update.frame, count) for update in told) for count in self.COUNTS],
                         [getattr(done, count) for count in self.COUNTS])
        self.assertGreater(done.collisions, 1000)

    COUNTS = "events", "collisions", "clusters", "clips"

    def by_tick(self, frames):
        """Counts and rows of contacts of each tick, which may be told in several frames."""
        ticks = {}
        for frame in frames:
            counts, rows = ticks.setdefault(frame.tick, ([0] * len(self.COUNTS), []))
            for i, count in enumerate(self.COUNTS):
                counts[i] += getattr(frame, count)
            columns = frame.contacts.ListFields()
            rows += zip(*(values for _, values in columns if len(values) == len(frame.contacts.tick)))
        return ticks


class Clocks(WithWorlds):
    def test_the_servers_clock_makes_ticks(self):
        info = self.create(policy=self.policy(clock=self.schema.CLOCK_SERVER, tick_hz=200))
        reader = Reader(self.talk, self.schema, spectator=dict(world=info.name, secret=info.join_secret), every=5)
        updates = reader.until(20)
        self.assertTrue(all(update.tick % 5 == 0 for update in updates), updates)
        for update in updates:
            self.assertEqual(list(update.frame.bodies.x), [update.tick * DT])

    def test_the_next_tick_is_due_within_one(self):
        """Also for a seat that comes at once, when the world has not had a turn yet."""
        for hz in (1, 60, 500):
            info = self.create(policy=self.policy(clock=self.schema.CLOCK_SERVER, tick_hz=hz))
            self.assertIn(self.attach(info).next_due_ns, range(1, 10**9 // hz + 2), hz)

    def test_it_is_paused_and_goes_on(self):
        info = self.create(policy=self.policy(clock=self.schema.CLOCK_SERVER, tick_hz=200))
        key = dict(name=info.name, secret=info.owner_secret)
        while self.listed(info.name).tick == 0:
            pass
        paused = self.talk.ask(set_world=dict(key, clock=self.schema.CLOCK_PAUSED, labels=[dict(key="a", value="b")])).world_info
        self.assertEqual((paused.policy.clock, paused.labels[0].key), (self.schema.CLOCK_PAUSED, "a"))
        # The reply says where it stands, and no one is told otherwise any more.
        seat = self.attach(info)
        self.assertEqual((seat.tick, seat.next_due_ns), (paused.tick, 0))
        self.assertEqual({self.listed(info.name).tick for _ in range(20)}, {paused.tick})
        by_client = self.talk.ask(set_world=dict(key, clock=self.schema.CLOCK_CLIENT)).world_info
        self.assertEqual(by_client.policy.clock, self.schema.CLOCK_CLIENT)
        self.assertEqual(self.stepped(seat, 2).tick, paused.tick + 2)
        self.talk.ask(set_world=dict(key, clock=self.schema.CLOCK_SERVER, tick_hz=500))
        while self.listed(info.name).tick < 20:
            pass
        self.refused(self.talk.ask(set_world=dict(key, tick_hz=1 << 30)), EXHAUSTED, "LIMIT", "set_world.tick_hz")

    def test_what_was_sent_is_counted(self):
        """Each update of a tick that was due, once for each reader; no others."""
        def sent():
            told = talk.ask(list_worlds=dict(prefix="none")).worlds
            below, count = list(told.sent.below_ns), list(told.sent.count)
            self.assertEqual((len(below), below, 0 in count), (len(count), sorted(set(below)), False))
            return sum(count)

        schema, readers, others = self.schema, [], self.talk
        connection = Connection(self.daemon.port, schema, source="127.0.0.77")  # an account without other worlds
        self.addCleanup(connection.close)
        self.talk = talk = Talk(connection)
        stepped = self.create()
        seat = self.attach(stepped)
        steady = Reader(talk, schema, spectator=dict(world=stepped.name, secret=stepped.join_secret), every=1)
        self.stepped(seat, 5)
        steady.until(5)
        self.assertFalse(talk.ask(list_worlds={}).worlds.HasField("sent"))
        info = self.create(policy=self.policy(clock=schema.CLOCK_SERVER, tick_hz=200))
        for one in talk, others, self.connect_talk():  # whatever the account of a reader
            readers.append(Reader(one, schema, spectator=dict(world=info.name, secret=info.join_secret), every=2))
        counts = [len(reader.until(20)) for reader in readers]
        paused = talk.ask(set_world=dict(name=info.name, secret=info.owner_secret, clock=schema.CLOCK_PAUSED)).world_info
        last = paused.tick // 2 * 2
        counts = [count + len(reader.until(last)) if last > 20 else count for count, reader in zip(counts, readers)]
        while sent() < sum(counts):
            pass
        self.assertEqual(sent(), sum(counts))
        for key in info, stepped:
            talk.ask(destroy_world=dict(name=key.name, secret=key.owner_secret))
        while sent():  # of worlds that there are
            pass

    def test_unseen_it_pauses(self):
        info = self.create(policy=self.policy(clock=self.schema.CLOCK_SERVER, tick_hz=1000, pause_unseen=True))
        self.assertEqual([self.listed(info.name).tick for _ in range(50)], [0] * 50)
        reader = Reader(self.talk, self.schema, spectator=dict(world=info.name, secret=info.join_secret), every=1)
        reader.until(3)


class Readers(WithWorlds):
    def spectate(self, info, **more):
        return Reader(self.talk, self.schema, spectator=dict(world=info.name, secret=info.join_secret), **more)

    def test_a_key_then_states(self):
        scene = {"circles": [circle(0, 0, vx=32, mass=3.0), circle(2, 0, radius=0.25)], "segments": box(9.0), "gravity_y": -1}
        info = self.create(scene)
        seat = self.attach(info)
        reader = self.spectate(info, every=2, contacts=True)
        first = reader.next()  # the key, before there is a tick
        self.stepped(seat, 8)
        updates = [first] + reader.until(8)
        self.assertTrue(first.HasField("key"))
        self.assertFalse(any(update.HasField("key") for update in updates[1:]))
        key = updates[0].key
        self.assertEqual((key.epoch, key.dt, key.clock), (info.epoch, DT, self.schema.CLOCK_CLIENT))
        self.assertEqual(list(key.scene.circle_columns.mass)[0], 3.0)
        # Contacts may come in updates of their own.
        ticks = [update.tick for update in updates[1:] if update.frame.bodies.x]
        self.assertEqual(ticks, [2, 4, 6, 8][-len(ticks):])
        frames, _ = self.connection.simulate(scene=scene, dt=DT, ticks=8, every=2)
        expected = {frame.tick: frame for frame in frames}
        for update in updates:
            if update.tick and update.frame.bodies.x:
                frame = expected[update.tick]
                self.assertEqual((list(update.frame.bodies.x), list(update.frame.bodies.vy)), (list(frame.bodies.x), list(frame.bodies.vy)))
        contacts = [c for update in updates for c in zip(update.frame.contacts.tick, update.frame.contacts.time, update.frame.contacts.a)]
        of_simulate = [c for frame in frames for c in zip(frame.contacts.tick, frame.contacts.time, frame.contacts.a)]
        self.assertEqual(contacts, of_simulate)
        self.assertGreater(len(contacts), 0)

    def test_without_contacts_none_come(self):
        info = self.create({"circles": [circle(0, 0, vx=8), circle(2, 0)]})
        seat, reader = self.attach(info), self.spectate(info, every=1)
        self.stepped(seat, 20)
        for update in reader.until(20):
            self.assertEqual(len(update.frame.contacts.tick), 0)

    def test_what_commands_changed_is_told(self):
        info = self.create()
        seat = self.attach(info, ids=4)
        reader = self.spectate(info, every=1)
        seat.send(spawn=dict(id=[seat.id_first], x=[50.0], y=[1.0], radius=[2.0], tag=[7]))
        self.stepped(seat)
        seat.send(remove=[seat.id_first], changes=dict(id=[0], radius=[0.75]))
        self.stepped(seat)
        updates = {update.tick: update for update in reader.until(2)}
        # A reader that began before tick 1 has its key at tick 0 and the changes of both; else its key has what was spawned.
        if not updates[1].HasField("key"):
            self.assertEqual(list(updates[1].changes.circles.id), [seat.id_first])
            self.assertEqual(list(updates[1].changes.circles.radius), [2.0])
        self.assertEqual(list(updates[2].changes.removed_circles), [seat.id_first])
        self.assertEqual(list(updates[2].changes.circles.id), [0])
        self.assertIn(0.75, list(updates[2].changes.circles.radius))
        self.assertEqual(list(updates[2].frame.bodies.id), [0])

    def test_pair_events(self):
        info = self.create({"circles": [circle(0, 0, vx=8), circle(2, 0)]}, policy=self.policy(events=self.schema.EVENTS_TOUCHES))
        seat, reader = self.attach(info), self.spectate(info, every=1, pair_events=True)
        self.stepped(seat, 30)
        kinds = [kind for update in reader.until(30) for kind in update.frame.pair_events.kind]
        self.assertIn(self.schema.PAIR_EVENT_KIND_BEGIN, kinds)
        self.assertIn(self.schema.PAIR_EVENT_KIND_END, kinds)

    def test_what_sensors_see_needs_no_policy(self):
        info = self.create({"circles": [circle(0, 0, vx=8), circle(2, 0, sensor=True), circle(9, 0)]})
        seat, reader = self.attach(info), self.spectate(info, every=1, pair_events=True)
        self.stepped(seat, 60)
        kinds = [kind for update in reader.until(60) for kind in update.frame.pair_events.kind]
        self.assertEqual(kinds, [self.schema.PAIR_EVENT_KIND_ENTER, self.schema.PAIR_EVENT_KIND_EXIT])

    def test_hashes_are_told(self):
        scene = heap(6, 3)
        info = self.create(scene, policy=self.policy(hash_every=4))
        seat, reader = self.attach(info), self.spectate(info, every=2)
        self.stepped(seat, 12)
        told = {update.hash_tick: update.hash for update in reader.until(12) if update.hash and update.hash_tick}
        self.assertIn(12, told)
        for tick, value in told.items():
            self.assertEqual((tick % 4, value), (0, self.simulated_hash(scene, tick)))

    def test_credit(self):
        info = self.create()
        seat = self.attach(info)
        reader = self.spectate(info, every=1, credit=2)
        self.stepped(seat, 10)
        given = [reader.next() for _ in range(2)]
        self.talk.ask(ping={})  # whatever else was sent before it has come
        self.assertFalse(self.talk.filed[reader.request_id])
        self.talk.quiet(credit=dict(subscription=reader.request_id, updates=100))
        self.stepped(seat, 5)
        updates = reader.until(15)
        self.assertTrue(updates[0].HasField("key"), updates[0])
        told = {update.tick for update in given + updates}
        self.assertEqual(len(told | {0}) - 1 + sum(update.missed_ticks for update in updates), 15)

    def test_ends(self):
        info = self.create()
        first, second = self.spectate(info), self.spectate(info)
        self.assertTrue(first.next().HasField("key"))
        self.assertTrue(second.next().HasField("key"))
        self.assertTrue(self.talk.ask(cancel=dict(target_request_id=first.request_id)).cancel_done.found)
        while first.next():
            pass
        self.assertEqual(first.unsubscribed.reason, "DETACHED")
        seat = self.attach(info)
        ended = self.talk.ask(destroy_world=dict(name=info.name, secret=info.owner_secret)).world_info
        self.assertEqual((ended.seats, ended.subscriptions, ended.encodings, ended.tick), (1, 1, 1, 0))
        self.assertEqual((ended.hash, ended.hash_tick), (seat.wait_detached().hash, 0))
        while second.next():
            pass
        self.assertEqual(second.unsubscribed.reason, "WORLD_GONE")
        self.assertEqual(seat.wait_detached().reason, "WORLD_GONE")

    def test_by_a_handle(self):
        seat = self.attach(self.create(), right=self.schema.RIGHT_LOOK)
        reader = Reader(self.talk, self.schema, handle=seat.handle, every=1)
        self.assertTrue(reader.next().HasField("key"))
        self.assertTrue(self.talk.ask(detach=dict(handle=seat.handle)).detach_done.found)
        while reader.next():
            pass
        self.assertEqual(reader.unsubscribed.reason, "DETACHED")

    def test_what_cannot_be_subscribed(self):
        info = self.create()
        spectator = dict(world=info.name, secret=info.join_secret)
        self.refused(self.talk.ask(subscribe=dict(spectator=spectator)), INVALID, "BAD_FIELD", "subscribe.stream")
        self.refused(self.talk.ask(subscribe=dict(stream=self.schema.STREAM_STATES)), INVALID, "BAD_FIELD")
        self.refused(self.talk.ask(subscribe=dict(stream=self.schema.STREAM_STATES, handle=77)), NOT_FOUND, "HANDLE")
        self.refused(self.talk.ask(subscribe=dict(stream=self.schema.STREAM_STATES, spectator=dict(world="none"))), NOT_FOUND,
                     "NO_SUCH_WORLD")


class Snapshots(WithWorlds):
    def test_restored_it_goes_the_same_way(self):
        info = self.create(heap(10, 7))
        key = dict(name=info.name, secret=info.owner_secret)
        seat = self.attach(info, ids=1)
        self.stepped(seat, 20)
        seat.send(pushes=dict(id=[0, 1], force_x=[3.0, -2.0], force_y=[0.0, 1.0], ticks=[30, 9]))
        self.stepped(seat, 5)
        snapshot = self.talk.snapshot(**key)
        self.assertIsInstance(snapshot, bytes)
        after = self.stepped(seat, 30)
        restored = self.talk.ask(restore_world=dict(key, snapshot=snapshot)).world_info
        self.assertEqual(restored.tick, 25)
        self.assertNotIn(restored.epoch, (0, info.epoch))
        self.assertEqual(seat.wait_detached().reason, "RESTORED")
        again = self.attach(info, token=seat.token, secret=b"")
        self.assertEqual((again.seat, again.epoch, again.tick), (seat.seat, restored.epoch, 25))
        self.assertEqual(self.stepped(again, 30).hash, after.hash)
        other = self.create(snapshot=snapshot)
        self.assertEqual(other.tick, 25)
        self.assertEqual(self.stepped(self.attach(other), 30).hash, after.hash)

    def test_in_a_map_it_goes_the_same_way(self):
        columns = {key: [side[key] for side in box(5.0)] for key in ("x1", "y1", "x2", "y2")}
        self.talk.ask(create_map=dict(name="snapped", segments=dict(columns, id=[100, 101, 102, 103])))
        info = self.create({"circles": [circle(0, 0, vx=50, vy=21), circle(2, 1, vx=-9, vy=4)]}, map="snapped")
        key, seat = dict(name=info.name, secret=info.owner_secret), self.attach(info)
        self.stepped(seat, 20)
        snapshot = self.talk.snapshot(**key)
        after = self.stepped(seat, 30)
        other = self.create(snapshot=snapshot)
        self.assertEqual((other.map, other.tick, other.segments), ("snapped", 20, 4))
        self.assertEqual(self.stepped(self.attach(other), 30).hash, after.hash)
        restored = self.talk.ask(restore_world=dict(key, snapshot=snapshot)).world_info
        self.assertEqual(restored.tick, 20)
        self.assertEqual(self.stepped(self.attach(info), 30).hash, after.hash)

    def test_in_a_map_with_walls_of_its_own(self):
        """From the scene, or spawned: then a snapshot has the map's walls, too."""
        columns = {key: [side[key] for side in box(5.0)] for key in ("x1", "y1", "x2", "y2")}
        self.talk.ask(create_map=dict(name="walled", segments=dict(columns, id=[100, 101, 102, 103])))
        circles, wall = [circle(0, 0, vx=50, vy=21), circle(2, 1, vx=-9, vy=4)], dict(id=7, x1=-1, y1=3, x2=1, y2=3)
        built, bare = self.create({"circles": circles, "segments": [wall]}, map="walled"), self.create({"circles": circles}, map="walled")
        before = self.talk.snapshot(name=bare.name, secret=bare.owner_secret)
        hashes = set()
        for info in built, bare:
            key, seat = dict(name=info.name, secret=info.owner_secret), self.attach(info)
            if info is bare:
                seat.send(spawn_segments={name: [value] for name, value in wall.items()})
            self.stepped(seat, 20)
            snapshot = self.talk.snapshot(**key)
            after = self.stepped(seat, 30)
            restored = self.talk.ask(restore_world=dict(key, snapshot=snapshot)).world_info
            self.assertEqual((restored.tick, restored.segments), (20, 5))
            again = self.attach(info)
            self.assertEqual(self.stepped(again, 30).hash, after.hash)
            hashes.add(after.hash)
        self.assertEqual(len(hashes), 1)
        # Back in the map, without the wall.
        restored = self.talk.ask(restore_world=dict(key, snapshot=before)).world_info
        self.assertEqual((restored.map, restored.tick, restored.segments), ("walled", 0, 4))
        # Never into another map, or out of one.
        self.talk.ask(create_map=dict(name="other", segments=columns))
        for info in self.create(map="other"), self.create():
            reply = self.talk.ask(restore_world=dict(name=info.name, secret=info.owner_secret, snapshot=before))
            self.refused(reply, INVALID, "BAD_FIELD", "restore_world.snapshot.map")

    def test_an_engines_snapshot_begins_a_world(self):
        scene = heap(8, 2)
        self.connection.simulate(scene=scene, dt=DT, ticks=30, every=30, snapshot_every=30)
        info = self.create(snapshot=self.connection.snapshots[30])
        self.assertEqual(info.tick, 30)
        self.assertEqual(self.stepped(self.attach(info), 20).hash, self.simulated_hash(scene, 50))

    def test_history(self):
        info = self.create(heap(8, 4), policy=self.policy(history_ticks=20))
        key = dict(name=info.name, secret=info.owner_secret)
        seat = self.attach(info)
        at_30 = self.stepped(seat, 30)
        seat.send(velocities=dict(id=[0], vx=[9.0], vy=[9.0]))
        at_40 = self.stepped(seat, 10)
        snapshot = self.talk.snapshot(at_tick=30, **key)
        past = self.attach(self.create(snapshot=snapshot))
        self.assertEqual((past.tick, self.listed(past.info.name).hash), (30, at_30.hash))
        past.send(velocities=dict(id=[0], vx=[9.0], vy=[9.0]))
        self.assertEqual(self.stepped(past, 10).hash, at_40.hash)
        for tick in (0, 19, 41, 1 << 60):
            self.refused(self.talk.snapshot(at_tick=tick, **key), OUT_OF_RANGE, "TICK_GONE")

    def test_as_scene(self):
        info = self.create({"circles": [circle(0, 0, vx=1), circle(5, 0)], "segments": box(9.0)})
        self.stepped(self.attach(info), 64)
        scene = self.schema.Scene.FromString(self.talk.snapshot(name=info.name, secret=info.owner_secret, as_scene=True))
        columns = scene.circle_columns
        self.assertEqual(list(columns.x), [1.0, 5.0])
        self.assertIn(list(columns.y), ([], [0.0, 0.0]))  # no column, or one of defaults
        self.assertEqual(len(scene.segment_columns.x1), 4)

    def test_what_cannot_be_restored(self):
        info = self.create()
        key = dict(name=info.name, secret=info.owner_secret)
        for snapshot in (b"", b"nonsense", self.talk.snapshot(**key)[:-1]):
            reply = self.talk.ask(restore_world=dict(key, snapshot=snapshot))
            self.refused(reply, INVALID, "BAD_FIELD")
            self.assertRegex(reply.error.violations[0].field, r"^restore_world\.snapshot\b")
        self.assertEqual(self.listed(info.name).epoch, info.epoch)

    def test_a_handover_takes_seats_along(self):
        def played(name):
            info = self.create(heap(6, 8), name=name)
            seat = self.attach(info, ids=3)
            self.stepped(seat, 10)
            seat.send(velocities=dict(id=[0], vx=[1.0], vy=[2.0]))
            seat.send(velocities=dict(id=[99], vx=[1.0], vy=[2.0]))
            self.stepped(seat, 1)
            seat.wait()
            others = [self.attach(info, ids=1, right=self.schema.RIGHT_OWN) for _ in range(2)]
            others[1].send(velocities=dict(id=[98], vx=[1.0], vy=[2.0]), tick=15)
            return info, seat, seat.send(tick=20, velocities=dict(id=[1], vx=[5.0], vy=[0.0])), others

        _, stays, _, _ = played("stays")
        expected = self.stepped(stays, 20)
        info, seat, waiting, others = played("moves")
        self.talk.ask(ping={})
        snapshot = self.talk.snapshot(name="moves", secret=info.owner_secret, handover=True)
        self.assertEqual(seat.wait_detached().reason, "HANDOVER")
        again = Seat(self.talk, world="moves", token=seat.token)
        self.refused(again.step(), PRECONDITION, "CLOCK")
        daemon = Daemon(self.daemon.process.args[0])
        self.addCleanup(daemon.stop)
        with Connection(daemon.port, self.schema) as connection:
            talk = Talk(connection)
            moved = talk.ask(create_world=dict(snapshot=snapshot)).world_info
            self.assertEqual((moved.name, moved.tick, moved.seats), ("moves", 11, 3))
            taken = Seat(talk, world="moves", token=seat.token, outcomes_after=1)
            self.assertEqual((taken.seat, taken.sequence, taken.id_first), (seat.seat, waiting, seat.id_first))
            self.assertEqual(taken.wait_told(2).reason, "NO_SUCH_ID")
            self.assertEqual(taken.step(20).stepped.hash, expected.hash)
            taken.wait(waiting)
            for other in others:
                again = Seat(talk, world="moves", token=other.token)
                self.assertEqual((again.seat, again.sequence, again.right, again.id_first, again.id_count),
                                 (other.seat, other.sequence, other.right, other.id_first, 1))
                again.wait()
                self.assertEqual([outcome.reason for outcome in again.told.values()], ["NO_SUCH_ID"] * other.sequence)
            self.assertEqual(talk.ask(destroy_world=dict(name="moves", secret=info.owner_secret)).world_info.name, "moves")
