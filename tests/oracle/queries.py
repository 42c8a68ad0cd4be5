"""Queries made to go wrong: every class of the list in docs, each a function of a random generator that gives one query.

A circle query is (ax, ay, ar, avx, avy, bx, by, br, bvx, bvy, margin, dt), a segment query has (x1, y1, x2, y2) for b.
The adversary computes in doubles where the edge is and then nudges: what counts is that queries crowd around it, on both sides.
"""
import math

RADIUS_MIN = 1e-9
# The distance at which the engine makes contact: physics.h.
SKIN_PER_COORDINATE = 2.0 ** -46
SKIN_PER_RADIUS = 1e-9


def skin_of(coordinates, radius):
    return max(max(map(abs, coordinates)) * SKIN_PER_COORDINATE, radius * SKIN_PER_RADIUS)


def circles_skin(q):
    return skin_of(q[:2] + q[5:7], min(q[2], q[7]))


def segment_skin(q):
    return skin_of(q[:2] + q[5:9], q[2])


def least_skin(q):
    """An end's skin is of its own coordinates, the face's of all four: contact at an end may be later by the difference."""
    return skin_of((q[0], q[1], min(max(abs(q[5]), abs(q[6])), max(abs(q[7]), abs(q[8])))), q[2])


def nudge(random, x, most=4):
    """x moved by up to `most` neighbours."""
    return x + random.randint(-most, most) * math.ulp(x)


def turned(random, length):
    angle = random.random() * math.tau
    return length * math.cos(angle), length * math.sin(angle)


def circles(random, d, w, ar, br, dt, origin=(0.0, 0.0), drift=(0.0, 0.0), margin=0.0):
    bx, by = origin
    return (bx + d[0], by + d[1], ar, drift[0] + w[0], drift[1] + w[1], bx, by, br, drift[0], drift[1], margin, dt)


def radii(random):
    return math.ldexp(0.5 + random.random(), random.randint(-10, 10)), math.ldexp(0.5 + random.random(), random.randint(-10, 10))


def circle_uniform(random):
    u = random.uniform
    return (u(-4, 4), u(-4, 4), u(.01, 1), u(-9, 9), u(-9, 9), u(-4, 4), u(-4, 4), u(.01, 1), u(-9, 9), u(-9, 9),
            random.choice((0.0, 1e-9)), u(.01, 2))


def circle_fast(random):
    """A thousand to ten million radii away, straight at it or nearly."""
    ar, br = radii(random)
    R = ar + br
    far = R * 10 ** random.uniform(3, 7)
    x, y = turned(random, far)
    miss = R * random.uniform(-1.1, 1.1) / far
    speed = 10 ** random.uniform(-2, 6)
    w = (-(x + miss * y) * speed, -(y - miss * x) * speed)
    return circles(random, (x, y), w, ar, br, random.uniform(.9, 1.5) / speed)


def circle_grazing(random, as_segment=False):
    """The path passes at the sum of the radii, or at that and the skin, give or take ulps."""
    ar, br = radii(random)
    R = ar + br
    x, y = turned(random, R * (1 + 10 ** random.uniform(-3, 4)))
    margin = random.choice((0.0, skin_of((x, y), ar + br if as_segment else min(ar, br))))
    edge = nudge(random, (R + margin) / math.hypot(x, y))
    along = math.sqrt(max(0.0, (1 - edge) * (1 + edge)))
    speed = 10 ** random.uniform(-3, 3)
    w = ((-along * x - edge * y) * speed, (-along * y + edge * x) * speed)
    return circles(random, (x, y), w, ar, nudge(random, br), 2.0 / speed, margin=margin)


def hit_time(dx, dy, wx, wy, R):
    """About when, or None."""
    b, w2 = dx * wx + dy * wy, wx * wx + wy * wy
    disc = w2 * R * R - (dx * wy - dy * wx) ** 2
    if not (b < 0 and disc > 0):
        return None
    t = (dx * dx + dy * dy - R * R) / (math.sqrt(disc) - b)
    return t if t > 0 else None


