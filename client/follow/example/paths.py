#!/usr/bin/python3
"""paths.py HOST:PORT [UPDATES]: an authoritative server, and a client without physics. A player steers a ball between others, and draws all of
them at its own frame rate from STREAM_PATHS. What it draws is where the balls were, also within a tick: no interpolation is tuned. To show that,
states are read too, and compared to the bit; a game does without these."""
import sys

from wire import Aim, Connection, schema

from collide_follow import Follower  # wire.py has told where it is

HZ, BALLS, PLAYER, HALF, SPEED = 60, 24, 0, 12.0, 8.0


def world_make(connection):
    circles = [dict(id=i, x=4.0 * (i % 6) - 10, y=4.0 * (i // 6) - 6, vx=i * 7 % 13 - 6, vy=i * 5 % 11 - 5, radius=0.5)
               for i in range(BALLS)]
    corners = [(-HALF, -HALF), (HALF, -HALF), (HALF, HALF), (-HALF, HALF)]
    walls = [dict(x1=a[0], y1=a[1], x2=b[0], y2=b[1]) for a, b in zip(corners, corners[1:] + corners[:1])]
    return connection.ask(create_world=dict(scene=dict(circles=circles, segments=walls), policy=dict(dt=1 / HZ))).world_info


class Screen:
    """Knows the world by its paths, and draws 144 pictures a second."""

    def __init__(self):
        self.follower, self.updates, self.pictures, self.drawn = Follower(history=64), 0, 0, 0.0
        self.told, self.compared, self.differing = {}, 0, 0  # told: by the server, states after ticks

    def paths(self, update):
        self.follower.update(update.SerializeToString())
        self.updates += 1
        self.compare()
        while self.drawn <= self.follower.time:
            places = [self.follower.place(ball, self.drawn) for ball in range(BALLS)]  # here a game would draw them
            self.pictures += places[PLAYER] is not None
            self.drawn += 1 / 144

    def states(self, update):
        bodies = update.frame.bodies
        self.told[update.tick] = list(zip(bodies.id, bodies.x, bodies.y, bodies.vx, bodies.vy))
        self.compare()

    def compare(self):
        """The server's states beside what the paths made of them, once both are there."""
        for ball, *state in self.told.pop(self.follower.tick, ()):
            own = self.follower.circles[ball]
            self.compared += 1
            self.differing += state != [own.x, own.y, own.vx, own.vy]


class Steering:
    """The keys: another direction every third of a second. The server decides what comes of it."""
    DIRECTIONS = ((1, 0), (0, 1), (-1, 0), (0, -1))

    def __init__(self, connection, info):
        self.connection, self.turns, self.last = connection, 0, 0
        self.seat = connection.ask(attach=dict(world=info.name, secret=info.owner_secret, right=connection.pb.RIGHT_ALL)).attached
        self.aim = Aim(self.seat, HZ)

    def steer(self):
        tick = self.aim.next()
        if tick < self.last + HZ // 3:
            return
        vx, vy = self.DIRECTIONS[self.turns % 4]
        self.turns, self.last = self.turns + 1, tick
        self.connection.send(commands=dict(handle=self.seat.handle, sequence=self.turns, tick=tick, acked=self.turns - 1,
                                           velocities=dict(id=[PLAYER], vx=[SPEED * vx], vy=[SPEED * vy])))


def main(address, updates="40"):
    pb = schema()
    connection = Connection(address, pb)
    info = world_make(connection)
    screen, steering = Screen(), Steering(connection, info)
    spectator = dict(world=info.name, secret=info.join_secret)
    paths = connection.send(subscribe=dict(stream=pb.STREAM_PATHS, every=3, spectator=spectator))
    connection.send(subscribe=dict(stream=pb.STREAM_STATES, every=1, spectator=spectator))
    while screen.updates < int(updates):
        steering.steer()
        message = connection.receive(0.01)
        kind = message and message.WhichOneof("reply")
        if kind == "world_update" and message.request_id == paths:
            screen.paths(message.world_update)
        elif kind == "world_update":
            screen.states(message.world_update)
            steering.aim.told(message.world_update.tick)
        elif kind == "acks":
            steering.aim.acked(message.acks)
    print("%d updates, %d turns, %d pictures; %d states compared with the server's, %d differ" % (
        screen.updates, steering.turns, screen.pictures, screen.compared, screen.differing))
    return screen.differing > 0 or screen.compared < 100


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
