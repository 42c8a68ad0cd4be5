#!/usr/bin/python3
"""What a recording of an arena takes: 64 circles, 50 walls, 16 players with 6 inputs a second each, 60 ticks a second.

arena_recording.py COLLIDED COLLIDE PROTO_FOLDER [SECONDS [SPEED [FOLDER]]]: of so many seconds (600), so many of them in one (1; recorders
write at times of the clock). Files are kept in FOLDER, if it is given. Two recorders write at the same time, plain and compressed. Prints
their bytes, what `zstd -19` makes of the plain one, if there is such a program, and what `collide world verify` says of both with 1, 2 and 8
workers. Then a fork from half of the time on is given the same batches, and has each hash of the recording. Asserts no size.
"""
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "integration"))
# pylint: disable=wrong-import-position
from outside_talk import Seat, Talk  # noqa: E402
from outside_wire import Connection, Daemon  # noqa: E402

TICKS_PER_SECOND, PLAYERS, INPUTS, CIRCLES, WALLS, HALF = 60, 16, 6, 64, 50, 20.0
COLLIDED, COLLIDE, PROTO = sys.argv[1:4]
SECONDS = int(sys.argv[4]) if len(sys.argv) > 4 else 600
SPEED = float(sys.argv[5]) if len(sys.argv) > 5 else 1.0


