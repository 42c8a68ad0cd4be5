"""Follows a live world of collided within a tolerance: places at updates, and straight lines between them.

    follower = Follower(quantized=Quantized)
    follower.update(data)  # the bytes of each WorldUpdate of a subscription to STREAM_STATES with a tolerance, in order
    x, y, angle = follower.place(7, follower.time - 0.01)
    worst = follower.quantized.stale_error

It goes by the rule of Quantized in collide.proto, and is given to a Follower of collide_follow. That then reads both
kinds of streams: exact paths, and these.
"""
from collide_follow import DYNAMIC, FollowError
from collide_wire import double

# Where the contexts of each kind begin, in the order of Quantized.
TOLD, STRAIGHT, LED, EXACT, RULE, TURNS, SPIN_RULE = 0, 24, 27, 30, 31, 43, 45
PLACE, VELOCITY, ANGLES, SPINS, CONTEXTS = 48, 144, 240, 288, 336
STALE, CONTEXTS_LIMITED = 344, 350
STALE_MAX = 1 << 20


class Bits:
    """The range coder: bits of which it is known how often they were set. `contexts` has that: [fast, slow] of each."""

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
        return double(self.plain(64))

    def tree(self, first):
        """One of four."""
        high = self.bit(first)
        return 2 * high + self.bit(first + 1 + high)

    def number(self, first):
        """A whole number: how many bits it has, and these."""
        if not self.bit(first):
            return 0
        negative, length = self.bit(first + 1), 1
        while length < 24 and self.bit(first + 1 + length):
            length += 1
        size = 1 if length == 1 else 2 + self.bit(first + 23 + length)
        size = size << max(length - 2, 0) | self.plain(max(length - 2, 0))
        return -size if negative else size


class Quantized:
    """What a stream within a tolerance tells. At an update no place is farther off than `tolerance`, of driven circles
    than `driven_tolerance`. With `bytes_per_second` (0: no limit) some circles are left out. `stale` of one says for
    how many ticks it has not been within its tolerance. `stale_error` is the largest error of these, and
    `waiting_circles` how many are not told of yet. `mode`, `history` and `rule` of a circle are the coder's."""

    def __init__(self, follower, key):
        self.follower, self.tolerance, self.driven_tolerance = follower, key.number(17), key.number(18)
        self.bytes_per_second, self.stale_error, self.waiting_circles = key.last(19, 0), 0.0, 0
        estimates = key.column(16, "H")
        self.contexts = [list(pair) for pair in zip(estimates[::2], estimates[1::2])]
        if len(self.contexts) != (CONTEXTS_LIMITED if self.bytes_per_second else CONTEXTS):
            raise FollowError("a key without its coder")
        if not all(0 < estimate < 32768 for estimate in estimates):
            raise FollowError("a coder that is surer than any can be")  # its range might become empty

    def key(self, circles, update):
        """A part of a key."""
        key = update.message(8)
        self._begin(circles, update)
        for circle, byte in zip(circles, key.last(15)):
            circle.mode, circle.history, circle.rule = byte & 3, byte >> 2 & 7, byte >> 5
            circle.driven = circle.mode == 2
        for circle, stale in zip(circles, key.column(20)):
            circle.stale = stale

    def _begin(self, circles, update):
        self.stale_error, self.waiting_circles = update.number(20, "f"), update.last(21, 0)
        for circle in circles:
            circle.mode = circle.history = circle.rule = circle.stale = 0

    def update(self, tick, update):
        follower, change = self.follower, update.message(9)
        ticks, pieces = tick - follower.tick, {}
        time = ticks * follower.dt
        bits = Bits(update.last(18), self.contexts)
        gone = {*change.message(3).column(2, "I"), *change.column(1, "I")}  # those that come anew are gone, too
        for circle in [one for one in follower.circles.values() if ticks and one.id not in gone]:
            x, y, angle = circle.x, circle.y, circle.angle
            self.go_on(circle, ticks)
            self._told(circle, bits, ticks)
            way = ((circle.x - x) / time, (circle.y - y) / time, 0.0, 0.0)
            pieces[circle.id] = [(0.0, x, y, *way, angle, (circle.angle - angle) / time)]
        if bits.at < len(update.last(18)):
            raise FollowError("bytes that are left over")
        if ticks:
            follower.went(ticks, pieces)
        self._begin(follower.change(change), update)
        if ticks and follower.on_tick:
            follower.on_tick(follower)

    def go_on(self, circle, ticks):
        """Where a reader takes it to be so many ticks later."""
        dt, free = self.follower.dt, circle.mode == 0 and circle.kind in DYNAMIC
        gx, gy = (circle.gx, circle.gy) if free else (0.0, 0.0)
        for _ in range(ticks):
            if free:
                circle.slow(self.follower.speed_max)
            circle.x += dt * (circle.vx + 0.5 * dt * gx)
            circle.y += dt * (circle.vy + 0.5 * dt * gy)
            circle.vx += dt * gx
            circle.vy += dt * gy
            circle.angle += dt * circle.spin

    def _told(self, circle, bits, ticks):
        """What is told of a circle, if anything."""
        told = bits.bit(CONTEXTS + circle.history if circle.stale else TOLD + 8 * circle.mode + circle.history)
        if told:
            before = circle.mode
            circle.mode = 1 + bits.bit(LED + before) if bits.bit(STRAIGHT + before) else 0
            circle.driven = circle.mode == 2
            if bits.bit(EXACT):
                circle.x, circle.y, circle.vx, circle.vy, circle.angle, circle.spin = (bits.exact() for _ in range(6))
                circle.rule = 0
            else:
                self._corrected(circle, bits, ticks * self.follower.dt, (circle.stale + ticks) * self.follower.dt)
        stale = not told and self.bytes_per_second > 0 and bits.bit(STALE + 2 * circle.mode + (circle.stale > 0))
        circle.stale = min(circle.stale + ticks, STALE_MAX) if stale else 0
        circle.history = (2 * circle.history + told) & 7

    def _corrected(self, circle, bits, time, waited):
        """By steps of a grid. Velocities follow from these, as a rule says."""
        def correct(name, speed, rule, way, grid, first):
            velocity = getattr(circle, speed)
            if rule in (1, 3):
                velocity = velocity + way / waited
            if rule == 3:
                velocity += bits.number(first) * (grid / (16 * time))
            setattr(circle, speed, 0.0 if rule == 2 else velocity)
            setattr(circle, name, getattr(circle, name) + way)

        grid = 1.414 * (self.driven_tolerance if circle.driven else self.tolerance)
        steps = [bits.number(PLACE + 48 * (circle.history & 1)) for _ in "xy"]
        circle.rule = bits.tree(RULE + 3 * circle.rule)
        for name, step in zip("xy", steps):
            correct(name, "v" + name, circle.rule, step * grid, grid, VELOCITY + 48 * (step == 0))
        if bits.bit(TURNS + (circle.spin != 0)):
            grid /= circle.radius
            way = bits.number(ANGLES) * grid
            correct("angle", "spin", bits.tree(SPIN_RULE), way, grid, SPINS)
