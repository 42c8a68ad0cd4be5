#include "worlds/live/encoder.h"

#include "base/memory.h"
#include "base/pause.h"
#include "worlds/live/live_private.h"

/* Changes of definitions that wait for an update. */
#define CHANGES_MAX 65536u
/* Bytes of rows of paths, or of batches, that wait for an update. */
#define PATHS_BYTES_MAX ((size_t)1 << 20)

static void
told_set(struct encoder *encoder, const struct live_world *world)
{
	encoder->tick_told = world->tick;
	encoder->hash_tick_told = world->grid_hash_tick;
	encoder->changes_told = change_log_end(&world->changes);
	encoder->clock_told = world->clock_changes;
	encoder->lost_told = world->clock.lost;
	if (encoder->sums)
		report_sums_begin(encoder->sums);
}

static void
rows_begin(struct encoder *encoder, const struct live_world *world)
{
	encoder->contacts = frame_rows_of_contacts(world_turns(world->world));
	encoder->path_changes = frame_rows_of_path_changes();
	encoder->shortfalls = frame_rows_of_shortfalls();
	encoder->pair_events = frame_rows_of_pair_events();
	encoder->ends = frame_rows_of_ends();
}

struct encoder *
encoder_create(const struct live_world *world, uint32_t number, const struct encoder_options *options)
{
	/* Charged to no ledger: there are few, and a world that has no room left still sees to its posts. */
	struct ledger *own = memory_enter_common();
	bool quantized = options->tolerance > 0.0, summed = !quantized && !options->paths && !options->commands;
	size_t more_bytes = quantized ? sizeof(struct quantized_states) : summed ? sizeof(struct report_sums) : 0;
	struct encoder *encoder = memory_zeroed(1, sizeof *encoder + more_bytes);
	struct update *last = encoder ? memory_zeroed(1, sizeof *last) : NULL;

	if (!last) {
		memory_free(encoder);
		encoder = NULL;
	}
	(void)memory_enter(own);
	if (!encoder)
		return NULL;
	encoder->last = last;
	encoder->number = number;
	encoder->options = *options;
	if (summed)
		encoder->sums = (struct report_sums *)(void *)(encoder + 1);
	if (quantized) {
		encoder->states = (struct quantized_states *)(void *)(encoder + 1);
		*encoder->states = (struct quantized_states){ .tolerance = options->tolerance,
			                                          .driven_tolerance = options->driven_tolerance,
			                                          .dt = world->policy.dt,
			                                          .region = options->region,
			                                          .limited = options->bytes_per_second > 0,
			                                          .box = REGION_NOWHERE };
	}
	encoder->allowance = (struct byte_allowance){ .per_second = options->bytes_per_second };
	rows_begin(encoder, world);
	told_set(encoder, world);
	encoder->begun = world->tick;
	return encoder;
}

static void
rows_finish(struct encoder *encoder)
{
	frame_rows_finish(&encoder->contacts);
	frame_rows_finish(&encoder->path_changes);
	frame_rows_finish(&encoder->shortfalls);
	frame_rows_finish(&encoder->pair_events);
	frame_rows_finish(&encoder->ends);
	path_rows_finish(&encoder->paths);
	if (encoder->states)
		quantized_states_finish(encoder->states);
	buffer_finish(&encoder->batches);
	batch_coder_finish(&encoder->coder);
	region_members_finish(&encoder->members);
	encoder->members_known = false;
	encoder_blocks_finish(&encoder->parts);
}

void
encoder_destroy(struct encoder *encoder)
{
	if (!encoder)
		return;
	rows_finish(encoder);
	update_free(encoder->last);

	struct ledger *own = memory_enter(NULL);

	memory_free(encoder);
	(void)memory_enter(own);
}

void
encoder_release(struct encoder *encoder)
{
	rows_finish(encoder);
	encoder->failed = true;
}

