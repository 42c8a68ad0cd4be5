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

/* Islands by union-find; the lowest body is the root. root[] ends as the root of each body. */
static void
roots_find(struct dense *dense, const struct dense_bodies *bodies)
{
	uint32_t *root = dense->root;

	for (uint32_t i = 0; i < bodies->count; i++)
		root[i] = i;
	for (size_t k = 0; k < dense->pair_count; k++) {
		const struct pair *pair = &dense->pairs[k];

		if (pair->kind != PAIR_CONTACT || bodies->inverse_mass[pair->a] == 0.0 || !pair_b_moves(bodies, pair))
			continue;

		uint32_t a = root_find(root, pair->a), b = root_find(root, pair->b);

		root[a > b ? a : b] = a > b ? b : a;
	}
	for (uint32_t i = 0; i < bodies->count; i++)
		root[i] = root[root[i]];
}

static uint32_t
lowest_free(uint64_t used)
{
	return ~used ? (uint32_t)__builtin_ctzll(~used) : COLOURS - 1;
}

/* Greedy colours in the order of ids: no two contacts of a colour move the same body, so the processor need not wait for one
 * to begin the next. (A body with more than COLOURS contacts shares the last colour; the sweep is still serial.) Leaves the
 * contacts' indices sorted by colour. */
static void
contacts_colour(struct dense *dense, const struct dense_bodies *bodies)
{
	uint32_t start[COLOURS + 1] = { 0 };
	uint64_t *mask = dense->colour_mask;

	memset(mask, 0, bodies->count * sizeof *mask);
	for (size_t k = 0; k < dense->pair_count; k++) {
		const struct pair *pair = &dense->pairs[k];

		if (pair->kind != PAIR_CONTACT)
			continue;

		bool a_moves = bodies->inverse_mass[pair->a] > 0.0, b_moves = pair_b_moves(bodies, pair);
		uint32_t colour = lowest_free((a_moves ? mask[pair->a] : 0) | (b_moves ? mask[pair->b] : 0));

		if (a_moves)
			mask[pair->a] |= (uint64_t)1 << colour;
		if (b_moves)
			mask[pair->b] |= (uint64_t)1 << colour;
		dense->colour[k] = colour;
		start[colour + 1]++;
	}
	for (uint32_t c = 1; c <= COLOURS; c++)
		start[c] += start[c - 1];
	dense->contact_count = start[COLOURS];
	for (uint32_t k = 0; k < dense->pair_count; k++) {
		if (dense->pairs[k].kind == PAIR_CONTACT)
			dense->sorted[start[dense->colour[k]]++] = k;
	}
}

static uint32_t
pair_root(const struct dense *dense, const struct dense_bodies *bodies, uint32_t k)
{
	const struct pair *pair = &dense->pairs[k];

	return dense->root[bodies->inverse_mass[pair->a] > 0.0 ? pair->a : pair->b];
}

static uint32_t
even(uint32_t count)
{
	return (count + LANES - 1) / LANES * LANES;
}

/* The next slot of an island for a contact of a colour: colours begin at even slots, so that two lanes never move the same
 * body. The last colour holds what found no other: each alone. */
static uint32_t
slot_deal(struct island *island, uint32_t colour)
{
	if (island->colour != colour || colour == COLOURS - 1)
		island->contact_end = even(island->contact_end);
	island->colour = colour;
	return island->contact_end++;
}

