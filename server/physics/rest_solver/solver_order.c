/* The order of the sweeps. Contacts are grouped into islands, coloured within each so that no two of a colour share a body, and
 * laid out in slots. */
#include "physics/rest_solver/solver_private.h"

#include <math.h>
#include <string.h>

/* Units (base/pause.h) to fill a slot. */
#define FILL_UNITS 8u

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
key_b_moves(const struct solver_bodies *bodies, const struct pair_key *key)
{
	return !(key->b & SOLVER_WALL) && bodies->inverse_mass[key->b] > 0.0;
}

static uint32_t
lowest_free(uint64_t used)
{
	return ~used ? (uint32_t)__builtin_ctzll(~used) : COLOURS - 1;
}

/* A contact joins two islands if both sides move; returns a side that does. */
static uint32_t
contact_join(struct solver *solver, const struct pair_key *pair, bool a_moves, bool b_moves)
{
	if (a_moves && b_moves) {
		uint32_t a = root_find(solver->root, pair->a), b = root_find(solver->root, pair->b);

		solver->root[a > b ? a : b] = a > b ? b : a;
	}
	return a_moves ? pair->a : pair->b;
}

/* Greedy colouring in the order of ids: no two contacts of a colour move the same body, so the CPU need not finish one before
 * it begins the next. (A body with more than COLOURS contacts shares the last colour; the sweep is still serial.) */
static uint32_t
contact_colour(uint64_t *mask, const struct pair_key *pair, bool a_moves, bool b_moves)
{
	uint32_t colour = lowest_free((a_moves ? mask[pair->a] : 0) | (b_moves ? mask[pair->b] : 0));

	if (a_moves)
		mask[pair->a] |= (uint64_t)1 << colour;
	if (b_moves)
		mask[pair->b] |= (uint64_t)1 << colour;
	return colour;
}

/* Gives a body a place; its island is only itself so far. */
static inline void
member_add(struct solver *solver, uint32_t i)
{
	uint64_t bit = (uint64_t)1 << i % 64;

	if (solver->member_bits[i / 64] & bit)
		return;
	solver->member_bits[i / 64] |= bit;
	solver->root[i] = i;
	solver->colour_mask[i] = 0;
}

/* Lists the members, ascending. */
static void
members_list(struct solver *solver, uint32_t body_count)
{
	uint32_t count = 0;

	for (uint32_t w = 0; w <= body_count / 64 && !pause_after(16); w++) {
		for (uint64_t bits = solver->member_bits[w]; bits; bits &= bits - 1)
			solver->members[count++] = 64 * w + (uint32_t)__builtin_ctzll(bits);
		solver->member_bits[w] = 0;
	}
	solver->member_count = count;
}

/* Islands by union-find, with the lowest body as root; and the contacts' colours. Leaves the contacts' ids sorted by colour,
 * and in slot_of[] the root of each; in others[] the ids of the other pairs that are near. */
static void
contacts_sort(struct solver *solver, const struct solver_bodies *bodies)
{
	uint32_t start[COLOURS + 1] = { 0 }, count = 0;
	uint32_t *root = solver->root;

	solver->other_count = 0;
	for (size_t n = 0; n < solver->pair_count && !pause_after(SOLVER_UNITS); n++) {
		const struct pair_key *key = &solver->keys[n];
		uint32_t k = key->id;
		uint8_t kind = solver->kinds[k];

		solver->slot_of[k] = NONE;
		if (kind == PAIR_APART)
			continue;
		member_add(solver, key->a);
		if (!(key->b & SOLVER_WALL))
			member_add(solver, key->b);
		if (kind != PAIR_CONTACT) {
			solver->others[solver->other_count++] = k;
			continue;
		}

		bool a_moves = bodies->inverse_mass[key->a] > 0.0, b_moves = key_b_moves(bodies, key);

		solver->contact_ids[count++] = k;
		solver->slot_of[k] = contact_join(solver, key, a_moves, b_moves);
		solver->colour[k] = contact_colour(solver->colour_mask, key, a_moves, b_moves);
		start[solver->colour[k] + 1]++;
	}
	members_list(solver, bodies->count);
	for (uint32_t n = 0; n < solver->member_count && !pause_after(1); n++) {
		uint32_t i = solver->members[n];

		root[i] = root[root[i]];
	}
	for (uint32_t c = 1; c <= COLOURS; c++)
		start[c] += start[c - 1];
	solver->contact_count = count;
	for (uint32_t n = 0; n < count && !pause_after(SOLVER_UNITS); n++) {
		uint32_t k = solver->contact_ids[n];

		solver->slot_of[k] = root[solver->slot_of[k]];
		solver->sorted[start[solver->colour[k]]++] = k;
	}
}

