"""STREAM_COMMANDS in few bytes (Subscribe.coded), read by a reader of 190 lines that is written from the schema's text alone: the same
batches as without, to the byte. Readers share their bytes. Those that come back go on. What is refused."""
import math
import random
import struct

import outside_paths
from outside_client import INVALID, circle
from outside_worlds import WithWorlds

ALL = 0xffffffff


class CodedError(Exception):
    pass


class Coder:
    """The coder of Quantized."""

    def begin(self, data):
        self.data, self.at, self.range, self.code = data, 0, ALL, 0
        for _ in range(4):
            self.code = self.code << 8 | self.byte()

    def byte(self):
        self.at += 1
        return self.data[self.at - 1] if self.at <= len(self.data) else 0

    def widen(self):
        while self.range < 1 << 24:
            self.range = self.range << 8
            self.code = (self.code << 8) + self.byte()

    def bit(self, context):
        bound = (self.range >> 15) * ((context[0] + context[1]) >> 1)
        if self.code < bound:
            bit, self.range = 0, bound
            for i, s in enumerate((5, 7)):
                context[i] += (32768 - context[i]) >> s
        else:
            bit, self.code, self.range = 1, self.code - bound, self.range - bound
            for i, s in enumerate((5, 7)):
                context[i] -= context[i] >> s
        self.widen()
        return bit

    def bits(self, count):
        out = 0
        for _ in range(count):
            self.range >>= 1
            bit = self.code >= self.range
            self.code -= self.range * bit
            out = out << 1 | bit
            self.widen()
        return out

    def number(self, contexts):
        if not self.bit(contexts[0]):
            return 0
        negative, length = self.bit(contexts[1]), 1
        while length < 24 and self.bit(contexts[1 + length]):
            length += 1
        size = 1
        if length > 1:
            size = 2 | self.bit(contexts[23 + length])
            size = size << (length - 2) | self.bits(length - 2)
        return -size if negative else size


def contexts(*sizes):
    return [contexts(*sizes[1:]) for _ in range(sizes[0])] if sizes else [16384, 16384]


class Speeds:
    """Second numbers of Coded."""

    def __init__(self, coder):
        self.coder, self.lists, self.negative = coder, [[] for _ in range(8)], contexts()
        self.told, self.place, self.difference = contexts(8), contexts(48), contexts(2, 8, 48)

    def begin(self):
        self.left, self.by = 0, None

    def step(self, out):
        """Before each byte. Whether one begins with it."""
        if self.left == 0 and len(out) >= 2:
            t, size = out[-2:]
            front = out[-size - 4:-size - 2] if len(out) >= size + 4 else b""
            if size in range(8, 121, 8) and front == bytes(((t - 8) % 256, size)):
                self.left, self.back, self.list = size, size + 2, t // 8 % 8
        self.within = self.left > 0
        self.left -= self.within
        return self.within and self.left % 8 == 7

    def read(self, out):
        """The eight bytes, if it is told."""
        if not self.lists[self.list] or not self.coder.bit(self.told[self.list]):
            return None
        x, = struct.unpack("<d", out[-self.back:][:8])
        self.by = self.coder.number(self.place)
        s, negative = self.lists[self.list][self.by], self.coder.bit(self.negative)
        r = bits_of(math.sqrt((s - abs(x)) * (s + abs(x)))) if abs(x) <= s else 0
        o = (bits_of(s) >> 52) - (r >> 52)
        single = bits_of(x) % (1 << 29) == 0
        d = self.coder.number(self.difference[single][o if 0 <= o <= 7 else 7])
        y = (((r + (1 << 28)) >> 29) + d) << 29 if single else r + d
        return (y % (1 << 63) + (negative << 63)).to_bytes(8, "little")

    def follow(self, out):
        """After each byte."""
        if not self.within or self.left % 8:
            return
        x, y = (struct.unpack("<d", out[len(out) - 8 - back:][:8])[0] for back in (self.back, 0))
        speeds, by, q = self.lists[self.list], self.by, math.sqrt(x * x + y * y)
        self.by = None
        if not 2**-500 < q < 2**500:
            return
        if by is not None:
            s = speeds.pop(by)
            speeds.insert(0, s + (q - s) / 4)
        elif not any(abs(q - s) <= s * 2**-20 for s in speeds):
            self.lists[self.list] = speeds[:7] + [q]


