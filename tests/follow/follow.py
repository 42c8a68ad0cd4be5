#!/usr/bin/env python3
"""follow.py FILE PLACES: reads WorldUpdates, each with its length before it, and prints what the Python follower makes of them. A tick is a
line with a digest of all states. A line "ID TIME" of PLACES is answered after that time, with the place in hexadecimal."""
import hashlib
import os
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../integration"))
# pylint: disable=wrong-import-position
from followers import Delimited, Follower


def digest(follower):
    states = hashlib.sha256()
    for name, one in follower.circles.items():
        states.update(struct.pack("<I6d", name, one.x, one.y, one.vx, one.vy, one.angle, one.spin))
    for name in sorted(follower.segments):
        one = follower.segments[name]
        if one.moved:
            states.update(struct.pack("<I4d", name, one.x1, one.y1, one.x2, one.y2))
    return states.hexdigest()[:16]


def main(path, places):
    with open(path, "rb") as file:
        data = file.read()
    with open(places, encoding="utf-8") as file:
        asked = [(int(name), float.fromhex(time)) for name, time in (line.split() for line in file)]
    answers = {}

    def on_tick(follower):
        print(follower.tick, digest(follower))
        while asked and asked[0][1] <= follower.time:
            name, time = asked.pop(0)
            place = follower.place(name, time)
            answers[name, time] = struct.pack("<3d", *place).hex() if place else "none"
            print("at", name, time.hex(), answers[name, time])

    follower = Follower(on_tick=on_tick)
    for update in Delimited().take(data):
        follower.update(update)


if __name__ == "__main__":
    main(*sys.argv[1:])
