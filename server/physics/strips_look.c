/* Who is looked at at a tick's start, in strips with an agenda. Happy path: each piece lists who is due of the bodies of some
 * indices, and in whose rows they are; then each strip looks at its own, across its edges too: it reads what nobody writes
 * meanwhile (STRIP_EDGE). What can go wrong: memory (the strip's or the real world fails); somebody may be a stray (the strip
 * says so). */
#include "physics/strips.h"

/* Bodies whose rows are asked for before the first is read. */
#define ROWS_AHEAD 24u

/* Whom a body is to be looked at with, and with nobody else; NONE: it is looked at all around, or not at all. */
static inline uint32_t
only_partner(const struct agenda *agenda, uint32_t body, uint8_t tick)
{
	const struct agenda_eight *eight = &agenda->eights[body / 8];

	return eight->meets[body % 8] == tick && eight->due[body % 8] != tick ? eight->partners[body % 8] : NONE;
}

/* Adds a body to the list of a piece, which has room. Who is to be looked at with a partner only, which is not in the same
 * rows, is looked at all around: another thread may write that one, wherever it has come to. */
static inline void
due_add(struct strip *piece, uint32_t body, uint32_t partner)
{
	const struct grid_row *rows = piece->world.grid.rows;
	size_t strip = strip_index(piece->all, rows[body].cell);

	piece->due[piece->due_count++] = (struct strip_due){ body, (uint32_t)strip };
	if (partner != NONE && !cell_is_inside(&piece->all->strips[strip], rows[partner].cell))
		*agenda_due(&piece->world.agenda, body) = (uint8_t)piece->world.tick;
}

/* The same of some. False without memory. */
static bool
due_add_all(struct strip *piece, const uint32_t *bodies, uint32_t count)
{
	const struct grid_row *rows = piece->world.grid.rows;
	uint8_t tick = (uint8_t)piece->world.tick;
	uint32_t partners[AGENDA_TAKEN_MAX];

	if (!array_reserve(&piece->due, &piece->due_capacity, piece->due_count + count, sizeof *piece->due))
		return false;
	for (uint32_t k = 0; k < count + ROWS_AHEAD; k++) {
		if (k < count) {
			partners[k] = only_partner(&piece->world.agenda, bodies[k], tick);
			line_fetch(&rows[bodies[k]].cell);
			if (partners[k] != NONE)
				line_fetch(&rows[partners[k]].cell);
		}
		if (k >= ROWS_AHEAD)
			due_add(piece, bodies[k - ROWS_AHEAD], partners[k - ROWS_AHEAD]);
	}
	return true;
}

/* The first body of a piece; they follow each other. */
static uint32_t
part_first(const struct strips *strips, size_t index)
{
	uint64_t bodies = strips->strips[0].world.body_count;

	return index < strips->count ? (uint32_t)(bodies * index / strips->count / AGENDA_MARKED * AGENDA_MARKED)
	                             : (uint32_t)bodies;
}

static void
piece_list(void *argument, unsigned index)
{
	const struct strips *strips = argument;
	struct strip *piece = &strips->strips[index + 1];
	uint32_t bodies[AGENDA_TAKEN_MAX], first = part_first(strips, index), end = part_first(strips, (size_t)index + 1), count;

	agenda_mark(&piece->world, first, end);
	while (!piece->world.failed && (count = agenda_take(&piece->world, &first, end, bodies)) > 0)
		piece->world.failed = !due_add_all(piece, bodies, count);
}

void
strips_list(struct strips *strips, struct world *world)
{
	strips->listed = agenda_enter(world);
	for (size_t s = 0; s <= strips->count; s++)
		strips->strips[s].world.agenda = world->agenda;
	if (!strips->listed)
		return;
	world->crew.run(world->crew.context, (unsigned)strips->count, piece_list, strips);
	for (size_t s = 1; s <= strips->count; s++)
		world->failed = world->failed || strips->strips[s].world.failed;
	/* The last one only lists who changes cells. */
	agenda_leave(&strips->strips[0].world, 0);
}

/* Those in the strip's rows of a piece's list: as many from *first on as there is room for, and where to go on. */
static uint32_t
due_take(const struct strip *strip, const struct strip *piece, size_t *first, uint32_t out[AGENDA_TAKEN_MAX])
{
	uint32_t own = (uint32_t)(strip - strip->all->strips), count = 0;
	size_t k = *first;

	for (; k < piece->due_count && count < AGENDA_TAKEN_MAX; k++) {
		out[count] = piece->due[k].body;
		count += piece->due[k].strip == own;
	}
	*first = k;
	return count;
}

bool
strip_look(struct strip *strip)
{
	const struct strips *strips = strip->all;
	struct world *world = &strip->world;
	uint32_t bodies[AGENDA_TAKEN_MAX], count;

	for (size_t p = 1; p <= strips->count; p++) {
		size_t first = 0;

		while (!world->failed && (count = due_take(strip, &strips->strips[p], &first, bodies)) > 0) {
			agenda_look(world, bodies, count);
			(void)world_asked_to_stop(world);
		}
	}
	strip->stray = world->agenda.strayed;
	agenda_leave(world, world->cost.looks);
	return !strip->stray;
}
