/* The queries at a tick's start, in domains with a schedule. Happy path: each worker lists the bodies of a range of indices
 * that are due, with the domain of each. Then each domain queries its own, across its edges too: it reads what no thread writes
 * meanwhile (DOMAIN_EDGE). What can go wrong: memory (the domain's or the real world fails); there may be an outlier (the
 * domain says so). */
#include "physics/partition/partition.h"
#include "physics/prediction/schedule_looks.h"

/* Number of bodies for which the grid's rows are prefetched before the first is read. */
#define ROWS_AHEAD 24u

/* The partner of a body that is due for a test of that pair alone; NONE: it is due for a neighbourhood query, or not at all. */
static inline uint32_t
only_partner(const struct schedule *schedule, uint32_t body, uint8_t tick)
{
	const struct schedule_eight *eight = &schedule->eights[body / 8];

	return eight->meets[body % 8] == tick && eight->due[body % 8] != tick ? eight->partners[body % 8] : NONE;
}

/* Adds a body to a worker's list, which has room. If only its partner is to be tested and that is in another domain, the body
 * becomes due for a neighbourhood query: another thread may write the partner. */
static inline void
due_add(struct domain *piece, uint32_t body, uint32_t partner)
{
	const struct grid_row *rows = piece->world.grid.rows;
	size_t domain = domain_index(piece->all, rows[body].cell);

	piece->due[piece->due_count++] = (struct domain_due){ body, (uint32_t)domain };
	if (partner != NONE && !cell_is_inside(&piece->all->domains[domain], rows[partner].cell))
		*schedule_due(&piece->world.schedule, body) = (uint8_t)piece->world.tick;
}

/* The same for several. False without memory. */
static bool
due_add_all(struct domain *piece, const uint32_t *bodies, uint32_t count)
{
	const struct grid_row *rows = piece->world.grid.rows;
	uint8_t tick = (uint8_t)piece->world.tick;
	uint32_t partners[SCHEDULE_TAKEN_MAX];

	if (!array_reserve(&piece->due, &piece->due_capacity, piece->due_count + count, sizeof *piece->due))
		return false;
	for (uint32_t k = 0; k < count + ROWS_AHEAD; k++) {
		if (k < count) {
			partners[k] = only_partner(&piece->world.schedule, bodies[k], tick);
			line_fetch(&rows[bodies[k]].cell);
			if (partners[k] != NONE)
				line_fetch(&rows[partners[k]].cell);
		}
		if (k >= ROWS_AHEAD)
			due_add(piece, bodies[k - ROWS_AHEAD], partners[k - ROWS_AHEAD]);
	}
	return true;
}

/* The first body of a worker's range; the ranges are consecutive. */
static uint32_t
part_first(const struct partition *partition, size_t index)
{
	uint64_t bodies = partition->domains[0].world.bodies.count;

	return index < partition->count ? (uint32_t)(bodies * index / partition->count / SCHEDULE_MARKED * SCHEDULE_MARKED)
	                                : (uint32_t)bodies;
}

static void
piece_list(void *argument, unsigned index)
{
	const struct partition *partition = argument;
	struct domain *piece = &partition->domains[index + 1];
	uint32_t bodies[SCHEDULE_TAKEN_MAX], first = part_first(partition, index), end = part_first(partition, (size_t)index + 1),
										 count;

	schedule_mark(&piece->world, first, end);
	while (!piece->world.failed && (count = schedule_take(&piece->world, &first, end, bodies)) > 0)
		piece->world.failed = !due_add_all(piece, bodies, count);
}

void
partition_list(struct partition *partition, struct world *world)
{
	partition->listed = schedule_enter(world);
	for (size_t s = 0; s <= partition->count; s++)
		partition->domains[s].world.schedule = world->schedule;
	if (!partition->listed)
		return;
	world_share(world, (unsigned)partition->count, piece_list, partition);
	for (size_t s = 1; s <= partition->count; s++)
		world->failed = world->failed || partition->domains[s].world.failed;
	/* The last one only lists bodies that change cells. */
	schedule_leave(&partition->domains[0].world, 0);
}

/* Those bodies of a worker's list that are in the domain's rows: from *first on, as many as there is room for. *first is set to
 * where to continue. */
static uint32_t
due_take(const struct domain *domain, const struct domain *piece, size_t *first, uint32_t out[SCHEDULE_TAKEN_MAX])
{
	uint32_t own = (uint32_t)(domain - domain->all->domains), count = 0;
	size_t k = *first;

	for (; k < piece->due_count && count < SCHEDULE_TAKEN_MAX; k++) {
		out[count] = piece->due[k].body;
		count += piece->due[k].domain == own;
	}
	*first = k;
	return count;
}

bool
domain_look(struct domain *domain)
{
	const struct partition *partition = domain->all;
	struct world *world = &domain->world;
	uint32_t bodies[SCHEDULE_TAKEN_MAX], count;

	for (size_t p = 1; p <= partition->count; p++) {
		size_t first = 0;

		while (!world->failed && (count = due_take(domain, &partition->domains[p], &first, bodies)) > 0) {
			schedule_look(world, bodies, count);
			(void)world_pause(world, count * LOOK_UNITS);
		}
	}
	domain->stray = world->schedule.strayed;
	schedule_leave(world, world->report.cost.looks);
	return !domain->stray;
}
