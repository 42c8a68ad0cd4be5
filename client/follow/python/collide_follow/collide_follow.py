"""Follows a live world of collided by its paths: every state to the bit, and where each circle is at any time.

    follower = Follower()
    follower.update(data)  # the bytes of each WorldUpdate of a subscription to STREAM_PATHS, in order
    x, y, angle = follower.place(7, follower.time - 0.01)

It goes by the rule of Paths in collide.proto, and needs collide_wire. Streams within a tolerance are read by
collide_follow_quantized, which a follower can be given."""
import math
import struct

from collide_wire import Message, bits, double

# What a row of Paths has, and its numbers in their order.
TIME, FREE, DRIVEN, VX, VY, X, Y, END, SPIN, ANGLE, AX, AY, HELD, ASLEEP, REMOVED = (1 << i for i in range(15))
NUMBERS = ((VX, "vx"), (VY, "vy"), (X, "x"), (Y, "y"), (SPIN, "spin"), (ANGLE, "angle"), (AX, "ax"), (AY, "ay"))
NAME, TICKS_MAX = 5, 3600  # of Paths.codes; of an update: `every` of a Subscribe is no more
STATIC, DYNAMIC = 3, (0, 1)  # BodyKind
# Columns of definitions, as collide_wire takes them.
CIRCLE = (("x", 3, 0.0), ("y", 4, 0.0), ("vx", 5, 0.0), ("vy", 6, 0.0), ("radius", 7, 0.0), ("mass", 8, 1.0),
          ("kind", 10, 0, None), ("angle", 15, 0.0), ("spin", 16, 0.0), ("linear_damping", 19, 0.0),
          ("angular_damping", 20, 0.0), ("gravity_scale", 21, 1.0), ("tag", 33, 0, "Q"))
SEGMENT = (("x1", 3, 0.0), ("y1", 4, 0.0), ("x2", 5, 0.0), ("y2", 6, 0.0), ("radius", 16, 0.0), ("vx", 18, 0.0),
           ("vy", 19, 0.0), ("disabled", 20, 0, None))


class FollowError(ValueError):
    """What came is no update of such a stream, or not the next one."""


class Segment:
    """A segment where it is after the last tick. Of one that moves: its ends once, and how far it has moved since."""
    home = moved = None

    def go(self, dt, ticks):
        for _ in range(ticks if self.moved else 0):
            self.moved = (self.moved[0] + self.vx * dt, self.moved[1] + self.vy * dt)
            self.x1, self.x2 = self.home[0] + self.moved[0], self.home[2] + self.moved[0]
            self.y1, self.y2 = self.home[1] + self.moved[1], self.home[3] + self.moved[1]


class Circle:
    """A circle as it is after the last tick. Its numbers are those of the schema."""
    __slots__ = ("id", *(column[0] for column in CIRCLE), "keep", "spin_keep", "gx", "gy", "ax", "ay", "t0", "leg",
                 "driven", "asleep", "held", "gone", "mode", "history", "rule", "stale")  # the last of Quantized

    def pull(self, gravity):
        self.gx, self.gy = (self.gravity_scale * g if self.kind in DYNAMIC else 0.0 for g in gravity)

    def free(self):
        self.driven, self.asleep, self.held, self.leg = False, False, False, None
        self.ax, self.ay = self.gx, self.gy

    def sleep(self):
        self.driven, self.held, self.asleep, self.leg = False, False, True, None
        self.vx = self.vy = self.spin = self.ax = self.ay = 0.0

    def begin(self, speed_max):
        self.t0, self.leg = 0.0, None
        if self.kind in DYNAMIC and not self.driven and not self.asleep:
            self.slow(speed_max)
            if not self.held:
                self.ax, self.ay = self.gx, self.gy

    def slow(self, speed_max):
        self.vx, self.vy, self.spin = self.vx * self.keep, self.vy * self.keep, self.spin * self.spin_keep
        speed = math.sqrt(self.vx * self.vx + self.vy * self.vy) if speed_max > 0 else 0.0
        if speed > speed_max:
            self.vx, self.vy = self.vx * (speed_max / speed), self.vy * (speed_max / speed)

    def stands(self):
        return (self.driven and not self.leg) or self.asleep or self.kind == STATIC

    def go(self, time):
        s, self.t0 = time - self.t0, time
        if self.stands():
            return
        if self.leg:
            self.x, self.y = self.x + s * self.leg[0], self.y + s * self.leg[1]
        else:
            self.x, self.y = self.x + s * (self.vx + 0.5 * s * self.ax), self.y + s * (self.vy + 0.5 * s * self.ay)
            self.vx, self.vy = self.vx + s * self.ax, self.vy + s * self.ay
        if self.spin != 0:
            self.angle += s * self.spin

    def piece(self):
        """How it moves on, up to its next piece: (t0, x, y, vx, vy, ax, ay, angle, spin). One that is gone has no x."""
        if self.gone or self.stands():
            return (self.t0, None if self.gone else self.x, self.y, 0.0, 0.0, 0.0, 0.0, self.angle, 0.0)
        way = (*self.leg, 0.0, 0.0) if self.leg else (self.vx, self.vy, self.ax, self.ay)
        return (self.t0, self.x, self.y, *way, self.angle, self.spin)


