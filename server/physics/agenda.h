/* agenda: who must be looked at in which tick. A filter only: what it passes over cannot meet anything in the tick at hand, and
 * it never writes a body.
 *
 * Between ticks a free body that nothing comes to goes on as it did. So when two such bodies are near each other, or such a
 * body is near a wall or in a cell, it is known for some ticks ahead when they may touch, or it leave, at the earliest: then,
 * and not before, they are looked at again. A tick looks at those entries whose time has come and, all around, at the bodies
 * that something came to in the tick before or, among radii that differ, that changed cells; of all others it asks nothing.
 * Worlds in which these are many, or in which bodies are led, turned or driven by more than gravity, are predicted as a whole
 * (predict_all.c).
 *
 * Why no pair is missed. Two bodies of one level that touch are at most one cell apart (grid.h). Of those at least one of which
 * is not calm (world.untouched), this one is looked at all around in every tick. Of two calm ones, let i be the one that was
 * last looked at all around, not LAST_TICK or more ticks ago, for nobody is left alone for longer. Neither has changed its path
 * since. If j was in the cells around i then, or came there by a change of cells since, the pair was looked at: then, or in the
 * tick after that change. Of two levels, i looked at all cells whose bodies it could touch on its path of so many ticks: j is
 * in one of them still, since after a change of cells j would be the last that was looked at. Whenever a pair is looked at, and
 * may touch within so many ticks, it gets an entry for when it may, which carries both bodies' stamps.
 *
 * Belongs to the world, one thread. Holds for the one tick `tick` only: a tick that is made in any other way (strips, the
 * resting solver's parts, edits that make the world anew) leaves it behind, and it is made anew when it pays again. */
#ifndef COLLIDED_PHYSICS_AGENDA_H
#define COLLIDED_PHYSICS_AGENDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct world;

/* Entries are made for fewer ticks ahead than this. A body gets at most one stamp in each, so 8 bits of it are enough. */
#define AGENDA_TICKS 16u
#define AGENDA_ENTRIES 20u

/* Two bodies, or a body and its cell (b: NONE). Void unless it carries the present stamps. */
struct agenda_entry {
	uint32_t a, b;
	uint8_t stamp_a, stamp_b;
	uint8_t left; /* of a body: in how many ticks from the entry's on it is to be looked at all around */
};

struct agenda_block {
	uint32_t next, count;
	struct agenda_entry entries[AGENDA_ENTRIES];
};

struct agenda {
	bool made;                   /* it is there, for one tick: */
	uint64_t tick;               /* of world.tick */
	double dt;                   /* as long as its ticks were */
	uint32_t *around;            /* bodies to be looked at all around in that tick */
	uint8_t *listed, *stamps;    /* by body: it is one of them; counts how often it was */
	struct agenda_block *blocks; /* of entries, by heads or free */
	uint32_t around_count, block_count, block_free;
	size_t body_capacity, block_capacity;
	uint32_t heads[AGENDA_TICKS]; /* blocks of each tick, by its number modulo AGENDA_TICKS */
	uint32_t stirred;             /* bodies that were not calm when the tick began */
	unsigned rest;                /* ticks in which it is not tried */
	bool strayed;                 /* somebody may be a stray before it is looked at again: grid.h */
	uint64_t ticks;               /* that were predicted by it */
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

/* That a body is to be looked at all around in the tick to come. */
static inline void
agenda_list(struct agenda *agenda, uint32_t body)
{
	if (agenda->listed[body])
		return;
	agenda->listed[body] = 1;
	agenda->around[agenda->around_count++] = body;
}

/* That a body came to the cells around another within the tick, which has been predicted: in the next it must be looked at
 * whether they meet. Failure sets world->failed. */
void agenda_meet(struct world *world, uint32_t a, uint32_t b);

/* All events of the tick, from its start on. False: it is not for this tick, and nothing was done; or, with world->failed,
 * without memory. */
bool agenda_predict(struct world *world);

#endif
