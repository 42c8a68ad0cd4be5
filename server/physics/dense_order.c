#include "physics/dense_state.h"

#include <math.h>
#include <string.h>

void
order_release(struct dense *dense)
{
	if (!dense->ordered)
		return;
	for (uint32_t s = 0; s < dense->slot_end; s++) {
		if (dense->pair_of[s] == NONE)
			continue;

		struct pair *pair = &dense->pairs[dense->pair_of[s]];
		bool carries = s < dense->contact_end;

		pair->normal = carries ? dense->impulses[s / LANES].normal[s % LANES] : 0.0;
		pair->tangent = carries ? dense->impulses[s / LANES].tangent[s % LANES] : 0.0;
		pair->rolling = carries && dense->any_rolling ? dense->rollers[s].impulse : 0.0;
	}
	dense->ordered = false;
}

static uint32_t
root_find(uint32_t *root, uint32_t i)
{
	while (root[i] != i) {
		root[i] = root[root[i]];
		i = root[i];
	}
	return i;
}

static bool
pair_b_moves(const struct dense_bodies *bodies, const struct pair *pair)
{
	return !(pair->b & DENSE_WALL) && bodies->inverse_mass[pair->b] > 0.0;
}

static uint32_t
lowest_free(uint64_t used)
{
	return ~used ? (uint32_t)__builtin_ctzll(~used) : COLOURS - 1;
}

/* A contact joins two islands, if both sides move; gives one that does. */
static uint32_t
contact_join(struct dense *dense, const struct pair *pair, bool a_moves, bool b_moves)
{
	if (a_moves && b_moves) {
		uint32_t a = root_find(dense->root, pair->a), b = root_find(dense->root, pair->b);

		dense->root[a > b ? a : b] = a > b ? b : a;
	}
	return a_moves ? pair->a : pair->b;
}

/* Greedy colours in the order of ids: no two contacts of a colour move the same body, so the processor need not wait for one
 * to begin the next. (A body with more than COLOURS contacts shares the last colour; the sweep is still serial.) */
static uint32_t
contact_colour(uint64_t *mask, const struct pair *pair, bool a_moves, bool b_moves)
{
	uint32_t colour = lowest_free((a_moves ? mask[pair->a] : 0) | (b_moves ? mask[pair->b] : 0));

	if (a_moves)
		mask[pair->a] |= (uint64_t)1 << colour;
	if (b_moves)
		mask[pair->b] |= (uint64_t)1 << colour;
	return colour;
}

/* Islands by union-find, whose root is the lowest body; and the contacts' colours. Leaves the contacts' indices sorted by
 * colour, and in slot_of[] the root of each. */
static void
contacts_sort(struct dense *dense, const struct dense_bodies *bodies)
{
	uint32_t start[COLOURS + 1] = { 0 }, count = 0;
	uint32_t *root = dense->root, *contacts = dense->outside; /* not in use yet, as slot_of */

	for (uint32_t i = awake_from(&bodies->awake, 0, bodies->count); i < bodies->count;
	     i = awake_from(&bodies->awake, i + 1, bodies->count)) {
		root[i] = i;
		dense->colour_mask[i] = 0;
	}
	for (uint32_t k = 0; k < dense->pair_count; k++) {
		const struct pair *pair = &dense->pairs[k];

		if (pair->kind != PAIR_CONTACT)
			continue;

		bool a_moves = bodies->inverse_mass[pair->a] > 0.0, b_moves = pair_b_moves(bodies, pair);

		contacts[count++] = k;
		dense->slot_of[k] = contact_join(dense, pair, a_moves, b_moves);
		dense->colour[k] = contact_colour(dense->colour_mask, pair, a_moves, b_moves);
		start[dense->colour[k] + 1]++;
	}
	for (uint32_t i = awake_from(&bodies->awake, 0, bodies->count); i < bodies->count;
	     i = awake_from(&bodies->awake, i + 1, bodies->count))
		root[i] = root[root[i]];
	for (uint32_t c = 1; c <= COLOURS; c++)
		start[c] += start[c - 1];
	dense->contact_count = count;
	for (uint32_t n = 0; n < count; n++) {
		uint32_t k = contacts[n];

		dense->slot_of[k] = root[dense->slot_of[k]];
		dense->sorted[start[dense->colour[k]]++] = k;
	}
}