struct update *
encoder_last_take(struct encoder *encoder, const struct live_world *world)
{
	struct update *last = encoder->last;

	encoder->last = NULL;
	last->encoder = encoder->number;
	last->epoch = world->epoch;
	last->since = last->tick = world->tick;
	last->failed = true;
	return last;
}

void
encoder_restart(struct encoder *encoder, const struct live_world *world)
{
	rows_finish(encoder);
	rows_begin(encoder, world);
	told_set(encoder, world);
	encoder->ticks_told = 0;
	encoder->begun = world->tick;
}

/* With bytes limited an update waits while its readers have been told more than they may; but its model goes tick by tick. */
static bool
may_tell(const struct encoder *encoder, const struct live_world *world)
{
	return !encoder_is_limited(encoder) || byte_allowance_is_enough(&encoder->allowance) || encoder->key_asked ||
	       world->tick - encoder->tick_told + encoder->options.every > WORLDS_QUANTIZED_EVERY_MAX;
}

bool
encoder_is_due(const struct encoder *encoder, const struct live_world *world)
{
	return (world->tick % encoder->options.every == 0 && may_tell(encoder, world)) || encoder->parts.count > 0 ||
	       change_log_end(&world->changes) - encoder->changes_told >= CHANGES_MAX ||
	       path_rows_bytes(&encoder->paths) >= PATHS_BYTES_MAX || encoder->batches.count >= PATHS_BYTES_MAX;
}

/* A block of what there is: a part of this tick's update, which is due. */
static bool
rows_flush(struct encoder *encoder, const struct live_world *world)
{
	return encoder_rows_block(encoder, world, true, &encoder->parts);
}

/* Room for one more row; a full table has some 3 MB. */
static bool
rows_room(struct encoder *encoder, const struct frame_rows *rows, const struct live_world *world)
{
	return !frame_rows_full(rows) || rows_flush(encoder, world);
}

/* Whether the readers have this circle. */
static bool
tells_of(const struct encoder *encoder, uint32_t circle)
{
	if (encoder_is_quantized(encoder))
		return (encoder->options.region.kind == REGION_ALL && !encoder_is_limited(encoder)) ||
		       quantized_states_have(encoder->states, circle);
	return !encoder_has_region(encoder) || region_members_have(&encoder->members, circle);
}

/* Whether they have one side of the pair. */
static bool
tells_of_pair(const struct encoder *encoder, uint32_t a, uint32_t b, uint8_t other)
{
	return tells_of(encoder, a) || (other == CONTACT_CIRCLE && tells_of(encoder, b));
}

static bool
contacts_take(struct encoder *encoder, const struct live_world *world, const struct tick_report *report)
{
	for (size_t i = 0; i < report->contact_count && !pause_after(16); i++) {
		const struct contact *contact = &report->contacts[i];

		if (tells_of_pair(encoder, contact->a, contact->b, contact->other) &&
		    (!rows_room(encoder, &encoder->contacts, world) ||
		     !frame_rows_add_contact(&encoder->contacts, report->tick, contact)))
			return false;
	}
	for (size_t i = 0; i < report->path_change_count && !encoder->options.paths && !pause_after(8); i++)
		if (!rows_room(encoder, &encoder->path_changes, world) ||
		    !frame_rows_add_path_change(&encoder->path_changes, report->tick, &report->path_changes[i]))
			return false;
	return true;
}

static bool
pair_events_take(struct encoder *encoder, const struct live_world *world, const struct tick_report *report)
{
	for (size_t i = 0; i < report->pair_event_count && !pause_after(8); i++) {
		const struct pair_event *event = &report->pair_events[i];

		if (tells_of_pair(encoder, event->a, event->b, event->other) &&
		    (!rows_room(encoder, &encoder->pair_events, world) ||
		     !frame_rows_add_pair_event(&encoder->pair_events, report->tick, event)))
			return false;
	}
	return true;
}

