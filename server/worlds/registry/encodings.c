/* Encodings: option sets of a world's readers. All with the same share an encoder of the live world. Its last updates are kept
 * for readers that come back, and so is the encoder itself for a while when the last of them has gone. */
#include "base/memory.h"
#include "worlds/registry/guests.h"
#include "worlds/registry/regions.h"
#include "worlds/registry/registry_private.h"

static bool
encoder_post(struct hosted *world, const struct encoder_use *encoder, bool wanted)
{
	struct post *post = hosted_post(world, POST_ENCODER, 0);
	if (!post)
		return false;
	post->encoder.encoder = encoder->number;
	post->encoder.wanted = wanted;
	post->encoder.options = encoder->options;
	post_send(world, post, false);
	return true;
}

/* Whether they differ in no more than their regions. */
static bool
options_alike(const struct encoder_options *a, const struct encoder_options *b)
{
	return a->every == b->every && a->contacts == b->contacts && a->pair_events == b->pair_events &&
	       a->provisional == b->provisional && a->paths == b->paths && a->commands == b->commands && a->coded == b->coded &&
	       a->driven_legs == b->driven_legs && a->tolerance == b->tolerance && a->driven_tolerance == b->driven_tolerance &&
	       a->bytes_per_second == b->bytes_per_second;
}

/* How many have readers: of regions, or of all else. */
static size_t
encoder_count(const struct hosted *world, bool regions)
{
	size_t count = 0;
	for (const struct encoder_use *encoder = world->encoders; encoder; encoder = encoder->next)
		count += encoder->readers > 0 && (encoder->options.region.kind != REGION_ALL) == regions;
	return count;
}

/* That of the same options, with the smallest region that holds theirs, or theirs alone. NULL: there is none. */
static struct encoder_use *
encoder_find(const struct hosted *world, const struct encoder_options *options, bool larger)
{
	struct encoder_use *found = NULL;
	for (struct encoder_use *encoder = world->encoders; encoder; encoder = encoder->next)
		if (options_alike(&encoder->options, options) && (encoder->readers > 0 || !larger) &&
		    (larger ? region_holds(&encoder->options.region, &options->region)
		            : region_equal(&encoder->options.region, &options->region)) &&
		    (!found || region_area(&encoder->options.region) < region_area(&found->options.region)))
			found = encoder;
	return found;
}

static size_t
level_count(const struct hosted *world, unsigned level)
{
	size_t count = 0;
	for (const struct encoder_use *encoder = world->encoders; encoder; encoder = encoder->next)
		count += encoder->readers > 0 && encoder->options.region.kind == REGION_BOX && encoder->options.region.level == level;
	return count;
}

/* Whether there is one of the class of its region, or may be one more. If readers have very many regions, the coarser classes
 * are for the rest of them. */
static bool
class_fits(const struct hosted *world, const struct encoder_options *options)
{
	static const size_t most[REGION_LEVELS] = WORLDS_REGIONS_OF_LEVEL_MAX;
	const struct region *region = &options->region;
	if (encoder_find(world, options, false))
		return true;
	return encoder_count(world, true) < WORLDS_REGIONS_MAX &&
	       (region->kind == REGION_AROUND || level_count(world, region->level) < most[region->level]);
}

/* Whether there may be one more kind. */
static bool
encoding_fits(const struct hosted *world, const struct guest *guest)
{
	size_t count = encoder_count(world, false);
	if (!guest)
		return count < WORLDS_ENCODERS_MAX + WORLDS_OWNER_MORE;
	return guest_may_have(guest_encodings(world, guest), 1, count < WORLDS_ENCODERS_MAX ? WORLDS_ENCODERS_MAX - count : 0);
}

bool
encoder_options_choose(const struct hosted *world, const struct guest *guest, struct encoder_options *options)
{
	struct encoder_options wish = *options;
	unsigned levels = wish.region.kind == REGION_BOX ? REGION_LEVELS : wish.region.kind == REGION_AROUND;
	for (unsigned level = 0; level < levels; level++) {
		options->region = region_class(&wish.region, level);
		if (class_fits(world, options))
			return true;
	}
	const struct encoder_use *larger = encoder_find(world, &wish, true);
	options->region = larger ? larger->options.region : (struct region){ .kind = REGION_ALL };
	return larger || encoding_fits(world, guest);
}

struct encoder_use *
encoder_enter(struct hosted *world, const struct encoder_options *options)
{
	struct encoder_use *encoder = encoder_find(world, options, false);
	if (encoder) {
		encoder->readers++;
		return encoder;
	}
	encoder = memory_zeroed(1, sizeof *encoder);
	if (!encoder)
		return NULL;
	*encoder = (struct encoder_use){ .next = world->encoders,
		                             .options = *options,
		                             .number = world->encoder_next++,
		                             .name = ++world->worlds->epoch_next,
		                             .readers = 1 };
	if (!encoder_post(world, encoder, true)) {
		memory_free(encoder);
		return NULL;
	}
	world->encoders = encoder;
	return encoder;
}

/* ---- updates that are kept */

