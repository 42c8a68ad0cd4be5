/* Happy path: a worker predicts and sweeps the rows of each domain, the deferred events are resolved in order, and all reports
 * are merged. What can go wrong: memory, or a conflict (everything is rolled back, and one thread steps the tick). */
#include "physics/partition/partition.h"

#include "base/memory.h"
#include "physics/broadphase/grid_build.h"
#include "physics/events/resolve.h"
#include "physics/prediction/schedule_looks.h"
#include "physics/resting/handover.h"

#include <math.h>
#include <string.h>

/* In smaller worlds one thread finishes a tick before others have woken up. */
#define BODIES_MIN 16000
/* With fewer columns, a word of grid.occupied holds bits of rows that are DOMAIN_EDGE or more apart. If the task scheduler asks
 * for domains all the same (workers.rows_min), it must run their tasks one after the other. */
#define COLUMNS_MIN 32
/* With fewer bodies one thread has begun the tick before another has woken up. */
#define BEGUN_MIN 2048
/* Between two neighbouring domains, one thread gets about as much work as this many rows have. So many domains do not pay. */
#define ROWS_LEFT 13
/* The assumed speed at which effects propagate, in units of the bodies' root mean square speed: some bodies are faster, and
 * each impact carries effects over two radii at once. Too low a value causes conflicts, too high a one defers more events. So
 * each conflict raises it. */
#define PROPAGATION_MIN 4.0
#define PROPAGATION_MAX 64.0
/* Above this there was a conflict a few ticks ago. */
#define PROPAGATION_WARY (1.01 * PROPAGATION_MIN)
#define PROPAGATION_UP 1.5
#define PROPAGATION_DOWN 0.98
/* For this many ticks the distribution of the bodies is not measured again. */
#define MEASURE_TICKS 16
/* After a conflict one thread steps at most this many ticks. */
#define PAUSE_MAX 64
/* After a tick without enough memory for domains, one thread steps so many: each attempt is a tick's work for nothing. */
#define PAUSE_WITHOUT_MEMORY 256
/* Far below the value at which a moment would have too few digits left to distinguish events of a tick. */
#define EPOCH_MAX 0x1p20
/* One thread should not have to resolve more events than this, if they are also more than half of all. */
#define DEFERRED_MAX 64

/* Starts the moments of a tick, which come after those of all ticks before. Their precision decreases from tick to tick, so
 * they restart at times. The undo log of the last tick becomes invalid. */
static void
partition_epoch_begin(struct partition *partition, const struct world *world)
{
	if (++partition->touch == 0) {
		partition->touch = 1;
		(void)pause_fill(partition->touched, 0, partition->touched_capacity);
	}
	partition->per_tick = 1.0 / world->step.dt;
	partition->turn += 2.0;
	if (partition->turn < EPOCH_MAX)
		return;
	partition->turn = 0.0;
	(void)pause_fill(partition->latest, 0xff, partition->latest_capacity * sizeof *partition->latest);
}

