/* The rounds of a tick. Happy path: each strip predicts its rows once, and takes its events up to the round's end; then the
 * last strip takes what they left; before the next round events go where their bodies have gone. What can go wrong: memory
 * (world->failed); a clash (the last strip's). */
#include "physics/ahead.h"
#include "physics/strips.h"

#include "physics/predict.h"
#include "physics/resolve.h"
#include "physics/settle.h"

#include <math.h>

/* How many events pass between two questions whether to go on. */
#define EVENTS_PER_QUESTION 256
/* As far as news comes in one round, in cells. */
#define CELLS_PER_ROUND 0.3
#define ROUNDS_MAX 64

static void
strip_mark(struct strip *strip, uint32_t body, double time)
{
	strip->all->latest[strip->world.grid.rows[body].cell] = strips_moment(strip->all, time);
}

/* How many rows of its strip are between a cell and the nearer edge. */
static uint32_t
rows_to_edge(const struct strip *strip, uint32_t cell)
{
	uint32_t row = cell / strip->world.grid.levels[0].columns;
	uint32_t above = row - strip->row, below = strip->row_end - 1 - row;

	return above < below ? above : below;
}

/* The last strip: a body that was beside an edge has changed cells. */
static void
strip_note_mover(struct strip *strip, uint32_t body)
{
	if (!array_reserve(&strip->movers, &strip->mover_capacity, strip->mover_count + 1, sizeof *strip->movers)) {
		strip->world.failed = true;
		return;
	}
	strip->movers[strip->mover_count++] = body;
}

static void
strip_transfer(struct strip *strip, const struct event *event)
{
	const struct strips *all = strip->all;
	const uint32_t *cell = &strip->world.grid.rows[event->a].cell, before = *cell;

	strip_mark(strip, event->a, event->time);
	predict_transfer(&strip->world, event->a, event->time);
	strip_mark(strip, event->a, event->time);
	if (strip->last && (rows_to_edge(strip_of(all, before), before) == 0 || strip_of(all, before) != strip_of(all, *cell)))
		strip_note_mover(strip, event->a);
}

/* Whether a cluster only hits: nobody rests, is at the cap of events, or comes to where bodies are strays (grid.h). */
static bool
cluster_is_plain(const struct cluster *cluster)
{
	const struct world *world = cluster->world;

	for (size_t k = 0; k < cluster->pair_count; k++)
		if (cluster->pairs[k].resting)
			return false;
	for (size_t k = 0; k < cluster->member_count; k++) {
		const struct member *member = &cluster->members[k];

		if (member->crushed || member->park || world->infos[member->body].mode != MODE_MOVING ||
		    world->infos[member->body].events + 1 >= world->events_per_body_max ||
		    larger(fabs(member->x), fabs(member->y)) * SKIN_PER_COORDINATE > world->grid.rounding)
			return false;
	}
	return true;
}

bool
strip_keeps(struct strip *strip, const struct cluster *cluster)
{
	for (size_t k = 0; k < cluster->member_count && !cluster->fenced; k++)
		strip_keep(strip, cluster->members[k].body);
	return !cluster->fenced && !strip->world.failed;
}

/* Ends an event that was resolved. */
static void
strip_note(struct strip *strip, const struct event *event)
{
	struct world *world = &strip->world;

	if (!array_reserve(&strip->taken, &strip->taken_capacity, strip->taken_count + 1, sizeof *strip->taken)) {
		world->failed = true;
		return;
	}

	/* Field by field, where they stay: a compound literal would be cleared first. */
	struct strip_event *taken = &strip->taken[strip->taken_count++];

	lines_fetch_ahead(taken, sizeof *taken, STRIP_AHEAD);
	taken->event = *event;
	taken->contact_end = world->contact_count;
	taken->change_end = world->path_change_count;
	taken->ledger = ledger_part_take(world);
	if (event_holds(world, event) && !event_queue_void(&world->queue, event))
		world->failed = true;
}

/* In a strip that is not the last. */
static void
strip_resolve(struct strip *strip, const struct event *event)
{
	struct world *world = &strip->world;
	const struct work_meter before = world->work;
	struct cluster *cluster;

	if (!work_take(&world->work, WORK_EVENT)) {
		strip->spent = true;
		return;
	}
	cluster = resolve_prepare(world, event);
	if (cluster->failed) {
		world->failed = true;
		return;
	}
	strip->spent = world->work.spent;
	/* The strip that resolves an event counts its work. */
	if (cluster->fenced || !cluster_is_plain(cluster))
		world->work = before;
	if (cluster->fenced || !cluster_is_plain(cluster)) {
		strip_leave(strip, event);
		return;
	}
	if (!strip_keeps(strip, cluster))
		return;
	world->events++;
	for (size_t k = 0; k < cluster->member_count; k++)
		strip_mark(strip, cluster->members[k].body, event->time);
	resolve_write(world, cluster);
	strip_note(strip, event);
}