/* What is told without being asked for. */
static bool
always_take(struct encoder *encoder, const struct live_world *world, const struct tick_report *report)
{
	for (size_t i = 0; i < report->end_count && !pause_after(8); i++)
		if (tells_of(encoder, report->ends[i].body) &&
		    (!rows_room(encoder, &encoder->ends, world) || !frame_rows_add_end(&encoder->ends, report->tick, &report->ends[i])))
			return false;
	for (size_t i = 0; i < report->shortfall_count && !pause_after(8); i++)
		if (tells_of(encoder, report->shortfalls[i].body) &&
		    (!rows_room(encoder, &encoder->shortfalls, world) ||
		     !frame_rows_add_shortfall(&encoder->shortfalls, report->tick, &report->shortfalls[i])))
			return false;
	return true;
}

/* Contacts have columns for spins in a world in which something turns; an edit may make it one. */
static bool
turning_follow(struct encoder *encoder, const struct live_world *world)
{
	struct frame_rows fitting = frame_rows_of_contacts(world_turns(world->world));

	if (encoder->contacts.column_count == fitting.column_count)
		return true;
	if (encoder->contacts.count > 0 && !rows_flush(encoder, world))
		return false;
	frame_rows_finish(&encoder->contacts);
	encoder->contacts = fitting;
	return true;
}

/* What is told if it was asked for. */
static bool
asked_take(struct encoder *encoder, const struct live_world *world, const struct tick_report *report)
{
	return (!encoder->options.contacts || contacts_take(encoder, world, report)) &&
	       (!encoder->options.pair_events || pair_events_take(encoder, world, report));
}

bool
encoder_waits_for_finals(const struct encoder *encoder, const struct live_world *world)
{
	return world->policy.late == WORLD_LATE_RESIMULATE && !encoder->options.provisional &&
	       (encoder->options.contacts || encoder->options.pair_events);
}

bool
encoder_final(struct encoder *encoder, const struct live_world *world, const struct tick_report *report)
{
	return report->tick <= encoder->begun || (turning_follow(encoder, world) && asked_take(encoder, world, report));
}

bool
encoder_tick(struct encoder *encoder, struct live_world *world, const struct tick_report *report)
{
	if (encoder->options.commands)
		return true;
	if (encoder_is_limited(encoder))
		byte_allowance_tick(&encoder->allowance, world->clock.hz, encoder->options.every);
	if (encoder->options.paths && !encoder_paths_tick(encoder, world))
		return false;
	if (!turning_follow(encoder, world) || !always_take(encoder, world, report) ||
	    (!encoder_waits_for_finals(encoder, world) && !asked_take(encoder, world, report)))
		return false;
	if (encoder->sums)
		report_sums_add(encoder->sums, report);
	if (encoder_has_region(encoder))
		region_members_leave(&encoder->members, &world->paths);
	return true;
}

struct update *
encoder_update_create(const struct encoder *encoder, const struct live_world *world, struct encoder_blocks *blocks)
{
	struct ledger *own = memory_enter_common();
	struct update *update = memory_zeroed(1, sizeof *update + blocks->count * sizeof *blocks->items);

	(void)memory_enter(own);
	if (!update)
		return NULL;
	update->encoder = encoder->number;
	update->epoch = world->epoch;
	update->since = encoder->tick_told;
	update->tick = world->tick;
	update->due_ns = tick_clock_runs(&world->clock) ? world->now_ns - world->late_ns : 0;
	for (size_t i = 0; i < blocks->count; i++)
		update->blocks[i] = blocks->items[i];
	blocks->count = 0;
	return update;
}

static bool
has_rows(const struct encoder *encoder)
{
	return encoder->contacts.count + encoder->path_changes.count + encoder->shortfalls.count + encoder->pair_events.count +
	           encoder->ends.count >
	       0;
}

/* What stands for the states in that stream. */
static bool
states_block(struct encoder *encoder, struct live_world *world, struct encoder_blocks *out)
{
	if (encoder->options.commands)
		return encoder_commands_block(encoder, world, out);
	if (encoder_is_quantized(encoder))
		return encoder_quantized_block(encoder, world, out);
	return encoder->options.paths ? encoder_paths_block(encoder, world, out) : encoder_states_blocks(encoder, world, out);
}

