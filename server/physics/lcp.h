/* lcp: small linear complementarity problems: find x >= 0 with A x + b >= 0 and x . (A x + b) = 0, A positive semidefinite.
 *
 * Any thread; scratch is the caller's. An active set method in the manner of Lawson and Hanson (1974): indices enter one by
 * one, most violated first, lowest index on ties, and leave when their x would turn negative. A constraint that depends on
 * those already in is exchanged against one of them, so walls listed twice and circles on three supports are no trouble. */
#ifndef COLLIDED_PHYSICS_LCP_H
#define COLLIDED_PHYSICS_LCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Doubles and indices of scratch for n unknowns. */
#define LCP_DOUBLES(n) ((n) * (n) + 2 * (n))

enum lcp_result {
	LCP_SOLVED,
	LCP_INFEASIBLE, /* no x satisfies all: `active` marks constraints that contradict each other */
	LCP_STALLED,    /* rounding kept it from ending; x is the best so far, all x >= 0 */
};

/* A is n by n, row by row. `tolerance` is what A x + b may miss 0 by. active[i] tells whether i ended in the set. */
enum lcp_result lcp_solve(size_t n, const double *A, const double *b, double tolerance, double *x, bool *active,
                          uint32_t *index, double *scratch);

#endif
