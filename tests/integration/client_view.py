"""client_view.py COLLIDE COLLIDED: `collide view` and `collide watch --format view` in a pseudo terminal: what they show, what their keys
do, and that the terminal is afterwards as before, however they end."""
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

COLLIDE, COLLIDED = sys.argv.pop(1), sys.argv.pop(1)
WORK = tempfile.TemporaryDirectory()
PATIENCE = 600  # seconds; only what hangs waits so long
LEAVE = b"\x1b[?1049l"
SLOWLY = ("--speed", "1/16")  # what takes two seconds is not over before a key is pressed

# One circle that crosses a box of 40 by 20 in two seconds.
SCENE = {"circles": [{"id": 7, "x": 4, "y": 10, "vx": 16, "radius": 1.5}],
         "segments": [{"x2": 40}, {"x1": 40, "x2": 40, "y2": 20}, {"x1": 40, "y1": 20, "y2": 20}, {"y1": 20}]}


def scene_file():
    path = os.path.join(WORK.name, "scene.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(SCENE, file)
    return path


class Screen:
    """As much of a terminal as the view uses: cells, and where the cursor is."""

    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.clear()

    def clear(self):
        self.cells = [[" "] * self.columns for _ in range(self.rows)]
        self.row = self.column = 0

    def take(self, text):
        for match in re.finditer(r"\x1b\[([?0-9;]*)([A-Za-z])|([^\x1b])", text):
            if match[3] is not None:
                if self.row < self.rows and self.column < self.columns:
                    self.cells[self.row][self.column] = match[3]
                self.column += 1
            elif match[2] == "H":
                row, column = (match[1] or "1;1").split(";")
                self.row, self.column = int(row) - 1, int(column) - 1
            elif match[2] == "J":
                self.clear()
            elif match[2] == "K":
                self.cells[self.row][self.column:] = [" "] * (self.columns - self.column)

    def status(self):
        return "".join(self.cells[self.rows - 1])

    def seconds(self):
        found = re.search(r"([\d.]+) / ([\d.]+) s", self.status())
        return float(found[1]) if found else None

    def dots(self):
        """Cells with dots away from the box: the circle."""
        return [(row, column) for row in range(3, self.rows - 5) for column in range(3, self.columns - 3)
                if "\u2801" <= self.cells[row][column] <= "\u28ff"]


class View:
    def __init__(self, *words, command="view", rows=24, columns=80, term="xterm-256color", stdin=None, shell=(), **environment):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.before = termios.tcgetattr(slave)
        self.slave, self.screen, self.bytes = slave, Screen(rows, columns), b""

        def own_terminal():
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        self.process = subprocess.Popen([*shell, COLLIDE, command, *words], stdin=slave if stdin is None else stdin, stdout=slave, stderr=slave,
                                        preexec_fn=own_terminal, env={**os.environ, "TERM": term, **environment})

    def read(self, wait=0.05):
        """What there is, or has come within so long. True: no more can come."""
        while select.select([self.master], [], [], wait)[0]:
            try:
                data = os.read(self.master, 65536)
            except OSError:
                return True
            self.bytes += data
            self.screen.take(data.decode(errors="replace"))
            wait = 0
        return False

    def until(self, condition, what):
        end = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > end:
                raise AssertionError(f"not so: {what}\n" + "\n".join("".join(row) for row in self.screen.cells))
            self.read()

    def keys(self, text):
        os.write(self.master, text.encode())

    def resize(self, rows, columns):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.screen = Screen(rows, columns)

    def finish(self):
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < end:
            self.read()
        if self.process.poll() is None:
            self.process.kill()
        status = self.process.wait()
        modes = termios.tcgetattr(self.slave)
        os.close(self.slave)
        # The kernel hands on what was written last when it has time: up to the error that says that nothing can write any more.
        while not self.read() and time.monotonic() < end:
            pass
        os.close(self.master)
        return status, modes


class Shown(unittest.TestCase):
    def start(self, *words, **more):
        view = View(scene_file(), "--local", "--ticks", "120", *words, **more)
        view.until(lambda: view.screen.seconds() is not None, "the first frame")
        return view

    def quit(self, view, status=0):
        ended, modes = view.finish()
        self.assertEqual(ended, status)
        self.assertEqual(modes, view.before)
        self.assertTrue(view.bytes.rstrip().endswith(LEAVE), view.bytes[-80:])

    def test_plays_pauses_steps_scrubs(self):
        view = self.start(*SLOWLY)
        screen = view.screen
        view.until(lambda: screen.seconds() > 0.05, "it plays by itself")
        view.keys(" ")
        view.until(lambda: "‖" in screen.status(), "it pauses")
        view.keys("\x1b[H")
        view.until(lambda: screen.seconds() == 0, "the start")
        left = min(column for _, column in screen.dots())
        view.keys(".")
        view.until(lambda: screen.seconds() == 0.017, "one tick")
        view.keys("...")
        view.until(lambda: screen.seconds() == 0.067, "three more")
        view.keys(",")
        view.until(lambda: screen.seconds() == 0.05, "one back")
        view.keys("5")
        view.until(lambda: screen.seconds() == 1, "the middle")
        # After one second the circle is 16 to the right, of 40 that are 80 columns or less.
        width = max(column for column in range(80) if screen.cells[10][column] != " ") - min(
            column for column in range(80) if screen.cells[10][column] != " ")
        moved = min(column for _, column in screen.dots()) - left
        self.assertAlmostEqual(moved / width, 16 / 40, delta=0.03)
        view.keys("\x1b[C")
        view.until(lambda: screen.seconds() == 1.04, "scrubbed")
        view.keys("\x1b[F")
        view.until(lambda: screen.seconds() == 2, "the end")
        view.keys(" ")
        view.until(lambda: "▶" in screen.status() and screen.seconds() < 1.9, "from the start again")
        view.keys("\x1b[B")
        view.until(lambda: "1/64×" in screen.status(), "slower")
        view.keys("q")
        self.quit(view)

    def test_stops_at_the_end(self):
        view = self.start("--speed", "8")
        view.until(lambda: view.screen.seconds() == 2 and "‖" in view.screen.status(), "the end")
        view.keys("q")
        self.quit(view)

    def test_resizes(self):
        view = self.start(*SLOWLY)
        view.keys(" 5")
        view.until(lambda: view.screen.seconds() == 1, "the middle")
        view.resize(12, 40)
        view.until(lambda: view.screen.seconds() == 1 and len(view.screen.dots()) > 0, "drawn anew")
        view.resize(2, 9)
        view.keys("q")
        self.quit(view)

    def test_every_end_restores_the_terminal(self):
        for number, status in (signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 143), (signal.SIGQUIT, 143):
            view = self.start()
            view.process.send_signal(number)
            self.quit(view, status)
        view = self.start()
        view.keys("\x03")  # Ctrl-C, which the terminal makes a signal
        self.quit(view, 130)

    def test_stopped_and_continued(self):
        """In a shell, which goes on with its next command when what it runs stops."""
        script = 'set -m; "$@"; echo STOPPED; read line; fg >/dev/null'
        view = self.start("--speed", "1/64", shell=("/bin/sh", "-c", script, "sh"))
        view.keys("\x1a")
        view.until(lambda: b"STOPPED" in view.bytes, "stopped")
        self.assertEqual(termios.tcgetattr(view.slave), view.before)
        self.assertLess(view.bytes.index(LEAVE), view.bytes.index(b"STOPPED"))
        view.screen.clear()
        view.keys("\n")
        view.until(lambda: view.screen.seconds() is not None and len(view.screen.dots()) > 0, "it goes on")
        view.keys("q")
        self.quit(view)

    def test_colours(self):
        for environment, sequence in ({"COLORTERM": "truecolor"}, b"\x1b[38;2;"), ({"COLORTERM": ""}, b"\x1b[38;5;"), (
                {"NO_COLOR": "1"}, None):
            view = self.start(**environment)
            view.keys("q")
            self.quit(view)
            if sequence is None:
                self.assertNotIn(b"\x1b[38;", view.bytes)
            else:
                self.assertIn(sequence, view.bytes)

    def test_a_recording_and_stdin(self):
        recording = os.path.join(WORK.name, "run.bin")
        subprocess.run([COLLIDE, "run", scene_file(), "--local", "--ticks", "120", "--every", "7", "--format", "none", "--record", recording],
                       check=True, capture_output=True)
        for path in recording, scene_file():
            with open(path, "rb") as file:
                view = View("-", "--local", "--ticks", "120", *SLOWLY, stdin=file)
                view.until(lambda: view.screen.seconds() is not None, path)
                view.keys(" 5")
                view.until(lambda: view.screen.seconds() == 1, path)
                view.keys("q")
                self.quit(view)


class Refused(unittest.TestCase):
    def test_without_a_terminal(self):
        done = subprocess.run([COLLIDE, "view", scene_file(), "--local"], capture_output=True, check=False, start_new_session=True)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, rb"^collide view: it draws on a terminal, and stdout is none")
        self.assertEqual(done.stdout, b"")

    def test_a_dumb_terminal(self):
        view = View(scene_file(), "--local", term="dumb")
        status, modes = view.finish()
        self.assertEqual((status, modes), (2, view.before))
        self.assertIn(b"TERM is dumb", view.bytes)

    def test_what_is_no_scene(self):
        view = View(os.path.join(WORK.name, "none.json"), "--local")
        status, modes = view.finish()
        self.assertEqual((status, modes), (2, view.before))


