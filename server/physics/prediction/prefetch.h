/* prefetch: prefetches the data that the coming events will read. Bodies lie in the order of their ids and events access them
 * at random. In a large world hardly any cache line that an event reads is in the cache. Each address also depends on the data
 * before it: the event, its bodies and their cells, the first bodies in those cells, the neighbours. So each of these steps
 * runs for another span of the queue (event_queue.h), some events before its result is read. A hint to the CPU only: nothing is
 * written but the progress of the steps. Internal; for the thread that takes the queue's events. */
#ifndef COLLIDED_PREDICTION_PREFETCH_H
#define COLLIDED_PREDICTION_PREFETCH_H

#include "base/line.h"
#include "physics/prediction/predict.h"

/* With fewer bodies nothing is prefetched for events: all is in the inner caches. */
#define PREFETCH_BODIES_MIN 4096u
/* With this many, the surroundings of an event are hardly in the cache, nor are the infos of the next bodies. */
#define FETCH_BODIES_MIN 65536u
/* How many spans before its own each part is prefetched: an event; its bodies; the bits and heads of the cells around them; the
 * bodies there. */
#define PREFETCH_EVENTS 4u
#define PREFETCH_BODIES 3u
#define PREFETCH_CELLS 2u
#define PREFETCH_AROUND 1u
/* The events of a span's list become known one per span, this many before PREFETCH_EVENTS. */
#define PREFETCH_LINKS 4u
/* For worlds between the two sizes: an event and its bodies alone. */
#define PREFETCH_PLAIN_EVENTS 2u
#define PREFETCH_PLAIN_BODIES 1u

static inline void
infos_fetch(const struct world *world, uint32_t body)
{
	line_fetch(&world->bodies.infos[body]);
	line_fetch(&world->bodies.infos[body].inverse_mass);
}

static inline void
body_fetch(const struct world *world, uint32_t body)
{
	line_fetch(&world->bodies.paths[body]);
	infos_fetch(world, body);
}

/* The bodies of an event that is about to be resolved: all their lines are requested before the first is needed. */
static inline void
pair_fetch(const struct world *world, const struct event *event)
{
	body_fetch(world, event->a);
	if (event->kind == EVENT_CIRCLES)
		body_fetch(world, event->b);
}

/* What tells whether an event is valid, and where it is. */
static inline void
prefetch_body(const struct world *world, uint32_t body)
{
	line_fetch(&world->bodies.marks[body]);
	line_fetch(&world->bodies.clean[body]);
	if (world->schedule.made)
		line_fetch(&world->schedule.eights[body / 8]);
	if (world->gate.domain)
		line_fetch(&world->gate.kept[body]);
	line_fetch(&world->grid.rows[body]);
	line_fetch(&world->bodies.paths[body]);
}

static inline void
prefetch_bodies(const struct world *world, const struct event *event)
{
	prefetch_body(world, event->a);
	if (event->kind == EVENT_CIRCLES)
		prefetch_body(world, event->b);
}

/* The cell that a body changes to. */
static inline uint32_t
prefetch_cell(const struct world *world, const struct event *event)
{
	double position[2], velocity[2];

	body_at(&world->bodies.paths[event->a], event->time, position, velocity);
	return grid_cell(&world->grid, event->a, position[0], position[1]);
}

/* What a domain writes about the cells that an event is in. */
static inline void
prefetch_marks(const struct world *world, uint32_t a, uint32_t b)
{
	if (!world->gate.domain)
		return;
	line_fetch(&world->gate.latest[a]);
	line_fetch(&world->gate.latest[b]);
}

static inline void
prefetch_cells(const struct world *world, const struct event *event)
{
	const struct grid *grid = &world->grid;
	const struct grid_row *a = &grid->rows[event->a], *b;
	uint32_t cell = a->cell;

	if (!event_holds(world, event))
		return;
	if (event->kind != EVENT_TRANSFER)
		infos_fetch(world, event->a);
	else
		cell = prefetch_cell(world, event);
	grid_fetch_rows(grid, &grid->levels[a->level], cell);
	grid_fetch_walls(grid, cell);
	b = event->kind == EVENT_CIRCLES ? &grid->rows[event->b] : a;
	prefetch_marks(world, cell, b->cell);
	if (event->kind != EVENT_CIRCLES)
		return;
	infos_fetch(world, event->b);
	grid_fetch_walls(grid, b->cell);
	/* Adjacent cells share these lines. */
	if (b->cell - a->cell + 1 > 2)
		grid_fetch_rows(grid, &grid->levels[b->level], b->cell);
}

