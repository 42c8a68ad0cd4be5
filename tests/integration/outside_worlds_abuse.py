"""Worlds that live on the server beside clients that mean harm: what each may take is bounded, and what is wrong is told."""
import time

from outside_client import CANCELLED, EXHAUSTED, INVALID, circle
from outside_talk import Reader, Seat, Talk
from outside_wire import Connection, delimited
from outside_worlds import WithWorlds


class WithAbuse(WithWorlds):
    def key(self, info):
        return dict(name=info.name, secret=info.owner_secret)

    def paused(self, **more):
        return self.create(policy=self.policy(clock=self.schema.CLOCK_PAUSED, **more))


class Values(WithAbuse):
    def test_a_clock_that_is_none(self):
        info = self.create()
        for clock in (4, 99, -1):
            reply = self.talk.ask(set_world=dict(clock=clock, **self.key(info)))
            self.refused(reply, INVALID, "BAD_FIELD", "set_world.clock")
        self.assertEqual(self.listed(info.name).policy.clock, self.schema.CLOCK_CLIENT)

    def test_a_right_that_is_none(self):
        info = self.create()
        for right in (5, 99, -1):
            reply = self.talk.ask(attach=dict(world=info.name, secret=info.owner_secret, right=right))
            self.refused(reply, INVALID, "BAD_FIELD", "attach.right")
        self.assertEqual(self.listed(info.name).seats, 0)

    def test_updates_that_hardly_ever_come(self):
        """Rows for them would be kept until then, by the server."""
        info = self.create()
        reply = self.talk.ask(subscribe=dict(stream=self.schema.STREAM_STATES, every=3601, contacts=True,
                                             spectator=dict(world=info.name, secret=info.join_secret)))
        self.refused(reply, EXHAUSTED, "LIMIT", "subscribe.every")

    def test_updates_of_too_many_kinds(self):
        """Each is made by itself, which costs the world's ticks."""
        info, talk = self.create(), self.connect_talk()
        refused = 0
        for every in range(1, 40):
            request_id = talk.send(subscribe=dict(stream=self.schema.STREAM_STATES, every=every,
                                                  spectator=dict(world=info.name, secret=info.join_secret)))
            message = talk.next(request_id)
            if message.WhichOneof("reply") == "error":
                self.refused(message, EXHAUSTED, "SEATS", "subscribe.every")
                refused += 1
        self.assertEqual(refused, 39 - 15)  # of one address
        # The owner has others nevertheless.
        for every in range(30, 38):
            owner = dict(world=info.name, secret=info.owner_secret)
            message = talk.next(talk.send(subscribe=dict(stream=self.schema.STREAM_STATES, every=every, spectator=owner)))
            self.assertEqual(message.WhichOneof("reply"), "world_update", message)
        again = Reader(talk, self.schema, every=5, spectator=dict(world=info.name, secret=info.join_secret))
        self.assertEqual(again.next().tick, 0)