def scene_make(draw):
    circles = [dict(id=i, x=4.8 * (i % 8) - 16.8, y=4.8 * (i // 8) - 16.8, vx=draw.uniform(-3, 3), vy=draw.uniform(-3, 3), radius=0.5)
               for i in range(CIRCLES)]
    corners = [(-HALF, -HALF), (HALF, -HALF), (HALF, HALF), (-HALF, HALF)]
    walls = [dict(x1=a[0], y1=a[1], x2=b[0], y2=b[1]) for a, b in zip(corners, corners[1:] + corners[:1])]
    # Between the places of the circles.
    for i in range(WALLS - 4):
        x, y = 4.8 * (i % 7) - 14.4, 4.8 * (i // 7) - 14.4
        walls.append(dict(x1=x - 0.7, y1=y - draw.uniform(0, 0.7), x2=x + 0.7, y2=y))
    return dict(circles=circles, segments=walls)


def recorder_start(name, path, secret):
    recorder = subprocess.Popen([COLLIDE, "world", "record", name, "--secret", secret.hex(), "-o", path, "-n",
                                 str(SECONDS * TICKS_PER_SECOND), "-e", "6"], stdout=subprocess.PIPE, text=True)
    while not os.path.exists(path) or os.path.getsize(path) == 0:
        time.sleep(0.05)
    return recorder


def play(seats, draw):
    """Each player turns one of its circles into one of 16 directions six times a second, at ticks that the draw decides."""
    started = time.monotonic()
    for second in range(SECONDS):
        begin = second * TICKS_PER_SECOND
        inputs = sorted((draw.randrange(TICKS_PER_SECOND), player) for player in range(PLAYERS) for _ in range(INPUTS))
        for tick, player in inputs:
            ids = [player * (CIRCLES // PLAYERS) + draw.randrange(CIRCLES // PLAYERS)]
            angle = math.pi / 8 * draw.randrange(16)
            seats[player].send(tick=begin + 1 + tick, velocities=dict(id=ids, vx=[3 * math.cos(angle)], vy=[3 * math.sin(angle)]))
        for ticks in range(0, TICKS_PER_SECOND, 6):
            stepped = seats[0].step(6)
            assert stepped.WhichOneof("reply") == "stepped", stepped
            time.sleep(max(0.0, started + (second + (ticks + 6) / TICKS_PER_SECOND) / SPEED - time.monotonic()))
        for seat in seats:
            seat.read_filed()


def messages_read(path, schema):
    """The WorldUpdates of a recording."""
    with open(path, "rb") as file:
        data = file.read()
    at = 0
    while at < len(data):
        count, shift = 0, 0
        while True:
            count |= (data[at] & 127) << shift
            shift, at = shift + 7, at + 1
            if data[at - 1] < 128:
                break
        message = schema.ServerMessage.FromString(data[at:at + count])
        at += count
        yield message.world_update


def verify(path, *more):
    return subprocess.run([COLLIDE, "world", "verify", path, *more], check=True, capture_output=True, text=True).stdout


def fork_play(talk, path, schema):
    """A world from the state at half of the time plays on with the batches that the recording has from there."""
    updates = list(messages_read(path, schema))
    end = updates[-1].tick
    half = end - SECONDS // 2 * TICKS_PER_SECOND
    hashes = {update.hash_tick: update.hash for update in updates if update.hash_tick > half}
    batches = [batch for update in updates for batch in update.applied if batch.tick > half]
    verify(path, "--at", str(half), "-o", path + ".half")
    with open(path + ".half", "rb") as file:
        created = talk.ask(create_world=dict(name="fork", snapshot=file.read(), policy=dict(
            dt=1 / TICKS_PER_SECOND, clock=schema.CLOCK_CLIENT))).world_info
    assert created.tick == half, created
    # Batches of a tick are ordered by the numbers of their seats.
    seats = {}
    while not {batch.seat for batch in batches} <= seats.keys():
        seat = Seat(talk, world="fork", secret=created.owner_secret, right=schema.RIGHT_STEP)
        seats[seat.attached.seat] = seat
    stepper, at = next(iter(seats.values())), 0
    for tick in range(half, end, TICKS_PER_SECOND):
        while at < len(batches) and batches[at].tick <= tick + TICKS_PER_SECOND:
            told = schema.Commands.FromString(batches[at].commands).velocities
            seats[batches[at].seat].send(tick=batches[at].tick, velocities=dict(id=told.id, vx=told.vx, vy=told.vy))
            at += 1
        stepped = stepper.step(TICKS_PER_SECOND).stepped
        assert stepped.hash == hashes.pop(stepped.tick), f"the fork differs at tick {stepped.tick}"
        for seat in seats.values():
            seat.read_filed()
    assert at == len(batches) and not hashes, (at, len(batches), hashes)
    print(f"a fork from tick {half} on, given {at} batches, has all {(end - half) // TICKS_PER_SECOND} hashes up to tick {end}")


def main():
    draw = random.Random(1)
    with tempfile.TemporaryDirectory() as temporary:
        folder = sys.argv[6] if len(sys.argv) > 6 else temporary
        subprocess.run(["protoc", "-I", PROTO, "--python_out", temporary, "collide/v1/collide.proto"], check=True)
        sys.path.insert(0, temporary)
        from collide.v1 import collide_pb2 as schema
        daemon = Daemon(COLLIDED)
        os.environ["COLLIDE_CONNECT"] = f"127.0.0.1:{daemon.port}"
        talk = Talk(Connection(daemon.port, schema))
        policy = dict(dt=1 / TICKS_PER_SECOND, clock=schema.CLOCK_CLIENT, hash_every=TICKS_PER_SECOND)
        created = talk.ask(create_world=dict(name="arena", scene=scene_make(draw), policy=policy))
        secret = created.world_info.owner_secret
        seats = [Seat(talk, world="arena", secret=secret, right=schema.RIGHT_STEP) for _ in range(PLAYERS)]
        paths = [os.path.join(folder, name) for name in ("arena.rec", "arena.rec.zst")]
        recorders = [recorder_start("arena", path, secret) for path in paths]
        play(seats, draw)
        for path, recorder in zip(paths, recorders):
            print(recorder.communicate(timeout=600)[0], end="")
        fork_play(talk, paths[0], schema)
        daemon.stop()
        if shutil.which("zstd"):
            packed = subprocess.run(["zstd", "-19", "-c", paths[0]], check=True, capture_output=True).stdout
            print(f"{len(packed)} bytes of the plain one after zstd -19")
        for path in paths:
            told = [verify(path, "--workers", str(workers)) for workers in (1, 2, 8)]
            print(told[0], end="")
            assert told.count(told[0]) == 3, told


main()