/* Numbers the islands in the order of their roots. Leaves their numbers in place[], by root. */
static void
islands_number(struct dense *dense, const struct dense_bodies *bodies)
{
	uint32_t *island_of = dense->place;

	for (uint32_t i = 0; i < bodies->count; i++)
		island_of[i] = NONE;
	for (uint32_t n = 0; n < dense->contact_count; n++)
		island_of[pair_root(dense, bodies, dense->sorted[n])] = 0;
	dense->island_count = 0;
	for (uint32_t i = 0; i < bodies->count; i++) {
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

		slot_deal(&dense->islands[dense->place[pair_root(dense, bodies, k)]], dense->colour[k]);
	}
	for (uint32_t i = 0; i < bodies->count; i++) {
		if (bodies->inverse_mass[i] > 0.0 && dense->place[dense->root[i]] != NONE)
			dense->islands[dense->place[dense->root[i]]].body_end++;
	}
	for (uint32_t n = 0; n < dense->island_count; n++) {
		struct island *island = &dense->islands[n];
		uint32_t slot_count = even(island->contact_end), body_count = island->body_end;

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
static void
islands_sort(struct dense *dense, const struct dense_bodies *bodies)
{
	islands_number(dense, bodies);
	islands_size(dense, bodies);
	for (uint32_t s = 0; s < dense->contact_end; s++)
		dense->pair_of[s] = NONE;
	for (uint32_t n = 0; n < dense->contact_count; n++) {
		uint32_t k = dense->sorted[n];

		dense->pair_of[slot_deal(&dense->islands[dense->place[pair_root(dense, bodies, k)]], dense->colour[k])] = k;
	}

	uint32_t loose = dense->placed;

	for (uint32_t i = 0; i < bodies->count; i++) {
		uint32_t island = dense->place[dense->root[i]];
		bool inside = bodies->inverse_mass[i] > 0.0 && island != NONE;

		dense->body[inside ? dense->islands[island].body_end++ : loose++] = i;
	}
	for (uint32_t n = 0; n < dense->island_count; n++)
		dense->islands[n].contact_end = even(dense->islands[n].contact_end);
	for (uint32_t p = 0; p < bodies->count; p++)
		dense->place[dense->body[p]] = p;
}

/* What a left over slot holds. */
static void
slot_clear(struct dense *dense, uint32_t slot, uint32_t wall)
{
	struct contacts *c = &dense->contacts[slot / LANES];
	uint32_t lane = slot % LANES;

	c->nx[lane] = c->ny[lane] = c->target[lane] = c->friction[lane] = c->mass[lane] = c->slip_mass[lane] = 0.0;
	c->arm_a[lane] = c->arm_b[lane] = 0.0;
	c->a[lane] = c->b[lane] = wall;
	dense->drives[slot / LANES][lane] = 0.0;
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

/* Slots of the pairs of a kind, from `slot` on; gives the end, even. */
static uint32_t
kind_deal(struct dense *dense, uint8_t kind, uint32_t slot)
{
	for (uint32_t k = 0; k < dense->pair_count; k++) {
		if (dense->pairs[k].kind == kind)
			dense->pair_of[slot++] = k;
	}
	if (slot % LANES)
		dense->pair_of[slot++] = NONE;
	return slot;
}

void
islands_choose(struct dense *dense, const struct dense_bodies *bodies)
{
	for (uint32_t place = 0; place < bodies->count; place++) {
		dense->led[place] = bodies->inverse_mass[dense->body[place]] == 0.0;
		dense->was_led[place] = dense->led[place] || bodies->active[dense->body[place]] == DENSE_LED;
	}
	memset(&dense->led[bodies->count], 1, (size_t)dense->scene.moving_count + 1);
	memset(&dense->was_led[bodies->count], 1, (size_t)dense->scene.moving_count + 1);
	for (uint32_t n = 0; n < dense->island_count; n++) {
		struct island *island = &dense->islands[n];
		bool idle = island->body_end - island->body_start < dense->scene.bodies_min;

		for (uint32_t place = island->body_start; place < island->body_end && idle; place++)
			idle = bodies->active[dense->body[place]] != DENSE_LED;
		for (uint32_t s = island->contact_start; s < island->contact_end && idle; s++) {
			const struct dense_material *material;

			if (dense->pair_of[s] == NONE)
				continue;
			material = &dense->pairs[dense->pair_of[s]].material;
			idle = material->friction == 0.0 && material->rolling == 0.0;
		}
		island->idle = idle;
		for (uint32_t place = island->body_start; place < island->body_end; place++)
			dense->led[place] = !idle;
	}
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

void
order_build(struct dense *dense, const struct dense_bodies *bodies)
{
	roots_find(dense, bodies);
	contacts_colour(dense, bodies);
	islands_sort(dense, bodies);
	dense->far_end = kind_deal(dense, PAIR_FAR, dense->contact_end);
	dense->slot_end = kind_deal(dense, PAIR_EVENT, dense->far_end);
	for (uint32_t slot = 0; slot < dense->slot_end; slot++) {
		slot_fill(dense, bodies, slot);
		if (dense->pair_of[slot] != NONE)
			dense->slot_of[dense->pair_of[slot]] = slot;
	}
	for (uint32_t n = 0; n < dense->island_count; n++) {
		struct island *island = &dense->islands[n];

		island->cushion = (double)INFINITY;
		for (uint32_t s = island->contact_start; s < island->contact_end; s++) {
			double cushion = dense->spacings[s / LANES].cushion[s % LANES];

			if (dense->pair_of[s] != NONE && cushion < island->cushion)
				island->cushion = cushion;
		}
	}
	dense->ordered = true;
}
