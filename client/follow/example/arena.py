#!/usr/bin/python3
"""arena.py SCENE.json HOST:PORT SECRET_FILE [SECONDS]: a bot arena. Makes the world "arena" of a scene's walls and circles; each circle is a
player. Six times a second a player goes another way or fires a bullet, which dies at its hit. Any other program may watch.

    collide import freedoom1.wad --map E1M1 --circles 64 --seed 1 >e1m1.json
"""
import math
import random
import sys
import threading
import time

from google.protobuf import json_format

from wire import Connection, schema

HZ, INPUTS_HZ, PLAYER, BULLET, WALL = 60, 6, 1, 2, 0  # and groups for contact rules
SPEED, BULLET_SPEED, BULLET_RADIUS = 200.0, 1500.0, 2.0


class Game:
    def __init__(self, scene, address, pb):
        self.chance, self.sequence, self.hits = random.Random(1), 0, 0
        self.connection, self.scene = Connection(address, pb), scene
        for i, player in enumerate(scene.circles):
            player.id, player.group, player.restitution, player.vx, player.vy = i + 1, PLAYER, 0.5, 0, 0
        policy = dict(dt=1 / HZ, clock=pb.CLOCK_SERVER, events=pb.EVENTS_TOUCHES)
        self.info = self.connection.ask(create_world=dict(name="arena", scene=scene, policy=policy)).world_info
        self.seat = self.connection.ask(attach=dict(world="arena", secret=self.info.owner_secret, right=pb.RIGHT_ALL, ids=60000)).attached
        self.bullets = 0
        self.places = {}
        self.connection.send(subscribe=dict(handle=self.seat.handle, stream=pb.STREAM_PATHS, every=6))
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        """Follows the game by its paths, to know where the players are that fire."""
        from collide_follow import Follower  # pylint: disable=import-outside-toplevel
        follower = Follower()
        while True:
            message = self.connection.receive()
            if message.WhichOneof("reply") != "world_update":
                continue
            follower.update(message.world_update.SerializeToString())
            self.hits += sum(end == 1 for end in message.world_update.frame.ends.reason)
            self.places = {name: (one.x, one.y) for name, one in follower.circles.items() if name <= len(self.scene.circles)}

    def play(self):
        """A tenth of a second of the game."""
        self.sequence += 1
        move, fire = dict(id=[], vx=[], vy=[]), dict(id=[], x=[], y=[], vx=[], vy=[])
        for name, (x, y) in self.places.items():
            if self.chance.random() > INPUTS_HZ / 10:
                continue
            way = self.chance.uniform(0, 2 * math.pi)
            dx, dy = math.cos(way), math.sin(way)
            if self.chance.random() < 0.3:
                self.bullets += 1
                fire["id"].append(self.seat.id_first + self.bullets % self.seat.id_count)
                for key, value in zip(("x", "y", "vx", "vy"), (x + 12 * dx, y + 12 * dy, BULLET_SPEED * dx, BULLET_SPEED * dy)):
                    fire[key].append(value)
            else:
                move["id"].append(name)
                move["vx"].append(SPEED * dx)
                move["vy"].append(SPEED * dy)
        more = {}
        if fire["id"]:
            more["spawn"] = dict(fire, radius=[BULLET_RADIUS], mass=[0.05], group=[BULLET], lifetime_ticks=[120],
                                 remove_groups=[1 << PLAYER | 1 << BULLET | 1 << WALL])
        if move["id"]:
            more["velocities"] = move
        self.connection.send(commands=dict(handle=self.seat.handle, sequence=self.sequence, acked=self.sequence - 1, skip_missing=True, **more))


def main(path, address, secret_file, seconds="20"):
    pb = schema()
    with open(path, encoding="utf-8") as file:
        scene = json_format.Parse(file.read(), pb.Scene())
    game = Game(scene, address, pb)
    with open(secret_file, "w", encoding="ascii") as file:
        file.write(game.info.join_secret.hex() + "\n")
    print("arena: %d players among %d walls; watch it with the secret in %s" % (len(scene.circles), game.info.segments, secret_file), flush=True)
    begin, turn = time.monotonic(), 0
    while turn < 10 * float(seconds):
        game.play()
        turn += 1
        time.sleep(max(0.0, begin + turn / 10 - time.monotonic()))
    print("arena: %d bullets, %d hits" % (game.bullets, game.hits))


if __name__ == "__main__":
    main(*sys.argv[1:])
