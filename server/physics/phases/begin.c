/* Happy path: the bodies that are dirty since the last tick began get their bookkeeping, in the order of their indices. In a
 * world that is stepped in domains several threads do so side by side, each for other indices. What can go wrong: memory for
 * the reports of waking bodies (world->failed). */
#include "physics/phases/begin.h"

#include "base/pause.h"
#include "physics/prediction/dirty_bodies.h"
#include "physics/resting/sleep.h"

#include <math.h>

#define PIECES_MAX 64u
/* Units (base/pause.h) for a dirty body. */
#define BEGIN_UNITS 4u

/* The result of one worker's range of bodies. */
struct begin_part {
	uint32_t dirty; /* number of dirty bodies */
	bool settles;   /* some body carries over more than bookkeeping: handover_begin */
};

struct begin_parts {
	struct world *world;
	unsigned count;
	struct begin_part parts[PIECES_MAX];
};

/* What a body carries over from the last tick and from edits since. Returns whether it is new. */
static bool
handover_begin(struct world *world, uint32_t i)
{
	struct body_info *info = &world->bodies.infos[i];

	if (info->handover & HANDOVER_NEW)
		info->fresh = true;
	if (info->handover & HANDOVER_WOKEN)
		sleep_begin(world, i);
	info->handover = (uint8_t)((info->handover & HANDOVER_LED) | (info->handover & HANDOVER_HIT ? HANDOVER_CANDIDATE : 0));
	world->step.handover_candidates += info->handover != 0;
	return info->fresh;
}

/* Whether the end of a tick would not change the sign of a zero. */
static inline bool
ends_same(double value)
{
	return value != 0.0 || !signbit(value);
}

/* The state of a body that no tick has anything to do with but what its bookkeeping says, which is new. */
static inline uint8_t
body_upkeep_of(const struct world *world, uint32_t i)
{
	const struct body *body = &world->bodies.paths[i];
	const struct body_info *info = &world->bodies.infos[i];

	if (info->kind == BODY_DYNAMIC) {
		if (info->gravity_scale != 1.0 || body->ax != world->settings.gravity_x || body->ay != world->settings.gravity_y)
			return BODY_DIRTY;
		return info->spin == 0.0 ? BODY_CLEAN : BODY_TURNS;
	}
	if (info->kind == BODY_STATIC && info->spin == 0.0 && body->vx == 0.0 && body->vy == 0.0 && body->ax == 0.0 &&
	    body->ay == 0.0 && ends_same(body->x) && ends_same(body->y) && ends_same(body->vx) && ends_same(body->vy) &&
	    ends_same(body->ax) && ends_same(body->ay) && ends_same(info->angle))
		return BODY_STILL;
	return BODY_DIRTY;
}

/* Resets a body's bookkeeping for the tick. Returns whether it carries over more. */
static inline bool
body_begin(struct world *world, uint32_t i, bool first)
{
	const struct body *body = &world->bodies.paths[i];
	struct body_info *info = &world->bodies.infos[i];

	world->bodies.marks[i].epoch = 0;
	info->clear = NONE; /* no epoch is NONE: no displacement of this tick is certified yet */
	info->events = 0;
	info->crowded = false;
	info->support = NONE;
	if (world->step.had_substeps)
		info->released = -1.0;
	info->stands = 0;
	info->hung = 0;
	info->driven = info->shoved = false;
	info->last_partner = NONE;
	info->last_hit_time = -(double)INFINITY;
	info->burst_hits = 0;
	info->rebound = 1.0;
	info->mode = MODE_MOVING;
	world->bodies.marks[i].is_free = info->kind == BODY_DYNAMIC && info->handover == 0;
	info->fresh = first;
	info->fastest = body->vx * body->vx + body->vy * body->vy;
	if (info->handover != 0)
		return true;
	world->bodies.masses[i] = info->mass;
	world->bodies.clean[i] = first ? BODY_DIRTY : body_upkeep_of(world, i);
	return false;
}

/* Counts the still bodies of a span, which the schedule treats as dirty ones. */
static uint32_t
stills_list(struct world *world, uint32_t first, uint32_t end, bool there)
{
	const uint8_t *clean = world->bodies.clean;
	uint32_t count = 0;

	if (!world->settings.statics)
		return 0;
	for (uint32_t i = first; i < end; i++)
		count += clean[i] == BODY_STILL;
	for (uint32_t i = first; there && i < end; i++)
		if (clean[i] == BODY_STILL)
			schedule_list(&world->schedule, i);
	return count;
}

