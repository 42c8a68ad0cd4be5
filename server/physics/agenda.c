/* Happy path: the entries whose tick has come are looked at, and the bodies that were stirred are looked at all around; who may
 * touch in this tick is predicted, everybody gets an entry for the next tick in which he may. What can go wrong: memory
 * (world->failed); too much is stirred (the world is predicted as a whole for some ticks). */
#include "physics/agenda.h"

#include "physics/fetch.h"
#include "physics/predict_parts.h"
#include "physics/settle.h"
#include "physics/two.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Used while not more than this part of the bodies is looked at all around, begun when not more than that part is stirred. */
#define BUSY_PART 2u
#define BUSY_PART_BEGIN 3u
/* In larger worlds memory decides, and to go through all bodies in order is as fast. */
#define BODIES_MAX 65536u
/* Ticks without it once there were too many, or somebody strayed. */
#define REST_TICKS 32u
#define LAST_TICK (AGENDA_TICKS - 1u)
/* Of radii: more than what rounding does to a path in AGENDA_TICKS. */
#define SLACK 1e-4
/* How many entries ahead bodies are fetched. */
#define ENTRIES_AHEAD 4u
#define BODIES_AHEAD 2u
/* How many bodies pass between two questions whether to go on. */
#define BODIES_PER_QUESTION 256u

void
agenda_init(struct agenda *agenda)
{
	*agenda = (struct agenda){ 0 };
}

void
agenda_finish(struct agenda *agenda)
{
	free(agenda->around);
	free(agenda->blocks);
	agenda_init(agenda);
}

size_t
agenda_memory_bytes(const struct agenda *agenda)
{
	return agenda->body_capacity * (sizeof *agenda->around + sizeof *agenda->listed + sizeof *agenda->stamps) +
	       agenda->block_capacity * sizeof *agenda->blocks;
}

void
agenda_forget(struct agenda *agenda)
{
	agenda->made = false;
}

void
agenda_begin(struct agenda *agenda, const struct world *world)
{
	if (!agenda_is_for(agenda, world->tick) || agenda->dt != world->dt) {
		agenda_forget(agenda);
		for (uint32_t k = 0; k < agenda->around_count; k++)
			agenda->listed[agenda->around[k]] = 0;
		agenda->around_count = 0;
	}
	agenda->stirred = 0;
}

/* Room for all bodies; false without memory. */
static bool
agenda_reserve(struct agenda *agenda, const struct world *world)
{
	size_t bodies = world->body_count;

	if (bodies <= agenda->body_capacity)
		return true;
	free(agenda->around);
	agenda->body_capacity = 0;
	agenda->around_count = 0;
	/* One block, what is aligned most first. */
	agenda->around = malloc(bodies * (sizeof *agenda->around + 2));
	if (!agenda->around)
		return false;
	agenda->listed = (uint8_t *)(agenda->around + bodies);
	agenda->stamps = agenda->listed + bodies;
	memset(agenda->listed, 0, 2 * bodies);
	agenda->body_capacity = bodies;
	return true;
}

/* A block in front of a tick's; false without memory. */
static bool
block_take(struct agenda *agenda, uint32_t *head)
{
	uint32_t block = agenda->block_free;

	if (block != NONE) {
		agenda->block_free = agenda->blocks[block].next;
	} else {
		if (!array_reserve(&agenda->blocks, &agenda->block_capacity, agenda->block_count + 1, sizeof *agenda->blocks))
			return false;
		block = agenda->block_count++;
	}
	agenda->blocks[block].next = *head;
	agenda->blocks[block].count = 0;
	*head = block;
	return true;
}

/* In so many ticks, 0 being as good as 1. */
static void
entry_add(struct world *world, unsigned ticks, struct agenda_entry entry)
{
	struct agenda *agenda = &world->agenda;
	uint32_t *head = &agenda->heads[(world->tick + ticks + (ticks == 0)) % AGENDA_TICKS];

	if ((*head == NONE || agenda->blocks[*head].count == AGENDA_ENTRIES) && !block_take(agenda, head)) {
		world->failed = true;
		return;
	}

	struct agenda_block *block = &agenda->blocks[*head];

	block->entries[block->count++] = entry;
}

static struct agenda_entry
pair_entry(const struct agenda *agenda, uint32_t a, uint32_t b)
{
	return (struct agenda_entry){ .a = a, .b = b, .stamp_a = agenda->stamps[a], .stamp_b = agenda->stamps[b] };
}