/* Rounds a number of slots up to whole groups. */
static uint32_t
grouped(uint32_t count)
{
	return (count + LANES - 1) / LANES * LANES;
}

/* The next slot of an island for a contact of a colour. Colours begin with a group, so that no two lanes of one move the same
 * body. The last colour holds what found no other: one contact per group. */
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
islands_number(struct solver *solver)
{
	uint32_t *island_of = solver->place;

	for (uint32_t n = 0; n < solver->member_count && !pause_after(1); n++)
		island_of[solver->members[n]] = NONE;
	for (uint32_t n = 0; n < solver->contact_count && !pause_after(1); n++)
		island_of[solver->slot_of[solver->sorted[n]]] = 0;
	solver->island_count = 0;
	for (uint32_t n = 0; n < solver->member_count && !pause_after(1); n++) {
		uint32_t i = solver->members[n];

		if (island_of[i] == 0) {
			island_of[i] = solver->island_count;
			solver->islands[solver->island_count++] = (struct island){ .colour = COLOURS };
		}
	}
}

/* Sizes first, then the starts from them. */
static void
islands_size(struct solver *solver, const struct solver_bodies *bodies)
{
	uint32_t slots = 0, placed = 0;

	for (uint32_t n = 0; n < solver->contact_count && !pause_after(SOLVER_UNITS); n++) {
		uint32_t k = solver->sorted[n];

		slot_deal(&solver->islands[solver->place[solver->slot_of[k]]], solver->colour[k]);
	}
	for (uint32_t n = 0; n < solver->member_count && !pause_after(1); n++) {
		uint32_t i = solver->members[n];

		if (bodies->inverse_mass[i] > 0.0 && solver->place[solver->root[i]] != NONE)
			solver->islands[solver->place[solver->root[i]]].body_end++;
	}
	for (uint32_t n = 0; n < solver->island_count && !pause_after(1); n++) {
		struct island *island = &solver->islands[n];
		uint32_t slot_count = grouped(island->contact_end), body_count = island->body_end;

		*island = (struct island){
			.contact_start = slots, .contact_end = slots, .colour = COLOURS, .body_start = placed, .body_end = placed
		};
		slots += slot_count;
		placed += body_count;
	}
	solver->contact_end = slots;
	solver->placed = placed;
}

/* Distributes contacts (by colour within) and bodies to their islands. */
static bool
islands_sort(struct solver *solver, const struct solver_bodies *bodies)
{
	islands_number(solver);
	islands_size(solver, bodies);
	if (pause_stopped() || !slot_arrays_reserve(solver, (size_t)solver->contact_end + solver->other_count + LANES))
		return false;
	for (uint32_t s = 0; s < solver->contact_end && !pause_after(1); s++)
		solver->pair_of[s] = NONE;
	for (uint32_t n = 0; n < solver->contact_count && !pause_after(SOLVER_UNITS); n++) {
		uint32_t k = solver->sorted[n];

		struct island *island = &solver->islands[solver->place[solver->slot_of[k]]];

		solver->pair_of[slot_deal(island, solver->colour[k])] = k;
		island->contact_count++;
		island->sweep_count += solver->colour[k] == COLOURS - 1 ? SWEEP_ALONE : 1;
	}

	uint32_t loose = solver->placed;

	for (uint32_t n = 0; n < solver->member_count && !pause_after(1); n++) {
		uint32_t i = solver->members[n];
		uint32_t island = solver->place[solver->root[i]];
		bool inside = bodies->inverse_mass[i] > 0.0 && island != NONE;

		solver->body[inside ? solver->islands[island].body_end++ : loose++] = i;
	}
	for (uint32_t n = 0; n < solver->island_count && !pause_after(1); n++)
		solver->islands[n].contact_end = grouped(solver->islands[n].contact_end);
	solver->place_end = loose;
	for (uint32_t p = 0; p < loose && !pause_after(1); p++)
		solver->place[solver->body[p]] = p;
	return !pause_stopped();
}

