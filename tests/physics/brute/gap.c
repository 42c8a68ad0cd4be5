#include "physics/brute/gap.h"

#include <math.h>

/* Halvings after which an interval of long doubles cannot be halved any more, whatever its ends are near 1. */
#define BISECTIONS 80
#define DEGREE_MAX 3
#define CUTS_MAX (2 * BRUTE_CONE_MAX + 16)

/* Times at which something changes its sign or direction, ascending. From one to the next the gap is monotone and the feature
 * can either be touched all the time or not at all. */
struct cuts {
	real s[CUTS_MAX];
	size_t count;
};

real
brute_dot(struct brute_vec a, struct brute_vec b)
{
	return a.x * b.x + a.y * b.y;
}

struct brute_vec
brute_sub(struct brute_vec a, struct brute_vec b)
{
	return (struct brute_vec){ a.x - b.x, a.y - b.y };
}

real
brute_length(struct brute_vec a)
{
	return sqrtl(brute_dot(a, a));
}

static real
brute_cross(struct brute_vec a, struct brute_vec b)
{
	return a.x * b.y - a.y * b.x;
}

struct brute_vec
brute_at(const struct brute_motion *motion, real s)
{
	return (struct brute_vec){ motion->d.x + s * (motion->w.x + s * motion->q.x / 2),
		                       motion->d.y + s * (motion->w.y + s * motion->q.y / 2) };
}

real
brute_gap(const struct brute_feature *feature, struct brute_vec centre)
{
	struct brute_vec from = brute_sub(centre, feature->point);

	if (feature->kind == BRUTE_FACE)
		return fabsl(brute_cross(feature->along[0], from)) - feature->reach;
	return brute_length(from) - feature->reach;
}

static bool
feature_open(const struct brute_feature *feature, struct brute_vec centre)
{
	struct brute_vec from = brute_sub(centre, feature->point);

	if (feature->one_sided && !(brute_dot(from, feature->left) > 0))
		return false;
	if (feature->kind == BRUTE_FACE) {
		real along = brute_dot(from, feature->along[0]);

		return along >= 0 && along <= feature->length;
	}
	for (size_t k = 0; k < feature->along_count; k++)
		if (brute_dot(from, feature->along[k]) > 0)
			return false;
	return true;
}

static real
poly_at(const real *c, size_t degree, real s)
{
	real value = c[degree];

	for (size_t i = degree; i-- > 0;)
		value = value * s + c[i];
	return value;
}

