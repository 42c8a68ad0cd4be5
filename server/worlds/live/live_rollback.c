/* Late batches of a world with LATE_RESIMULATE. Before the next tick the world goes back to a state that it has kept. It makes
 * all ticks since then again, with the batches in their places. Readers are told only what differs at the present.
 *
 * Happy path: the state is one in memory (recent.h), else a snapshot of the journal. Every batch of the journal takes effect
 * again as it did, or is undone: it is impossible in the new past. What can go wrong: the history does not reach back so far,
 * or the world has made too many ticks again in this second. Then the batch takes effect at the next tick. A tick that cannot
 * be made again fails the world, as it would have with the batch in time. */
#include "base/memory.h"
#include "base/pause.h"
#include "physics/describe.h"
#include "worlds/live/live_private.h"

/* ---- to a state before */

/* Puts the present in the place of another moment. */
static bool
state_take(struct live_world *world, const struct journal_state *state)
{
	struct world_moment moment;

	if (!live_moment_restore(world, state, &moment))
		return false;
	if (world->workspace)
		world_workspace_drop(world->world);
	world_destroy(world->world);
	force_list_finish(&world->forces);
	owner_list_finish(&world->owners);
	world->world = moment.world;
	world->forces = moment.forces;
	world->owners = moment.owners;
	world_workspace_set(world->world, world->workspace);
	world_workers_set(world->world, world->helpers);
	/* Those belong to the world that was. */
	recent_states_clear(&world->recent);
	world->tick = state->tick;
	return true;
}

static bool
recent_take(struct live_world *world, const struct recent_state *state)
{
	if (!state || world_return(world->world, state->kept) != STATUS_OK)
		return false;
	world->tick = state->tick;
	return force_list_copy(&world->forces, &state->forces) && owner_list_copy(&world->owners, &state->owners);
}

/* To the latest state at or before a tick. False: without memory, and nothing has changed. */
static bool
go_back(struct live_world *world, uint64_t tick)
{
	const struct batch *unused;
	const struct recent_state *recent = recent_states_find(&world->recent, tick);
	const struct journal_state *state = journal_find(&world->journal, world->tick, tick, &unused);

	/* Room for as many as there may be: to copy forces and owners then cannot fail. */
	if (recent && force_list_reserve(&world->forces, recent->forces.count) &&
	    owner_list_reserve(&world->owners, recent->owners.count) && recent_take(world, recent))
		return true;
	return state && state_take(world, state);
}

/* ---- and again to the present */

/* What comes of going back. */
struct remaking {
	struct live_world *world;
	struct journal_cursor cursor;
	uint32_t *seats; /* of late batches that are decided */
	size_t seat_count;
};

/* A batch of the journal, in another state than when it took effect. False: the world has failed. */
static bool
batch_remake(struct remaking *remaking, struct batch *batch)
{
	struct live_world *world = remaking->world;
	struct verdict verdict = { .missing = 0 };

	if (batch->stays && batch->undone) {
		batch_destroy(journal_cursor_take(&remaking->cursor));
		return true;
	}
	if (batch->stays) {
		live_mirrored_make(world, batch);
		journal_cursor_pass(&remaking->cursor);
		return true;
	}
	if (!batch->undone && live_batch_remake(world, batch, &verdict)) {
		journal_cursor_pass(&remaking->cursor);
		return true;
	}

	struct seat_entry *seat = batch->undone ? NULL : seat_list_find(&world->seats, batch->seat);
	bool told = !seat || seat->ended || draft_undo(&world->draft, seat, batch, &verdict.problem);

	live_undone_tell(world, batch);
	world->batches--;
	batch_destroy(journal_cursor_take(&remaking->cursor));
	if (!told)
		live_fail(world, "LIMIT");
	return told;
}

/* The first of those that are late. */
static bool
late_make(struct remaking *remaking)
{
	struct live_world *world = remaking->world;
	struct batch *batch = waiting_first(&world->late.waiting);
	bool effective = false;

	if (batch->stays) {
		live_mirrored_make(world, batch);
		journal_cursor_put(&remaking->cursor, waiting_take(&world->late.waiting));
		return true;
	}
	if (!live_batch_decide(world, batch, true, &effective)) {
		live_fail(world, "LIMIT"); /* with it still waiting: so it is refused when there is memory */
		return false;
	}
	(void)waiting_take(&world->late.waiting);
	remaking->seats[remaking->seat_count++] = batch->seat;
	if (!effective) {
		batch_destroy(batch);
		return true;
	}
	journal_cursor_put(&remaking->cursor, batch);
	live_applied_tell(world, batch);
	return true;
}

/* Those of the next tick, in their order. */
static bool
batches_remake(struct remaking *remaking)
{
	struct live_world *world = remaking->world;
	uint64_t tick = world->tick + 1;

	for (;; pause_give_way(BATCH_UNITS)) {
		struct batch *known = journal_cursor_batch(&remaking->cursor), *late = waiting_first(&world->late.waiting);
		bool is_known = known && known->tick == tick, is_late = late && late->tick == tick;

		if (!is_known && !is_late)
			return true;
		/* The end of a seat stays behind the batches that it came after. */
		bool late_first = is_late && (!is_known || (!known->seat_ended && batch_is_before(late, known)));

		if (!(late_first ? late_make(remaking) : batch_remake(remaking, known)))
			return false;
	}
}

/* Those that did take effect in the next tick; it is the first from that link on. */
static void
batches_check(struct live_world *world, const struct batch *batch)
{
	for (; batch && batch->tick == world->tick + 1; batch = batch->next)
		live_check_batch(world, batch);
}