def along_edge(random, x, y):
    """A velocity from (x, y) past the origin's circle through it: nearer or farther by anything down to an ulp."""
    slope = random.choice((-1, 1)) * 10 ** random.uniform(-17, 1) * random.choice((0, 1, 1, 1))
    side, speed = random.choice((-1, 1)), 10 ** random.uniform(-3, 3)
    return (-y * side - slope * x) * speed, (x * side - slope * y) * speed


def circle_start_of_tick(random):
    """They touch when the tick begins, give or take ulps, and then come nearer, go apart or move along each other."""
    ar, br = radii(random)
    R = ar + br
    x, y = turned(random, R) if random.random() < .8 else random.choice(((R, 0.0), (0.0, -R), (-.6 * R, .8 * R)))
    margin = random.choice((0.0, skin_of((x, y), min(ar, br))))
    grow = 1 + margin / R
    d = (nudge(random, x * grow), nudge(random, y * grow))
    return circles(random, d, along_edge(random, x, y), ar, br, 10 ** random.uniform(-3, 0), margin=margin)


def circle_end_of_tick(random):
    """The tick ends when they touch, give or take ulps."""
    while True:
        q = circle_uniform(random) if random.random() < .8 else circle_fast(random)
        q = q[:10] + (random.choice((0.0, circles_skin(q))), q[11])
        t = hit_time(q[0] - q[5], q[1] - q[6], q[3] - q[8], q[4] - q[9], q[2] + q[7] + q[10])
        if t:
            return q[:11] + (nudge(random, t),)


def circle_parallel(random):
    """Both fast, nearly at the same velocity; or passing side by side."""
    ar, br = radii(random)
    R = ar + br
    x, y = turned(random, R * (1 + 10 ** random.uniform(-12, 0)))
    slow = 10 ** random.uniform(-9, 0)
    w = turned(random, slow) if random.random() < .5 else (-slow * y / R + x * 1e-9, slow * x / R)
    return circles(random, (x, y), w, ar, br, 10 ** random.uniform(0, 3), drift=turned(random, 10 ** random.uniform(0, 6)))


def circle_tiny_velocity(random):
    """Speeds down to denormal ones, gaps and times to match."""
    power = random.choice((random.randint(-1074, -900), random.randint(-900, -300), random.randint(-300, -20)))
    ar = math.ldexp(random.randint(1, 99), -35)
    br = math.ldexp(random.randint(1, 99), -35)
    gap = math.ldexp(random.random() + .5, min(-31, max(-1073, power + random.randint(-10, 39))))
    sign = random.choice((-1.0, 1.0))
    # A distance of R + gap: b at R and a at -gap, exactly.
    w = (math.ldexp(random.random() + .5, power) * sign, math.ldexp(random.random(), power - random.randint(0, 30)))
    dt = math.ldexp(1 + random.random(), random.randint(0, 38))
    q = (-gap * sign, 0.0, ar, w[0], w[1], (ar + br) * sign, 0.0, br, 0.0, 0.0, 0.0, dt)
    return q if random.random() < .5 else (q[1], q[0], q[2], q[4], q[3], q[6], q[5]) + q[7:]


def circle_far_from_origin(random):
    """Coordinates up to 1e12, radii down to 1e-9."""
    size = 10 ** random.uniform(3, 11.9)
    r = max(RADIUS_MIN, size * 10 ** random.uniform(-21, -3))
    near = max(r, 64 * math.ulp(size))
    d = turned(random, near * random.uniform(1, 40))
    aim = random.uniform(-1.2, 1.2)
    w = (-d[0] - aim * d[1] * near / math.hypot(*d), -d[1] + aim * d[0] * near / math.hypot(*d))
    q = circles(random, d, w, r, r * random.uniform(1, 3), random.uniform(.5, 2), origin=turned(random, size))
    return q


TRIPLES = [(m * m - n * n, 2 * m * n, m * m + n * n) for m in range(2, 40) for n in range(1, m)]


