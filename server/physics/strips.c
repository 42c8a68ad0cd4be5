/* Happy path: every strip's rows are filled in, predicted and swept by a piece of the crew, what they left is taken in order,
 * and all that was told is merged. What can go wrong: memory (world->failed); a clash (all is put back, one thread makes the
 * tick). */
#include "physics/strips.h"

#include "physics/resolve.h"
#include "physics/settle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of smaller worlds one thread makes a tick before others have woken up. */
#define BODIES_MIN 16000
/* Bits of the cells of a row of fewer are in one word (grid.occupied) with those of rows that are STRIP_EDGE away or more. Who
 * asks for strips of so many rows all the same (crew.rows_min) must run the pieces one after the other. */
#define COLUMNS_MIN 32
/* Fewer bodies one thread begins before another has woken up. */
#define BEGUN_MIN 2048
/* About as many rows of what two neighbours have is left to one thread: so strips are not to be many. */
#define ROWS_LEFT 13
/* How much faster than the bodies' root mean square speed news is thought to come: some bodies are, and each blow carries it
 * over two radii at once. Too little means clashes, too much that more is left. So each clash asks for more. */
#define HASTE_MIN 4.0
#define HASTE_MAX 64.0
/* Beyond it there was a clash a few ticks ago. */
#define HASTE_WARY (1.01 * HASTE_MIN)
#define HASTE_UP 1.5
#define HASTE_DOWN 0.98
/* For so many ticks it is not looked again where the bodies are. */
#define MEASURE_TICKS 16
/* One thread makes at most so many ticks after a clash. */
#define PAUSE_MAX 64
/* Far from where a moment within a tick would lose digits that tell events apart. */
#define TURN_MAX 0x1p20
/* More events than this, and more than half of all, are not to be left to one thread. */
#define LEFT_MAX 64

/* The tick's moments come after those of all before. They are told the less exactly the more ticks there were: then anew. Who
 * was kept before is no longer. */
static void
strips_turn(struct strips *strips, const struct world *world)
{
	if (++strips->touch == 0) {
		strips->touch = 1;
		memset(strips->touched, 0, strips->touched_capacity);
	}
	strips->per_tick = 1.0 / world->dt;
	strips->turn += 2.0;
	if (strips->turn < TURN_MAX)
		return;
	strips->turn = 0.0;
	memset(strips->latest, 0xff, strips->latest_capacity * sizeof *strips->latest);
}

/* The queue, the scratch and what is told stay the strip's own; all else becomes the world's. */
static void
strip_enter(struct strip *strip, const struct world *world)
{
	struct world own = strip->world;

	strip->world = *world;
	strip->world.strip = strip;
	strip->world.queue = own.queue;
	strip->world.resolver = own.resolver;
	strip->world.rims = own.rims;
	strip->world.contacts = own.contacts;
	strip->world.contact_capacity = own.contact_capacity;
	strip->world.path_changes = own.path_changes;
	strip->world.path_change_capacity = own.path_change_capacity;
	strip->world.shortfalls = own.shortfalls;
	strip->world.shortfall_capacity = own.shortfall_capacity;
	strip->world.contact_count = strip->world.path_change_count = strip->world.shortfall_count = 0;
	strip->world.events = strip->world.collisions = strip->world.clusters = strip->world.clips = 0;
	strip->world.cost = (struct tick_cost){ 0 };
	strip->world.energy = (struct energy_ledger){ 0 };
	strip->world.momentum = (struct momentum_ledger){ 0 };
	if (!event_queue_begin(&strip->world.queue, world->dt) || (!strip->last && !rims_reserve(&strip->world.rims, world)))
		strip->world.failed = true;
	/* It asks it of events of its own rows and of those beside them, which nobody else writes. */
	strip->world.queue.marks = world->marks;
	strip->left_count = strip->given_count = strip->taken_count = strip->due_count = 0;
	strip->mover_count = strip->mover_old = 0;
	strip->kept_count = 0;
	strip->clash = strip->spent = false;
}

