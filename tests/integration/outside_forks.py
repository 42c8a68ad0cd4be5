"""ForkWorld as a client sees it that shares no code with ours: a world that goes on from where another stands or stood."""
import time

from outside_client import EXHAUSTED, INVALID, PRECONDITION, box, circle
from outside_commands import WithSeats
from outside_talk import Seat
from outside_worlds import ALREADY_EXISTS, NOT_FOUND, OUT_OF_RANGE, PERMISSION_DENIED, heap


class WithForks(WithSeats):
    def fork(self, info, talk=None, **more):
        reply = (talk or self.talk).ask(fork_world=dict(dict(world=info.name, secret=info.owner_secret), **more))
        self.assertEqual(reply.WhichOneof("reply"), "world_info", reply)
        return reply.world_info

    def state(self, info, **more):
        return self.talk.snapshot(name=info.name, secret=info.owner_secret, **more)


class Forks(WithForks):
    def test_given_the_same_batches_it_ends_with_the_same_hash(self):
        """From every other tick of the history, forces that act and lifetimes that run among what it has."""
        scene = heap(12, 3)
        scene["circles"][11]["lifetime_ticks"] = 33
        trunk = self.create(scene, policy=self.policy(history_ticks=40))
        seat = self.attach(trunk, ids=1)
        self.stepped(seat, 20)
        batches = {
            21: dict(pushes=dict(id=[0, 1], force_x=[3.0, -2.0], force_y=[0.0, 1.0], ticks=[30, 9])),
            30: dict(velocities=dict(id=[4], vx=[2.5], vy=[-1.0])),
            38: dict(add_velocities=dict(id=[5, 6], vx=[1.0, -1.0], vy=[0.5, 0.25])),
        }
        for tick, batch in batches.items():
            seat.send(tick=tick, **batch)
        wanted = self.stepped(seat, 40).hash
        for at in range(20, 61, 2):
            with self.subTest(at=at):
                branch = self.fork(trunk, at_tick=at)
                self.assertEqual((branch.tick, self.listed(branch.name).circles), (at, 12 if at < 33 else 11))
                other = self.attach(branch)
                for tick, batch in batches.items():
                    if tick > at:
                        other.send(tick=tick, **batch)
                if at < 60:
                    self.assertEqual(self.stepped(other, 60 - at).hash, wanted)
                self.assertEqual(self.state(branch), self.state(trunk))
                other.send(velocities=dict(id=[4], vx=[-2.5], vy=[0.0]))
                self.assertNotEqual(self.stepped(other).hash, wanted)
                self.talk.ask(destroy_world=dict(name=branch.name, secret=branch.owner_secret))
        # The other world has not noticed.
        self.assertEqual((self.listed(trunk.name).tick, self.listed(trunk.name).seats), (60, 1))

    def test_what_it_has_of_the_other_and_what_not(self):
        policy = self.policy(history_ticks=7, seats_max=3, late=self.schema.LATE_REFUSE)
        trunk = self.create(heap(4, 1), name="trunk", policy=policy, labels=[dict(key="mode", value="duel")])
        seat = self.attach(trunk, ids=8)
        self.stepped(seat, 5)
        plain = self.fork(trunk)
        self.assertNotIn(plain.name, ("", "trunk"))
        self.assertEqual(plain.policy, trunk.policy)
        self.assertEqual((len(plain.labels), plain.seats, plain.tick), (0, 0, 5))
        self.assertEqual(len({plain.owner_secret, plain.join_secret, trunk.owner_secret, trunk.join_secret}), 4)
        self.assertNotEqual(plain.epoch, trunk.epoch)
        named = self.fork(trunk, name="branch", clock=self.schema.CLOCK_PAUSED, epoch=trunk.epoch,
                          labels=[dict(key="of", value="trunk")])
        self.assertEqual((named.name, named.policy.clock), ("branch", self.schema.CLOCK_PAUSED))
        self.assertEqual([(label.key, label.value) for label in named.labels], [("of", "trunk")])
        # Tokens and secrets are those of the other world.
        self.assertIsNone(Seat(self.talk, world="branch", token=seat.attached.token).attached)
        self.refused(self.talk.ask(destroy_world=dict(name="branch", secret=trunk.owner_secret)), PERMISSION_DENIED, "SECRET")
        # Its own history begins here.
        self.refused(self.state(plain, at_tick=4), OUT_OF_RANGE, "TICK_GONE", "snapshot_world.at_tick")
        self.refused(self.talk.ask(fork_world=dict(world=plain.name, secret=plain.owner_secret, at_tick=4)), OUT_OF_RANGE,
                     "TICK_GONE", "fork_world.at_tick")

    def test_circles_belong_to_no_seat(self):
        """Else the first seat of the fork had those of the first seat of the other world."""
        trunk = self.create({"circles": [circle(0, 0)]})
        seat = self.attach(trunk, ids=2)
        seat.send(spawn=dict(id=[seat.id_first], x=[50.0], radius=[0.5]))
        self.stepped(seat)
        push = dict(velocities=dict(id=[seat.id_first], vx=[1.0], vy=[0.0]))
        owner = self.attach(trunk, right=self.schema.RIGHT_ALL)
        owner.send(give=dict(id=[seat.id_first], seat=[seat.attached.seat]))
        self.stepped(seat)
        branch = self.fork(trunk, clock=self.schema.CLOCK_CLIENT)
        first = self.attach(branch, right=self.schema.RIGHT_OWN, ids=1)
        self.assertEqual(first.attached.seat, seat.attached.seat)
        self.assertGreater(first.id_first, seat.id_first)
        stepper = self.attach(branch)
        sequence = first.send(**push)
        self.stepped(stepper)
        self.told(first.wait(sequence), PERMISSION_DENIED, "RIGHT")
        own = first.send(spawn=dict(id=[first.id_first], x=[-50.0], radius=[0.5]))
        self.stepped(stepper)
        self.assertIsNone(first.wait(own))
        # So it is by the long way, and even for a seat of the same number.
        branch = self.create(snapshot=self.state(trunk))
        first = self.attach(branch, right=self.schema.RIGHT_OWN)
        self.assertEqual(first.attached.seat, seat.attached.seat)
        sequence = first.send(**push)
        self.stepped(self.attach(branch))
        self.told(first.wait(sequence), PERMISSION_DENIED, "RIGHT")

    def test_batches_that_wait_stay(self):
        trunk = self.create()
        seat = self.attach(trunk)
        seat.send(tick=5, velocities=dict(id=[0], vx=[9.0], vy=[0.0]))
        branch = self.fork(trunk)
        self.stepped(self.attach(branch), 6)
        self.stepped(seat, 6)
        self.assertEqual((self.bodies(trunk)[0]["vx"], self.bodies(branch)[0]["vx"]), (9.0, 1.0))

    def test_in_a_map_whose_name_is_gone(self):
        self.talk.ask(create_map=dict(name="arena", segments=dict(id=[900, 901], x1=[4.0, -4.0], y1=[-9.0, -9.0],
                                                                  x2=[4.0, -4.0], y2=[9.0, 9.0])))
        trunk = self.create({"circles": [circle(0, 0, vx=30)]}, map="arena")
        self.talk.ask(drop_map=dict(name="arena"))
        seat, branch = self.attach(trunk), self.fork(trunk)
        self.talk.ask(destroy_world=dict(name=branch.name, secret=branch.owner_secret))
        branch = self.fork(trunk)
        self.assertEqual(branch.segments, trunk.segments)
        self.assertEqual(self.stepped(self.attach(branch), 50).hash, self.stepped(seat, 50).hash)

    def test_by_the_servers_clock(self):
        """Its ticks are due from then on, made or lost, and not since the other world began."""
        trunk = self.create(policy=self.policy(clock=self.schema.CLOCK_SERVER, tick_hz=500, history_ticks=50))
        while self.listed(trunk.name).tick < 100:
            self.talk.ask(ping={})
        began = time.monotonic()
        branch = self.fork(trunk)
        while self.listed(branch.name).tick < branch.tick + 20:
            self.talk.ask(ping={})
        now = self.listed(branch.name)
        self.assertLessEqual(now.tick - branch.tick + now.lost_ticks, 500 * (time.monotonic() - began) + 2)

    def test_a_ticket_makes_one(self):
        trunk, ticket = self.create(), bytes(range(16))
        first, again = self.fork(trunk, ticket=ticket), self.fork(trunk, ticket=ticket)
        self.assertEqual((first.name, first.owner_secret), (again.name, again.owner_secret))

    def test_what_cannot_be(self):
        trunk = self.create({"circles": [circle(0, 0)]}, name="there", policy=self.policy(history_ticks=8))
        self.stepped(self.attach(trunk), 20)
        by = dict(world="there", secret=trunk.owner_secret)
        for fork, code, reason, field in (
                (dict(by, world="other"), NOT_FOUND, "NO_SUCH_WORLD", "fork_world.world"),
                (dict(by, world="a b"), INVALID, "BAD_FIELD", "fork_world.world"),
                (dict(by, secret=bytes(16)), PERMISSION_DENIED, "SECRET", "fork_world.secret"),
                (dict(by, secret=bytes(17)), PERMISSION_DENIED, "SECRET", "fork_world.secret"),
                (dict(by, secret=trunk.join_secret), PERMISSION_DENIED, "SECRET", "fork_world.secret"),
                (dict(by, epoch=trunk.epoch + 1), PRECONDITION, "EPOCH", "fork_world.epoch"),
                (dict(by, at_tick=11), OUT_OF_RANGE, "TICK_GONE", "fork_world.at_tick"),
                (dict(by, at_tick=21), OUT_OF_RANGE, "TICK_GONE", "fork_world.at_tick"),
                (dict(by, name="there"), ALREADY_EXISTS, "NAME_TAKEN", "fork_world.name"),
                (dict(by, name="a b"), INVALID, "BAD_FIELD", "fork_world.name"),
                (dict(by, clock=9), INVALID, "BAD_FIELD", "fork_world.clock"),
                (dict(by, ticket=b"short"), INVALID, "BAD_FIELD", "fork_world.ticket"),
                (dict(by, labels=[dict(key="", value="x")]), INVALID, "BAD_FIELD", "fork_world.labels[0].key")):
            with self.subTest(field=field, reason=reason):
                self.refused(self.talk.ask(fork_world=fork), code, reason, field)
        self.still_usable()

    def test_cancelled_lost_and_orphaned_while_they_wait(self):
        trunk = self.create(dict(circles=[circle(2 * i, 0) for i in range(200)], segments=box(500)),
                            policy=self.policy(history_ticks=64))
        self.stepped(self.attach(trunk), 70)
        by = dict(world=trunk.name, secret=trunk.owner_secret)
        for i in range(20):
            talk = self.connect_talk()
            for k in range(4):
                talk.send(request_id=100 + k, fork_world=dict(by, at_tick=10 + (7 * i + k) % 60))
            talk.send(cancel=dict(target_request_id=100 + i % 4))
            if i % 2:
                talk.connection.close()
                continue
            for k in range(4):
                reply = talk.next(100 + k)
                if reply.WhichOneof("reply") == "world_info":
                    info = reply.world_info
                    talk.ask(destroy_world=dict(name=info.name, secret=info.owner_secret))
                else:
                    self.assertIn(reply.error.reason, ("CANCELLED", "WORLDS"))
            talk.connection.close()
        asked = [self.talk.send(fork_world=dict(by, at_tick=10)) for _ in range(8)]
        self.talk.ask(destroy_world=dict(name=trunk.name, secret=trunk.owner_secret))
        for request_id in asked:
            reply = self.talk.next(request_id)
            if reply.WhichOneof("reply") != "world_info":
                self.assertIn(reply.error.reason, ("WORLD_GONE", "NO_SUCH_WORLD", "WORLDS"), reply)
        self.still_usable()


class Full(WithForks):
    flags = ("--worlds-max", "2")

    def test_it_counts_as_a_world(self):
        trunk = self.create()
        branch = self.fork(trunk)
        self.refused(self.talk.ask(fork_world=dict(world=trunk.name, secret=trunk.owner_secret)), EXHAUSTED, "WORLDS")
        self.talk.ask(destroy_world=dict(name=branch.name, secret=branch.owner_secret))
        self.fork(trunk)
