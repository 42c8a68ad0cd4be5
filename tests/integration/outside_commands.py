"""Commands of seats: rights, order, outcomes, exactly once through lost connections."""
import random

from outside_client import EXHAUSTED, INVALID, PRECONDITION
from outside_talk import Seat
from outside_worlds import ALREADY_EXISTS, DT, NOT_FOUND, OUT_OF_RANGE, PERMISSION_DENIED, WithWorlds, circle


def reversed_bits(value):
    return int(format(value & 0xFFFFFFFF, "032b")[::-1], 2)


class WithSeats(WithWorlds):
    def bodies(self, info):
        """Every circle's state as a serialized scene has it, by id."""
        scene = self.schema.Scene.FromString(self.talk.snapshot(name=info.name, secret=info.owner_secret, as_scene=True))
        columns = scene.circle_columns
        count = len(columns.x)
        full = {name: list(getattr(columns, name)) for name in ("id", "x", "y", "vx", "vy", "radius", "angular_velocity")}
        rows = {name: values * count if len(values) == 1 else values or [0] * count for name, values in full.items()}
        if not full["id"]:
            rows["id"] = list(range(count))
        return {rows["id"][i]: {name: rows[name][i] for name in rows} for i in range(count)}

    def told(self, outcome, code, reason=None, field=None):
        self.assertIsNotNone(outcome)
        self.assertEqual((outcome.code, outcome.tick), (code, 0), outcome)
        if reason is not None:
            self.assertEqual(outcome.reason, reason, outcome)
        if field is not None:
            self.assertEqual(outcome.field, field, outcome)