class Bounds(WithAbuse):
    flags = ("--world-joins-per-second-max", "100000")

    def test_requests_to_worlds_count_as_under_way(self):
        # So large that they are not answered as fast as they are asked for.
        info, talk = self.create({"circles": [circle(3 * i, 0) for i in range(5000)]}), self.connect_talk()
        most = self.connection.welcome.limits.requests_in_flight_max
        body = b"".join(self.message(1000 + i, snapshot_world=self.key(info)) for i in range(64))
        talk.connection.send_bytes(body)
        reasons = []
        for request_id in range(1000, 1064):
            message = talk.next(request_id)
            while message.WhichOneof("reply") == "snapshot" and message.snapshot.more:
                message = talk.next(request_id)
            reasons += [message.error.reason] if message.WhichOneof("reply") == "error" else []
        self.assertEqual(set(reasons), {"REQUESTS_IN_FLIGHT"})
        self.assertGreaterEqual(64 - len(reasons), most)
        self.assertIsInstance(talk.snapshot(**self.key(info)), bytes)

    def message(self, request_id, **request):
        return delimited(self.schema.ClientMessage(request_id=request_id, **request).SerializeToString())

    def test_a_batch_sent_again_gets_its_own_outcome(self):
        """Not those of all others: a few bytes would be answered by many thousands, again and again."""
        info = self.create()
        seat = self.attach(info)
        for _ in range(100):
            seat.send(remove=[77])
        self.stepped(seat)
        seat.wait()
        self.assertEqual(len(seat.told), 100)
        seat.acks.clear()
        batches = [dict(handle=seat.handle, sequence=1 + i % 3) for i in range(256)]
        self.talk.quiet(many_commands=dict(batches=batches))
        self.still_told(seat)
        self.assertEqual([outcome.sequence for acks in seat.acks for outcome in acks.outcomes],
                         [batch["sequence"] for batch in batches])

    def still_told(self, seat):
        """All that was on its way has come."""
        self.assertEqual(self.talk.ask(ping={}).WhichOneof("reply"), "pong")
        seat.read_filed()

    def test_batches_wait_for_a_world_that_stands(self):
        """In bytes, too: 128 of a megabyte for each of 256 seats would be much."""
        info = self.paused()
        seat = self.attach(info)
        for number in range(7):
            if number == 5:
                self.still_told(seat)  # the server has had them
                time.sleep(1.1)  # as much again may be sent then
            seat.send(remove=[7] * 200000)
        self.still_told(seat)
        self.assertEqual([seat.told[sequence].reason for sequence in sorted(seat.told)], ["BATCHES_WAIT"] * 2)
        self.assertEqual(self.talk.ask(set_world=dict(clock=self.schema.CLOCK_CLIENT, **self.key(info))).world_info.tick, 0)
        self.stepped(seat)
        seat.wait()
        self.assertEqual({outcome.reason for outcome in seat.told.values()}, {"BATCHES_WAIT", "LIMIT"})

    def test_a_snapshot_for_one_that_does_not_read(self):
        """It waits once, not as messages; others of the world are served, and cancelling it frees it."""
        info = self.create({"circles": [circle(3 * i, 0) for i in range(9000)]})
        talk = self.connect_talk()
        ids = [talk.send(snapshot_world=self.key(info)) for _ in range(16)]
        self.assertIsInstance(self.talk.snapshot(**self.key(info)), bytes)
        talk.send(cancel=dict(target_request_id=ids[-1]))
        for request_id in ids[:-1]:
            joined, last = b"", None
            while last is None or last.more:
                last = talk.next(request_id).snapshot
                joined += last.data
            self.assertEqual(len(joined), last.size)
        self.refused(talk.next(ids[-1]), CANCELLED, "CANCELLED")

    def test_a_list_of_worlds_is_told_in_parts(self):
        """Those of many connections that do not read would take much memory."""
        labels = [dict(key="%02d" % i + "k" * 62, value="v" * 64) for i in range(16)]
        infos = [self.create(name="long-%03d" % i, labels=labels) for i in range(200)]
        names, parts, more = [], 0, True
        while more:
            reply = self.talk.ask(list_worlds=dict(prefix="long-", after=names[-1] if names else "")).worlds
            self.assertLess(reply.ByteSize(), 135000)
            self.assertGreater(len(reply.worlds), 0)
            names += [world.name for world in reply.worlds]
            more, parts = reply.more, parts + 1
        self.assertEqual(names, [info.name for info in infos])
        self.assertGreater(parts, 2)
        self.assertTrue(all(len(world.labels) == 16 for world in reply.worlds))
        for info in infos:
            self.talk.ask(destroy_world=self.key(info))

    def test_ids_are_not_taken_by_one_player(self):
        info = self.create()
        reply = self.talk.ask(attach=dict(world=info.name, secret=info.join_secret, ids=0xFFFFFF00))
        self.refused(reply, EXHAUSTED, "SEATS", "attach.ids")

    def test_ids_are_left_for_the_owner(self):
        """However often one with the join secret comes and goes."""
        info, talk, taken = self.create(policy=self.policy(join_ids_max=1 << 20)), self.connect_talk(), 0
        while (seat := Seat(talk, world=info.name, secret=info.join_secret, ids=1 << 20)).attached:
            talk.ask(detach=dict(handle=seat.handle))
            taken += 1
        self.refused(seat.reply, EXHAUSTED, "SEATS", "attach.ids")
        self.assertIn(taken, (1919, 1920))  # fifteen parts of sixteen of half of all
        other = Talk(Connection(self.daemon.port, self.schema, source="127.0.0.2"))
        self.addCleanup(other.connection.close)
        self.assertEqual(other.ask(attach=dict(world=info.name, secret=info.join_secret, ids=1 << 20)).attached.id_count, 1 << 20)
        self.assertEqual(self.attach(info, ids=1 << 30).attached.id_count, 1 << 30)
        self.assertIsNotNone(Seat(talk, world=info.name, secret=info.join_secret).attached)  # one that wants no ids


