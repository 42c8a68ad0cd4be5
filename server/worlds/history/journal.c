#include "worlds/history/journal.h"

#include "base/check.h"
#include "base/memory.h"
#include "worlds/commands/room.h"
#include "worlds/history/packed_rows.h"
#include "worlds/limits.h"

#include <string.h>

/* Larger snapshots are kept as they are: packing takes a tenth of a millisecond for this, at a stretch. */
#define PACKED_BYTES_MAX 65536u
/* Packed, two states of a world differ by some bytes: room is a multiple of this. */
#define ROOM_BYTES 128u

static void
state_destroy(struct journal_state *state)
{
	if (!state)
		return;
	memory_free(state->snapshot);
	force_list_finish(&state->forces);
	owner_list_finish(&state->owners);
	memory_free(state);
}

/* Room for the snapshot, hardly more than it needs. */
static bool
snapshot_reserve(struct journal_state *state, size_t count)
{
	if (count > state->capacity || count < state->capacity / 2) {
		size_t capacity = (count + ROOM_BYTES - 1) / ROOM_BYTES * ROOM_BYTES;
		uint8_t *snapshot = memory_resize(state->snapshot, capacity);

		if (!snapshot)
			return false;
		state->snapshot = snapshot;
		state->capacity = capacity;
	}
	state->count = count;
	return true;
}

static void
snapshot_write(const struct journal_state *state, const struct world *world, uint8_t *bytes)
{
	enum status status = state->in_map ? world_snapshot_in_map(world, bytes, state->whole_bytes)
	                                   : world_snapshot(world, bytes, state->whole_bytes);

	CHECK(status == STATUS_OK); /* between two ticks, and of the size it asked for */
}

/* False without memory. */
static bool
snapshot_keep(struct journal_state *state, const struct world *world)
{
	state->whole_bytes = state->in_map ? world_snapshot_in_map_bytes(world) : world_snapshot_bytes(world);
	state->packed = state->whole_bytes <= PACKED_BYTES_MAX;
	if (!state->packed) {
		if (!snapshot_reserve(state, state->whole_bytes))
			return false;
		snapshot_write(state, world, state->snapshot);
		return true;
	}

	uint8_t *whole = memory_alloc(state->whole_bytes + packed_rows_most(state->whole_bytes));
	bool kept = false;

	if (whole) {
		uint8_t *packed = whole + state->whole_bytes;

		snapshot_write(state, world, whole);
		kept = snapshot_reserve(state, packed_rows_write(whole, state->whole_bytes, world_snapshot_body_bytes(), packed));
		if (kept)
			memcpy(state->snapshot, packed, state->count);
		memory_free(whole);
	}
	return kept;
}

/* False without memory: it holds none then. */
static bool
state_keep(struct journal_state *state, const struct world *world, const struct force_list *forces,
           const struct owner_list *owners)
{
	state->in_map = world_map(world) != NULL;
	if (!force_list_copy(&state->forces, forces) || !owner_list_copy(&state->owners, owners) || !snapshot_keep(state, world))
		return false;
	state->tick = world_tick(world);
	return true;
}

/* NULL without memory. */
static struct world *
snapshot_restore(const struct journal_state *state, struct wall_map *map)
{
	struct snapshot_problem problem;
	struct world *world = NULL;
	uint8_t *unpacked = state->packed ? memory_alloc(state->whole_bytes) : NULL;
	const uint8_t *whole = state->packed ? unpacked : state->snapshot;

	if (!whole)
		return NULL;
	if (unpacked)
		CHECK(packed_rows_read(state->snapshot, state->count, world_snapshot_body_bytes(), unpacked, state->whole_bytes));

	enum status status = state->in_map ? world_restore_in_map(map, whole, state->whole_bytes, 0, &problem, &world)
	                                   : world_restore(whole, state->whole_bytes, 0, &problem, &world);

	memory_free(unpacked);
	return status == STATUS_OK ? world : NULL;
}

bool
journal_state_restore(const struct journal_state *state, struct wall_map *map, struct world_moment *out)
{
	*out = (struct world_moment){ .tick = state->tick, .world = snapshot_restore(state, map) };
	if (out->world && force_list_copy(&out->forces, &state->forces) && owner_list_copy(&out->owners, &state->owners))
		return true;
	world_moment_finish(out);
	return false;
}

void
world_moment_finish(struct world_moment *moment)
{
	world_destroy(moment->world);
	force_list_finish(&moment->forces);
	owner_list_finish(&moment->owners);
	*moment = (struct world_moment){ .world = NULL };
}

void
journal_init(struct journal *journal, uint32_t history_ticks, size_t bytes_max)
{
	*journal = (struct journal){ .history_ticks = history_ticks, .bytes_max = bytes_max };
	journal->keep_every = history_ticks / 2;
	if (journal->keep_every < WORLDS_KEEP_EVERY_MIN)
		journal->keep_every = WORLDS_KEEP_EVERY_MIN;
	else if (journal->keep_every > WORLDS_KEEP_EVERY_MAX)
		journal->keep_every = WORLDS_KEEP_EVERY_MAX;
	journal->end = &journal->first;
}

