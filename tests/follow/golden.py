#!/usr/bin/env python3
"""golden.py FOLLOW_C: every stream of golden/ by every follower, against the states that the server told beside it."""
import glob
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def digested(line):
    tick, rest = line.split(" ", 1)
    return line if len(rest) == 16 else "%s %s" % (tick, hashlib.sha256(bytes.fromhex(rest)).hexdigest()[:16])


def varint(value):
    return bytes([value & 127 | 128]) + varint(value >> 7) if value > 127 else bytes([value])


def far_is_refused(follower, stream, tick):
    """An update of 2^31 ticks, as no server sends it, ends a follower at once, and not after hours."""
    ticks = 1 << 31
    update = b"\x08" + varint(tick + ticks) + b"\x10" + varint(ticks)
    with open(stream, "rb") as file, tempfile.NamedTemporaryFile() as longer:
        longer.write(file.read() + varint(len(update)) + update)
        longer.flush()
        try:
            done = subprocess.run(follower + [longer.name, os.devnull], capture_output=True, timeout=600, check=False)
        except subprocess.TimeoutExpired:
            return False
    return done.returncode != 0


def main(follow_c):
    followers = [[sys.executable, "-B", os.path.join(HERE, "follow.py")], [follow_c]]
    if shutil.which("node"):
        followers.append(["node", os.path.join(HERE, "follow.mjs")])
    else:
        print("there is no node: not read by JavaScript")
    streams = sorted(glob.glob(os.path.join(HERE, "golden", "*.stream")))
    bad = 0
    for stream in streams:
        with open(stream[:-len("stream")] + "states", encoding="ascii") as file:
            states = file.read().splitlines()
        for follower in followers:
            done = subprocess.run(follower + [stream, os.devnull], capture_output=True, text=True, timeout=300, check=False)
            lines = [digested(line) for line in done.stdout.splitlines()]
            first = states.index(lines[0]) if lines and lines[0] in states else None
            good = done.returncode == 0 and first is not None and lines == states[first:first + len(lines)] and len(lines) >= len(states) - 6
            bad += not good
            if not good:
                print("%s: %s reads %d ticks, not those that were told%s" % (os.path.basename(stream), follower[0], len(lines), done.stderr))
            elif stream in (streams[0], streams[-1]) and not far_is_refused(follower, stream, int(lines[-1].split(" ")[0])):
                bad += 1
                print("%s: %s makes 2^31 ticks of one update" % (os.path.basename(stream), follower[0]))
    print("%d streams, %d followers, %d wrong" % (len(streams), len(followers), bad))
    return 1 if bad or len(streams) < 14 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
