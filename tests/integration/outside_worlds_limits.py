"""As many as may be of worlds, seats, readers and batches, of a world, a connection and an address; and of the time that ticks take."""
from outside_client import EXHAUSTED, box, circle
from outside_operator import wait_for
from outside_talk import Reader, Seat, Talk
from outside_wire import Connection
from outside_worlds import NOT_FOUND, PERMISSION_DENIED, WithWorlds, heap


class WithLimits(WithWorlds):
    def from_address(self, host):
        connection = Connection(self.daemon.port, self.schema, source=host)
        self.addCleanup(connection.close)
        return Talk(connection)

    def attach_many(self, talk, info, count):
        """The first replies to so many requests Attach."""
        requests = [talk.send(attach=dict(world=info.name, secret=info.join_secret)) for _ in range(count)]
        return [talk.next(request) for request in requests]

    def subscribe_many(self, talk, info, count):
        """The first replies to so many requests Subscribe, and their numbers."""
        spectator = dict(world=info.name, secret=info.join_secret)
        requests = [talk.send(subscribe=dict(stream=self.schema.STREAM_STATES, spectator=spectator)) for _ in range(count)]
        return [talk.next(request) for request in requests], requests

    def all_are(self, replies, kind):
        self.assertEqual({reply.WhichOneof("reply") for reply in replies}, {kind})

    def create_until_refused(self, talk, **policy):
        """Worlds by the server's clock, as many as the address may have, and the refusal."""
        infos = []
        while True:
            reply = talk.ask(create_world=dict(scene={"circles": [circle(0, 0)]},
                                               policy=self.policy(clock=self.schema.CLOCK_SERVER, tick_hz=1, **policy)))
            if reply.WhichOneof("reply") == "error":
                return infos, reply
            infos.append(reply.world_info)


