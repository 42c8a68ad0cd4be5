/* agenda: who must be looked at in which tick. A filter only: what it passes over cannot meet anything in the tick at hand, and
 * it never writes a body.
 *
 * Between ticks a free body that nothing comes to goes on as it did. So when it is looked at all around, it is known for some
 * ticks ahead when it may touch another such body, or a wall, or leave its cell, at the earliest: then, and not before, it is
 * looked at again. That is all that is kept: one byte of each body, the tick in which it is due. A tick goes through those
 * bytes, and looks at the bodies that are due, at those that something came to in the tick before, and at those that changed
 * cells in it; of all others it reads nothing. Worlds in which these are many, or in which bodies are led, turned or driven by
 * more than gravity, are predicted as a whole (predict_all.c).
 *
 * Why no pair is missed. Two bodies of one level that touch are at most one cell apart (grid.h). Of those at least one of which
 * is not calm (world.untouched), this one is looked at all around in every tick. Of two calm ones, let i be the one that was
 * last looked at all around, not LAST_TICK or more ticks ago, for nobody is left alone for longer. Neither has changed its path
 * or its cell since, for after that it would be the last. If j was in the cells around i then, i is due no later than when the
 * two may touch. If not, they are not near each other. Of two levels, i looked at all cells whose bodies it could touch on its
 * path of so many ticks: if j is in none of them, they cannot touch. Of two that are due in the same tick the one that is
 * looked at first leaves the pair to the other.
 *
 * Belongs to the world, one thread. Holds for the one tick `tick` only: a tick that is made in any other way (strips, the
 * resting solver's parts, edits that make the world anew) leaves it behind, and it is made anew when it pays again. */
#ifndef COLLIDED_PHYSICS_AGENDA_H
#define COLLIDED_PHYSICS_AGENDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct world;

/* Nobody is left alone for as many ticks. */
#define AGENDA_TICKS 16u

struct agenda {
	bool made;     /* it is there, for one tick: */
	uint64_t tick; /* of world.tick */
	double dt;     /* as long as its ticks were */
	uint8_t *due;  /* by body: the last byte of the number of the tick in which it is to be looked at, that one or later */
	size_t body_capacity;
	uint32_t looks;   /* bodies that it looks at in a tick: a mean of the last few since it was made, the latest counts most */
	uint32_t stirred; /* bodies that were not calm when the tick began */
	unsigned rest;    /* ticks in which it is not tried */
	bool strayed;     /* somebody may be a stray before it is looked at again: grid.h */
	uint64_t ticks;   /* that were predicted by it */
};

void agenda_init(struct agenda *agenda);
void agenda_finish(struct agenda *agenda);
size_t agenda_memory_bytes(const struct agenda *agenda);
/* The bodies, their indices or the cells are others now. */
void agenda_forget(struct agenda *agenda);
/* Before a tick's bodies are begun: what the last one left is of use, or not. */
void agenda_begin(struct agenda *agenda, const struct world *world);

/* Whether it is there for the tick of this number. */
static inline bool
agenda_is_for(const struct agenda *agenda, uint64_t tick)
{
	return agenda->made && agenda->tick == tick;
}

/* That a body is to be looked at all around in the tick for which it is there. */
static inline void
agenda_list(struct agenda *agenda, uint32_t body)
{
	agenda->due[body] = (uint8_t)agenda->tick;
}

/* Whether so little stirs in the tick at hand that one thread makes it faster by the agenda than `hands` that look at
 * everybody. */
bool agenda_spares(const struct world *world, unsigned hands);

/* All events of the tick, from its start on. False: it is not for this tick, and nothing was done; or, with world->failed,
 * without memory. */
bool agenda_predict(struct world *world);

#endif
