/* Happy path: each domain's worker copies its reports, and finishes its share of the chunks of bodies, in whatever rows they
 * are. The sums of the chunks are added in the order of the chunks. What can go wrong: memory for shortfalls
 * (world->failed). */
#include "physics/partition/partition.h"
#include "physics/phases/finish.h"

static size_t
chunk_count(const struct world *world)
{
	return ((size_t)world->bodies.count + LEDGER_CHUNK - 1) / LEDGER_CHUNK;
}

/* The first chunk of a domain's share; the shares are consecutive. */
static size_t
part_first(const struct partition *partition, size_t index)
{
	return chunk_count(&partition->domains[0].world) * index / partition->count;
}

static void
piece_finish(void *argument, unsigned index)
{
	struct partition *partition = argument;
	struct world *world = &partition->domains[index + 1].world;
	size_t end = part_first(partition, (size_t)index + 1);

	domain_report(&partition->domains[index + 1], partition->real);
	if (index == 0)
		domain_report(&partition->domains[0], partition->real);
	(void)ledger_part_take(world);
	for (size_t k = part_first(partition, index); k < end && !pause_stopped(); k++) {
		uint32_t first = (uint32_t)k * LEDGER_CHUNK;

		partition->chunks[k].sums = (struct ledger_sums){ 0 };
		partition->chunks[k].crushed = bodies_finish(world, first, ledger_chunk_end(world, first), &partition->chunks[k].sums);
		partition->chunks[k].ledger = ledger_part_take(world);
	}
}

/* Includes the reports of the last domain. */
static void
shortfalls_take(struct partition *partition, struct world *world)
{
	for (size_t s = 0; s <= partition->count; s++) {
		const struct world *own = &partition->domains[s].world;

		world->failed = world->failed || own->failed ||
		                !array_reserve(&world->report.shortfalls, &world->report.shortfall_capacity,
		                               world->report.shortfall_count + own->report.shortfall_count,
		                               sizeof *world->report.shortfalls);
		for (size_t k = 0; k < own->report.shortfall_count && !world->failed; k++)
			world->report.shortfalls[world->report.shortfall_count++] = own->report.shortfalls[k];
	}
}

bool
partition_finish(struct world *world, bool *crushed, struct ledger_sums *sums)
{
	struct partition *partition = world->partition;
	size_t chunks = chunk_count(world);

	if (!partition || !partition->made)
		return false;
	partition->real = world;
	world_share(world, (unsigned)partition->count, piece_finish, partition);
	if (world_given_up(world))
		return true;
	for (size_t k = 0; k < chunks; k++) {
		ledger_part_add(world, &partition->chunks[k].ledger);
		ledger_sums_add(sums, &partition->chunks[k].sums);
		*crushed = *crushed || partition->chunks[k].crushed;
	}
	shortfalls_take(partition, world);
	/* The tick ends here: before the next one there may be edits, and other bodies. */
	partition->made = false;
	partition->next_tick = world->tick + 1;
	(void)partition_spare_set(world);
	return true;
}