static inline void
prefetch_head(const struct world *world, uint32_t cell)
{
	uint32_t head = world->grid.heads[cell];

	if (head & GRID_MORE)
		line_fetch(&world->grid.rows[grid_body(head)]);
	line_fetch(&world->bodies.paths[grid_body(head)]);
	line_fetch(&world->bodies.marks[grid_body(head)]);
	if (world->schedule.made)
		line_fetch(&world->schedule.eights[grid_body(head) / 8]);
}

/* The bodies around a body, of which a cell rarely holds more than one. */
static inline void
prefetch_ring(const struct world *world, uint32_t body)
{
	for (struct grid_ring ring = grid_ring(&world->grid, body); ring.cells != 0;)
		prefetch_head(world, grid_ring_next(&ring));
}

static inline void
prefetch_around(const struct world *world, const struct event *event)
{
	const struct grid *grid = &world->grid;
	const struct grid_level *level = &grid->levels[grid->rows[event->a].level];
	struct grid_rings rings;
	unsigned bit;

	if (!event_holds(world, event))
		return;
	if (event->kind == EVENT_CIRCLES) {
		if (!grid_rings(grid, level, grid->rows[event->a].cell, grid->rows[event->b].cell, &rings))
			return;
	} else if (event->kind == EVENT_TRANSFER) {
		if (!grid_rings(grid, level, grid->rows[event->a].cell, prefetch_cell(world, event), &rings))
			return;
		rings.cells &= ~rings.around[0];
	} else {
		prefetch_ring(world, event->a);
		return;
	}
	while (rings.cells != 0)
		prefetch_head(world, grid_rings_next(&rings, &bit));
}

/* Runs one step for each event of the spans up to `ahead` after the current one, from where it stopped last. */
static inline void
prefetch_step(struct world *world, unsigned step, uint32_t ahead,
              void (*fetch)(const struct world *world, const struct event *event))
{
	struct event_queue *queue = &world->scratch.queue;
	uint32_t left = queue->span_count - 1 - queue->span, end = queue->span + (ahead < left ? ahead : left);
	uint32_t at = queue->fetched[step] > queue->span ? queue->fetched[step] : queue->span;

	while (at < end)
		for (uint32_t k = queue->spans[++at]; k != EVENTS_END; k = queue->links[k])
			fetch(world, &queue->later[k]);
	queue->fetched[step] = at;
}

/* A linked list reveals its events one by one: the first is requested first, then, one span later each, those behind it. */
static inline void
prefetch_links(struct world *world)
{
	const struct event_queue *queue = &world->scratch.queue;

	for (uint32_t k = 0; k < PREFETCH_LINKS; k++) {
		uint32_t at = event_queue_list(queue, PREFETCH_EVENTS + PREFETCH_LINKS - k);

		for (uint32_t j = 0; j < k && at != EVENTS_END; j++)
			at = queue->links[at];
		if (at == EVENTS_END)
			continue;
		line_fetch(&queue->links[at]);
		line_fetch(&queue->later[at]);
	}
}

static inline void
prefetch_event(const struct world *world, const struct event *event)
{
	(void)world;
	line_fetch(event);
}

/* The bodies of a valid event and their places in the grid, for worlds in which most of the rest is in the cache anyway. */
static inline void
prefetch_plain(const struct world *world, const struct event *event)
{
	if (!event_holds(world, event))
		return;
	line_fetch(&world->grid.rows[event->a]);
	if (event->kind == EVENT_TRANSFER) {
		line_fetch(&world->bodies.paths[event->a]);
		return;
	}
	if (event->kind == EVENT_CIRCLES)
		line_fetch(&world->grid.rows[event->b]);
	pair_fetch(world, event);
}

/* Prefetches what the events after this one will read. */
static inline void
prefetch_next(struct world *world)
{
	struct event_queue *queue = &world->scratch.queue;

	/* This span is done already. */
	if (world->bodies.count < PREFETCH_BODIES_MIN || queue->fetched[EVENTS_FETCH_STEPS - 1] > queue->span)
		return;
	if (world->bodies.count < FETCH_BODIES_MIN) {
		prefetch_step(world, 0, PREFETCH_PLAIN_EVENTS, prefetch_event);
		prefetch_step(world, EVENTS_FETCH_STEPS - 1, PREFETCH_PLAIN_BODIES, prefetch_plain);
		return;
	}
	prefetch_links(world);
	prefetch_step(world, 0, PREFETCH_EVENTS, prefetch_event);
	prefetch_step(world, 1, PREFETCH_BODIES, prefetch_bodies);
	prefetch_step(world, 2, PREFETCH_CELLS, prefetch_cells);
	prefetch_step(world, EVENTS_FETCH_STEPS - 1, PREFETCH_AROUND, prefetch_around);
}

#endif
