#!/usr/bin/env python3
"""outside_command.py COLLIDED COLLIDE: the command when things end before their time: Ctrl-C, a daemon that goes away, a file that
cannot be written, a reader that has seen enough. What was found out until then is told, and the exit status is not 0."""
import json
import os
import pty
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

COLLIDED, COLLIDE = map(os.path.abspath, sys.argv[1:3])
WORK = tempfile.TemporaryDirectory()
# More than any machine does in the time of a test.
FOREVER = "10000000"


def path(name):
    return os.path.join(WORK.name, name)


class Daemon:
    def __enter__(self):
        port = path("port")
        self.process = subprocess.Popen([COLLIDED, "--listen", "127.0.0.1:0", "--port-file", port], stderr=subprocess.DEVNULL)
        while size(port) == 0:
            assert self.process.poll() is None
            time.sleep(0.01)
        with open(port, encoding="ascii") as file:
            self.address = f"127.0.0.1:{file.read().strip()}"
        os.unlink(port)
        return self

    def kill(self):
        self.process.kill()
        self.process.wait()

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(600)


def run(*words, scene=None, **more):
    return subprocess.run([COLLIDE, *map(str, words)], input=scene, capture_output=True, check=False, timeout=600, **more)


def start(*words):
    # As from a terminal: a shell that has put a test in the background lets SIGINT be ignored.
    return subprocess.Popen([COLLIDE, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(),
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))


def finish(process):
    """All the rest; communicate() would leave out what readline() has taken from the pipe already."""
    with process:
        return process.stdout.read(), process.stderr.read()


def until_answered(process):
    """Reads lines of progress until one tells that requests were answered, however slow the daemon is. Returns them all."""
    told = b""
    for line in process.stderr:
        told += line
        if re.match(rb" *[\d.]+ s +(?!0\.0/s)[\d.,]+/s ", line):
            return told
    raise AssertionError(f"it ended before: {told.decode()}")


def environment():
    return {name: value for name, value in os.environ.items() if name != "COLLIDE_CONNECT"}