/* Whether those that keep pace have been told all up to now: the world stands, and only some that begin are to be told
 * anything. A model goes on with each update. */
static bool
all_is_told(const struct encoder *encoder, const struct live_world *world)
{
	return encoder->tick_told == world->tick && encoder->hash_tick_told == world->grid_hash_tick &&
	       encoder->changes_told == change_log_end(&world->changes) && encoder->clock_told == world->clock_changes &&
	       encoder->lost_told == world->clock.lost && path_rows_bytes(&encoder->paths) == 0 && encoder->batches.count == 0 &&
	       !encoder_has_model(encoder);
}

bool
encoder_update(struct encoder *encoder, struct live_world *world)
{
	struct encoder_blocks *blocks = &encoder->parts; /* of rows that were too many, and then all others */
	bool rows = blocks->count > 0 || has_rows(encoder);

	if (rows && !encoder_rows_block(encoder, world, false, blocks))
		return false;

	size_t row_count = blocks->count;

	if (!all_is_told(encoder, world) && !states_block(encoder, world, blocks))
		return false;

	size_t state_count = blocks->count - row_count;

	if (encoder_is_limited(encoder))
		byte_allowance_spend(&encoder->allowance, encoder_blocks_bytes(blocks), encoder_quantized_envelope(encoder));

	if (encoder->key_asked && !(encoder->options.commands ? encoder_commands_key(encoder, world, blocks)
	                                                      : encoder_key_blocks(encoder, world, blocks)))
		return false;

	size_t key_count = blocks->count - row_count - state_count;
	struct update *update = encoder_update_create(encoder, world, blocks);

	if (!update)
		return false;
	update->row_count = (uint32_t)row_count;
	update->state_count = (uint32_t)state_count;
	update->key_count = (uint32_t)key_count;
	encoder->key_asked = false;

	/* A key beside an update of no ticks says so to those that begin with it. */
	if (key_count > 0 || encoder->tick_told != world->tick)
		encoder->ticks_told = encoder_ticks(encoder, world);
	told_set(encoder, world);
	/* Those that begin with this key have nothing of before. */
	if (key_count > 0) {
		batch_coder_restart(&encoder->coder);
		if (path_rows_have_names(&encoder->paths))
			path_rows_forget_names(&encoder->paths);
	}
	encoder->batches.count = 0;
	batch_coder_next(&encoder->coder);
	draft_update(&world->draft, update);
	return true;
}

/* All rows stay for the encoder's own update. */
static bool
rest_rows(struct encoder *encoder, const struct live_world *world, struct encoder_blocks *out)
{
	size_t contacts = encoder->contacts.count, path_changes = encoder->path_changes.count;
	size_t shortfalls = encoder->shortfalls.count, pair_events = encoder->pair_events.count, ends = encoder->ends.count;
	bool made = encoder_rows_block(encoder, world, false, out);

	encoder->contacts.count = contacts;
	encoder->path_changes.count = path_changes;
	encoder->shortfalls.count = shortfalls;
	encoder->pair_events.count = pair_events;
	encoder->ends.count = ends;
	return made;
}

bool
encoder_rest(struct encoder *encoder, struct live_world *world, struct encoder_blocks *out, uint32_t *row_count)
{
	if (encoder->tick_told == world->tick)
		return true;
	if (has_rows(encoder) && !rest_rows(encoder, world, out))
		return false;
	*row_count = (uint32_t)out->count;
	/* A model that has gone on would be another. */
	if (encoder_has_model(encoder))
		return true;
	if (!encoder->options.paths)
		return states_block(encoder, world, out);

	struct path_rows own = encoder->paths;
	bool made = path_rows_copy(&encoder->paths, &own) && encoder_paths_block(encoder, world, out);

	path_rows_finish(&encoder->paths);
	encoder->paths = own;
	return made;
}
