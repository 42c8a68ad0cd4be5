/* solver_kernels: the loops over contacts, compiled for different CPUs (solver_lanes.h). Internal. */
#ifndef COLLIDED_REST_SOLVER_SOLVER_KERNELS_H
#define COLLIDED_REST_SOLVER_SOLVER_KERNELS_H

#include "physics/rest_solver/solver_private.h"

/* Whether this build is for a CPU that may have AVX2. */
#if defined(__x86_64__) && defined(__GNUC__)
#define SOLVER_MAY_BE_AVX2
#endif

/* The result of a sweep. */
struct sweep_result {
	double worst; /* largest speed of approach beyond a target */
	double norm;  /* sum of the squared changes, as energy */
};

/* A step along the direction of the sweeps before: the direction of the impulses, and how far. NULL: none. */
struct step {
	struct impulses *direction;
	double beta;
};

/* Slots of one kind. */
struct range {
	uint32_t start, end;
	uint8_t kind;
	bool warm;   /* contacts' impulses are applied */
	double rate; /* 1 / the time in which contacts may close their gaps */
};

struct solver_kernels {
	/* One sweep over an island; the changes of its impulses. A step that comes before it is made for the impulses on the way,
	 * from the changes of the sweep before; for the velocities `step` has made it. */
	struct sweep_result (*sweep)(struct solver *solver, const struct island *island, struct impulses *change,
	                             const struct step *step);
	void (*step)(struct solver *solver, const struct island *island, double beta);
	/* Measures slots, and applies the impulses of contacts to the velocities after gravity. False if some pair is a contact and
	 * was not, or the reverse: then the velocities mean nothing. *deep is set to whether some contact may overlap. */
	bool (*measure)(struct solver *solver, const struct solver_bodies *bodies, double h, const struct range *range, bool *deep);
	/* The same for the contacts of an island, without asking what they are now: island_measure_again. */
	void (*again)(struct solver *solver, const struct solver_bodies *bodies, const struct island *island, double half);
	/* One sweep of the position pass: contacts predicted nearer than `below` cushions get `share` of the missing gap. Returns
	 * the least predicted gap that it met. */
	double (*push)(struct solver *solver, const struct island *island, double below, double share);
	/* The smallest gaps along the displacements in an island. */
	struct gap_summary (*gaps)(const struct solver *solver, const struct island *island);
	/* The first group of slots, from the group at `start` on, with a predicted gap that is below 0; `end`: none. *least becomes
	 * the least of those before it, if less. */
	uint32_t (*closing)(const struct solver *solver, uint32_t start, uint32_t end, double *least);
};

extern const struct solver_kernels solver_generic;
/* With AVX2. */
extern const struct solver_kernels solver_avx2;
/* The fastest that this CPU supports. */
const struct solver_kernels *solver_kernels_best(void);

/* solver_measure.c: decides the kinds of slots after lanes_measure. Slots other than of two bodies, or of two in one point, are
 * measured here. True if all have the range's kind. */
bool slots_decide(struct solver *solver, const struct solver_bodies *bodies, double h, const struct range *range, bool *deep);
/* The same slots, after lanes_measure in the middle of a substep. */
void slots_again(struct solver *solver, const struct solver_bodies *bodies, uint32_t start, uint32_t end, double rate);

/* Centres nearer than this count as in one point: the square of their distance underflows, and a normal made of it would have
 * another length than 1. */
#define ONE_POINT 0x1p-500

/* Circles with a distance that exceeds the sum of their radii by more than this factor still approach: no friction yet. At rest
 * there is a cushion; the step of the sweeps (slip_mass) ignores longer levers and must not become a jump. */
#define LEVER_MAX 1.02

#endif