/* The queue, the scratch and the reports stay the domain's own; all else is copied from the world. */
static void
domain_enter(struct domain *domain, const struct world *world)
{
	struct world *own = &domain->world;
	struct tick_rows *rows = &own->report;

	own->settings = world->settings;
	own->bodies = world->bodies;
	own->walls = world->walls;
	own->step = world->step;
	own->host = world->host;
	own->grid = world->grid;
	own->schedule = world->schedule;
	own->tick = world->tick;
	own->handover = world->handover;
	own->solver = world->solver;
	own->watch = world->watch;
	own->wall_room = world->wall_room;
	own->stopped = world->stopped;
	own->failed = world->failed;
	own->scratch.supports = world->scratch.supports;
	own->scratch.support_count = world->scratch.support_count;
	own->scratch.support_capacity = world->scratch.support_capacity;
	own->gate = (struct domain_gate){
		.domain = domain,
		.has = domain_has,
		.keeps = domain_logs,
		.kept = domain->all->touched,
		.latest = domain->all->latest,
	};
	rows->contact_count = rows->path_change_count = rows->shortfall_count = rows->end_count = 0;
	rows->events = rows->collisions = rows->clusters = rows->clips = 0;
	rows->cost = (struct tick_cost){ 0 };
	rows->energy = (struct energy_ledger){ 0 };
	rows->momentum = (struct momentum_ledger){ 0 };
	if (!event_queue_begin(&domain->world.scratch.queue, world->step.dt) ||
	    (!domain->last &&
	     !swept_boxes_reserve(&domain->world.scratch.swept_boxes, world->grid.cell_count, world->bodies.count)))
		domain->world.failed = true;
	/* It asks about events of its own rows and of those beside them, which no other thread writes. */
	domain->world.scratch.queue.marks = world->bodies.marks;
	domain->left_count = domain->given_count = domain->taken_count = domain->due_count = 0;
	domain->migrant_count = domain->migrant_old = 0;
	domain->kept_count = 0;
	domain->in_conflict = domain->spent = false;
}

/* Makes room for `count` domains and the last one. False without memory. */
static bool
partition_reserve(struct partition *partition, const struct world *world, size_t count)
{
	size_t cells = world->grid.cell_count, touched = partition->touched_capacity, closed = partition->closed_capacity;
	size_t latest = partition->latest_capacity;

	if (!array_reserve(&partition->domains, &partition->domain_capacity, count + 1, sizeof *partition->domains) ||
	    !array_reserve(&partition->readers, &partition->reader_capacity, count + 1, sizeof *partition->readers) ||
	    !array_reserve(&partition->closed, &partition->closed_capacity, cells, sizeof *partition->closed) ||
	    !array_reserve(&partition->latest, &partition->latest_capacity, cells, sizeof *partition->latest) ||
	    !array_reserve(&partition->rows, &partition->row_capacity, world->grid.levels[0].rows, sizeof *partition->rows) ||
	    !array_reserve(&partition->chunks, &partition->chunk_capacity, world->bodies.count / LEDGER_CHUNK + 1,
	                   sizeof *partition->chunks) ||
	    !array_reserve(&partition->touched, &partition->touched_capacity, world->bodies.count, sizeof *partition->touched))
		return false;
	(void)pause_fill(partition->touched + touched, 0, partition->touched_capacity - touched);
	/* All bits set: NaN, which compares false with every time. */
	(void)pause_fill(partition->closed + closed, 0xff, (partition->closed_capacity - closed) * sizeof *partition->closed);
	(void)pause_fill(partition->latest + latest, 0xff, (partition->latest_capacity - latest) * sizeof *partition->latest);
	for (; partition->domains_made <= count; partition->domains_made++) {
		struct domain *domain = &partition->domains[partition->domains_made];

		*domain = (struct domain){ .all = partition };
		if (!(domain->world.scratch.resolver = resolver_create()))
			return false;
		event_queue_init(&domain->world.scratch.queue);
	}
	return true;
}

/* Cuts the rows into at most `most` domains with about the same number of bodies, none with fewer than `least` rows. */
static void
partition_cut(struct partition *partition, const struct world *world, size_t most, uint32_t least)
{
	const struct grid_level *level = &world->grid.levels[0];
	uint64_t bodies = 0;
	uint32_t row = 0;

	partition->count = 0;
	for (size_t s = 1; s <= most; s++) {
		uint64_t bodies_end = (uint64_t)world->bodies.count * s / most;
		uint32_t end = row;

		while (end < level->rows && (s == most || end < row + least || bodies + partition->rows[end] <= bodies_end))
			bodies += partition->rows[end++];
		/* The remaining rows are too few for a domain of their own. */
		if (level->rows - end < least)
			end = level->rows;
		partition->domains[++partition->count].row = row;
		partition->domains[partition->count].row_end = end;
		row = end;
		if (end == level->rows)
			return;
	}
}

