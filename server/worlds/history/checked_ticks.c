/* Happy path: after each tick its state is copied into the memory of the one that is forgotten. If segments were edited, the
 * world is written as bytes, too. What can go wrong: memory, or a world that is too large. Then all is forgotten. */
#include "worlds/history/checked_ticks.h"

#include "base/memory.h"
#include "physics/describe.h"

#include <string.h>

/* ---- what several threads hold */

struct checked_base *
checked_base_hold(struct checked_base *base)
{
	atomic_fetch_add(&base->holders, 1);
	return base;
}

void
checked_base_release(struct checked_base *base)
{
	if (!base || atomic_fetch_sub(&base->holders, 1) > 1)
		return;

	struct ledger *own = memory_enter(NULL);

	wall_map_release(base->map);
	(void)memory_enter(own);
	own = memory_enter_common();
	memory_free(base);
	(void)memory_enter(own);
}

static void
batches_free(struct batch **batches)
{
	while (*batches) {
		struct batch *first = *batches;

		*batches = first->next;
		batch_destroy(first);
	}
}

static void
ticks_free(struct checked_tick *tick)
{
	struct ledger *own = memory_enter_common();

	while (tick) {
		struct checked_tick *next = tick->next;

		world_kept_destroy(tick->kept);
		force_list_finish(&tick->forces);
		owner_list_finish(&tick->owners);
		memory_free(tick);
		tick = next;
	}
	(void)memory_enter(own);
}

static void
spares_release(struct checked_spares *spares)
{
	if (!spares || atomic_fetch_sub(&spares->holders, 1) > 1)
		return;
	ticks_free(atomic_load(&spares->first));

	struct ledger *own = memory_enter_common();

	memory_free(spares);
	(void)memory_enter(own);
}

static void
tick_release(struct checked_tick *tick)
{
	if (!tick || atomic_fetch_sub(&tick->holders, 1) > 1)
		return;

	struct checked_spares *spares = tick->spares;
	struct ledger *own = memory_enter_common();

	checked_base_release(tick->base);
	tick->base = NULL;
	batches_free(&tick->batches);
	(void)memory_enter(own);

	struct checked_tick *first = atomic_load(&spares->first);

	do
		tick->next = first;
	while (!atomic_compare_exchange_weak(&spares->first, &first, tick));
	spares_release(spares);
}

void
checked_span_free(struct checked_span *span)
{
	if (!span)
		return;
	for (size_t i = 0; i <= WORLDS_CHECK_TICKS; i++)
		tick_release(span->ticks[i]);

	struct ledger *own = memory_enter_common();

	memory_free(span);
	(void)memory_enter(own);
}

/* ---- */

void
checked_ticks_init(struct checked_ticks *checked)
{
	*checked = (struct checked_ticks){ .count = 0 };
	checked->batches_end = &checked->batches;
}

static void
batches_drop(struct checked_ticks *checked)
{
	struct ledger *own = memory_enter_common();

	batches_free(&checked->batches);
	(void)memory_enter(own);
	checked->batches_end = &checked->batches;
	checked->lost = false;
}

void
checked_ticks_clear(struct checked_ticks *checked)
{
	while (checked->count > 0)
		tick_release(checked->ticks[--checked->count]);
	batches_drop(checked);
}

void
checked_ticks_finish(struct checked_ticks *checked)
{
	checked_ticks_clear(checked);
	ticks_free(checked->unused);
	spares_release(checked->spares);
	checked_ticks_init(checked);
}

void
checked_ticks_cut(struct checked_ticks *checked, uint64_t tick)
{
	while (checked->count > 0 && checked->ticks[checked->count - 1]->tick > tick)
		tick_release(checked->ticks[--checked->count]);
	batches_drop(checked);
}

void
checked_ticks_batch(struct checked_ticks *checked, const struct batch *batch)
{
	struct ledger *own = memory_enter_common();
	struct batch *copy = memory_alloc(sizeof *copy + batch->count);

	(void)memory_enter(own);
	if (!copy) {
		checked->lost = true;
		return;
	}
	memcpy(copy, batch, sizeof *copy + batch->count);
	copy->next = NULL;
	*checked->batches_end = copy;
	checked->batches_end = &copy->next;
}