/* Room for `count` strips and the last one. False without memory. */
static bool
strips_reserve(struct strips *strips, const struct world *world, size_t count)
{
	size_t cells = world->grid.cell_count, touched = strips->touched_capacity, closed = strips->closed_capacity;
	size_t latest = strips->latest_capacity;

	if (!array_reserve(&strips->strips, &strips->strip_capacity, count + 1, sizeof *strips->strips) ||
	    !array_reserve(&strips->readers, &strips->reader_capacity, count + 1, sizeof *strips->readers) ||
	    !array_reserve(&strips->closed, &strips->closed_capacity, cells, sizeof *strips->closed) ||
	    !array_reserve(&strips->latest, &strips->latest_capacity, cells, sizeof *strips->latest) ||
	    !array_reserve(&strips->rows, &strips->row_capacity, world->grid.levels[0].rows, sizeof *strips->rows) ||
	    !array_reserve(&strips->chunks, &strips->chunk_capacity, world->body_count / LEDGER_CHUNK + 1,
	                   sizeof *strips->chunks) ||
	    !array_reserve(&strips->touched, &strips->touched_capacity, world->body_count, sizeof *strips->touched))
		return false;
	memset(strips->touched + touched, 0, strips->touched_capacity - touched);
	/* All bits set: not a number, which is earlier and later than nothing. */
	memset(strips->closed + closed, 0xff, (strips->closed_capacity - closed) * sizeof *strips->closed);
	memset(strips->latest + latest, 0xff, (strips->latest_capacity - latest) * sizeof *strips->latest);
	for (; strips->strips_made <= count; strips->strips_made++) {
		struct strip *strip = &strips->strips[strips->strips_made];

		*strip = (struct strip){ .all = strips };
		if (!(strip->world.resolver = resolver_create()))
			return false;
		event_queue_init(&strip->world.queue);
	}
	return true;
}

/* Cuts the rows into strips of about as many bodies, none of fewer than `least` rows: at most `most`. */
static void
strips_cut(struct strips *strips, const struct world *world, size_t most, uint32_t least)
{
	const struct grid_level *level = &world->grid.levels[0];
	uint64_t bodies = 0;
	uint32_t row = 0;

	strips->count = 0;
	for (size_t s = 1; s <= most; s++) {
		uint64_t bodies_end = (uint64_t)world->body_count * s / most;
		uint32_t end = row;

		while (end < level->rows && (s == most || end < row + least || bodies + strips->rows[end] <= bodies_end))
			bodies += strips->rows[end++];
		/* The rest is no strip of its own. */
		if (level->rows - end < least)
			end = level->rows;
		strips->strips[++strips->count].row = row;
		strips->strips[strips->count].row_end = end;
		row = end;
		if (end == level->rows)
			return;
	}
}

static uint32_t
rows_min(const struct world *world)
{
	return world->crew.rows_min ? world->crew.rows_min : 2 * ROWS_LEFT;
}

/* Sees where the bodies are, and how fast, unless it was seen a few ticks ago: both may be a little wrong. */
static void
strips_measure(struct strips *strips, const struct world *world, size_t most)
{
	const struct grid_level *level = &world->grid.levels[0];

	if (strips->measured_tick <= world->tick && world->tick < strips->measured_tick + MEASURE_TICKS &&
	    strips->measured_most == most && strips->row_count == level->rows)
		return;
	strips->measured_tick = world->tick;
	strips->measured_most = most;
	strips->row_count = level->rows;
	strips->squares = 0.0;
	memset(strips->rows, 0, level->rows * sizeof *strips->rows);
	for (uint32_t i = 0; i < world->body_count; i++) {
		const struct body *body = &world->bodies[i];

		strips->rows[world->grid.rows[i].cell / level->columns]++;
		strips->squares += body->vx * body->vx + body->vy * body->vy;
	}
	strips_cut(strips, world, most, rows_min(world));
}

