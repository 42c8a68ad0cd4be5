/* The rounds of a tick. Happy path: each domain predicts its rows once, and resolves its events up to the round's end; then the
 * last domain resolves what they deferred. Before the next round events move to the domains of their bodies. What can go wrong:
 * memory (world->failed); a conflict (found by the last domain). */
#include "physics/broadphase/grid_fast.h"
#include "physics/events/lifetimes.h"
#include "physics/events/resolve.h"
#include "physics/partition/partition.h"
#include "physics/prediction/predict.h"
#include "physics/prediction/prefetch.h"
#include "physics/resting/handover.h"
#include "physics/world/collision_filter.h"

#include <math.h>

/* How far effects propagate in one round, in cells. */
#define CELLS_PER_ROUND 0.3
#define ROUNDS_MAX 64

static void
domain_mark(struct domain *domain, uint32_t body, double time)
{
	domain->all->latest[domain->world.grid.rows[body].cell] = partition_moment(domain->all, time);
}

/* Number of rows between a cell and the nearer edge of its domain. */
static uint32_t
rows_to_edge(const struct domain *domain, uint32_t cell)
{
	uint32_t row = cell / domain->world.grid.levels[0].columns;
	uint32_t above = row - domain->row, below = domain->row_end - 1 - row;

	return above < below ? above : below;
}

/* For the last domain: a body that was beside an edge has changed cells. */
static void
domain_note_migrant(struct domain *domain, uint32_t body)
{
	if (!array_reserve(&domain->migrant_bodies, &domain->migrant_capacity, domain->migrant_count + 1,
	                   sizeof *domain->migrant_bodies)) {
		domain->world.failed = true;
		return;
	}
	domain->migrant_bodies[domain->migrant_count++] = body;
}

static void
domain_transfer(struct domain *domain, const struct event *event)
{
	const struct partition *all = domain->all;
	const uint32_t *cell = &domain->world.grid.rows[event->a].cell, before = *cell;

	/* It would leave the domain's level. */
	domain->stray = fast_suits(&domain->world, event->a, event->time);
	if (domain->stray)
		return;
	domain_mark(domain, event->a, event->time);
	predict_transfer(&domain->world, event->a, event->time);
	domain_mark(domain, event->a, event->time);
	if (domain->last && (rows_to_edge(domain_of(all, before), before) == 0 || domain_of(all, before) != domain_of(all, *cell)))
		domain_note_migrant(domain, event->a);
}

/* Whether a cluster only collides: no body rests, stops, ends, is at its limit of events, or reaches the region of outliers
 * (grid.h). */
static bool
cluster_is_plain(const struct cluster *cluster)
{
	const struct world *world = cluster->world;

	if (cluster->fated)
		return false;
	for (size_t k = 0; k < cluster->pair_count; k++)
		if (cluster->pairs[k].resting)
			return false;
	for (size_t k = 0; k < cluster->member_count; k++) {
		const struct member *member = &cluster->members[k];

		if (member->crushed || member->park || world->bodies.infos[member->body].mode != MODE_MOVING ||
		    world->bodies.infos[member->body].events + 1 >= world->settings.events_per_body_max ||
		    larger(fabs(member->x), fabs(member->y)) * SKIN_PER_COORDINATE > world->grid.rounding)
			return false;
	}
	return true;
}

bool
domain_logs(struct domain *domain, const struct cluster *cluster)
{
	for (size_t k = 0; k < cluster->member_count && !cluster->fenced; k++)
		domain_log(domain, cluster->members[k].body);
	return !cluster->fenced && !domain->world.failed;
}

/* Completes an event that was resolved. */
static void
domain_note(struct domain *domain, const struct event *event)
{
	struct world *world = &domain->world;

	if (!array_reserve(&domain->taken, &domain->taken_capacity, domain->taken_count + 1, sizeof *domain->taken)) {
		world->failed = true;
		return;
	}

	/* Written field by field in place: a compound literal would be cleared first. */
	struct domain_event *taken = &domain->taken[domain->taken_count++];

	lines_fetch_ahead(taken, sizeof *taken, DOMAIN_AHEAD);
	taken->event = *event;
	taken->contact_end = world->report.contact_count;
	taken->change_end = world->report.path_change_count;
	taken->ledger = ledger_part_take(world);
	if (event_holds(world, event) && !event_queue_void(&world->scratch.queue, event))
		world->failed = true;
}