/* NULL without memory. */
static struct checked_base *
base_make(const struct world *world)
{
	struct wall_map *map = world_map(world);
	size_t count = map ? world_snapshot_in_map_bytes(world) : world_snapshot_bytes(world);
	struct checked_base *base = memory_alloc(sizeof *base + count);
	enum status status = STATUS_RESOURCE_EXHAUSTED;

	if (base)
		status = map ? world_snapshot_in_map(world, base->snapshot, count) : world_snapshot(world, base->snapshot, count);
	if (status != STATUS_OK) {
		memory_free(base);
		return NULL;
	}
	atomic_init(&base->holders, 1);
	base->count = count;
	base->map = map ? wall_map_hold(map) : NULL;
	return base;
}

/* NULL without memory. */
static struct checked_tick *
tick_create(void)
{
	struct checked_tick *tick = memory_zeroed(1, sizeof *tick);

	if (!tick)
		return NULL;
	if (world_kept_create(&tick->kept) == STATUS_OK)
		return tick;
	memory_free(tick);
	return NULL;
}

/* One with memory of the right size, if there is one. NULL without memory. */
static struct checked_tick *
tick_take(struct checked_ticks *checked)
{
	if (!checked->spares) {
		checked->spares = memory_zeroed(1, sizeof *checked->spares);
		if (!checked->spares)
			return NULL;
		atomic_init(&checked->spares->holders, 1);
	}
	if (!checked->unused)
		checked->unused = atomic_exchange(&checked->spares->first, NULL);

	struct checked_tick *tick = checked->unused;

	if (tick)
		checked->unused = tick->next;
	else
		tick = tick_create();
	if (!tick)
		return NULL;
	atomic_store(&tick->holders, 1);
	tick->spares = checked->spares;
	atomic_fetch_add(&checked->spares->holders, 1);
	return tick;
}

/* Those that no tick to come needs. */
static void
oldest_drop(struct checked_ticks *checked)
{
	if (checked->count <= WORLDS_CHECK_TICKS)
		return;
	tick_release(checked->ticks[0]);
	checked->count--;
	memmove(&checked->ticks[0], &checked->ticks[1], checked->count * sizeof(struct checked_tick *));
}

/* False: without memory, or too large. */
static bool
tick_fill(struct checked_ticks *checked, struct checked_tick *tick, struct world *world, const struct force_list *forces,
          const struct owner_list *owners)
{
	struct checked_tick *before = checked->count > 0 ? checked->ticks[checked->count - 1] : NULL;

	if (checked->lost || world_keep(world, tick->kept) != STATUS_OK || !force_list_copy(&tick->forces, forces) ||
	    !owner_list_copy(&tick->owners, owners) ||
	    world_kept_memory_bytes(tick->kept) > WORLDS_CHECK_BYTES_MAX / (WORLDS_CHECK_TICKS + 1))
		return false;
	if (before && world_kept_same_walls(before->kept, tick->kept))
		tick->base = checked_base_hold(before->base);
	else
		tick->base = base_make(world);
	return tick->base != NULL;
}

void
checked_ticks_note(struct checked_ticks *checked, struct world *world, uint64_t hash, const struct force_list *forces,
                   const struct owner_list *owners)
{
	uint64_t number = world_tick(world);

	if (checked->count > 0 && checked->ticks[checked->count - 1]->tick + 1 != number)
		checked_ticks_clear(checked);

	oldest_drop(checked);

	struct ledger *own = memory_enter_common();
	struct checked_tick *tick = tick_take(checked);
	bool filled = tick && tick_fill(checked, tick, world, forces, owners);

	(void)memory_enter(own);
	if (!filled) {
		tick_release(tick);
		checked_ticks_clear(checked);
		return;
	}
	tick->tick = number;
	tick->hash = hash;
	tick->batches = checked->batches;
	checked->batches = NULL;
	checked->batches_end = &checked->batches;
	checked->ticks[checked->count++] = tick;
}

struct checked_span *
checked_ticks_span(const struct checked_ticks *checked)
{
	if (checked->count <= WORLDS_CHECK_TICKS)
		return NULL;

	struct ledger *own = memory_enter_common();
	struct checked_span *span = memory_alloc(sizeof *span);

	(void)memory_enter(own);
	for (size_t i = 0; span && i <= WORLDS_CHECK_TICKS; i++) {
		atomic_fetch_add(&checked->ticks[i]->holders, 1);
		span->ticks[i] = checked->ticks[i];
	}
	return span;
}
