#!/usr/bin/python3
"""lockstep.py HOST:PORT [TICKS]: a tick is made when the moves of all players for it are there. Each player decides by its own mirror. All mirrors
are the same, so nothing but moves is sent, and each tick's hash says that it is so. Needs libcollide-mirror; LIBCOLLIDE_MIRROR names it if
it is not installed."""
import sys

from wire import Connection, schema

from collide_mirror import Mirror  # wire.py has told where it is

PLAYERS = 2


class Player:
    """In a game each is a program of its own."""

    def __init__(self, address, pb, info, own):
        self.connection, self.mirror, self.own = Connection(address, pb), Mirror(), own
        self.connection.send(subscribe=dict(stream=pb.STREAM_COMMANDS, every=1, spectator=dict(world=info.name, secret=info.join_secret)))

    def wait(self, tick):
        """Until that tick was told. The mirror compares its hash, and raises if it differs."""
        while not self.mirror.state.ready or self.mirror.state.told_tick < tick:
            self.mirror.update(self.connection.receive().world_update.SerializeToString())

    def move(self):
        """Towards the other one, by what this player's mirror has."""
        return 1 if self.mirror.circle(1 - self.own).x > self.mirror.circle(self.own).x else -1


class Referee:
    """Counts the moves, which come to it by the game's own way, and makes ticks."""

    def __init__(self, address, pb):
        self.connection, self.tick = Connection(address, pb), 0
        circles = [dict(id=i, x=x, radius=0.5) for i, x in enumerate((-3, 3))]
        policy = dict(dt=1 / 30, clock=pb.CLOCK_CLIENT, late=pb.LATE_REFUSE, hash_every=1)
        self.info = self.connection.ask(create_world=dict(scene=dict(circles=circles), policy=policy)).world_info
        self.seat = self.connection.ask(attach=dict(world=self.info.name, secret=self.info.owner_secret, right=pb.RIGHT_STEP)).attached

    def make(self, moves):
        """All moves as one batch, and then the tick: once, as `expect_tick` says where it starts."""
        self.connection.send(commands=dict(handle=self.seat.handle, sequence=self.tick + 1, tick=self.tick + 1, acked=self.tick,
                                           velocities=dict(id=list(range(PLAYERS)), vx=moves)))
        stepped = self.connection.ask(step_world=dict(handle=self.seat.handle, ticks=1, expect_tick=self.tick)).stepped
        self.tick = stepped.tick


def main(address, ticks="120"):
    pb = schema()
    referee = Referee(address, pb)
    players = [Player(address, pb, referee.info, own) for own in range(PLAYERS)]
    while True:
        for player in players:
            player.wait(referee.tick)
        if referee.tick == int(ticks):
            break
        referee.make([player.move() for player in players])
    for player in players:
        told = player.mirror.state
        print("player %d: tick %d, the other is at %.3f, %d hashes as the server's" % (
            player.own, told.told_tick, player.mirror.circle(1 - player.own).x, told.hashes))


if __name__ == "__main__":
    main(*sys.argv[1:])