static void
strip_begin(struct strips *strips, struct world *world, size_t index)
{
	const struct grid_level *level = &world->grid.levels[0];
	struct strip *strip = &strips->strips[index];
	bool last = index == 0;

	if (last) {
		strip->row = 0;
		strip->row_end = level->rows;
	}
	strip->last = last;
	strip->cell = strip->row * level->columns;
	strip->cell_end = strip->row_end * level->columns;
	strip_enter(strip, world);
}

static void
strips_pause(struct strips *strips)
{
	strips->pause_next = 2 * strips->pause_next + 1 > PAUSE_MAX ? PAUSE_MAX : 2 * strips->pause_next + 1;
	strips->pause = strips->pause_next;
}

/* Puts all back as it was. */
static void
strips_undo(struct strips *strips, struct world *world)
{
	for (size_t s = 0; s <= strips->count; s++)
		strip_undo(&strips->strips[s]);
	world->support_count = 0;
	/* Bodies get other cells than they had, and nobody has looked there: the agenda is of no more use. */
	world->grid.stale = true;
	agenda_forget(&world->agenda);
	strips->row_count = 0;
	world->cost.again = true;
	if (strips->stray || strips->spent) {
		strips_pause(strips);
		return;
	}
	strips->counts.clashes++;
	/* More haste helps once or twice. */
	if (strips->clashed)
		strips_pause(strips);
	strips->clashed = true;
	strips->haste = lesser(strips->haste * HASTE_UP, HASTE_MAX);
}

static void
strips_end(struct strips *strips, struct world *world)
{
	size_t left = strips->strips[0].taken_count, events = 0;

	strips_merge(strips, world);
	if (strips->listed)
		agenda_leave(world, world->cost.looks);
	strips->clashed = false;
	strips->haste *= HASTE_DOWN;
	for (size_t s = 0; s <= strips->count; s++)
		events += strips->strips[s].taken_count;
	strips->made = true;
	strips->counts.ticks++;
	strips->counts.events += events;
	strips->counts.left_events += left;
	if (left > LEFT_MAX && left > events / 2)
		strips_pause(strips);
	else if (strips->pause_next > 0)
		strips->pause_next--;
}

/* How long news takes for a cell. */
static double
pace_of(const struct strips *strips, const struct world *world)
{
	double speed = sqrt(strips->squares / world->body_count) + world->scale_most * world->gravity * world->dt;

	return world->grid.levels[0].cell / (strips->haste * speed);
}

/* Whether the world is one that strips are for. */
static bool
strips_suit(const struct world *world)
{
	uint32_t bodies = world->crew.bodies_min ? world->crew.bodies_min : BODIES_MIN;

	if (world->grid.levels[0].columns < COLUMNS_MIN && !world->crew.rows_min)
		return false;
	return world->crew.run && world->body_count >= bodies && !world->parted && !world->watch && world->asleep_count == 0 &&
	       world->grid.level_count == 1 && world->support_count == 0 && world_stirs(world);
}

/* How many strips there should be now. Of n the longest has 1/n of the rows, and ROWS_LEFT (n - 1) are left: together least for
 * the root of rows / ROWS_LEFT. */
static size_t
strips_most(const struct world *world)
{
	unsigned hands = world->crew.hands(world->crew.context);
	uint32_t rows = world->grid.levels[0].rows;
	uint32_t most = world->crew.rows_min ? rows / world->crew.rows_min : (uint32_t)sqrt((double)rows / ROWS_LEFT);

	return hands < most ? hands : most;
}