class Numbers:
    """The numbers of rows: as they are, or as differences to what the reader has there (the base)."""

    def __init__(self, paths, before):
        self.codes = (code for byte in paths.last(5) for code in (byte & 15, byte >> 4))
        self.values, self.at = paths.last(6), 0
        # Velocities of commands, which may come again, and how many there were.
        self.names, self.named = (before.names, before.named) if before and not paths.last(7, 0) else ({}, 0)

    def take(self, count):
        data, self.at = self.values[self.at:self.at + count], self.at + count
        if self.at > len(self.values):
            raise FollowError("numbers that end too early")
        return data

    def next(self, base, command=False):
        """A velocity of a command may be named, or be named later."""
        code, at = next(self.codes, None), self.at
        if code == NAME and command:
            name, = self.take(1)
            if name not in self.names:
                raise FollowError("a name of nothing")
            return self.names[name]
        if code in (None, NAME):
            raise FollowError("a number that is none")
        if code in (6, 7):
            return base if code == 7 else -base
        if code == 4:
            number, = struct.unpack(">f", self.take(4))
        elif code <= 8:
            number = double(int.from_bytes(self.take(code).ljust(8, b"\0"), "big"))
        else:
            step = int.from_bytes(self.take(code - 8), "little")
            number = double(bits(base) + (~(step >> 1) if step & 1 else step >> 1))
        if command and self.at - at >= 2:
            self.names[self.named % 256], self.named = number, self.named + 1
        return number


