"""Worlds in trouble: a tick that cannot be made, a daemon that stands still for seconds."""
import os
import signal
import time

from outside_client import PRECONDITION, PROGRAM, circle
from outside_operator import wait_for
from outside_talk import Reader
from outside_wire import Closed, Daemon
from outside_worlds import DT, WithWorlds


class Failed(WithWorlds):
    """A daemon that allows one contact a tick: the tick with two cannot be made."""
    flags = ("--contacts-per-tick-max", "1")

    def fails(self):
        circles = [circle(2 * i, 0, id=i + 1) for i in range(2)]
        circles += [circle(2 * i, 2, vy=-4.0, id=i + 3) for i in range(2)]
        return self.create({"circles": circles}, policy=self.policy(clock=self.schema.CLOCK_SERVER))

    def wait_failed(self, info):
        return wait_for(lambda: (listed := self.listed(info.name)).failed and listed)

    def test_it_is_told_and_batches_are_refused(self):
        info = self.fails()
        seat = self.attach(info, right=self.schema.RIGHT_ALL)
        early = seat.send(velocities=dict(id=[1], vx=[1.0], vy=[0.0]), tick=info.tick + 100)
        listed = self.wait_failed(info)
        self.assertEqual(listed.failed, "LIMIT")
        for sequence in (early, seat.send(velocities=dict(id=[1], vx=[1.0], vy=[0.0])), seat.send(remove=[1])):
            outcome = seat.wait(sequence)
            self.assertEqual((outcome.code, outcome.reason), (PRECONDITION, "WORLD_FAILED"))
        done = self.talk.ask(commands=seat.batch(remove=[1]))
        self.assertEqual(done.commands_done.outcome.reason, "WORLD_FAILED")

    def test_its_readers_end(self):
        """What they had is the last state; nothing more would come, as long as it is not restored."""
        info = self.fails()
        spectator = dict(world=info.name, secret=info.join_secret)
        readers = [self.talk.send(subscribe=dict(stream=stream, spectator=spectator))
                   for stream in (self.schema.STREAM_STATES, self.schema.STREAM_PATHS, self.schema.STREAM_COMMANDS)]
        listed = self.wait_failed(info)
        for reader in readers:
            reply = self.talk.next(reader)
            while reply.WhichOneof("reply") == "world_update":
                reply = self.talk.next(reader)
            if reply.WhichOneof("reply") == "error":  # it came when the world had failed already
                self.refused(reply, PRECONDITION, "WORLD_FAILED")
            else:
                self.assertEqual((reply.unsubscribed.reason, reply.unsubscribed.tick), ("WORLD_FAILED", listed.tick))
        late = self.talk.next(self.talk.send(subscribe=dict(stream=self.schema.STREAM_STATES, spectator=spectator)))
        self.refused(late, PRECONDITION, "WORLD_FAILED")

    def test_it_can_be_restored_and_destroyed(self):
        good = self.create(policy=self.policy(clock=self.schema.CLOCK_SERVER))
        saved = self.talk.snapshot(name=good.name, secret=good.owner_secret)
        info = self.fails()
        self.assertEqual(self.wait_failed(info).failed, "LIMIT")
        key = dict(name=info.name, secret=info.owner_secret)
        self.refused(self.talk.ask(snapshot_world=key), PRECONDITION, "WORLD_FAILED")
        reply = self.talk.ask(restore_world=dict(snapshot=saved, **key))
        self.assertEqual(reply.WhichOneof("reply"), "world_info", reply)
        self.assertEqual(reply.world_info.failed, "")
        key = dict(name=info.name, secret=info.owner_secret)
        reader = Reader(self.talk, self.schema, spectator=dict(world=info.name, secret=info.join_secret))
        first = reader.next().tick
        self.assertGreater(reader.next().tick, first)
        self.assertEqual(self.talk.ask(destroy_world=key).world_info.name, info.name)


    def test_others_never_notice(self):
        """Worlds beside it go on, to the bit, with the same seats and readers, and with all of their ticks told."""
        scene, schema = {"circles": [circle(0, 0, vx=1.0, id=1)]}, self.schema
        stepped, clocked = self.create(scene), self.create(scene, policy=self.policy(clock=schema.CLOCK_SERVER))
        players = []
        for info in stepped, clocked:
            seat = self.attach(info, talk=self.connect_talk())
            players.append((info, seat, Reader(seat.talk, schema, handle=seat.handle, every=1)))
            self.assertTrue(players[-1][2].next().HasField("key"))
        tick, failing = 0, [self.fails() for _ in range(10)]
        for info in failing:
            tick += 1
            self.assertEqual(self.stepped(players[0][1]).tick, tick)
            self.assertEqual(self.wait_failed(info).failed, "LIMIT")
        failed = {world.name for world in self.talk.ask(list_worlds={}).worlds.worlds if world.failed}
        self.assertLessEqual({info.name for info in failing}, failed)
        for info, seat, reader in players:
            self.assertIsNone(seat.wait(seat.send(velocities=dict(id=[1], vx=[1.0], vy=[0.0])) if info is clocked else 0))
            listed = self.listed(info.name)
            self.assertEqual((listed.failed, listed.epoch, listed.seats, listed.subscriptions), ("", info.epoch, 1, 1))
            last = listed.tick
            self.assertGreater(last, 0)
            updates = reader.until(last)
            self.assertEqual([update.tick for update in updates], list(range(updates[0].tick, updates[0].tick + len(updates))))
            for update in updates:
                self.assertFalse(update.HasField("key"))
                self.assertEqual(list(update.frame.bodies.x), [update.tick * DT])
        self.assertEqual(self.stepped(players[0][1]).hash, self.simulated_hash(scene, tick + 1))
        for info in failing:
            self.talk.ask(destroy_world=dict(name=info.name, secret=info.owner_secret))


