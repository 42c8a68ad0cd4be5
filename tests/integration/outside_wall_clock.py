"""A wall clock that is set back by a day, and forward again: the daemon's log has it, and nothing else notices.

FAKE_WALL: a library that does so to one process (fake_wall.c)."""
import os
import re
import signal
import tempfile
import time

from outside_client import PROGRAM, circle, generated_schema
from outside_talk import Reader
from outside_wire import Daemon
from outside_worlds import WithWorlds

DAY_TICKS = 86400 * 60


class WallClock(WithWorlds):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.schema = generated_schema(cls.folder.name)
        cls.shift = os.path.join(cls.folder.name, "shift")
        library = os.path.join(cls.folder.name, "fake_wall.so")  # a space in a path would end it in LD_PRELOAD
        os.symlink(os.environ["FAKE_WALL"], library)
        preload = {"LD_PRELOAD": library, "FAKE_WALL_FILE": cls.shift}
        os.environ.update(preload)
        try:
            cls.daemon = Daemon(PROGRAM)
        finally:
            for name in preload:
                del os.environ[name]

    def logged_day(self):
        """The day of the newest line of the log."""
        before = self.daemon.log_text()
        os.kill(self.daemon.process.pid, signal.SIGUSR1)
        while len(text := self.daemon.log_text()) == len(before) or not text.endswith("\n"):
            time.sleep(0.01)
        return re.findall(r"\d{4}-\d\d-\d\dT", text)[-1]

    def test_back_and_forward(self):
        lasting = dict(clock=self.schema.CLOCK_SERVER, seat_ttl_ms=60000, idle_ttl_ms=60000)
        info = self.create({"circles": [circle(0, 0, id=1)]}, policy=self.policy(**lasting))
        seat = self.attach(info, right=self.schema.RIGHT_ALL)
        reader = Reader(self.connect_talk(), self.schema, spectator=dict(world=info.name, secret=info.join_secret), every=1)
        gone = self.attach(info, talk=self.connect_talk(), right=self.schema.RIGHT_ALL)
        gone.talk.connection.close()
        day, tick = self.logged_day(), reader.next().tick
        for shifted in True, False:
            with self.subTest(shifted=shifted):
                if shifted:
                    open(self.shift, "w", encoding="ascii").close()
                else:
                    os.remove(self.shift)
                self.assertEqual(self.logged_day() != day, shifted)
                reached = tick + 60
                for update in reader.until(reached):
                    self.assertEqual(update.tick, tick + 1)  # none is left out, and none made twice
                    tick = update.tick
                self.assertIsNone(seat.wait(seat.send(velocities=dict(id=[1], vx=[1.0], vy=[0.0]))))
                listed = self.listed(info.name)
                self.assertEqual(listed.failed, "")
                self.assertLess(max(listed.lost_ticks, listed.tick), DAY_TICKS // 100)
                scene = {"circles": [circle(0, 0, vx=1.0)]}
                _, last = self.connect().simulate(scene=scene, dt=1.0, ticks=1, deadline_ms=50000)
                self.assertEqual(last.WhichOneof("reply"), "simulate_done", last)
                again = self.attach(info, talk=self.connect_talk(), right=self.schema.RIGHT_ALL, token=gone.attached.token)
                self.assertEqual(again.attached.seat, gone.attached.seat)
                again.talk.connection.close()
