/* The list of near pairs and what is put aside, when bodies and walls come and go. Happy path: what stays is renumbered in
 * place, in the order in which it is, since indices keep their order; what no longer meets is dropped. What is new is not
 * listed yet, so the next sub-step makes the list anew and carries the impulses over. Nothing can go wrong: memory was
 * reserved. */
#include "physics/dense_state.h"

#include <math.h>
#include <string.h>

bool
dense_edit_reserve(struct dense *dense, uint32_t body_count)
{
	return body_arrays_reserve(dense, (size_t)body_count + 1) &&
	       dense_reserve(&dense->listings, &dense->listing_capacity, (size_t)body_count + 1, sizeof *dense->listings);
}

void
dense_walls_swap(struct dense *dense, struct dense *other)
{
	struct dense mine = *dense;

	dense->scene = other->scene;
	dense->walls = other->walls;
	dense->wall_grid = other->wall_grid;
	other->scene = mine.scene;
	other->walls = mine.walls;
	other->wall_grid = mine.wall_grid;
}

static uint32_t
side_to(const struct dense_change *change, uint32_t side)
{
	uint32_t wall;

	if (!(side & DENSE_WALL))
		return change->body_to[side];
	wall = change->segment_to[side & ~DENSE_WALL];
	return wall == NONE ? NONE : wall | DENSE_WALL;
}

static bool
side_anew(const struct dense_change *change, uint32_t side)
{
	uint8_t touched = side & DENSE_WALL ? change->wall_touched[side & ~DENSE_WALL] : change->body_touched[side];

	return (touched & DENSE_TOUCH_ANEW) != 0;
}

/* Where a pair goes; false: nowhere. */
static bool
pair_to(const struct dense *dense, const struct dense_change *change, const struct dense_bodies *bodies, uint32_t *a,
        uint32_t *b, struct dense_material *material)
{
	uint32_t to_a = side_to(change, *a), to_b = side_to(change, *b);

	if (to_a == NONE || to_b == NONE || side_anew(change, to_a) || side_anew(change, to_b))
		return false;
	if (bodies->inverse_mass[to_a] == 0.0 && (to_b & DENSE_WALL || bodies->inverse_mass[to_b] == 0.0))
		return false;
	if (!dense->scene.pair(dense->scene.context, to_a, to_b, material))
		return false;
	*a = to_a;
	*b = to_b;
	return true;
}

static void
pairs_edit(struct dense *dense, const struct dense_change *change, const struct dense_bodies *bodies)
{
	size_t kept = 0;

	dense->any_rolling = false;
	for (size_t k = 0; k < dense->pair_count; k++) {
		struct pair pair = dense->pairs[k];

		if (!pair_to(dense, change, bodies, &pair.a, &pair.b, &pair.material))
			continue;
		/* As of a list that was restored: a snapshot does not know more. */
		pair.kind = impulse_carries(pair.normal, pair.tangent, pair.rolling) ? PAIR_CONTACT : PAIR_FAR;
		dense->any_rolling |= pair.material.rolling > 0.0;
		dense->pairs[kept++] = pair;
	}
	dense->pair_count = kept;
}

static void
dormant_edit(struct dense *dense, const struct dense_change *change, const struct dense_bodies *bodies)
{
	struct dense_material material;
	size_t kept = 0;

	for (size_t k = 0; k < dense->dormant_count; k++) {
		struct dense_warm warm = dense->dormant[k];

		if (pair_to(dense, change, bodies, &warm.a, &warm.b, &material))
			dense->dormant[kept++] = warm;
	}
	dense->dormant_count = kept;
	dense->woken = true;
}

static void
listings_edit(struct dense *dense, const struct dense_change *change, const struct dense_bodies *bodies)
{
	struct dense_listing *listings = dense->listings;

	memset(listings, 0, ((size_t)bodies->count + 1) * sizeof *listings);
	for (uint32_t i = 0; i < change->body_count; i++) {
		uint32_t to = change->body_to[i];

		if (to == NONE || side_anew(change, to))
			continue;
		listings[to] = dense_listing(dense, i);
		/* It may meet others now: the list is used up. */
		if (change->walls || change->body_touched[to] & DENSE_TOUCH_OTHER)
			listings[to].share = 0.0;
	}
	/* A list of nobody is none: a snapshot cannot tell them apart. */
	dense->list_valid = dense->dormant_count > 0;
	dense->listing_given = true;
	for (uint32_t i = 0; i < bodies->count; i++) {
		listing_set(dense, bodies, i, &listings[i]);
		dense->list_valid |= listings[i].listed;
	}
}

void
dense_edit(struct dense *dense, const struct dense_bodies *bodies, const struct dense_change *change)
{
	if (!dense->list_valid)
		return;
	order_release(dense);
	pairs_edit(dense, change, bodies);
	dormant_edit(dense, change, bodies);
	listings_edit(dense, change, bodies);
}