static uint32_t
rows_min(const struct world *world)
{
	return world->host.workers.rows_min ? world->host.workers.rows_min : 2 * ROWS_LEFT;
}

/* Measures how many bodies each row holds, and how fast they are, unless that was done a few ticks ago: both may be a little
 * wrong. */
static void
partition_measure(struct partition *partition, const struct world *world, size_t most)
{
	const struct grid_level *level = &world->grid.levels[0];

	if (partition->measured_tick <= world->tick && world->tick < partition->measured_tick + MEASURE_TICKS &&
	    partition->measured_most == most && partition->row_count == level->rows)
		return;
	partition->measured_tick = world->tick;
	partition->measured_most = most;
	partition->row_count = level->rows;
	partition->squares = 0.0;
	memset(partition->rows, 0, level->rows * sizeof *partition->rows);
	for (uint32_t i = 0; i < world->bodies.count && !pause_after(1); i++) {
		const struct body *body = &world->bodies.paths[i];

		partition->rows[world->grid.rows[i].cell / level->columns]++;
		partition->squares += body->vx * body->vx + body->vy * body->vy;
	}
	partition_cut(partition, world, most, rows_min(world));
}

static void
domain_begin(struct partition *partition, struct world *world, size_t index)
{
	const struct grid_level *level = &world->grid.levels[0];
	struct domain *domain = &partition->domains[index];
	bool last = index == 0;

	if (last) {
		domain->row = 0;
		domain->row_end = level->rows;
	}
	domain->last = last;
	domain->stray = false;
	domain->cell = domain->row * level->columns;
	domain->cell_end = domain->row_end * level->columns;
	domain_enter(domain, world);
}

static void
partition_pause(struct partition *partition)
{
	partition->pause_next = 2 * partition->pause_next + 1 > PAUSE_MAX ? PAUSE_MAX : 2 * partition->pause_next + 1;
	partition->pause = partition->pause_next;
}

/* Rolls everything back. */
static void
partition_undo(struct partition *partition, struct world *world)
{
	for (size_t s = 0; s <= partition->count && s < partition->domains_made; s++)
		domain_undo(&partition->domains[s]);
	world->scratch.support_count = world->scratch.life_next = 0;
	/* Bodies return to cells that have not been queried from there, so the schedule is no longer valid. */
	world->grid.stale = true;
	schedule_forget(&world->schedule);
	partition->row_count = 0;
	world->report.cost.again = true;
}

/* After a rollback that a conflict or an outlier caused, or too much work. */
static void
partition_learn(struct partition *partition)
{
	if (partition->stray || partition->spent) {
		partition_pause(partition);
		return;
	}
	partition->counts.conflict_count++;
	/* A higher speed helps once or twice. */
	if (partition->conflicted)
		partition_pause(partition);
	partition->conflicted = true;
	partition->propagation_speed = lesser(partition->propagation_speed * PROPAGATION_UP, PROPAGATION_MAX);
}

static void
partition_release(struct partition *partition)
{
	for (size_t s = 0; s < partition->domains_made; s++) {
		struct domain *domain = &partition->domains[s];

		event_queue_finish(&domain->world.scratch.queue);
		swept_boxes_finish(&domain->world.scratch.swept_boxes);
		resolver_destroy(domain->world.scratch.resolver);
		memory_free(domain->world.report.contacts);
		memory_free(domain->world.report.path_changes);
		memory_free(domain->world.report.shortfalls);
		memory_free(domain->world.report.ends);
		memory_free(domain->world.scratch.lives);
		memory_free(domain->due);
		memory_free(domain->left);
		memory_free(domain->given);
		memory_free(domain->migrant_bodies);
		memory_free(domain->taken);
		memory_free(domain->kept);
	}
	memory_free(partition->domains);
	memory_free(partition->readers);
	memory_free(partition->closed);
	memory_free(partition->latest);
	memory_free(partition->touched);
	memory_free(partition->rows);
	memory_free(partition->chunks);
}

