/* STREAM_STATES with a tolerance: what an update tells, and what of a key is its own. */
#include "worlds/commands/ids.h"
#include "worlds/live/encoder.h"
#include "worlds/live/live_private.h"

#include <math.h>

/* About what the fields of an update take besides circles. */
#define HEAD_BYTES 16

/* Circles that its readers do not have as they are now, or that commands have changed. */
static bool
circles_tell_anew(struct encoder *encoder, struct live_world *world, Collide__V1__WorldChange *changes)
{
	const struct quantized_states *states = encoder->states;
	struct circle_def *circles = arena_room(&world->arena, states->anew_count, sizeof *circles);
	size_t index, count = 0;

	if (!circles)
		return false;
	for (size_t i = 0; i < states->anew_count; i++)
		if (world_body_find(world->world, states->anew[i], &index))
			circles[count++] = world_circle(world->world, index);
	return encoder_circles_tell(world, circles, count, changes);
}

/* Where segments with a velocity were defined, if some were changed. */
static bool
motions_tell(struct live_world *world, Collide__V1__WorldChange *changes)
{
	if (changes->n_removed_segments == 0 &&
	    changes->optional_segments_case == COLLIDE__V1__WORLD_CHANGE__OPTIONAL_SEGMENTS__NOT_SET)
		return true;
	changes->moving = encoder_motions_tell(world);
	changes->optional_moving_case = COLLIDE__V1__WORLD_CHANGE__OPTIONAL_MOVING_MOVING;
	return changes->moving != NULL;
}

/* What an update takes besides circles: what is in blocks already, and what commands have changed. */
static size_t
bytes_spent(const struct encoder_blocks *blocks, const Collide__V1__WorldUpdate *head, const Collide__V1__WorldChange *changes)
{
	Collide__V1__WorldChange rest = *changes;

	rest.optional_circles_case = COLLIDE__V1__WORLD_CHANGE__OPTIONAL_CIRCLES__NOT_SET;
	return encoder_blocks_bytes(blocks) + WORLDS_STREAM_ENVELOPE_BYTES + collide__v1__world_update__get_packed_size(head) +
	       collide__v1__world_change__get_packed_size(&rest);
}

static bool
circles_follow(struct encoder *encoder, const struct live_world *world, const Collide__V1__WorldChange *changes, bool defines,
               size_t spent, struct buffer *coded)
{
	struct quantized_states *states = encoder->states;
	const uint32_t *defined = defines ? changes->circles->id : NULL;
	size_t count = defines ? changes->circles->n_id : 0;
	uint64_t ticks = world->tick - encoder->tick_told;

	if (!encoder_is_limited(encoder))
		return quantized_states_update(states, world->world, ticks, defined, count, coded);
	return quantized_states_update_limited(
		states, world->world, ticks, defined, count,
		byte_allowance_of_update(&encoder->allowance, spent, world->clock.hz, encoder->options.every), coded);
}

static bool
states_follow(struct encoder *encoder, struct live_world *world, Collide__V1__WorldChange *changes, bool *changed, size_t spent,
              struct buffer *coded)
{
	struct quantized_states *states = encoder->states;
	bool defines = changes->optional_circles_case == COLLIDE__V1__WORLD_CHANGE__OPTIONAL_CIRCLES_CIRCLES;
	uint64_t ticks = world->tick - encoder->tick_told;

	/* All of its readers have a key to come. */
	if (!states->begun)
		return quantized_states_begin(states, world->world);
	if (ticks == 0)
		return true;
	if (!circles_follow(encoder, world, changes, defines, spent, coded))
		return false;
	changes->removed_circles = states->gone;
	changes->n_removed_circles = states->gone_count;
	*changed = *changed || states->gone_count + states->anew_count > 0;
	/* Of those that commands have changed only what is in the region. */
	if ((states->anew_count > 0 || defines) && !circles_tell_anew(encoder, world, changes))
		return false;
	if (encoder_is_limited(encoder) && states->anew_count > 0)
		quantized_states_note_anew(states, collide__v1__circle_columns__get_packed_size(changes->circles));
	return motions_tell(world, changes);
}