static void
slot_fill(struct solver *solver, const struct solver_bodies *bodies, uint32_t slot)
{
	if (solver->pair_of[slot] == NONE) {
		slot_clear(solver, slot, bodies->count);
		return;
	}

	const struct near_pair *pair = &solver->pairs[solver->pair_of[slot]];
	struct contacts *c = &solver->contacts[slot / LANES];
	uint32_t a = pair->a, b = pair->b, lane = slot % LANES;
	bool is_wall = (b & SOLVER_WALL) != 0;
	double ra = bodies->radius[a], rb = is_wall ? solver->walls[b & ~SOLVER_WALL].radius : bodies->radius[b];
	double smaller = is_wall || ra < rb ? ra : rb;
	double ia = bodies->inverse_mass[a], ib = is_wall ? 0.0 : bodies->inverse_mass[b];
	double skin = SKIN_PER_RADIUS * smaller, arm_a = solver->rim[a], arm_b = is_wall ? 0.0 : solver->rim[b];
	bool central = pair->material.central;

	if (central)
		arm_a = arm_b = 0.0;
	/* The place of a moving wall changes with the order. */
	if (is_wall && solver->walls[b & ~SOLVER_WALL].place == 0)
		skin = fmax(skin, solver->scene.segments[b & ~SOLVER_WALL].rounding);
	c->a[lane] = solver->place[a];
	c->b[lane] = is_wall ? bodies->count + solver->walls[b & ~SOLVER_WALL].place : solver->place[b];
	c->friction[lane] = pair->material.friction;
	c->mass[lane] = 1.0 / (ia + ib);
	c->arm_a[lane] = arm_a;
	c->arm_b[lane] = arm_b;
	c->slip_mass[lane] = 1.0 / (ia * (1.0 + 2.0 * arm_a * arm_a) + ib * (1.0 + 2.0 * arm_b * arm_b));
	solver->impulses[slot / LANES].normal[lane] = pair->normal;
	solver->impulses[slot / LANES].tangent[lane] = pair->tangent;

	struct spacings *spacings = &solver->spacings[slot / LANES];

	spacings->radii[lane] = ra + rb;
	spacings->skin_least[lane] = skin;
	spacings->cushion[lane] = solver->tune.cushion * smaller;
	spacings->friction[lane] = pair->material.friction;
	spacings->rim_a[lane] = arm_a;
	spacings->rim_b[lane] = arm_b;
	spacings->restitution[lane] = pair->material.restitution;
	if (solver->any_rolling) {
		double na = solver->rim[a] / ra, nb = is_wall ? 0.0 : solver->rim[b] / rb;

		solver->rollers[slot] = (struct roller){
			.impulse = pair->rolling,
			.length = pair->material.rolling,
			.inverse_ra = na,
			.inverse_rb = nb,
			.inertia = 1.0 / (2.0 * ia * na * na + 2.0 * ib * nb * nb),
		};
	}
}

/* A body in no island gets the next place. */
static void
member_join(struct solver *solver, uint32_t i)
{
	if (body_is_member(solver, i))
		return;
	solver->place[i] = solver->place_end;
	solver->body[solver->place_end++] = i;
	solver->members[solver->member_count++] = i;
}

