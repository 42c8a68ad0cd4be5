/* Batches of a live world: from the loop into the order in which they take effect, and then what becomes of them. Happy path: a
 * batch waits for its tick, the engine makes all of it, and its seat is told so. What can go wrong: it is late, refused
 * (command_plan.h), or there is no memory. All batches of a seat are decided in the order of their sequence. */
#include "base/memory.h"
#include "base/pause.h"
#include "worlds/commands/command_plan.h"
#include "worlds/live/live_private.h"

#include <inttypes.h>
#include <string.h>

/* Memory to unpack a batch in, and for its edits. */
#define ARENA_BYTES_MIN 65536
#define ARENA_BYTES_PER_BYTE 16
#define ARENA_BYTES_PER_ROW 512

static const char too_late[] = "its tick has been made";

/* What a verdict needs to know of a batch. */
static struct batch
post_head(const struct post *post)
{
	return (struct batch){ .seat = post->batch.seat,
		                   .sequence = post->batch.sequence,
		                   .tick_asked = post->batch.tick,
		                   .wants_outcome = post->batch.wants_outcome,
		                   .arrived_ns = post->arrived_ns,
		                   .count = post->count };
}

/* How long before the start of its tick it was there. */
static int64_t
batch_margin(const struct live_world *world, const struct batch *batch, uint64_t tick)
{
	uint64_t meant = batch->tick_asked == 0 ? tick : batch->tick_asked;

	if (tick_clock_runs(&world->clock))
		return (int64_t)(tick_clock_due_ns(&world->clock, meant) - batch->arrived_ns);
	/* Without due times: as many ticks late as it is, or up to now. */
	return meant < tick ? -(int64_t)(world_due_ns(tick - meant, world->clock.hz) & INT64_MAX)
	                    : (int64_t)(world->now_ns - batch->arrived_ns);
}

static bool
batch_refuse(struct live_world *world, const struct batch *batch, struct seat_entry *seat, enum status status,
             const char *reason, const char *text)
{
	struct verdict verdict = { .missing = 0 };

	(void)wire_problem_set(&verdict.problem, status, reason, "", "%s", text);
	if (status == STATUS_FAILED_PRECONDITION && text == too_late) {
		verdict.has_margin = true;
		verdict.margin_ns = batch_margin(world, batch, world->tick + 1);
	}
	return draft_decide(&world->draft, seat, batch, &verdict);
}

/* The tick at the start of which it takes effect: never before an earlier one of its seat. */
static uint64_t
batch_tick(struct live_world *world, const struct seat_entry *seat, uint64_t asked)
{
	uint64_t tick = asked;

	if (asked == 0)
		tick = step_queue_horizon(&world->steps, world->tick) + 1;
	if (seat->tick_last > tick)
		tick = seat->tick_last;
	return tick > world->tick || live_late_takes(world, tick) ? tick : world->tick + 1;
}

/* What waits must leave a quarter of the world's memory for its ticks, which would fail it. What readers have must not be in
 * its place: they end. */
static bool
batch_room_make(struct live_world *world, const struct post *post)
{
	uint64_t most = world->limits->world_bytes_max;

	while (ledger_used(&world->ledger) + post->count > most - most / 4)
		if (!world->end_newest(world))
			return false;
	return true;
}

