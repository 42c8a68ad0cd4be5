/* The encoders of a live world. */
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
	told = world->paths_kept && world->paths_told < told ? world->paths_told : told;
	change_log_trim(&world->changes, told);
	world->changes.kept = world->encoders != NULL;
}

/* Begins or ends to keep contacts and events until they are final, as encoders need them. */
static bool
finals_follow(struct live_world *world)
{
	bool wanted = false;

	for (const struct encoder *encoder = world->encoders; encoder; encoder = encoder->next)
		wanted = wanted || encoder_waits_for_finals(encoder, world);
	if (wanted && !world->finals.kept)
		return finals_begin(&world->finals, world->tick, world->policy.history_ticks);
	if (!wanted)
		finals_finish(&world->finals);
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
		live_steers_drop(world, encoder);
		*link = encoder->next;
		encoder_destroy(encoder);
	}
	changes_trim(world);
	memory_refusal_forget();
	if (finals_follow(world) && live_paths_follow(world))
		return true;
	/* If the world itself has no room, waiting for some would keep it from all that it is asked after that. */
	if (atomic_load(&world->ledger.refused) != MEMORY_REFUSED_OWN)
		return false;
	live_fail(world, "LIMIT");
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
static bool
finals_tell(struct live_world *world)
{
	struct tick_report report;

	while (finals_next(&world->finals, live_final_tick(world), &report))
		for (struct encoder *encoder = world->encoders; encoder; encoder = encoder->next)
			if (encoder_waits_for_finals(encoder, world) && !encoder_final(encoder, world, &report))
				return false;
	return true;
}

bool
live_encoders_tick(struct live_world *world, const struct tick_report *report)
{
	bool told = false;

	if (!live_paths_make(world, report) || !finals_tell(world))
		return false;
	for (struct encoder *encoder = world->encoders; encoder; encoder = encoder->next) {
		if (!encoder_tick(encoder, world, report))
			return false;
		if (!encoder_is_due(encoder, world))
			continue;
		if (!encoder_update(encoder, world))
			return false;
		told = true;
	}
	if (told && !live_steers_make(world, false))
		return false;
	if (told)
		changes_trim(world);
	return true;
}

bool
live_encoders_flush(struct live_world *world)
{
	if (tick_clock_runs(&world->clock))
		return true;
	for (struct encoder *encoder = world->encoders; encoder; encoder = encoder->next)
		if (encoder->key_asked && !encoder_update(encoder, world))
			return false;
	return live_steers_make(world, true);
}

bool
live_encoders_restart(struct live_world *world)
{
	live_steers_drop(world, NULL);
	for (struct encoder *encoder = world->encoders; encoder; encoder = encoder->next)
		encoder_restart(encoder, world);
	changes_trim(world);
	finals_finish(&world->finals);
	return finals_follow(world) && live_paths_restart(world);
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