def bits_of(number):
    return int.from_bytes(struct.pack("<d", number), "little")


class CodedReader(Coder):
    """Coded. Gives the batches of an update as (undone, tick, seat, sequence, commands)."""

    known = False

    def anew(self):
        self.known = True
        self.more, self.undone, self.plain, self.far, self.fresh, self.jump = contexts(6)
        self.tick, self.seat, self.length = contexts(3, 48)
        self.ten, self.three, self.bytes = contexts(32, 3), contexts(32, 2, 3), contexts(32, 256)
        self.tables = [[(0, 0, 0)] * (1 << 14) for _ in range(2)]
        self.last_tick, self.seats, self.speeds = 0, [], Speeds(self)

    def read(self, update):
        if not update.coded:
            return [(False, *self.own(one)) for one in update.applied] + [(True, *self.own(one)) for one in update.undone]
        own = iter(update.applied), iter(update.undone)
        self.begin(update.coded)
        if self.bits(1):
            self.anew()
        elif not self.known:
            raise CodedError("nothing is known")
        out = []
        while self.bit(self.more):
            undone = self.bit(self.undone)
            out.append((bool(undone), *(self.own(next(own[undone])) if self.bit(self.plain) else self.batch(undone))))
        if self.at < len(self.data) or next(own[0], None) or next(own[1], None):
            raise CodedError("something is left over")
        return out

    @staticmethod
    def own(batch):
        return batch.tick, batch.seat, batch.sequence, batch.commands

    def batch(self, undone):
        self.last_tick = self.bits(64) if self.bit(self.far) else (self.last_tick + self.number(self.tick)) % (1 << 64)
        seat, sequence, length = (self.bits(32), 0, 0) if self.bit(self.fresh) else self.seats.pop(self.number(self.seat))
        sequence_now = self.bits(64) if self.bit(self.jump) else (sequence + 1) % (1 << 64)
        data = b""
        if not undone:
            sequence, length = sequence_now, length + self.number(self.length)
            data = self.commands(seat, length)
        self.seats = [(seat, sequence, length)] + self.seats[:1023]
        return self.last_tick, seat, sequence_now, data

    def commands(self, seat, length):
        a, b, c, out, told = seat, 0, 0, bytearray(), b""
        self.speeds.begin()
        for at in range(length):
            p = at if at < 32 else 24 + at % 8
            hashes = (a * 0x9e3779b1 + b * 0x85ebca77 + c * 0xc2b2ae3d) & ALL, (a % (1 << 24)) * 0x9e3779b1 & ALL
            places = [(table, h >> 18, (h >> 10) % 256) for table, h in zip(self.tables, hashes)]
            ten, three = [table[i][1:] if table[i][2] and table[i][0] == check else None for table, i, check in places]
            byte, second = None, self.speeds.step(out) and length - at >= 8
            if not told and ten and self.bit(self.ten[p][ten[1] - 1]):
                byte = ten[0]
            elif not told and second:
                told = self.speeds.read(out) or b""
            if told:
                byte, told = told[0], told[1:]
            if byte is None and three and not (ten and ten[0] == three[0]) and self.bit(self.three[p][1 if ten else 0][three[1] - 1]):
                byte = three[0]
            if byte is None:
                n = 1
                while n < 256:
                    n = 2 * n + self.bit(self.bytes[p][n])
                byte = n - 256
            for (table, i, check), known in zip(places, (ten, three)):
                trust = table[i][2]
                if known and known[0] == byte:
                    table[i] = check, byte, min(trust + 1, 3)
                elif trust <= 1:
                    table[i] = check, byte, 1
                else:
                    table[i] = *table[i][:2], trust - 1
            c = (c << 8 | b >> 24) & 0xffff
            b = (b << 8 | a >> 24) & ALL
            a = (a << 8 | byte) & ALL
            out.append(byte)
            self.speeds.follow(out)
        return bytes(out)