class Follower:
    """A world as its updates tell it. `circles` and `segments` by id; `tick`, `time` and `dt`; `epoch`; `hash` at
    `hash_tick`; `missed_ticks` of the last key. Segments of `map` are in the stream only if they are switched.
    `place` tells of the last `history` ticks. `on_tick` is called with the follower after each tick. `quantized`: the
    class that reads streams within a tolerance; then its object, or None for a stream of paths."""

    def __init__(self, history=16, on_tick=None, quantized=None):
        self.history, self.on_tick, self.quantized, self._make_quantized = max(history, 1), on_tick, None, quantized
        self.tick = self.hash = self.hash_tick = self.missed_ticks = self.epoch = 0
        self.dt, self.map, self.circles, self.segments, self.past, self._ready = 0.0, "", {}, {}, [], False

    time = property(lambda self: self.tick * self.dt)

    def update(self, data):
        """Takes the bytes of a WorldUpdate. After an error it takes nothing but a key: what it has may be half."""
        ready, self._ready = self._ready, False
        update = Message(data)
        tick = update.last(1, 0)
        if 4 in update or update.message(8).number(1, "Q") not in (0, self.epoch):  # of another past none is left
            self.hash, self.hash_tick = update.number(4, "Q"), update.last(5, 0)
        if 8 in update:
            self._key(tick, update, ready)
        elif 10 not in update:  # contacts, events and ends are not needed to go on
            if not ready or tick - self.tick != update.last(2, 0) or tick - self.tick > TICKS_MAX:
                raise FollowError("tick %d does not follow tick %d" % (tick, self.tick))
            (self.quantized.update if self.quantized else self._paths)(tick, update)
        self._ready = ready or 8 in update

    def place(self, circle, time):
        """(x, y, angle) of a circle at a time of the world, or None: it was not there, or that is too long ago."""
        start, length, pieces = next((one for one in reversed(self.past) if one[0] <= time), (0.0, 0.0, {}))
        t = min(time - start, length)
        piece = next((piece for piece in reversed(pieces.get(circle, ())) if piece[0] <= t), (None,) * 9)
        t0, x, y, vx, vy, ax, ay, angle, spin = piece
        if x is None:
            return None
        s = t - t0
        return x + s * (vx + 0.5 * s * ax), y + s * (vy + 0.5 * s * ay), angle + s * spin

    def _key(self, tick, update, ready):
        key = update.message(8)
        scene = key.message(2)
        if 5 in key:  # the first of its parts
            self.circles, self.segments, self.past, self._numbers = {}, {}, [], None
            self.tick, self.missed_ticks, self.epoch = tick, update.last(3, 0), key.number(1, "Q")
            self.dt, self.map = key.number(5), key.last(3).decode()
            self.gravity, self.speed_max = (scene.number(5), scene.number(6)), scene.number(12)
            near = key.number(17) > 0
            if near and not self._make_quantized:
                raise FollowError("a stream within a tolerance: collide_follow_quantized reads that")
            self.quantized = self._make_quantized(self, key) if near else None
        elif not ready:
            raise FollowError("a part of a key, the first of which it does not have")
        part = self._shapes(scene.message(1), scene.message(3), key.message(13), key, 8)
        if self.quantized:
            self.quantized.key(part, update)

    def change(self, change):
        """Takes a WorldChange. Returns the circles that are new."""
        for shapes, field in ((self.circles, 1), (self.segments, 2)):
            for name in change.column(field, "I"):
                shapes.pop(name, None)
        if 14 in change:
            self.gravity = [change.message(14).number(field) for field in (1, 2)]
            for circle in self.circles.values():
                circle.pull(self.gravity)
        return self._shapes(change.message(3), change.message(4), change.message(8), change, 9)

    def _shapes(self, circles, segments, motions, ways, field):
        """Adds circles, which move as `ways` says from this field on, and segments, of which some move."""
        circles = circles.rows(Circle, CIRCLE)
        for circle in circles:
            circle.keep = 1 / (1 + self.dt * circle.linear_damping)
            circle.spin_keep = 1 / (1 + self.dt * circle.angular_damping)
            circle.t0, circle.gone = 0.0, False
            circle.pull(self.gravity)
            circle.free()
            self.circles[circle.id] = circle
        for place in ways.column(field):
            circles[place].driven = True
        for place in ways.column(field + 1):
            circles[place].sleep()
        for place, ax, ay in zip(ways.column(field + 2), ways.column(field + 3, "d"), ways.column(field + 4, "d")):
            circles[place].held, circles[place].ax, circles[place].ay = True, ax, ay
        self.segments.update((segment.id, segment) for segment in segments.rows(Segment, SEGMENT))
        homes = zip(*(motions.column(column, "d") for column in range(2, 8)))
        for name, (*home, moved_x, moved_y) in zip(motions.column(1, "I"), homes):
            if name in self.segments:
                self.segments[name].home, self.segments[name].moved = home, (moved_x, moved_y)
        self.circles = dict(sorted(self.circles.items()))
        return circles

    def _paths(self, tick, update):
        paths, ticks, at = update.message(11), tick - self.tick, 0
        changes, counts, rows = paths.messages(1), paths.column(2), list(zip(paths.column(3), paths.column(4)))
        if len(counts) > ticks or sum(counts) != len(rows):
            raise FollowError("other rows than are counted")
        self._numbers = Numbers(paths, self._numbers)
        for change in () if ticks else changes:  # another region
            self.change(change)
        for count in counts + [0] * (ticks - len(counts)):
            for change in (one for one in changes if one.last(7, 0) == self.tick + 1):
                self.change(change)
            self._tick(rows[at:at + count])
            at += count

    def _tick(self, rows):
        time, before, circles, pieces = 0.0, None, list(self.circles.values()), {}
        for circle in circles:
            circle.begin(self.speed_max)
            pieces[circle.id] = [circle.piece()]
        for place, what in rows:
            if place >= len(circles):
                raise FollowError("a row of no circle")
            circle = circles[place]
            if what & TIME:
                time, before = self._numbers.next(time), None
            if what & END:
                time, before = self.dt, None
            circle.go(time)
            before = self._row(circle, what, before)
            if not what & END:
                pieces[circle.id].append(circle.piece())
        for circle in circles:
            if circle.driven and not circle.leg and not circle.gone:  # straight to where it is then
                t0, x, y, *_, angle, spin = pieces[circle.id][-1]
                s = self.dt - t0 or 1.0
                pieces[circle.id][-1] = (t0, x, y, (circle.x - x) / s, (circle.y - y) / s, 0.0, 0.0, angle, spin)
            circle.go(self.dt)
            if circle.gone:
                del self.circles[circle.id]
        self.went(1, pieces)
        if self.on_tick:
            self.on_tick(self)

    def went(self, ticks, pieces):
        """So many ticks are over, in which circles moved along these pieces."""
        self.past = (self.past + [(self.time, ticks * self.dt, pieces)])[-self.history:]
        for segment in self.segments.values():
            segment.go(self.dt, ticks)
        self.tick += ticks

    def _row(self, circle, what, before):
        """Takes a row. `before`, of the row before, and what is returned: a mass, and what its velocity has lost."""
        if what & FREE:
            circle.free()
        if what & DRIVEN:
            circle.driven, circle.asleep, circle.held = True, False, False
        changed, leg = {}, circle.driven and what & VX and not what & END
        if leg:
            vx, vy = circle.leg or (circle.vx, circle.vy)
            circle.leg, what = (self._numbers.next(vx), self._numbers.next(vy)), what & ~(VX | VY)
        for bit, name in NUMBERS:
            if what & bit:
                base = old = getattr(circle, name)
                if what & END and circle.driven and not circle.leg and name in "xy":
                    base += self.dt * getattr(circle, "v" + name)
                elif before and name in before[1] and circle.kind in DYNAMIC:
                    base += before[0] / circle.mass * before[1][name]
                speed = bit in (VX, VY)
                setattr(circle, name, self._numbers.next(base, speed and circle.t0 == 0 and not what & END))
                if speed:
                    changed[name] = old - getattr(circle, name)
        circle.held = circle.held or bool(what & HELD)
        if what & ASLEEP:
            circle.sleep()
        circle.gone = circle.gone or bool(what & REMOVED)
        return (circle.mass, changed) if circle.kind in DYNAMIC and circle.t0 > 0 and not leg else None