/* Batches up to the tick are needed no more. */
static void
batches_cut(struct journal *journal, uint64_t tick)
{
	while (journal->first && journal->first->tick <= tick) {
		struct batch *first = journal->first;

		journal->first = first->next;
		journal->bytes -= batch_bytes(first);
		batch_destroy(first);
	}
	if (!journal->first)
		journal->end = &journal->first;
}

/* The oldest state goes, and what only it needs. */
static void
oldest_drop(struct journal *journal)
{
	state_destroy(journal->spare);
	journal->spare = journal->states[0];
	journal->state_count--;
	memmove(&journal->states[0], &journal->states[1], journal->state_count * sizeof(struct journal_state *));
	batches_cut(journal, journal->state_count > 0 ? journal->states[0]->tick : UINT64_MAX);
}

void
journal_clear(struct journal *journal)
{
	while (journal->state_count > 0)
		oldest_drop(journal);
	batches_cut(journal, UINT64_MAX);
}

void
journal_finish(struct journal *journal)
{
	journal_clear(journal);
	state_destroy(journal->spare);
	memory_free(journal->states);
	*journal = (struct journal){ .history_ticks = 0 };
	journal->end = &journal->first;
}

bool
journal_keeps(const struct journal *journal)
{
	return journal->state_count > 0;
}

void
journal_add(struct journal *journal, struct batch *batch)
{
	if (journal->state_count == 0) {
		batch_destroy(batch);
		return;
	}
	batch->next = NULL;
	*journal->end = batch;
	journal->end = &batch->next;
	journal->bytes += batch_bytes(batch);
}

void
journal_cut_after(struct journal *journal, uint64_t tick)
{
	while (journal->state_count > 0 && journal->states[journal->state_count - 1]->tick > tick) {
		state_destroy(journal->spare);
		journal->spare = journal->states[--journal->state_count];
	}
}

struct journal_cursor
journal_cursor_after(struct journal *journal, uint64_t tick)
{
	struct journal_cursor cursor = { journal, &journal->first };

	while (*cursor.link && (*cursor.link)->tick <= tick)
		journal_cursor_pass(&cursor);
	return cursor;
}

struct batch *
journal_cursor_batch(const struct journal_cursor *cursor)
{
	return *cursor->link;
}

void
journal_cursor_pass(struct journal_cursor *cursor)
{
	cursor->link = &(*cursor->link)->next;
}

struct batch *
journal_cursor_take(struct journal_cursor *cursor)
{
	struct batch *batch = *cursor->link;

	*cursor->link = batch->next;
	if (!batch->next)
		cursor->journal->end = cursor->link;
	cursor->journal->bytes -= batch_bytes(batch);
	return batch;
}

void
journal_cursor_put(struct journal_cursor *cursor, struct batch *batch)
{
	batch->next = *cursor->link;
	*cursor->link = batch;
	if (!batch->next)
		cursor->journal->end = &batch->next;
	cursor->journal->bytes += batch_bytes(batch);
	journal_cursor_pass(cursor);
}

static void
state_add(struct journal *journal, const struct world *world, const struct force_list *forces, const struct owner_list *owners)
{
	struct journal_state *state = journal->spare ? journal->spare : memory_zeroed(1, sizeof *state);

	journal->spare = NULL;
	if (!state ||
	    !room_reserve(&journal->states, &journal->state_capacity, journal->state_count + 1, sizeof(struct journal_state *)) ||
	    !state_keep(state, world, forces, owners)) {
		state_destroy(state);
		return;
	}
	journal->states[journal->state_count++] = state;
}

void
journal_keep(struct journal *journal, const struct world *world, const struct force_list *forces,
             const struct owner_list *owners)
{
	if (journal->history_ticks > 0 && (journal->state_count == 0 || world_tick(world) % journal->keep_every == 0))
		state_add(journal, world, forces, owners);
}

void
journal_forget(struct journal *journal, uint64_t tick)
{
	while (journal->state_count > 1 && journal->states[1]->tick <= tick)
		oldest_drop(journal);
}

void
journal_tick(struct journal *journal, const struct world *world, const struct force_list *forces,
             const struct owner_list *owners)
{
	uint64_t tick = world_tick(world), oldest = tick > journal->history_ticks ? tick - journal->history_ticks : 0;

	if (journal->history_ticks == 0)
		return;
	journal_forget(journal, oldest);
	while (journal->state_count > 0 && journal->bytes > journal->bytes_max)
		oldest_drop(journal);
	journal_keep(journal, world, forces, owners);
}

const struct journal_state *
journal_find(const struct journal *journal, uint64_t tick_now, uint64_t tick, const struct batch **batches)
{
	const struct journal_state *state = NULL;

	if (tick > tick_now || tick_now - tick > journal->history_ticks)
		return NULL;
	for (size_t i = 0; i < journal->state_count && journal->states[i]->tick <= tick; i++)
		state = journal->states[i];
	*batches = journal->first;
	while (state && *batches && (*batches)->tick <= state->tick)
		*batches = (*batches)->next;
	return state;
}
