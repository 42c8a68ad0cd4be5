/* Who is looked at at a tick's start, in strips with an agenda. Happy path: those who are due are dealt to the strips whose
 * rows they are in, and each strip looks at its own, across its edges too: it reads what nobody writes meanwhile (STRIP_EDGE).
 * What can go wrong: memory (the strip's or the real world fails); somebody may be a stray (the strip says so). */
#include "physics/strips.h"

/* Whom a body is to be looked at with, and with nobody else; NONE: it is looked at all around, or not at all. */
static inline uint32_t
only_partner(const struct agenda *agenda, uint32_t body, uint8_t tick)
{
	return agenda->meets[body] == tick && agenda->due[body] != tick ? agenda->partners[body] : NONE;
}

/* Each body to the strip whose rows it is in. Whose partner is not there is looked at all around: another thread may write that
 * one, wherever he has come to. False without memory. */
static bool
due_deal(struct strips *strips, struct world *world, const uint32_t *bodies, uint32_t count)
{
	const struct grid_row *rows = world->grid.rows;
	struct agenda *agenda = &world->agenda;
	uint8_t tick = (uint8_t)world->tick;

	for (size_t s = 1; s <= strips->count; s++) {
		struct strip *strip = &strips->strips[s];

		if (!array_reserve(&strip->due, &strip->due_capacity, strip->due_count + count, sizeof *strip->due))
			return false;
	}
	for (uint32_t k = 0; k < count; k++) {
		uint32_t partner = only_partner(agenda, bodies[k], tick);

		line_fetch(&rows[bodies[k]].cell);
		if (partner != NONE)
			line_fetch(&rows[partner].cell);
	}
	for (uint32_t k = 0; k < count; k++) {
		struct strip *strip = strip_of(strips, rows[bodies[k]].cell);
		uint32_t partner = only_partner(agenda, bodies[k], tick);

		strip->due[strip->due_count++] = bodies[k];
		if (partner != NONE && !cell_is_inside(strip, rows[partner].cell))
			agenda->due[bodies[k]] = tick;
	}
	return true;
}

void
strips_list(struct strips *strips, struct world *world)
{
	uint32_t bodies[AGENDA_TAKEN_MAX], first = 0, count;

	strips->listed = agenda_enter(world);
	for (size_t s = 0; s <= strips->count; s++)
		strips->strips[s].world.agenda = world->agenda;
	if (!strips->listed)
		return;
	while (!world->failed && (count = agenda_take(world, &first, bodies)) > 0)
		world->failed = !due_deal(strips, world, bodies, count);
	/* The last one only lists who changes cells. */
	agenda_leave(&strips->strips[0].world, 0);
}

bool
strip_look(struct strip *strip)
{
	struct world *world = &strip->world;
	size_t count;

	for (size_t first = 0; first < strip->due_count && !world->failed; first += count) {
		count = strip->due_count - first;
		count = count < AGENDA_TAKEN_MAX ? count : AGENDA_TAKEN_MAX;
		agenda_look(world, strip->due + first, (uint32_t)count);
		if (world_asked_to_stop(world))
			break;
	}
	strip->stray = world->agenda.strayed;
	agenda_leave(world, world->cost.looks);
	return !strip->stray;
}
