"""A daemon that is told to end while worlds live on it: another one goes on with them, their seats and their batches. Else they
tick until its grace has passed, and their seats are told how they stood."""
import os
import random
import signal

from outside_talk import Reader, Seat, Talk
from outside_wire import Connection, Daemon
from outside_worlds import DT, WithWorlds, heap

WORLDS, TICKS, AHEAD = 100, 12, 40


class Handover(WithWorlds):
    def batches(self, number):
        """What the player of a world sends, by its seed: (tick, id, vx, vy), ascending by tick; some after the handover."""
        chance = random.Random(number)
        ticks = sorted(chance.randrange(1, AHEAD) for _ in range(6))
        return [(tick, chance.randrange(6), chance.uniform(-5, 5), chance.uniform(-5, 5)) for tick in ticks]

    def play(self, seat, number):
        for tick, circle, vx, vy in self.batches(number):
            seat.send(tick=tick, velocities=dict(id=[circle], vx=[vx], vy=[vy]))

    def expected(self, number):
        """The hash after AHEAD ticks of the same world, on one server."""
        seat = self.attach(self.create(heap(6, number)))
        self.play(seat, number)
        return self.stepped(seat, AHEAD).hash

    def test_sigterm_under_load(self):
        hashes = [self.expected(number) for number in range(WORLDS)]
        first = Daemon(self.daemon.process.args[0], "--shutdown-grace-ms", "3600000")
        second = Daemon(self.daemon.process.args[0])
        self.addCleanup(second.stop)
        with Connection(first.port, self.schema) as connection, Connection(first.port, self.schema) as load, \
                Connection(second.port, self.schema) as after:
            talk, other = Talk(connection), Talk(after)
            infos = [self.create(heap(6, number), talk=talk, name="world-%d" % number) for number in range(WORLDS)]
            seats = [self.attach(info, talk=talk) for info in infos]
            reader = Reader(talk, self.schema, handle=seats[0].handle, every=1)
            for number, seat in enumerate(seats):
                self.play(seat, number)
                self.stepped(seat, TICKS)
            busy = load.send(simulate=dict(scene=heap(200, 1), dt=DT, ticks=2000, every=2000))
            os.kill(first.process.pid, signal.SIGTERM)
            draining = talk.next(0).draining
            self.assertGreater(draining.grace_ms, 0)
            refused = talk.ask(create_world=dict(scene=heap(1, 1), policy=self.policy()))
            self.assertEqual(refused.error.reason, "SHUTTING_DOWN")
            for number, (info, seat) in enumerate(zip(infos, seats)):
                key = dict(name=info.name, secret=info.owner_secret)
                snapshot = talk.snapshot(handover=True, **key)
                self.assertIsInstance(snapshot, bytes)
                self.assertEqual(seat.wait_detached().reason, "HANDOVER")
                moved = other.ask(create_world=dict(snapshot=snapshot)).world_info
                self.assertEqual((moved.name, moved.epoch, moved.tick), (info.name, info.epoch, TICKS))
                self.assertEqual(talk.ask(destroy_world=key).world_info.tick, TICKS)
                taken = Seat(other, world=info.name, token=seat.token)
                self.assertEqual(taken.sequence, len(self.batches(number)))
                self.assertEqual(self.stepped(taken, AHEAD - TICKS).hash, hashes[number])
                taken.wait()
            while reader.next():
                pass
            self.assertEqual(reader.unsubscribed.reason, "HANDOVER")
            self.assertIsNotNone(busy)
        self.assertEqual(first.process.wait(600), 0)  # its grace would be an hour
        first.log.close()
        first.folder.cleanup()

    def test_a_handover_tells_what_it_handed_over(self):
        """Two worlds by the server's clock: the seats are told the tick and hash that are in the handover, to the bit."""
        for hz in (1000, 60):
            info = self.create(heap(6, hz), policy=dict(dt=DT, clock=self.schema.CLOCK_SERVER, tick_hz=hz))
            seat = self.attach(info)
            seat.send()
            seat.wait()
            snapshot = self.talk.snapshot(name=info.name, secret=info.owner_secret, handover=True)
            detached = seat.wait_detached()
            with self.subTest(hz=hz):
                self.assertEqual((detached.reason, detached.tick), ("HANDOVER", self.state_of(snapshot)[0]))
                self.assertEqual(detached.hash, self.state_of(snapshot)[1])
                ended = self.talk.ask(destroy_world=dict(name=info.name, secret=info.owner_secret)).world_info
                self.assertEqual((ended.tick, ended.hash_tick, ended.hash), (detached.tick, detached.tick, detached.hash))

    def state_of(self, snapshot):
        """Tick and hash of a world's bytes, by a world that is made of them and stands still."""
        info = self.create(snapshot=snapshot, name="state", policy=dict(dt=DT, clock=self.schema.CLOCK_PAUSED))
        ended = self.talk.ask(destroy_world=dict(name="state", secret=info.owner_secret)).world_info
        self.assertEqual((ended.hash_tick, info.tick), (info.tick, info.tick))
        return ended.tick, ended.hash


