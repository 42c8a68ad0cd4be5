/* lcp: how little a velocity (or an acceleration) must change so that no contact approaches: the d nearest to 0 with
 * b + G d >= 0, and the impulses x >= 0 with d = G^T x, x . (b + G d) = 0. The complementarity problem of the matrix G G^T,
 * which itself is never formed: two rows that differ by an angle of 1e-6 still have half of their digits apart, but in the
 * matrix none are left.
 *
 * Any thread; scratch is the caller's. The dual active set method of Goldfarb and Idnani (1983, "A numerically stable dual
 * method for solving strictly convex quadratic programs") for the identity: constraints enter one by one, most violated first,
 * lowest index on ties, and leave when their x would turn negative. d is stepped itself, not computed from x: jammed bodies
 * have impulses a million times what is left of them. A constraint that depends on those already in is exchanged against one
 * of them, so walls listed twice and circles on three supports are no trouble. */
#ifndef COLLIDED_MATH_LCP_H
#define COLLIDED_MATH_LCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct work_meter;

/* Doubles of scratch for n constraints on vectors of `width`. */
#define LCP_DOUBLES(n, width) ((n) * (n) + 3 * (n) + ((n) + 1) * (width))

enum lcp_result {
	LCP_SOLVED,
	LCP_INFEASIBLE, /* no d satisfies all: `active` marks constraints that contradict each other */
	LCP_SPENT,      /* work ran out; d and x are good for nothing */
	LCP_STALLED,    /* rounding kept it from ending; d is the best so far, all x >= 0 */
};

/* The caller's arrays: rows is n by width, row by row; d has width; b, x, active and index have n. */
struct lcp_problem {
	size_t n, width;
	const double *rows, *b;
	double tolerance; /* what b + G d may miss 0 by */
	double *d, *x;
	bool *active; /* whether i ended in the set */
	uint32_t *index;
	double *scratch;         /* LCP_DOUBLES */
	struct work_meter *work; /* what it takes is taken of this; NULL: it is not counted */
};

enum lcp_result lcp_solve(const struct lcp_problem *problem);

#endif