def triple(random):
    a, b, c = random.choice(TRIPLES)
    if random.random() < .5:
        a, b = b, a
    return a * random.choice((-1, 1)), b * random.choice((-1, 1)), c


def circle_ties(random):
    """Whole numbers: touches exactly at the start, at the end of the tick, or grazes exactly."""
    a, b, c = triple(random)
    ar = random.randint(1, c - 1) if c > 1 else 1
    s, v = math.ldexp(1.0, random.randint(-20, 20)), math.ldexp(1.0, random.randint(-8, 8))
    kind = random.randrange(3)
    if kind == 0:  # touches at the start
        d, w, dt = (a, b), (random.randint(-9, 9), random.randint(-9, 9)), 1.0
    elif kind == 1:  # touches after `steps` whole steps, the end of the tick, or one before or after
        steps, w = random.randint(1, 99), (-a * random.randint(1, 3), -b + random.randint(-3, 3))
        d, dt = (a - w[0] * steps, b - w[1] * steps), steps + random.choice((0, 0, 0, -1, 1))
    else:  # the path is the tangent at (a, b)
        k = random.randint(1, 30)
        w, d, dt = (-b, a), (a + b * k, b - a * k), 2.0 * k
        if random.random() < .3:
            dt = float(k)
    d, w = (d[0] * s, d[1] * s), (w[0] * s * v, w[1] * s * v)
    return circles(random, d, w, ar * s, (c - ar) * s, max(float(dt), .5) / v)


def segment_about(random, contact, direction, d, w, r, dt, length, at, margin=0.0):
    """Laid through `contact` along `direction`, which is at the part `at` of its length; the centre is at contact + d."""
    ux, uy = direction
    x1, y1 = contact[0] - ux * length * at, contact[1] - uy * length * at
    x2, y2 = contact[0] + ux * length * (1 - at), contact[1] + uy * length * (1 - at)
    return (contact[0] + d[0], contact[1] + d[1], r, w[0], w[1], x1, y1, x2, y2, margin, dt)


def segment_uniform(random):
    u = random.uniform
    return (u(-4, 4), u(-4, 4), u(.01, 1), u(-9, 9), u(-9, 9), u(-4, 4), u(-4, 4), u(-4, 4), u(-4, 4),
            random.choice((0.0, 1e-9)), u(.01, 2))


def segment_fast(random):
    u = turned(random, 1.0)
    r = math.ldexp(.5 + random.random(), random.randint(-10, 10))
    far = r * 10 ** random.uniform(3, 7)
    side, slant = random.choice((-1, 1)), random.uniform(-3, 3)
    d = (far * (-u[1] * side + slant * u[0]), far * (u[0] * side + slant * u[1]))
    speed = 10 ** random.uniform(-2, 6)
    w = (-d[0] * speed, -d[1] * speed)
    return segment_about(random, (0.0, 0.0), u, d, w, r, random.uniform(.9, 1.5) / speed,
                         far * 10 ** random.uniform(-8, 1), random.uniform(-.1, 1.1))


def segment_grazing(random):
    """Past an end at the radius, or along the face at the radius, give or take ulps."""
    if random.random() < .5:
        q = circle_grazing(random, True)
        u = (q[3], q[4]) if random.random() < .3 else (-q[0], -q[1])
        u = (-u[0], -u[1]) if random.random() < .5 else u
        x, y = q[5] + u[0] * random.random(), q[6] + u[1] * random.random()
        if (x, y) == (q[5], q[6]):
            return segment_uniform(random)
        return q[:2] + (q[2] + q[7],) + q[3:5] + ((q[5], q[6], x, y) if random.random() < .5 else (x, y, q[5], q[6])) + q[10:]
    u = turned(random, 1.0)
    r = nudge(random, math.ldexp(.5 + random.random(), random.randint(-10, 10)))
    margin = random.choice((0.0, r * SKIN_PER_RADIUS))
    slope = random.choice((0.0, 1e-16, -1e-16, random.uniform(-1, 1) * 10 ** random.uniform(-16, -3)))
    start = -r * random.uniform(0, 20)
    length = r * random.uniform(.1, 50)
    height = (r + margin) * (1 + random.randint(-4, 4) * 2 ** -52) + (random.random() < .5) * abs(slope) * length
    d = (u[0] * start - u[1] * height, u[1] * start + u[0] * height)
    speed = 10 ** random.uniform(-3, 3)
    w = ((u[0] + u[1] * slope) * speed, (u[1] - u[0] * slope) * speed)
    return segment_about(random, (0.0, 0.0), u, d, w, r, 2 * (length - start) / speed, length, 0.0, margin)