/* The dirty bodies of a span. Returns whether some are new. */
static bool
span_begin(struct world *world, struct span span, bool first)
{
	struct schedule *schedule = &world->schedule;
	struct dirty_prefetch ahead = dirty_fetch_first(world, span.first, span.end);
	struct dirty_walk walk = dirty_walk(span.first, span.end);
	bool there = schedule_is_for(schedule, world->tick), fresh = false;

	schedule->dirty += stills_list(world, span.first, span.end, there);
	for (uint32_t i; (i = dirty_walk_next(world, &walk)) < span.end;) {
		dirty_fetch(world, &ahead);
		schedule->dirty++;
		if (body_begin(world, i, first))
			fresh = handover_begin(world, i) || fresh;
		if (there && !world->bodies.clean[i])
			schedule_list(schedule, i);
	}
	return fresh;
}

/* The schedule treats sleeping bodies as dirty ones. Where they are many, it is not in use for long. */
static void
sleepers_list(struct world *world)
{
	struct schedule *schedule = &world->schedule;

	schedule->dirty += world->bodies.asleep_count;
	if (world->bodies.asleep_count == 0 || !schedule_is_for(schedule, world->tick))
		return;
	for (uint32_t i = 0; i < world->bodies.count && !pause_after(1); i++)
		if (world->bodies.infos[i].mode == MODE_ASLEEP)
			schedule_list(schedule, i);
}

/* The first body of a worker's range; the ranges are consecutive. */
static uint32_t
part_first(const struct begin_parts *parts, unsigned index)
{
	return (uint32_t)((uint64_t)parts->world->bodies.count * index / parts->count);
}

static void
piece_begin(void *argument, unsigned index)
{
	struct begin_parts *parts = argument;
	struct world *world = parts->world;
	uint32_t first = part_first(parts, index), end = part_first(parts, index + 1);
	struct dirty_prefetch ahead = dirty_fetch_first(world, first, end);
	bool there = schedule_is_for(&world->schedule, world->tick);
	struct dirty_walk walk = dirty_walk(first, end);
	struct begin_part part = { .dirty = stills_list(world, first, end, there) };

	for (uint32_t i; (i = dirty_walk_next(world, &walk)) < end && !pause_after(BEGIN_UNITS);) {
		dirty_fetch(world, &ahead);
		part.dirty++;
		part.settles |= body_begin(world, i, false);
		if (there && !world->bodies.clean[i])
			schedule_list(&world->schedule, i);
	}
	parts->parts[index] = part;
}

/* By this many workers. Returns whether some bodies are new. */
static bool
bodies_begin_beside(struct world *world, unsigned workers)
{
	struct begin_parts parts = { .world = world, .count = workers };
	bool fresh = false;

	world_share(world, workers, piece_begin, &parts);
	for (unsigned k = 0; k < workers; k++) {
		uint32_t first = part_first(&parts, k), end = part_first(&parts, k + 1);

		world->schedule.dirty += parts.parts[k].dirty;
		for (uint32_t i = dirty_next(world, first, end); i < end && parts.parts[k].settles && !pause_after(BODY_UNITS);
		     i = dirty_next(world, i + 1, end))
			if (world->bodies.infos[i].handover != 0)
				fresh = handover_begin(world, i) || fresh;
	}
	return fresh;
}

bool
bodies_begin(struct world *world, bool first, unsigned workers)
{
	const struct awake *awake = &world->bodies.awake;
	uint32_t count = world->bodies.count;
	bool fresh = false;

	schedule_begin(&world->schedule, world->step.dt);
	if (workers > 1)
		return bodies_begin_beside(world, workers < PIECES_MAX ? workers : PIECES_MAX);
	sleepers_list(world);
	for (struct span s = awake_span(awake, 0, count); s.first < s.end; s = awake_span(awake, s.end, count))
		for (struct pause_piece p = { s.first, s.first }; pause_piece_next(&p, s.end, BEGIN_UNITS);)
			fresh = span_begin(world, (struct span){ p.first, p.end }, first) || fresh;
	return fresh;
}