class Stopped(WithWorlds):
    """A daemon that closes connections which are silent for six seconds, and seats and worlds without a use as late; and then stands
    still for seven. Where this process is too slow for that, all of these are longer."""
    WORLDS, SEATS, STOPPED_S, TTL_MS, HZ = 10, 10, 7, 6000, 60

    def stop_and_go_on(self, pinging, seconds):
        """Its clients do what they must meanwhile: they ping."""
        self.mark()
        pid = self.daemon.process.pid
        os.kill(pid, signal.SIGSTOP)
        for _ in range(seconds):
            time.sleep(1)
            for talk in pinging:
                talk.send(ping={})
        os.kill(pid, signal.SIGCONT)
        self.marked = time.monotonic()

    def mark(self):
        """Here all has just been used, or is about to be left alone."""
        now = time.monotonic()
        self.longest, self.marked = max(self.longest, now - self.marked), now

    def test_seconds_without_the_process(self):
        """No mass time-outs: connections, seats, readers and worlds are there afterwards. The ticks that were not made are told as lost."""
        times = 1
        while not self.survives(times):
            times *= 2

    def survives(self, times):
        """False: this process left things alone for so long that the daemon may have ended them."""
        self.daemon = Daemon(PROGRAM, "--ping-interval-ms", str(self.TTL_MS * times // 3))
        self.addCleanup(self.daemon.stop)
        self.talk, self.longest, self.marked = self.connect_talk(), 0.0, time.monotonic()
        try:
            self.play(times)
        except (AssertionError, AttributeError, Closed, OSError):
            self.mark()
            if 1000 * self.longest < self.TTL_MS * times / 4:
                raise
            return False
        return True

    def play(self, times):
        ttl_ms, stopped_s = self.TTL_MS * times, self.STOPPED_S * times
        lasting = dict(clock=self.schema.CLOCK_SERVER, dt=1 / self.HZ, tick_hz=self.HZ, seat_ttl_ms=ttl_ms, idle_ttl_ms=ttl_ms)
        infos = [self.create({"circles": [circle(0, 0, id=1)]}, policy=self.policy(**lasting)) for _ in range(self.WORLDS)]
        players, gone, talks = [], [], [self.talk]
        for info in infos:
            for _ in range(self.SEATS):
                seat = self.attach(info, talk=self.connect_talk(), right=self.schema.RIGHT_ALL)
                players.append((info, seat, Reader(seat.talk, self.schema, spectator=dict(world=info.name, secret=info.join_secret))))
                talks.append(seat.talk)
            for talk in talks:  # on a busy machine it takes long to get here
                talk.ask(ping={})
            self.mark()
        for _, _, reader in players:
            self.assertTrue(reader.next().HasField("key"))
        for talk in talks:
            talk.ask(ping={})
        self.mark()
        unused = self.create(policy=self.policy(**lasting))  # last, as they have a few seconds
        for info in infos:
            seat = self.attach(info, talk=self.connect_talk(), right=self.schema.RIGHT_ALL)
            seat.talk.connection.close()
            gone.append((info, seat))
        self.stop_and_go_on(talks, stopped_s)
        self.assertIsNotNone(self.listed(unused.name))
        for info, seat in gone:
            again = self.attach(info, right=self.schema.RIGHT_ALL, token=seat.attached.token)
            self.assertEqual(again.attached.seat, seat.attached.seat)
        self.mark()
        for _, seat, _ in players:
            seat.send(velocities=dict(id=[1], vx=[1.0], vy=[0.0]))
        for info, seat, reader in players:
            self.assertIsNone(seat.wait())
            # Most of what was due meanwhile: up to catch_up_ticks are made after all. The connection and its subscription are the same.
            while (update := reader.next()).lost_ticks < self.HZ * (stopped_s - 1):
                self.assertFalse(update.HasField("key"))
            self.assertGreaterEqual(self.listed(info.name).lost_ticks, update.lost_ticks)
        for info in infos:
            listed = self.listed(info.name)
            self.assertEqual((listed.failed, listed.seats, listed.subscriptions), ("", self.SEATS + 1, self.SEATS))
