/* handover_private: what the files of the hand-over share. Internal. */
#ifndef COLLIDED_RESTING_HANDOVER_PRIVATE_H
#define COLLIDED_RESTING_HANDOVER_PRIVATE_H

#include "physics/rest_solver/solver.h"
#include "physics/resting/handover.h"

/* Number of columns of doubles in a hand-over. */
#define COLUMNS 16

struct handover {
	struct solver *solver;
	double *columns; /* of all bodies, one after the other */
	double *kinetic; /* one of them: a body's kinetic energy before the substep */
	uint32_t *ids;
	uint8_t *active, *driven, *steady;
	struct solver_bodies bodies;
	double time, h;                /* current substep: its start, from that of the tick, and its duration */
	uint32_t *movers, mover_count; /* the bodies that are not static, ascending */
	bool stills_offered;           /* the columns of the static ones are filled, which do not change */
	bool quiet;                    /* all awake bodies are clear (handover_clear) since the substep's start */
};

/* Of a dynamic body, with its spin. */
static inline double
body_kinetic(const struct body_info *info, two velocity, double spin)
{
	double turning = info->inverse_inertia > 0.0 ? spin * spin / info->inverse_inertia : 0.0;

	return 0.5 * (info->mass * (velocity[0] * velocity[0] + velocity[1] * velocity[1]) + turning);
}

/* Walks through all awake bodies that are not static; of a world in which some may sleep, through the static ones too. */
struct mover_walk {
	const struct world *world;
	uint32_t next; /* in movers, or a body */
	struct pause_piece piece;
};

static inline struct mover_walk
movers_walk(const struct world *world)
{
	return (struct mover_walk){ .world = world };
}

/* The next piece of the walk (base/pause.h); a body is so many units. */
static inline bool
movers_piece(struct mover_walk *walk, uint32_t units)
{
	const struct world *world = walk->world;

	if (!pause_piece_next(&walk->piece, world->bodies.awake.words ? world->bodies.count : world->handover->mover_count, units))
		return false;
	walk->next = walk->piece.first;
	return true;
}

/* The next body of the piece, or NONE. */
static inline uint32_t
mover_next(struct mover_walk *walk)
{
	const struct handover *handover = walk->world->handover;

	if (!walk->world->bodies.awake.words)
		return walk->next < walk->piece.end ? handover->movers[walk->next++] : NONE;
	uint32_t i = awake_from(&walk->world->bodies.awake, walk->next, walk->piece.end);
	walk->next = i + 1;
	return i < walk->piece.end ? i : NONE;
}

/* handover_lead.c. Offers all bodies, as they are at `time`, to the solver; does not write them. False: none takes part. */
bool bodies_offer(struct world *world, double time);
/* Takes the solver's result: driven bodies get their velocities and displacements, released ones are free. Counts the work of
 * predicting them with those that are not driven. */
void bodies_lead(struct world *world, double time);
/* Whether a pair gives no rebound, and if so, why: its materials have none at this speed; or gravity, which must press the pair
 * together, would end it at once. */
enum dullness { DULL_NOT, DULL_TOUCHING, DULL_NEAR };

/* How two sides meet. */
struct encounter {
	double approach, restitution, nx, ny;
	double scale; /* how strongly gravity presses, as a multiple of it. Two solver-driven sides may carry the load of any other:
	                 then the world's largest */
};

/* `both`: whether both sides are solver-driven. Then there is no rebound below the speed that gravity gives in a substep: it
 * would be invisible, and in a heap it would never end. */
enum dullness pair_dullness(const struct world *world, const struct encounter *meeting, bool both);

/* One path ends and another begins at the same place. */
void path_begin(struct world *world, uint32_t body, double time, double vx, double vy, double ax, double ay);

#endif
