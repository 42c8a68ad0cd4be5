#include "certificate/motion.h"

#include <stddef.h>

/* Newton's steps on a cubic stay inside a bracket that at least halves every other step, so this many always suffice; a
 * handful is usual. */
#define ROOT_STEPS_MAX 120

struct cubic {
	double c0, c1, c2, c3;
};

static double
cubic_at(const struct cubic *cubic, double s)
{
	return cubic->c0 + s * (cubic->c1 + s * (cubic->c2 + s * cubic->c3));
}

static double
cubic_slope(const struct cubic *cubic, double s)
{
	return cubic->c1 + s * (2 * cubic->c2 + 3 * s * cubic->c3);
}

/* The root in low..high, where the cubic is monotone, negative at low and not negative at high. */
static double
cubic_root(const struct cubic *cubic, double low, double high)
{
	double s = 0.5 * (low + high);

	for (int step = 0; step < ROOT_STEPS_MAX; step++) {
		double value = cubic_at(cubic, s), slope = cubic_slope(cubic, s), next;

		if (value < 0)
			low = s;
		else
			high = s;
		next = s - value / slope;
		if (!(next > low && next < high) || (step & 1))
			next = 0.5 * (low + high);
		if (fabs(next - s) <= 0x1p-52 * fabs(s))
			return next;
		s = next;
	}
	return s;
}

size_t
cert_quadratic_roots(double c0, double c1, double c2, double h, double out[2])
{
	double disc = c1 * c1 - 4 * c0 * c2, half, roots[2];
	size_t count = 0;

	if (disc < 0 || (c1 == 0 && c2 == 0))
		return 0;
	/* The root of the sum without cancellation, the other from the product of both. */
	half = -0.5 * (c1 + copysign(sqrt(disc), c1));
	roots[0] = half / c2;
	roots[1] = half != 0 ? c0 / half : roots[0];
	if (roots[0] > roots[1]) {
		double swap = roots[0];

		roots[0] = roots[1];
		roots[1] = swap;
	}
	for (int i = 0; i < 2; i++)
		if (roots[i] >= 0 && roots[i] <= h)
			out[count++] = roots[i];
	return count;
}

/* The two ways in which a distance turns. */
enum { TURN_MINIMUM = 1, TURN_MAXIMUM = 2 };

/* Times in 0..h at which the distance from the origin turns in the ways asked for; at most 3 lie inside, 2 of them minima. Half
 * the derivative of the squared distance is (d + w s + q s^2 / 2) . (w + q s), a cubic. Its leading coefficient |q|^2 / 2 is
 * not negative. Its own turning points cut 0..h into stretches where it is monotone, and a minimum is where it rises through
 * zero. */
static size_t
motion_turns(const struct cert_motion *motion, double h, int ways, double out[3])
{
	struct cert_vec d = motion->d, w = motion->w, q = motion->q;
	struct cubic slope = { cert_dot(d, w), cert_dot(w, w) + cert_dot(d, q), 1.5 * cert_dot(w, q), 0.5 * cert_dot(q, q) };
	struct cubic falling = { -slope.c0, -slope.c1, -slope.c2, -slope.c3 };
	double cuts[4] = { 0 };
	size_t cut_count = 1, count = 0;

	if (q.x == 0 && q.y == 0) {
		double s = -slope.c0 / slope.c1;

		if (s > 0 && s < h && (ways & TURN_MINIMUM))
			out[count++] = s;
		return count;
	}
	cut_count += cert_quadratic_roots(slope.c1, 2 * slope.c2, 3 * slope.c3, h, cuts + 1);
	cuts[cut_count++] = h;
	for (size_t i = 0; i + 1 < cut_count; i++) {
		double from = cubic_at(&slope, cuts[i]), to = cubic_at(&slope, cuts[i + 1]);

		if ((ways & TURN_MINIMUM) && from < 0 && to >= 0)
			out[count++] = cubic_root(&slope, cuts[i], cuts[i + 1]);
		else if ((ways & TURN_MAXIMUM) && from > 0 && to <= 0)
			out[count++] = cubic_root(&falling, cuts[i], cuts[i + 1]);
	}
	return count;
}

double
cert_motion_nearest(const struct cert_motion *motion, double h)
{
	double nearest = cert_min(cert_length(motion->d), cert_length(cert_motion_at(motion, h))), times[3];
	size_t count = motion_turns(motion, h, TURN_MINIMUM, times);

	for (size_t i = 0; i < count; i++)
		nearest = cert_min(nearest, cert_length(cert_motion_at(motion, times[i])));
	return nearest;
}

/* How far from its middle the motion may get: half the chord's travel plus the bow of the parabola. */
static double
motion_spread(const struct cert_motion *motion, double h)
{
	return 0.5 * h * (cert_length(motion->w) + h * cert_length(motion->q));
}

double
cert_motion_bound(const struct cert_motion *motion, double h)
{
	return cert_length(cert_motion_at(motion, 0.5 * h)) - motion_spread(motion, h);
}

