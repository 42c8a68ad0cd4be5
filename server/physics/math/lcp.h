/* lcp: the smallest change of a velocity (or an acceleration) such that no contact approaches. It is the d nearest to 0 with b
 * + G d >= 0, with impulses x >= 0, d = G^T x and x . (b + G d) = 0. This is the linear complementarity problem of the matrix G
 * G^T, which is never formed. Two rows that differ by an angle of 1e-6 still differ in half of their digits; in the matrix no
 * digit would be left.
 *
 * Any thread; scratch is the caller's. The method is the dual active set method of Goldfarb and Idnani (1983, "A numerically
 * stable dual method for solving strictly convex quadratic programs") for the identity. Constraints enter one by one, the most
 * violated first, the lowest index on ties. They leave when their x would turn negative. d itself is stepped, not computed from
 * x: in a jam the impulses are a million times the d that is left. Where the impulses leave more of it unmade than 2^-32 of the
 * largest, d is what they make after all. Where that is more than 2^-20, nearly dependent rows are to blame: they are
 * solved once more, with more of them counted as dependent. A constraint that depends on active ones is exchanged against one
 * of them, so walls listed twice and circles on three supports do no harm. */
#ifndef COLLIDED_MATH_LCP_H
#define COLLIDED_MATH_LCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct work_meter;

/* Doubles of scratch for n constraints on vectors of `width`. */
#define LCP_DOUBLES(n, width) (2 * (n) * (n) + 3 * (n) + (2 * (n) + 1) * (width))

/* The most nonzero numbers of a row: a contact has two bodies. */
#define LCP_ROW_MAX 4

/* The nonzero numbers of a constraint's row, by ascending column; and, as scratch, the bodies that the basis vector of the same
 * index has. */
struct lcp_line {
	double value[LCP_ROW_MAX];
	uint32_t column[LCP_ROW_MAX];
	uint32_t count;
	uint64_t row_bodies, basis_bodies; /* a bit each: body k, of columns 2 k and 2 k + 1, has bit k % 64 */
};

enum lcp_result {
	LCP_SOLVED,
	LCP_INFEASIBLE, /* no d satisfies all constraints: `active` marks some that contradict each other */
	LCP_SPENT,      /* the work limit was reached; d and x are of no use */
	LCP_STALLED,    /* rounding prevented termination; d is the best so far, all x >= 0 */
};

/* The caller's arrays: rows is n by width, row by row, each with at most LCP_ROW_MAX nonzero numbers. width is even; d has
 * width; b, x, active, index and lines have n. Without rows (NULL) the caller has set the nonzero numbers in lines. */
struct lcp_problem {
	size_t n, width;
	const double *rows, *b;
	const bool *absent; /* constraints that do not count in this problem; NULL: all count */
	double tolerance;   /* by how much b + G d may be below 0 */
	double *d, *x;
	bool *active; /* whether i is active at the end */
	uint32_t *index;
	double *scratch;        /* LCP_DOUBLES of them */
	struct lcp_line *lines; /* scratch too, if there are rows */
	/* For problems of the same n, width and rows one after the other; NULL: for none. How many of the constraints in `index`
	 * entered one by one in the last one, 0 if there was none. They enter first, in that order, as far as each is violated in
	 * its turn. What was computed for them is taken from scratch and lines, which like index must not have changed. */
	size_t *known;
	struct work_meter *work; /* meter of the work taken; NULL: work is not counted */
};

/* Adds a nonzero number to an empty line, or to one with lower columns only. */
void lcp_line_add(struct lcp_line *line, uint32_t column, double value);

enum lcp_result lcp_solve(const struct lcp_problem *problem);

#endif
