/* What a key says besides, of a stream within a tolerance. */
#include "client/lib/follow/follower.h"

enum { ESTIMATE_END = 32768 };

static uint16_t
uint16_of(const uint8_t *at)
{
	return (uint16_t)(at[0] | at[1] << 8);
}

/* With one that is surer, the coder's range could become empty, and would be widened for ever. */
static bool
is_estimate(uint16_t estimate)
{
	return estimate > 0 && estimate < ESTIMATE_END;
}

bool
follow_quantized_begin(struct collide_follower *follower, const Collide__V1__Key *key)
{
	struct follow_quantized *quantized = &follower->quantized;
	struct follow_context *contexts = (struct follow_context *)&quantized->contexts;
	size_t limited = sizeof quantized->contexts.told_stale + sizeof quantized->contexts.stale;
	size_t count = (sizeof quantized->contexts - (key->bytes_per_second > 0 ? 0 : limited)) / sizeof *contexts;
	quantized->bytes_per_second = key->bytes_per_second;
	quantized->tolerance = key->tolerance;
	quantized->driven_tolerance = key->driven_tolerance;
	if (!(key->tolerance > 0.0))
		return key->coder.len == 0 && key->bytes_per_second == 0;
	if (key->coder.len != 4 * count || !(key->driven_tolerance >= key->tolerance))
		return false;
	bool good = true;
	for (size_t i = 0; i < count; i++) {
		contexts[i] = (struct follow_context){ uint16_of(key->coder.data + 4 * i), uint16_of(key->coder.data + 4 * i + 2) };
		good = good && is_estimate(contexts[i].fast) && is_estimate(contexts[i].slow);
	}
	return good;
}

bool
follow_quantized_circles(struct collide_follower *follower, const Collide__V1__Key *key,
                         const Collide__V1__CircleColumns *columns)
{
	size_t count = columns ? columns->n_id : 0;
	if (key->quantized.len != (follower->quantized.tolerance > 0.0 ? count : 0) ||
	    key->n_stale > (follower->quantized.bytes_per_second > 0 ? count : 0))
		return false;
	for (size_t i = 0; i < key->quantized.len; i++) {
		unsigned byte = key->quantized.data[i];
		struct follow_circle *circle = follow_circle_find(follower, columns->id[i]);
		if (!circle || (byte & 3) > FOLLOW_DRIVEN)
			return false;
		circle->mode = byte & 3, circle->history = byte >> 2 & 7, circle->rule = byte >> 5 & 3;
		circle->seen.driven = circle->mode == FOLLOW_DRIVEN;
		circle->seen.stale = i < key->n_stale ? key->stale[i] : 0;
	}
	return true;
}
