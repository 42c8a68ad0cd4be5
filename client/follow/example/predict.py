#!/usr/bin/python3
"""predict.py HOST:PORT [TICKS]: a player with a mirror sees what it does at once, ahead of the server, and what others do as soon as that is told.
Needs libcollide-mirror; LIBCOLLIDE_MIRROR names it if it is not installed."""
import sys
import time

from wire import Aim, Connection, schema

from collide_mirror import Mirror  # wire.py has told where it is

HZ, BALL = 60, 0


class Player:
    def __init__(self, address, pb):
        self.connection = Connection(address, pb)
        walls = [dict(x1=x, y1=-5, x2=x, y2=5) for x in (-5, 5)]
        circles = [dict(id=i, x=x, radius=0.5) for i, x in enumerate((-3, 3))]
        info = self.connection.ask(create_world=dict(scene=dict(circles=circles, segments=walls),
                                                     policy=dict(dt=1 / HZ, hash_every=30))).world_info
        self.mirror, self.sequence, self.turn, self.ahead = Mirror(), 0, 0, 0
        self.seat = self.connection.ask(attach=dict(world=info.name, secret=info.owner_secret, right=pb.RIGHT_ALL)).attached
        self.aim = Aim(self.seat, HZ)
        self.connection.send(subscribe=dict(handle=self.seat.handle, stream=pb.STREAM_COMMANDS, every=6))

    def push(self, vx):
        """The same batch to the server and to the mirror."""
        self.sequence += 1
        batch = dict(handle=self.seat.handle, sequence=self.sequence, tick=self.aim.next(), add_velocities=dict(id=[BALL], vx=[vx]))
        self.connection.send(commands=batch)
        self.mirror.predict(self.seat.seat, self.sequence, self.connection.pb.Commands(**batch).SerializeToString())

    def display(self):
        """A picture: the tick before the one that an input of now would name."""
        shown = self.mirror.advance(self.aim.next() - 1)
        self.ahead = max(self.ahead, shown - self.mirror.state.told_tick)
        ball = self.mirror.circle(BALL)
        if shown >= self.turn:
            print("tick %d: the ball is at %.3f" % (shown, ball.x))
            self.push(-1 if ball.x > 0 else 1)
            self.turn = shown + 20

    def take(self, message):
        kind = message.WhichOneof("reply")
        if kind == "acks":
            self.aim.acked(message.acks)
            for outcome in message.acks.outcomes:
                self.mirror.outcome(self.seat.seat, outcome)
        elif kind == "world_update":
            self.mirror.update(message.world_update.SerializeToString())
            self.aim.told(message.world_update.tick)
        else:
            sys.exit("that is all: %s" % message)
        # A renderer would not jump: it would add the difference to where it draws the circle, and let it fade away.
        told = self.mirror.corrections
        for circle in told.circles:
            print("tick %d: circle %d is off by (%.3f, %.3f)" % (told.tick, circle.id, circle.x, circle.y))

    def play(self, ticks):
        while self.mirror.state.told_tick < ticks:
            until = time.monotonic() + 1 / HZ
            while message := self.connection.receive(max(until - time.monotonic(), 0)):
                self.take(message)
            if self.mirror.state.ready:
                self.display()


def main(address, ticks="150"):
    player = Player(address, schema())
    player.play(int(ticks))
    told = player.mirror.state
    print("%d of %d inputs as predicted, %d hashes as the server's, %d ticks ahead at most" % (
        told.confirmed, told.predicted, told.hashes, player.ahead))


if __name__ == "__main__":
    main(*sys.argv[1:])