/* In a domain other than the last. */
static void
domain_resolve(struct domain *domain, const struct event *event)
{
	struct world *world = &domain->world;
	const struct work_meter before = world->step.work;

	if (event->kind == EVENT_CIRCLES && bodies_ignore(world, event->a, event->b) != IGNORE_NONE) {
		domain_defer(domain, event);
		return;
	}

	if (!work_take(&world->step.work, WORK_EVENT)) {
		domain->spent = true;
		return;
	}
	struct cluster *cluster = resolve_prepare(world, event);
	if (cluster->failed) {
		world->failed = true;
		return;
	}
	domain->spent = world->step.work.spent;
	/* The work of an event is counted where it is resolved. */
	if (cluster->fenced || !cluster_is_plain(cluster))
		world->step.work = before;
	if (cluster->fenced || !cluster_is_plain(cluster)) {
		domain_defer(domain, event);
		return;
	}
	if (!domain_logs(domain, cluster))
		return;
	world->report.events++;
	for (size_t k = 0; k < cluster->member_count; k++)
		domain_mark(domain, cluster->members[k].body, event->time);
	resolve_write(world, cluster);
	domain_note(domain, event);
}

/* In the last domain. */
static void
domain_resolve_any(struct domain *domain, const struct event *event)
{
	domain_log(domain, event->a);
	if (event->kind == EVENT_CIRCLES)
		domain_log(domain, event->b);
	if (domain->world.failed)
		return;
	resolve_event(&domain->world, event);
	domain->spent = domain->world.step.work.spent;
	if (!domain->in_conflict)
		domain_note(domain, event);
}

/* A lifetime ends. A domain other than the last leaves that to the last one, as an event that it defers. */
static void
domain_life_end(struct domain *domain)
{
	struct world *world = &domain->world;
	const struct life life = world->scratch.lives[world->scratch.life_next];
	const struct event event = { .time = life.time,
		                         .a = life.body,
		                         .order = life.body,
		                         .kind = EVENT_LIFE_END,
		                         .epoch_a = world->bodies.marks[life.body].epoch };

	if (!domain->last) {
		domain_shut(domain, life.body, life.time);
		world->scratch.life_next++;
		return;
	}
	if (world->bodies.infos[life.body].mode == MODE_GONE) {
		world->scratch.life_next++;
		return;
	}
	if (!domain_has(domain, life.body, life.time))
		return;
	domain_log(domain, life.body);
	if (world->failed)
		return;
	life_end(world);
	if (!world->failed)
		domain_note(domain, &event);
}

/* As step.c does, up to `life`; in a domain other than the last without the events at it. */
static void
domain_events(struct domain *domain, double life)
{
	struct world *world = &domain->world;
	bool more = life < (double)INFINITY;
	struct event event;

	for (; !world->failed && !domain->in_conflict && !domain->spent && !domain->stray &&
	       event_queue_pop_until(&world->scratch.queue, more ? life : domain->all->until,
	                             more ? domain->last : domain->all->ending, &event, &world->failed);) {
		if (world_pause(world, EVENT_UNITS))
			return;
		prefetch_next(world);
		if (!event_holds(world, &event))
			continue;
		if (!domain_has_event(domain, &event)) {
			if (!domain->last)
				domain_defer(domain, &event);
			continue;
		}
		if (event.kind == EVENT_TRANSFER) {
			domain_transfer(domain, &event);
			continue;
		}
		if (event_is_early(&event)) {
			predict_early(world, &event);
			continue;
		}
		if (event_queue_is_void(&world->scratch.queue, &event))
			continue;
		pair_fetch(world, &event);
		if (domain->last)
			domain_resolve_any(domain, &event);
		else
			domain_resolve(domain, &event);
	}
}

static void
domain_sweep(struct domain *domain)
{
	const struct world *world = &domain->world;

	while (!world->failed && !domain->in_conflict && !domain->spent && !domain->stray) {
		const struct life *life = life_next(world, domain->all->until, domain->all->ending);

		domain_events(domain, life ? life->time : (double)INFINITY);
		if (!life || world->failed || world->stopped || domain->in_conflict || domain->spent || domain->stray)
			return;
		domain_life_end(domain);
	}
}

/* For an event in the last domain's queue, after a round: if its bodies are in one domain, it moves there. */
static bool
event_deal(void *context, const struct event *event)
{
	const struct partition *partition = context;
	struct domain *last = &partition->domains[0], *domain;
	const struct grid_row *rows = last->world.grid.rows;

	/* For migrants, some events are predicted that were resolved already and changed nothing. */
	if (event->time < partition->until || !event_holds(&last->world, event))
		return false;
	domain = domain_of(partition, rows[event->a].cell);
	if (event->kind == EVENT_CIRCLES && domain_of(partition, rows[event->b].cell) != domain)
		return true;
	if (!array_reserve(&domain->given, &domain->given_capacity, domain->given_count + 1, sizeof *domain->given))
		last->world.failed = true;
	else
		domain->given[domain->given_count++] = *event;
	return false;
}

