"""Fair shares: what a greedy client sends does not keep others from being served. No test depends on how long it takes."""
import select

from outside_client import WithDaemon, box, circle
from outside_wire import Connection

# Two fast circles in a box, and as many events and as much work as a scene may ask for: one tick takes seconds.
LONG = {"scene": {"circles": [circle(-1, 0, vx=1e5, vy=3e4), circle(1, 0, vx=-1e5, vy=1e4)], "segments": box(4.0),
                  "events_per_body_max": 1000000, "work_per_tick_max": 1000000000}, "dt": 1000.0, "ticks": 1, "every": 1}
SHORT = {"scene": {"circles": [circle(-1, 0, vx=1.0), circle(1, 0)], "segments": box(4.0)}, "dt": 1 / 64, "ticks": 2}
FAIR = 20


class Shares(WithDaemon):
    def from_address(self, host):
        connection = Connection(self.daemon.port, self.schema, source=host)
        self.addCleanup(connection.close)
        return connection

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