def segment_start_of_tick(random):
    """Touches the face, or an end, when the tick begins, give or take ulps."""
    r = math.ldexp(.5 + random.random(), random.randint(-10, 10))
    n = turned(random, 1.0) if random.random() < .8 else random.choice(((1.0, 0.0), (0.0, -1.0), (-.6, .8)))
    length, at = r * 10 ** random.uniform(-2, 3), random.choice((0.0, 1.0, random.random()))
    margin = random.choice((0.0, skin_of((r, length), r)))
    d = (nudge(random, n[0] * (r + margin)), nudge(random, n[1] * (r + margin)))
    u = (-n[1], n[0])
    if at in (0.0, 1.0) and random.random() < .8:  # the end: the segment leaves it away from the centre
        away, aside = random.random() * (2 * at - 1), random.uniform(-1, 1)
        u = (n[0] * away + u[0] * aside, n[1] * away + u[1] * aside)
    return segment_about(random, (0.0, 0.0), u, d, along_edge(random, n[0] * r, n[1] * r), r, 10 ** random.uniform(-3, 0), length,
                         at, margin)


def segment_end_of_tick(random):
    while True:
        q = segment_uniform(random)
        q = q[:9] + (random.choice((0.0, segment_skin(q))), q[10])
        r = q[2] + q[9]
        if random.random() < .5:
            end = random.choice((5, 7))
            t = hit_time(q[0] - q[end], q[1] - q[end + 1], q[3], q[4], r)
        else:
            ux, uy = q[7] - q[5], q[8] - q[6]
            length = math.hypot(ux, uy)
            h, rate = (ux * (q[1] - q[6]) - uy * (q[0] - q[5])) / length, (ux * q[4] - uy * q[3]) / length
            t = (abs(h) - r) / -math.copysign(rate, h * rate) if h * rate < 0 else None
        if t and 0 < t < 1e3:
            return q[:10] + (nudge(random, t),)


def segment_seam(random):
    """The circle comes down where the face ends, give or take ulps."""
    u = turned(random, 1.0) if random.random() < .7 else random.choice(((1.0, 0.0), (0.0, 1.0), (.6, .8)))
    r = math.ldexp(.5 + random.random(), random.randint(-10, 10))
    side = random.choice((-1, 1))
    n = (-u[1] * side, u[0] * side)
    length = r * 10 ** random.uniform(-3, 3)
    at = random.choice((0.0, 1.0))
    steep = random.choice((random.uniform(-2, 2), random.uniform(-1, 1) * 10 ** random.uniform(0, 9), 0.0))
    way = r * 10 ** random.uniform(-3, 3)
    slip = random.randint(-4, 4) * math.ulp(r)
    margin = random.choice((0.0, skin_of((r + way, length), r)))
    high = r + margin + way
    start = (n[0] * high + u[0] * (steep * way + slip), n[1] * high + u[1] * (steep * way + slip))
    w = (-(n[0] + u[0] * steep) * way, -(n[1] + u[1] * steep) * way)
    return segment_about(random, (0.0, 0.0), u, start, w, r, random.choice((1.5, 1.0, nudge(random, 1.0))), length, at, margin)


