"""Fair shares: what a greedy client sends does not keep others from being served. No test depends on how long it takes."""
import select

from outside_client import PROGRAM, WithDaemon, box, circle, rounds
from outside_wire import Connection, Daemon

# Two fast circles in a box, and as many events and as much work as a scene may ask for: one tick takes seconds.
LONG = {"scene": {"circles": [circle(-1, 0, vx=1e5, vy=3e4), circle(1, 0, vx=-1e5, vy=1e4)], "segments": box(4.0),
                  "events_per_body_max": 1000000, "work_per_tick_max": 1000000000}, "dt": 1000.0, "ticks": 1, "every": 1}
SHORT = {"scene": {"circles": [circle(-1, 0, vx=1.0), circle(1, 0)], "segments": box(4.0)}, "dt": 1 / 64, "ticks": 2}
# As many frames as a reply may have that is never read to its end.
ENDLESS = {"scene": SHORT["scene"], "dt": 1 / 64, "ticks": 10**7, "every": 1}
FAIR = 20
# Runs without an end, of the same ticks for all: their count is what a client got. A frame for so many of them; in a turn,
# a sanitizer makes fewer.
COUNTED = {"scene": {"circles": [circle(-2 + i, 0, vx=1.0 + i, vy=3.0, radius=0.25) for i in range(5)], "segments": box(4.0)},
           "dt": 1 / 64, "ticks": 10**7, "every": rounds(128, 512), "detail": 1}


class FromAddresses(WithDaemon):
    def from_address(self, host, hello=True):
        connection = Connection(self.daemon.port, self.schema, hello, source=host)
        self.addCleanup(connection.close)
        return connection


class Shares(FromAddresses):

    def serve_beside(self, greedy, others):
        """All of the others are served while not one of the greedy requests has been."""
        for _ in range(16):
            greedy.send(simulate=LONG)
        for _ in range(3):
            for other in others:
                last = other.simulate(**SHORT)[1]
                self.assertEqual(last.WhichOneof("reply"), "simulate_done", last)
        self.assertEqual(select.select([greedy.socket], [], [], 0)[0], [], "the greedy ticks were too short to show anything")
        greedy.close()

    def test_long_ticks_of_one_address_leave_others_their_share(self):
        self.serve_beside(self.from_address("127.0.0.2"), [self.from_address(f"127.0.0.{3 + i}") for i in range(FAIR)])

    def test_long_ticks_of_one_connection_leave_others_of_the_address_theirs(self):
        self.serve_beside(self.connection, [self.connect() for _ in range(FAIR)])


class Ticks:
    """What clients got that share the workers: ticks of runs without an end, counted by their frames."""

    def __init__(self):
        self.made = {}

    def begin(self, connections, runs=1):
        """So many runs on each."""
        for connection in connections:
            for _ in range(runs):
                self.made[connection, connection.send(simulate=COUNTED)] = 0

    def read(self, enough):
        """Until that is so; reads what has come, from all."""
        connections = list({connection: None for connection, _ in self.made})
        while not enough():
            for connection in select.select(connections, [], [])[0]:
                message = connection.receive()
                while message is not None:
                    assert message.HasField("frame"), message
                    self.made[connection, message.request_id] = message.frame.tick
                    message = connection.receive() if connection.received else None

    def read_some(self):
        """Until each run has made some."""
        self.read(lambda: min(self.made.values()) > 0)

    def by_connection(self):
        sums = {}
        for (connection, _), ticks in self.made.items():
            sums[connection] = sums.get(connection, 0) + ticks
        return sums

    def shares(self):
        """Of what all get from now on, that of each connection, in the order in which they began; once all have some."""
        self.read_some()
        before = self.by_connection()
        until = sum(before.values()) + len(before) * 60 * COUNTED["every"]
        self.read(lambda: sum(self.made.values()) >= until)
        got = [ticks - before[connection] for connection, ticks in self.by_connection().items()]
        return [ticks / sum(got) for ticks in got]

    def kept(self):
        """The least that one gets, of what it would get if all got as much; but for the first one, the greedy."""
        shares = self.shares()
        return min(shares[1:]) * len(shares)