double
cert_wall_distance(const struct cert_wall *wall, struct cert_vec point, struct cert_vec *foot)
{
	struct cert_vec from_1 = cert_sub(point, wall->p1), from_2 = cert_sub(point, wall->p2);
	double along_1 = cert_dot(from_1, wall->along), along_2 = -cert_dot(from_2, wall->along), across;

	if (along_1 <= 0 || along_2 <= 0) {
		if (foot)
			*foot = along_1 <= 0 ? wall->p1 : wall->p2;
		return cert_length(along_1 <= 0 ? from_1 : from_2);
	}
	/* From the nearer end, so that a long wall costs no digits. */
	across = cert_cross(wall->along, along_1 <= along_2 ? from_1 : from_2);
	if (foot)
		*foot = along_1 <= along_2 ? cert_along(wall->p1, along_1, wall->along) : cert_along(wall->p2, -along_2, wall->along);
	return fabs(across);
}

bool
cert_walls_share_end(const struct cert_wall *a, const struct cert_wall *b)
{
	return a->radius == b->radius && cert_same(a->v, b->v) &&
	       (cert_same(a->p1, b->p1) || cert_same(a->p1, b->p2) || cert_same(a->p2, b->p1) || cert_same(a->p2, b->p2));
}

/* physics.h: 16 ulp of the coordinates, 2^-48; with what computing the distance here may add, and moving. */
static bool
end_lies_on(const struct cert_wall *wall, const struct cert_wall *other, struct cert_vec end)
{
	double reach = cert_max(cert_reach(end), cert_max(cert_reach(wall->p1), cert_reach(wall->p2))) + 0x1p48 * wall->slop;

	return wall->radius >= other->radius && cert_same(wall->v, other->v) &&
	       fabs(cert_wall_distance(wall, end, NULL) - (wall->radius - other->radius)) <= 0x1.4p-48 * reach;
}

bool
cert_wall_joins(const struct cert_wall *a, const struct cert_wall *b)
{
	return cert_walls_share_end(a, b) || end_lies_on(a, b, b->p1) || end_lies_on(a, b, b->p2);
}

double
cert_wall_depth_near(const struct cert_shapes *shapes, const struct cert_body *body, const struct cert_wall *wall,
                     struct cert_vec p)
{
	double depth = 0;

	for (size_t i = 0; i < shapes->wall_count; i++) {
		const struct cert_wall *other = &shapes->walls[i];

		if (!cert_wall_one_sided(shapes, body, other) && cert_wall_joins(other, wall) &&
		    cert_body_meets_wall(shapes, body, other))
			depth = cert_max(depth, body->radius + other->radius - cert_wall_distance(other, p, NULL));
	}
	return depth;
}

static double
nearest_at(const struct cert_motion *motion, const struct cert_wall *wall, const double *times, size_t count, double nearest)
{
	for (size_t i = 0; i < count; i++)
		nearest = cert_min(nearest, cert_wall_distance(wall, cert_motion_at(motion, times[i]), NULL));
	return nearest;
}

/* The distance from a wall is, in turns, that from an end point or that from the line. So it turns only at an end of the
 * stretch, where one of the three turns, or where the turn changes. Unordered. */
static size_t
wall_turns(const struct cert_motion *motion, double h, const struct cert_wall *wall, int ways, double times[CERT_TURNS_MAX])
{
	struct cert_vec from = cert_sub(motion->d, wall->p1), u = wall->along;
	struct cert_motion to_1 = { from, motion->w, motion->q }, to_2 = { cert_sub(motion->d, wall->p2), motion->w, motion->q };
	double across[3] = { cert_cross(u, from), cert_cross(u, motion->w), 0.5 * cert_cross(u, motion->q) };
	double along[3] = { cert_dot(u, from), cert_dot(u, motion->w), 0.5 * cert_dot(u, motion->q) };
	size_t count = 2;

	times[0] = 0;
	times[1] = h;
	count += cert_quadratic_roots(across[0], across[1], across[2], h, times + count);
	count += cert_quadratic_roots(across[1], 2 * across[2], 0, h, times + count);
	count += cert_quadratic_roots(along[0], along[1], along[2], h, times + count);
	count += cert_quadratic_roots(along[0] - wall->length, along[1], along[2], h, times + count);
	count += motion_turns(&to_1, h, ways, times + count);
	count += motion_turns(&to_2, h, ways, times + count);
	return count;
}

double
cert_motion_nearest_wall(const struct cert_motion *motion, double h, const struct cert_wall *wall)
{
	double times[CERT_TURNS_MAX];
	size_t count = wall_turns(motion, h, wall, TURN_MINIMUM, times);

	return nearest_at(motion, wall, times, count, HUGE_VAL);
}

size_t
cert_motion_turns_wall(const struct cert_motion *motion, double h, const struct cert_wall *wall, double out[CERT_TURNS_MAX])
{
	size_t count = wall_turns(motion, h, wall, TURN_MINIMUM | TURN_MAXIMUM, out);

	for (size_t i = 1; i < count; i++) {
		double time = out[i];
		size_t hole = i;

		for (; hole > 0 && out[hole - 1] > time; hole--)
			out[hole] = out[hole - 1];
		out[hole] = time;
	}
	return count;
}

double
cert_motion_bound_wall(const struct cert_motion *motion, double h, const struct cert_wall *wall)
{
	return cert_wall_distance(wall, cert_motion_at(motion, 0.5 * h), NULL) - motion_spread(motion, h);
}