/* Predicts its rows. False: there is an outlier. */
static bool
domain_predict(struct domain *domain)
{
	struct partition *partition = domain->all;
	struct world *world = &domain->world;
	const struct swept_boxes *swept_boxes = &world->scratch.swept_boxes;
	unsigned flags = 0;

	if (partition->listed)
		return domain_look(domain);
	predict_rows(world, domain->row, domain->row_end, 0.0);
	for (uint32_t slot = 0; slot < swept_boxes->starts[domain->cell_end] && !pause_after(1); slot++)
		flags |= swept_boxes->flags[slot];
	domain->stray = (flags & SWEPT_BOX_OUTLIER) != 0;
	return !domain->stray;
}

/* Takes over the events handed to a domain. */
static void
given_take(struct domain *domain)
{
	for (size_t k = 0; k < domain->given_count && !pause_after(BODY_UNITS); k++)
		if (!event_queue_push(&domain->world.scratch.queue, &domain->given[k]))
			domain->world.failed = true;
	domain->given_count = 0;
}

static void
piece_sweep(void *argument, unsigned index)
{
	struct partition *partition = argument;
	struct domain *domain = &partition->domains[index + 1];

	domain_open(domain);
	if (index > 0)
		domain_close_edge(domain, true);
	if (index + 1 < partition->count)
		domain_close_edge(domain, false);
	if (partition->begin > 0.0)
		given_take(domain);
	else if (!domain_predict(domain))
		return;
	domain_sweep(domain);
}

/* Predicts the pairs between a domain's last row and the next domain's first one; no thread has written these since the tick
 * began. */
static void
border_predict(struct partition *partition, const struct domain *domain)
{
	struct world *world = &partition->domains[0].world;
	const struct grid *grid = &world->grid;
	uint32_t columns = grid->levels[0].columns;

	for (uint32_t column = 0; column < columns && !pause_after(LOOK_UNITS); column++) {
		uint32_t below = domain->cell_end + column, c0 = below - (column > 0), c1 = below + (column + 1 < columns);

		for (uint32_t place = grid->heads[below - columns]; place != NONE; place = grid_onward(grid, place))
			for (uint32_t cell = c0; cell <= c1; cell++)
				predict_cell(world, grid_body(place), handover_clear(world, grid_body(place)), cell);
	}
}

/* Gives the last domain the events that the others deferred. */
static void
deferred_take(struct partition *partition, struct world *world)
{
	struct domain *last = &partition->domains[0];

	for (size_t s = 1; s <= partition->count; s++) {
		struct domain *domain = &partition->domains[s];

		world->failed = world->failed || domain->world.failed;
		world->stopped = world->stopped || domain->world.stopped;
		for (size_t k = 0; k < domain->left_count && !world->failed && !pause_after(BODY_UNITS); k++) {
			domain_fetch(last, &domain->left[k]);
			world->failed = !event_queue_push(&last->world.scratch.queue, &domain->left[k]);
		}
		domain->left_count = 0;
	}
}

/* Resolves the deferred events, in the world of the last domain. */
static void
deferred_sweep(struct partition *partition, struct world *world)
{
	struct domain *last = &partition->domains[0];

	deferred_take(partition, world);
	if (world->failed)
		return;
	/* With the schedule, the queries have covered pairs across the edges already. */
	for (size_t s = 1; s < partition->count && partition->begin == 0.0 && !partition->listed; s++)
		border_predict(partition, &partition->domains[s]);
	domain_sweep(last);
	world->failed = last->world.failed;
	world->stopped = last->world.stopped;
}

/* For an event in a domain's own queue: if it also has bodies of others, it is deferred. */
static bool
event_stays(void *context, const struct event *event)
{
	struct domain *domain = context;
	const struct grid_row *rows = domain->world.grid.rows;

	if (cell_is_inside(domain, rows[event->a].cell) &&
	    (event->kind != EVENT_CIRCLES || cell_is_inside(domain, rows[event->b].cell)))
		return true;
	domain_pass(domain, event);
	return false;
}

static void
piece_purge(void *argument, unsigned index)
{
	struct partition *partition = argument;
	struct domain *domain = &partition->domains[index + 1];

	event_queue_filter(&domain->world.scratch.queue, event_stays, domain);
}

/* A domain's queue may have events of bodies beyond its edge, which were inside or beside it before. The domain tests whether
 * these are valid, so the bodies must be where no thread writes them. When one is not any more, all such events are removed. */