/* As many slots in whole groups. */
static uint32_t
grouped(uint32_t count)
{
	return (count + LANES - 1) / LANES * LANES;
}

/* The next slot of an island for a contact of a colour: colours begin with a group, so that no two lanes of one move the same
 * body. The last colour holds what found no other: each alone. */
static uint32_t
slot_deal(struct island *island, uint32_t colour)
{
	if (island->colour != colour || colour == COLOURS - 1)
		island->contact_end = grouped(island->contact_end);
	island->colour = colour;
	return island->contact_end++;
}

/* Numbers the islands in the order of their roots. Leaves their numbers in place[], by root. */
static void
islands_number(struct dense *dense, const struct dense_bodies *bodies)
{
	uint32_t *island_of = dense->place;

	for (uint32_t i = awake_from(&bodies->awake, 0, bodies->count); i < bodies->count;
	     i = awake_from(&bodies->awake, i + 1, bodies->count))
		island_of[i] = NONE;
	for (uint32_t n = 0; n < dense->contact_count; n++)
		island_of[dense->slot_of[dense->sorted[n]]] = 0;
	dense->island_count = 0;
	for (uint32_t i = awake_from(&bodies->awake, 0, bodies->count); i < bodies->count;
	     i = awake_from(&bodies->awake, i + 1, bodies->count)) {
		if (island_of[i] == 0) {
			island_of[i] = dense->island_count;
			dense->islands[dense->island_count++] = (struct island){ .colour = COLOURS };
		}
	}
}

/* Sizes first, then the starts from them. */
static void
islands_size(struct dense *dense, const struct dense_bodies *bodies)
{
	uint32_t slots = 0, placed = 0;

	for (uint32_t n = 0; n < dense->contact_count; n++) {
		uint32_t k = dense->sorted[n];

		slot_deal(&dense->islands[dense->place[dense->slot_of[k]]], dense->colour[k]);
	}
	for (uint32_t i = awake_from(&bodies->awake, 0, bodies->count); i < bodies->count;
	     i = awake_from(&bodies->awake, i + 1, bodies->count)) {
		if (bodies->inverse_mass[i] > 0.0 && dense->place[dense->root[i]] != NONE)
			dense->islands[dense->place[dense->root[i]]].body_end++;
	}
	for (uint32_t n = 0; n < dense->island_count; n++) {
		struct island *island = &dense->islands[n];
		uint32_t slot_count = grouped(island->contact_end), body_count = island->body_end;

		*island = (struct island){
			.contact_start = slots, .contact_end = slots, .colour = COLOURS, .body_start = placed, .body_end = placed
		};
		slots += slot_count;
		placed += body_count;
	}
	dense->contact_end = slots;
	dense->placed = placed;
}

/* Deals contacts (by colour within) and bodies to their islands. */
static bool
islands_sort(struct dense *dense, const struct dense_bodies *bodies)
{
	islands_number(dense, bodies);
	islands_size(dense, bodies);
	/* Far pairs and the events' have two groups that may not be full. */
	if (!slot_arrays_reserve(dense, dense->contact_end + (dense->pair_count - dense->contact_count) + 2 * LANES))
		return false;
	for (uint32_t s = 0; s < dense->contact_end; s++)
		dense->pair_of[s] = NONE;
	for (uint32_t n = 0; n < dense->contact_count; n++) {
		uint32_t k = dense->sorted[n];

		struct island *island = &dense->islands[dense->place[dense->slot_of[k]]];

		dense->pair_of[slot_deal(island, dense->colour[k])] = k;
		island->contact_count++;
	}

	uint32_t loose = dense->placed;

	for (uint32_t i = awake_from(&bodies->awake, 0, bodies->count); i < bodies->count;
	     i = awake_from(&bodies->awake, i + 1, bodies->count)) {
		uint32_t island = dense->place[dense->root[i]];
		bool inside = bodies->inverse_mass[i] > 0.0 && island != NONE;

		dense->body[inside ? dense->islands[island].body_end++ : loose++] = i;
	}
	for (uint32_t n = 0; n < dense->island_count; n++)
		dense->islands[n].contact_end = grouped(dense->islands[n].contact_end);
	dense->place_end = loose;
	for (uint32_t p = 0; p < loose; p++)
		dense->place[dense->body[p]] = p;
	return true;
}