class Watcher:
    """Reads a world's batches by a connection that is lost at times."""

    def __init__(self, test, info, coded):
        self.test, self.info, self.coded, self.schema = test, info, coded, test.schema
        self.every, self.tick, self.encoding, self.reader = 3, 0, 0, CodedReader()
        self.batches, self.keys, self.bytes, self.told, self.ticks = [], 0, 0, [], 0
        self.subscribe()

    def subscribe(self):
        self.talk = self.test.connect_talk()
        self.request = self.talk.send(subscribe=dict(
            stream=self.schema.STREAM_COMMANDS, every=self.every, coded=self.coded, after_tick=self.tick, after_encoding=self.encoding,
            spectator=dict(world=self.info.name, secret=self.info.join_secret)))

    def read(self):
        self.talk.ask(ping={})
        while self.talk.filed[self.request]:
            update = self.talk.filed[self.request].popleft().world_update
            key = update.HasField("key")
            self.ticks = update.ticks if key or update.ticks else self.ticks
            if key:
                self.keys += 1
                self.test.assertFalse(update.coded)
            else:
                self.test.assertIn(self.tick, (update.tick - self.ticks, update.tick))
                self.batches += self.reader.read(update)
                self.bytes += update.ByteSize()
                self.told.append(update)
            self.tick, self.encoding = update.tick, update.encoding or self.encoding

    def begin(self):
        """Until the key is there: what comes before it has no batches to compare."""
        while self.keys == 0:
            self.read()

    def lose(self):
        self.talk.connection.close()
        self.subscribe()


