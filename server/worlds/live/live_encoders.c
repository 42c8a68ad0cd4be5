/* The encoders of a live world. Without memory for what its readers are told an encoder fails, and ends; the world goes on. */
#include "base/memory.h"
#include "worlds/live/live_private.h"

static struct encoder **
encoder_link(struct live_world *world, uint32_t number)
{
	struct encoder **link = &world->encoders;

	while (*link && (*link)->number != number)
		link = &(*link)->next;
	return link;
}

/* Forgets what all encoders have told of the log; without encoders nothing is noted. */
static void
changes_trim(struct live_world *world)
{
	uint64_t told = change_log_end(&world->changes);

	for (const struct encoder *encoder = world->encoders; encoder; encoder = encoder->next)
		told = encoder->changes_told < told ? encoder->changes_told : told;
	told = world->encoders && world->paths_kept && world->paths_told < told ? world->paths_told : told;
	change_log_trim(&world->changes, told);
	world->changes.kept = world->encoders != NULL;
	if (!world->changes.kept)
		change_log_release(&world->changes);
}

/* All that is there for readers, and can be gone within a tick. */
static void
readers_release(void *context)
{
	struct live_world *world = context;

	for (struct encoder *encoder = world->encoders; encoder; encoder = encoder->next)
		encoder_release(encoder);
	finals_finish(&world->finals);
	path_tick_finish(&world->paths);
	past_finish(&world->past);
}

struct memory_spare
live_spare_set(struct live_world *world)
{
	return memory_spare_set((struct memory_spare){ readers_release, world, NULL });
}

/* Begins or ends to keep contacts and events until they are final, as encoders need them. Without memory those that need them
 * have failed. */
static void
finals_follow(struct live_world *world)
{
	bool wanted = false;

	for (const struct encoder *encoder = world->encoders; encoder; encoder = encoder->next)
		wanted = wanted || encoder_waits_for_finals(encoder, world);
	if (wanted && !world->finals.kept && !finals_begin(&world->finals, world->tick, world->policy.history_ticks))
		live_finals_fail(world);
	if (!wanted)
		finals_finish(&world->finals);
}

void
live_finals_fail(struct live_world *world)
{
	for (struct encoder *encoder = world->encoders; encoder; encoder = encoder->next)
		encoder->failed = encoder->failed || encoder_waits_for_finals(encoder, world);
}

void
live_encoders_fail(struct live_world *world)
{
	for (struct encoder *encoder = world->encoders; encoder; encoder = encoder->next)
		encoder->failed = true;
}

/* The one that came last. */
static struct encoder *
newest(const struct live_world *world)
{
	struct encoder *encoder = world->encoders;

	while (encoder && encoder->next)
		encoder = encoder->next;
	return encoder;
}

static void
encoder_end(struct live_world *world, struct encoder **link)
{
	struct encoder *encoder = *link;

	live_steers_drop(world, encoder);
	*link = encoder->next;
	encoder_destroy(encoder);
}

/* What they have in common, after one has come or gone. */
static void
readers_follow(struct live_world *world)
{
	int64_t most = live_readers_enter(world);

	changes_trim(world);
	finals_follow(world);
	live_paths_follow(world);
	live_readers_leave(world, most);
}

/* Ends those that have failed, and says so to the loop. */
static void
failed_end(struct live_world *world)
{
	for (struct encoder **link = &world->encoders; *link;) {
		if (!(*link)->failed) {
			link = &(*link)->next;
			continue;
		}
		draft_update(&world->draft, encoder_last_take(*link, world));
		encoder_end(world, link);
	}
	readers_follow(world);
}

static bool
any_failed(const struct live_world *world)
{
	const struct encoder *encoder = world->encoders;

	while (encoder && !encoder->failed)
		encoder = encoder->next;
	return encoder != NULL;
}

void
live_encoders_give_way(struct live_world *world)
{
	while (any_failed(world))
		failed_end(world);
	while (!live_readers_fit(world) && live_encoders_end_newest(world))
		continue;
}

bool
live_encoders_end_newest(struct live_world *world)
{
	struct encoder *last = newest(world);

	if (!last)
		return false;
	last->failed = true;
	failed_end(world);
	return true;
}

bool
live_encoders_sacrifice(struct live_world *world)
{
	if (!world->encoders)
		return false;
	live_encoders_fail(world);
	live_encoders_give_way(world);
	return true;
}

bool
live_encoder_set(struct live_world *world, const struct post *post)
{
	struct encoder **link = encoder_link(world, post->encoder.encoder), *encoder = *link;

	if (post->encoder.wanted && !encoder) {
		/* Of a world that has failed too: it may be restored. */
		struct encoder_options options = post->encoder.options;

		options.every = options.every == 0 ? WORLDS_UPDATE_EVERY : options.every;
		*link = encoder_create(world, post->encoder.encoder, &options);
		if (!*link)
			return false;
	} else if (!post->encoder.wanted && encoder) {
		encoder_end(world, link);
	}

	readers_follow(world);
	live_encoders_give_way(world);
	return true;
}

void
live_key_ask(struct live_world *world, uint32_t number)
{
	struct encoder *encoder = *encoder_link(world, number);

	if (encoder)
		encoder->key_asked = true;
}

/* Ticks that have become final. */
static void
finals_tell(struct live_world *world)
{
	struct tick_report report;

	while (finals_next(&world->finals, live_final_tick(world), &report))
		for (struct encoder *encoder = world->encoders; encoder; encoder = encoder->next)
			if (!encoder->failed && encoder_waits_for_finals(encoder, world))
				encoder->failed = !encoder_final(encoder, world, &report);
}

void
live_encoders_tick(struct live_world *world, const struct tick_report *report)
{
	int64_t most = live_readers_enter(world);
	bool told = false;

	if (!finals_note(&world->finals, report))
		live_finals_fail(world);
	live_paths_make(world, report);
	finals_tell(world);
	for (struct encoder *encoder = world->encoders; encoder; encoder = encoder->next) {
		encoder->failed = encoder->failed || !encoder_tick(encoder, world, report);
		if (encoder->failed || !encoder_is_due(encoder, world))
			continue;
		encoder->failed = !encoder_update(encoder, world);
		told = true;
	}
	if (told) {
		live_steers_make(world, false);
		changes_trim(world);
	}
	live_readers_leave(world, most);
	live_encoders_give_way(world);
}

void
live_encoders_flush(struct live_world *world)
{
	if (tick_clock_runs(&world->clock))
		return;

	int64_t most = live_readers_enter(world);

	for (struct encoder *encoder = world->encoders; encoder; encoder = encoder->next)
		if (encoder->key_asked)
			encoder->failed = !encoder_update(encoder, world);
	live_steers_make(world, true);
	live_readers_leave(world, most);
	live_encoders_give_way(world);
}

void
live_encoders_restart(struct live_world *world)
{
	int64_t most = live_readers_enter(world);

	live_steers_drop(world, NULL);
	for (struct encoder *encoder = world->encoders; encoder; encoder = encoder->next)
		encoder_restart(encoder, world);
	changes_trim(world);
	finals_finish(&world->finals);
	finals_follow(world);
	live_paths_restart(world);
	live_readers_leave(world, most);
	live_encoders_give_way(world);
}

void
live_encoders_finish(struct live_world *world)
{
	live_steers_drop(world, NULL);
	while (world->encoders) {
		struct encoder *encoder = world->encoders;

		world->encoders = encoder->next;
		encoder_destroy(encoder);
	}
}
