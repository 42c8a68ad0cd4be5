#!/usr/bin/python3
"""path_inputs.py COLLIDED PROTO [SECONDS]: what STREAM_PATHS saves by naming velocities of commands that were told before (Paths.codes, 5).

The arena of `collide bench streams` (64 circles, 16 players with 6 inputs a second, 20 updates a second), for each kind of inputs. A follower
notes what each velocity takes in a row at a tick's begin, where commands are, and what it would take without its name."""
import math
import os
import random
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../integration"))
from followers import bits, collide_follow

HZ, EVERY, PLAYERS, INPUTS_HZ, SPEED = 60, 3, 16, 6, 6.0


class MeteredNumbers(collide_follow.Numbers):
    """Adds up what velocities of commands take, and what they would take without names."""
    meter = None

    def next(self, base, command=False):
        before, count = self.at, self.named
        number = super().next(base, command)
        if command:
            took = self.at - before
            full = took if self.named > count or took == 0 else plain_bytes(number, base)
            self.meter.commands += 1
            self.meter.told += took
            self.meter.named_numbers += full > took
            self.meter.saved += full - took
        return number


class Meter(collide_follow.Follower):
    def __init__(self):
        super().__init__()
        self.commands, self.named_numbers, self.told, self.saved = 0, 0, 0, 0
        MeteredNumbers.meter, collide_follow.Numbers = self, MeteredNumbers


def plain_bytes(number, base):
    """Of the shortest code but for names."""
    whole = bits(number)
    first = 8 - (len(bin(whole)) - len(bin(whole).rstrip("0"))) // 8 if whole else 0
    if first > 3:
        first = 4 if single(number) == number else 8
    step = (whole - bits(base)) % 2**64
    step = (2**64 - 1 - step) * 2 + 1 if step >> 63 else step * 2
    return 0 if number in (base, -base) else min(first, (step.bit_length() + 7) // 8)


def single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def arena(chance):
    circles = [dict(id=i, x=-15.2 + (i % 8 + 0.5) * 3.8, y=-15.2 + (i // 8 + 0.5) * 3.8, radius=0.4, restitution=1.0) for i in range(64)]
    for one in circles:
        way = chance.uniform(0, 2 * math.pi)
        one["vx"], one["vy"] = SPEED * math.cos(way), SPEED * math.sin(way)
    corners = [(-16, -16), (16, -16), (16, 16), (-16, 16)]
    walls = [dict(x1=a[0], y1=a[1], x2=b[0], y2=b[1]) for a, b in zip(corners, corners[1:] + corners[:1])]
    for row in range(7):
        for column in range(row % 2, 7, 2):
            x, y, way = (column - 3) * 3.8, (row - 3) * 3.8, chance.uniform(0, 2 * math.pi)
            dx, dy = math.cos(way), math.sin(way)
            walls.append(dict(x1=x - dx, y1=y - dy, x2=x + dx, y2=y + dy))
    return dict(circles=circles, segments=walls)


def velocity(kind, chance, keys, player):
    if kind == "keys":
        keys[player] ^= 1 << chance.randrange(4)
        x, y = (keys[player] & 1) - (keys[player] >> 1 & 1), (keys[player] >> 2 & 1) - (keys[player] >> 3 & 1)
        length = math.sqrt(2) if x and y else 1
        return SPEED * x / length, SPEED * y / length
    directions = {"pad": 16, "stick": 256}.get(kind)
    turn = chance.randrange(directions) / directions if directions else chance.random()
    way = SPEED * math.cos(2 * math.pi * turn), SPEED * math.sin(2 * math.pi * turn)
    return tuple(map(single, way)) if kind == "single" else way


def measure(schema, port, kind, seconds):
    from outside_talk import Seat, Talk
    from outside_wire import Connection
    chance, keys = random.Random(1), [0] * PLAYERS
    with Connection(port, schema) as connection:
        talk = Talk(connection)
        info = talk.ask(create_world=dict(scene=arena(chance), policy=dict(dt=1 / HZ, clock=schema.CLOCK_CLIENT))).world_info
        seats = [Seat(talk, world=info.name, secret=info.owner_secret, right=schema.RIGHT_STEP) for _ in range(PLAYERS)]
        reader = talk.send(subscribe=dict(handle=seats[0].handle, stream=schema.STREAM_PATHS, every=EVERY))
        meter, bytes_told = Meter(), 0
        for tick in range(1, HZ * seconds + 1):
            for player, seat in enumerate(seats):
                if chance.random() < INPUTS_HZ / HZ:
                    vx, vy = velocity(kind, chance, keys, player)
                    seat.send(tick=tick, velocities=dict(id=[player], vx=[vx], vy=[vy]), acked=max(seat.sequence - 1, 0))
            if tick % EVERY:
                continue
            talk.ask(step_world=dict(handle=seats[0].handle, ticks=EVERY))
            while meter.tick < tick:
                message = talk.next(reader)
                data = message.world_update.SerializeToString()
                if not message.world_update.HasField("key"):
                    bytes_told += len(message.SerializeToString()) + 1 + (len(data) > 120)
                meter.update(data)
        print("%-7s %9.0f %9.0f %7.0f %9.1f %% %9.0f %9.1f %%" % (
            kind, bytes_told / seconds, meter.told / seconds, meter.commands / seconds, 100 * meter.named_numbers / max(meter.commands, 1),
            meter.saved / seconds, 100 * meter.saved / (bytes_told + meter.saved)))


def main(program, proto, seconds="20"):
    sys.argv = [sys.argv[0], program, proto, ""]
    import tempfile
    import outside_client
    from outside_wire import Daemon
    with tempfile.TemporaryDirectory() as folder:
        schema, daemon = outside_client.generated_schema(folder), Daemon(program)
        print("inputs    bytes/s  of them for numbers/s of commands, of them named; saves bytes/s, of what there would be")
        for kind in ("keys", "pad", "stick", "single", "double"):
            measure(schema, daemon.port, kind, int(seconds))
        daemon.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