bool
live_batch_add(struct live_world *world, struct post **given)
{
	struct post *post = *given;
	struct seat_entry *seat = seat_list_get(&world->seats, post->batch.seat);
	struct batch head = post_head(post);
	bool late = post->batch.tick != 0 && post->batch.tick <= world->tick && world->policy.late == WORLD_LATE_REFUSE;

	if (!seat)
		return false;
	seat->sender = post->batch.sender;
	/* One that has to wait for others of its seat is refused with them. */
	if (world->failed && seat->waiting == 0 && !seat->lost)
		return batch_refuse(world, &head, seat, STATUS_FAILED_PRECONDITION, "WORLD_FAILED", "a tick of the world has failed");
	if (late && seat->waiting == 0 && !seat->lost)
		return batch_refuse(world, &head, seat, STATUS_FAILED_PRECONDITION, "TOO_LATE", too_late);

	/* Behind one that is lost all are, up to the moment at which that is told. */
	struct batch *batch = seat->lost || !batch_room_make(world, post) ? NULL : batch_create(post);

	if (batch) {
		batch->too_late = late;
		batch_tick_set(batch, batch_tick(world, seat, post->batch.tick));
	}
	if (!batch || !waiting_add(batch->tick > world->tick ? &world->waiting : &world->late.waiting, batch)) {
		batch_destroy(batch);
		seat_entry_lose(seat, post);
		*given = NULL;
		world->batches_lost = true;
		return true;
	}
	seat->waiting++;
	seat->tick_last = batch->tick;
	return true;
}

/* False: no memory to tell; the rest of them is told later. */
static bool
seat_lose(struct live_world *world, struct seat_entry *seat)
{
	for (; seat->lost; post_free(seat_entry_lost(seat))) {
		const struct batch head = post_head(seat->lost);

		pause_give_way(BATCH_UNITS);
		if (!batch_refuse(world, &head, seat, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "no memory for it in its world"))
			return false;
	}
	return true;
}

bool
live_batches_lose(struct live_world *world)
{
	bool left = false;

	for (size_t i = 0; i < world->seats.count && world->batches_lost;) {
		struct seat_entry *seat = &world->seats.entries[i];

		if (seat->waiting == 0 && !seat_lose(world, seat))
			return false;
		left = left || seat->lost;
		if (seat->ended && seat->waiting == 0)
			seat_list_drop(&world->seats, seat->seat);
		else
			i++;
	}
	world->batches_lost = left;
	return true;
}

/* Room for what follows a batch, so that nothing can go wrong any more once the engine has made it. */
static bool
follow_reserve(struct live_world *world, const struct command_plan *plan)
{
	return force_list_reserve(&world->forces, plan->force_count) &&
	       owner_list_reserve(&world->owners, plan->spawned_count + plan->given_count) &&
	       change_log_reserve(&world->changes, plan->count);
}

/* What readers are told of a row; false: it changes no definition. */
static bool
change_of(enum command_table table, enum change_kind *out)
{
	switch (table) {
	case COMMAND_SPAWN:
	case COMMAND_CHANGES: *out = CHANGE_CIRCLE; return true;
	case COMMAND_REMOVE: *out = CHANGE_CIRCLE_REMOVED; return true;
	case COMMAND_SPAWN_SEGMENTS:
	case COMMAND_ENABLE_SEGMENTS:
	case COMMAND_DISABLE_SEGMENTS: *out = CHANGE_SEGMENT; return true;
	case COMMAND_REMOVE_SEGMENTS: *out = CHANGE_SEGMENT_REMOVED; return true;
	case COMMAND_GRAVITY: *out = CHANGE_GRAVITY; return true;
	default: return false;
	}
}

static void
changes_note(struct live_world *world, const struct command_plan *plan)
{
	for (size_t i = 0; i < plan->count; i++) {
		enum command_table table = (enum command_table)plan->rows[i].table;
		enum change_kind kind;

		if (change_of(table, &kind))
			change_log_add(&world->changes, kind, kind == CHANGE_GRAVITY ? 0 : plan->tables.of[table].ids[plan->rows[i].row]);
	}
}

/* What a batch that the engine has made means for forces and owners. */
static void
follow(struct live_world *world, struct command_plan *plan)
{
	force_list_remove(&world->forces, plan->removed, plan->removed_count);
	force_list_add(&world->forces, plan->forces, plan->force_count);
	owner_list_remove(&world->owners, plan->removed, plan->removed_count);
	owner_list_set(&world->owners, plan->spawned, plan->spawned_count);
	owner_list_set(&world->owners, plan->given, plan->given_count);
}