void
agenda_meet(struct world *world, uint32_t a, uint32_t b)
{
	/* Others will be looked at all around. */
	if (world->untouched[a] && world->untouched[b])
		entry_add(world, 1, pair_entry(&world->agenda, a < b ? a : b, a < b ? b : a));
}

/* The ticks that are over at a time from now on; what is no number is at once. */
static inline unsigned
ticks_within(const struct world *world, double time)
{
	double ticks = 0.999 * time / world->dt;

	if (!(ticks >= 1.0))
		return 0;
	return ticks < (double)LAST_TICK ? (unsigned)ticks : LAST_TICK;
}

/* In how many ticks two calm bodies may touch at the earliest. They fall alike, so each sees the other on a straight line. */
static inline unsigned
pair_ticks(const struct world *world, const struct body *i, const struct body *j)
{
	two d = two_load(&i->x) - two_load(&j->x), w = two_load(&i->vx) - two_load(&j->vx);
	two squares = d * d, along = d * w, speeds = w * w;
	double radii = (1.0 + SLACK) * (i->radius + j->radius) + 4.0 * larger(body_rounding(i), body_rounding(j));
	double room = squares[0] + squares[1] - radii * radii, closing = along[0] + along[1];

	if (!(room > 0.0))
		return 0;
	if (closing >= 0.0)
		return LAST_TICK;

	/* As in toi.c: not the difference of the squares, which from afar are nearly the same. What rounding does to the cross
	 * product is little beside what it does to coordinates so large, and that is in the radii. */
	double cross = d[0] * w[1] - d[1] * w[0], left = (speeds[0] + speeds[1]) * (radii * radii) - cross * cross;

	return left < 0.0 ? LAST_TICK : ticks_within(world, room / (sqrt(left) - closing));
}

/* Two calm bodies, a < b. */
static inline void
pair_look(struct world *world, uint32_t a, uint32_t b)
{
	unsigned ticks = pair_ticks(world, &world->bodies[a], &world->bodies[b]);

	if (ticks == 0)
		predict_circles(world, a, b);
	if (ticks < LAST_TICK)
		entry_add(world, ticks, pair_entry(&world->agenda, a, b));
}

/* How fast a calm body may become before its entry's time. */
static inline double
speed_most(const struct world *world, const struct body *path)
{
	return path_rate(path->vx, path->vy, path->ax, path->ay, AGENDA_TICKS * world->dt);
}

/* The time before which a centre whose offset from the nearest point of something convex is (x, y) cannot be as near to it as
 * `radii`. */
static inline double
wall_reached(const struct body *path, double x, double y, double radii, double speed)
{
	if (path->ax == 0.0 && path->ay == 0.0 && x * path->vx + y * path->vy >= 0.0)
		return x * x + y * y > radii * radii ? (double)INFINITY : 0.0;
	return (sqrt(x * x + y * y) - radii) / speed;
}

static double
segment_reached(const struct body *path, const struct segment *segment, double radii, double speed)
{
	double px = path->x - segment->x1, py = path->y - segment->y1;
	double along = (px * segment->ux + py * segment->uy) / (segment->length * segment->length);

	along = larger(0.0, lesser(along, 1.0));
	return wall_reached(path, px - along * segment->ux, py - along * segment->uy, radii, speed);
}

/* In how many ticks a calm body may touch a wall of its cell at the earliest. */
static unsigned
walls_ticks(const struct world *world, const struct body *path, uint32_t cell)
{
	const struct grid_walls *walls = &world->grid.still;
	double speed = speed_most(world, path), own = (1.0 + SLACK) * path->radius + 4.0 * body_rounding(path);
	double first = (double)INFINITY;

	for (uint32_t k = walls->segment_starts[cell]; k < walls->segment_starts[cell + 1]; k++) {
		const struct segment *segment = &world->segments[walls->segment_items[k]];

		first = lesser(first, segment_reached(path, segment, own + segment->radius + 4.0 * segment->rounding, speed));
	}
	for (uint32_t k = walls->vertex_starts[cell]; k < walls->vertex_starts[cell + 1]; k++) {
		const struct vertex *vertex = &world->vertices[walls->vertex_items[k]];

		first = lesser(first, wall_reached(path, path->x - vertex->x, path->y - vertex->y,
		                                   own + vertex->radius + 4.0 * vertex->rounding, speed));
	}
	return ticks_within(world, first);
}

