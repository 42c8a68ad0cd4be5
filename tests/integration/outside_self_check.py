"""A daemon that checks itself: ticks of its worlds are made again where a worker is idle, and come to the same bits."""
import os
import random
import re
import signal
import tempfile

from outside_client import PROGRAM, box, circle
from outside_operator import wait_for
from outside_talk import Talk
from outside_wire import Connection, Daemon
from outside_worlds import WithWorlds, heap

CHECKS = 10


def rules(seed):
    """Circles that are removed at others or stop there, sensors, spins and damping, between walls of which two move."""
    chance = random.Random(seed)
    circles = [circle(chance.uniform(-8, 8), chance.uniform(-8, 8), vx=chance.uniform(-9, 9), vy=chance.uniform(-9, 9), radius=0.4,
                      group=i % 3, remove_groups=4 if i % 9 == 4 else 0, stop_groups=2 if i % 7 == 3 else 0, sensor=i % 11 == 7,
                      angular_velocity=i - 7.0, friction=0.4, linear_damping=0.05) for i in range(30)]
    moving = [dict(id=40, x1=-2, y1=-3, x2=-2, y2=3, vy=0.25), dict(id=41, x1=2, y1=-3, x2=2, y2=3, vx=-0.25, vy=0.125)]
    walls = [dict(id=50 + i, **wall) for i, wall in enumerate(box(9.0))]
    return {"circles": circles, "segments": moving + walls}


class Checked(WithWorlds):
    flags = ("--worlds-self-check", "1000", "--workers", "2")

    def by_server(self, scene, **more):
        return self.create(scene, policy=self.policy(clock=self.schema.CLOCK_SERVER, tick_hz=30, **more))

    def wait_for_checks(self, name, count=CHECKS):
        # In the background: where others want all cores, they get to it now and then only.
        return wait_for(lambda: (info := self.listed(name)) and info.self_checks >= count and info, 300)

    def same(self, info):
        """Enough ticks of it were made again, all came to the same bits, and none is counted twice."""
        told = self.wait_for_checks(info.name)
        self.assertEqual(told.self_checks_differing, 0)
        self.assertLessEqual(told.self_checks + told.self_checks_skipped, told.tick)
        self.assertEqual(told.failed, "")
        self.assertNotIn("other bits", self.daemon.log_text())

    def test_scenes_of_every_kind(self):
        worlds = [self.by_server(heap(24, 5)), self.by_server(rules(6)), self.by_server(rules(7), events=self.schema.EVENTS_TOUCHES)]
        for info in worlds:
            self.same(info)

    def test_with_commands(self):
        chance = random.Random(8)
        for more in ({}, dict(late=self.schema.LATE_RESIMULATE, history_ticks=12)):
            for scene in (heap(20, 9), rules(10)):
                info = self.by_server(scene, **more)
                seat = self.attach(info, right=self.schema.RIGHT_ALL, ids=8)
                i, told = 0, info
                # At ticks apart, and until enough of them have taken effect, late ones too: after a pause they come too late.
                while i < 60 or told.batches <= 20 or (more and told.resimulated_ticks <= 20):
                    seat.send(tick=max(1, told.tick - chance.randint(0, 6)), skip_missing=True, **self.commands(chance, i, seat.id_first))
                    i, before = i + 1, told.tick
                    told = wait_for(lambda: (now := self.listed(info.name)).tick > before and now)
                self.same(info)

    @staticmethod
    def commands(chance, i, new):
        """Of each kind in turn."""
        one = chance.randint(0, 19)
        return [dict(velocities=dict(id=[one], vx=[chance.uniform(-5, 5)], vy=[chance.uniform(-5, 5)])),
                dict(pushes=dict(id=[one], force_x=[chance.uniform(-9, 9)], force_y=[5.0], ticks=[7])),
                dict(spawn=dict(id=[new + i % 8], x=[chance.uniform(-2, 2)], y=[7.0], radius=[0.3])),
                dict(spawn_segments=dict(id=[100 + i], x1=[-1.0], y1=[5.0], x2=[1.0], y2=[5.5])),
                dict(disable_segments=[100 + i - 1]),
                dict(remove_segments=[100 + i - 2], remove=[one]),
                dict(explosions=[dict(x=0, y=3, radius=4, falloff=1, impulse_per_length=2)])][i % 7]


class Reloaded(WithWorlds):
    def test_the_share_is_read_again(self):
        """A world that is there comes under check, and is let go."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "config")

            def write(permille):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(f"worlds-self-check = {permille}\n")

            write(0)
            daemon = Daemon(PROGRAM, "--config", path)
            self.addCleanup(daemon.stop)
            connection = Connection(daemon.port, self.schema, True)
            self.addCleanup(connection.close)
            talk = Talk(connection)
            info = self.create(rules(3), talk, policy=self.policy(clock=self.schema.CLOCK_SERVER, tick_hz=30))
            wait_for(lambda: self.listed(info.name, talk).tick > 20)
            self.assertEqual(self.listed(info.name, talk).self_checks, 0)
            write(1000)
            daemon.process.send_signal(signal.SIGHUP)
            wait_for(lambda: self.listed(info.name, talk).self_checks > CHECKS)
            write(0)
            daemon.process.send_signal(signal.SIGHUP)
            wait_for(lambda: daemon.log_text().count("settings read again") == 2)

            def idle():
                """The world after thirty ticks of which none was noted; else nothing. What was noted before may still be under check."""
                told = self.listed(info.name, talk)
                again = wait_for(lambda: (now := self.listed(info.name, talk)).tick > told.tick + 30 and now)
                return again if (again.self_checks, again.self_checks_skipped) == (told.self_checks, told.self_checks_skipped) else None

            again = wait_for(idle)
            self.assertEqual(again.self_checks_differing, 0)
            daemon.process.send_signal(signal.SIGUSR1)
            line = wait_for(lambda: re.search(r"event=self-checks .*", daemon.log_text()))[0]
            self.assertRegex(line, rf"permille=0 checked={again.self_checks} skipped={again.self_checks_skipped} differing=0 cpu_us=\d+")
