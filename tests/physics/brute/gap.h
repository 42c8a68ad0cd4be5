/* gap: when a circle first touches something, in long double, by bisection: slow, and none of the engine's formulas.
 *
 * Any thread; pure functions. A motion is d + w s + q s^2 / 2, s >= 0: of one centre seen from the other, or of a centre in the
 * plane. A feature is what it may touch: another circle, the face of a segment, or a vertex. */
#ifndef COLLIDED_TESTS_PHYSICS_BRUTE_GAP_H
#define COLLIDED_TESTS_PHYSICS_BRUTE_GAP_H

#include <stdbool.h>
#include <stddef.h>

typedef long double real; /* 64 bits of mantissa on x86: 11 more than the engine has */

struct brute_vec {
	real x, y;
};

/* A call of fmaxl takes longer than all around it. */
static inline real
brute_most(real a, real b)
{
	return a > b ? a : b;
}

struct brute_motion {
	struct brute_vec d, w, q;
};

/* Segments that may meet in one vertex and one circle's masks. More of them are ignored by no scene here. */
#define BRUTE_CONE_MAX 11

enum brute_feature_kind { BRUTE_POINT, BRUTE_FACE };

/* A point touches within its cone only: where dot(c - point, along_k) <= 0 for each segment that leaves it along along_k; a
 * circle's centre is a point without segments. A face touches where the centre projects between its ends. */
struct brute_feature {
	enum brute_feature_kind kind;
	struct brute_vec point;                 /* the point, or the face's first end */
	struct brute_vec along[BRUTE_CONE_MAX]; /* unit; [0] is the face's direction */
	size_t along_count;
	real length; /* of the face */
	real reach;  /* distance at which contact is made: radii and skin */
	/* Of a one-sided segment: only where dot(c - point, left) > 0, and not from where the gap is less than -within: it passes.
	 */
	bool one_sided;
	struct brute_vec left;
	real within;
};

struct brute_vec brute_at(const struct brute_motion *motion, real s);
/* Distance less reach, wherever the centre is. */
real brute_gap(const struct brute_feature *feature, struct brute_vec centre);
/* The first s in 0..h at which the feature can be touched, the gap is <= 0 and shrinks; -1 if there is none. */
real brute_first_contact(const struct brute_feature *feature, const struct brute_motion *motion, real h);
/* The least gap over from..to while the feature can be touched; +infinity if it cannot. */
real brute_least_gap(const struct brute_feature *feature, const struct brute_motion *motion, real from, real to);
/* Whether the feature is a one-sided segment's and nothing for a centre that is there. */
bool brute_is_passed(const struct brute_feature *feature, struct brute_vec centre);
real brute_dot(struct brute_vec a, struct brute_vec b);
struct brute_vec brute_sub(struct brute_vec a, struct brute_vec b);
real brute_length(struct brute_vec a);

#endif
