/* agenda: who must be looked at in which tick. A filter only: what it passes over cannot meet anything in the tick at hand, and
 * it never writes a body.
 *
 * Between ticks a free body that nothing comes to goes on as it did. So when it is looked at all around, it is known for some
 * ticks ahead when it may touch another such body, or a wall, at the earliest: then, and not before, it is looked at again. The
 * same of when it may leave its cell. That is all that is kept: two bytes of each body, the ticks in which it is due. A tick
 * goes through those bytes, and looks at the bodies that are due; of all others it reads nothing. Who is hit, or changes cells,
 * in the middle of a tick is looked at for the ticks ahead there and then, as those around him are being read
 * (predict_event.c); who is not, is due in the next tick. Worlds in which these are many, or in which bodies are led, turned or
 * driven by more than gravity, are predicted as a whole (predict_all.c).
 *
 * Why no pair is missed. Two bodies of one level that touch are at most one cell apart (grid.h). Of those of which at least one
 * is not calm (world.untouched) when a tick begins, this one is due and looked at all around. Of two calm ones in cells as near
 * as that this holds from each tick's beginning to the next: one of both is due no later than in the tick in which they may
 * touch, and if they may touch in this one, that is predicted. For
 * - a body that is due is looked at all around. Of two that are due in the same tick the one of the higher index looks;
 * - a body whose path changes is due in the next tick (body_touch), but if it is looked at there and then: at all in the cells
 *   around, as they go at that time, and at who was hit with it. Whoever's path changes after that says so in his turn. Who
 * goes on otherwise when the next tick begins, as he was held up in this one, or who is not calm then, is due then
 * (span_begin), and has nothing to do with when the other is;
 * - a body that changes cells is looked at there and then: at all in the cells that were not around its last one, and it is due
 *   no later than it was. The pairs with the others are as they were: on their paths nothing has changed;
 * - nobody changes cells without an event, which is predicted in the tick in which he may leave his cell. In the tick in which
 *   the time has come, he comes to another one or is hit before: then it is known anew when he leaves.
 * In what way paths are rounded at the ends of ticks, whether they began in the middle of one or at its beginning, is within
 * OUTLOOK_SLACK and the rounding of coordinates that outlook.h adds to radii. Who was just hit is as near as touching to what
 * hit him: for these two it is asked from the end of the tick on, when they are some way apart, and up to then as in any tick.
 *
 * Of two levels, who was looked at last looked at all cells whose bodies he could touch on his path of AGENDA_LAST ticks: if
 * the other is in none of them, they cannot touch. There who is hit or changes cells is due in the next tick.
 *
 * Belongs to the world, one thread; in strips (strips_look.c) a body's bytes are written by the strip whose rows it is in.
 * Holds for the one tick `tick` only: a tick that is made in any other way (the resting solver's parts, strips that went too
 * far, edits that make the world anew) leaves it behind, and it is made anew when it pays again. */
#ifndef COLLIDED_PHYSICS_AGENDA_H
#define COLLIDED_PHYSICS_AGENDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct world;

/* Nobody is left alone for as many ticks. */
#define AGENDA_TICKS 16u
#define AGENDA_LAST (AGENDA_TICKS - 1u)

struct agenda {
	bool made;     /* it is there, for one tick: */
	uint64_t tick; /* of world.tick */
	double dt;     /* as long as its ticks were */
	/* By body: the last byte of the number of the tick, that one or later, */
	uint8_t *due;    /* in which it is to be looked at all around; */
	uint8_t *leaves; /* in which it may leave its cell. Of the same memory */
	uint64_t *now;   /* by body, a bit: it was due so when the looks of the tick at hand began (agenda_enter) */
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

/* That a body is to be looked at in the tick for which it is there. */
static inline void
agenda_list(struct agenda *agenda, uint32_t body)
{
	agenda->due[body] = agenda->leaves[body] = (uint8_t)agenda->tick;
}

/* While it is there for the next tick: after how many ticks a body is to be looked at all around, 1: in the next one. */
static inline unsigned
agenda_wait(const struct agenda *agenda, uint32_t body)
{
	return (uint8_t)(agenda->due[body] - (uint8_t)(agenda->tick - 1));
}

/* That it is not to be later than after so many, */
static inline void
agenda_hasten(struct agenda *agenda, uint32_t body, unsigned ticks)
{
	if (ticks < agenda_wait(agenda, body))
		agenda->due[body] = (uint8_t)(agenda->tick - 1 + ticks);
}

/* that it is to be after so many, */
static inline void
agenda_put_off(struct agenda *agenda, uint32_t body, unsigned ticks)
{
	agenda->due[body] = (uint8_t)(agenda->tick - 1 + ticks);
}

/* and that it stays in its cell for so many. */
static inline void
agenda_stays(struct agenda *agenda, uint32_t body, unsigned ticks)
{
	agenda->leaves[body] = (uint8_t)(agenda->tick - 1 + ticks);
}

/* The looks of a tick, in steps; agenda_predict takes all of them. Whether it is for this tick: then it is marked who is due.
 * If not, or with world->failed, nothing was done. */
bool agenda_enter(struct world *world);
/* Writes who of the bodies from *first on is due, or may leave his cell, as long as there is room, and where to go on. How many
 * they are: 0 only where all bodies end. */
#define AGENDA_TAKEN_MAX 256u
uint32_t agenda_take(const struct world *world, uint32_t *first, uint32_t out[AGENDA_TAKEN_MAX]);
/* Looks at some of them: predicts what may come in this tick, and writes when each of them is due again. It writes nothing
 * else, and of what others write meanwhile it reads only what is around these. So several threads may look, each at others, in
 * worlds that share all but the queue. */
void agenda_look(struct world *world, const uint32_t *bodies, uint32_t count);
/* All who were due have looked, so many all around: it is for the next tick. */
void agenda_leave(struct world *world, uint64_t looks);

/* Whether so little stirs in the tick at hand that one thread makes it by the agenda before others have woken up. */
bool agenda_spares(const struct world *world);

/* All events of the tick, from its start on. False: it is not for this tick, and nothing was done; or, with world->failed,
 * without memory. */
bool agenda_predict(struct world *world);

#endif