static real
poly_bisect(const real *c, size_t degree, real low, real high)
{
	bool rising = poly_at(c, degree, low) < 0;

	for (int i = 0; i < BISECTIONS; i++) {
		real middle = (low + high) / 2;

		if (middle <= low || middle >= high)
			break;
		if ((poly_at(c, degree, middle) < 0) == rising)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* All sign changes in low..high: between two neighbouring roots of the derivative there is one at most. */
static size_t
poly_roots(const real *c, size_t degree, real low, real high, real *out)
{
	real derivative[DEGREE_MAX], turns[DEGREE_MAX + 1];
	size_t turn_count = 0, count = 0;
	real from = low;

	while (degree > 0 && c[degree] == 0)
		degree--;
	if (degree == 0)
		return 0;
	if (degree > 1) {
		for (size_t i = 0; i < degree; i++)
			derivative[i] = (real)(i + 1) * c[i + 1];
		turn_count = poly_roots(derivative, degree - 1, low, high, turns);
	}
	turns[turn_count++] = high;
	for (size_t i = 0; i < turn_count; i++) {
		if ((poly_at(c, degree, from) < 0) != (poly_at(c, degree, turns[i]) < 0))
			out[count++] = poly_bisect(c, degree, from, turns[i]);
		from = turns[i];
	}
	return count;
}

static void
cuts_add(struct cuts *cuts, const real *c, size_t degree, real from, real to)
{
	cuts->count += poly_roots(c, degree, from, to, cuts->s + cuts->count);
}

static void
cuts_sort(struct cuts *cuts)
{
	for (size_t i = 1; i < cuts->count; i++) {
		real s = cuts->s[i];
		size_t k = i;

		for (; k > 0 && cuts->s[k - 1] > s; k--)
			cuts->s[k] = cuts->s[k - 1];
		cuts->s[k] = s;
	}
}

/* The parts of dot(u, motion - point) by powers of s. */
static void
poly_along(const struct brute_motion *motion, const struct brute_feature *feature, struct brute_vec u, real c[3])
{
	c[0] = brute_dot(u, brute_sub(motion->d, feature->point));
	c[1] = brute_dot(u, motion->w);
	c[2] = brute_dot(u, motion->q) / 2;
}

static void
cuts_of_face(struct cuts *cuts, const struct brute_feature *feature, const struct brute_motion *motion, real from, real to)
{
	struct brute_vec u = feature->along[0], n = { -u.y, u.x };
	real along[3], across[3], slope[2];

	poly_along(motion, feature, u, along);
	cuts_add(cuts, along, 2, from, to);
	along[0] -= feature->length;
	cuts_add(cuts, along, 2, from, to);
	poly_along(motion, feature, n, across);
	cuts_add(cuts, across, 2, from, to);
	slope[0] = across[1];
	slope[1] = 2 * across[2];
	cuts_add(cuts, slope, 1, from, to);
}

static void
cuts_of_point(struct cuts *cuts, const struct brute_feature *feature, const struct brute_motion *motion, real from, real to)
{
	struct brute_vec d = brute_sub(motion->d, feature->point), w = motion->w, q = motion->q;
	/* Half the derivative of the squared distance. */
	real slope[4] = { brute_dot(d, w), brute_dot(w, w) + brute_dot(d, q), 3 * brute_dot(w, q) / 2, brute_dot(q, q) / 2 };

	cuts_add(cuts, slope, 3, from, to);
	for (size_t k = 0; k < feature->along_count; k++) {
		real along[3];

		poly_along(motion, feature, feature->along[k], along);
		cuts_add(cuts, along, 2, from, to);
	}
	if (feature->one_sided) {
		real height[3];

		poly_along(motion, feature, feature->left, height);
		cuts_add(cuts, height, 2, from, to);
	}
}

static void
cuts_make(struct cuts *cuts, const struct brute_feature *feature, const struct brute_motion *motion, real from, real to)
{
	cuts->count = 0;
	cuts->s[cuts->count++] = from;
	if (feature->kind == BRUTE_FACE)
		cuts_of_face(cuts, feature, motion, from, to);
	else
		cuts_of_point(cuts, feature, motion, from, to);
	cuts->s[cuts->count++] = to;
	cuts_sort(cuts);
}

/* Cannot come near enough: the distance in the middle less half the way. */
static bool
feature_far(const struct brute_feature *feature, const struct brute_motion *motion, real h)
{
	real half = h / 2 * (brute_length(motion->w) + h * brute_length(motion->q));
	struct brute_vec from = brute_sub(brute_at(motion, h / 2), feature->point);

	if (feature->kind == BRUTE_FACE)
		return fabsl(brute_cross(feature->along[0], from)) - half > feature->reach;
	return brute_length(from) - half > feature->reach;
}

real
brute_first_contact(const struct brute_feature *feature, const struct brute_motion *motion, real h)
{
	struct cuts cuts;

	if (feature_far(feature, motion, h))
		return -1;
	cuts_make(&cuts, feature, motion, 0, h);
	for (size_t i = 0; i + 1 < cuts.count; i++) {
		real low = cuts.s[i], high = cuts.s[i + 1];
		real gap_low = brute_gap(feature, brute_at(motion, low)), gap_high = brute_gap(feature, brute_at(motion, high));

		if (low >= high || gap_high >= gap_low || gap_high > 0 || !feature_open(feature, brute_at(motion, (low + high) / 2)))
			continue;
		if (gap_low <= 0 && feature->one_sided && gap_low < -feature->within)
			continue;
		if (gap_low <= 0)
			return low;
		for (int k = 0; k < BISECTIONS; k++) {
			real middle = (low + high) / 2;

			if (middle <= low || middle >= high)
				break;
			if (brute_gap(feature, brute_at(motion, middle)) > 0)
				low = middle;
			else
				high = middle;
		}
		return high;
	}
	return -1;
}

bool
brute_is_passed(const struct brute_feature *feature, struct brute_vec centre)
{
	return feature->one_sided && (brute_gap(feature, centre) < -feature->within ||
	                              !(brute_dot(brute_sub(centre, feature->point), feature->left) > 0));
}

real
brute_least_gap(const struct brute_feature *feature, const struct brute_motion *motion, real from, real to)
{
	struct cuts cuts;
	real least = HUGE_VALL;

	cuts_make(&cuts, feature, motion, from, to);
	for (size_t i = 0; i + 1 < cuts.count; i++) {
		if (feature_open(feature, brute_at(motion, (cuts.s[i] + cuts.s[i + 1]) / 2))) {
			least = fminl(least, brute_gap(feature, brute_at(motion, cuts.s[i])));
			least = fminl(least, brute_gap(feature, brute_at(motion, cuts.s[i + 1])));
		}
	}
	return least;
}