/* There is not enough memory: what the domains have is freed. */
static void
partition_spare(void *context)
{
	struct partition *partition = context;
	struct partition_counts counts = partition->counts;

	partition_release(partition);
	*partition = (struct partition){ .counts = counts, .pause = PAUSE_WITHOUT_MEMORY };
}

static void
partition_give_up(struct partition *partition, struct world *world)
{
	partition->counts.failed_ticks++;
	partition_undo(partition, world);
	partition_spare(partition);
	world->failed = false;
	memory_refusal_forget();
}

/* Only the last domain ends anything. */
static void
ends_merge(const struct domain *last, struct world *world)
{
	const struct tick_rows *own = &last->world.report;

	for (size_t k = 0; k < own->end_count; k++)
		world->report.ends[world->report.end_count++] = own->ends[k];
}

static void
partition_end(struct partition *partition, struct world *world)
{
	size_t left = partition->domains[0].taken_count, events = 0;

	if (!partition_merge(partition, world)) {
		world->failed = true;
		return;
	}
	ends_merge(&partition->domains[0], world);
	if (partition->listed)
		schedule_leave(world, world->report.cost.looks);
	partition->conflicted = false;
	partition->propagation_speed *= PROPAGATION_DOWN;
	for (size_t s = 0; s <= partition->count; s++)
		events += partition->domains[s].taken_count;
	partition->made = true;
	partition->counts.ticks++;
	partition->counts.events += events;
	partition->counts.left_events += left;
	if (left > DEFERRED_MAX && left > events / 2)
		partition_pause(partition);
	else if (partition->pause_next > 0)
		partition->pause_next--;
}

/* The time in which effects cross a cell. */
static double
crossing_time_of(const struct partition *partition, const struct world *world)
{
	double speed = sqrt(partition->squares / world->bodies.count) +
	               world->settings.scale_most * world->settings.gravity * world->step.dt;

	return world->grid.levels[0].cell / (partition->propagation_speed * speed);
}

/* Whether domains suit this kind of world. */
static bool
partition_suit(const struct world *world)
{
	uint32_t bodies = world->host.workers.bodies_min ? world->host.workers.bodies_min : BODIES_MIN;

	if (world->grid.levels[0].columns < COLUMNS_MIN && !world->host.workers.rows_min)
		return false;
	return world->host.workers.run && world->bodies.count >= bodies && !world->step.has_substeps && !world->watch &&
	       world->bodies.asleep_count == 0 && world->grid.level_count == 1 && !world->grid.hashed &&
	       world->scratch.support_count == 0 && world_stirs(world);
}

/* The best number of domains now. Of n domains the longest has 1/n of the rows, and the work of ROWS_LEFT (n - 1) rows is
 * deferred. The sum is least for the square root of rows / ROWS_LEFT. */
static size_t
partition_most(const struct world *world)
{
	unsigned workers = world->host.workers.count(world->host.workers.context);
	uint32_t rows = world->grid.levels[0].rows;
	uint32_t most = world->host.workers.rows_min ? rows / world->host.workers.rows_min
	                                             : (uint32_t)sqrt((double)rows / ROWS_LEFT);

	return workers < most ? workers : most;
}

/* Everything up to the deferred events. */
static void
partition_begin(struct partition *partition, struct world *world, size_t most)
{
	grid_follow(&world->grid, world, 0.0);
	/* What was logged is of an earlier tick, perhaps of columns that are no more: nothing of it may be undone. */
	for (size_t s = 0; s < partition->domains_made; s++)
		partition->domains[s].kept_count = 0;
	if (!partition_reserve(partition, world, most)) {
		world->failed = true;
		return;
	}
	partition_measure(partition, world, most);
	for (size_t s = 0; s < partition->domains_made; s++)
		domain_open(&partition->domains[s]);
	for (size_t s = 0; s <= partition->count; s++) {
		domain_begin(partition, world, s);
		world->failed = world->failed || partition->domains[s].world.failed;
	}
	/* A domain without memory must not begin. */
	if (world->failed)
		return;
	partition_list(partition, world);
	partition_epoch_begin(partition, world);
	partition->propagation_speed = larger(partition->propagation_speed, PROPAGATION_MIN);
	partition->wary = partition->propagation_speed > PROPAGATION_WARY;
	partition->crossing_time = crossing_time_of(partition, world);
	if (!world->failed)
		partition_sweep(partition, world);
}

