/* schedule: who must be looked at in which tick. A filter only: what it passes over cannot meet anything in the tick at hand,
 * and it never writes a body.
 *
 * Between ticks a free body that nothing comes to goes on as it did. So when it is looked at all around, it is known for some
 * ticks ahead whom it may touch first and when, when it may touch anybody else, or a wall, and when it may leave its cell. In
 * the first of these ticks only the two are looked at, and it is looked at all around in the second. That is all that is kept:
 * three ticks of each body, a byte each, and who its partner is. A tick goes through those bytes, and looks at the bodies that
 * are due; of all others it reads nothing. Who is hit, or changes cells, in the middle of a tick is looked at for the ticks
 * ahead there and then, as those around him are being read (predict_event.c); who is not, is due in the next tick. Worlds in
 * which these are many, or in which bodies are led, turned or driven by more than gravity, are predicted as a whole
 * (predict_all.c).
 *
 * Why no pair is missed. Two bodies of one level that touch are at most one cell apart (grid.h). Where one of two is not calm
 * (world.bodies.untouched) when a tick begins, that one is due and looked at all around. Of two calm ones in cells as near as
 * that this holds at each tick's beginning: one of them is due, all around or with the other as its partner, no later than in
 * the tick in which they may touch; and if they may touch in this tick, that is predicted. Since:
 *
 * 1. A body that is due is looked at all around. Of two such in one tick the one of the higher index looks at
 * the pair. Where only its partner is looked at, all other pairs that count on it count on a later tick.
 *
 * 2. A body whose path changes is due in the next tick (body_touch), unless it is looked at there and then: at all in the cells
 * around, as they move at that time, and at who was hit with it. Those whose paths change later see to it in their turn.
 * Those who will move in another way from the next tick on, as they were held up in this one, or are not calm then, are due
 * then (body_touch, span_begin), whatever the other has seen.
 *
 * 3. A body that changes cells is looked at there and then, at all in the cells that were not around its last one, and is due
 * no later than it was. The pairs with the others are as they were.
 *
 * 4. Nobody changes cells but in an event, which is predicted in the tick in which he may leave his cell. That tick over, he
 * has come to another one, or was hit before and it is known anew when he leaves, or he is asked again in the next.
 *
 * How paths are rounded at the ends of ticks, whether they began in the middle of one or at its beginning, is within what
 * contact_bound.h adds to radii. Who was just hit is as near as touching to what hit him: for these two it is asked from the
 * end of the tick on, when they are some way apart; up to then they are predicted as in any tick.
 *
 * Of two levels, who was looked at last was looked at with all cells of the other one whose bodies he could touch on his path
 * up to when he is due, or, as he is looked at again when he changes cells, as long as he is in his cell: if the other, who has
 * neither changed his path nor his cell since, is in none of them, they cannot touch (look_beyond).
 *
 * Belongs to the world, one thread; in domains (partition_looks.c) a body's bytes are written by the domain whose rows it is
 * in. Holds for the one tick `tick` only: a tick that is made in any other way (the resting solver's parts, domains that went
 * too far, edits that make the world anew) leaves it behind, and it is made anew when it pays again. */
#ifndef COLLIDED_TABLES_SCHEDULE_H
#define COLLIDED_TABLES_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Nobody is left alone for as many ticks; and when he leaves his cell, and whether he strays (contact_bound_strays), is asked
 * before as many are over. */
#define SCHEDULE_TICKS 32u
#define SCHEDULE_CELL_TICKS 16u
#define SCHEDULE_LAST (SCHEDULE_TICKS - 1u)

/* What is kept of eight bodies, in one line of the cache, since who asks for one of these mostly wants the others too; a tick
 * goes through each kind of byte eight at a time. A byte is the last one of the number of the tick, that one or later, */
struct schedule_eight {
	_Alignas(64) uint32_t partners[8]; /* see meets; NONE: nobody */
	uint8_t due[8];                    /* in which a body is to be looked at all around; */
	uint8_t meets[8];                  /* in which it is to be looked at its partner only; */
	uint8_t leaves[8];                 /* in which it may leave its cell */
};