class Live(unittest.TestCase):
    """A world of a daemon, stepped by this test."""

    def setUp(self):
        port = os.path.join(WORK.name, "port")
        self.daemon = subprocess.Popen([COLLIDED, "--listen", "127.0.0.1:0", "--port-file", port], stderr=subprocess.DEVNULL)
        self.addCleanup(self.stop)
        while not os.path.exists(port) or os.path.getsize(port) == 0:
            self.assertIsNone(self.daemon.poll())
            time.sleep(0.01)
        with open(port, encoding="ascii") as file:
            self.address = "127.0.0.1:" + file.read().strip()
        self.secret = os.path.join(WORK.name, "secret")
        self.collide("world", "create", scene_file(), "--name", "seen", "--clock", "client", "--secret-file", self.secret)

    def stop(self):
        self.daemon.terminate()
        self.daemon.wait(PATIENCE)

    def collide(self, *words):
        subprocess.run([COLLIDE, *words, "--connect", self.address], check=True, stdout=subprocess.DEVNULL)

    def test_moves_as_the_world_does(self):
        view = View("seen", "--secret-file", self.secret, "--every", "1", "--format", "view", command="watch", COLLIDE_CONNECT=self.address)
        screen = view.screen
        view.until(lambda: "tick 0  1 circles" in screen.status() and screen.dots(), "the key")
        left = min(column for _, column in screen.dots())
        self.collide("world", "step", "seen", "-n", "60", "--secret-file", self.secret)
        view.until(lambda: "tick 60 " in screen.status(), "a second later")
        width = max(column for column in range(80) if screen.cells[10][column] != " ") - min(
            column for column in range(80) if screen.cells[10][column] != " ")
        view.until(lambda: abs((max(column for _, column in screen.dots()) - left) / width - 19 / 40) < 0.05, "it has moved by 16, and is 3 wide")
        view.keys("q")
        status, modes = view.finish()
        self.assertEqual((status, modes), (0, view.before))
        self.assertTrue(view.bytes.rstrip().endswith(LEAVE), view.bytes[-80:])

    def test_the_walls_of_its_map(self):
        """A room of a map that no stream tells of is drawn all the same, and so is what the world has of it otherwise."""
        corners = ((-20, -10), (20, -10), (20, 10), (-20, 10))
        box = [{"id": i, "x1": a[0], "y1": a[1], "x2": b[0], "y2": b[1]}
               for i, (a, b) in enumerate(zip(corners, corners[1:] + corners[:1]))]
        for name, scene in (("yard", {"segments": box}), ("ball", {"circles": [{"x": 0, "y": 0, "radius": 1}]})):
            with open(os.path.join(WORK.name, name + ".json"), "w", encoding="ascii") as file:
                json.dump(scene, file)
        self.collide("map", "create", os.path.join(WORK.name, "yard.json"), "--name", "yard")
        secret = self.secret + "-yard"
        self.collide("world", "create", os.path.join(WORK.name, "ball.json"), "--map", "yard", "--name", "roomy", "--secret-file", secret)
        for stream in ("states", "paths"):
            view = View("roomy", "--secret-file", secret, "--format", "view", "--stream", stream, command="watch",
                        COLLIDE_CONNECT=self.address)
            screen = view.screen
            view.until(lambda screen=screen: "1 circles" in screen.status() and screen.dots(), "the key")
            # It fits the walls: the room is as wide as the screen, and the ball is small in its middle.
            drawn = [column for row in screen.cells[:-1] for column, cell in enumerate(row) if cell != " "]
            self.assertLess(min(drawn), 2)
            self.assertGreater(max(drawn), 77)
            self.assertTrue(all(30 < column < 50 for _, column in screen.dots()), screen.dots())
            view.keys("q")
            self.assertEqual(view.finish()[0], 0)

    def test_a_region_goes_with_the_view(self):
        """Of 120 circles in a row those are sent that the picture shows; moved and zoomed, others."""
        row = {"circles": [{"id": i + 1, "x": 8 * i, "y": 0, "radius": 1} for i in range(120)]}
        path = os.path.join(WORK.name, "row.json")
        with open(path, "w", encoding="ascii") as file:
            json.dump(row, file)
        self.collide("world", "create", path, "--name", "row", "--secret-file", self.secret + "-row")
        words = ("row", "--secret-file", self.secret + "-row", "--format", "view", "--stream", "paths", "--region", "view")
        view = View(*words, command="watch", COLLIDE_CONNECT=self.address)

        def count():
            found = re.search(r"(\d+) circles", view.screen.status())
            return int(found.group(1)) if found else 0

        view.until(lambda: count() == 120, "all of them")
        view.keys("+" * 10)
        view.until(lambda: 5 <= count() < 60, "fewer")
        view.keys("l" * 40)
        view.until(lambda: count() == 0, "beyond the end of the row")
        view.keys("0")
        view.until(lambda: count() == 120 and view.screen.dots(), "all of them, made to fit")
        view.keys("q")
        self.assertEqual(view.finish()[0], 0)

    def test_a_recording(self):
        """What was recorded of the world is shown from the tick that is asked for."""
        path = os.path.join(WORK.name, "seen.rec" if os.environ.get("TESTS_ZSTD") == "OFF" else "seen.rec.zst")
        recorder = subprocess.Popen([COLLIDE, "world", "record", "seen", "--secret-file", self.secret, "-o", path, "-n", "60", "-e", "1",
                                     "--connect", self.address], stdout=subprocess.DEVNULL)
        while not os.path.exists(path) or os.path.getsize(path) == 0:
            self.assertIsNone(recorder.poll())
            time.sleep(0.01)
        self.collide("world", "step", "seen", "-n", "60", "--secret-file", self.secret)
        self.assertEqual(recorder.wait(PATIENCE), 0)
        lefts = []
        for at, seconds in ((0, "1.000 s"), (30, "0.500 s")):
            view = View(path, "--at", str(at), *SLOWLY)
            view.until(lambda view=view: view.screen.seconds() is not None, "the first frame")
            view.keys(" \x1b[H")
            view.until(lambda view=view: view.screen.seconds() == 0 and view.screen.dots(), "the start")
            self.assertIn(f"0.000 / {seconds}", view.screen.status())
            lefts.append(min(column for _, column in view.screen.dots()))
            view.keys("q")
            self.assertEqual(view.finish(), (0, view.before))
        # The box is 40 wide, and nearly as wide as the screen of 80 columns; half a second is a way of 8.
        self.assertAlmostEqual(16, lefts[1] - lefts[0], delta=2)

    def test_the_worlds_end(self):
        view = View("seen", "--secret-file", self.secret, "--format", "view", command="watch", COLLIDE_CONNECT=self.address)
        view.until(lambda: "tick 0  1 circles" in view.screen.status(), "the key")
        self.collide("world", "rm", "seen", "--secret-file", self.secret)
        status, modes = view.finish()
        self.assertEqual((status, modes), (3, view.before))
        self.assertIn(b"WORLD_GONE", view.bytes)


if __name__ == "__main__":
    unittest.main()
