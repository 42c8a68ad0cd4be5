#!/usr/bin/env python3
"""outside_wrong.py COLLIDED COLLIDE: every wrong invocation of wrong_use.txt ends with its status and says its message, to the letter.

TESTS_ZSTD=OFF in the environment: the command was built so, and says that where others read a compressed file.

With --print it prints the table anew, for a reader to judge.
"""
import os
import shlex
import struct
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAMS = {"collided": os.path.abspath(sys.argv[1]), "collide": os.path.abspath(sys.argv[2])}
TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "wrong_use.txt")
WORK = tempfile.TemporaryDirectory()
WITH_ZSTD = os.environ.get("TESTS_ZSTD", "ON") != "OFF"
WITHOUT = "without zstd: "
FORBIDDEN = "18446744073709551615"


def environment(extra=()):
    names = ("PATH", "HOME", "LANG", "LC_ALL")
    kept = {name: os.environ[name] for name in os.environ if name in names or name.endswith("SAN_OPTIONS")}
    return kept | {"LC_ALL": "C"} | dict(extra)


def run(line):
    words = shlex.split(line)
    extra = {}
    while "=" in words[0]:
        name, value = words.pop(0).split("=", 1)
        extra[name] = value
    return subprocess.run([PROGRAMS[words[0]], *words[1:]], env=environment(extra.items()), cwd=WORK.name, stdin=subprocess.DEVNULL,
                          capture_output=True, check=False, timeout=600)


def write(name, content):
    with open(os.path.join(WORK.name, name), "wb") as file:
        file.write(content)


def wad(*maps):
    """Map markers with an empty THINGS each."""
    names = [lump for name in maps for lump in (name, "THINGS", "LINEDEFS", "VERTEXES")]
    directory = b"".join(struct.pack("<II8s", 12, 0, name.encode()) for name in names)
    return struct.pack("<4sII", b"PWAD", len(names), 12) + directory


def files_make():
    write("scene.json", b'{"circles": [{"radius": 1, "vx": 2}], "segments": [{"x1": 3, "y1": -9, "x2": 3, "y2": 9}]}\n')
    write("pairs.json", b'{"pairs": {"a": {"radius": [1]}, "circles": {"x": [1], "radius": [1]}}, "pushOut": {}}\n')
    write("typo.json", b'{"circles": [{"raduis": 1}]}\n')
    write("words.json", b'{"gravity": -9.81, "circles": [{"radius": 1}]}\n')
    write("value.json", b'{"circles": [{"radius": 1, "kind": "BODY_KIND_STATC"}]}\n')
    write("cut.json", b'{"circles": [\n')
    write("map.wad", wad("E1M1", "E1M2"))
    for line in ("collide run scene.json --local --ticks 4 --every 2 --format none --record run.bin",
                 "collide run scene.json --local --ticks 4 --format none --save half.state"):
        done = run(line)
        assert done.returncode == 0, done.stderr
    world_record()


def waits_for(name):
    path, end = os.path.join(WORK.name, name), time.monotonic() + 600
    while not os.path.exists(path) or os.path.getsize(path) == 0:
        assert time.monotonic() < end, name
        time.sleep(0.02)


def world_record():
    """world.rec: ticks 0 to 4 of a world. cut.rec: without its last byte."""
    daemon = subprocess.Popen([PROGRAMS["collided"], "--listen", "127.0.0.1:0", "--port-file", "port"], cwd=WORK.name,
                              env=environment(), stderr=subprocess.DEVNULL)
    try:
        waits_for("port")
        with open(os.path.join(WORK.name, "port"), encoding="utf-8") as port:
            extra = {"COLLIDE_CONNECT": "127.0.0.1:" + port.read().strip()}
        words = [PROGRAMS["collide"], "world"]
        about = {"cwd": WORK.name, "env": environment(extra.items()), "stdout": subprocess.DEVNULL, "check": True, "timeout": 60}
        subprocess.run([*words, "create", "scene.json", "--name", "w", "--clock", "client", "-k", "w.secret"], **about)
        recorder = subprocess.Popen([*words, "record", "w", "-k", "w.secret", "-o", "world.rec", "-n", "4", "-e", "1"],
                                    cwd=WORK.name, env=environment(extra.items()), stdout=subprocess.DEVNULL)
        waits_for("world.rec")
        subprocess.run([*words, "step", "w", "-k", "w.secret", "-n", "4"], **about)
        assert recorder.wait(600) == 0
    finally:
        daemon.terminate()
        daemon.wait(600)
    with open(os.path.join(WORK.name, "world.rec"), "rb") as whole:
        write("cut.rec", whole.read()[:-1])
    write("other.rec", b"\x04\x08\x01\x2a\x00")
    write("short.zst", b"\x28\xb5\x2f\xfd\x24")
    write("noise.zst", b"\x28\xb5\x2f\xfd" + bytes(range(255, 200, -1)))


def cases():
    """(line, status, text) of the table."""
    found = []
    with open(TABLE, encoding="utf-8") as file:
        for line in file:
            if line.startswith(WITHOUT):
                if not WITH_ZSTD:
                    status, _, text = line[len(WITHOUT):].partition(": ")
                    found[-1][1:] = int(status), text
            elif line.startswith("$ "):
                found.append([line[2:].rstrip("\n"), None, ""])
            elif found and not line.startswith("#") and line.strip():
                if found[-1][1] is None:
                    status, _, line = line.partition(": ")
                    found[-1][1] = int(status)
                found[-1][2] += line
    return [tuple(case) for case in found]


class Wrong(unittest.TestCase):
    def test_table(self):
        files_make()
        table = cases()
        self.assertGreaterEqual(len(table), 60)
        for line, status, text in table:
            done = run(line)
            with self.subTest(line):
                self.assertEqual((done.returncode, done.stderr.decode()), (status, text))
                self.assertNotIn(FORBIDDEN, text)
                self.assertTrue(status != 2 or done.stdout == b"", "what is used wrongly prints nothing else")

    @unittest.skipIf(WITH_ZSTD, "the command was built with zstd")
    def test_a_file_stays_as_it_is(self):
        """What cannot be written does not empty what was there."""
        for name, more in ("kept.rec.zst", ()), ("kept.rec", ("--zstd",)):
            write(name, b"kept")
            done = run(shlex.join(["collide", "world", "record", "w", "-o", name, *more]))
            self.assertEqual((done.returncode, done.stderr.decode()), (
                1, f"collide world record: {name}: this program was built without zstd (-DCOLLIDED_ZSTD=OFF)\n"))
            with open(os.path.join(WORK.name, name), "rb") as file:
                self.assertEqual(file.read(), b"kept")


if "--print" in sys.argv:
    files_make()
    for wrong, _, _ in cases():
        ended = run(wrong)
        print(f"$ {wrong}\n{ended.returncode}: {ended.stderr.decode()}", end="" if ended.stderr else "\n")
else:
    unittest.main(argv=sys.argv[:1])
