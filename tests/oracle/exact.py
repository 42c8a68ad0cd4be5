"""Do two shapes touch while they move? Decided in integers, from the mathematics alone.

A double is an integer times a power of two. All lengths of a query, and its movement (velocity times duration, exactly), become
integers in one unit. A point d that moves by p, in the fraction s of the movement, is at d + s p. It meets the circle of radius
R around the origin when |d + s p| = R. Nothing here is rounded but the times, which are roots: 256 bits.
"""
import functools

import gmpy2
from gmpy2 import mpfr

gmpy2.get_context().precision = 256

HIT, AT_START, NOT_MOVING, OUT_OF_REACH, MOVING_AWAY, PASSES, ENDS_BEFORE = range(7)


def scaled(lengths, velocities, duration):
    """(integers, integers, exponent): lengths and velocity * duration in units of 2^-exponent."""
    lengths = [x.as_integer_ratio() for x in lengths]
    bits = max([d for _, d in lengths]).bit_length()
    if not velocities:
        return [n << (bits - d.bit_length()) for n, d in lengths], [], bits - 1
    velocities = [v.as_integer_ratio() for v in velocities]
    tn, td = duration.as_integer_ratio()
    # A denominator 2^k has k + 1 bits.
    more = td.bit_length() - 1
    bits = max(bits, max([d for _, d in velocities]).bit_length() + more)
    return ([n << (bits - d.bit_length()) for n, d in lengths],
            [n * tn << (bits - more - d.bit_length()) for n, d in velocities], bits - 1)


def sign_of_sum(a, b, square):
    """The sign of a + b sqrt(square)."""
    if a >= 0 and b >= 0:
        return 1 if a or (b and square) else 0
    if a <= 0 and b <= 0:
        return -1 if a or (b and square) else 0
    left, right = a * a, b * b * square
    if left == right:
        return 0
    return (1 if a > 0 else -1) if left > right else (1 if b > 0 else -1)


def twin(self):
    """As copy.copy, in a fraction of the time."""
    other = object.__new__(type(self))
    other.__dict__.update(self.__dict__)
    return other


def root(n):
    return gmpy2.sqrt(mpfr(n))


class Circle:
    """A point d moving by p against the circle of radius R."""

    def __init__(self, dx, dy, px, py, R):
        self.dx, self.dy, self.px, self.py, self.R = dx, dy, px, py, R
        self.d2, self.p2, self.b = dx * dx + dy * dy, px * px + py * py, dx * px + dy * py
        self.R2 = R * R

    def of_radius(self, R):
        """The same point against another circle."""
        other = twin(self)
        other.R, other.R2 = R, R * R
        return other

    def enters(self):
        """From outside, sooner or later; touching without entering is not entering."""
        cross = self.dx * self.py - self.dy * self.px
        self.disc = self.p2 * self.R2 - cross * cross
        return self.d2 > self.R2 and self.b < 0 and self.disc > 0

    def enters_in_time(self):
        """If it enters: is it inside at the end, or past the nearest point?"""
        return self.d2 + 2 * self.b + self.p2 <= self.R2 or self.b + self.p2 >= 0

    def fraction(self):
        return (mpfr(self.d2 - self.R2)) / (root(self.disc) - self.b)

    def beyond(self):
        """The gap at the start is longer than the movement."""
        e = self.d2 - self.R2 - self.p2
        return e > 0 and e * e > 4 * self.R2 * self.p2

    def outcome(self):
        if self.p2 == 0:
            return NOT_MOVING
        if self.d2 <= self.R2:
            return AT_START if self.b < 0 else MOVING_AWAY
        if self.beyond():
            return OUT_OF_REACH
        if self.b >= 0:
            return MOVING_AWAY
        if not self.enters():
            return PASSES
        return HIT if self.enters_in_time() else ENDS_BEFORE

    def hit_fraction(self):
        return self.fraction()

    def distance(self):
        return root(self.d2)

    def approach(self):
        """How fast the distance falls at the start: length in the whole movement."""
        return -self.b / root(self.d2)

    def closest_fraction(self):
        return mpfr(-self.b) / self.p2

    def distance_at(self, n, d):
        """At the fraction n / d: exactly a root."""
        x, y = self.dx * d + self.px * n, self.dy * d + self.py * n
        return root(x * x + y * y) / d

    def falls_at(self, n, d):
        """Does the distance fall at the fraction n / d, or stand?"""
        return self.b * d + self.p2 * n <= 0

    def closest(self):
        """The smallest distance within the movement."""
        if self.b >= 0 or self.p2 == 0:
            return self.distance()
        if self.b + self.p2 <= 0:
            return self.distance_at(1, 1)
        return root((self.dx * self.py - self.dy * self.px) ** 2) / root(self.p2)


