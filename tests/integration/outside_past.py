"""Late commands and questions about the past, as a client sees them that shares no code with ours."""
import math
import os
import random

from followers import Follower
from outside_client import INVALID, PRECONDITION, box, circle
from outside_commands import WithSeats
from outside_worlds import DT, NOT_FOUND, OUT_OF_RANGE, PERMISSION_DENIED
from outside_talk import Seat


class WithPast(WithSeats):
    def resimulating(self, scene, history=10, **more):
        return self.create(scene, policy=self.policy(late=self.schema.LATE_RESIMULATE, history_ticks=history, **more))


class Late(WithPast):
    def test_it_takes_effect_at_its_tick(self):
        scene = {"circles": [circle(0, 0, vx=1), circle(0, 40, vx=2)]}
        info, on_time = self.resimulating(scene), self.create(scene)
        late, timely = self.attach(info), self.attach(on_time)
        push = dict(add_velocities=dict(id=[0], vx=[0.5], vy=[0.25]))
        self.stepped(timely, 3)
        timely.send(tick=4, **push)
        self.stepped(late, 9)
        sequence = late.send(tick=4, **push)
        self.assertEqual(self.stepped(late, 1).hash, self.stepped(timely, 7).hash)
        self.assertIsNone(late.wait(sequence))  # at the tick that it named: nothing more to tell
        self.assertLess(late.acks[-1].margin_min_ns, 0)
        self.assertEqual(self.listed(info.name).resimulated_ticks, 6)

    def test_what_cannot_be_a_policy(self):
        reply = self.talk.ask(create_world=dict(policy=self.policy(late=self.schema.LATE_RESIMULATE), scene={}))
        self.refused(reply, INVALID, "BAD_FIELD", "create_world.policy.history_ticks")

    def test_undone_is_told_until_something_later_is_acknowledged(self):
        info = self.resimulating({"circles": [circle(0, 0), circle(9, 9)]})
        stepper, victim = self.attach(info), self.attach(info, self.connect_talk(), self.schema.RIGHT_ALL)
        self.stepped(stepper, 5)
        sequence = victim.send(tick=6, velocities=dict(id=[0], vx=[1.0], vy=[0.0]))
        while self.listed(info.name).batches == 0:
            self.stepped(stepper)
        self.assertIsNone(victim.wait(sequence))
        # It is acknowledged, and its connection lost, before another seat removes the circle at an earlier tick.
        victim.send(acked=sequence, velocities=dict(id=[1], vx=[1.0], vy=[0.0]))
        while victim.through < 2:
            self.stepped(stepper)
            victim.read_filed()
            victim.talk.ask(ping={})
        victim.read_filed()
        victim.talk.connection.close()
        stepper.send(tick=5, remove=[0])
        self.stepped(stepper)
        again = Seat(self.connect_talk(), world=info.name, token=victim.attached.token, outcomes_after=2)
        outcome = again.wait_told(sequence)
        self.told(outcome, NOT_FOUND, "UNDONE", "commands.velocities.id[0]")
        # Acknowledged by nothing but what came later: told once more, then no more.
        third = again.send(velocities=dict(id=[1], vx=[2.0], vy=[0.0]))
        while again.through < third:
            self.stepped(stepper)
            again.read_filed()
            again.talk.ask(ping={})
        again.talk.connection.close()
        last = Seat(self.connect_talk(), world=info.name, token=victim.attached.token, outcomes_after=third)
        last.talk.ask(ping={})
        last.read_filed()
        self.assertEqual(last.told, {})
        self.assertEqual(sorted(self.bodies(info)), [1])


