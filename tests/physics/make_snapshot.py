#!/usr/bin/python3
"""Writes snapshot_golden.bin by the format's description in server/physics/state/snapshot.h, with a packer, a state hash and a
checksum of its own. usage: make_snapshot.py FILE

The scene's future is known without the engine. Two equal elastic balls in free flight meet head-on after a second and swap
velocities, and a kinematic circle moves and turns on. The third part is a rough ball that rests on a wall, held by the resting
solver. It is at the height at which it rests, with the impulse that holds its weight for a quarter of a tick of 1/64 s. It
touches the wall, and the kinematic circle is a sensor. A second wall, far from all, moves, and has come 1 and -0.5 from where
it was defined. A third one is far away and disabled. The kinematic circle has rules, a lifetime longer than what is played, an
ignored circle that is not there, and a tag; the world has bounds that nothing leaves."""

import struct
import sys

MASK = (1 << 64) - 1
NO_IMPULSE, WALL = 0.0, 0x80000000
GRAVITY, QUARTER = -8.0, 1 / 256


def mix(bits):
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB & MASK
    return bits ^ (bits >> 31)


GOLDEN_RATIO = 0x9E3779B97F4A7C15


def add(hash_, value):
    return mix(hash_ ^ struct.unpack("<Q", struct.pack("<d", value))[0]) + GOLDEN_RATIO & MASK


def state_hash(bodies, pairs, walls):
    total = mix(len(bodies))
    for id_, home, moved, v in walls:
        h = mix(id_ + 0x6A09E667F3BCC909 & MASK)
        for value in (home[0] + moved[0], home[1] + moved[1], *moved, *v):
            h = add(h, value)
        total = total + mix(h) & MASK
    for b in bodies:
        h = mix(b["id"] + GOLDEN_RATIO & MASK)
        for key in ("x", "y", "vx", "vy"):
            h = add(h, b[key])
        if b["angle"] != 0 or b["spin"] != 0:
            h = add(add(h, b["angle"]), b["spin"])
        if b["settle"] != 0:
            h = mix(h + b["settle"] & MASK)
        total = total + mix(h) & MASK
        if b["ticks"] != 0 or b["seconds"] != 0 or b["ignore"] != 0:
            h = mix(b["id"] + 0xBB67AE8584CAA73B & MASK)
            h = mix(h + (b["ticks"] << 8 | b["ignore"]) & MASK) + GOLDEN_RATIO & MASK
            h = mix(h + (b["ignored"] if b["ignore"] != 0 else 0) & MASK) + GOLDEN_RATIO & MASK
            total = total + mix(add(h, b["seconds"])) & MASK
    for a, b, normal, tangent, rolling in pairs:
        h = add(add(mix(((a << 32) | b) + GOLDEN_RATIO & MASK), normal), tangent)
        total = total + mix(add(h, rolling)) & MASK
    return total


def step(total, group):
    return mix(total ^ group) + GOLDEN_RATIO & MASK


def checksum(data):
    lanes = [0, 1, 2, 3]
    for at in range(0, len(data), 8):
        lane = at // 8 % 4
        lanes[lane] = step(lanes[lane], int.from_bytes(data[at : at + 8], "little"))
    total = len(data)
    for lane in lanes:
        total = step(total, lane)
    return total


def body(id_, kind, x, y, vx, vy, radius, **more):
    b = dict(id=id_, kind=kind, category=1, mask=0xFFFFFFFF, radius=radius, mass=1.0, restitution=1.0, friction=0.0,
             rolling=0.0, x=x, y=y, vx=vx, vy=vy, angle=0.0, spin=0.0, settle=0,
             surface=0.0, linear=0.0, angular=0.0, scale=1.0, response=0, sensor=0, generation=0, filter_group=0,
             group=0, stop=0, remove=0, report=0, seconds=0.0, ticks=0, ignored=0, ignore=0, tag=0)
    b.update(more)
    if kind != 0:
        b["mass"], b["inverse_inertia"], b["scale"] = float("inf"), 0.0, 0.0
    else:
        b["inverse_inertia"] = 1 / (0.5 * b["mass"] * radius * radius)
    return b


