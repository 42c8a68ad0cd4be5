#include "physics/dense_state.h"

static struct dense_warm
pair_warm(const struct pair *pair)
{
	return (struct dense_warm){
		.a = pair->a, .b = pair->b, .normal = pair->normal, .tangent = pair->tangent, .rolling = pair->rolling
	};
}

static struct dense_warm
slot_warm(const struct dense *dense, uint32_t slot)
{
	const struct pair *pair = &dense->pairs[dense->pair_of[slot]];
	struct dense_warm warm = { .a = pair->a, .b = pair->b };

	if (slot < dense->contact_end) {
		warm.normal = dense->impulses[slot / LANES].normal[slot % LANES];
		warm.tangent = dense->impulses[slot / LANES].tangent[slot % LANES];
		warm.rolling = dense->any_rolling ? dense->rollers[slot].impulse : 0.0;
	}
	return warm;
}

void
dense_pairs_visit(const struct dense *dense, void (*visit)(void *context, size_t index, const struct dense_warm *warm),
                  void *context)
{
	size_t end = dense->ordered ? dense->slot_end : dense->pair_count;

	for (size_t k = 0; k < end; k++) {
		size_t index = dense->ordered ? dense->pair_of[k] : k;

		if (index == NONE)
			continue;

		struct dense_warm warm = dense->ordered ? slot_warm(dense, (uint32_t)k) : pair_warm(&dense->pairs[k]);

		visit(context, index, &warm);
	}
}

void
dense_warm_visit(const struct dense *dense, void (*visit)(void *context, const struct dense_warm *warm), void *context)
{
	size_t end = dense->ordered ? dense->contact_end : dense->pair_count;

	for (size_t k = 0; k < end; k++) {
		if (dense->ordered && dense->pair_of[k] == NONE)
			continue;

		struct dense_warm warm = dense->ordered ? slot_warm(dense, (uint32_t)k) : pair_warm(&dense->pairs[k]);

		if (warm.normal != 0.0 || warm.tangent != 0.0 || warm.rolling != 0.0)
			visit(context, &warm);
	}
}

/* The index of a pair in the list, NONE: it is not there. */
static uint32_t
pair_find(const struct dense *dense, uint32_t a, uint32_t b)
{
	uint32_t low = 0, high = (uint32_t)dense->pair_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct pair *pair = &dense->pairs[middle];

		if (pair->a < a || (pair->a == a && pair->b < b))
			low = middle + 1;
		else
			high = middle;
	}
	return low < dense->pair_count && dense->pairs[low].a == a && dense->pairs[low].b == b ? low : NONE;
}

bool
dense_carries(const struct dense *dense, uint32_t a, uint32_t b)
{
	uint32_t k = dense->ordered ? a < b ? pair_find(dense, a, b) : pair_find(dense, b, a) : NONE;
	uint32_t slot = k == NONE ? NONE : dense->slot_of[k];

	return slot < dense->contact_end && slot_led(dense, slot) && dense->impulses[slot / LANES].normal[slot % LANES] > 0.0;
}

bool
dense_has_list(const struct dense *dense)
{
	return dense->list_valid;
}

size_t
dense_pair_count(const struct dense *dense)
{
	return dense->pair_count;
}

struct dense_listing
dense_listing(const struct dense *dense, uint32_t body)
{
	if (!dense->listed[body])
		return (struct dense_listing){ 0 };
	return (struct dense_listing){
		.listed = true,
		.x = dense->built_x[body],
		.y = dense->built_y[body],
		.share = dense->share[body],
	};
}

bool
dense_restore(struct dense *dense, const struct dense_bodies *bodies, const struct dense_listing *listings,
              const struct dense_warm *pairs, size_t pair_count)
{
	if (!body_arrays_reserve(dense, (size_t)bodies->count + 1 + dense->scene.moving_count) ||
	    !slot_arrays_reserve(dense, pair_count + 2 * LANES) ||
	    !dense_reserve(&dense->pairs, &dense->pair_capacity, pair_count, sizeof *dense->pairs))
		return false;
	for (uint32_t i = 0; i < bodies->count; i++)
		listing_set(dense, bodies, i, &listings[i]);
	dense->any_rolling = false;
	for (size_t k = 0; k < pair_count; k++) {
		struct pair *pair = &dense->pairs[k];

		*pair = (struct pair){
			.a = pairs[k].a,
			.b = pairs[k].b,
			.normal = pairs[k].normal,
			.tangent = pairs[k].tangent,
			.rolling = pairs[k].rolling,
			.kind = impulse_carries(pairs[k].normal, pairs[k].tangent, pairs[k].rolling) ? PAIR_CONTACT : PAIR_FAR,
		};
		(void)dense->scene.pair(dense->scene.context, pair->a, pair->b, &pair->material);
		dense->any_rolling |= pair->material.rolling > 0.0;
	}
	dense->pair_count = pair_count;
	dense->list_valid = dense->listing_given = true;
	return true;
}