static bool
tick_remake(struct remaking *remaking)
{
	struct live_world *world = remaking->world;
	struct batch **first = remaking->cursor.link;
	struct tick_report report;

	if (!batches_remake(remaking))
		return false;
	batches_check(world, *first);
	if (!live_forces_act(world) || !live_step(world, &report))
		return false;
	if (!finals_note(&world->finals, &report))
		live_finals_fail(world);
	journal_keep(&world->journal, world->world, &world->forces, &world->owners);
	recent_states_tick(&world->recent, world->world, &world->forces, &world->owners);
	live_check_note(world);
	return true;
}

/* What takes longer is no part of a due tick: others' ticks go before it. A longer one is cut by the pool in any case, after up
 * to 2 ms. */
#define LONG_NS UINT64_C(500000)
/* The weight of the last rollback in what a tick takes. */
#define LATEST_SHIFT 2

/* So many ticks, which have taken so long. */
static void
tick_cost_note(struct late *late, uint64_t ticks, uint64_t took_ns)
{
	uint64_t tick_ns = took_ns / ticks;

	late->tick_ns = late->tick_ns == 0 ? tick_ns : late->tick_ns - (late->tick_ns >> LATEST_SHIFT) + (tick_ns >> LATEST_SHIFT);
}

static bool
ticks_remake(struct remaking *remaking, uint64_t present)
{
	struct live_world *world = remaking->world;
	struct late *late = &world->late;
	uint64_t ticks = present - world->tick, began_ns = world->cpu_ns();
	uint64_t tick_ns = late->tick_ns > 0 ? late->tick_ns : tick_times_mean_ns(&world->times);

	if (world->long_ahead && ticks * tick_ns > LONG_NS)
		world->long_ahead();

	struct memory_spare spare = live_spare_set(world);

	while (world->tick < present && tick_remake(remaking))
		late->remade++;
	(void)memory_spare_set(spare);
	if (world->tick < present) {
		world->tick = present;
		return false;
	}
	if (ticks > 0)
		tick_cost_note(late, ticks, world->cpu_ns() - began_ns);
	return true;
}

/* The reports of re-made ticks need no paths: readers are told those of the present. */
static bool
events_set(struct live_world *world, bool present)
{
	unsigned paths = present && world->paths_kept ? WORLD_EVENTS_CHANGED_PATHS : 0;

	return world_events_set(world->world, world->policy.events | paths) == STATUS_OK;
}

/* From before the first of them, with the definitions that readers have. */
static bool
remake(struct live_world *world, struct remaking *remaking, uint64_t present)
{
	journal_cut_after(&world->journal, world->tick);
	recent_states_cut(&world->recent, world->tick);
	checked_ticks_cut(&world->checked, world->tick);
	remaking->cursor = journal_cursor_after(&world->journal, world->tick);
	if (!events_set(world, false)) {
		world->tick = present;
		live_fail(world, "LIMIT");
		return false;
	}
	return ticks_remake(remaking, present);
}

/* There is no memory to go back: they take effect at the next tick. */
static void
late_put_off(struct live_world *world)
{
	world->late.from = 0;
	while (waiting_first(&world->late.waiting)) {
		struct batch *batch = waiting_first(&world->late.waiting);
		struct seat_entry *seat = seat_list_find(&world->seats, batch->seat);
		uint64_t tick = world->tick + 1;

		if (batch->stays) {
			live_fail(world, "LIMIT"); /* its tick is not this world's to choose */
			return;
		}
		batch_tick_set(batch, tick);
		if (!waiting_add(&world->waiting, batch)) {
			live_fail(world, "LIMIT");
			return;
		}
		(void)waiting_take(&world->late.waiting);
		seat->tick_last = seat->tick_last > tick ? seat->tick_last : tick;
	}
}

/* The definitions that readers have. Without memory for these they end. */
static void
before_take(struct live_world *world, struct definitions *before)
{
	int64_t most = live_readers_enter(world);

	if (world->encoders && !definitions_take(world->world, before))
		live_encoders_fail(world);
	live_readers_leave(world, most);
	live_encoders_give_way(world);
}

/* What has become of them. */
static void
after_tell(struct live_world *world, const struct definitions *before)
{
	int64_t most = live_readers_enter(world);

	if (!events_set(world, true))
		live_paths_fail(world);
	if (world->encoders && !definitions_tell(before, world->world, &world->changes))
		live_encoders_fail(world);
	live_readers_leave(world, most);
	live_encoders_give_way(world);
}

bool
live_rollback(struct live_world *world)
{
	size_t count = world->late.waiting.count;
	const uint64_t present = world->late.present = world->tick;
	struct definitions before = { .circle_count = 0 };
	struct remaking remaking = { .world = world };

	if (world->late.from == 0)
		return true;

	struct memory_spare spare = live_spare_set(world);

	remaking.seats = memory_alloc((count + 1) * sizeof *remaking.seats);
	if (!remaking.seats) {
		late_put_off(world);
		(void)memory_spare_set(spare);
		return !world->failed;
	}
	before_take(world, &before);
	past_cut(&world->past, world->late.from - 1);
	if (!go_back(world, world->late.from - 1)) {
		late_put_off(world);
	} else if (remake(world, &remaking, present)) {
		for (size_t i = 0; i < remaking.seat_count; i++)
			live_seat_step(world, remaking.seats[i]);
		live_walls_look(world);
		after_tell(world, &before);
		world->late.changed = true;
		world->late.from = 0;
	}
	world->past_lost = world->failed != NULL;
	definitions_free(&before);
	memory_free(remaking.seats);
	(void)memory_spare_set(spare);
	live_encoders_give_way(world);
	return !world->failed;
}
