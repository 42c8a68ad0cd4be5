#!/usr/bin/env python3
"""broken.py SOURCE: what the followers of client/follow do after what no server sends, and for how long they keep what was. Each stream is read
in Python and in JavaScript: a line for each update, with "refused" or the tick and how many circles there are."""
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import tracemalloc

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../integration"))
# pylint: disable=wrong-import-position
from followers import Delimited, Follower

JAVASCRIPT = """
import { readFileSync } from "node:fs";
const packages = process.argv[2];
const { Delimited } = await import(`${packages}/collide-wire/collide_wire.js`);
const { Follower } = await import(`${packages}/collide-follow/collide_follow.js`);
const follower = new Follower();
for (const update of new Delimited().take(readFileSync(process.argv[3]))) {
  try {
    follower.update(update);
    console.log(`${follower.tick} ${follower.circles.size}`);
  } catch {
    console.log("refused");
  }
}
"""


def varint(value):
    return bytes([value & 127 | 128]) + varint(value >> 7) if value > 127 else bytes([value])


def field(number, value):
    """A varint, or bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def columns(ids, x=b""):
    return field(2, struct.pack("<%dI" % len(ids), *ids)) + (field(3, x) if x else b"")


def key(circles, begins=True, tick=5, segments=b""):
    scene = field(1, circles) + (field(3, segments) if segments else b"")
    head = b"\x09" + struct.pack("<Q", 1) + b"\x29" + struct.pack("<d", 0.5) if begins else b""
    return field(1, tick) + field(8, head + field(2, scene))


def ticks(first, count):
    return field(1, first + count - 1) + field(2, count)


GOOD, BROKEN = columns([1, 2]), columns([3], b"1234567")
STREAMS = {
    "a key": ([key(GOOD), ticks(6, 2), ticks(8, 1)], ["5 2", "7 2", "8 2"]),
    "a key in parts": ([key(GOOD), key(columns([3]), False), ticks(6, 1)], ["5 2", "5 3", "6 3"]),
    "a key that ends in the middle": ([key(GOOD), key(BROKEN), ticks(6, 1), key(GOOD), ticks(6, 1)],
                                      ["5 2", "refused", "refused", "5 2", "6 2"]),
    "a part of a key that is none": ([key(GOOD), key(BROKEN, False), ticks(6, 1)], ["5 2", "refused", "refused"]),
    "a part of a key without its first": ([key(columns([3]), False), ticks(6, 1)], ["refused", "refused"]),
    "a change that is none": ([key(GOOD), field(1, 5) + field(11, field(1, field(1, struct.pack("<I", 1)) + field(3, BROKEN))),
                               ticks(6, 1)], ["5 2", "refused", "refused"]),
    "no message": ([key(GOOD), b"\xff", ticks(6, 1)], ["5 2", "refused", "refused"]),
}


def python(data):
    follower = Follower()
    for update in Delimited().take(data):
        try:
            follower.update(update)
            yield "%d %d" % (follower.tick, len(follower.circles))
        except Exception:  # pylint: disable=broad-exception-caught
            yield "refused"


def javascript(source, folder, data):
    program, stream = os.path.join(folder, "read.mjs"), os.path.join(folder, "stream")
    with open(program, "w", encoding="utf-8") as file:
        file.write(JAVASCRIPT)
    with open(stream, "wb") as file:
        file.write(data)
    packages = os.path.join(source, "client/follow/javascript")
    return subprocess.run(["node", program, packages, stream], check=True, capture_output=True, text=True, timeout=600).stdout.splitlines()


def past_is_bounded():
    """It keeps as many ticks as it was asked for, of one as well."""
    for history in 0, 1, 2, 16:
        follower = Follower(history=history)
        follower.update(key(GOOD))
        for tick in range(6, 40):
            follower.update(ticks(tick, 1))
        assert len(follower.past) == max(history, 1), (history, len(follower.past))


def long_updates_take_little():
    """3600 ticks at once, beside 2000 segments that stand."""
    follower = Follower()
    follower.update(key(GOOD, segments=columns(range(2000))))
    tracemalloc.start()
    follower.went(3600, {})
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 1 << 20, most


def main(source):
    past_is_bounded()
    long_updates_take_little()
    if not shutil.which("node"):
        print("there is no node: nothing was read in JavaScript")
    with tempfile.TemporaryDirectory() as folder:
        for name, (updates, expected) in STREAMS.items():
            data = b"".join(varint(len(update)) + update for update in updates)
            assert list(python(data)) == expected, ("Python", name, list(python(data)))
            if shutil.which("node"):
                told = javascript(source, folder, data)
                assert told == expected, ("JavaScript", name, told)


if __name__ == "__main__":
    main(*sys.argv[1:])