/* A body that is not calm will be looked at in the next tick anyway. */
static void
uncalm_look(struct world *world, uint32_t body)
{
	double leave = predict_leave(world, body, 0.0);

	if (grid_has_walls(&world->grid, world->grid.cell_of[body]))
		predict_walls(world, body, world->grid.cell_of[body]);
	world->agenda.strayed = world->agenda.strayed || is_stray(world, body);
	if (world->grid.level_count > 1 || is_stray(world, body))
		predict_levels(world, body, 0, 0.0, leave);
}

/* A calm body's cell: when it may leave it, or touch a wall there. In `left` ticks it is to be looked at all around. */
static void
cell_look(struct world *world, uint32_t body, unsigned left)
{
	const struct grid *grid = &world->grid;
	const struct body *path = &world->bodies[body];
	uint32_t cell = grid->cell_of[body];
	double far = AGENDA_TICKS * world->dt * speed_most(world, path);
	unsigned ticks = ticks_within(world, grid_stays(grid, body, path, AGENDA_TICKS * world->dt)), walls = ticks;

	if ((larger(fabs(path->x), fabs(path->y)) + far) * SKIN_PER_COORDINATE > grid->rounding) {
		world->agenda.strayed = true;
		uncalm_look(world, body);
		return;
	}
	if (ticks == 0)
		(void)predict_leave(world, body, 0.0);
	if (grid_has_walls(grid, cell)) {
		walls = walls_ticks(world, path, cell);
		if (walls == 0)
			predict_walls(world, body, cell);
	}
	ticks = ticks < walls ? ticks : walls;
	ticks = ticks == 0 ? 1 : ticks < left ? ticks : left;
	entry_add(world, ticks,
	          (struct agenda_entry){
				  .a = body,
				  .b = NONE,
				  .stamp_a = world->agenda.stamps[body],
				  .left = (uint8_t)(left - ticks),
			  });
}

/* Those of a cell near a listed body: of two such, the one with the lower index looks. */
static inline void
others_look(struct world *world, uint32_t body, bool calm, bool clear, uint32_t cell)
{
	const uint8_t *untouched = world->untouched, *listed = world->agenda.listed;

	for (uint32_t other = world->grid.heads[cell]; other != NONE; other = world->grid.next[other]) {
		uint32_t low = body < other ? body : other, high = body < other ? other : body;

		if (other == body || (listed[other] && low == other))
			continue;
		if (calm && untouched[other])
			pair_look(world, low, high);
		else if (!(clear && !untouched[other] && settle_clear(world, other)))
			predict_circles(world, low, high);
	}
}

/* A calm body's look at the other levels: where it comes in the ticks for which it may be left alone. */
static void
levels_look(struct world *world, uint32_t body)
{
	const struct grid *grid = &world->grid;
	const struct body *path = &world->bodies[body];
	const struct grid_box box = path_sweep(path, LAST_TICK * world->dt);
	struct grid_look look = grid_look_begin(grid, 0, grid->level_of[body], &box, look_radius(path));

	for (uint32_t cell = grid_look_next(&look); cell != NONE; cell = grid_look_next(&look))
		others_look(world, body, true, false, cell);
}

/* All around a listed body. */
static void
around_look(struct world *world, uint32_t body)
{
	bool calm = world->untouched[body], clear = !calm && settle_clear(world, body);

	for (struct grid_ring ring = grid_ring(&world->grid, body); ring.cells != 0;)
		others_look(world, body, calm, clear, grid_ring_next(&ring));
	if (!calm) {
		uncalm_look(world, body);
		return;
	}
	if (world->grid.level_count > 1)
		levels_look(world, body);
	cell_look(world, body, LAST_TICK);
}

/* Fetches the bodies that will be looked at, of whom each cell has hardly more than one. */
static inline void
around_fetch(const struct world *world, uint32_t body)
{
	for (struct grid_ring ring = grid_ring(&world->grid, body); ring.cells != 0;)
		__builtin_prefetch(&world->bodies[world->grid.heads[grid_ring_next(&ring)]]);
}

/* Lists a body in the tick at hand. */
static void
around_list(struct agenda *agenda, uint32_t body)
{
	if (!agenda->listed[body])
		agenda->stamps[body]++;
	agenda_list(agenda, body);
}