class Lasting(WithLimits):
    LASTING = 4096  # of a connection, as the schema says
    flags = ("--world-joins-per-second-max", "100000")

    def test_seats_and_subscriptions_of_a_world(self):
        limits, info, talk = self.connection.welcome.limits.worlds, self.create(), self.connect_talk()
        others = [self.from_address("127.0.0.%d" % (2 + i)) for i in range(8)]
        left = limits.seats_per_world_max // 16
        seats = self.attach_many(talk, info, limits.seats_per_world_max - left)
        self.all_are(seats, "attached")
        for other in others:
            self.all_are(self.attach_many(other, info, left // 8), "attached")
        (reply,) = self.attach_many(self.talk, info, 1)
        self.refused(reply, EXHAUSTED, "SEATS", "attach.world")
        # The owner gets in although others have all seats.
        owners = [self.attach(info) for _ in range(8)]
        self.refused(Seat(talk, world=info.name, secret=info.owner_secret).reply, EXHAUSTED, "SEATS", "attach.world")
        left = limits.subscriptions_per_world_max // 16
        updates, requests = self.subscribe_many(talk, info, limits.subscriptions_per_world_max - left)
        self.all_are(updates, "world_update")
        for other in others:
            self.all_are(self.subscribe_many(other, info, left // 8)[0], "world_update")
        (reply,), _ = self.subscribe_many(self.talk, info, 1)
        self.refused(reply, EXHAUSTED, "SEATS")
        own = Reader(self.talk, self.schema, spectator=dict(world=info.name, secret=info.owner_secret))
        self.assertIsNotNone(own.next())
        for seat in owners:
            self.talk.ask(detach=dict(handle=seat.handle))
        self.assertTrue(self.talk.ask(cancel=dict(target_request_id=own.request_id)).cancel_done.found)
        # One goes, and another may come.
        talk.ask(detach=dict(handle=seats[7].attached.handle))
        self.assertTrue(talk.ask(cancel=dict(target_request_id=requests[7])).cancel_done.found)
        self.all_are(self.attach_many(others[0], info, 1), "attached")
        self.all_are(self.subscribe_many(others[0], info, 1)[0], "world_update")
        self.talk.ask(destroy_world=dict(name=info.name, secret=info.owner_secret))

    def test_seats_and_subscriptions_of_a_connection(self):
        limits, talk, left = self.connection.welcome.limits.worlds, self.connect_talk(), self.LASTING
        infos = []
        while left > 0:
            infos.append(self.create())
            count = min(left, limits.seats_per_world_max * 15 // 16)
            self.all_are(self.attach_many(talk, infos[-1], count), "attached")
            left -= count
            count = min(left, limits.subscriptions_per_world_max * 15 // 16)
            if count:
                self.all_are(self.subscribe_many(talk, infos[-1], count)[0], "world_update")
            left -= count
        info = self.create()
        refused = self.attach_many(talk, info, 1) + self.subscribe_many(talk, info, 1)[0]
        for reply in refused:
            self.refused(reply, EXHAUSTED, "SEATS")
        self.all_are(self.attach_many(self.talk, info, 1), "attached")  # another connection's
        self.talk.ask(destroy_world=dict(name=infos[0].name, secret=infos[0].owner_secret))
        talk.ask(ping={})
        self.all_are(self.attach_many(talk, info, 1), "attached")
        for info in infos[1:] + [info]:
            self.talk.ask(destroy_world=dict(name=info.name, secret=info.owner_secret))


class Shares(WithLimits):
    """One address takes all that the join secret gives. It leaves one part of sixteen to those that have nothing yet."""
    flags = ("--world-seats-max", "32", "--world-subscriptions-max", "32")

    def setUp(self):
        super().setUp()
        self.info, self.greedy = self.create(), self.from_address("127.0.0.2")

    def newcomers(self, count):
        return [self.from_address("127.0.1.%d" % (1 + i)) for i in range(count)]

    def test_seats(self):
        replies = self.attach_many(self.greedy, self.info, 32)
        self.all_are(replies[:30], "attached")
        for reply in replies[30:]:
            self.refused(reply, EXHAUSTED, "SEATS", "attach.world")
        for talk in self.newcomers(2):
            self.all_are(self.attach_many(talk, self.info, 1), "attached")
        # What one gives back it may have again, and so may others.
        self.greedy.ask(detach=dict(handle=replies[0].attached.handle))
        self.greedy.ask(detach=dict(handle=replies[1].attached.handle))
        self.greedy.ask(detach=dict(handle=replies[2].attached.handle))
        self.all_are(self.attach_many(self.greedy, self.info, 1), "attached")

    def full(self, **policy):
        """A world of 32 seats: 30 are of the greedy address, and one each of two others; all but the greedy ones on self.others."""
        self.info = self.create(policy=self.policy(**policy))
        self.greedy_seats = [Seat(self.greedy, world=self.info.name, secret=self.info.join_secret) for _ in range(30)]
        self.others = self.newcomers(2)
        self.other_seats = [Seat(talk, world=self.info.name, secret=self.info.join_secret) for talk in self.others]
        self.assertTrue(all(seat.attached for seat in self.greedy_seats + self.other_seats))

    def come(self, host, **more):
        return Seat(self.from_address(host), world=self.info.name, secret=self.info.join_secret, **more)

    def again(self, talk, seat):
        """Whether the seat is still there."""
        reply = talk.ask(attach=dict(world=self.info.name, token=seat.token))
        if reply.WhichOneof("reply") == "error":
            self.refused(reply, NOT_FOUND, "TOKEN")
        return reply.WhichOneof("reply") == "attached"

    def test_a_seat_without_a_connection_gives_way(self):
        """That of the address that has most, and the longest without one of those; by the join secret, and for one that has fewer."""
        self.full()
        left = self.from_address("127.0.0.2")
        taken = [Seat(left, world=self.info.name, token=seat.token) for seat in self.greedy_seats[3:5]]
        self.assertEqual([seat.wait_detached().reason for seat in self.greedy_seats[3:5]], ["SEAT_TAKEN"] * 2)
        left.ask(cancel=dict(target_request_id=taken[1].request_id))  # and later the other one
        left.ask(cancel=dict(target_request_id=taken[0].request_id))
        self.assertIsNotNone(self.come("127.0.2.1").attached)
        self.assertEqual([self.again(left, seat) for seat in self.greedy_seats[3:5]], [True, False])
        self.refused(self.come("127.0.2.1").reply, EXHAUSTED, "SEATS", "attach.world")  # none is left that is not in use
        self.assertEqual(self.listed(self.info.name).seats, 32)
        self.assertTrue(all(self.again(talk, seat) for talk, seat in zip(self.others, self.other_seats)))

    def test_a_seat_that_is_silent_gives_way(self):
        """For as long as one without a connection is kept. The longest silent of those."""
        self.full(seat_ttl_ms=1)
        for number, seat in enumerate(self.greedy_seats):
            if number != 7:
                seat.send()
        self.greedy.ask(ping={})
        wait_for(lambda: self.come("127.0.2.1").attached)
        self.assertEqual(self.greedy_seats[7].wait_detached().reason, "OVER_SHARE")
        self.greedy_seats[0].read_filed()
        self.assertIsNone(self.greedy_seats[0].detached)
        self.assertTrue(all(self.again(talk, seat) for talk, seat in zip(self.others, self.other_seats)))

    def test_a_seat_in_use_does_not_give_way(self):
        self.full()
        self.refused(self.come("127.0.2.1").reply, EXHAUSTED, "SEATS", "attach.world")
        self.assertTrue(all(self.again(self.greedy, seat) for seat in self.greedy_seats[:2]))

    def test_a_seat_of_one_that_has_no_more_does_not_give_way(self):
        """Of 32 addresses each has one, and none of these has a connection."""
        self.info = self.create()
        for number in range(32):
            talk = self.from_address("127.0.3.%d" % (1 + number))
            seat = Seat(talk, world=self.info.name, secret=self.info.join_secret)
            talk.ask(cancel=dict(target_request_id=seat.request_id))
        self.refused(self.come("127.0.2.1").reply, EXHAUSTED, "SEATS", "attach.world")
        self.assertEqual(self.listed(self.info.name).seats, 32)

    def test_nothing_gives_way_for_one_that_is_refused(self):
        self.full()
        self.greedy.ask(cancel=dict(target_request_id=self.greedy_seats[9].request_id))
        self.refused(self.come("127.0.2.1", ids=257).reply, EXHAUSTED, "SEATS", "attach.ids")
        self.refused(self.come("127.0.2.1", right=self.schema.RIGHT_ALL).reply, PERMISSION_DENIED, "SECRET", "attach.right")
        self.assertTrue(self.again(self.greedy, self.greedy_seats[9]))

    def test_a_reader_gives_way(self):
        """The newest of the address that has most."""
        replies, requests = self.subscribe_many(self.greedy, self.info, 30)
        self.all_are(replies, "world_update")
        others = self.newcomers(2)
        kept = [self.subscribe_many(talk, self.info, 1)[1][0] for talk in others]
        (reply,), _ = self.subscribe_many(self.from_address("127.0.2.1"), self.info, 1)
        self.assertEqual(reply.WhichOneof("reply"), "world_update")
        while (last := self.greedy.next(requests[-1])).WhichOneof("reply") == "world_update":
            pass
        self.assertEqual(last.unsubscribed.reason, "OVER_SHARE")
        self.assertTrue(all(talk.ask(cancel=dict(target_request_id=request)).cancel_done.found for talk, request in zip(others, kept)))
        self.assertEqual(self.listed(self.info.name).subscriptions, 30)

    def test_a_small_world_may_be_of_one_address(self):
        info = self.create(policy=self.policy(seats_max=15))
        self.all_are(self.attach_many(self.greedy, info, 15), "attached")
        (reply,) = self.attach_many(self.greedy, info, 1)
        self.refused(reply, EXHAUSTED, "SEATS", "attach.world")

    def test_readers(self):
        replies, _ = self.subscribe_many(self.greedy, self.info, 32)
        self.all_are(replies[:30], "world_update")
        for reply in replies[30:]:
            self.refused(reply, EXHAUSTED, "SEATS")
        for talk in self.newcomers(2):
            self.all_are(self.subscribe_many(talk, self.info, 1)[0], "world_update")

    def subscribe(self, talk, every):
        spectator = dict(world=self.info.name, secret=self.info.join_secret)
        return talk.next(talk.send(subscribe=dict(stream=self.schema.STREAM_STATES, spectator=spectator, every=every)))

    def test_kinds_of_readers(self):
        replies = [self.subscribe(self.greedy, 1 + every) for every in range(16)]
        self.all_are(replies[:15], "world_update")
        self.refused(replies[15], EXHAUSTED, "SEATS", "subscribe.every")
        (other,) = self.newcomers(1)
        self.all_are([self.subscribe(other, 100), self.subscribe(self.greedy, 100)], "world_update")


class Spawns(WithLimits):
    """What seats by the join secret may spawn: each within so many ids, all of them up to so many circles of the world."""
    SOME = dict(join_ids_max=4, join_circles_max=10)

    def setUp(self):
        super().setUp()
        self.world({"circles": [circle(10 * i, 0) for i in range(5)]}, **self.SOME)

    def world(self, scene, **policy):
        self.info = self.create(scene, policy=self.policy(**policy))
        self.owner = self.attach(self.info, ids=1000)

    def join(self, ids):
        return Seat(self.talk, world=self.info.name, secret=self.info.join_secret, ids=ids)

    def spawn(self, seat, *places, **more):
        """The reason of the outcome. Ids of the seat, counted from its first."""
        first = seat.attached.id_first
        ids = [first + place for place in places]
        seat.send(spawn=dict(id=ids, x=[float(id % 1000) for id in ids], y=[20.0], radius=[0.25]), **more)
        self.stepped(self.owner)
        seat.wait()
        outcome = seat.told.get(seat.sequence)
        if outcome:
            self.assertEqual((outcome.code, outcome.field), (EXHAUSTED, "commands.spawn"), outcome)
            self.assertIn("at most %d" % self.listed(self.info.name).policy.join_circles_max, outcome.text)
        return outcome.reason if outcome else ""

    def test_what_is_usual(self):
        policy = self.create({"circles": [circle(10 * i, 0) for i in range(5)]}).policy
        self.assertEqual((policy.join_ids_max, policy.join_circles_max), (256, 5 + 4096))

    def test_ids_of_a_seat(self):
        reply = self.join(5).reply
        self.refused(reply, EXHAUSTED, "SEATS", "attach.ids")
        self.assertIn("at most 4", reply.error.text)
        self.assertEqual(self.join(4).attached.id_count, 4)
        self.assertEqual(self.owner.attached.id_count, 1000)

    def test_circles_of_all(self):
        one, other = self.join(4), self.join(4)
        self.assertEqual(self.spawn(one, 0, 1, 2), "")
        self.assertEqual(self.spawn(other, 0, 1, 2), "LIMIT")  # nothing of it
        self.assertEqual(self.spawn(other, 0, 1), "")
        self.assertEqual(self.spawn(one, 3), "LIMIT")
        # What is replaced is none more; and what goes makes room.
        self.assertEqual(self.spawn(one, 3, remove=[one.attached.id_first]), "")
        self.assertEqual(self.spawn(one, 0), "LIMIT")
        other.send(remove=[other.attached.id_first])
        self.assertEqual(self.spawn(one, 0), "")
        self.assertEqual(self.listed(self.info.name).circles, 10)

    def test_those_of_seats_that_have_ended(self):
        """They stay, and so nothing is won by coming again and again."""
        reasons = []
        for _ in range(4):
            seat = self.join(4)
            reasons.append(self.spawn(seat, 0, 1))
            self.talk.ask(detach=dict(handle=seat.handle))
        self.assertEqual(reasons, ["", "", "LIMIT", "LIMIT"])

    def test_the_owner_is_not_bounded(self):
        seat = self.attach(self.info, right=self.schema.RIGHT_OWN, ids=100)
        self.assertEqual([self.spawn(self.owner, *range(20)), self.spawn(seat, *range(20))], ["", ""])
        self.assertEqual(self.spawn(self.join(4), 0), "LIMIT")

    def test_set_later(self):
        """What there is already stays."""
        seat, key = self.join(4), dict(name=self.info.name, secret=self.info.owner_secret)
        self.assertEqual(self.spawn(seat, 0, 1, 2), "")
        info = self.talk.ask(set_world=dict(join_ids_max=2, join_circles_max=7, **key)).world_info
        self.assertEqual((info.policy.join_ids_max, info.policy.join_circles_max, info.circles), (2, 7, 8))
        self.assertEqual(self.spawn(seat, 3), "LIMIT")
        self.assertEqual(self.spawn(seat, 3, remove=[seat.attached.id_first]), "")
        self.refused(self.join(3).reply, EXHAUSTED, "SEATS", "attach.ids")
        info = self.talk.ask(set_world=dict(join_circles_max=9, **key)).world_info
        self.assertEqual((info.policy.join_ids_max, info.policy.join_circles_max), (2, 9))
        self.assertEqual(self.spawn(seat, 0), "")
        self.refused(self.talk.ask(set_world=dict(join_ids_max=(1 << 20) + 1, **key)), EXHAUSTED, "LIMIT", "set_world.join_ids_max")

    def test_of_worlds_made_of_it(self):
        """A fork and a handover have the same bounds, and so do their seats, by the secret that each came by. RestoreWorld changes none."""
        key = dict(name=self.info.name, secret=self.info.owner_secret)
        fork = self.talk.ask(fork_world=dict(world=self.info.name, secret=self.info.owner_secret)).world_info
        self.assertEqual((fork.policy.join_ids_max, fork.policy.join_circles_max), (4, 10))
        seat, own = self.join(4), self.attach(self.info, right=self.schema.RIGHT_OWN, ids=100)
        self.assertEqual(self.spawn(seat, 0, 1, 2), "")
        saved = self.talk.snapshot(**key)
        self.assertEqual(self.spawn(own, *range(10)), "")
        for which, place in (seat, 3), (own, 10):  # these wait, and are decided over there
            which.send(tick=9, spawn=dict(id=[which.attached.id_first + place], x=[-50.0], y=[5.0 + place], radius=[0.25]))
        moved = self.talk.snapshot(handover=True, **key)
        self.talk.ask(destroy_world=key)
        self.info = self.talk.ask(create_world=dict(snapshot=moved)).world_info
        self.assertEqual((self.info.policy.join_ids_max, self.info.policy.join_circles_max), (4, 10))
        self.owner = Seat(self.talk, world=self.info.name, token=self.owner.token)
        seat, own = (Seat(self.talk, world=self.info.name, token=which.token) for which in (seat, own))
        self.stepped(self.owner, 9)
        for which in (seat, own):
            which.wait()
        self.assertEqual([outcome.reason for outcome in seat.told.values()], ["LIMIT"])
        self.assertEqual(list(own.told), [])
        self.assertEqual(self.spawn(own, *range(11, 20)), "")
        self.assertEqual(self.spawn(seat, 3), "LIMIT")
        self.talk.ask(restore_world=dict(snapshot=saved, **dict(key, name=self.info.name)))
        self.assertEqual(self.listed(self.info.name).policy.join_circles_max, 10)


class Joins(WithLimits):
    """How often one address may come to a world: twice a second here, and 32 times at once."""
    flags = ("--world-joins-per-second-max", "2")

    def refused_for_now(self, reply):
        self.refused(reply, EXHAUSTED, "RATE")
        self.assertGreater(reply.error.retry_after_ms, 0)
        self.assertLessEqual(reply.error.retry_after_ms, 501)

    def test_seats_and_readers_that_come_and_go(self):
        info, other = self.create(), self.create()
        joined = dict(world=info.name, secret=info.join_secret)
        refusals = 0
        for i in range(200):
            kind = i % 2
            if kind:
                reply = self.talk.ask(attach=joined)
            else:
                request = self.talk.send(subscribe=dict(stream=self.schema.STREAM_STATES, spectator=joined))
                reply = self.talk.next(request)
            if reply.WhichOneof("reply") == "error":
                self.refused_for_now(reply)
                refusals += 1
            elif kind:
                self.talk.ask(detach=dict(handle=reply.attached.handle))
            else:
                self.talk.ask(cancel=dict(target_request_id=request))
        self.assertGreater(refusals, 0)
        # Nothing of it is another's: neither another address nor the owner, nor another world.
        self.all_are(self.attach_many(self.from_address("127.0.0.2"), info, 1), "attached")
        self.assertIsNotNone(self.attach(info).attached)
        self.all_are(self.attach_many(self.talk, other, 1), "attached")
        wait_for(lambda: self.talk.ask(attach=joined).WhichOneof("reply") == "attached")

    def test_a_seat_that_is_taken_up_again_and_again(self):
        info = self.create()
        seat = self.talk.ask(attach=dict(world=info.name, secret=info.join_secret)).attached
        replies = [self.talk.ask(attach=dict(world=info.name, token=seat.token)) for _ in range(200)]
        refusals = [reply for reply in replies if reply.WhichOneof("reply") == "error"]
        self.assertGreater(len(refusals), 0)
        self.refused_for_now(refusals[0])


class Worlds(WithLimits):
    flags = ("--worlds-max", "5", "--worlds-per-address-max", "3")

    def test_of_an_address_and_of_all(self):
        addresses = [self.from_address("127.0.0.%d" % (2 + i)) for i in range(3)]
        made = [self.create_until_refused(talk) for talk in addresses]
        self.assertEqual([len(infos) for infos, _ in made], [3, 2, 0])
        for _, reply in made:
            self.refused(reply, EXHAUSTED, "WORLDS")
        (gone, *_), _ = made[0]
        addresses[0].ask(destroy_world=dict(name=gone.name, secret=gone.owner_secret))
        # It counts until its worker has let go of it.
        wait_for(lambda: len(self.create_until_refused(addresses[2])[0]) == 1)


class Options(WithLimits):
    """What an operator sets is announced and kept to."""
    flags = ("--world-seats-max", "3", "--world-subscriptions-max", "2", "--seat-batches-waiting-max", "4",
             "--seat-batches-per-second-max", "9", "--seat-bytes-per-second-max", "2048", "--reader-owed-bytes-max", "1MiB")

    def test_they_are_announced(self):
        limits = self.connection.welcome.limits.worlds
        self.assertEqual((limits.seats_per_world_max, limits.subscriptions_per_world_max, limits.batches_waiting_max,
                          limits.batches_per_second_max, limits.bytes_per_second_max, limits.owed_bytes_max),
                         (3, 2, 4, 9, 2048, 1 << 20))

    def test_seats_and_subscriptions(self):
        info = self.create()
        replies = self.attach_many(self.talk, info, 4)
        self.all_are(replies[:3], "attached")
        self.refused(replies[3], EXHAUSTED, "SEATS", "attach.world")
        replies, _ = self.subscribe_many(self.talk, info, 3)
        self.all_are(replies[:2], "world_update")
        self.refused(replies[2], EXHAUSTED, "SEATS")

    def send_at_once(self, seat, count, **commands):
        """In one message, so that the server has all of them at the same time."""
        self.talk.quiet(many_commands=dict(batches=[seat.batch(**commands) for _ in range(count)]))

    def refusal(self, seat):
        """Why the last batch was refused."""
        return seat.wait_told(seat.sequence).reason

    def test_batches(self):
        info = self.create({"circles": [circle(10 * i, 0) for i in range(300)]})
        seat = self.attach(info)
        for _ in range(5):
            seat.send(tick=100)
        self.assertEqual(self.refusal(seat), "BATCHES_WAIT")
        seat = self.attach(info)
        ids = dict(id=list(range(300)), vx=[1.0], vy=[1.0])  # 1200 bytes
        self.send_at_once(seat, 2, tick=100, velocities=ids)
        self.assertEqual(self.refusal(seat), "RATE")

    def test_batches_of_a_second(self):
        """Of 60 at once four may wait, and nine are too many."""
        seat = self.attach(self.create())
        self.send_at_once(seat, 60)
        self.talk.ask(ping={})
        self.stepped(seat)
        seat.wait()
        self.assertEqual({outcome.reason for outcome in seat.told.values()}, {"BATCHES_WAIT", "RATE"})

    def test_a_slow_reader(self):
        connection = Connection(self.daemon.port, self.schema, buffer_bytes=4096)
        self.addCleanup(connection.close)
        info = self.create(heap(60, 3))
        reader = Reader(Talk(connection), self.schema, spectator=dict(world=info.name, secret=info.join_secret), every=1, contacts=True)
        seat = self.attach(info)
        while self.listed(info.name).subscriptions:
            self.stepped(seat, 10)
        while reader.next():
            pass
        self.assertEqual(reader.unsubscribed.reason, "SLOW_READER")


class Reservations(WithLimits):
    """Of the one worker's second, worlds may reserve 20 ms, and those of an address 10 ms. A world of one circle reserves 0.75 ms."""
    flags = ("--workers", "1", "--worlds-cpu-percent", "2", "--worlds-per-address-cpu-percent", "1")

    def test_when_all_is_reserved_no_world_is_made(self):
        addresses = [self.from_address("127.0.0.%d" % (2 + i)) for i in range(3)]
        made = [self.create_until_refused(talk) for talk in addresses]
        for _, reply in made:
            self.refused(reply, EXHAUSTED, "CPU")
            self.assertGreater(reply.error.retry_after_ms, 0)
        self.assertEqual([len(infos) for infos, _ in made], [13, 13, 0])
        # Without a clock of the server it reserves nothing. Such a world does not wait for others, and one that stops makes room.
        for clock in self.schema.CLOCK_CLIENT, self.schema.CLOCK_PAUSED:
            self.create(talk=addresses[2], policy=self.policy(clock=clock))
        stops, ends = made[0][0][:2]
        addresses[0].ask(set_world=dict(name=stops.name, secret=stops.owner_secret, clock=self.schema.CLOCK_PAUSED))
        self.assertEqual(len(self.create_until_refused(addresses[2])[0]), 1)
        addresses[0].ask(destroy_world=dict(name=ends.name, secret=ends.owner_secret))
        self.assertEqual(len(self.create_until_refused(addresses[2])[0]), 1)


class Greedy(WithLimits):
    """Worlds with ticks that cost several times what one worker has in all, beside light ones. Each has reserved a little."""
    flags = ("--workers", "1", "--worlds-cpu-percent", "30")
    HEAVY, LIGHT, HZ, TICKS = 12, 12, 20, 60

    def test_a_world_that_costs_more_than_its_share_is_late_and_others_are_not(self):
        clock = dict(clock=self.schema.CLOCK_SERVER, tick_hz=self.HZ, dt=1 / self.HZ, cpu_permille_max=10, idle_ttl_ms=(1 << 32) - 1)
        gas = {"circles": [circle(2 * (i % 80) - 79, 2 * (i // 80) - 79, vx=90.0, vy=40.0 * (-1) ** i) for i in range(80 * 80)],
               "segments": box(81.0)}
        few = {"circles": [circle(3 * i, 0) for i in range(8)]}
        light = [self.create(few, policy=self.policy(**clock)) for _ in range(self.LIGHT)]
        heavy = [self.create(gas, policy=self.policy(**clock)) for _ in range(self.HEAVY)]
        begun = {world.name: world for world in self.talk.ask(list_worlds={}).worlds.worlds}
        reader = Reader(self.talk, self.schema, spectator=dict(world=light[-1].name, secret=light[-1].join_secret), every=1)
        reader.until(begun[light[-1].name].tick + self.TICKS)
        worlds = {world.name: world for world in self.talk.ask(list_worlds={}).worlds.worlds}
        # By counts, all over the same time: a machine that pauses makes all of them late.
        for info in light:
            self.assertGreaterEqual(worlds[info.name].tick - begun[info.name].tick, self.TICKS * 3 // 4)
        for info in heavy:
            self.assertLess(worlds[info.name].tick - begun[info.name].tick, self.TICKS // 2)
        self.assertGreater(sum(worlds[info.name].overruns for info in heavy), 0)
