#!/usr/bin/python3
"""shot.py HOST:PORT [SHOTS [DELAY]]: lag compensation. A player sees a world DELAY seconds late (0.1) and shoots at what it sees. Asked of the
world as it is, such shots miss what moves. Asked of the moment that the player saw, all of them hit, to the bit."""
import random
import sys

from wire import Connection, Refused, schema

from collide_follow import Follower  # wire.py has told where it is

DT = 1 / 60
TARGETS = 24


class Player:
    """Has the world by its paths alone, and draws it a little behind."""

    def __init__(self, address, pb, info, delay):
        self.pb, self.connection, self.info, self.delay = pb, Connection(address, pb), info, delay
        self.follower = Follower(history=64)
        self.connection.send(subscribe=dict(stream=pb.STREAM_PATHS, every=3,
                                            spectator=dict(world=info.name, secret=info.join_secret)))

    def watch(self, updates):
        for _ in range(updates):
            message = self.connection.receive()
            self.follower.update(message.world_update.SerializeToString())

    def aim(self, target):
        """Where the target is on the player's screen, and the moment that the screen shows: a tick, and a time after it."""
        seen = self.follower.time - self.delay
        place, tick = self.follower.place(target, seen), int(seen / DT)
        return place and (place[0], place[1], tick, min(max(seen - tick * DT, 0.0), DT))


class Server:
    """The game's back end: owns the world, and decides what a shot has hit."""

    def __init__(self, address, pb):
        self.pb, self.connection = pb, Connection(address, pb)
        picks = random.Random(7)
        circles = [dict(id=i, x=picks.uniform(-18, 18), y=picks.uniform(-18, 18), vx=picks.uniform(-12, 12), vy=picks.uniform(-12, 12),
                        radius=0.3) for i in range(TARGETS)]
        corners = [(-20, -20), (20, -20), (20, 20), (-20, 20)]
        walls = [dict(x1=a[0], y1=a[1], x2=b[0], y2=b[1]) for a, b in zip(corners, corners[1:] + corners[:1])]
        self.info = self.connection.ask(create_world=dict(
            scene=dict(circles=circles, segments=walls), policy=dict(dt=DT, history_ticks=600))).world_info

    def hits(self, x, y, **moment):
        """The target at a point: of the world as it is, or at the moment that the player saw. None: there is none."""
        message = self.connection.ask(query=dict(world=dict(world=self.info.name, secret=self.info.owner_secret, **moment),
                                                 in_circles=dict(x=[x], y=[y])))
        return message.queried.hits.id[0] if message.queried.hits.id else None


def main(address, shots="60", delay="0.1"):
    pb, picks = schema(), random.Random(1)
    server = Server(address, pb)
    player = Player(address, pb, server.info, float(delay))
    player.watch(20)  # a second
    fired = now = then = 0
    while fired < int(shots):
        player.watch(1)
        target = picks.randrange(TARGETS)
        aimed = player.aim(target)
        if not aimed:
            continue
        x, y, tick, time = aimed
        try:
            then += server.hits(x, y, tick=tick, time=time) == target
        except Refused as refused:
            if refused.reason != "TICK_GONE":
                raise
            continue  # the player is farther behind than the game looks back: no shot
        now += server.hits(x, y) == target
        fired += 1
    print("%d shots at what was seen %g s ago: %d hit it as the world is, %d as it was seen" % (fired, player.delay, now, then))


if __name__ == "__main__":
    main(*sys.argv[1:])