void
encoder_quantized_head(const struct encoder *encoder, Collide__V1__WorldUpdate *head)
{
	const struct quantized_states *states = encoder->states;
	float error = (float)states->stale_error;

	head->stale_error = (double)error < states->stale_error ? nextafterf(error, HUGE_VALF) : error;
	head->waiting_circles = (uint32_t)states->waiting_count;
}

size_t
encoder_quantized_envelope(const struct encoder *encoder)
{
	const struct quantized_states *states = encoder->states;

	if (states->stale_error == 0.0 && states->waiting_count == 0)
		return 0;
	return WORLDS_STREAM_ENVELOPE_BYTES + HEAD_BYTES + (size_t)(states->choice.rest_bits / 8.0);
}

bool
encoder_quantized_block(struct encoder *encoder, struct live_world *world, struct encoder_blocks *out)
{
	Collide__V1__WorldUpdate head;
	Collide__V1__WorldChange changes;
	struct buffer bytes = { .count = 0 }, coded = { .count = 0 };
	bool changed = false;

	encoder_head(&head, encoder, world);

	bool made = encoder_changes(encoder, world, &changes, &changed) &&
	            states_follow(encoder, world, &changes, &changed, bytes_spent(out, &head, &changes), &coded) && !coded.failed;

	if (changed) {
		head.optional_changes_case = COLLIDE__V1__WORLD_UPDATE__OPTIONAL_CHANGES_CHANGES;
		head.changes = &changes;
	}
	encoder_quantized_head(encoder, &head);
	head.quantized = (ProtobufCBinaryData){ .len = coded.count, .data = coded.bytes };

	uint8_t *at = made ? buffer_extend(&bytes, collide__v1__world_update__get_packed_size(&head)) : NULL;

	if (at)
		(void)collide__v1__world_update__pack(&head, at);
	buffer_finish(&coded);
	return made && encoder_blocks_add(out, &bytes);
}

void
encoder_quantized_circle(const struct encoder *encoder, size_t index, struct circle_def *circle)
{
	const struct quantized_motion *seen = &encoder->states->circles[index].seen;

	circle->x = seen->place[0], circle->y = seen->place[1];
	circle->vx = seen->velocity[0], circle->vy = seen->velocity[1];
	circle->angle = seen->angle, circle->angular_velocity = seen->spin;
}

static void
uint16_put(uint8_t *at, uint16_t value)
{
	at[0] = (uint8_t)value;
	at[1] = (uint8_t)(value >> 8);
}

/* Zeros at the end are left out. */
static bool
stale_key(const struct quantized_states *states, struct arena *arena, size_t first, size_t count, Collide__V1__Key *key)
{
	key->stale = arena_room(arena, count, sizeof *key->stale);
	if (!key->stale)
		return false;
	for (size_t i = 0; i < count; i++) {
		key->stale[i] = states->circles[first + i].stale;
		key->n_stale = key->stale[i] > 0 ? i + 1 : key->n_stale;
	}
	return true;
}

bool
encoder_quantized_key(const struct encoder *encoder, struct arena *arena, size_t first, size_t count, bool leads,
                      Collide__V1__Key *key)
{
	const struct quantized_states *states = encoder->states;
	const struct bit_context *contexts = (const struct bit_context *)&states->contexts;
	size_t context_count = quantized_context_count(states->limited);

	key->quantized = (ProtobufCBinaryData){ .len = count, .data = arena_room(arena, count, 1) };
	if (!key->quantized.data)
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct quantized_circle *circle = &states->circles[first + i];

		key->quantized.data[i] = (uint8_t)(circle->mode | circle->history << 2 | circle->rule << 5);
	}
	if (states->limited && !stale_key(states, arena, first, count, key))
		return false;
	if (!leads)
		return true;
	key->bytes_per_second = encoder->options.bytes_per_second;
	key->tolerance = states->tolerance;
	key->driven_tolerance = states->driven_tolerance;
	key->coder = (ProtobufCBinaryData){ .len = 4 * context_count, .data = arena_room(arena, 4 * context_count, 1) };
	for (size_t i = 0; key->coder.data && i < context_count; i++) {
		uint16_put(key->coder.data + 4 * i, contexts[i].fast);
		uint16_put(key->coder.data + 4 * i + 2, contexts[i].slow);
	}
	return key->coder.data != NULL;
}