/* In the last one. */
static void
strip_resolve_any(struct strip *strip, const struct event *event)
{
	strip_keep(strip, event->a);
	if (event->kind == EVENT_CIRCLES)
		strip_keep(strip, event->b);
	resolve_event(&strip->world, event);
	strip->spent = strip->world.work.spent;
	if (!strip->clash)
		strip_note(strip, event);
}

/* As step.c does. */
static void
strip_sweep(struct strip *strip)
{
	struct world *world = &strip->world;
	struct event event;

	for (uint64_t turn = 1; !world->failed && !strip->clash && !strip->spent &&
	                        event_queue_pop_until(&world->queue, strip->all->until, strip->all->ending, &event, &world->failed);
	     turn++) {
		if (turn % EVENTS_PER_QUESTION == 0 && world_asked_to_stop(world))
			return;
		next_fetch(world);
		if (!event_holds(world, &event))
			continue;
		if (!strip_has_event(strip, &event)) {
			if (!strip->last)
				strip_leave(strip, &event);
			continue;
		}
		if (event.kind == EVENT_TRANSFER) {
			strip_transfer(strip, &event);
			continue;
		}
		if (event_queue_is_void(&world->queue, &event))
			continue;
		pair_fetch(world, &event);
		if (strip->last)
			strip_resolve_any(strip, &event);
		else
			strip_resolve(strip, &event);
	}
}

/* Of the last strip's queue, after a round: what is of one strip's bodies alone goes there. */
static bool
event_deal(void *context, const struct event *event)
{
	const struct strips *strips = context;
	struct strip *last = &strips->strips[0], *strip;
	const struct grid_row *rows = last->world.grid.rows;

	/* Of movers some are predicted that were taken, and changed nothing. */
	if (event->time < strips->until || !event_holds(&last->world, event))
		return false;
	strip = strip_of(strips, rows[event->a].cell);
	if (event->kind == EVENT_CIRCLES && strip_of(strips, rows[event->b].cell) != strip)
		return true;
	if (!array_reserve(&strip->given, &strip->given_capacity, strip->given_count + 1, sizeof *strip->given))
		last->world.failed = true;
	else
		strip->given[strip->given_count++] = *event;
	return false;
}

/* Predicts its rows. False: somebody there is a stray. */
static bool
strip_predict(struct strip *strip)
{
	struct strips *strips = strip->all;
	struct world *world = &strip->world;
	const struct rims *rims = &world->rims;
	unsigned flags = 0;

	if (strips->listed)
		return strip_look(strip);
	predict_rows(world, strip->row, strip->row_end, 0.0);
	for (uint32_t slot = 0; slot < rims->starts[strip->cell_end]; slot++)
		flags |= rims->flags[slot];
	strip->stray = (flags & RIM_STRAY) != 0;
	return !strip->stray;
}

/* What was dealt to a strip. */
static void
given_take(struct strip *strip)
{
	for (size_t k = 0; k < strip->given_count; k++)
		if (!event_queue_push(&strip->world.queue, &strip->given[k]))
			strip->world.failed = true;
	strip->given_count = 0;
}

static void
piece_sweep(void *argument, unsigned index)
{
	struct strips *strips = argument;
	struct strip *strip = &strips->strips[index + 1];

	strip_open(strip);
	if (index > 0)
		strip_close_edge(strip, true);
	if (index + 1 < strips->count)
		strip_close_edge(strip, false);
	if (strips->begin > 0.0)
		given_take(strip);
	else if (!strip_predict(strip))
		return;
	strip_sweep(strip);
}

/* Who of a strip's last row may meet whom of the next strip's first one: nobody has written these since the tick began. */
static void
border_predict(struct strips *strips, const struct strip *strip)
{
	struct world *world = &strips->strips[0].world;
	const struct grid *grid = &world->grid;
	uint32_t columns = grid->levels[0].columns;

	for (uint32_t column = 0; column < columns; column++) {
		uint32_t below = strip->cell_end + column, c0 = below - (column > 0), c1 = below + (column + 1 < columns);

		for (uint32_t place = grid->heads[below - columns]; place != NONE; place = grid_onward(grid, place))
			for (uint32_t cell = c0; cell <= c1; cell++)
				predict_cell(world, grid_body(place), settle_clear(world, grid_body(place)), cell);
	}
}

/* Gives the last strip what the others left. */
static void
left_take(struct strips *strips, struct world *world)
{
	struct strip *last = &strips->strips[0];

	for (size_t s = 1; s <= strips->count; s++) {
		struct strip *strip = &strips->strips[s];

		world->failed = world->failed || strip->world.failed;
		world->stopped = world->stopped || strip->world.stopped;
		for (size_t k = 0; k < strip->left_count && !world->failed; k++) {
			strip_fetch(last, &strip->left[k]);
			world->failed = !event_queue_push(&last->world.queue, &strip->left[k]);
		}
		strip->left_count = 0;
	}
}