class Segment:
    """A point moving by p against all that is within R of a segment."""

    def __init__(self, x1, y1, x2, y2, cx, cy, px, py, R):
        self.ux, self.uy = x2 - x1, y2 - y1
        self.first = Circle(cx - x1, cy - y1, px, py, R)
        self.second = Circle(cx - x2, cy - y2, px, py, R)
        self.px, self.py, self.R, self.p2 = px, py, R, self.first.p2
        self.u2 = self.ux * self.ux + self.uy * self.uy
        self.foot = self.ux * self.first.dx + self.uy * self.first.dy
        self.turn = self.ux * self.first.dy - self.uy * self.first.dx
        self.along = self.ux * px + self.uy * py
        self.rate = self.ux * py - self.uy * px

    def of_radius(self, R):
        other = twin(self)
        other.R, other.first, other.second = R, self.first.of_radius(R), self.second.of_radius(R)
        return other

    def nearest(self):
        return self.first if self.foot < 0 else self.second if self.foot > self.u2 else None

    def overlaps(self):
        end = self.nearest()
        return end.d2 <= end.R2 if end else self.turn * self.turn <= self.R * self.R * self.u2

    def falls(self):
        end = self.nearest()
        if end:
            return end.b < 0
        return self.turn * self.rate < 0 or (self.turn == 0 and self.rate != 0)

    def approach(self):
        end = self.nearest()
        return end.approach() if end else abs(self.rate) / root(self.u2)

    def beyond(self):
        end = self.nearest()
        if end:
            return end.beyond()
        e = self.turn * self.turn - self.u2 * (self.R * self.R + self.p2)
        return e > 0 and e * e > 4 * self.R * self.R * self.u2 * self.u2 * self.p2

    def face_enters(self):
        """The height comes down to R where the foot is on the segment: heights and places are times the length."""
        self.height = abs(self.turn)
        self.sinking = -self.rate if self.turn > 0 else self.rate
        if self.sinking <= 0 or self.height * self.height <= self.R * self.R * self.u2:
            return False
        a, b = self.foot * self.sinking + self.height * self.along, -self.R * self.along
        return sign_of_sum(a, b, self.u2) >= 0 and sign_of_sum(a - self.u2 * self.sinking, b, self.u2) <= 0

    def face_in_time(self):
        left = self.height - self.sinking
        return left <= 0 or left * left <= self.R * self.R * self.u2

    def face_fraction(self):
        return (self.height - self.R * root(self.u2)) / self.sinking

    def outcome(self):
        if self.p2 == 0:
            return NOT_MOVING
        if self.overlaps():
            return AT_START if self.falls() else MOVING_AWAY
        if self.beyond():
            return OUT_OF_REACH
        if not self.falls():
            return MOVING_AWAY
        face, first, second = self.face_enters(), self.first.enters(), self.second.enters()
        if not (face or first or second):
            return PASSES
        in_time = ((face and self.face_in_time()) or (first and self.first.enters_in_time()) or
                   (second and self.second.enters_in_time()))
        return HIT if in_time else ENDS_BEFORE

    def hit_fraction(self):
        return min([self.face_fraction()] * self.face_enters() +
                   [end.fraction() for end in (self.first, self.second) if end.enters()])

    def distance(self):
        return self.distance_at(0, 1)

    def distance_at(self, n, d):
        foot = self.foot * d + self.along * n
        if foot < 0:
            return self.first.distance_at(n, d)
        if foot > self.u2 * d:
            return self.second.distance_at(n, d)
        return root((self.turn * d + self.rate * n) ** 2) / d / root(self.u2)

    def falls_at(self, n, d):
        foot = self.foot * d + self.along * n
        if foot < 0:
            return self.first.falls_at(n, d)
        if foot > self.u2 * d:
            return self.second.falls_at(n, d)
        return (self.turn * d + self.rate * n) * self.rate <= 0

    def closest_fraction(self):
        """Where the distance is least, of the places where it can be."""
        places = [mpfr(0), mpfr(1)]
        for end in (self.first, self.second):
            if self.p2:
                places.append(mpfr(-end.b) / self.p2)
        if self.along:
            places += [mpfr(-self.foot) / self.along, mpfr(self.u2 - self.foot) / self.along]
        if self.rate:
            places.append(mpfr(-self.turn) / self.rate)
        best = min((self.distance_about(s), s) for s in places if 0 <= s <= 1)
        return best[1]

    def distance_about(self, s):
        """At a fraction known to 256 bits."""
        foot = self.foot + s * self.along
        if foot < 0:
            return gmpy2.hypot(self.first.dx + s * self.px, self.first.dy + s * self.py)
        if foot > self.u2:
            return gmpy2.hypot(self.second.dx + s * self.px, self.second.dy + s * self.py)
        return abs(self.turn + s * self.rate) / root(self.u2)

    def closest(self):
        return self.distance_about(self.closest_fraction())


@functools.lru_cache(maxsize=None)
def unit(exponent):
    """2^-exponent, for what is in the unit of scaled()."""
    return gmpy2.div_2exp(mpfr(1), exponent)
