/* handover_part: what the files of settle share. Internal. */
#ifndef COLLIDED_RESTING_HANDOVER_PRIVATE_H
#define COLLIDED_RESTING_HANDOVER_PRIVATE_H

#include "physics/rest_solver/solver.h"
#include "physics/resting/handover.h"

/* Columns of doubles that a handover has. */
#define COLUMNS 13

struct handover {
	struct solver *solver;
	double *columns; /* of all bodies, one after the other */
	double *kinetic; /* one of them: a body's kinetic energy before the part */
	uint32_t *ids;
	uint8_t *active, *led;
	struct solver_bodies bodies;
	double time, h; /* the part of the tick at hand: its start, from that of the tick, and how long it is */
	bool quiet;     /* whoever does not sleep is clear (handover_clear) since the part's start */
};

/* handover_lead.c. All bodies as they are at `time`, for the solver; nothing is written to them. False: none of them takes
 * part.
 */
bool bodies_offer(struct world *world, double time);
/* What the solver made of them: those it leads get its velocities and legs, those it let go are free. */
void bodies_lead(struct world *world, double time);

/* Whether a pair gives no rebound, and if so, of which sort: its materials have none at this speed; or gravity, which must
 * press the pair together, would end it at once. */
enum dullness { DULL_NOT, DULL_TOUCHING, DULL_NEAR };

/* How two sides meet. */
struct encounter {
	double approach, restitution, nx, ny;
	double scale; /* how strongly gravity, of which it is the multiple, presses. Two that are led may carry anybody's load: then
	                 the world's largest */
};

/* `both`: whether both sides are led. Then what gravity gives in a part is no speed to bounce at: nobody could see it, and in a
 * heap it would never end. */
enum dullness pair_dullness(const struct world *world, const struct encounter *meeting, bool both);

/* A path ends and another begins, at the same place. */
void path_begin(struct world *world, uint32_t body, double time, double vx, double vy, double ax, double ay);

#endif