class Batches(WithSeats):
    def test_every_kind_takes_effect(self):
        info = self.create({"circles": [circle(10 * i, 0, vx=1) for i in range(6)]})
        seat = self.attach(info, ids=4)
        new = seat.id_first
        seat.send(spawn=dict(id=[new], x=[0.0], y=[50.0], vx=[2.0], radius=[0.5]), remove=[5],
                  velocities=dict(id=[0], vx=[3.0], vy=[4.0]), add_velocities=dict(id=[1, 1], vx=[3.0, 1.0], vy=[4.0, 1.0]),
                  places=dict(id=[2], x=[-64.0], y=[-64.0]), pushes=dict(id=[3], impulse_x=[2.0], impulse_y=[-1.0]),
                  changes=dict(id=[4], radius=[0.25]),
                  spawn_segments=dict(id=[7], x1=[500.0], y1=[0.0], x2=[501.0], y2=[1.0]))
        self.assertEqual(self.stepped(seat).tick, 1)
        self.assertIsNone(seat.wait())
        bodies = self.bodies(info)
        self.assertEqual(sorted(bodies), sorted([0, 1, 2, 3, 4, new]))
        self.assertEqual((bodies[0]["x"], bodies[0]["y"]), (3 * DT, 4 * DT))
        self.assertEqual((bodies[1]["vx"], bodies[1]["vy"]), (5.0, 5.0))
        self.assertEqual((bodies[2]["x"], bodies[2]["y"]), (-64.0 + DT, -64.0))
        self.assertEqual((bodies[3]["vx"], bodies[3]["vy"]), (3.0, -1.0))
        self.assertEqual(bodies[4]["radius"], 0.25)
        self.assertEqual((bodies[new]["x"], bodies[new]["y"]), (2 * DT, 50.0))
        self.assertEqual(self.listed(info.name).segments, 1)
        seat.send(remove_segments=[7])
        self.stepped(seat)
        self.assertEqual(self.listed(info.name).segments, 0)

    def test_walls_are_switched(self):
        info = self.create({"circles": [circle(0, 0, vx=64)], "segments": [dict(id=3, x1=4, y1=-5, x2=4, y2=5)]})
        seat = self.attach(info)
        seat.send(disable_segments=[3])
        self.stepped(seat, 10)
        self.assertEqual(self.bodies(info)[0]["x"], 10.0)
        seat.send(enable_segments=[3], velocities=dict(id=[0], vx=[-64.0], vy=[0.0]))
        self.stepped(seat, 10)
        self.assertEqual(self.bodies(info)[0]["vx"], 64.0)

    def test_a_force_acts_for_its_ticks(self):
        info = self.create({"circles": [circle(0, 0, mass=2.0)]})
        seat = self.attach(info)
        seat.send(pushes=dict(id=[0], force_x=[8.0], force_y=[-4.0], ticks=[5]))
        self.stepped(seat, 3)
        self.assertEqual((self.bodies(info)[0]["vx"], self.bodies(info)[0]["vy"]), (3 * 4 * DT, -3 * 2 * DT))
        self.stepped(seat, 9)
        self.assertEqual((self.bodies(info)[0]["vx"], self.bodies(info)[0]["vy"]), (5 * 4 * DT, -5 * 2 * DT))

    def test_an_explosion_pushes_away(self):
        info = self.create({"circles": [circle(-3, 0), circle(0, 4), circle(90, 0), circle(3, 0, kind=3)]})
        seat = self.attach(info)
        seat.send(explosions=[dict(x=0, y=0, radius=5, falloff=1, impulse_per_length=2)])
        self.stepped(seat)
        bodies = self.bodies(info)
        self.assertAlmostEqual(bodies[0]["vx"], -2.0, 12)
        self.assertAlmostEqual(bodies[1]["vy"], 2.0, 12)
        self.assertEqual((bodies[2]["vx"], bodies[3]["vx"]), (0.0, 0.0))

    def test_swept_places_stop_at_the_first_thing(self):
        scene = {"circles": [circle(0, 0), circle(10, 0), circle(0, 20, kind=2), circle(5, 20, sensor=True)],
                 "segments": [dict(id=1, x1=20, y1=-5, x2=20, y2=5), dict(id=2, x1=9, y1=15, x2=9, y2=25)]}
        info = self.create(scene)
        seat = self.attach(info)
        # By id: the first stops at the second, which is still there then; that one at the wall. A kinematic one passes walls and sensors.
        seat.send(places=dict(id=[1, 0, 2], x=[30.0, 30.0, 30.0], y=[0.0, 0.0, 20.0], angle=[0.5, 0.25, 0.0], swept=True))
        self.stepped(seat)
        bodies = self.bodies(info)
        self.assertTrue(9 - 2e-9 < bodies[0]["x"] < 9, bodies[0])
        self.assertTrue(19.5 - 2e-9 < bodies[1]["x"] < 19.5, bodies[1])
        self.assertEqual((bodies[2]["x"], bodies[2]["y"], bodies[0]["y"], bodies[1]["y"]), (30.0, 20.0, 0.0, 0.0))
        # What else the batch does comes before: the wall is off, and the way free. A column that is not there is unchanged.
        seat.send(places=dict(id=[1], x=[40.0], swept=True), disable_segments=[1])
        seat.send(places=dict(id=[0], y=[8.0], swept=True))
        self.stepped(seat)
        bodies = self.bodies(info)
        self.assertEqual((bodies[1]["x"], bodies[1]["y"], bodies[0]["y"]), (40.0, 0.0, 8.0))

    def test_gravity_is_another(self):
        scene = {"circles": [circle(0, 0), circle(9, 0, gravity_scale=-2), circle(18, 0, kind=2)], "gravity_y": -64.0}
        info = self.create(scene)
        seat = self.attach(info)
        spectator = dict(world=info.name, secret=info.join_secret)
        request = self.talk.send(subscribe=dict(stream=self.schema.STREAM_STATES, every=1, spectator=spectator))
        key = self.talk.next(request).world_update.key
        self.assertEqual((key.scene.gravity_x, key.scene.gravity_y), (0.0, -64.0))
        self.stepped(seat)
        seat.send(gravity=dict(x=32.0, y=0.0))
        self.stepped(seat)
        bodies = self.bodies(info)
        self.assertEqual([(bodies[i]["vx"], bodies[i]["vy"]) for i in range(3)], [(32 * DT, -64 * DT), (-64 * DT, 128 * DT), (0.0, 0.0)])
        updates = [self.talk.next(request).world_update for _ in range(2)]
        self.assertFalse(updates[0].changes.HasField("gravity"))
        self.assertEqual((updates[1].changes.gravity.x, updates[1].changes.gravity.y), (32.0, 0.0))
        later = self.talk.send(subscribe=dict(stream=self.schema.STREAM_STATES, every=1, spectator=spectator))
        key = self.talk.next(later).world_update.key
        self.assertEqual((key.scene.gravity_x, key.scene.gravity_y), (32.0, 0.0))
        scene = self.schema.Scene.FromString(self.talk.snapshot(name=info.name, secret=info.owner_secret, as_scene=True))
        self.assertEqual((scene.gravity_x, scene.gravity_y), (32.0, 0.0))

    def test_a_batch_is_whole_or_nothing(self):
        info = self.create()
        seat = self.attach(info)
        sequence = seat.send(velocities=dict(id=[0, 44], vx=[9.0, 9.0], vy=[9.0, 9.0]))
        self.stepped(seat)
        self.told(seat.wait(sequence), NOT_FOUND, "NO_SUCH_ID", "commands.velocities.id[1]")
        self.assertEqual(self.bodies(info)[0]["vx"], 1.0)
        sequence = seat.send(velocities=dict(id=[0, 44], vx=[9.0, 9.0], vy=[9.0, 9.0]), remove=[45], skip_missing=True)
        self.stepped(seat)
        outcome = seat.wait(sequence)
        self.assertEqual((outcome.code, outcome.tick, outcome.missing), (0, 2, 2))
        self.assertEqual(self.bodies(info)[0]["vx"], 9.0)

    def test_what_is_wrong_with_a_batch(self):
        seat = self.attach(self.create({"circles": [circle(0, 0), circle(9, 0)]}), ids=2)
        new = seat.id_first
        cases = [
            (dict(spawn=dict(id=[0], x=[50.0], radius=[0.5])), ALREADY_EXISTS, "ID_TAKEN", "commands.spawn.id[0]"),
            (dict(spawn=dict(id=[new], x=[50.0], radius=[-0.5])), INVALID, "BAD_FIELD", "commands.spawn.radius[0]"),
            (dict(remove=[7]), NOT_FOUND, "NO_SUCH_ID", "commands.remove[0]"),
            (dict(remove=[0, 0]), INVALID, "BAD_FIELD", "commands.remove[1]"),
            (dict(velocities=dict(id=[0], vx=[float("inf")], vy=[0.0])), INVALID, "BAD_FIELD", "commands.velocities.vx[0]"),
            (dict(velocities=dict(id=[0, 1], vx=[1.0, 2.0, 3.0], vy=[0.0, 0.0])), INVALID, "BAD_FIELD", "commands.velocities.vx"),
            (dict(changes=dict(id=[0], x=[1.0])), INVALID, "BAD_FIELD", "commands.changes.x"),
            (dict(pushes=dict(id=[0], force_x=[1.0])), INVALID, "BAD_FIELD", "commands.pushes.ticks"),
            (dict(pushes=dict(id=[0], force_x=[1.0], ticks=[1_000_001])), INVALID, "BAD_FIELD", "commands.pushes.ticks[0]"),
            (dict(explosions=[dict(radius=-1)]), INVALID, "BAD_FIELD", "commands.explosions[0].radius"),
            (dict(places=dict(id=[0], x=[1.0], y=[float("nan")], swept=True)), INVALID, "BAD_FIELD", "commands.places.y[0]"),
            (dict(places=dict(id=[0, 0], x=[1.0, 2.0], swept=True)), INVALID, "BAD_FIELD", "commands.places.id[1]"),
            (dict(gravity=dict(y=float("inf"))), INVALID, "BAD_FIELD", "commands.gravity.y"),
            (dict(gravity=dict(x=-2e12)), INVALID, "BAD_FIELD", "commands.gravity.x"),
            (dict(remove_segments=[7]), NOT_FOUND, "NO_SUCH_ID", "commands.remove_segments[0]"),
            (dict(give=dict(id=[0], seat=[77])), NOT_FOUND, "NO_SUCH_ID", "commands.give.seat[0]"),
        ]
        for commands, code, reason, field in cases:
            with self.subTest(field=field):
                request = seat.ask(**commands)
                self.stepped(seat)
                done = self.talk.next(request)
                self.assertEqual(done.WhichOneof("reply"), "commands_done", done)
                self.told(done.commands_done.outcome, code, reason, field)
        self.assertEqual(self.stepped(seat).tick, len(cases) + 1)

    def test_with_a_request_id_it_is_answered(self):
        seat = self.attach(self.create())
        request = seat.ask(tick=3, velocities=dict(id=[0], vx=[2.0], vy=[0.0]))
        self.stepped(seat, 5)
        done = self.talk.next(request).commands_done
        self.assertEqual((done.outcome.sequence, done.outcome.tick, done.outcome.code), (1, 3, 0))

    def test_many_in_one_message(self):
        info = self.create({"circles": [circle(0, 0), circle(9, 0)]})
        other = self.create()
        seats = [self.attach(info), self.attach(info), self.attach(other)]
        batches = [seats[i].batch(velocities=dict(id=[row], vx=[5.0 + i], vy=[0.0])) for i, row in ((0, 0), (1, 1), (2, 0), (0, 0))]
        self.talk.quiet(many_commands=dict(batches=batches))
        self.stepped(seats[0])
        self.stepped(seats[2])
        for seat, last in zip(seats, (2, 1, 1)):
            seat.wait(last)
            self.assertEqual((seat.through, seat.told), (last, {}))
        self.assertEqual([self.bodies(info)[i]["vx"] for i in (0, 1)], [5.0, 6.0])
        self.assertEqual(self.bodies(other)[0]["vx"], 7.0)


