"""A daemon that is told to end while worlds live on it: another one goes on with them, their seats and their batches."""
import os
import random
import signal
import time

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
        first = Daemon(self.daemon.process.args[0], "--shutdown-grace-ms", "60000")
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
        until = time.monotonic() + 60
        while first.process.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
        self.assertEqual(first.process.poll(), 0)  # long before its grace has passed
        first.log.close()
        first.folder.cleanup()
