/* schedule: which bodies need a query in which tick. A filter only: what it skips cannot meet anything in the current tick, and
 * it never writes a body.
 *
 * An undisturbed free body keeps its path. One neighbourhood query therefore yields three future ticks.
 * - In the first its nearest partner is tested again.
 * - In the second it queries the whole neighbourhood again, because it may touch another body or a wall.
 * - In the third it is tested whether it leaves its cell.
 *
 * That is all that is kept: a byte for each of the three, and the partner's index. A tick scans these bytes and queries only
 * the bodies that are due; of all others it reads nothing. A body that is hit or changes cells in mid-tick is queried for the
 * coming ticks at once, while its neighbours are being read anyway (predict_event.c). If it is not, it is due in the next tick.
 * Some worlds have many such bodies, or bodies that are solver-driven, or driven by more than gravity. Those worlds are
 * predicted as a whole (predict_all.c).
 *
 * Why no pair is missed. Two bodies of one level that touch are at most one cell apart (grid.h). Call a body clean if nothing
 * has disturbed it (world.bodies.untouched), dirty otherwise. A body that is dirty when a tick begins is due for a
 * neighbourhood query. For two clean bodies in adjacent cells the following invariant holds at the beginning of each tick. One
 * of the two is due no later than in the tick in which they may touch, either for a neighbourhood query or to re-test the other
 * as its partner. If they may touch in the current tick, that is predicted. The invariant holds because:
 *
 * 1. A body that is due queries its whole neighbourhood. If both bodies of a pair are due in one tick, the one with the higher
 *    index tests the pair. Where a body re-tests its partner only, every other pair that relies on this body relies on a later
 *    tick of it.
 *
 * 2. A body is due in the next tick (body_touch) when its path changes, unless it is queried at once. Such a query covers all
 *    bodies in the cells around it, as they move at that time, and the body that was hit with it. A body that changes its path
 *    later does its own query in turn. A body that will move differently from the next tick on is due then (body_touch,
 *    span_begin), whatever the other has found. This holds for bodies that were stopped in this tick, and for bodies that are
 *    dirty at the next.
 *
 * 3. A body that changes cells is queried at once against all bodies in the cells that were not around its last cell. It is due
 *    no later than it was. Its pairs with the other bodies stay as they were.
 *
 * 4. A body changes cells only in an event, and that event is predicted in the tick in which the body may leave its cell. By
 *    the end of that tick there are three cases. The body has changed cells. Or it was hit before, and its leaving was computed
 *    anew. Or it is tested again in the next tick.
 *
 * Paths are rounded at the ends of ticks, whether they began in the middle of a tick or at its start. What contact_bound.h adds
 * to radii covers this. A body that was just hit is still within touching distance of the body that hit it. For these two the
 * bound is computed from the end of the tick on, when they are some way apart. Until then they are predicted as in any tick.
 *
 * Between two levels: let i be the body that queried last. It queried all cells of the other level with bodies that it could
 * touch on its path before it is due. As it also queries whenever it changes cells, the path counts only as long as it is in
 * its cell. The other body has changed neither its path nor its cell since. If it is in none of those cells, the two cannot
 * touch (look_beyond).
 *
 * Belongs to the world, one thread. In domains (partition_looks.c) a body's bytes are written by the domain that has its row.
 * Valid for the one tick `tick` only. A tick that is stepped in any other way leaves the schedule behind: substeps of the rest
 * solver, domains that went too far, edits that rebuild the world. It is made anew when it pays again. */
#ifndef COLLIDED_TABLES_SCHEDULE_H
#define COLLIDED_TABLES_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No body is left without a query for as many ticks. Whether it leaves its cell, and whether it becomes an outlier
 * (becomes_outlier), is tested again before SCHEDULE_CELL_TICKS are over. */
#define SCHEDULE_TICKS 32u
#define SCHEDULE_CELL_TICKS 16u
#define SCHEDULE_LAST (SCHEDULE_TICKS - 1u)

/* The entries of eight bodies in one cache line, because a reader of one mostly wants the others too. A tick scans each kind of
 * byte eight at a time. A byte is the low byte of a tick's number, at or after the current tick. */
