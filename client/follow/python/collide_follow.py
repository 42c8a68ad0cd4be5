"""Follows a live world of collided, exactly: every state to the bit, and where each circle is at any time between ticks.

    follower = Follower()
    follower.update(data)  # the bytes of each WorldUpdate of a subscription to STREAM_PATHS, in order
    x, y, angle = follower.place(7, follower.time - 0.01)

Or, of a subscription to STREAM_STATES with a tolerance: places at updates within that, and straight lines between them.

Needs nothing but Python 3.8. It goes by the rules of Paths and Quantized in collide.proto.
"""
import math
import struct
from types import SimpleNamespace

TIME, FREE, DRIVEN, VX, VY, X, Y, END, SPIN, ANGLE, AX, AY, HELD, ASLEEP, REMOVED = (1 << i for i in range(15))
NUMBERS = ((VX, "vx"), (VY, "vy"), (X, "x"), (Y, "y"), (SPIN, "spin"), (ANGLE, "angle"), (AX, "ax"), (AY, "ay"))
NAME = 5  # of Paths.codes
TICKS_MAX = 3600  # of an update: `every` of a Subscribe is no more
STATIC, DYNAMIC = 3, (0, 1)  # BodyKind


class FollowError(ValueError):
    """What came is no update of a stream of paths, or not the next one."""


def fields(data):
    """The fields of a serialized message: (number, value), an int or the bytes."""
    at, end = 0, len(data)
    while at < end:
        tag, at = varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = varint(data, at)
        else:
            count = {1: 8, 5: 4}.get(kind)
            if kind == 2:
                count, at = varint(data, at)
            if count is None or at + count > end:
                raise FollowError("a field of no kind, or one that ends too early")
            value, at = data[at:at + count], at + count
        yield tag >> 3, value


def varint(data, at):
    value = shift = 0
    while at < len(data) and shift < 70:
        byte = data[at]
        value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
        if byte < 128:
            return value, at
    raise FollowError("a number that ends too early")


def varints(data):
    out, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        out.append(value)
    return out


def numbers(data, code):
    return [value for value, in struct.iter_unpack("<" + code, data)] if data else []


def table(data, columns, ints=()):
    """Rows of columns of definitions, of which one element may stand for all: the id, the doubles of these fields and defaults, then the
    integers of those."""
    found = dict(fields(data))
    ids = numbers(found.get(2), "I")
    read = [numbers(found[field], "d") if field in found else [default] for field, default in columns]
    read += [(numbers(found[field], code) if code else varints(found[field])) if field in found else [0] for field, code in ints]
    return list(zip(ids, *(column if len(column) == len(ids) else column * len(ids) for column in read)))