/* What it means for readers. */
static void
changes_follow(struct live_world *world, const struct command_plan *plan)
{
	changes_note(world, plan);
	if (plan->edits_walls)
		live_walls_look(world);
}

static struct command_target
target_of(const struct live_world *world, const struct batch *batch, bool again)
{
	return (struct command_target){ .world = world->world,
		                            .owners = &world->owners,
		                            .forces = &world->forces,
		                            .limits = world->scene_limits,
		                            .rows_max = world->limits->batch_rows_max,
		                            .dt = world->policy.dt,
		                            .again = again,
		                            .seat = batch->seat,
		                            .right = batch->right,
		                            .id_first = batch->id_first,
		                            .id_count = batch->id_count,
		                            .circles_max = batch->circles_max,
		                            .seat_next = batch->seat_next };
}

/* In what tick a batch takes effect. */
enum batch_time {
	BATCH_NEW,    /* in the next one */
	BATCH_AGAIN,  /* in one that is made again as it was */
	BATCH_REMADE, /* in one that is made again otherwise */
};

static enum status
batch_make(struct live_world *world, const struct batch *batch, enum batch_time time, struct verdict *verdict)
{
	struct command_target target = target_of(world, batch, time == BATCH_AGAIN);
	struct command_plan plan;

	arena_reset(&world->arena);
	world->arena.budget_bytes = ARENA_BYTES_MIN + batch->count * ARENA_BYTES_PER_BYTE +
	                            (size_t)world->limits->batch_rows_max * ARENA_BYTES_PER_ROW;
	enum status status = command_plan_make(&world->arena, &target, batch->bytes, batch->count, &plan, &verdict->problem);

	verdict->missing = plan.missing;
	if (status != STATUS_OK)
		return status;
	if (!follow_reserve(world, &plan))
		return wire_problem_set(&verdict->problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "commands",
		                        "no memory for it in its world");
	status = command_plan_apply(&plan, world->world, &verdict->problem);
	if (status != STATUS_OK)
		return status;
	follow(world, &plan);
	if (time == BATCH_NEW)
		changes_follow(world, &plan);
	return status;
}

bool
live_batch_again(struct live_world *world, const struct batch *batch)
{
	struct verdict verdict = { .missing = 0 };

	if (batch->seat_ended)
		owner_list_free_seat(&world->owners, batch->seat);
	return batch->seat_ended || batch->idle || batch_make(world, batch, BATCH_AGAIN, &verdict) == STATUS_OK;
}

bool
live_batch_remake(struct live_world *world, const struct batch *batch, struct verdict *verdict)
{
	if (batch->seat_ended)
		owner_list_free_seat(&world->owners, batch->seat);
	return batch->seat_ended || batch_make(world, batch, BATCH_REMADE, verdict) == STATUS_OK;
}

void
live_mirrored_make(struct live_world *world, struct batch *batch)
{
	struct verdict verdict = { .missing = 0 };

	batch->idle = batch->undone || !live_batch_remake(world, batch, &verdict);
}

/* What belonged to the seat belongs to none, now and when ticks are made again. */
static void
circles_free(struct live_world *world, uint32_t seat)
{
	struct batch *note = journal_keeps(&world->journal) ? memory_zeroed(1, sizeof *note) : NULL;

	live_check_batch(world, &(struct batch){ .seat = seat, .seat_ended = true, .tick = world->tick + 1 });
	owner_list_free_seat(&world->owners, seat);
	live_seat_ended_tell(world, seat);
	if (note) {
		*note = (struct batch){ .seat = seat, .seat_ended = true, .tick = world->tick + 1 };
		journal_add(&world->journal, note);
	} else if (journal_keeps(&world->journal)) {
		journal_clear(&world->journal); /* no memory: it must not be told otherwise */
	}
}