/* What the strips left, in the world of the last one. */
static void
left_sweep(struct strips *strips, struct world *world)
{
	struct strip *last = &strips->strips[0];

	left_take(strips, world);
	if (world->failed)
		return;
	/* Who looked has looked across. */
	for (size_t s = 1; s < strips->count && strips->begin == 0.0 && !strips->listed; s++)
		border_predict(strips, &strips->strips[s]);
	strip_sweep(last);
	world->failed = last->world.failed;
	world->stopped = last->world.stopped;
}

/* Of the strip's own queue: what is of others too is left. */
static bool
event_stays(void *context, const struct event *event)
{
	struct strip *strip = context;
	const struct grid_row *rows = strip->world.grid.rows;

	if (cell_is_inside(strip, rows[event->a].cell) &&
	    (event->kind != EVENT_CIRCLES || cell_is_inside(strip, rows[event->b].cell)))
		return true;
	strip_pass(strip, event);
	return false;
}

static void
piece_purge(void *argument, unsigned index)
{
	struct strips *strips = argument;
	struct strip *strip = &strips->strips[index + 1];

	event_queue_filter(&strip->world.queue, event_stays, strip);
}

/* A strip's queue may have events of bodies beyond its edge: they were there, or beside it. It asks whether they still hold, so
 * they must be where nobody writes them. When one is no longer, all such events are taken away. */
static void
movers_purge(struct strips *strips, struct world *world)
{
	struct strip *last = &strips->strips[0];
	size_t k = 0;

	while (k < last->mover_count) {
		uint32_t cell = world->grid.rows[last->movers[k]].cell;

		if (rows_to_edge(strip_of(strips, cell), cell) >= STRIP_EDGE)
			break;
		k++;
	}
	if (k == last->mover_count)
		return;
	last->mover_count = 0;
	world->crew.run(world->crew.context, (unsigned)strips->count, piece_purge, strips);
	left_take(strips, world);
}

/* Before the next round. Of movers that have come to another strip, the events with those who were around them before are in
 * the queue of the strip that they left: predicted anew they get to where they are now. */
static void
events_deal(struct strips *strips, struct world *world)
{
	struct strip *last = &strips->strips[0];

	for (size_t k = last->mover_old; k < last->mover_count; k++)
		predict_around(&last->world, last->movers[k]);
	movers_purge(strips, world);
	last->mover_old = last->mover_count;
	event_queue_filter(&last->world.queue, event_deal, strips);
	world->failed = world->failed || last->world.failed;
}

/* Whether all strips together have taken more than the tick may. Then one thread makes it, which knows what was taken before an
 * event, as no strip does; what they did is not counted. Else none of the events came when too much was taken, in whatever
 * order they were. */
static bool
strips_overspend(const struct strips *strips, const struct world *world)
{
	uint64_t used = 0;
	bool spent = false;

	for (size_t s = 0; s <= strips->count; s++) {
		used += strips->strips[s].world.work.used;
		spent = spent || strips->strips[s].spent;
	}
	return spent || used > world->work.most;
}

/* One round of all. */
static void
strips_round(struct strips *strips, struct world *world)
{
	/* Supports are the last strip's to add. Whoever they hold may change cells in another one, which reads them. */
	for (size_t s = 1; s <= strips->count; s++)
		strips->strips[s].world.supports = strips->strips[0].world.supports;
	world->crew.run(world->crew.context, (unsigned)strips->count, piece_sweep, strips);
	for (size_t s = 1; s <= strips->count && strips->begin == 0.0; s++)
		strips->stray = strips->stray || strips->strips[s].stray;
	strips->spent = strips_overspend(strips, world);
	if (strips->stray || strips->spent)
		return;
	left_sweep(strips, world);
	strips->spent = strips_overspend(strips, world);
	if (!strips->ending && !strips->spent && !world->failed && !strips->strips[0].clash)
		events_deal(strips, world);
}

/* How many rounds the tick should have. */
static unsigned
rounds_of(const struct strips *strips, const struct world *world)
{
	double cells = world->dt / (strips->pace * CELLS_PER_ROUND);

	return cells < ROUNDS_MAX ? 1 + (unsigned)cells : ROUNDS_MAX;
}

void
strips_sweep(struct strips *strips, struct world *world)
{
	unsigned rounds = rounds_of(strips, world);

	strips->until = 0.0;
	strips->stray = strips->spent = false;
	for (unsigned k = 1; k <= rounds && !world->failed && !strips->strips[0].clash && !strips->stray && !strips->spent; k++) {
		strips->begin = strips->until;
		strips->ending = k == rounds;
		strips->until = strips->ending ? world->until : world->until * ((double)k / rounds);
		strips_round(strips, world);
	}
	/* Only the last strip has supports. */
	world->supports = strips->strips[0].world.supports;
	world->support_count = strips->strips[0].world.support_count;
	world->support_capacity = strips->strips[0].world.support_capacity;
}