class Times(WithSeats):
    def test_at_its_tick(self):
        info = self.create()
        seat = self.attach(info)
        seat.send(tick=4, velocities=dict(id=[0], vx=[65.0], vy=[0.0]))
        self.stepped(seat, 5)
        self.assertIsNone(seat.wait())
        self.assertEqual(self.bodies(info)[0]["x"], 3 * DT + 2 * 65 * DT)

    def test_late_at_the_next_one(self):
        seat = self.attach(self.create())
        self.stepped(seat, 5)
        sequence = seat.send(tick=3, velocities=dict(id=[0], vx=[2.0], vy=[0.0]))
        self.stepped(seat)
        outcome = seat.wait(sequence)
        self.assertEqual((outcome.code, outcome.tick), (0, 6))

    def test_late_and_refused(self):
        seat = self.attach(self.create(policy=self.policy(late=self.schema.LATE_REFUSE)))
        self.stepped(seat, 5)
        sequence = seat.send(tick=5, velocities=dict(id=[0], vx=[2.0], vy=[0.0]))
        self.stepped(seat)
        self.told(seat.wait(sequence), PRECONDITION, "TOO_LATE")

    def test_order_and_distance(self):
        seat = self.attach(self.create())
        ahead = self.connection.welcome.limits.worlds.ahead_ticks_max
        seat.send(tick=9)
        backwards = seat.send(tick=8)
        seat.send(tick=ahead)
        far = seat.send(tick=ahead + 1)
        self.stepped(seat, 1)
        self.told(seat.wait_told(backwards), INVALID, "TICK_ORDER")
        self.told(seat.wait_told(far), OUT_OF_RANGE, "TOO_EARLY")
        self.assertEqual(seat.through, 0)  # the first still waits for its tick
        self.stepped(seat, 9)
        seat.wait(backwards)
        self.assertEqual(sorted(seat.told), [backwards, far])

    def test_as_many_wait_as_may(self):
        limits = self.connection.welcome.limits.worlds
        seat = self.attach(self.create())
        batches = [seat.batch(tick=50) for _ in range(limits.batches_waiting_max + 1)]
        for i in range(0, len(batches), 100):
            self.talk.quiet(many_commands=dict(batches=batches[i:i + 100]))
        self.told(seat.wait_told(seat.sequence), EXHAUSTED, "BATCHES_WAIT")

    def test_the_order_between_seats(self):
        """Of two that spawn the same id the seat with the first bits does it, which changes from tick to tick."""
        info = self.create({"circles": [circle(-90, 0)]})
        seats = [self.attach(info) for _ in range(3)]
        firsts = set()
        for tick in range(1, 13):
            for seat in seats:
                seat.send(tick=tick, spawn=dict(id=[1000 + tick], x=[20.0 * tick], y=[float(seat.seat)], radius=[0.5]))
            self.talk.ask(ping={})
            self.stepped(seats[0], expect_tick=tick - 1)
            refused = [seat for seat in seats if seat.wait() is not None]
            for seat in refused:
                self.told(seat.told[seat.sequence], ALREADY_EXISTS, "ID_TAKEN")
            order = sorted(seats, key=lambda seat: reversed_bits(seat.seat + tick))
            self.assertEqual({seat.seat for seat in refused}, {seat.seat for seat in order[1:]})
            firsts.add(order[0].seat)
        self.assertEqual(len(firsts), 3)


