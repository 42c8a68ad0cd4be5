"""What an operator does to the daemon: signals, settings, logs, closed descriptors."""
import ctypes
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from outside_client import PROGRAM, circle, generated_schema
from outside_wire import DEADLINE_SECONDS, Closed, Connection, Daemon

PR_CAPBSET_DROP, CAP_SYS_NICE = 24, 23 # linux/prctl.h, linux/capability.h

ENDLESS = {"scene": {"circles": [circle(-1, 0, vx=1.0)]}, "dt": 1 / 64, "ticks": 10**7, "every": 10**7}


def wait_for(condition, seconds=DEADLINE_SECONDS):
    """What it returns, once that is true."""
    until = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.01)
    return found


def ended(process):
    """The status of a process that is told to end. ThreadSanitizer keeps a signal that comes just before the loop sleeps until the
    loop does something, so it may have to be told again."""
    process.terminate()
    try:
        return process.wait(DEADLINE_SECONDS)
    except subprocess.TimeoutExpired:
        process.terminate()
        return process.wait(DEADLINE_SECONDS)


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


class Operator(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.classes = tempfile.TemporaryDirectory()
        cls.schema = generated_schema(cls.classes.name)

    @classmethod
    def tearDownClass(cls):
        cls.classes.cleanup()

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def start(self, *flags):
        daemon = Daemon(PROGRAM, *flags)
        self.addCleanup(daemon.stop)
        return daemon

    def connect(self, daemon, hello=True):
        connection = Connection(daemon.port, self.schema, hello)
        self.addCleanup(connection.close)
        return connection

    def usable(self, connection):
        self.assertEqual(connection.ask(ping={"payload": b"ok"}).pong.payload, b"ok")

    def test_closed_descriptors_stay_closed(self):
        for closed in ((0,), (1,), (2,), (0, 1, 2)):
            port_file = self.path("port" + str(len(closed)) + str(closed[0]))
            redirections = " ".join(f"{number}>&-" for number in closed)
            with self.subTest(closed=closed), subprocess.Popen(
                    ["sh", "-c", f'exec "$@" {redirections}', "sh", PROGRAM, "--listen", "127.0.0.1:0", "--port-file", port_file,
                     "--log-level", "debug"], stderr=subprocess.DEVNULL) as process:
                port = int(wait_for(lambda path=port_file: read(path)))
                with Connection(port, self.schema) as connection:
                    # A log line in between would be in one of its descriptors.
                    process.send_signal(signal.SIGUSR1)
                    for _ in range(3):
                        self.usable(connection)
                    numbers = sorted(int(number) for number in os.listdir(f"/proc/{process.pid}/fd"))
                    self.assertEqual(numbers[:3], [0, 1, 2])
                    for number in closed:
                        self.assertEqual(os.readlink(f"/proc/{process.pid}/fd/{number}"), "/dev/null")
                process.terminate()
                self.assertEqual(process.wait(DEADLINE_SECONDS), 0)

    def test_realtime_is_said_to_be_had_or_not(self):
        said = "event=\"ticks that are due have %s priority\""
        # A process that may not, whatever this one may: as root by its capabilities, else by its limit.
        def forbid():
            ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_SYS_NICE, 0, 0, 0)
            resource.setrlimit(resource.RLIMIT_RTPRIO, (0, 0))
        daemon = Daemon(PROGRAM, "--realtime", "1", before=forbid)
        self.addCleanup(daemon.stop)
        self.assertIn("level=warning " + said % "no real-time", daemon.log_text())
        self.assertIn('needs="CAP_SYS_NICE or RLIMIT_RTPRIO 3"', daemon.log_text())
        self.usable(self.connect(daemon))
        asked = "import os; os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))"
        may = subprocess.run([sys.executable, "-c", asked], stderr=subprocess.DEVNULL, check=False).returncode == 0
        daemon = self.start("--realtime", "1")
        self.assertIn(said % ("real-time" if may else "no real-time"), daemon.log_text())
        self.usable(self.connect(daemon))
        # The loop has it too, while it keeps to its share; threads that it makes do not. By default none of it is said.
        policy = os.SCHED_RR | os.SCHED_RESET_ON_FORK if may else os.SCHED_OTHER
        looker = self.connect(daemon)

        def has_policy():
            self.usable(looker)
            return os.sched_getscheduler(daemon.process.pid) == policy
        wait_for(has_policy)
        self.assertNotIn("real-time", self.start().log_text())

    def test_hangup_reads_settings_again_and_opens_the_log_again(self):
        log, old = self.path("log"), self.path("log.1")
        config = self.write("config", f"log-file = {log}\n")
        daemon = self.start("--config", config, "--shutdown-grace-ms", "0")
        connection = self.connect(daemon)
        self.assertIn("event=ready", read(log))
        os.rename(log, old)
        self.write("config", f"log-file = {log}\nlog-level = debug\nrequests-per-account-max = 1\nworkers = 7\n"
                             "account-weights = 127.0.0.1=3\n")
        daemon.process.send_signal(signal.SIGHUP)
        wait_for(lambda: "settings read again" in read(log))
        self.assertIn('event="this setting has changed, and applies from the next start on" name=workers', read(log))
        self.assertNotIn("again", read(old))
        # The level and the quota apply, and what the connection was told still does.
        self.connect(daemon, hello=False).close()
        wait_for(lambda: 'level=debug event="connection closed"' in read(log))
        connection.send(simulate=ENDLESS)
        reply = connection.ask(simulate=ENDLESS)
        self.assertEqual(reply.error.reason, "OVER_SHARE")
        self.usable(connection)
        # What is wrong changes nothing.
        self.write("config", "log-level = error\nquest-max = 3\n")
        daemon.process.send_signal(signal.SIGHUP)
        wait_for(lambda: "the settings stay as they are" in read(log))
        self.assertIn(f"{config}:2: unknown setting", read(log))
        for number in (signal.SIGUSR2, signal.SIGALRM):
            daemon.process.send_signal(number)
        self.usable(connection)
        self.assertEqual(daemon.log_text(), "")

    def test_health_checks_are_not_logged_unless_asked(self):
        daemon = self.start()
        for hello in (False, True):
            connection = self.connect(daemon, hello)
            if hello:
                self.usable(connection)
            connection.close()
        used = self.connect(daemon)
        used.ask(describe={})
        used.close()
        wait_for(lambda: "connection closed" in daemon.log_text())
        self.assertEqual(daemon.log_text().count("connection closed"), 1)

    def test_lines_of_one_kind_are_limited_and_counted(self):
        daemon = self.start()
        stays = self.connect(daemon)  # for the clock to run

        def told():
            lines = [line for line in daemon.log_text().splitlines() if "left out" in line]
            return sum(int(line.rpartition("count=")[2]) for line in lines if 'of="connection closed"' in line)

        made = 0
        while made < 200 or not told():  # until there were more in a second than may be written
            daemon.process.send_signal(signal.SIGSTOP)  # so that it has them all at once, however slow this process is
            connections = [self.connect(daemon, hello=False) for _ in range(50)]
            for connection in connections:
                connection.send_bytes(b"GET / HTTP/1.1\r\n")
            daemon.process.send_signal(signal.SIGCONT)
            for connection in connections:
                connection.wait_closed()
                connection.close()
            made += len(connections)
        wait_for(lambda: told() + daemon.log_text().count('event="connection closed"') == made)
        self.usable(stays)

    def test_port_file_follows_no_link(self):
        victim, port_file = self.write("victim", "precious"), self.path("port")
        for link in (port_file, port_file + ".tmp"):
            os.symlink(victim, link)
        with subprocess.Popen([PROGRAM, "--listen", "127.0.0.1:0", "--port-file", port_file],
                              stderr=subprocess.DEVNULL) as process:
            wait_for(lambda: not os.path.islink(port_file))
            self.assertEqual(read(victim), "precious")
            Connection(int(read(port_file)), self.schema).close()
            process.terminate()
            self.assertEqual(process.wait(DEADLINE_SECONDS), 0)
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["port.tmp", "victim"])

    def test_other_machines_are_warned_of(self):
        # In a network of its own, where there are none.
        alone = ["unshare", "--user", "--map-root-user", "--net"]
        if subprocess.run([*alone, "true"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
            self.skipTest("no network of its own can be had")
        for host, warned in (("0.0.0.0", True), ("[::]", True)):
            log, port_file = self.path("log" + host), self.path("port" + host)
            with subprocess.Popen([*alone, PROGRAM, "--listen", host + ":0", "--port-file", port_file, "--log-file", log]) as process:
                wait_for(lambda path=port_file: read(path))
                wait_for(lambda path=log: "event=ready" in read(path))
                self.assertEqual(ended(process), 0)
            self.assertEqual("other machines can reach this port" in read(log), warned)
        self.assertNotIn("other machines", self.start().log_text())

    def test_an_upload_may_be_slow(self):
        # Of a connection that sends it in two halves and waits in between; the rate itself is a matter of test_session_slow.
        daemon = self.start("--frame-timeout-ms", "400")
        slow, silent = self.connect(daemon), self.connect(daemon)
        message = self.schema.ClientMessage(request_id=7, simulate={"dt": 1.0, "ticks": 1, "snapshot": bytes(64 << 10)})
        body = message.SerializeToString()
        framed = bytes([len(body) & 0x7F | 0x80, len(body) >> 7 & 0x7F | 0x80, len(body) >> 14]) + body
        slow.send_bytes(framed[:32 << 10])
        silent.send_bytes(framed[:8])
        with self.assertRaises(Closed):
            while True:  # the silent one's end takes longer than the other may pause without having sent something
                self.assertEqual(silent.receive().error.reason, "FRAME_TIMEOUT")
        slow.send_bytes(framed[32 << 10:])
        self.assertEqual(slow.receive().request_id, 7)