class Maps(WithAbuse):
    """A tenth of the usual memory: an account may have half of it."""
    flags = ("--memory-total-bytes-max", "%d" % (128 << 20), "--memory-bytes-max", "%d" % (64 << 20))

    def walls(self, count):
        return dict(x1=[3.0 * i for i in range(count)], y1=[0.0], x2=[3.0 * i + 1 for i in range(count)], y2=[1.0])

    def test_walls_are_charged_to_the_account(self):
        """Or memory would be taken for as long as their time lasts, by as many maps as there may be."""
        segments = self.walls(20000)
        made = []
        while True:
            reply = self.talk.ask(create_map=dict(name="m%d" % len(made), segments=segments, ttl_ms=0xFFFFFFFF))
            if reply.WhichOneof("reply") == "error":
                break
            made.append(reply.map_info)
        self.refused(reply, EXHAUSTED, "OVER_SHARE")
        self.assertLess(sum(info.bytes for info in made), 64 << 20)
        self.assertGreater(len(made), 3)
        for info in made:
            self.assertEqual(self.talk.ask(drop_map=dict(name=info.name)).map_info.name, info.name)
        again = self.talk.ask(create_map=dict(name="again", segments=segments)).map_info
        self.assertEqual(again.name, "again")
        self.talk.ask(drop_map=dict(name="again"))

    def test_a_world_that_is_refused_lets_go_of_its_map(self):
        """A leak is found when the daemon ends, by a sanitizer."""
        info = self.talk.ask(create_map=dict(name="held", segments=self.walls(10))).map_info
        bad = self.talk.ask(create_world=dict(map="held", scene={"circles": [circle(0, 9, radius=-1)]}, policy=self.policy()))
        self.refused(bad, INVALID, "BAD_FIELD")
        world = self.create({"circles": [circle(0, 9)]}, map="held")
        snapshot = self.talk.snapshot(**self.key(world))
        bad = self.talk.ask(create_world=dict(snapshot=snapshot[:-9], policy=self.policy()))
        self.refused(bad, INVALID, "BAD_FIELD")
        bad = self.talk.ask(restore_world=dict(snapshot=snapshot[:-9], **self.key(world)))
        self.refused(bad, INVALID, "BAD_FIELD")
        self.assertEqual(self.talk.ask(drop_map=dict(name="held")).map_info.worlds, 1)
        self.assertEqual(info.worlds, 0)
        self.talk.ask(destroy_world=self.key(world))

    def test_maps_of_one_account_leave_some_to_others(self):
        most = self.connection.welcome.limits.worlds.maps_max
        talk, made = self.connect_talk(), 0
        segments = dict(x1=[0.0], y1=[0.0], x2=[1.0], y2=[0.0])
        for made in range(most):
            reply = talk.ask(create_map=dict(segments=segments, ttl_ms=0xFFFFFFFF))
            if reply.WhichOneof("reply") == "error":
                break
        self.refused(reply, EXHAUSTED, "WORLDS")
        self.assertEqual(made, most // 2)
        for info in range(1, made + 1):
            talk.send(drop_map=dict(name="map-%d" % info))
        self.assertEqual(talk.ask(drop_map=dict(name="none")).error.reason, "NO_SUCH_MAP")


class SlowSeat(WithWorlds):
    """Two seats of a world act at the same moments for the same ticks. One keeps pace, the other one reads 1 KiB a second."""
    TICKS, AHEAD = 300, 60

    def seat(self, info, buffer_bytes=None):
        """A seat that is sent all states, on a connection of its own."""
        connection = Connection(self.daemon.port, self.schema, buffer_bytes=buffer_bytes)
        self.addCleanup(connection.close)
        seat = self.attach(info, talk=Talk(connection), right=self.schema.RIGHT_ALL)
        return seat, Reader(seat.talk, self.schema, handle=seat.handle, every=1)

    @staticmethod
    def margins(seat):
        """Of all that was told: through which batch, and the least margin since the one before."""
        return [(acks.through, acks.margin_min_ns) for acks in seat.acks]

    def test_its_margins_are_those_of_one_that_keeps_pace(self):
        hz = 60
        info = self.create({"circles": [circle(3 * i, 0, vx=1.0) for i in range(400)]},
                           policy=self.policy(dt=1 / hz, tick_hz=hz, clock=self.schema.CLOCK_SERVER, seats_max=2))
        (prompt, paced), (slow, lagging) = self.seat(info), self.seat(info, buffer_bytes=4096)
        interrupted = 0
        for _ in range(self.TICKS):
            tick = paced.next().tick
            commands = dict(tick=tick + self.AHEAD, velocities=dict(id=[tick % 400], vx=[1.0], vy=[0.0]))
            begun = time.monotonic()
            for seat in (prompt, slow) if tick % 2 else (slow, prompt):
                seat.send(**commands)
            interrupted += time.monotonic() - begun > self.AHEAD / hz / 4
            sip = slow.talk.connection.socket.recv(1024 // hz)
            slow.talk.connection.received += sip
        for seat in prompt, slow:  # now at any speed
            seat.wait()
            self.assertEqual(seat.through, self.TICKS)
        # It was behind all the time: all but a few states were left out, or have just been read.
        missed = 0
        while not missed:
            missed = lagging.next().missed_ticks
        # A pause of this process makes both late, unless it is between the two.
        self.assertLessEqual(len(set(slow.told) - set(prompt.told)), 2 + interrupted)
        apart, from_prompt = [], self.margins(prompt)
        for through, margin in self.margins(slow):
            beside = []
            while from_prompt and (not beside or beside[-1][0] < through):
                beside.append(from_prompt.pop(0))
            if beside:
                apart.append(abs(margin - min(margin for _, margin in beside)))
        self.assertLess(sorted(apart)[len(apart) // 2], 10**9 // hz)