class Owners(WithSeats):
    def test_owners(self):
        info = self.create()
        schema = self.schema
        stepper = self.attach(info)
        seats = [self.attach(info, secret=info.join_secret, right=schema.RIGHT_OWN, ids=4) for _ in range(2)]
        ranges = [set(range(seat.id_first, seat.id_first + seat.id_count)) for seat in seats]
        self.assertEqual([len(ids) for ids in ranges], [4, 4])
        self.assertFalse(ranges[0] & ranges[1] or 0 in ranges[0] | ranges[1])
        mine = seats[0].id_first

        def both(commands):
            """What becomes of it from each of the two seats, one tick after the other."""
            results = []
            for seat in seats:
                seat.send(**commands)
                self.talk.ask(ping={})
                self.stepped(stepper)
                outcome = seat.wait()
                results.append(outcome.reason if outcome else "")
            return results

        spawn = dict(spawn=dict(id=[mine], x=[90.0], radius=[0.5]))
        self.assertEqual(both(spawn), ["", "RIGHT"])
        move = dict(velocities=dict(id=[mine], vx=[1.0], vy=[0.0]))
        self.assertEqual(both(move), ["", "RIGHT"])
        self.assertEqual(both(dict(give=dict(id=[mine], seat=[seats[1].seat]))), ["", ""])
        self.assertEqual(both(move), ["RIGHT", ""])
        self.assertTrue(self.talk.ask(detach=dict(handle=seats[1].handle)).detach_done.found)
        self.assertEqual(seats[1].wait_detached().reason, "DETACHED")
        self.assertFalse(self.talk.ask(detach=dict(handle=seats[1].handle)).detach_done.found)

    def test_a_seats_limits(self):
        limit = self.connection.welcome.limits.worlds.seats_per_world_max
        info = self.create(policy=self.policy(seats_max=2))
        seats = [self.attach(info) for _ in range(2)]
        self.refused(Seat(self.talk, world=info.name, secret=info.owner_secret).reply, EXHAUSTED, "SEATS")
        self.talk.ask(detach=dict(handle=seats[0].handle))
        third = self.attach(info)
        self.assertNotIn(third.seat, [seat.seat for seat in seats])
        self.assertGreaterEqual(limit, 2)