static void
migrants_purge(struct partition *partition, struct world *world)
{
	struct domain *last = &partition->domains[0];
	size_t k = 0;

	while (k < last->migrant_count) {
		uint32_t cell = world->grid.rows[last->migrant_bodies[k]].cell;

		if (rows_to_edge(domain_of(partition, cell), cell) >= DOMAIN_EDGE)
			break;
		k++;
	}
	if (k == last->migrant_count)
		return;
	last->migrant_count = 0;
	world_share(world, (unsigned)partition->count, piece_purge, partition);
	deferred_take(partition, world);
}

/* Before the next round. When a migrant has come to another domain, its events with its old neighbours are still in the queue
 * of the domain that it left. It is predicted again, so that they are also where it is now. */
static void
events_deal(struct partition *partition, struct world *world)
{
	struct domain *last = &partition->domains[0];

	for (size_t k = last->migrant_old; k < last->migrant_count && !pause_after(LOOK_UNITS); k++)
		predict_around(&last->world, last->migrant_bodies[k]);
	migrants_purge(partition, world);
	last->migrant_old = last->migrant_count;
	event_queue_filter(&last->world.scratch.queue, event_deal, partition);
	world->failed = world->failed || last->world.failed;
}

/* Whether all domains together have exceeded the tick's work. Then one thread steps the tick, as only the serial order shows
 * how much was used before an event; what the domains did is not counted. Otherwise no event came after the limit was exceeded,
 * in whatever order they were resolved. */
static bool
partition_overspend(const struct partition *partition, const struct world *world)
{
	uint64_t used = 0;
	bool spent = false;

	for (size_t s = 0; s <= partition->count; s++) {
		used += partition->domains[s].world.step.work.used;
		spent = spent || partition->domains[s].spent;
	}
	return spent || used > world->step.work.most;
}

static void
life_give(struct domain *domain, const struct life *life)
{
	struct tick_scratch *scratch = &domain->world.scratch;

	if (!array_reserve(&scratch->lives, &scratch->life_capacity, scratch->life_count + 1, sizeof *scratch->lives))
		domain->world.failed = true;
	else
		scratch->lives[scratch->life_count++] = *life;
}

/* Lists the lifetimes that end in the round for the last domain, and for those where the circles are. */
static void
lives_deal(struct partition *partition, struct world *world)
{
	for (size_t s = 0; s <= partition->count; s++)
		partition->domains[s].world.scratch.life_count = partition->domains[s].world.scratch.life_next = 0;
	for (const struct life *life; (life = life_next(world, partition->until, partition->ending)); world->scratch.life_next++) {
		struct domain *domain = domain_of(partition, world->grid.rows[life->body].cell);

		life_give(&partition->domains[0], life);
		life_give(domain, life);
		world->failed = world->failed || partition->domains[0].world.failed || domain->world.failed;
	}
}

/* One round of all domains. */
static void
partition_round(struct partition *partition, struct world *world)
{
	lives_deal(partition, world);
	if (world->failed)
		return;
	/* Only the last domain adds supports. A supported body may move to another domain, which reads them. */
	for (size_t s = 1; s <= partition->count; s++)
		partition->domains[s].world.scratch.supports = partition->domains[0].world.scratch.supports;
	world_share(world, (unsigned)partition->count, piece_sweep, partition);
	for (size_t s = 1; s <= partition->count; s++)
		partition->stray = partition->stray || partition->domains[s].stray;
	partition->spent = partition_overspend(partition, world);
	if (partition->stray || partition->spent)
		return;
	deferred_sweep(partition, world);
	partition->stray = partition->domains[0].stray;
	partition->spent = partition_overspend(partition, world);
	if (!partition->ending && !partition->stray && !partition->spent && !world->failed && !partition->domains[0].in_conflict)
		events_deal(partition, world);
}

/* The number of rounds of the tick. */
static unsigned
rounds_of(const struct partition *partition, const struct world *world)
{
	double cells = world->step.dt / (partition->crossing_time * CELLS_PER_ROUND);

	return cells < ROUNDS_MAX ? 1 + (unsigned)cells : ROUNDS_MAX;
}

void
partition_sweep(struct partition *partition, struct world *world)
{
	unsigned rounds = rounds_of(partition, world);

	partition->until = 0.0;
	partition->stray = partition->spent = false;
	for (unsigned k = 1;
	     k <= rounds && !world->failed && !partition->domains[0].in_conflict && !partition->stray && !partition->spent; k++) {
		partition->begin = partition->until;
		partition->ending = k == rounds;
		partition->until = partition->ending ? world->step.until : world->step.until * ((double)k / rounds);
		partition_round(partition, world);
	}
	/* Only the last domain has supports. */
	world->scratch.supports = partition->domains[0].world.scratch.supports;
	world->scratch.support_count = partition->domains[0].world.scratch.support_count;
	world->scratch.support_capacity = partition->domains[0].world.scratch.support_capacity;
}