class Grace(WithWorlds):
    """What a daemon does that was told to end, until it has ended."""

    def drained(self, grace_ms):
        daemon = Daemon(self.daemon.process.args[0], "--shutdown-grace-ms", str(grace_ms))
        connection = Connection(daemon.port, self.schema)
        self.addCleanup(self.ended, daemon, connection)
        return daemon, Talk(connection)

    def ended(self, daemon, connection):
        connection.close()
        self.assertEqual(daemon.process.wait(600), 0, daemon.log_text())
        daemon.log.close()
        daemon.folder.cleanup()

    def ticking(self, talk, **more):
        policy = dict(dt=DT, clock=self.schema.CLOCK_SERVER, tick_hz=200, history_ticks=64)
        info = self.create(heap(6, 1), talk=talk, policy=policy, **more)
        return info, self.attach(info, talk=talk)

    def test_the_clock_goes_on_then_all_is_told(self):
        daemon, talk = self.drained(3600000)
        worlds = [self.ticking(talk, name="grace-%d" % i) for i in range(3)]
        reader = Reader(talk, self.schema, handle=worlds[0][1].handle, every=10)
        os.kill(daemon.process.pid, signal.SIGTERM)
        self.assertEqual(talk.next(0).draining.grace_ms, 3600000)
        before = {world.name: world.tick for world in talk.ask(list_worlds=dict(prefix="grace-")).worlds.worlds}
        self.assertEqual(len(before), 3)
        for i, (info, seat) in enumerate(worlds):
            seat.send(velocities=dict(id=[i], vx=[1.0], vy=[0.0]))  # decided by ticks that are made now
            seat.wait()
        for what in (dict(create_world=dict(scene=heap(1, 1), policy=self.policy())),
                     dict(fork_world=dict(world=worlds[0][0].name, secret=worlds[0][0].owner_secret))):
            refused = talk.ask(**what)
            self.assertEqual(refused.error.reason, "SHUTTING_DOWN", refused)
            self.assertGreater(refused.error.retry_after_ms, 0)
        # One is taken elsewhere: what it was told last is what the other process begins with.
        taken, seat = worlds[1]
        key = dict(name=taken.name, secret=taken.owner_secret)
        snapshot = talk.snapshot(handover=True, **key)
        handed = seat.wait_detached()
        info = self.create(snapshot=snapshot, policy=dict(dt=DT, clock=self.schema.CLOCK_PAUSED))
        moved = self.talk.ask(destroy_world=dict(name=info.name, secret=info.owner_secret)).world_info
        self.assertEqual((moved.tick, moved.hash, handed.reason), (handed.tick, handed.hash, "HANDOVER"))
        talk.ask(destroy_world=key)
        # The others tick until the end, here when it is told again, and say how they stood.
        os.kill(daemon.process.pid, signal.SIGTERM)
        last = 0
        for update in iter(reader.next, None):
            last = update.tick
        self.assertEqual(reader.unsubscribed.reason, "WORLD_GONE")
        for info, seat in (worlds[0], worlds[2]):
            detached = seat.wait_detached()
            self.assertEqual(detached.reason, "WORLD_GONE")
            self.assertGreater(detached.tick, before[info.name])
            self.assertGreaterEqual(detached.tick, last if info is worlds[0][0] else 0)
            self.assertNotEqual(detached.hash, 0)

    def test_the_last_hash_is_that_of_the_ticks(self):
        """When the grace has passed. A client that knows what was commanded makes the same ticks, and comes to the hash that it was told
        last."""
        daemon, talk = self.drained(300)
        info, seat = self.ticking(talk)
        sequence = seat.ask(velocities=dict(id=[2], vx=[3.0], vy=[1.0]))
        took_effect = talk.next(sequence).commands_done.outcome.tick
        self.assertGreater(took_effect, 0)
        os.kill(daemon.process.pid, signal.SIGTERM)
        detached = seat.wait_detached()
        self.assertEqual(detached.reason, "WORLD_GONE")
        self.assertGreaterEqual(detached.tick, took_effect)
        again = self.attach(self.create(heap(6, 1)))
        again.send(tick=took_effect, velocities=dict(id=[2], vx=[3.0], vy=[1.0]))
        self.assertEqual(self.stepped(again, detached.tick).hash, detached.hash)

    def test_told_twice_it_ends_at_once_and_tells_the_same(self):
        daemon, talk = self.drained(600000)
        info, seat = self.ticking(talk)
        seat.send()
        seat.wait()  # some ticks are made
        os.kill(daemon.process.pid, signal.SIGTERM)
        self.assertEqual(talk.next(0).draining.grace_ms, 600000)
        os.kill(daemon.process.pid, signal.SIGTERM)
        detached = seat.wait_detached()
        self.assertEqual(detached.reason, "WORLD_GONE")
        self.assertGreater(detached.tick, 0)
        again = self.attach(self.create(heap(6, 1)))
        self.assertEqual(self.stepped(again, detached.tick).hash, detached.hash)