unsigned
partition_workers(const struct world *world, uint32_t bodies)
{
	uint32_t most = bodies / BEGUN_MIN;

	if (!world->partition || !world->host.workers.run || world->partition->next_tick != world->tick || most < 2)
		return 0;

	unsigned workers = world->host.workers.count(world->host.workers.context);

	return workers < most ? workers : most;
}

struct memory_spare
partition_spare_set(struct world *world)
{
	return memory_spare_set(world->partition ? (struct memory_spare){ partition_spare, world->partition, &world->host.spare }
	                                         : world->host.spare);
}

static bool
partition_try(struct world *world)
{
	struct partition *partition = world->partition;
	size_t most;

	if (partition)
		partition->made = false;
	if (!partition_suit(world) || (most = partition_most(world)) < 2)
		return false;
	if (!world->host.workers.bodies_min && schedule_spares(world))
		return false;
	if (!partition && !(partition = world->partition = memory_zeroed(1, sizeof *partition)))
		return false;
	if (partition->pause > 0) {
		partition->pause--;
		return false;
	}
	partition_begin(partition, world, most);
	if (!world->failed && (partition->stray || partition->spent || partition->domains[0].in_conflict)) {
		partition_undo(partition, world);
		partition_learn(partition);
		return false;
	}
	if (!world->failed)
		partition_end(partition, world);
	if (world->failed)
		partition_give_up(partition, world);
	return partition->made;
}

bool
partition_run(struct world *world)
{
	(void)memory_spare_set(world->host.spare);

	const bool made = partition_try(world);

	if (!made)
		(void)partition_spare_set(world);
	return made;
}

void
partition_destroy(struct partition *partition)
{
	if (!partition)
		return;
	partition_release(partition);
	memory_free(partition);
}

size_t
partition_memory_bytes(const struct partition *partition)
{
	size_t bytes = 0;

	if (!partition)
		return 0;
	for (size_t s = 0; s < partition->domains_made; s++) {
		const struct domain *domain = &partition->domains[s];
		const struct world *own = &domain->world;

		bytes += event_queue_memory_bytes(&own->scratch.queue) +
		         (domain->left_capacity + domain->given_capacity) * sizeof(struct event) +
		         domain->migrant_capacity * sizeof *domain->migrant_bodies + domain->due_capacity * sizeof *domain->due +
		         own->report.contact_capacity * sizeof *own->report.contacts +
		         own->report.path_change_capacity * sizeof *own->report.path_changes +
		         own->report.shortfall_capacity * sizeof *own->report.shortfalls +
		         own->report.end_capacity * sizeof *own->report.ends + own->scratch.life_capacity * sizeof(struct life) +
		         domain->taken_capacity * sizeof *domain->taken + domain_kept_bytes(domain) +
		         swept_boxes_memory_bytes(&own->scratch.swept_boxes);
	}
	return bytes + sizeof *partition + partition->domain_capacity * sizeof *partition->domains +
	       partition->reader_capacity * sizeof *partition->readers +
	       (partition->closed_capacity + partition->latest_capacity) * sizeof *partition->closed + partition->touched_capacity +
	       partition->row_capacity * sizeof *partition->rows + partition->chunk_capacity * sizeof *partition->chunks;
}

struct partition_counts
partition_counts(const struct world *world)
{
	return world->partition ? world->partition->counts : (struct partition_counts){ 0 };
}