def segment_parallel(random):
    """Nearly along the face, from a little above it."""
    u = turned(random, 1.0)
    r = math.ldexp(.5 + random.random(), random.randint(-10, 10))
    gap = r * 10 ** random.uniform(-14, 0)
    length = r * 10 ** random.uniform(-1, 6)
    way = length * random.uniform(.1, 2)
    slope = gap / way * random.uniform(-.2, 2)
    start = length * random.uniform(-.5, 1)
    d = (u[0] * start - u[1] * (r + gap), u[1] * start + u[0] * (r + gap))
    return segment_about(random, (0.0, 0.0), u, d, (u[0] * way + u[1] * slope * way, u[1] * way - u[0] * slope * way), r,
                         random.uniform(.5, 2), length, 0.0)


def segment_tiny_velocity(random):
    q = circle_tiny_velocity(random)
    r = q[2] + q[7]  # of multiples of 2^-35: exact
    along, across = random.uniform(-1, 1), random.uniform(-1, 1)
    if q[5] != 0.0:
        wall = (q[5], across - 1, q[5], across + 1) if random.random() < .6 else (q[5], q[6], q[5] * 3, across)
    else:
        wall = (along - 1, q[6], along + 1, q[6]) if random.random() < .6 else (q[5], q[6], along, q[6] * 3)
    return q[:2] + (r,) + q[3:5] + wall + q[10:]


def segment_far_from_origin(random):
    q = circle_far_from_origin(random)
    near = math.hypot(q[0] - q[5], q[1] - q[6])
    length = near * 10 ** random.uniform(-1, 4)
    x, y = turned(random, length)
    part = random.uniform(-.2, 1.2)
    wall = (q[5] - x * part, q[6] - y * part, q[5] + x * (1 - part), q[6] + y * (1 - part))
    if wall[:2] == wall[2:] or max(map(abs, wall)) > 1e12:
        return segment_far_from_origin(random)
    return q[:5] + wall + q[10:]


def segment_ties(random):
    """Whole numbers: exact touches of face, ends and seam, exact tangents to either."""
    a, b, c = triple(random)
    s, v = math.ldexp(1.0, random.randint(-20, 20)), math.ldexp(1.0, random.randint(-8, 8))
    if random.random() < .5:  # the circle's ties, with a segment from b's centre
        q = circle_ties(random)
        along = random.choice(((1, 0), (0, -1), (-q[0], -q[1]), (q[3], q[4]), (-q[4], q[3])))
        x, y = q[5] + along[0] * q[2], q[6] + along[1] * q[2]
        if (x, y) == (q[5], q[6]) or max(abs(x), abs(y)) > 1e12:
            return segment_ties(random)
        return q[:2] + (q[2] + q[7],) + q[3:5] + (q[5], q[6], x, y) + q[10:]
    # Along (a, b), of length c k; the centre over a whole place, moved down in whole steps.
    k, r = random.randint(1, 5), random.randint(1, 9)
    steps, place = random.randint(0, 9), random.choice((0, k, random.randint(-2, 7)))
    side = random.choice((-1, 1))
    down = random.choice(((b * side, -a * side), (b * side + a, -a * side + b), (a, b), (b * side - a, -a * side - b)))
    start = (a * place - b * side * r - down[0] * steps, b * place + a * side * r - down[1] * steps)
    dt = max(.5, float(steps + random.choice((0, 0, 0, -1, 1))))
    return (start[0] * s, start[1] * s, r * c * s, down[0] * s * v, down[1] * s * v, 0.0, 0.0, a * k * s, b * k * s, 0.0, dt / v)


CLASSES = {
    "circles": (circle_uniform, circle_fast, circle_grazing, circle_start_of_tick, circle_end_of_tick, circle_parallel,
                circle_tiny_velocity, circle_far_from_origin, circle_ties),
    "segment": (segment_uniform, segment_fast, segment_grazing, segment_start_of_tick, segment_end_of_tick, segment_seam,
                segment_parallel, segment_tiny_velocity, segment_far_from_origin, segment_ties),
}
