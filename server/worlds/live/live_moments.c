/* Questions about moments of a live world: the space that its shapes made then. Happy path: it is kept from a question before.
 * Else the world beside (past.h) goes to the tick and makes the next one again with all its paths. Shapes are put where these
 * were at that time. What can go wrong: the history does not reach back so far; memory. */
#include "base/memory.h"
#include "base/pause.h"
#include "physics/describe.h"
#include "worlds/live/live_private.h"

#include <inttypes.h>

/* Ticks without a question, after which what they need is given back: ten seconds at 60 Hz. */
#define PAST_IDLE_TICKS 600

static void
past_drop(struct past *past)
{
	world_moment_finish(&past->moment);
	recent_states_clear(&past->recent);
	past->outdated = false;
	past->stepped = 0;
}

/* Back in memory, if it has gone too far. */
static bool
past_return(struct past *past, uint64_t tick)
{
	const struct recent_state *recent = recent_states_find(&past->recent, tick);

	if (!recent || world_return(past->moment.world, recent->kept) != STATUS_OK ||
	    !force_list_copy(&past->moment.forces, &recent->forces) || !owner_list_copy(&past->moment.owners, &recent->owners))
		return false;
	past->moment.tick = recent->tick;
	past->outdated = false;
	past->stepped = 0;
	return true;
}

/* To the kept state before the tick that is nearest. False without memory. */
static bool
past_begin(struct live_world *world, const struct journal_state *state, uint64_t tick)
{
	struct past *past = &world->past;

	if (past->moment.world && (past->outdated || past->moment.tick > tick) && !past_return(past, tick))
		past_drop(past);
	if (past->moment.world && past->moment.tick >= state->tick)
		return true;
	past_drop(past);
	if (!live_moment_restore(world, state, &past->moment))
		return false;
	if (world_events_set(past->moment.world, WORLD_EVENTS_PATHS) == STATUS_OK)
		return true;
	past_drop(past);
	return false;
}

/* Makes its next tick, and knows then where everything was in it. The live world stands aside. */
static bool
past_step(struct live_world *world, const struct batch **batch)
{
	struct past *past = &world->past;

	definitions_free(&past->starts);
	recent_states_tick(&past->recent, world->world, &world->forces, &world->owners);
	past->stepped = 0;
	if (!past->report)
		past->report = memory_zeroed(1, sizeof *past->report);
	if (!past->report || !live_batches_again(world, batch) || !definitions_take(world->world, &past->starts) ||
	    !live_step_again(world, past->report))
		return false;
	past->stepped = world->tick;
	return true;
}

/* Whether this turn has spent on questions what it may. */
static bool
turn_is_over(const struct live_world *world)
{
	return world->cpu_ns() - world->moments_ns >= LIVE_WORLD_TURN_NS;
}

/* How far it has come. */
enum going {
	GOING_THERE,
	GOING_ON,    /* the rest of the way is for the next turn */
	GOING_FAILED /* without memory: there is no world beside any more */
};

/* To the state after a tick, or one tick on. */
static enum going
past_go(struct live_world *world, const struct journal_state *state, uint64_t tick, bool on)
{
	struct past *past = &world->past;
	uint64_t end = on ? tick + 1 : tick;
	bool made = true, over = false;

	if (on && past->stepped == end && !past->outdated)
		return GOING_THERE;
	if (!past_begin(world, state, tick))
		return GOING_FAILED;

	const struct batch *batch = world->journal.first;

	while (batch && batch->tick <= past->moment.tick)
		batch = batch->next;
	live_moment_swap(world, &past->moment);
	for (; made && !over && world->tick < end; over = turn_is_over(world))
		made = past_step(world, &batch);
	live_moment_swap(world, &past->moment);
	if (!made) {
		past_drop(past);
		return GOING_FAILED;
	}
	return past->moment.tick == end ? GOING_THERE : GOING_ON;
}

/* ---- where it was */

/* Where the path was, of pieces in the order of time, the first of which begins before. */
static void
place_at(struct circle_def *circle, const struct path_piece *pieces, size_t count, double time)
{
	size_t at = 0;

	while (at + 1 < count && pieces[at + 1].time <= time)
		at++;
	if (count == 0)
		return; /* it is static */

	const struct path_piece *piece = &pieces[at];
	double s = time - piece->time;

	circle->x = piece->position[0], circle->y = piece->position[1];
	if (piece->kind == PIECE_STANDS)
		return;
	circle->x += s * (piece->velocity[0] + 0.5 * s * piece->acceleration[0]);
	circle->y += s * (piece->velocity[1] + 0.5 * s * piece->acceleration[1]);
}