class Coded(WithWorlds):
    def spectate(self, info, **more):
        return self.talk.send(subscribe=dict(stream=self.schema.STREAM_COMMANDS, coded=True,
                                             spectator=dict(world=info.name, secret=info.join_secret), **more))

    @staticmethod
    def directions(chance, everyone):
        """Velocities of a few speeds in any direction, in doubles or in single precision; of any speed; nothing at all."""
        out = dict(id=chance.sample(everyone, chance.choice((1, 1, 2, 15, 16))), vx=[], vy=[])
        single = chance.random() < 0.5
        for _ in out["id"]:
            speed, turn = chance.choice((2.0, 3.7, 5.1, 2**-300, chance.uniform(0, 6))), chance.uniform(0, 7)
            x, y = chance.choice(((0.0, 0.0), (speed, -0.0), *[(speed * math.cos(turn), speed * math.sin(turn))] * 8))
            out["vx"].append(struct.unpack("<f", struct.pack("<f", x))[0] if single else x)
            out["vy"].append(struct.unpack("<f", struct.pack("<f", y))[0] if single else y)
        return dict(velocities=out)

    def play(self, seed):
        """What a coded reader has that comes and goes, beside one that is told all as it is."""
        chance = random.Random(seed)
        scene = outside_paths.gas(chance)
        info = self.create(scene, policy=self.policy(dt=1 / 60))
        seats, everyone, made = [self.attach(info) for _ in range(4)], sorted(one["id"] for one in scene["circles"]), [0]
        plain, coded = Watcher(self, info, False), Watcher(self, info, True)
        for watcher in (plain, coded):
            watcher.begin()
        for _ in range(60):
            for seat in seats:
                for _ in range(chance.choice((0, 0, 1, 3))):
                    more = (outside_paths.Paths.commands(self, chance, everyone, made) if chance.random() < 0.5 else
                            self.directions(chance, everyone))
                    commands = self.schema.Commands(**seat.batch(skip_missing=True, **more))
                    if chance.random() < 0.2:  # of a version to come
                        commands.MergeFromString(b"\xfa\x3e" + bytes((n := chance.randrange(100),)) + chance.randbytes(n))
                    if chance.random() < 0.05:  # larger than any that is coded
                        commands.remove_segments.extend(range(10000, 10300))
                    seat.talk.quiet(commands=commands)
            self.stepped(seats[0], chance.randint(1, 5))
            coded.read()
            plain.read()
            if chance.random() < 0.2:
                coded.lose()
            if chance.random() < 0.05:
                self.talk.next(self.spectate(info, every=3))  # a key for another: all begin anew
        self.stepped(seats[0], 6)
        coded.read()
        plain.read()
        self.assertEqual((coded.tick, coded.keys, plain.keys), (plain.tick, 1, 1))
        self.assertEqual(coded.batches, plain.batches)
        self.assertGreater(len(plain.batches), 100)
        self.assertGreater(sum(len(update.applied) for update in coded.told), 2)
        self.assertLess(sum(len(update.applied) for update in coded.told), len(plain.batches) / 5)
        self.talk.ask(destroy_world=dict(name=info.name, secret=info.owner_secret))

    def test_the_same_batches(self):
        for seed in range(12):
            with self.subTest(seed=seed):
                self.play(seed)

    def test_any_direction(self):
        """Of two numbers the second costs little where the speed was there before."""
        for single, most in ((True, 6.5), (False, 10)):
            info = self.create({"circles": [circle(0, 0, id=1)]}, policy=self.policy(dt=1 / 60))
            seat, chance, watcher = self.attach(info), random.Random(4), Watcher(self, info, True)
            watcher.begin()
            for _ in range(400):
                turn = chance.uniform(0, 7)
                x, y = 3.7 * math.cos(turn), 3.7 * math.sin(turn)
                if single:
                    x, y = struct.unpack("<2f", struct.pack("<2f", x, y))
                seat.send(velocities=dict(id=[1], vx=[x], vy=[y]))
                self.stepped(seat, 3)
            watcher.read()
            told = [len(update.coded) for update in watcher.told[-300:]]
            self.assertEqual(watcher.batches[-1][4][-8:], struct.pack("<d", y))
            self.assertTrue(all(told))
            self.assertLess(sum(told), most * len(told))

    def test_readers_share_their_bytes(self):
        info = self.create({"circles": [circle(3 * i, 0, id=i + 1) for i in range(8)]}, policy=self.policy(dt=1 / 60))
        seat, chance = self.attach(info), random.Random(4)
        watchers = [Watcher(self, info, True) for _ in range(3)]
        for watcher in watchers:
            watcher.begin()
        for _ in range(200):
            seat.send(velocities=dict(id=[chance.randint(1, 8)], vx=[chance.randint(-4, 4)], vy=[chance.choice((0.5, 3.0))]))
            self.stepped(seat, 1)
        for watcher in watchers:
            watcher.read()
        told = [[update.coded for update in watcher.told[-60:]] for watcher in watchers]
        self.assertTrue(all(told[0]))
        self.assertEqual(told[0], told[1])
        self.assertEqual(told[0], told[2])
        self.assertLess(sum(map(len, told[0])), 60 * 3 * 4)  # of a batch a circle, a speed and a sign: some 10 bits

    def test_a_steer_is_a_key(self):
        info = self.create()
        seat = self.attach(info)
        request = self.spectate(info)
        self.talk.next(request)
        self.stepped(seat, 6)
        self.assertEqual(self.talk.ask(steer=dict(subscription=request, every=5)).steered.every, 5)
        seat.send(velocities=dict(id=[0], vx=[1], vy=[2]))
        for _ in range(6):
            self.stepped(seat, 2)
            self.talk.ask(ping={})
        updates = [one.world_update for one in self.talk.filed[request]]
        keys = [update.tick for update in updates if update.HasField("key")]
        self.assertEqual(len(keys), 1)
        self.assertEqual([update.tick for update in updates][-1], 15)
        reader, seen = CodedReader(), []
        # The first batch may take effect before the key, or after it.
        for update in updates[[update.HasField("key") for update in updates].index(True) + 1:]:
            reader.read(update)
        seat.send(velocities=dict(id=[0], vx=[1], vy=[2]))
        self.talk.filed[request].clear()
        self.stepped(seat, 10)
        self.talk.ask(ping={})
        for one in self.talk.filed[request]:
            seen += reader.read(one.world_update)
        self.assertEqual([one[1:4] for one in seen], [(19, seat.seat, 2)])

    def test_what_is_refused(self):
        info = self.create()
        for stream in (self.schema.STREAM_STATES, self.schema.STREAM_PATHS):
            reply = self.talk.ask(subscribe=dict(stream=stream, coded=True, spectator=dict(world=info.name, secret=info.join_secret)))
            self.refused(reply, INVALID, "BAD_FIELD", "subscribe.coded")