bool
other_deal(struct solver *solver, const struct solver_bodies *bodies, uint32_t id)
{
	const struct near_pair *pair = &solver->pairs[id];
	uint32_t slot = solver->other_end++;

	if (slot == solver->slot_end) {
		if (!slot_arrays_reserve(solver, (size_t)slot + LANES))
			return false;
		solver->slot_end += LANES;
		for (uint32_t s = slot; s < solver->slot_end; s++) {
			solver->pair_of[s] = NONE;
			slot_clear(solver, s, bodies->count);
		}
	}
	member_join(solver, pair->a);
	if (!(pair->b & SOLVER_WALL))
		member_join(solver, pair->b);
	solver->pair_of[slot] = id;
	solver->slot_of[id] = slot;
	slot_fill(solver, bodies, slot);
	return true;
}

/* Whether an island is left to events. */
static bool
island_idles(const struct solver *solver, const struct solver_bodies *bodies, const struct island *island)
{
	if (island->body_end - island->body_start >= solver->scene.bodies_min)
		return false;
	for (uint32_t place = island->body_start; place < island->body_end && !pause_after(1); place++)
		if (bodies->active[solver->body[place]] == SOLVER_LED)
			return false;
	for (uint32_t s = island->contact_start; s < island->contact_end && !pause_after(1); s++) {
		if (solver->pair_of[s] == NONE)
			continue;
		const struct solver_material *material = &solver->pairs[solver->pair_of[s]].material;
		if (material->friction != 0.0 || material->rolling != 0.0)
			return false;
	}
	return true;
}

void
islands_choose(struct solver *solver, const struct solver_bodies *bodies)
{
	for (uint32_t n = 0; n < solver->island_count && !pause_after(1); n++) {
		struct island *island = &solver->islands[n];

		island->idle = island_idles(solver, bodies, island);
		memset(&solver->driven[island->body_start], !island->idle, island->body_end - island->body_start);
	}
	for (uint32_t place = solver->placed; place < solver->place_end && !pause_after(1); place++)
		solver->driven[place] = bodies->inverse_mass[solver->body[place]] == 0.0;
	memset(&solver->driven[bodies->count], 1, (size_t)solver->scene.moving_count + 1);
}

/* The minimum cushion of an island's contacts, and its contacts with an immovable side. */
static void
island_fill(struct solver *solver, struct island *island, uint32_t *outside)
{
	island->cushion = (double)INFINITY;
	island->outside_start = *outside;
	for (uint32_t s = island->contact_start; s < island->contact_end && !pause_after(1); s++) {
		double cushion = solver->spacings[s / LANES].cushion[s % LANES];

		if (solver->pair_of[s] == NONE)
			continue;
		if (cushion < island->cushion)
			island->cushion = cushion;
		if (place_yields(solver, slot_a(solver, s)) != place_yields(solver, slot_b(solver, s)))
			solver->outside[(*outside)++] = s;
	}
	island->outside_end = *outside;
}

bool
order_build(struct solver *solver, const struct solver_bodies *bodies)
{
	uint32_t outside = 0;

	contacts_sort(solver, bodies);
	if (!islands_sort(solver, bodies))
		return false;
	for (uint32_t slot = 0; slot < solver->contact_end && !pause_after(FILL_UNITS); slot++) {
		slot_fill(solver, bodies, slot);
		if (solver->pair_of[slot] != NONE)
			solver->slot_of[solver->pair_of[slot]] = slot;
	}
	solver->slot_end = solver->other_end = solver->contact_end;
	for (uint32_t n = 0; n < solver->other_count; n++) {
		if (pause_after(FILL_UNITS) || !other_deal(solver, bodies, solver->others[n]))
			return false;
		solver->others[n] = solver->slot_of[solver->others[n]];
	}
	for (uint32_t n = 0; n < solver->island_count && !pause_after(1); n++)
		island_fill(solver, &solver->islands[n], &outside);
	solver->ordered = true;
	solver->contacts_left = false;
	return !pause_stopped();
}