void
slot_clear(struct dense *dense, uint32_t slot, uint32_t wall)
{
	struct contacts *c = &dense->contacts[slot / LANES];
	uint32_t lane = slot % LANES;

	c->nx[lane] = c->ny[lane] = c->target[lane] = c->friction[lane] = c->mass[lane] = c->slip_mass[lane] = 0.0;
	c->arm_a[lane] = c->arm_b[lane] = 0.0;
	c->a[lane] = c->b[lane] = wall;
	dense->drives[slot / LANES].slip[lane] = 0.0;
	dense->impulses[slot / LANES].normal[lane] = dense->impulses[slot / LANES].tangent[lane] = 0.0;
	dense->rollers[slot] = (struct roller){ 0 };

	struct spacings *spacings = &dense->spacings[slot / LANES];

	spacings->radii[lane] = spacings->skin_least[lane] = spacings->cushion[lane] = 0.0;
	spacings->friction[lane] = spacings->rim_a[lane] = spacings->rim_b[lane] = spacings->restitution[lane] = 0.0;
	spacings->gap[lane] = (double)INFINITY;
}

static void
slot_fill(struct dense *dense, const struct dense_bodies *bodies, uint32_t slot)
{
	if (dense->pair_of[slot] == NONE) {
		slot_clear(dense, slot, bodies->count);
		return;
	}

	const struct pair *pair = &dense->pairs[dense->pair_of[slot]];
	struct contacts *c = &dense->contacts[slot / LANES];
	uint32_t a = pair->a, b = pair->b, lane = slot % LANES;
	bool is_wall = (b & DENSE_WALL) != 0;
	double ra = bodies->radius[a], rb = is_wall ? dense->walls[b & ~DENSE_WALL].radius : bodies->radius[b];
	double smaller = is_wall || ra < rb ? ra : rb;
	double ia = bodies->inverse_mass[a], ib = is_wall ? 0.0 : bodies->inverse_mass[b];
	double skin = SKIN_PER_RADIUS * smaller, arm_a = dense->rim[a], arm_b = is_wall ? 0.0 : dense->rim[b];
	bool central = pair->material.central;

	if (central)
		arm_a = arm_b = 0.0;
	/* That of one that moves changes: it is with its place. */
	if (is_wall && dense->walls[b & ~DENSE_WALL].place == 0)
		skin = fmax(skin, dense->scene.segments[b & ~DENSE_WALL].rounding);
	c->a[lane] = dense->place[a];
	c->b[lane] = is_wall ? bodies->count + dense->walls[b & ~DENSE_WALL].place : dense->place[b];
	c->friction[lane] = pair->material.friction;
	c->mass[lane] = 1.0 / (ia + ib);
	c->arm_a[lane] = arm_a;
	c->arm_b[lane] = arm_b;
	c->slip_mass[lane] = 1.0 / (ia * (1.0 + 2.0 * arm_a * arm_a) + ib * (1.0 + 2.0 * arm_b * arm_b));
	dense->impulses[slot / LANES].normal[lane] = pair->normal;
	dense->impulses[slot / LANES].tangent[lane] = pair->tangent;

	struct spacings *spacings = &dense->spacings[slot / LANES];

	spacings->radii[lane] = ra + rb;
	spacings->skin_least[lane] = skin;
	spacings->cushion[lane] = dense->tune.cushion * smaller;
	spacings->friction[lane] = pair->material.friction;
	spacings->rim_a[lane] = arm_a;
	spacings->rim_b[lane] = arm_b;
	spacings->restitution[lane] = pair->material.restitution;
	if (dense->any_rolling) {
		double na = dense->rim[a] / ra, nb = is_wall ? 0.0 : dense->rim[b] / rb;

		dense->rollers[slot] = (struct roller){
			.impulse = pair->rolling,
			.length = pair->material.rolling,
			.inverse_ra = na,
			.inverse_rb = nb,
			.inertia = 1.0 / (2.0 * ia * na * na + 2.0 * ib * nb * nb),
		};
	}
}

static uint32_t
group_fill(struct dense *dense, uint32_t slot)
{
	while (slot % LANES)
		dense->pair_of[slot++] = NONE;
	return slot;
}

