"""Snapshots on the wire: kept by one client and given back by another, to this daemon or the next, they go on bit for bit.
Damaged ones are refused with their place."""
import functools
import os
import random

from outside_client import CANCELLED, INVALID, PROGRAM, WithDaemon, box, circle
from outside_wire import Closed, Connection, Daemon, delimited, varint

DT = 1 / 60
GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "physics", "snapshot_golden.bin")


def heap():
    """Rough balls of several sizes that fall into a box, rest, and fall asleep."""
    rng = random.Random(11)
    circles = [circle(-3 + 1.2 * (i % 6) + rng.uniform(-0.05, 0.05), -3 + 1.2 * (i // 6), radius=rng.uniform(0.3, 0.5),
                      restitution=rng.choice([0.0, 0.0, 0.4]), friction=0.5, rolling_resistance=0.05) for i in range(30)]
    walls = [dict(wall, friction=0.5, restitution=0.0) for wall in box(4.0)]
    return {"circles": circles, "segments": walls, "gravity_y": -10.0, "sleep_after": 0.25}


def checksum(data):
    """As server/physics/state/snapshot.h has it, with its own arithmetic."""
    most = 2**64 - 1

    def step(total, group):
        total ^= group
        total = (total ^ total >> 30) * 0xBF58476D1CE4E5B9 & most
        total = (total ^ total >> 27) * 0x94D049BB133111EB & most
        return (total ^ total >> 31) + 0x9E3779B97F4A7C15 & most

    sums = [0, 1, 2, 3]
    for at in range(0, len(data), 8):
        sums[at // 8 % 4] = step(sums[at // 8 % 4], int.from_bytes(data[at:at + 8], "little"))
    return functools.reduce(step, sums, len(data))


def bits(frames):
    return [frame.SerializeToString(deterministic=True) for frame in frames]


class Snapshots(WithDaemon):
    def simulate(self, connection=None, **request):
        connection = connection or self.connection
        frames, last = connection.simulate(dt=DT, **request)
        self.assertEqual(last.WhichOneof("reply"), "simulate_done", last)
        return frames, last.simulate_done, connection.snapshots

    def test_goes_on_as_if_never_interrupted(self):
        ticks = 240
        whole, done, _ = self.simulate(scene=heap(), ticks=ticks)
        self.assertGreater(whole[-1].asleep, 0)
        _, _, snapshots = self.simulate(scene=heap(), ticks=ticks, snapshot_every=47)
        self.assertEqual(sorted(snapshots), [47, 94, 141, 188, 235, 240])
        for tick, data in snapshots.items():
            if tick == ticks:
                continue
            with self.subTest(tick=tick):
                frames, continued, later = self.simulate(snapshot=data, ticks=ticks - tick, snapshot_every=47)
                self.assertEqual(bits(frames), bits(whole[tick:]))
                self.assertEqual((continued.start_tick, continued.ticks, continued.hash), (tick, ticks - tick, done.hash))
                self.assertEqual(later, {t: d for t, d in snapshots.items() if t > tick})

    def test_another_client_another_daemon(self):
        whole, _, _ = self.simulate(scene=heap(), ticks=60, every=20)
        _, _, snapshots = self.simulate(scene=heap(), ticks=20, snapshot_every=2**63)
        other = Daemon(PROGRAM)
        try:
            connection = Connection(other.port, self.schema)
            frames, _, _ = self.simulate(connection, snapshot=snapshots[20], ticks=40, every=20)
            connection.close()
        finally:
            other.stop()
        self.assertEqual(bits(frames), bits(whole[1:]))

    def test_one_that_no_engine_made(self):
        """tests/physics/make_snapshot.py wrote it: at tick 1234 two balls are a second from swapping their velocities."""
        with open(GOLDEN, "rb") as file:
            data = file.read()
        # Whatever engine this is: the scene's future does not depend on it.
        _, _, own = self.simulate(scene={}, ticks=1, snapshot_every=1)
        data = data[:12] + own[1][12:16] + data[16:-8]
        data += checksum(data).to_bytes(8, "little")
        frames, last = self.connection.simulate(snapshot=data, dt=1 / 64, ticks=65)
        self.assertEqual(last.simulate_done.start_tick, 1234)
        self.assertEqual([frames[0].tick, frames[-1].tick], [1235, 1299])
        self.assertEqual(frames[0].time, 1235 / 64)
        self.assertEqual(list(frames[-1].bodies.id), [2, 3, 5, 9])
        self.assertEqual(list(frames[-1].bodies.vx)[:3], [-1.0, 1.0, 0.5])
        self.assertEqual(frames[-1].bodies.x[2], 20 + 0.5 * 65 / 64)
        ticks = [tick for frame in frames for tick in frame.contacts.tick]
        self.assertEqual(ticks, [1298])

    def test_damage(self):
        _, _, snapshots = self.simulate(scene=heap(), ticks=90, snapshot_every=90)
        data, rng = snapshots[90], random.Random(8)
        for _ in range(60):
            at = rng.randrange(len(data))
            damaged = data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1:]
            reply = self.connection.ask(simulate=dict(snapshot=damaged, dt=DT, ticks=1))
            self.refused(reply, INVALID, "BAD_FIELD")
            self.assertRegex(reply.error.violations[0].field, r"^simulate\.snapshot\.(checksum|header\.[a-z]+)$")
        for count in (0, 1, 8, 23, 31, 100, len(data) - 1):
            reply = self.connection.ask(query=dict(snapshot=data[:count], casts=dict(x=[0.0])))
            self.refused(reply, INVALID, "BAD_FIELD")
            self.assertRegex(reply.error.violations[0].field, r"^query\.snapshot\.header\.[a-z]+$")
        self.refused(self.connection.ask(simulate=dict(dt=DT, ticks=1)), INVALID, "BAD_FIELD", "simulate.scene")
        self.refused(self.connection.ask(simulate=dict(snapshot=data, dt=DT)), INVALID, "BAD_FIELD", "simulate.ticks")
        self.still_usable()

    def test_scene_and_snapshot(self):
        simulate = self.schema.Simulate(scene=heap(), dt=DT, ticks=1).SerializeToString()
        simulate += self.schema.Simulate(snapshot=b"collide").SerializeToString()
        body = b"\x08\x63\x32" + varint(len(simulate)) + simulate
        self.connection.send_bytes(delimited(body))
        self.refused(self.connection.receive(), INVALID, "FIELD_TWICE", "simulate.snapshot")
        self.still_usable()

    def test_questions_to_a_snapshot(self):
        frames, _, snapshots = self.simulate(scene=heap(), ticks=40, snapshot_every=40)
        bodies = frames[-1].bodies
        answer = self.connection.joined("queried", query=dict(
            snapshot=snapshots[40], in_circles=dict(x=list(bodies.x), y=list(bodies.y), limit=[1]),
            casts=dict(x=[-9.0], y=[-2.0], move_x=[18.0], limit=[0])))
        inside = [hit_id for question, hit_id in zip(answer.hits.question, answer.hits.id)
                  if question == self.schema.QUESTION_IN_CIRCLE]
        self.assertEqual(inside, list(bodies.id))
        self.assertGreater(answer.counts.hits, len(bodies.id) + 2)

    def test_self_check(self):
        plain, _, _ = self.simulate(scene=heap(), ticks=60, every=6)
        checked, _, _ = self.simulate(scene=heap(), ticks=60, every=6, self_check=True)
        self.assertEqual(bits(plain), bits(checked))

    def test_cancel_amid_a_snapshot(self):
        columns = {"x": [float(3 * (i % 300)) for i in range(60000)], "y": [float(3 * (i // 300)) for i in range(60000)],
                   "radius": [1.0]}
        request = self.connection.send(simulate=dict(scene={"circle_columns": columns}, dt=DT, ticks=1000, every=1000,
                                                     snapshot_every=1))
        first = self.connection.receive()
        self.assertEqual((first.WhichOneof("reply"), first.snapshot.tick, first.snapshot.more), ("snapshot", 1, True))
        self.assertLessEqual(len(first.snapshot.data), 1 << 20)
        self.assertGreater(first.snapshot.size, 60000 * 100)
        cancel = self.connection.send(cancel={"target_request_id": request})
        last = {}
        while len(last) < 2:
            message = self.connection.receive()
            if message.WhichOneof("reply") != "snapshot":
                last[message.request_id] = message
        self.assertTrue(last[cancel].cancel_done.found)
        self.assertEqual(last[request].error.code, CANCELLED)
        self.still_usable()

    def test_one_that_is_larger_than_the_server_takes(self):
        os.environ["COLLIDED_MESSAGE_BYTES_MAX"] = "10000"
        try:
            other = Daemon(PROGRAM)
        finally:
            del os.environ["COLLIDED_MESSAGE_BYTES_MAX"]
        try:
            connection = Connection(other.port, self.schema)
            columns = {"x": [3.0 * i for i in range(100)], "radius": [1.0]}
            _, _, snapshots = self.simulate(connection, scene={"circle_columns": columns}, ticks=1, snapshot_every=1)
            self.assertGreater(len(snapshots[1]), connection.welcome.limits.message_bytes_max)
            connection.send(simulate=dict(snapshot=snapshots[1], dt=DT, ticks=1))
            said = connection.wait_closed()
            connection.close()
            self.assertEqual([message.error.reason for message in said], ["FRAME_TOO_LARGE"])
        except Closed:
            self.fail("closed without a word")
        finally:
            other.stop()
        # This one takes more.
        frames, _, _ = self.simulate(snapshot=snapshots[1], ticks=1)
        self.assertEqual(frames[0].tick, 2)