struct schedule_eight {
	_Alignas(64) uint32_t partners[8]; /* see meets; NONE: no partner */
	uint8_t due[8];                    /* when the body is due for a neighbourhood query */
	uint8_t meets[8];                  /* when it is due to re-test its partner */
	uint8_t leaves[8];                 /* when it may leave its cell */
};

struct schedule {
	bool wanted;   /* some tick has asked for it */
	bool made;     /* it is valid, for one tick: */
	uint64_t tick; /* the number of that tick, world.tick */
	double dt;     /* the duration that its ticks had */
	struct schedule_eight *eights;
	uint64_t *now; /* a bit per body: it was due when the queries of the current tick began (schedule_mark) */
	size_t body_capacity;
	uint32_t looks; /* bodies queried per tick: a running mean since it was made, in which the latest tick counts most */
	uint32_t dirty; /* bodies that were dirty when the tick began */
	unsigned rest;  /* ticks for which the schedule is not tried */
	bool strayed;   /* some body may be an outlier before it is queried again: grid.h */
	uint64_t ticks; /* ticks that were predicted by it */
};

void schedule_init(struct schedule *schedule);
void schedule_finish(struct schedule *schedule);
size_t schedule_memory_bytes(const struct schedule *schedule);
/* The bodies, their indices or the cells have changed. */
void schedule_forget(struct schedule *schedule);
/* To be called before a tick's bodies begin: checks whether what the last tick left is valid. */
void schedule_begin(struct schedule *schedule, double dt);

/* Number of words of `now` for this many bodies. */
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

/* Whether it is valid for the tick of this number. */
static inline bool
schedule_is_for(const struct schedule *schedule, uint64_t tick)
{
	return schedule->made && schedule->tick == tick;
}

/* Makes a body due for a neighbourhood query in the tick for which the schedule is valid. */
static inline void
schedule_list(struct schedule *schedule, uint32_t body)
{
	struct schedule_eight *eight = &schedule->eights[body / 8];

	eight->due[body % 8] = eight->leaves[body % 8] = (uint8_t)schedule->tick;
}

/* If the schedule is valid for the next tick: in how many ticks a body is due for a neighbourhood query. 1 is the next tick. */
static inline unsigned
schedule_wait(const struct schedule *schedule, uint32_t body)
{
	return (uint8_t)(*schedule_due(schedule, body) - (uint8_t)(schedule->tick - 1));
}

/* Makes a body due for a neighbourhood query after this many ticks at the latest. */
static inline void
schedule_hasten(struct schedule *schedule, uint32_t body, unsigned ticks)
{
	unsigned wait = schedule_wait(schedule, body);

	*schedule_due(schedule, body) = (uint8_t)(schedule->tick - 1 + (ticks < wait ? ticks : wait));
}

/* Makes a body due for a neighbourhood query after `ticks`, and for a test of its one partner after `meets`. */
static inline void
schedule_plan(struct schedule *schedule, uint32_t body, unsigned ticks, uint32_t partner, unsigned meets)
{
	struct schedule_eight *eight = &schedule->eights[body / 8];
	uint8_t before = (uint8_t)(schedule->tick - 1);

	eight->due[body % 8] = (uint8_t)(before + ticks);
	eight->meets[body % 8] = (uint8_t)(before + meets);
	eight->partners[body % 8] = partner;
}

/* Adds a partner, to be tested after `ticks`. If it is the partner already, the earlier time counts. If the body has another
 * one, the nearer of the two is kept, and the neighbourhood query is moved up to the time of the other. */
static inline void
schedule_add(struct schedule *schedule, uint32_t body, uint32_t partner, unsigned ticks)
{
	/* From 1 on: what was due in this tick is done. */
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

/* The body stays in its cell for this many ticks. */
static inline void
schedule_stays(struct schedule *schedule, uint32_t body, unsigned ticks)
{
	*schedule_leaves(schedule, body) = (uint8_t)(schedule->tick - 1 + ticks);
}

#endif