static void
kept_clear(struct hosted *world, struct encoder_use *encoder)
{
	world->own_bytes -= encoder->kept.capacity;
	kept_updates_finish(&encoder->kept);
}

/* How long updates and encoders without readers are kept: like a seat without a connection. */
static uint64_t
kept_ms(const struct hosted *world)
{
	return world->policy.seat_ttl_ms < WORLDS_KEPT_MS_MAX ? world->policy.seat_ttl_ms : WORLDS_KEPT_MS_MAX;
}

/* Whether what it tells is small: paths, or states within a tolerance, without contacts and events. */
static bool
tells_little(const struct encoder_options *options)
{
	return !options->commands && !options->contacts && !options->pair_events && (options->paths || options->tolerance > 0.0);
}

/* Without contacts and events about as much as a key takes, which tells as much of the world as all of them. In a thousand
 * rooms more would be most of the memory that they take. */
static uint64_t
kept_most(const struct hosted *world, const struct encoder_options *options)
{
	uint64_t most = world->worlds->options.limits.kept_bytes_max;
	if (options->commands || options->contacts || options->pair_events)
		return most;
	return tells_little(options) ? most / WORLDS_KEPT_SMALL_PART : most / WORLDS_KEPT_PLAIN_PART;
}

/* For how many ticks. */
static uint64_t
kept_ticks(const struct hosted *world, const struct encoder_options *options)
{
	uint64_t ms = kept_ms(world);
	if (tells_little(options) && ms > WORLDS_KEPT_SMALL_MS)
		ms = WORLDS_KEPT_SMALL_MS;
	return ms * world->policy.tick_hz / 1000 + 1;
}

void
encoder_keep(struct hosted *world, struct encoder_use *encoder, const struct update *update)
{
	encoder->has_told = true;
	encoder->tick_told = update->tick;
	if (update->row_count + update->state_count == 0)
		return;
	world->own_bytes -= encoder->kept.capacity;
	kept_updates_add(&encoder->kept, update, kept_most(world, &encoder->options), kept_ticks(world, &encoder->options));
	world->own_bytes += encoder->kept.capacity;
}

bool
encoder_goes_on(const struct encoder_use *encoder, uint64_t name, uint64_t tick, struct update **first)
{
	*first = NULL;
	if (name != encoder->name || !kept_updates_after(&encoder->kept, tick, first))
		return false;
	return *first || (encoder->has_told && encoder->tick_told == tick);
}

void
encoders_forget(struct hosted *world)
{
	for (struct encoder_use *encoder = world->encoders; encoder; encoder = encoder->next) {
		kept_clear(world, encoder);
		encoder->has_told = false;
		encoder->key_asked = false; /* one that is on its way comes to no reader */
		encoder->name = ++world->worlds->epoch_next;
	}
}

/* ---- their end */

static void
encoder_free(struct hosted *world, struct encoder_use *encoder)
{
	struct encoder_use **link = &world->encoders;
	while (*link != encoder)
		link = &(*link)->next;
	*link = encoder->next;
	kept_clear(world, encoder);
	memory_free(encoder);
}

/* Without memory for the post it stays, and is tried again in its time. */
static void
encoder_end(struct hosted *world, struct encoder_use *encoder)
{
	if (world->ending || encoder_post(world, encoder, false))
		encoder_free(world, encoder);
}

void
encoder_lose(struct hosted *world, struct encoder_use *encoder)
{
	encoder_free(world, encoder);
}

/* That without readers for the longest time, and how many there are. */
static struct encoder_use *
left_longest(const struct hosted *world, size_t *count)
{
	struct encoder_use *found = NULL;
	*count = 0;
	for (struct encoder_use *encoder = world->encoders; encoder; encoder = encoder->next) {
		if (encoder->readers > 0)
			continue;
		++*count;
		if (!found || encoder->left_ns < found->left_ns)
			found = encoder;
	}
	return found;
}

void
encoder_leave(struct hosted *world, struct encoder_use *encoder)
{
	size_t count;
	if (--encoder->readers > 0)
		return;
	encoder->left_ns = worlds_patient_ns(world->worlds);
	struct encoder_use *longest = left_longest(world, &count);
	if (world->ending || world->worlds->options.limits.kept_bytes_max == 0)
		encoder_end(world, encoder);
	else if (count > WORLDS_ENCODERS_LEFT_MAX)
		encoder_end(world, longest);
}

void
encoders_on_time(struct hosted *world, uint64_t now_ns)
{
	for (struct encoder_use *encoder = world->encoders, *next = NULL; encoder; encoder = next) {
		next = encoder->next;
		if (encoder->readers == 0 && now_ns >= encoder->left_ns + kept_ms(world) * NS_PER_MS)
			encoder_end(world, encoder);
	}
}

void
encoders_drop(struct hosted *world)
{
	while (world->encoders)
		encoder_free(world, world->encoders);
}

bool
encoder_ask_key(struct hosted *world, struct encoder_use *encoder)
{
	if (encoder->key_asked)
		return true;
	struct post *post = hosted_post(world, POST_KEY, 0);
	if (!post)
		return false;
	post->key_of = encoder->number;
	post_send(world, post, false);
	encoder->key_asked = true;
	return true;
}
