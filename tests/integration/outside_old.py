"""Worlds of a great age: at ticks about 2^32, 2^53 and 2^63 all goes on as in a world that is young. Commands, streams of every kind, late
commands, questions about the past, snapshots."""
import random

import outside_paths
from followers import Follower
from outside_coded import CodedReader
from outside_snapshot import checksum
from outside_worlds import WithWorlds

WORLD_ROW = 24 + 12 * 8  # where a snapshot has its tick: behind the header and the counts


class Old(WithWorlds):
    def aged(self, tick):
        """A world's bytes at that tick, with what happens in it as it was."""
        connection = self.connect()
        _, last = connection.simulate(scene=outside_paths.bouncing(random.Random(2)), dt=1 / 60, ticks=30, snapshot_every=30)
        self.assertEqual(last.WhichOneof("reply"), "simulate_done")
        data = connection.snapshots[30]
        self.assertEqual(int.from_bytes(data[WORLD_ROW:WORLD_ROW + 8], "little"), 30)
        data = data[:WORLD_ROW] + tick.to_bytes(8, "little") + data[WORLD_ROW + 8:-8]
        return data + checksum(data).to_bytes(8, "little")

    def lived(self, tick):
        """What its readers had after each of 60 ticks, counted from the first; late commands come in it, and it is looked back at."""
        self.talk = self.connect_talk()
        policy = self.policy(dt=1 / 60, hash_every=1, late=self.schema.LATE_RESIMULATE, history_ticks=8)
        info = self.create(snapshot=self.aged(tick), policy=policy)
        self.assertEqual(info.tick, tick)
        seat = self.attach(info)
        spectator = dict(world=info.name, secret=info.join_secret)
        streams = [dict(stream=self.schema.STREAM_STATES), dict(stream=self.schema.STREAM_PATHS),
                   dict(stream=self.schema.STREAM_STATES, tolerance=0.01), dict(stream=self.schema.STREAM_COMMANDS),
                   dict(stream=self.schema.STREAM_COMMANDS, coded=True), dict(stream=self.schema.STREAM_PATHS, driven_legs=True)]
        requests = [self.talk.send(subscribe=dict(spectator=spectator, every=1, **stream)) for stream in streams]
        seen, followers, coded = [{} for _ in streams], {1: Follower(), 2: Follower(), 5: Follower()}, CodedReader()
        chance, made = random.Random(3), [0]

        def take(at, update):
            self.assertFalse(update.tick < tick or update.tick > tick + 60)
            if at in followers:
                follower = followers[at]
                follower.update(update.SerializeToString())
                self.assertEqual(follower.tick, update.tick)
                seen[at][follower.tick - tick] = [(one.id, one.x, one.y, one.vx, one.vy) for _, one in sorted(follower.circles.items())]
            elif at == 3:
                seen[at][update.tick - tick] = [(each.tick - tick, each.commands) for each in update.applied]
            elif at == 4:
                seen[at][update.tick - tick] = [(one[1] - tick, one[4]) for one in coded.read(update)]
            elif update.frame.bodies.id:
                seen[at]["state", update.tick - tick] = (list(update.frame.bodies.x), list(update.frame.bodies.y))

        for at, request in enumerate(requests):
            take(at, self.talk.next(request).world_update)  # the key
        for step in range(20):
            if step % 4 == 1:
                late = chance.randint(0, 5)
                seat.send(tick=tick + 3 * step - late, skip_missing=True,
                          **outside_paths.Paths.commands(self, chance, [1, 3, 5, 7, 9, 11, 13, 15], made))
            stepped = self.stepped(seat, 3)
            self.assertEqual(stepped.tick, tick + 3 * step + 3)
            moment = dict(world=info.name, secret=info.join_secret, tick=stepped.tick - 2, time=1 / 128)
            asked = self.talk.ask(query=dict(world=moment, in_circles=dict(x=[0], y=[0], radius=[100])))
            self.assertEqual(asked.WhichOneof("reply"), "queried", asked)
            seen[0][3 * step] = (stepped.hash, asked.queried.hits.SerializeToString())
        self.assertGreater(self.listed(info.name).resimulated_ticks, 3)
        taken = self.talk.ask(snapshot_world=dict(name=info.name, secret=info.owner_secret, at_tick=tick + 55))
        self.assertIn(taken.WhichOneof("reply"), ("snapshots", "snapshot"), taken)
        self.talk.ask(destroy_world=dict(name=info.name, secret=info.owner_secret))
        for at, request in enumerate(requests):
            while self.talk.filed[request]:
                message = self.talk.filed[request].popleft()
                if message.WhichOneof("reply") == "world_update":
                    take(at, message.world_update)
        self.assertEqual(seen[3], seen[4])
        self.assertEqual(seen[1], seen[5])
        return seen

    def test_ages(self):
        young = self.lived(64)
        self.assertGreater(len(young[0]), 70)
        self.assertGreater(sum(len(told) for told in young[3].values()), 3)
        for tick in (2**32 - 32, 2**53 - 32, 2**53, 2**63 - 32, 2**64 - 2**20):
            with self.subTest(tick=tick):
                # A seat's place among others goes by the tick; there is one seat.
                self.assertEqual(self.lived(tick), young)