class Work(FromAddresses):
    """One client has 16 times as many runs as each of the others, and gets no more."""

    def kept(self, greedy, fair):
        ticks = Ticks()
        ticks.begin([greedy], 16)
        ticks.begin(fair)
        return ticks.kept()

    def test_many_runs_of_one_address_take_one_share(self):
        fair = [self.from_address(f"127.0.0.{3 + i}") for i in range(FAIR)]
        self.assertGreaterEqual(self.kept(self.from_address("127.0.0.2"), fair), 0.8)

    def test_many_runs_of_one_connection_take_one_share(self):
        self.assertGreaterEqual(self.kept(self.connection, [self.connect() for _ in range(FAIR)]), 0.8)

    def test_an_address_that_weighs_more_takes_more(self):
        """As much as its weight says, so the tests above can fail."""
        daemon = Daemon(PROGRAM, "--account-weights", "127.0.0.2=4")
        self.addCleanup(daemon.stop)
        connections = [Connection(daemon.port, self.schema, source=f"127.0.0.{2 + i}") for i in range(1 + FAIR)]
        for connection in connections:
            self.addCleanup(connection.close)
        self.assertLess(self.kept(connections[0], connections[1:]), 0.95)


class WithFull(FromAddresses):
    """A server with few places, of which two addresses take all that they can get by being idle, and one by reading slowly."""
    flags = ("--connections-max", "64", "--connections-per-address-max", "32", "--requests-under-way-max", "64")

    def setUp(self):
        pass

    def greedy(self):
        """16 connections that ask for as much as they may and read none of it."""
        connections = [self.from_address("127.0.0.2") for _ in range(16)]
        for connection in connections:
            for _ in range(16):
                connection.send(simulate=ENDLESS)
        # Each is answered once for every request over its share: all have been looked at.
        for connection in connections:
            connection.send(ping={})
        return connections

    def idle(self):
        """From each of two addresses as many as are let in."""
        connections = []
        for host in ("127.0.0.3", "127.0.0.4"):
            while (connection := self.from_address(host, hello=False)):
                connection.send(hello={"version_min": 1, "version_max": 1})
                reply = connection.receive()
                if reply.WhichOneof("reply") == "error":
                    self.assertIn(reply.error.reason, ("CONNECTIONS_MAX", "CONNECTIONS_PER_ADDRESS"))
                    self.assertGreater(reply.error.retry_after_ms, 0)
                    break
                connections.append(connection)
        return connections

    def ended(self, idle):
        """Those that have been told something: nothing but their end comes unasked."""
        return select.select(idle, [], [], 0)[0]


class Full(WithFull):
    def test_idle_and_slow_clients_leave_others_their_share(self):
        greedy, idle = self.greedy(), self.idle()
        # The second address has made the first give up half of what it had over it; together they fill the server.
        self.assertEqual(len(greedy) + len(idle) - len(self.ended(idle)), 64)
        idle = [connection for connection in idle if connection not in self.ended(idle)]
        fair = [self.from_address(f"127.0.0.{5 + i}") for i in range(FAIR)]
        for _ in range(3):
            for connection in fair:
                last = connection.simulate(**SHORT)[1]
                self.assertEqual(last.WhichOneof("reply"), "simulate_done", last)
        # As many idle ones gave way, and each was told why.
        ended = self.ended(idle)
        self.assertEqual(len(ended), FAIR)
        for connection in ended:
            error = connection.wait_closed()[0].error
            self.assertEqual(error.reason, "OVER_SHARE")
            self.assertGreater(error.retry_after_ms, 0)
        # None of the greedy ones has ended. Of their 256 requests those over half of all places were refused.
        refused = sum(self.refused_for_share(connection) for connection in greedy)
        self.assertEqual(refused, 256 - 32)

    def refused_for_share(self, connection):
        """How many of its requests were refused, as far as it was told before its Pong."""
        count = 0
        while (reply := connection.receive()).WhichOneof("reply") != "pong":
            if reply.WhichOneof("reply") == "error":
                self.assertEqual(reply.error.reason, "OVER_SHARE", reply)
                count += 1
        return count


class FullAndBusy(WithFull):
    def test_all_at_once_takes_one_share(self):
        """Runs that are read, runs that are not, and idle connections of two addresses."""
        ticks, busy = Ticks(), self.from_address("127.0.0.2")
        ticks.begin([busy], 16)
        ticks.read_some()  # they are there before those that are not read
        greedy, idle = self.greedy(), self.idle()
        self.assertEqual(1 + len(greedy) + len(idle) - len(self.ended(idle)), 64)
        ticks.begin([self.from_address(f"127.0.0.{5 + i}") for i in range(FAIR)])
        self.assertGreaterEqual(ticks.kept(), 0.8)