/* The entries whose tick it is. */
static void
entries_look(struct world *world)
{
	struct agenda *agenda = &world->agenda;
	uint32_t *head = &agenda->heads[world->tick % AGENDA_TICKS], block = *head;

	*head = NONE;
	while (block != NONE && !world->failed) {
		uint32_t next = agenda->blocks[block].next, count = agenda->blocks[block].count;

		for (uint32_t k = 0; k < count; k++) {
			/* A look may move the blocks. */
			const struct agenda_entry *entries = agenda->blocks[block].entries, entry = entries[k];

			if (k + ENTRIES_AHEAD < count) {
				const struct agenda_entry *later = &entries[k + ENTRIES_AHEAD];

				__builtin_prefetch(&world->bodies[later->a]);
				__builtin_prefetch(&world->bodies[later->b == NONE ? later->a : later->b]);
			}
			if (entry.stamp_a != agenda->stamps[entry.a])
				continue;
			if (entry.b == NONE && entry.left > 0)
				cell_look(world, entry.a, entry.left);
			else if (entry.b == NONE)
				around_list(agenda, entry.a);
			else if (entry.stamp_b == agenda->stamps[entry.b])
				pair_look(world, entry.a, entry.b);
		}
		agenda->blocks[block].next = agenda->block_free;
		agenda->block_free = block;
		block = next;
		if (world_asked_to_stop(world))
			return;
	}
}

/* Lists all bodies, cell by cell, and begins without entries. False without memory. */
static bool
agenda_make(struct world *world)
{
	struct agenda *agenda = &world->agenda;

	/* Room for five entries of each body is about what a gas needs. */
	if (!agenda_reserve(agenda, world) || !rims_deal_all(&world->rims, world) ||
	    !array_reserve(&agenda->blocks, &agenda->block_capacity, world->body_count / 4 + AGENDA_TICKS, sizeof *agenda->blocks))
		return false;
	agenda->block_count = 0;
	agenda->block_free = NONE;
	memset(agenda->heads, 0xff, sizeof agenda->heads);
	for (uint32_t slot = 0; slot < world->body_count; slot++)
		agenda_list(agenda, world->rims.owners[slot].body);
	agenda->dt = world->dt;
	return true;
}

/* Whether the world is of the kind that it is for. A small one that takes turns with others is not: its entries would double
 * what its tick has to read from memory, which takes longer than to do without. */
static bool
agenda_suits(const struct world *world)
{
	if (world->workspace && world->body_count <= FETCH_BODIES_MAX)
		return false;
	return world->body_count > 1 && world->body_count <= BODIES_MAX && !world->kicks && !world->parted &&
	       world->moving_count == 0 && !world->grid.stale;
}

/* Whether it is to be used in this tick, and is there. Failure sets world->failed. */
static bool
agenda_ready(struct world *world)
{
	struct agenda *agenda = &world->agenda;
	bool there = agenda_is_for(agenda, world->tick);

	if (agenda->rest > 0) {
		agenda->rest--;
		return false;
	}
	if (!agenda_suits(world))
		return false;
	if (there ? agenda->around_count > world->body_count / BUSY_PART : agenda->stirred > world->body_count / BUSY_PART_BEGIN) {
		agenda->rest = there ? REST_TICKS : 0;
		return false;
	}
	if (!there && !agenda_make(world))
		world->failed = true;
	return !world->failed;
}

#ifndef NDEBUG
/* Whether everybody who is not calm is listed. */
static bool
agenda_has_stirred(const struct world *world)
{
	for (uint32_t i = 0; i < world->body_count; i++)
		if (!world->untouched[i] && !world->agenda.listed[i])
			return false;
	return true;
}
#endif

bool
agenda_predict(struct world *world)
{
	struct agenda *agenda = &world->agenda;

	if (!agenda_ready(world))
		return world->failed;
	assert(agenda_has_stirred(world));
	agenda->strayed = false;
	for (uint32_t k = 0; k < agenda->around_count; k++)
		agenda->stamps[agenda->around[k]]++;
	entries_look(world);
	for (uint32_t k = 0; k < agenda->around_count && !world->failed; k++) {
		if (k + BODIES_AHEAD < agenda->around_count)
			around_fetch(world, agenda->around[k + BODIES_AHEAD]);
		around_look(world, agenda->around[k]);
		if (k % BODIES_PER_QUESTION == BODIES_PER_QUESTION - 1 && world_asked_to_stop(world))
			break;
	}
	for (uint32_t k = 0; k < agenda->around_count; k++)
		agenda->listed[agenda->around[k]] = 0;
	agenda->around_count = 0;
	agenda->ticks++;
	agenda->tick = world->tick + 1;
	agenda->made = true;
	if (agenda->strayed) {
		agenda_forget(agenda);
		agenda->rest = REST_TICKS;
	}
	return true;
}