def terminal(words, **variables):
    """What the command says to a terminal, on both of its streams."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([COLLIDE, *words], stdin=theirs, stdout=theirs, stderr=theirs,
                               env={name: value for name, value in environment().items() if name != "NO_COLOR"} | variables)
    os.close(theirs)
    told = b""
    try:
        while piece := os.read(ours, 65536):
            told += piece
    except OSError:
        pass  # Linux says so when the last writer is gone
    os.close(ours)
    process.wait(600)
    return told.decode().replace("\r\n", "\n")


def scene_file(*words):
    name = path("-".join(map(str, words)) + ".json")
    if not os.path.exists(name):
        made = run("gen", *words, "-o", name)
        assert made.returncode == 0, made.stderr
    return name


def size(name):
    return os.path.getsize(name) if os.path.exists(name) else 0


def summary_ticks(text):
    found = re.search(r"^ticks +([\d,]+) of [\d,]+ circles", text, re.M)
    return int(found[1].replace(",", "")) if found else None


class Interrupted(unittest.TestCase):
    def interrupt(self, number, *where):
        """Frames come; then the signal does."""
        picture = path("interrupted.svg")
        recording = path("interrupted.bin")
        process = start("run", scene_file("gas", "--count", 300), "--ticks", FOREVER, "--table", "ticks", "--certify", "--svg", picture, "--record",
                        recording, *where)
        first = [process.stdout.readline() for _ in range(5)]
        process.send_signal(number)
        out, err = finish(process)
        out = (b"".join(first) + out).decode()
        self.assertEqual(process.returncode, 128 + number, (out[-2000:], err))
        ticks = summary_ticks(out)
        self.assertGreaterEqual(ticks, 4)
        self.assertRegex(err.decode(), rf"interrupted after tick {ticks} of {FOREVER}\n")
        self.assertRegex(out, rf"(?m)^certificate +0 escapes, 0 overlaps, 0 jumps in {ticks} ticks and")
        # The last line of the table and the summary are of the same tick.
        hashes = re.findall(r"^ +\d+ +[\d.]+ .* ([0-9a-f]{16})$", out, re.M)
        self.assertEqual(len(hashes), ticks)
        self.assertRegex(out, rf"(?m)^state hash +{hashes[-1]}$")
        with open(picture, "rb") as file:
            self.assertIn(b"</svg>", file.read()[-20:])
        # And the recording is whole as far as it goes.
        replayed = run("replay", recording, "--format", "none")
        self.assertEqual(summary_ticks(replayed.stdout.decode()), ticks)
        self.assertIn(b"CANCELLED", replayed.stderr)
        self.assertEqual(replayed.returncode, 3)
        verified = run("verify", recording)
        self.assertEqual(verified.returncode, 0, verified)
        self.assertIn(f"{ticks} frames up to tick {ticks}, where the recording ends with CANCELLED", verified.stdout.decode())

    def test_in_this_process(self):
        for number in signal.SIGINT, signal.SIGTERM:
            self.interrupt(number, "--local")

    def test_with_a_daemon(self):
        with Daemon() as daemon:
            for number in signal.SIGINT, signal.SIGTERM:
                self.interrupt(number, "--connect", daemon.address)
            # It has given the work up, and goes on.
            self.assertEqual(run("ping", "--connect", daemon.address).returncode, 0)

    def test_before_the_first_frame(self):
        """The wait itself is interrupted, and a tick that would last."""
        with Daemon() as daemon:
            for where in ("--local",), ("--connect", daemon.address):
                record = path("waiting.bin")
                if os.path.exists(record):
                    os.unlink(record)
                process = start("run", scene_file("gas", "--count", 300), "--ticks", FOREVER, "--every", FOREVER, "--format", "none",
                                "--record", record, *where)
                while size(record) == 0 and process.poll() is None:  # its request has gone out, or its first part has come
                    time.sleep(0.01)
                process.send_signal(signal.SIGINT)
                out, err = finish(process)
                self.assertEqual(process.returncode, 130, err)
                self.assertEqual(out, b"")
                self.assertIn(b"interrupted", err)

    def test_a_second_one_ends_at_once(self):
        """Even while it waits for a reader: a frame of so many circles does not fit a pipe."""
        process = start("run", scene_file("gas", "--count", 3000), "--ticks", FOREVER, "--format", "json", "--local")
        process.stdout.read(1)
        while process.poll() is None:
            process.send_signal(signal.SIGINT)
            time.sleep(0.05)
        self.assertEqual(process.returncode, -signal.SIGINT)
        process.stdout.close()
        process.stderr.close()

    def test_one_that_was_ignored_stays_so(self):
        process = subprocess.Popen([COLLIDE, "run", scene_file("gas", "--count", 300), "--local", "--ticks", "2000", "--table", "ticks"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        out, err = finish(process)
        self.assertEqual((process.returncode, summary_ticks(out.decode())), (0, 2000), err)

    def test_bench(self):
        with Daemon() as daemon:
            process = start("bench", "-d", 600, "--warm-up", 0, "--ticks", 5, "--json", "--progress", "always", "--connect", daemon.address)
            until_answered(process)
            process.send_signal(signal.SIGINT)
            out, err = finish(process)
            self.assertEqual(process.returncode, 130, err)
            self.assertIn(b"interrupted after ", err)
            figures = json.loads(out)
            self.assertTrue(figures["stoppedEarly"])
            self.assertGreater(figures["requests"]["completed"], 0)
            self.assertGreater(figures["ping"]["response"]["count"], 0)
            self.assertLess(figures["seconds"], 60)


class DaemonGoesAway(unittest.TestCase):
    def test_run(self):
        with Daemon() as daemon:
            picture = path("gone.svg")
            process = start("run", scene_file("gas", "--count", 300), "--ticks", FOREVER, "--table", "ticks", "--connect", daemon.address, "--svg", picture)
            first = [process.stdout.readline() for _ in range(5)]
            daemon.kill()
            out, err = finish(process)
            out = (b"".join(first) + out).decode()
            self.assertEqual(process.returncode, 4, err)
            ticks = summary_ticks(out)
            self.assertGreaterEqual(ticks, 4)
            self.assertIn(f"after tick {ticks} of {FOREVER}", err.decode())
            self.assertGreater(size(picture), 1000)

    def test_bench(self):
        with Daemon() as daemon:
            process = start("bench", "-d", 600, "--warm-up", 0, "--ticks", 5, "-c", 3, "--progress", "always", "--connect", daemon.address)
            until_answered(process)
            daemon.kill()
            out, err = finish(process)
            self.assertEqual(process.returncode, 4, err)
            self.assertRegex(err.decode(), r"(?ms)^collide bench: .*the load ended after [\d.]+ s of 600 s\n")
            self.assertLessEqual(len(re.findall(rb"(?m)^collide", err)), 2, "said once")
            self.assertRegex(out.decode(), r"(?m)^requests +[\d,]+ begun, [1-9][\d,]* done,")
            self.assertRegex(out.decode(), r"(?m)^ping meanwhile +[\d.]+ ")


class Outputs(unittest.TestCase):
    def test_what_cannot_be_written_is_told_before_the_run(self):
        scene = scene_file("gas", "--count", 300)
        folder = path("folder")
        os.makedirs(folder, exist_ok=True)
        for option in "--png", "--svg", "--record":
            for bad in path("no/such/folder/file"), folder, scene + "/file":
                done = run("run", scene, "--local", "--ticks", FOREVER, option, bad)
                self.assertEqual((done.returncode, done.stdout), (1, b""), (option, bad))
                self.assertIn(bad, done.stderr.decode())
        done = run("replay", scene, "--png", path("no/such/file"))
        self.assertEqual(done.returncode, 1)

    def test_trying_leaves_no_trace(self):
        kept, new = path("kept"), path("new")
        with open(kept, "wb") as file:
            file.write(b"precious")
        for option in "--png", "--svg", "--record":
            for name in kept, new:
                # No server is there: nothing was run.
                done = run("run", scene_file("gas", "--count", 300), "--connect", "127.0.0.1:1", option, name)
                self.assertEqual(done.returncode, 4)
        with open(kept, "rb") as file:
            self.assertEqual(file.read(), b"precious")
        self.assertFalse(os.path.exists(new))

    def test_colours_on_a_terminal_only(self):
        with open(path("typo.json"), "w", encoding="ascii") as file:
            file.write('{"circles": [\n  {"radius": 1},\n  {"raduis": 1}]}\n')
        bold, red, mark, end = "\x1b[1m", "\x1b[1;31m", "\x1b[1;32m", "\x1b[0m"
        for words, coloured in ((("help", "run"), f"{bold}Options:{end}"), (("rnu",), f"{red}collide:{end} there is no command"),
                                (("run", "--tikcs"), f"{red}collide run:{end} there is"), (("check", path("typo.json")), f"{red}error:{end}"),
                                (("check", path("typo.json")), f"    {mark}^{end}")):
            plain = re.sub("\x1b[^m]*m", "", coloured)
            told = terminal(words, TERM="xterm")
            self.assertIn(coloured, told)
            for calm in {"TERM": "xterm", "NO_COLOR": "1"}, {"TERM": "dumb"}:
                self.assertNotIn("\x1b", terminal(words, **calm))
                self.assertIn(plain, terminal(words, **calm))
            piped = subprocess.run([COLLIDE, *words], capture_output=True, check=False, env=environment() | {"TERM": "xterm"})
            self.assertNotIn(b"\x1b", piped.stdout + piped.stderr)
        # The line of the mistake, with the mark under it; not in a pipe.
        self.assertIn('\n    {"raduis": 1}]}\n     ^\n', terminal(("check", path("typo.json")), TERM="dumb"))
        self.assertNotIn("^", run("check", path("typo.json")).stdout.decode())

    def test_a_file_on_stdout(self):
        scene = scene_file("break")
        for option, start_of_file in ("--png", b"\x89PNG\r\n"), ("--svg", b"<?xml"):
            done = run("run", scene, "--local", "--format", "none", option, "-", cwd=WORK.name)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(done.stdout.startswith(start_of_file))
            self.assertEqual(summary_ticks(done.stderr.decode()), 60)
        recorded = run("run", scene, "--local", "--format", "none", "--record", "-", cwd=WORK.name)
        for command in "verify", "decode", "replay":
            done = run(command, "-", scene=recorded.stdout)
            self.assertEqual((done.returncode, done.stderr), (0, b""), command)
        self.assertFalse(os.path.exists(path("-")))
        for words in ("--png", "-"), ("--png", "-", "--svg", "-", "--format", "none"), ("--record", "-", "--format", "json"):
            done = run("run", scene, "--local", *words, cwd=WORK.name)
            self.assertEqual((done.returncode, done.stdout), (2, b""), words)

    def test_a_reader_that_has_seen_enough(self):
        scene = scene_file("gas", "--count", 300)
        recording = path("reader.bin")
        self.assertEqual(run("run", scene, "--local", "--ticks", 300, "--format", "none", "--record", recording).returncode, 0)
        words = [("run", scene, "--local", "--ticks", FOREVER, "--table", "ticks"), ("run", scene, "--local", "--ticks", FOREVER, "--format", "json"),
                 ("decode", recording), ("replay", recording, "--format", "json"), ("gen", "gas", "--count", 50000), ("schema",),
                 ("detect", scene, "--local", "--dt", 100)]
        for ignored in False, True:
            for command in words:
                process = subprocess.Popen([COLLIDE, *map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                           restore_signals=not ignored)
                self.assertTrue(process.stdout.readline())
                process.stdout.close()
                err = process.stderr.read().decode()
                process.stderr.close()
                process.wait(600)
                # Ended by SIGPIPE and silent; where that is ignored, with one line. Little output may fit the pipe.
                if ignored:
                    self.assertLessEqual(len(re.findall("stdout: Broken pipe", err)), 2, command)
                    self.assertLessEqual(len(err.splitlines()), 20, (command, err))
                    self.assertIn(process.returncode, (0, 1), command)
                else:
                    self.assertEqual(err, "", command)
                    self.assertIn(process.returncode, (0, -signal.SIGPIPE), command)

    def test_closed_streams(self):
        """What the command opens must not take their numbers."""
        recording = path("closed.bin")
        with Daemon() as daemon:
            for closed in "<&-", ">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-":
                done = subprocess.run(["sh", "-c", f'"$@" {closed}', "sh", COLLIDE, "run", scene_file("break"), "--record", recording,
                                       "--connect", daemon.address], check=False, capture_output=True, timeout=600)
                self.assertEqual(done.returncode, 1 if ">&-" in closed.replace("2>&-", "") else 0, (closed, done))
                if ">&-" not in closed.replace("2>&-", ""):
                    self.assertEqual(run("verify", recording).returncode, 0, closed)


unittest.main(argv=sys.argv[:1] + sys.argv[3:])