class Circle:
    """A circle as it is after the last tick. Its numbers are those of the schema."""

    __slots__ = ("id", "x", "y", "vx", "vy", "ax", "ay", "spin", "angle", "t0", "radius", "kind", "tag", "driven", "asleep", "held",
                 "gone", "mass", "keep", "spin_keep", "gravity_scale", "gx", "gy", "mode", "history", "rule", "leg", "stale")

    def begin(self, speed_max):
        self.t0, self.leg = 0.0, None
        if self.kind not in DYNAMIC or self.driven or self.asleep:
            return
        self.kick(speed_max)
        if not self.held:
            self.ax, self.ay = self.gx, self.gy

    def kick(self, speed_max):
        self.vx, self.vy = self.vx * self.keep, self.vy * self.keep
        self.spin *= self.spin_keep
        if speed_max > 0:
            speed = math.sqrt(self.vx * self.vx + self.vy * self.vy)
            if speed > speed_max:
                part = speed_max / speed
                self.vx, self.vy = self.vx * part, self.vy * part

    def go_on(self, ticks, dt, speed_max):
        """So many ticks, as a reader within a tolerance takes it to go."""
        free = self.mode == 0 and self.kind in DYNAMIC
        gx, gy = (self.gx, self.gy) if free else (0.0, 0.0)
        for _ in range(ticks):
            if free:
                self.kick(speed_max)
            self.x += dt * (self.vx + 0.5 * dt * gx)
            self.y += dt * (self.vy + 0.5 * dt * gy)
            self.vx += dt * gx
            self.vy += dt * gy
            self.angle += dt * self.spin

    def go(self, time):
        s, self.t0 = time - self.t0, time
        if self.stands():
            return
        if self.leg:
            self.x += s * self.leg[0]
            self.y += s * self.leg[1]
        else:
            self.x += s * (self.vx + 0.5 * s * self.ax)
            self.y += s * (self.vy + 0.5 * s * self.ay)
            self.vx += s * self.ax
            self.vy += s * self.ay
        if self.spin != 0:
            self.angle += s * self.spin

    def stands(self):
        return (self.driven and not self.leg) or self.asleep or self.kind == STATIC

    def pull(self, gravity):
        self.gx, self.gy = (self.gravity_scale * g if self.kind in DYNAMIC else 0.0 for g in gravity)

    def free(self):
        self.driven, self.asleep, self.held, self.leg = False, False, False, None
        self.ax, self.ay = self.gx, self.gy

    def sleep(self):
        self.driven, self.held, self.asleep, self.leg = False, False, True, None
        self.vx = self.vy = self.spin = self.ax = self.ay = 0.0

    def piece(self, start):
        """From here on it moves so, up to its next piece: (time, x, y, vx, vy, ax, ay, angle, spin)."""
        still = self.stands()
        ways = (0.0, 0.0, 0.0, 0.0) if still else (*self.leg, 0.0, 0.0) if self.leg else (self.vx, self.vy, self.ax, self.ay)
        return (start, self.t0, self.x, self.y, *ways, self.angle, 0.0 if still else self.spin)


class Bits:
    """The coder of Quantized: bits of which it is known how often they were set. `contexts`: [fast, slow] of each."""

    def __init__(self, data, contexts):
        self.data, self.contexts, self.at, self.range, self.code = data, contexts, 0, 0xffffffff, 0
        for _ in range(4):
            self._byte()

    def _byte(self):
        self.code = (self.code << 8 | (self.data[self.at] if self.at < len(self.data) else 0)) & 0xffffffff
        self.at += 1

    def _widen(self):
        while self.range < 1 << 24:
            self.range <<= 8
            self._byte()

    def bit(self, context):
        estimates = self.contexts[context]
        bound = (self.range >> 15) * (sum(estimates) >> 1)
        bit = self.code >= bound
        self.code, self.range = (self.code - bound, self.range - bound) if bit else (self.code, bound)
        for i, shift in enumerate((5, 7)):
            estimates[i] += -(estimates[i] >> shift) if bit else (32768 - estimates[i]) >> shift
        self._widen()
        return int(bit)

    def plain(self, count):
        """Bits of which nothing is known."""
        bits = 0
        for _ in range(count):
            self.range >>= 1
            bit = self.code >= self.range
            self.code -= self.range if bit else 0
            bits = bits << 1 | bit
            self._widen()
        return bits

    def exact(self):
        return struct.unpack("<d", struct.pack("<Q", self.plain(64)))[0]

    def tree(self, first):
        high = self.bit(first)
        return 2 * high + self.bit(first + 1 + high)

    def number(self, first):
        if not self.bit(first):
            return 0
        negative, length = self.bit(first + 1), 1
        while length < 24 and self.bit(first + 1 + length):
            length += 1
        size = 1 if length == 1 else 2 + self.bit(first + 23 + length)
        size = size << max(length - 2, 0) | self.plain(max(length - 2, 0))
        return -size if negative else size


