#!/usr/bin/python3
"""Clients that never read and clients that read 1 KiB/s, beside healthy ones: memory, and what the healthy ones wait.

slow_readers.py COLLIDED PROTO_FOLDER [CLIENTS [SECONDS]]: so many of each kind (1,000), watched for so long (240). Fails if an
honest client is closed, or if one that never reads is not after 200 s. Prints figures; asserts no time.
"""
import os
import random
import resource
import select
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "integration"))
from outside_wire import Connection, Daemon  # noqa: E402

HEALTHY, RATE, COMING = 20, 1024, 20
SCENE = {"circles": [dict(x=2.0 * i, y=0.0, vx=1.0, radius=0.5) for i in range(100)]}


def make_schema(proto, folder):
    subprocess.run(["protoc", "-I", proto, "--python_out", folder, "collide/v1/collide.proto"], check=True)
    sys.path.insert(0, folder)
    from collide.v1 import collide_pb2
    return collide_pb2


def status_kib(pid, field):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(field))


def kernel_kib():
    """What all TCP sockets of this machine hold, both ends of ours: pages of 4 KiB."""
    with open("/proc/net/sockstat", encoding="ascii") as file:
        return next(int(line.split()[-1]) * 4 for line in file if line.startswith("TCP:"))


class Slow:
    """Asks for frames without end, and reads so many bytes a second."""

    def __init__(self, daemon, schema, host, rate):
        self.rate, self.read, self.ended = rate, 0, False
        connection = Connection(daemon.port, schema, source=host)
        connection.send(simulate={"scene": SCENE, "dt": 1 / 64, "ticks": 10**7, "every": 1})
        self.socket = connection.socket
        self.begin = time.monotonic()

    def sip(self, now):
        wanted = int((now - self.begin) * self.rate) - self.read
        if wanted < 256 or self.ended:
            return
        try:
            count = len(self.socket.recv(wanted, socket.MSG_DONTWAIT))
        except BlockingIOError:
            return
        except ConnectionResetError:
            count = 0
        self.ended = count == 0
        self.read += count


def ask_all(healthy, waits):
    for connection in healthy:
        begin = time.monotonic()
        assert connection.simulate(scene=SCENE, dt=1 / 64, ticks=2, every=1)[1].WhichOneof("reply") == "simulate_done"
        waits.append(time.monotonic() - begin)


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))] * 1000


def run(daemon, schema, clients, seconds):
    pid = daemon.process.pid
    healthy = [Connection(daemon.port, schema, source=f"127.0.1.{1 + i}") for i in range(HEALTHY)]
    alone, coming, beside = [], [], []
    for _ in range(50):
        ask_all(healthy, alone)
    before, kernel_before = status_kib(pid, "VmRSS"), kernel_kib()
    never = [Slow(daemon, schema, f"127.0.2.{1 + i % 100}", 0) for i in range(clients)]
    print(f"never-readers: RSS {(status_kib(pid, 'VmRSS') - before) / clients:.0f} KiB each, kernel (both ends) "
          f"{(kernel_kib() - kernel_before) / clients:.0f} KiB each", flush=True)
    slow = [Slow(daemon, schema, f"127.0.3.{1 + i % 100}", RATE) for i in range(clients)]
    begin = time.monotonic()
    while (now := time.monotonic()) < begin + seconds:
        random.Random(1).shuffle(slow)
        for client in slow:
            client.sip(now)
        ask_all(healthy, coming if now < begin + COMING else beside)
    both = status_kib(pid, "VmHWM") - before
    closed = sum(client.ended for client in slow)
    stalled = len(select_closed(never))
    for name, waits in (("alone", alone), (f"in the first {COMING} s, while they fill", coming), ("after that", beside)):
        print(f"healthy, {name}: p50 {percentile(waits, .5):.2f}, p99 {percentile(waits, .99):.2f} ms of {len(waits)} requests")
    print(f"RSS at most {both / 1024:.0f} MiB more, for {2 * clients} slow clients: {both / 2 / clients:.0f} KiB each")
    print(f"closed: {closed} of {clients} readers of {RATE} B/s, {stalled} of {clients} that never read", flush=True)
    assert closed == 0, "an honest client was closed"
    assert daemon.process.poll() is None
    return stalled


def select_closed(never):
    """Of those that never read, the ones with a connection that the daemon has broken off."""
    poll = select.poll()
    for client in never:
        poll.register(client.socket, 0)
    return [fd for fd, events in poll.poll(0) if events & (select.POLLHUP | select.POLLERR)]


def main():
    program, proto = sys.argv[1:3]
    clients, seconds = int(sys.argv[3]) if len(sys.argv) > 3 else 1000, int(sys.argv[4]) if len(sys.argv) > 4 else 240
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with tempfile.TemporaryDirectory() as folder:
        schema = make_schema(proto, folder)
        daemon = Daemon(program, "--connections-max", str(2 * clients + 100), "--connections-per-address-max", "0",
                        "--requests-under-way-max", str(4 * clients + 100), "--shutdown-grace-ms", "0", "--log-level", "warning")
        try:
            stalled = run(daemon, schema, clients, seconds)
            assert seconds < 200 or stalled == clients, "a client that never reads is still there"
        finally:
            daemon.stop()


if __name__ == "__main__":
    main()