/* Of one that had ended the radius is 0 from then on. */
static void
ends_mark(const struct tick_report *report, struct definitions *at, double time)
{
	for (size_t k = 0; k < report->end_count && !pause_after(2); k++) {
		size_t low = 0, high = at->circle_count;

		while (low < high) {
			size_t middle = low + (high - low) / 2;

			if (at->circles[middle].id < report->ends[k].body)
				low = middle + 1;
			else
				high = middle;
		}
		if (low < at->circle_count && at->circles[low].id == report->ends[k].body && report->ends[k].time <= time)
			at->circles[low].radius = 0;
	}
}

/* Puts what there was at the tick's start where it was at that time; what had ended is left out. */
static void
places_set(const struct past *past, struct definitions *at, double time)
{
	const struct tick_report *report = past->report;
	size_t piece = 0, kept = 0;

	ends_mark(report, at, time);
	for (size_t i = 0; i < at->circle_count && !pause_after(4); i++) {
		struct circle_def *circle = &at->circles[i];
		size_t first, count = 0;

		while (piece < report->path_count && report->paths[piece].body < circle->id)
			piece++;
		first = piece;
		for (; piece < report->path_count && report->paths[piece].body == circle->id; piece++)
			count++;
		place_at(circle, &report->paths[first], count, time);
		if (circle->radius > 0)
			at->circles[kept++] = *circle;
	}
	at->circle_count = kept;
	for (size_t i = 0; i < at->segment_count && !pause_after(1); i++) {
		struct segment_def *segment = &at->segments[i];

		segment->x1 += time * segment->vx, segment->x2 += time * segment->vx;
		segment->y1 += time * segment->vy, segment->y2 += time * segment->vy;
	}
}

/* NULL without memory. */
static struct space *
space_within(const struct past *past, double time)
{
	struct world_def def = world_def_default();
	struct def_problem problem;
	struct space *space = NULL;
	struct definitions at = { .circle_count = past->starts.circle_count, .segment_count = past->starts.segment_count };

	at.circles = memory_alloc((at.circle_count + 1) * sizeof *at.circles);
	at.segments = memory_alloc((at.segment_count + 1) * sizeof *at.segments);
	if (at.circles && at.segments) {
		(void)pause_copy(at.circles, past->starts.circles, at.circle_count * sizeof *at.circles);
		(void)pause_copy(at.segments, past->starts.segments, at.segment_count * sizeof *at.segments);
		places_set(past, &at, time);
		def.circles = at.circles, def.circle_count = at.circle_count;
		def.segments = at.segments, def.segment_count = at.segment_count;
		/* They were in a world: what can go wrong is memory. */
		if (space_create(&def, &problem, &space) != STATUS_OK)
			space = NULL;
	}
	definitions_free(&at);
	return space;
}

/* NULL without memory. */
static struct shared_space *
space_share(struct space *space)
{
	struct shared_space *shared = space ? shared_space_create(space) : NULL;

	if (!shared)
		space_destroy(space);
	return shared;
}

/* Of the state that the live world, or that beside it, has; or of a time in the tick that the latter has made. */
static struct shared_space *
space_make(struct live_world *world, const struct world *at, double time)
{
	struct ledger *own = memory_enter_common();
	struct space *space = NULL;

	if (at && space_create_of_world(at, &space) != STATUS_OK)
		space = NULL;
	if (!at)
		space = space_within(&world->past, time);

	struct shared_space *shared = space_share(space);

	(void)memory_enter(own);
	return shared;
}

/* *out: NULL without memory. False: it takes another turn. */
static bool
moment_make(struct live_world *world, const struct journal_state *state, uint64_t tick, double time, struct shared_space **out)
{
	enum going going = tick == world->tick ? GOING_THERE : past_go(world, state, tick, time > 0);
	const struct world *at = tick == world->tick ? world->world : time > 0 ? NULL : world->past.moment.world;

	*out = going == GOING_THERE ? space_make(world, at, time) : NULL;
	return going != GOING_ON;
}

/* ---- answers */

/* With those that are kept the world may have no more than its memory. */
static bool
space_fits(const struct live_world *world, const struct shared_space *space)
{
	uint64_t most = world->ledger.most == 0 ? UINT64_MAX : (uint64_t)world->ledger.most;

	return ledger_used(&world->ledger) + past_spaces_bytes(&world->past) + space->bytes <= most;
}