# Where the contexts of each kind begin, in the order of Quantized.
TOLD, STRAIGHT, LED, EXACT, RULE, TURNS, SPIN_RULE, PLACE, VELOCITY, ANGLES, SPINS, CONTEXTS, STALE, CONTEXTS_LIMITED = (
    0, 24, 27, 30, 31, 43, 45, 48, 144, 240, 288, 336, 344, 350)
STALE_MAX = 1 << 20


class Follower:
    """A world as its updates tell it. `circles` and `segments` by id; `tick`, `time` and `dt`; `epoch`; `hash` at `hash_tick`; the last
    `history` ticks can be asked for with `place`. With bytes limited a circle has `stale`: for how many ticks it has not been within its
    tolerance. `stale_error` is the largest error of these, and `waiting_circles` how many are not told of yet. `on_tick`, if there is one, is called with the follower after each tick; with a `tolerance` after each update. Segments of a
    map are not in the stream but for those that are switched: `map` is its name."""

    def __init__(self, history=16, on_tick=None):
        self.history, self.on_tick = history, on_tick
        self.tick = self.hash = self.hash_tick = self.missed_ticks = self.epoch = 0
        self.dt, self.map, self.ready = 0.0, "", False
        self.circles, self.segments, self.order, self.past = {}, {}, [], []
        self.tolerance, self.driven_tolerance, self.contexts = 0.0, 0.0, []
        self.bytes_per_second, self.stale_error, self.waiting_circles = 0, 0.0, 0
        self.names, self.named = [], 0  # velocities of commands that may be named, and how many there were

    time = property(lambda self: self.tick * self.dt)

    def update(self, data):
        """Takes the bytes of a WorldUpdate."""
        update = dict(fields(data))
        tick = update.get(1, 0)
        if 4 in update:
            self.hash, self.hash_tick = struct.unpack("<Q", update[4])[0], update.get(5, 0)
        if 8 in update or 10 not in update:
            self.stale_error, self.waiting_circles = numbers(update.get(20, bytes(4)), "f")[0], update.get(21, 0)
        if 8 in update:
            return self._key(tick, dict(fields(update[8])), update)
        if 10 in update:  # contacts, events and ends: not needed to go on
            return None
        if not self.ready or tick - self.tick != update.get(2, 0) or tick - self.tick > TICKS_MAX:
            raise FollowError("tick %d does not follow tick %d" % (tick, self.tick))
        if self.tolerance > 0:
            return self._quantized(tick, update.get(18, b""), dict(fields(update.get(9, b""))))
        return self._paths(tick, update.get(11, b""))

    def place(self, circle, time):
        """(x, y, angle) of a circle at a time of the world, or None: it was not there, or that is too long ago."""
        for start, length, pieces in reversed(self.past):
            if time >= start:
                ways = pieces.get(circle)
                if ways is None:
                    return None
                t0, x, y, vx, vy, ax, ay, angle, spin = [way for way in ways if way[0] <= time][-1][1:]
                s = min(time - start, length) - t0
                return None if x is None else (x + s * (vx + 0.5 * s * ax), y + s * (vy + 0.5 * s * ay), angle + s * spin)
        return None

    def _key(self, tick, key, update):
        scene = dict(fields(key.get(2, b"")))
        if 5 in key:  # of a key in parts the first
            self.circles, self.segments, self.past = {}, {}, []
            self.tick, self.missed_ticks = tick, update.get(3, 0)
            self.dt, self.epoch, self.map = numbers(key[5], "d")[0], struct.unpack("<Q", key[1])[0], key.get(3, b"").decode()
            self.gravity = [numbers(scene.get(field, bytes(8)), "d")[0] for field in (5, 6)]
            self.speed_max = numbers(scene.get(12, bytes(8)), "d")[0]
            self.tolerance, self.driven_tolerance = (numbers(key.get(field, bytes(8)), "d")[0] for field in (17, 18))
            self.names, self.named, self.bytes_per_second = [], 0, key.get(19, 0)
            self.contexts = [list(pair) for pair in struct.iter_unpack("<HH", key.get(16, b""))]
            if len(self.contexts) != ((CONTEXTS_LIMITED if self.bytes_per_second else CONTEXTS) if self.tolerance > 0 else 0):
                raise FollowError("a key without its coder")
        part = self._circles(scene.get(1, b""), key, 8)
        self._segments(scene.get(3, b""))
        self._motions(key.get(13, b""))
        for circle, byte in zip(part, key.get(15, b"")):
            circle.mode, circle.history, circle.rule = byte & 3, byte >> 2 & 7, byte >> 5
            circle.driven = circle.mode == 2
        for circle, stale in zip(part, varints(key.get(20, b""))):
            circle.stale = stale
        self.order, self.ready = sorted(self.circles), True

    def _circles(self, data, told, field):  # `told` has how they move, from this field on
        names = ("x", "y", "vx", "vy", "radius", "angle", "spin", "gravity_scale", "mass", "keep", "spin_keep", "kind", "tag")
        columns = [(field, 0.0) for field in (3, 4, 5, 6, 7, 15, 16)] + [(21, 1.0), (8, 1.0), (19, 0.0), (20, 0.0)]
        rows = table(data, columns, ((10, ""), (33, "Q")))
        for row in rows:
            circle = self.circles[row[0]] = Circle()
            circle.id, circle.t0, circle.gone = row[0], 0.0, False
            circle.mode = circle.history = circle.rule = circle.stale = 0
            for name, value in zip(names, row[1:]):
                setattr(circle, name, value)
            circle.keep, circle.spin_keep = 1 / (1 + self.dt * circle.keep), 1 / (1 + self.dt * circle.spin_keep)
            circle.pull(self.gravity)
            circle.free()
        circles = [self.circles[row[0]] for row in rows]
        for place in varints(told.get(field, b"")):
            circles[place].driven = True
        for place in varints(told.get(field + 1, b"")):
            circles[place].sleep()
        held = (varints(told.get(field + 2, b"")), numbers(told.get(field + 3), "d"), numbers(told.get(field + 4), "d"))
        for place, ax, ay in zip(*held):
            circles[place].held, circles[place].ax, circles[place].ay = True, ax, ay
        return circles

    def _segments(self, data):
        names = ("id", "x1", "y1", "x2", "y2", "radius", "vx", "vy", "disabled")
        for row in table(data, [(field, 0.0) for field in (3, 4, 5, 6, 16, 18, 19)], ((20, ""),)):
            self.segments[row[0]] = SimpleNamespace(home=None, moved=None, **dict(zip(names, row)))

    def _motions(self, data):
        motions = dict(fields(data))
        homes = zip(*(numbers(motions.get(field), "d") for field in range(2, 8)))
        for name, (x1, y1, x2, y2, moved_x, moved_y) in zip(numbers(motions.get(1), "I"), homes):
            if name in self.segments:
                self.segments[name].home, self.segments[name].moved = (x1, y1, x2, y2), [moved_x, moved_y]

    def _change(self, change):
        for shapes, field in ((self.circles, 1), (self.segments, 2)):
            for name in numbers(change.get(field), "I"):
                shapes.pop(name, None)
        if 14 in change:
            gravity = dict(fields(change[14]))
            self.gravity = [numbers(gravity.get(field, bytes(8)), "d")[0] for field in (1, 2)]
            for circle in self.circles.values():
                circle.pull(self.gravity)
        self._circles(change.get(3, b""), change, 9)
        self._segments(change.get(4, b""))
        self._motions(change.get(8, b""))
        self.order = sorted(self.circles)

    def _paths(self, tick, data):
        changes = [dict(fields(value)) for field, value in fields(data) if field == 1]
        paths = dict(fields(data))
        counts = varints(paths.get(2, b""))
        self.rows = zip(varints(paths.get(3, b"")), varints(paths.get(4, b"")))
        self.codes = (code for byte in paths.get(5, b"") for code in (byte & 15, byte >> 4))
        self.values, self.value_at = paths.get(6, b""), 0
        if paths.get(7):
            self.names, self.named = [], 0
        first = self.tick
        for change in changes if tick == first else ():  # Steer
            self._change(change)
        while self.tick < tick:
            for change in changes:
                if change.get(7) == self.tick + 1:
                    self._change(change)
            self._tick(counts[self.tick - first] if self.tick - first < len(counts) else 0)

    def _tick(self, count):
        start, pieces, time, self.before = self.time, {}, 0.0, None
        for circle in self.circles.values():
            circle.begin(self.speed_max)
            pieces[circle.id] = [circle.piece(start)]
        for _ in range(count):
            place, what = next(self.rows, (len(self.order), 0))
            if place >= len(self.order):
                raise FollowError("a row of no circle")
            circle = self.circles[self.order[place]]
            if what & TIME:
                time, self.before = self._number(time), None
            if what & END:
                time, self.before = self.dt, None
            circle.go(time)
            self._row(circle, what)
            if not what & END:
                pieces[circle.id].append(circle.piece(start + time) if not circle.gone else (start + time, 0.0) + (None,) * 8)
        for circle in list(self.circles.values()):
            if circle.driven and not circle.leg and not circle.gone:  # straight to where it is at the tick's end
                way = pieces[circle.id][-1]
                s = self.dt - way[1] or 1.0
                pieces[circle.id][-1] = (*way[:4], (circle.x - way[2]) / s, (circle.y - way[3]) / s, 0.0, 0.0, *way[8:])
            circle.go(self.dt)
            if circle.gone:
                del self.circles[circle.id]
                self.order.remove(circle.id)
        self._segments_go()
        self.tick += 1
        self._keep(start, self.dt, pieces)

    def _segments_go(self):
        for segment in self.segments.values():
            if segment.moved:
                segment.moved[0] += segment.vx * self.dt
                segment.moved[1] += segment.vy * self.dt
                segment.x1, segment.x2 = (x + segment.moved[0] for x in segment.home[::2])
                segment.y1, segment.y2 = (y + segment.moved[1] for y in segment.home[1::2])

    def _keep(self, start, length, pieces):
        self.past = self.past[1 - self.history:] + [(start, length, pieces)]
        if self.on_tick:
            self.on_tick(self)

    def _quantized(self, tick, data, change):
        start, ticks, time, pieces = self.time, tick - self.tick, (tick - self.tick) * self.dt, {}
        bits, anew = Bits(data, self.contexts), numbers(dict(fields(change.get(3, b""))).get(2), "I")
        gone = {*anew, *numbers(change.get(1), "I")}
        for circle in [self.circles[name] for name in self.order if ticks and name not in gone]:
            x, y, angle = circle.x, circle.y, circle.angle
            circle.go_on(ticks, self.dt, self.speed_max)
            told = bits.bit(CONTEXTS + circle.history if circle.stale else TOLD + 8 * circle.mode + circle.history)
            if told:
                self._told(circle, bits, time, (circle.stale + ticks) * self.dt)
            stale = not told and self.bytes_per_second > 0 and bits.bit(STALE + 2 * circle.mode + (circle.stale > 0))
            circle.stale = min(circle.stale + ticks, STALE_MAX) if stale else 0
            circle.history = (2 * circle.history + told) & 7
            pieces[circle.id] = [(start, 0.0, x, y, (circle.x - x) / time, (circle.y - y) / time, 0.0, 0.0, angle,
                                  (circle.angle - angle) / time)]
        if bits.at < len(data):
            raise FollowError("bytes that are left over")
        for _ in range(ticks):
            self._segments_go()
        self._change(change)
        self.tick = tick
        if ticks:
            self._keep(start, time, pieces)

    def _told(self, circle, bits, time, waited):
        def follow(name, speed, rule, way, grid, first):
            velocity = getattr(circle, speed)
            if rule in (1, 3):
                velocity = velocity + way / waited
            if rule == 3:
                velocity += bits.number(first) * (grid / (16 * time))
            setattr(circle, speed, 0.0 if rule == 2 else velocity)
            setattr(circle, name, getattr(circle, name) + way)

        before = circle.mode
        circle.mode = 1 + bits.bit(LED + before) if bits.bit(STRAIGHT + before) else 0
        circle.driven = circle.mode == 2
        if bits.bit(EXACT):
            circle.x, circle.y, circle.vx, circle.vy, circle.angle, circle.spin = (bits.exact() for _ in range(6))
            circle.rule = 0
            return
        grid = 1.414 * (self.driven_tolerance if circle.driven else self.tolerance)
        steps = [bits.number(PLACE + 48 * (circle.history & 1)) for _ in "xy"]
        circle.rule = bits.tree(RULE + 3 * circle.rule)
        for name, step in zip("xy", steps):
            follow(name, "v" + name, circle.rule, step * grid, grid, VELOCITY + 48 * (step == 0))
        if bits.bit(TURNS + (circle.spin != 0)):
            grid /= circle.radius
            way = bits.number(ANGLES) * grid
            follow("angle", "spin", bits.tree(SPIN_RULE), way, grid, SPINS)

    def _row(self, circle, what):
        if what & FREE:
            circle.free()
        if what & DRIVEN:
            circle.driven, circle.asleep, circle.held = True, False, False
        before, changed = self.before, {}
        leg = circle.driven and what & VX and not what & END
        if leg:
            bases = circle.leg or (circle.vx, circle.vy)
            circle.leg, what = (self._number(bases[0]), self._number(bases[1])), what & ~(VX | VY)
        for bit, name in NUMBERS:
            if what & bit:
                base = old = getattr(circle, name)
                if what & END and circle.driven and not circle.leg and name in "xy":
                    base += self.dt * getattr(circle, "v" + name)
                elif before and name in before[1] and circle.kind in DYNAMIC:
                    base += before[0] / circle.mass * before[1][name]
                begins = bit in (VX, VY) and circle.t0 == 0 and not what & END
                setattr(circle, name, self._velocity(base) if begins else self._number(base))
                if bit in (VX, VY):
                    changed[name] = old - getattr(circle, name)
        self.before = (circle.mass, changed) if circle.kind in DYNAMIC and circle.t0 > 0 and not leg else None
        circle.held = circle.held or bool(what & HELD)
        if what & ASLEEP:
            circle.sleep()
        circle.gone = circle.gone or bool(what & REMOVED)

    def _velocity(self, base):
        """Of a command: it may be named, or be named later."""
        code, at = next(self.codes, None), self.value_at
        if code == NAME:
            self.value_at += 1
            if at >= len(self.values) or self.values[at] >= len(self.names):
                raise FollowError("a name of nothing")
            return self.names[self.values[at]]
        number = self._number(base, code)
        if self.value_at - at >= 2:
            self.names[self.named % 256:self.named % 256 + 1] = [number]
            self.named += 1
        return number

    def _number(self, base, code=None):
        code = next(self.codes, None) if code is None else code
        if code in (6, 7):
            return base if code == 7 else -base
        if code in (None, NAME) or self.value_at + code - 8 * (code > 8) > len(self.values):
            raise FollowError("numbers that end too early")
        count = code if code <= 8 else code - 8
        data, self.value_at = self.values[self.value_at:self.value_at + count], self.value_at + count
        if code <= 8:
            return struct.unpack(">f", data)[0] if code == 4 else struct.unpack(">d", data.ljust(8, b"\0"))[0]
        step = int.from_bytes(data, "little")
        step = ~(step >> 1) if step & 1 else step >> 1
        return struct.unpack("<d", struct.pack("<Q", (struct.unpack("<Q", struct.pack("<d", base))[0] + step) & (1 << 64) - 1))[0]