struct schedule {
	bool made;     /* it is there, for one tick: */
	uint64_t tick; /* of world.tick */
	double dt;     /* as long as its ticks were */
	struct schedule_eight *eights;
	uint64_t *now; /* by body, a bit: it was due when the looks of the tick at hand began (schedule_mark) */
	size_t body_capacity;
	uint32_t looks;   /* bodies that it looks at in a tick: a mean of the last few since it was made, the latest counts most */
	uint32_t stirred; /* bodies that were not calm when the tick began */
	unsigned rest;    /* ticks in which it is not tried */
	bool strayed;     /* somebody may be a stray before it is looked at again: grid.h */
	uint64_t ticks;   /* that were predicted by it */
};

void schedule_init(struct schedule *schedule);
void schedule_finish(struct schedule *schedule);
size_t schedule_memory_bytes(const struct schedule *schedule);
/* The bodies, their indices or the cells are others now. */
void schedule_forget(struct schedule *schedule);
/* Before a tick's bodies are begun: what the last one left is of use, or not. */
void schedule_begin(struct schedule *schedule, double dt);

/* Words of `now` for so many bodies. */
static inline size_t
schedule_words(size_t bodies)
{
	return (bodies + 63) / 64;
}

static inline uint8_t *
schedule_due(const struct schedule *schedule, uint32_t body)
{
	return &schedule->eights[body / 8].due[body % 8];
}

static inline uint8_t *
schedule_meets(const struct schedule *schedule, uint32_t body)
{
	return &schedule->eights[body / 8].meets[body % 8];
}

static inline uint8_t *
schedule_leaves(const struct schedule *schedule, uint32_t body)
{
	return &schedule->eights[body / 8].leaves[body % 8];
}

static inline uint32_t *
schedule_partner(const struct schedule *schedule, uint32_t body)
{
	return &schedule->eights[body / 8].partners[body % 8];
}

/* Whether it is there for the tick of this number. */
static inline bool
schedule_is_for(const struct schedule *schedule, uint64_t tick)
{
	return schedule->made && schedule->tick == tick;
}

/* That a body is to be looked at in the tick for which it is there. */
static inline void
schedule_list(struct schedule *schedule, uint32_t body)
{
	struct schedule_eight *eight = &schedule->eights[body / 8];

	eight->due[body % 8] = eight->leaves[body % 8] = (uint8_t)schedule->tick;
}

/* While it is there for the next tick: after how many ticks a body is to be looked at all around, 1: in the next one. */
static inline unsigned
schedule_wait(const struct schedule *schedule, uint32_t body)
{
	return (uint8_t)(*schedule_due(schedule, body) - (uint8_t)(schedule->tick - 1));
}

/* That it is not to be later than after so many. */
static inline void
schedule_hasten(struct schedule *schedule, uint32_t body, unsigned ticks)
{
	unsigned wait = schedule_wait(schedule, body);

	*schedule_due(schedule, body) = (uint8_t)(schedule->tick - 1 + (ticks < wait ? ticks : wait));
}

/* That it is to be after so many; and that before it is to be looked at only at one other, after so many, */
static inline void
schedule_plan(struct schedule *schedule, uint32_t body, unsigned ticks, uint32_t partner, unsigned meets)
{
	struct schedule_eight *eight = &schedule->eights[body / 8];
	uint8_t before = (uint8_t)(schedule->tick - 1);

	eight->due[body % 8] = (uint8_t)(before + ticks);
	eight->meets[body % 8] = (uint8_t)(before + meets);
	eight->partners[body % 8] = partner;
}

/* or at one more; if it is the same, no later than before. */
static inline void
schedule_add(struct schedule *schedule, uint32_t body, uint32_t partner, unsigned ticks)
{
	/* From 1 on: what was to be in this tick has been. */
	unsigned meets = 1u + (uint8_t)(*schedule_meets(schedule, body) - (uint8_t)schedule->tick);

	if (ticks < meets) {
		if (partner != *schedule_partner(schedule, body))
			schedule_hasten(schedule, body, meets);
		*schedule_meets(schedule, body) = (uint8_t)(schedule->tick - 1 + ticks);
		*schedule_partner(schedule, body) = partner;
	} else if (partner != *schedule_partner(schedule, body)) {
		schedule_hasten(schedule, body, ticks);
	}
}

/* That it stays in its cell for so many. */
static inline void
schedule_stays(struct schedule *schedule, uint32_t body, unsigned ticks)
{
	*schedule_leaves(schedule, body) = (uint8_t)(schedule->tick - 1 + ticks);
}

#endif