class Resuming(WithSeats):
    def test_a_batch_again_is_not_applied_again(self):
        info = self.create()
        seat = self.attach(info)
        batch = seat.batch(add_velocities=dict(id=[0], vx=[1.0], vy=[0.0]))
        for _ in range(3):
            self.talk.quiet(commands=batch)
        self.stepped(seat, 2)
        seat.wait()
        self.assertEqual(self.bodies(info)[0]["vx"], 2.0)

    def test_a_gap_is_refused_and_uses_nothing(self):
        info = self.create()
        seat = self.attach(info)
        self.talk.quiet(commands=dict(handle=seat.handle, sequence=2, velocities=dict(id=[0], vx=[9.0], vy=[0.0])))
        outcome = seat.wait_told(2)
        self.assertEqual((outcome.reason, outcome.not_received), ("SEQUENCE", True))
        seat.told.clear()
        seat.send(velocities=dict(id=[0], vx=[5.0], vy=[0.0]))
        seat.send(add_velocities=dict(id=[0], vx=[1.0], vy=[0.0]))
        self.stepped(seat)
        seat.wait()
        self.assertEqual(self.bodies(info)[0]["vx"], 6.0)

    def test_a_token_takes_the_seat_up_again(self):
        info = self.create()
        seat = self.attach(info, ids=3)
        stepper = self.attach(info, talk=self.connect_talk())
        seat.send(velocities=dict(id=[99], vx=[9.0], vy=[0.0]))  # refused
        seat.send(velocities=dict(id=[0], vx=[9.0], vy=[0.0]))
        seat.send(velocities=dict(id=[98], vx=[9.0], vy=[0.0]))  # refused
        self.talk.ask(ping={})
        self.connection.close()
        self.stepped(stepper, 2)
        self.connection = self.connect()
        self.talk = self.connect_talk()
        again = Seat(self.talk, world=info.name, token=seat.token, outcomes_after=1)
        self.assertIsNotNone(again.attached, again.reply)
        self.assertEqual((again.seat, again.sequence, again.id_first, again.id_count, again.right),
                         (seat.seat, 3, seat.id_first, 3, self.schema.RIGHT_STEP))
        again.wait(3)
        self.assertEqual(sorted(again.told), [3])
        self.told(again.told[3], NOT_FOUND, "NO_SUCH_ID", "commands.velocities.id[0]")
        again.send(acked=3, velocities=dict(id=[0], vx=[4.0], vy=[0.0]))
        self.talk.ask(ping={})
        self.stepped(stepper)
        again.wait(4)
        self.assertEqual(self.bodies(info)[0]["vx"], 4.0)

    def test_the_newest_connection_has_the_seat(self):
        info = self.create()
        seat = self.attach(info)
        again = self.attach(info, talk=self.connect_talk(), token=seat.token)
        self.assertEqual(seat.wait_detached().reason, "SEAT_TAKEN")
        self.refused(seat.step(), NOT_FOUND, "HANDLE")
        self.assertEqual(self.stepped(again).tick, 1)

    def test_outcomes_stay_until_they_are_acknowledged(self):
        info = self.create()
        seat = self.attach(info)
        for _ in range(4):
            seat.send(velocities=dict(id=[99], vx=[9.0], vy=[0.0]))
        self.stepped(seat)
        seat.wait()
        seat.send(acked=2)
        self.stepped(seat)
        seat.wait()
        self.talk = self.connect_talk()
        again = Seat(self.talk, world=info.name, token=seat.token)
        again.wait(5)
        self.assertEqual(sorted(again.told), [3, 4])

    def test_more_outcomes_than_are_kept(self):
        limits = self.connection.welcome.limits.worlds
        seat = self.attach(self.create())
        while not any(outcome.not_received for outcome in seat.told.values()):
            for _ in range(min(64, limits.batches_waiting_max)):
                seat.send(remove=[99])
            self.talk.ask(ping={})
            self.stepped(seat)
            self.talk.ask(ping={})
            seat.read_filed()
            self.assertLess(seat.sequence, 4 * limits.outcomes_max)
        missed = min(sequence for sequence, outcome in seat.told.items() if outcome.not_received)
        self.assertEqual(seat.told[missed].reason, "OUTCOMES_WAIT")
        seat.wait(missed - 1)
        seat.told = {}
        seat.sequence = missed - 1
        seat.send(acked=missed - 1)
        self.stepped(seat)
        seat.wait(missed)

    def test_wrong_tokens(self):
        info, other = self.create(), self.create()
        seat = self.attach(info)
        for world, token in ((info.name, bytes(16)), (other.name, seat.token), (info.name, b"x")):
            self.refused(Seat(self.talk, world=world, token=token).reply, NOT_FOUND, "TOKEN")
        self.talk.ask(detach=dict(handle=seat.handle))
        self.refused(Seat(self.talk, world=info.name, token=seat.token).reply, NOT_FOUND, "TOKEN")

    def test_a_seat_left_alone_ends(self):
        info = self.create(policy=self.policy(seat_ttl_ms=1))
        seat = self.attach(info, talk=self.connect_talk())
        seat.talk.connection.close()
        while self.listed(info.name).seats:
            pass
        self.refused(Seat(self.talk, world=info.name, token=seat.token).reply, NOT_FOUND, "TOKEN")

    def test_schedules_with_cuts_have_one_hash(self):
        """Eight seats send for fixed ticks; each is cut at random and sends again. However they were cut, the hash is one."""
        hashes = {self.play_schedule(cuts) for cuts in range(4)}
        self.assertEqual(len(hashes), 1)

    def play_schedule(self, cuts):
        plan, chance = random.Random(77), random.Random(1000 + cuts)
        info = self.create({"circles": [circle(3 * i, 0) for i in range(8)], "gravity_y": -1})
        stepper = self.attach(info)
        seats = [self.attach(info, talk=self.connect_talk()) for _ in range(8)]
        sent = [[] for _ in seats]
        for tick in range(1, 25):
            order = list(range(8))
            chance.shuffle(order)
            wanted = [dict(tick=tick, add_velocities=dict(id=[plan.randrange(8)], vx=[plan.uniform(-1, 1)], vy=[plan.uniform(-1, 1)]))
                      for _ in seats]
            for i in order:
                sent[i].append(wanted[i])
                seats[i].send(**wanted[i])
                if cuts and chance.random() < 0.15:
                    seats[i] = self.cut(info, seats[i], sent[i])
            for seat in seats:
                seat.talk.ask(ping={})
            hash_now = self.stepped(stepper, expect_tick=tick - 1).hash
        for i, seat in enumerate(seats):
            seat.wait(len(sent[i]))
            self.assertEqual((seat.through, seat.told), (len(sent[i]), {}))
        for seat in seats:
            seat.talk.connection.close()
        return hash_now

    def cut(self, info, seat, sent):
        """The seat over another connection, with all sent that the server does not have."""
        seat.talk.connection.close()
        again = self.attach(info, talk=self.connect_talk(), token=seat.token)
        for commands in sent[again.sequence:]:
            again.send(**commands)
        return again