class Moments(WithPast):
    def ask(self, talk, questions, **moment):
        request_id, rows = talk.send(query=dict(world=moment, **questions)), []
        while True:
            message = talk.next(request_id)
            if message.WhichOneof("reply") != "queried":
                return message
            hits = message.queried.hits
            rows += zip(hits.row, hits.id, hits.gap, hits.point_x, hits.point_y)
            if not message.queried.more:
                return rows

    def test_a_shot_is_aimed_at_what_was_seen(self):
        info = self.create({"circles": [circle(0, 0, vx=8, radius=0.25)]}, policy=self.policy(history_ticks=32))
        seat = self.attach(info, right=self.schema.RIGHT_STEP)
        self.stepped(seat, 40)
        ray = dict(casts=dict(x=[20 * 8 * DT + 4 * DT], y=[-10.0], move_x=[0.0], move_y=[20.0]))
        by = dict(world=info.name, secret=info.join_secret)
        self.assertEqual(self.ask(self.talk, ray, **by), [])  # it is not there any more
        self.assertEqual([row[1] for row in self.ask(self.talk, ray, tick=20, time=DT / 2, **by)], [0])
        self.assertEqual([row[1] for row in self.ask(self.talk, ray, tick=20, time=DT / 2, handle=seat.handle)], [0])
        hit, = self.ask(self.talk, dict(nearest=dict(x=[20 * 8 * DT + 4 * DT], y=[0.0])), tick=20, time=DT / 2, **by)
        self.assertEqual(hit[2], -0.25)  # it is exactly there

    def test_followers_have_it_where_it_was(self):
        """What a follower in Python has at a time between ticks, the server finds there, to the last bit of the gap."""
        picks = random.Random(5)
        balls = [circle(picks.uniform(-8, 8), picks.uniform(-8, 8), picks.uniform(-9, 9), picks.uniform(-9, 9), radius=0.25)
                 for _ in range(6)]
        info = self.create(dict(circles=balls, segments=box(10)), policy=self.policy(history_ticks=64))
        seat, follower = self.attach(info), Follower()
        stream = self.talk.send(subscribe=dict(handle=seat.handle, stream=self.schema.STREAM_PATHS, every=1))
        follower.update(self.talk.next(stream).world_update.SerializeToString())
        asked = []
        for tick in range(1, 61):
            self.stepped(seat)
            while follower.tick < tick:
                follower.update(self.talk.next(stream).world_update.SerializeToString())
            time = (tick - 1) * DT + picks.random() * DT
            asked.append((tick - 1, time - (tick - 1) * DT, [follower.place(i, time) for i in range(6)]))
        for tick, time, places in picks.sample(asked, len(asked)):
            questions = dict(nearest=dict(x=[place[0] for place in places], y=[place[1] for place in places]))
            rows = self.ask(self.talk, questions, handle=seat.handle, tick=tick, time=time)
            self.assertEqual([(row[0], row[1], row[2]) for row in rows], [(i, i, -0.25) for i in range(6)], (tick, time))

    def test_what_cannot_be_asked(self):
        info = self.create({"circles": [circle(0, 0)]}, policy=self.policy(history_ticks=8))
        seat, at = self.attach(info), dict(in_circles=dict(x=[0.0], y=[0.0]))
        self.stepped(seat, 20)
        by = dict(world=info.name, secret=info.join_secret)
        for moment, code, reason, field in (
                (dict(by, world="other"), NOT_FOUND, "NO_SUCH_WORLD", "query.world.world"),
                (dict(by, secret=bytes(16)), PERMISSION_DENIED, "SECRET", "query.world.secret"),
                (dict(by, epoch=info.epoch + 1), PRECONDITION, "EPOCH", "query.world.epoch"),
                (dict(handle=77), NOT_FOUND, "HANDLE", "query.world.handle"),
                (dict(by, tick=11), OUT_OF_RANGE, "TICK_GONE", "query.world.tick"),
                (dict(by, tick=21), OUT_OF_RANGE, "TOO_EARLY", "query.world.tick"),
                (dict(by, time=DT / 2), OUT_OF_RANGE, "TOO_EARLY", "query.world.time"),
                (dict(by, tick=15, time=2 * DT), INVALID, "BAD_FIELD", "query.world.time"),
                (dict(by, tick=15, time=-1.0), INVALID, "BAD_FIELD", "query.world.time"),
                (dict(by, tick=15, time=math.nan), INVALID, "BAD_FIELD", "query.world.time")):
            self.refused(self.ask(self.talk, at, **moment), code, reason, field)
        self.assertEqual(len(self.ask(self.talk, at, tick=12, **by)), 1)
        self.still_usable()

    def test_cancelled_and_lost_while_they_wait(self):
        """Many at a time, of which some are cancelled and some lose their connection; the same id is used again at once."""
        info = self.create({"circles": [circle(i, 0) for i in range(200)]}, policy=self.policy(history_ticks=64))
        seat = self.attach(info)
        self.stepped(seat, 70)
        moment, at = dict(world=info.name, secret=info.join_secret), dict(in_circles=dict(x=[0.0], y=[0.0]))
        for i in range(40):
            talk = self.connect_talk()
            for k in range(8):
                talk.send(request_id=100 + k, query=dict(world=dict(moment, tick=10 + (7 * i + k) % 60), **at))
            for k in range(0, 8, 2):
                talk.send(request_id=200 + k, cancel=dict(target_request_id=100 + k))
            if i % 2 == 0:
                talk.connection.close()
                continue
            for k in range(8):
                reply = talk.next(100 + k)
                self.assertIn(reply.WhichOneof("reply"), ("queried", "error"))
                if reply.WhichOneof("reply") == "error":
                    self.assertEqual(reply.error.reason, "CANCELLED")
            talk.send(request_id=100, query=dict(world=dict(moment, tick=69), **at))
            self.assertEqual(talk.next(100).queried.hits.id, [0])
            talk.connection.close()
        self.still_usable()

    def test_a_world_that_ends_under_a_question(self):
        for _ in range(10):
            info = self.create({"circles": [circle(i, 0) for i in range(200)]}, policy=self.policy(history_ticks=64))
            self.stepped(self.attach(info), 70)
            asked = self.talk.send(query=dict(world=dict(world=info.name, secret=info.join_secret, tick=66),
                                              in_circles=dict(x=[0.0], y=[0.0])))
            self.talk.ask(destroy_world=dict(name=info.name, secret=info.owner_secret))
            reply = self.talk.next(asked)
            if reply.WhichOneof("reply") == "error":
                self.assertIn(reply.error.reason, ("WORLD_GONE", "NO_SUCH_WORLD"))