def main():
    # At rest a ball is a cushion, a hundredth of its radius, above the contact distance (radius and skin).
    rest = 0.5 + 0.5e-9 + 0.005
    bodies = [
        body(2, 0, -1.5, 40.0, 1.0, 4.0, 0.5),
        body(3, 0, 1.5, 40.0, -1.0, 4.0, 0.5),
        body(5, 1, 20.0, 8.0, 0.5, -0.25, 1.0, angle=0.25, spin=2.0, category=2, mask=2, sensor=1, filter_group=-7, group=63,
             stop=1 << 63, remove=6, report=8, seconds=0.375, ticks=4000, ignored=77, ignore=1, tag=0xFEDCBA9876543210),
        body(9, 0, 4.0, rest, 0.0, 0.0, 0.5, restitution=0.0, friction=0.5, rolling=0.125, settle=4, generation=3),
    ]
    segments = [(7, 1, 0xFFFFFFFF, 2.0, 0.0, 6.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0, 2, 0.0, 0, 3, 0, 0.0, 0.0, 0.0, 0.0, 0),
                (8, 1, 0xFFFFFFFF, -30.0, -1.0, -30.0, 1.0, 0.0, 0.5, 0.0, 0.0, 0, 2, 0.0, 0, 3, 0, 0.5, -0.25, 1.0, -0.5, 0),
                (9, 1, 0xFFFFFFFF, -50.0, -1.0, -50.0, 1.0, 0.0, 0.5, 0.0, 0.0, 0, 2, 0.0, 0, 3, 0, 0.0, 0.0, 0.0, 0.0, 1)]
    walls = [(8, (-30.0, -1.0), (1.0, -0.5), (0.5, -0.25))]
    # Relations of groups that no circle of the scene is in: 0 with 5 a MOVE with the weights 3 and 1, 2 with 63 a BOUNCE of
    # elasticity 0.25.
    relations = [(5, 0, 3, 1, 1, 0, 3.0, 1.0, 0.0), (2, 63, 0, 0, 0, 1, 0.0, 0.0, 0.25)]
    # What does not yield is always listed; of the others those that the solver has.
    listings = [(0, 0.0, 0.0, 0.0), (0, 0.0, 0.0, 0.0), (1, 20.0, 8.0, 0.15), (1, 4.0, rest, 0.075)]
    pairs = [(3, WALL | 0, -GRAVITY * QUARTER, NO_IMPULSE, NO_IMPULSE)]
    ties = [(3, WALL | 0, 0)]

    out = struct.pack("<12Q", len(bodies), len(segments), len(listings), len(pairs), 0, 0, len(ties), 0, len(relations), len(bodies),
                      len(bodies), 0)
    out += struct.pack("<QQddIIdIQBBddIdIdQQB4dd", 1234, state_hash(bodies, pairs, walls), 0.0, GRAVITY, 1, 0, 0.0, 10000, 1 << 22, 1, 0, 0.0, 0.0, 1, 0.0, 3,
                       1 / 32, 3000000, 70000, 1, -1e6, -1e5, 1e4, 1e3, 1 / 64)
    for b in bodies:
        out += struct.pack("<IBII", b["id"], b["kind"], b["category"], b["mask"])
        out += struct.pack("<6d", *(b[k] for k in ("radius", "mass", "inverse_inertia", "restitution", "friction", "rolling")))
        out += struct.pack("<6dB", *(b[k] for k in ("x", "y", "vx", "vy", "angle", "spin", "settle")))
        out += struct.pack("<4dBBI", *(b[k] for k in ("surface", "linear", "angular", "scale", "response", "sensor", "generation")))
        out += struct.pack("<iB", b["filter_group"], b["group"])
    for s in segments:
        out += struct.pack("<III8dBIdBiB4dB", *s)
    for row in relations:
        out += struct.pack("<3I3B3d", *row)
    for row in listings:
        out += struct.pack("<B3d", *row)
    for pair in pairs:
        out += struct.pack("<II3d", *pair)
    for tie in ties:
        out += struct.pack("<IIB", *tie)
    for b in bodies:
        out += struct.pack("<3QdIIB", *(b[k] for k in ("stop", "remove", "report", "seconds", "ticks", "ignored", "ignore")))
    for b in bodies:
        out += struct.pack("<Q", b["tag"])
    head = b"collide\x1a" + struct.pack("<IIQ", 6, 2, 8 + 4 + 4 + 8 + len(out) + 8)
    out = head + out
    with open(sys.argv[1], "wb") as file:
        file.write(out + struct.pack("<Q", checksum(out)))


main()
