/* Happy path: each strip of the crew tells what it has to tell, and takes its part of the chunks of bodies, whatever rows they
 * are in; what they add to the sums is added up in the order of the chunks. What can go wrong: memory for shortfalls
 * (world->failed). */
#include "physics/step.h"
#include "physics/strips.h"

static size_t
chunk_count(const struct world *world)
{
	return ((size_t)world->body_count + LEDGER_CHUNK - 1) / LEDGER_CHUNK;
}

/* The first chunk of a strip's part; the parts follow each other. */
static size_t
part_first(const struct strips *strips, size_t index)
{
	return chunk_count(&strips->strips[0].world) * index / strips->count;
}

static void
piece_finish(void *argument, unsigned index)
{
	struct strips *strips = argument;
	struct world *world = &strips->strips[index + 1].world;
	size_t end = part_first(strips, (size_t)index + 1);

	strip_tell(&strips->strips[index + 1], strips->real);
	if (index == 0)
		strip_tell(&strips->strips[0], strips->real);
	(void)ledger_part_take(world);
	for (size_t k = part_first(strips, index); k < end; k++) {
		uint32_t first = (uint32_t)k * LEDGER_CHUNK;

		strips->chunks[k].sums = (struct ledger_sums){ 0 };
		strips->chunks[k].crushed = bodies_finish(world, first, ledger_chunk_end(world, first), &strips->chunks[k].sums);
		strips->chunks[k].ledger = ledger_part_take(world);
	}
}

/* Also what the last strip has told. */
static void
shortfalls_take(struct strips *strips, struct world *world)
{
	for (size_t s = 0; s <= strips->count; s++) {
		const struct world *own = &strips->strips[s].world;

		world->failed = world->failed || own->failed ||
		                !array_reserve(&world->shortfalls, &world->shortfall_capacity,
		                               world->shortfall_count + own->shortfall_count, sizeof *world->shortfalls);
		for (size_t k = 0; k < own->shortfall_count && !world->failed; k++)
			world->shortfalls[world->shortfall_count++] = own->shortfalls[k];
	}
}

bool
strips_finish(struct world *world, bool *crushed, struct ledger_sums *sums)
{
	struct strips *strips = world->strips;
	size_t chunks = chunk_count(world);

	if (!strips || !strips->made)
		return false;
	strips->real = world;
	world->crew.run(world->crew.context, (unsigned)strips->count, piece_finish, strips);
	for (size_t k = 0; k < chunks; k++) {
		ledger_part_add(world, &strips->chunks[k].ledger);
		ledger_sums_add(sums, &strips->chunks[k].sums);
		*crushed = *crushed || strips->chunks[k].crushed;
	}
	shortfalls_take(strips, world);
	/* The tick ends here: what comes before the next may be edits, and other bodies. */
	strips->made = false;
	strips->next_tick = world->tick + 1;
	return true;
}
