/* solver_kernels: the loops over contacts as they are compiled for a machine (solver_lanes.h). Internal. */
#ifndef COLLIDED_REST_SOLVER_SOLVER_KERNELS_H
#define COLLIDED_REST_SOLVER_SOLVER_KERNELS_H

#include "physics/rest_solver/solver_private.h"

/* Whether this is built for machines that may have AVX2. */
#if defined(__x86_64__) && defined(__GNUC__)
#define SOLVER_MAY_BE_AVX2
#endif

/* What a sweep found. */
struct sweep {
	double worst; /* largest speed of approach beyond a target */
	double norm;  /* sum of the squared changes, as energy */
};

/* Slots of one kind. */
struct range {
	uint32_t start, end;
	uint8_t kind;
};

struct solver_kernels {
	/* One sweep over an island; the changes of its impulses. */
	struct sweep (*sweep)(struct solver *solver, const struct island *island, struct impulses *change);
	/* Measures slots, and has the impulses of contacts act on the kicked velocities. False if some pair is of another kind now:
	 * then the velocities mean nothing. Whether some contact may overlap goes to *deep. */
	bool (*measure)(struct solver *solver, const struct solver_bodies *bodies, double h, const struct range *range, bool *deep);
	/* How near the legs lead in an island, and between far pairs. */
	struct survey (*survey)(const struct solver *solver, const struct island *island);
	double (*survey_far)(const struct solver *solver);
};

extern const struct solver_kernels solver_generic;
/* With AVX2. */
extern const struct solver_kernels solver_avx2;
/* The fastest that this machine has. */
const struct solver_kernels *solver_kernels_best(void);

/* solver_measure.c: the kinds of slots that lanes_measure has measured, but for what is not of two bodies, or of two in one
 * point: that is measured here. True if all are of the range's kind. */
bool slots_decide(struct solver *solver, const struct solver_bodies *bodies, double h, const struct range *range, bool *deep);

/* Circles whose distance is longer than their radii by more than this part are still on their way: no friction yet. At rest it
 * is a cushion; the step of the sweeps (slip_mass) does not know of longer levers and must not become a jump. */
#define LEVER_MAX 1.02

#endif