/* Slots of the pairs that are no contacts: the far ones, then the events'. */
static void
others_deal(struct dense *dense)
{
	uint32_t far = dense->contact_end, event_count = 0, *events = dense->outside; /* not in use yet */

	for (uint32_t k = 0; k < dense->pair_count; k++) {
		if (dense->pairs[k].kind == PAIR_FAR)
			dense->pair_of[far++] = k;
		else if (dense->pairs[k].kind == PAIR_EVENT)
			events[event_count++] = k;
	}
	dense->far_end = group_fill(dense, far);
	for (uint32_t n = 0; n < event_count; n++)
		dense->pair_of[dense->far_end + n] = events[n];
	dense->slot_end = group_fill(dense, dense->far_end + event_count);
}

/* Whether an island is left to events. */
static bool
island_idles(const struct dense *dense, const struct dense_bodies *bodies, const struct island *island)
{
	if (island->body_end - island->body_start >= dense->scene.bodies_min)
		return false;
	for (uint32_t place = island->body_start; place < island->body_end; place++)
		if (bodies->active[dense->body[place]] == DENSE_LED)
			return false;
	for (uint32_t s = island->contact_start; s < island->contact_end; s++) {
		const struct dense_material *material;

		if (dense->pair_of[s] == NONE)
			continue;
		material = &dense->pairs[dense->pair_of[s]].material;
		if (material->friction != 0.0 || material->rolling != 0.0)
			return false;
	}
	return true;
}

void
islands_choose(struct dense *dense, const struct dense_bodies *bodies)
{
	for (uint32_t n = 0; n < dense->island_count; n++) {
		struct island *island = &dense->islands[n];

		island->idle = island_idles(dense, bodies, island);
		memset(&dense->led[island->body_start], !island->idle, island->body_end - island->body_start);
	}
	for (uint32_t place = dense->placed; place < dense->place_end; place++)
		dense->led[place] = bodies->inverse_mass[dense->body[place]] == 0.0;
	memset(&dense->led[bodies->count], 1, (size_t)dense->scene.moving_count + 1);
}

void
kinds_guess(struct dense *dense, const struct dense_bodies *bodies)
{
	for (size_t k = 0; k < dense->pair_count; k++) {
		struct pair *pair = &dense->pairs[k];

		/* What carries must stay a contact, or it would forget. */
		if (pair->b & DENSE_WALL || pair->kind == PAIR_EVENT || impulse_carries(pair->normal, pair->tangent, pair->rolling))
			continue;

		double dx = bodies->x[pair->a] - bodies->x[pair->b], dy = bodies->y[pair->a] - bodies->y[pair->b];
		double near = bodies->radius[pair->a] + bodies->radius[pair->b] + dense->reach[pair->a] + dense->reach[pair->b];

		pair->kind = (uint8_t)(dx * dx + dy * dy <= near * near ? PAIR_CONTACT : PAIR_FAR);
	}
}

/* What an island's contacts have in common, and those with a side that does not yield. */
static void
island_fill(struct dense *dense, struct island *island, uint32_t *outside)
{
	island->cushion = (double)INFINITY;
	island->outside_start = *outside;
	for (uint32_t s = island->contact_start; s < island->contact_end; s++) {
		double cushion = dense->spacings[s / LANES].cushion[s % LANES];

		if (dense->pair_of[s] == NONE)
			continue;
		if (cushion < island->cushion)
			island->cushion = cushion;
		if (place_yields(dense, slot_a(dense, s)) != place_yields(dense, slot_b(dense, s)))
			dense->outside[(*outside)++] = s;
	}
	island->outside_end = *outside;
}

bool
order_build(struct dense *dense, const struct dense_bodies *bodies)
{
	uint32_t outside = 0;

	dense->order_added = bodies->awake.added;
	contacts_sort(dense, bodies);
	if (!islands_sort(dense, bodies))
		return false;
	others_deal(dense);
	for (uint32_t slot = 0; slot < dense->slot_end; slot++) {
		slot_fill(dense, bodies, slot);
		if (dense->pair_of[slot] != NONE)
			dense->slot_of[dense->pair_of[slot]] = slot;
	}
	for (uint32_t n = 0; n < dense->island_count; n++)
		island_fill(dense, &dense->islands[n], &outside);
	dense->ordered = true;
	return true;
}
