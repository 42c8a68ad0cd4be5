#!/usr/bin/python3
"""An owner of many worlds that means harm, beside another address: what that one's pings wait, and what memory is taken.

hostile_owner.py COLLIDED PROTO_FOLDER [SECONDS [ATTACK ...]]: each attack for so long (4), on a daemon of its own. Fails if the daemon
ends, is larger than --memory-total-bytes-max and 64 MiB more, or has no world for a third address afterwards. Prints figures; asserts no
time.
"""
import os
import select
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "integration"))
sys.path.insert(0, os.path.dirname(__file__))
from outside_talk import Seat, Talk  # noqa: E402
from outside_wire import Connection, Daemon, delimited  # noqa: E402
from slow_readers import make_schema, status_kib  # noqa: E402

MIB = 1 << 20
TOTAL, MORE = 192 * MIB, 64 * MIB
WORLDS, CONNECTIONS, SEATS, OUTCOMES = 2000, 100, 256, 256
OWNER, OTHER, THIRD = "127.0.0.2", "127.0.0.7", "127.0.0.9"
NEVER = (1 << 32) - 1


def gas(count):
    return {"circles": [dict(x=3.0 * (i % 100), y=3.0 * (i // 100), vx=1.0 + i % 7, vy=2.0 - i % 5, radius=1.0) for i in range(count)]}


def key(info):
    return dict(name=info.name, secret=info.owner_secret)


class Owner:
    def __init__(self, daemon, schema, seconds):
        self.daemon, self.schema, self.seconds = daemon, schema, seconds
        self.talk = self.connect()

    def connect(self, host=OWNER):
        return Talk(Connection(self.daemon.port, self.schema, source=host))

    def create(self, scene=None, policy=None, **more):
        policy = dict(dict(dt=1 / 60, clock=self.schema.CLOCK_CLIENT, seat_ttl_ms=NEVER, idle_ttl_ms=NEVER), **(policy or {}))
        return self.talk.ask(create_world=dict(scene=scene or gas(1), policy=policy, **more)).world_info

    def seats(self, count, **policy):
        """So many seats on the first connection, of as many worlds as that takes; their handles."""
        handles = []
        while len(handles) < count:
            info = self.create(policy=policy)
            handles += [self.attach(info).handle for _ in range(min(250, count - len(handles)))]
        return handles

    def attach(self, info, right=2):
        return Seat(self.talk, world=info.name, secret=info.owner_secret, right=right)

    def labelled(self):
        labels = [dict(key="%02d" % i + "k" * 62, value="v" * 64) for i in range(16)]
        for i in range(WORLDS):
            self.create(name="n" * 58 + "%06d" % i, labels=labels)

    def message(self, request_id, **request):
        return delimited(self.schema.ClientMessage(request_id=request_id, **request).SerializeToString())

    def flood(self, body, connections=1, reads=True):
        """Connections that say this again and again."""
        talks, left = [self.talk] + [self.connect() for _ in range(connections - 1)], {}
        sockets = [talk.connection.socket for talk in talks]
        for socket in sockets:
            socket.setblocking(False)
        until = time.monotonic() + self.seconds
        while time.monotonic() < until:
            readable, writable, _ = select.select(sockets if reads else [], sockets, [], 0.1)
            for socket in readable:
                socket.recv(1 << 18)
            for socket in writable:
                data = left.get(socket) or body
                try:
                    left[socket] = data[socket.send(data):]
                except BlockingIOError:
                    left[socket] = data

    def repeat(self, what):
        until = time.monotonic() + self.seconds
        while time.monotonic() < until:
            what()

    # What it does.

    def worlds_that_come_and_go(self):
        policy = dict(history_ticks=600, clock=self.schema.CLOCK_SERVER, tick_hz=1000, late=self.schema.LATE_RESIMULATE)
        self.repeat(lambda: self.talk.ask(destroy_world=key(self.create(policy=policy))))

    def lists_that_match_nothing(self):
        self.labelled()
        labels = [dict(key="%02d" % i + "k" * 62, value=("v" if i < 15 else "x") * 64) for i in range(16)]
        self.flood(self.message(9, list_worlds=dict(prefix="n" * 58, labels=labels)), CONNECTIONS)

    def lists_of_all(self):
        self.labelled()
        self.flood(self.message(9, list_worlds={}), CONNECTIONS)

    def lists_that_are_not_read(self):
        self.labelled()
        self.flood(self.message(9, list_worlds={}), CONNECTIONS, reads=False)

    def snapshots_that_are_not_read(self):
        infos = [self.create(gas(9000)) for _ in range(8)]
        self.flood(b"".join(self.message(9 + i, snapshot_world=key(info)) for i, info in enumerate(infos)), CONNECTIONS // 2, reads=False)

    def batches_of_many_seats(self):
        handle = self.seats(4000, clock=self.schema.CLOCK_PAUSED)[0]
        batches = [dict(handle=handle, sequence=99) for _ in range(256)]
        self.flood(self.message(0, many_commands=dict(batches=batches)))

    def settings(self):
        info = self.create(policy=dict(clock=self.schema.CLOCK_SERVER))
        self.flood(b"".join(self.message(9 + i, set_world=dict(clock=1 + i % 3, tick_hz=1 + i, **key(info))) for i in range(64)))

    def forks(self):
        info = self.create(gas(2000), policy=dict(history_ticks=600))
        self.repeat(lambda: self.talk.ask(fork_world=dict(world=info.name, secret=info.owner_secret)))

    def maps_that_are_dropped(self):
        segments = dict(x1=[3.0 * i for i in range(5000)], y1=[0.0], x2=[3.0 * i + 1 for i in range(5000)], y2=[1.0])

        def one():
            self.talk.ask(create_map=dict(name="m", segments=segments))
            self.create(map="m")
            self.talk.ask(drop_map=dict(name="m"))
        self.repeat(one)

    def handovers_with_outcomes(self):
        info = self.create()
        stepper, seats = self.attach(info, right=4), []
        seats = [self.attach(info, right=3) for _ in range(SEATS - 1)]
        for _ in range(OUTCOMES // 128):
            for seat in seats:
                for _ in range(128):
                    seat.send(remove=[77])
            self.talk.ask(ping={})
            stepper.step(1)
        talk = self.connect()
        self.repeat(lambda: talk.snapshot(handover=True, **key(info)))

    def handovers_that_are_forged(self):
        info = self.create(policy=dict(clock=self.schema.CLOCK_PAUSED))
        state = self.schema.WorldState.FromString(self.talk.snapshot(handover=True, **key(info)))
        self.talk.ask(destroy_world=key(info))
        handover = state.handover
        handover.seat_next, handover.id_next = 100000, 1 << 32
        for number in range(1, SEATS + 1):
            seat = handover.seats.add(seat=number, token=os.urandom(16), label="l" * 64, right=4, sequence=1000, through=500)
            for sequence in range(1, OUTCOMES + 1):
                seat.outcomes.add(sequence=sequence, code=3, reason="R" * 60)
            for sequence in range(501, 629):
                handover.waiting.add(seat=number, sequence=sequence, tick=1 << 50)
        for number in range(30000):
            handover.waiting.add(seat=1000 + number, sequence=1, right=4)
        snapshot = state.SerializeToString()

        def one():
            made = self.talk.ask(create_world=dict(snapshot=snapshot)).world_info
            self.talk.ask(destroy_world=key(made))
        self.repeat(one)


ATTACKS = [name for name, value in vars(Owner).items()
           if name not in ("connect", "create", "seats", "attach", "labelled", "message", "flood", "repeat") and name[0] != "_" and callable(value)]


class Other(threading.Thread):
    """Another address: how long its pings take, ms."""

    def __init__(self, daemon, schema):
        super().__init__()
        self.talk, self.times, self.ends = Talk(Connection(daemon.port, schema, source=OTHER)), [], threading.Event()
        policy = dict(dt=1 / 60, idle_ttl_ms=NEVER)
        self.world = self.talk.ask(create_world=dict(scene=gas(8), policy=policy)).world_info

    def run(self):
        while not self.ends.wait(0.003):
            begin = time.perf_counter()
            self.talk.ask(ping={})
            self.times.append(1000 * (time.perf_counter() - begin))

    def end(self):
        self.ends.set()
        self.join()
        self.times.sort()
        world = self.talk.ask(list_worlds=dict(prefix=self.world.name)).worlds.worlds[0]
        return self.times[len(self.times) * 99 // 100], self.times[-1], world.lost_ticks


def attack(program, schema, seconds, name):
    daemon = Daemon(program, "--memory-total-bytes-max", str(TOTAL))
    other, owner = Other(daemon, schema), Owner(daemon, schema, seconds)
    other.start()
    try:
        getattr(owner, name)()
        peak = status_kib(daemon.process.pid, "VmHWM") / 1024
        third = owner.connect(THIRD)
        reply = third.ask(create_world=dict(scene=gas(64), policy=dict(dt=1 / 60)))
    finally:
        p99, most, lost = other.end()
    print("%-30s %6.1f %7.1f %5d %7.0f" % (name.replace("_", " "), p99, most, lost, peak), flush=True)
    assert reply.WhichOneof("reply") == "world_info", (name, reply)
    assert peak < (TOTAL + MORE) / MIB, (name, peak)
    daemon.stop()


def main():
    program, proto = sys.argv[1:3]
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 4
    with tempfile.TemporaryDirectory() as folder:
        schema = make_schema(proto, folder)
        print("another address's pings, ms      p99     max  lost      MB")
        for name in sys.argv[4:] or ATTACKS:
            attack(program, schema, seconds, name)


if __name__ == "__main__":
    main()
