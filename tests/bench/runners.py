"""A runner's process and its protocol (runner.h)."""
import os
import select
import subprocess
import time

ANSWERS = {"load": "loaded", "step": "stepped", "trace": "traced", "work": "worked"}


class Failed(Exception):
    """The runner said that it cannot, or ended."""


class TooSlow(Failed):
    """No answer in time; the runner was killed."""


class Runner:
    """One process. Use it as a context: it is gone afterwards, whatever happened."""

    def __init__(self, command, start_seconds=60):
        self.notes, self.settings, self.version = [], [], ""
        self.buffer = b""
        # What engines print on stderr is not for us.
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            self.greet(time.monotonic() + start_seconds)
        except Failed:
            self.end()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        """Closes its input, at which it ends; one that is busy is killed."""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        try:
            self.process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()

    def line(self, deadline):
        """The next line of what it prints."""
        while b"\n" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                self.process.kill()
                raise TooSlow("no answer")
            got = os.read(self.process.stdout.fileno(), 1 << 16)
            if not got:
                raise Failed(f"the runner ended with status {self.process.wait()}")
            self.buffer += got
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line.decode(errors="replace")

    def greet(self, deadline):
        while (line := self.line(deadline)) != "ready":
            word, _, rest = line.partition(" ")
            if word == "runner":
                self.version = rest.partition(" ")[2]
            elif word == "setting":
                self.settings.append(rest)

    def ask(self, command, seconds):
        """The numbers of the answer. What else it prints is left aside."""
        try:
            self.process.stdin.write((command + "\n").encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Failed(f"the runner ended with status {self.process.wait()}") from None
        deadline, wanted = time.monotonic() + seconds, ANSWERS[command.split()[0]]
        while True:
            word, _, rest = self.line(deadline).partition(" ")
            if word == wanted:
                return [int(number) for number in rest.split()]
            if word == "error":
                raise Failed(rest)
            if word == "note" and rest not in self.notes:
                self.notes.append(rest)

    def peak_mib(self):
        """The most memory that it ever held."""
        try:
            with open(f"/proc/{self.process.pid}/status", encoding="ascii", errors="replace") as file:
                for line in file:
                    if line.startswith("VmHWM:"):
                        return int(line.split()[1]) / 1024
        except OSError:
            pass
        return None