void
live_seat_step(struct live_world *world, uint32_t number)
{
	struct seat_entry *seat = seat_list_find(&world->seats, number);

	seat->waiting--;
	if (seat->waiting == 0 && seat->ended) {
		circles_free(world, number);
		if (!seat->lost)
			seat_list_drop(&world->seats, number);
	}
}

/* What readers have must not cost a batch its effect. */
static enum status
batch_try(struct live_world *world, const struct batch *batch, enum batch_time time, struct verdict *verdict)
{
	enum status status = batch_make(world, batch, time, verdict);

	if (status != STATUS_RESOURCE_EXHAUSTED || strcmp(verdict->problem.reason, "MEMORY") != 0 || !world->sacrifice(world))
		return status;
	verdict->problem = (struct wire_problem){ .status = STATUS_OK };
	return batch_make(world, batch, time, verdict);
}

bool
live_batch_decide(struct live_world *world, const struct batch *batch, bool late, bool *effective)
{
	struct seat_entry *seat = seat_list_find(&world->seats, batch->seat);
	struct verdict verdict = { .tick = batch->tick, .has_margin = true };

	/* That of a late one is from when the next tick after it came began. */
	verdict.margin_ns = batch_margin(world, batch, late ? world->late.present + 1 : batch->tick);

	if (batch->too_late)
		(void)wire_problem_set(&verdict.problem, STATUS_FAILED_PRECONDITION, "TOO_LATE", "", "%s", too_late);
	else
		*effective = batch_try(world, batch, late ? BATCH_REMADE : BATCH_NEW, &verdict) == STATUS_OK;
	world->batches += *effective;
	return draft_decide(&world->draft, seat, batch, &verdict);
}

void
live_batches_apply(struct live_world *world)
{
	struct batch *batch = waiting_first(&world->waiting);

	for (; batch && batch->tick <= world->tick + 1 && !world->failed; batch = waiting_first(&world->waiting)) {
		uint32_t number = batch->seat;
		bool effective = false;

		pause_give_way(BATCH_UNITS);
		if (batch->stays) {
			live_mirrored_make(world, batch);
			live_check_batch(world, batch);
			journal_add(&world->journal, waiting_take(&world->waiting));
			continue;
		}
		if (!live_batch_decide(world, batch, false, &effective)) {
			live_fail(world, "LIMIT"); /* with it still waiting: so it is refused when there is memory */
			return;
		}
		(void)waiting_take(&world->waiting);
		if (effective) {
			live_applied_tell(world, batch);
			live_check_batch(world, batch);
			journal_add(&world->journal, batch);
		}
		live_seat_step(world, number);
		if (!effective)
			batch_destroy(batch);
	}
}

static bool
waiting_refuse(struct live_world *world, struct waiting *waiting, enum status status, const char *reason, const char *text)
{
	struct batch *batch;

	while ((batch = waiting_first(waiting))) {
		pause_give_way(BATCH_UNITS);
		if (batch->stays) {
			batch_destroy(waiting_take(waiting));
			continue;
		}

		struct seat_entry *seat = seat_list_find(&world->seats, batch->seat);

		if (!batch_refuse(world, batch, seat, status, reason, text))
			return false;
		(void)waiting_take(waiting);
		live_seat_step(world, batch->seat);
		batch_destroy(batch);
	}
	return true;
}

bool
live_batches_refuse(struct live_world *world, enum status status, const char *reason, const char *text)
{
	return waiting_refuse(world, &world->late.waiting, status, reason, text) &&
	       waiting_refuse(world, &world->waiting, status, reason, text);
}

void
live_seat_end(struct live_world *world, uint32_t seat)
{
	struct seat_entry *entry = seat_list_find(&world->seats, seat);

	if (entry && (entry->waiting > 0 || entry->lost)) {
		entry->ended = true;
		if (entry->waiting == 0)
			circles_free(world, seat);
		return;
	}
	circles_free(world, seat);
	seat_list_drop(&world->seats, seat);
}