/* False: it takes another turn. */
static bool
moment_tell(struct live_world *world, uint64_t tick, double time, struct answer *answer)
{
	const struct batch *unused;
	const struct journal_state *state = journal_find(&world->journal, world->tick, tick, &unused);

	if (tick > world->tick || (tick == world->tick && time > 0)) {
		(void)wire_problem_set(&answer->problem, STATUS_OUT_OF_RANGE, "TOO_EARLY",
		                       tick > world->tick ? "query.world.tick" : "query.world.time",
		                       "is after the last tick made, %" PRIu64, world->tick);
		return true;
	}
	if (tick < world->tick && !state) {
		(void)wire_problem_set(&answer->problem, STATUS_OUT_OF_RANGE, "TICK_GONE", "query.world.tick",
		                       "is %" PRIu64 ", the history does not reach there", tick);
		return true;
	}
	answer->space = past_space_find(&world->past, tick, time);
	if (!answer->space) {
		if (!moment_make(world, state, tick, time, &answer->space))
			return false;
		if (answer->space && space_fits(world, answer->space))
			past_space_keep(&world->past, tick, time, answer->space);
	}
	if (!answer->space)
		(void)wire_problem_set(&answer->problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "query.world",
		                       "no memory for that moment in its world");
	return true;
}

/* False: it takes another turn. */
static bool
moment_answer(struct live_world *world, const struct moment_ask *asked, struct answer *answer)
{
	uint64_t tick = asked->has_tick ? asked->tick : world->tick;
	double time = asked->time;

	answer->tick = world->tick;
	world->past.asks++;
	world->past.asked_tick = world->tick;
	/* The end of a tick is the state after it. */
	if (time == world->policy.dt && tick < UINT64_MAX)
		time = 0, tick++;
	if (world->failed)
		(void)wire_problem_set(&answer->problem, STATUS_FAILED_PRECONDITION, "WORLD_FAILED", "", "%s", live_failed_text);
	else if (!(time >= 0 && time < world->policy.dt))
		(void)wire_problem_set(&answer->problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "query.world.time",
		                       "must be from 0 to the world's dt, %.17g", world->policy.dt);
	else
		return moment_tell(world, tick, time, answer);
	return true;
}

static void
moment_free(struct moment_ask *asked)
{
	struct ledger *own = memory_enter_common();

	memory_free(asked->answer);
	memory_free(asked);
	(void)memory_enter(own);
}

/* Askers take turns: each has one in a round. That which is on its way is of this round, and stays the first. */
static void
moment_queue(struct live_world *world, struct moment_ask *asked)
{
	struct moment_ask **link = &world->moments;

	asked->round = world->moments_round;
	for (const struct moment_ask *other = world->moments; other && !pause_after(1); other = other->next)
		if (other->asker == asked->asker && other->round >= asked->round)
			asked->round = other->round + 1;
	while (*link && (*link)->round <= asked->round)
		link = &(*link)->next;
	asked->next = *link;
	*link = asked;
}

bool
live_moment_ask(struct live_world *world, const struct post *post)
{
	/* Charged to no ledger: what a full world is asked can be refused at least. */
	struct ledger *own = memory_enter_common();
	struct moment_ask *asked = memory_alloc(sizeof *asked);

	(void)memory_enter(own);
	if (!asked)
		return false;
	*asked = (struct moment_ask){ .answer = draft_answer_create(post->ask),
		                          .asker = post->moment.asker,
		                          .tick = post->moment.tick,
		                          .has_tick = post->moment.has_tick,
		                          .time = post->moment.time };
	if (!asked->answer) {
		moment_free(asked);
		return false;
	}
	moment_queue(world, asked);
	return true;
}

/* The answer of the first of those that wait. */
static struct answer *
moment_take(struct live_world *world)
{
	struct moment_ask *first = world->moments;
	struct answer *answer = first->answer;

	world->moments = first->next;
	first->answer = NULL;
	moment_free(first);
	return answer;
}

void
live_moments_drop(struct live_world *world)
{
	while (world->moments) {
		struct moment_ask *first = world->moments;

		world->moments = first->next;
		moment_free(first);
	}
}

/* A tick that is due does not wait for all of them: some come in the turn of each tick. One that needs many ticks of the past
 * made again goes on in the next turn. */
void
live_moments_make(struct live_world *world)
{
	if (!world->moments)
		return;

	int64_t most = live_readers_enter(world);
	bool answered;

	world->moments_ns = world->cpu_ns();
	do {
		world->moments_round = world->moments->round;
		answered = moment_answer(world, world->moments, world->moments->answer);
		if (answered)
			draft_answer(&world->draft, moment_take(world));
	} while (answered && world->moments && !turn_is_over(world));
	live_readers_leave(world, most);
}

void
live_moments_refuse(struct live_world *world, enum status status, const char *reason, const char *text)
{
	while (world->moments) {
		struct answer *answer = moment_take(world);

		answer->tick = world->tick;
		(void)wire_problem_set(&answer->problem, status, reason, "", "%s", text);
		draft_answer(&world->draft, answer);
	}
}

void
live_past_idle(struct live_world *world)
{
	if (world->past.asks > 0 && (world->tick - world->past.asked_tick > PAST_IDLE_TICKS || !live_readers_fit(world)))
		past_finish(&world->past);
}