/* Everything up to what the strips left. */
static void
strips_begin(struct strips *strips, struct world *world, size_t most)
{
	grid_follow(&world->grid, world, 0.0);
	if (!strips_reserve(strips, world, most)) {
		world->failed = true;
		return;
	}
	strips_measure(strips, world, most);
	for (size_t s = 0; s < strips->strips_made; s++)
		strip_open(&strips->strips[s]);
	for (size_t s = 0; s <= strips->count; s++)
		strip_begin(strips, world, s);
	strips_list(strips, world);
	strips_turn(strips, world);
	strips->haste = larger(strips->haste, HASTE_MIN);
	strips->wary = strips->haste > HASTE_WARY;
	strips->pace = pace_of(strips, world);
	if (!world->failed)
		strips_sweep(strips, world);
}

unsigned
strips_hands(const struct world *world, uint32_t bodies)
{
	uint32_t most = bodies / BEGUN_MIN;

	if (!world->strips || !world->crew.run || world->strips->next_tick != world->tick || most < 2)
		return 0;

	unsigned hands = world->crew.hands(world->crew.context);

	return hands < most ? hands : most;
}

bool
strips_run(struct world *world)
{
	struct strips *strips = world->strips;
	size_t most;

	if (strips)
		strips->made = false;
	if (!strips_suit(world) || (most = strips_most(world)) < 2)
		return false;
	if (!world->crew.bodies_min && agenda_spares(world))
		return false;
	if (!strips && !(strips = world->strips = calloc(1, sizeof *strips))) {
		world->failed = true;
		return true;
	}
	if (strips->pause > 0) {
		strips->pause--;
		return false;
	}
	strips_begin(strips, world, most);
	if (world->failed)
		return true;
	bool good = !strips->stray && !strips->spent && !strips->strips[0].clash;

	if (good)
		strips_end(strips, world);
	else
		strips_undo(strips, world);
	return good;
}

void
strips_destroy(struct strips *strips)
{
	if (!strips)
		return;
	for (size_t s = 0; s < strips->strips_made; s++) {
		struct strip *strip = &strips->strips[s];

		event_queue_finish(&strip->world.queue);
		rims_finish(&strip->world.rims);
		resolver_destroy(strip->world.resolver);
		free(strip->world.contacts);
		free(strip->world.path_changes);
		free(strip->world.shortfalls);
		free(strip->due);
		free(strip->left);
		free(strip->given);
		free(strip->movers);
		free(strip->taken);
		free(strip->kept);
	}
	free(strips->strips);
	free(strips->readers);
	free(strips->closed);
	free(strips->latest);
	free(strips->touched);
	free(strips->rows);
	free(strips->chunks);
	free(strips);
}

size_t
strips_memory_bytes(const struct strips *strips)
{
	size_t bytes = 0;

	if (!strips)
		return 0;
	for (size_t s = 0; s < strips->strips_made; s++) {
		const struct strip *strip = &strips->strips[s];
		const struct world *own = &strip->world;

		bytes += event_queue_memory_bytes(&own->queue) + (strip->left_capacity + strip->given_capacity) * sizeof(struct event) +
		         strip->mover_capacity * sizeof *strip->movers + strip->due_capacity * sizeof *strip->due +
		         own->contact_capacity * sizeof *own->contacts + own->path_change_capacity * sizeof *own->path_changes +
		         own->shortfall_capacity * sizeof *own->shortfalls + strip->taken_capacity * sizeof *strip->taken +
		         strip_kept_bytes(strip) + rims_memory_bytes(&own->rims);
	}
	return bytes + sizeof *strips + strips->strip_capacity * sizeof *strips->strips +
	       strips->reader_capacity * sizeof *strips->readers +
	       (strips->closed_capacity + strips->latest_capacity) * sizeof *strips->closed + strips->touched_capacity +
	       strips->row_capacity * sizeof *strips->rows + strips->chunk_capacity * sizeof *strips->chunks;
}

struct strips_counts
strips_counts(const struct world *world)
{
	return world->strips ? world->strips->counts : (struct strips_counts){ 0 };
}
