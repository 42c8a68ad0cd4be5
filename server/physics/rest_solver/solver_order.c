/* The order of the sweeps. Contacts are grouped into islands, coloured within each so that no two of a colour share a body, and
 * laid out in slots. */
#include "physics/math/larger.h"
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

static uint32_t
lowest_free(uint64_t used)
{
	return ~used ? (uint32_t)__builtin_ctzll(~used) : COLOURS - 1;
}

/* Two movable sides are of one island. Mostly they are so already, and have the same parent. */
static inline void
sides_join(uint32_t *root, uint32_t a, uint32_t b)
{
	if (root[a] == root[b])
		return;
	uint32_t root_a = root_find(root, a), root_b = root_find(root, b);
	uint32_t low = root_a < root_b ? root_a : root_b;

	root[root_a] = root[root_b] = root[a] = root[b] = low;
}

/* Gives a body a place; its island is only itself so far. Without a branch: whether a pair's sides were seen before is
 * unpredictable. */
static inline void
member_add(const struct solver *solver, uint32_t i)
{
	uint64_t word = solver->member_bits[i / 64], bit = (uint64_t)1 << i % 64;
	bool known = (word & bit) != 0;

	solver->member_bits[i / 64] = word | bit;
	solver->root[i] = known ? solver->root[i] : i;
	solver->colour_mask[i] = known ? solver->colour_mask[i] : 0;
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

/* Joins the contacts' sides by union-find, with the lowest body of an island as root; and colours the contacts greedily, in the
 * order of ids. No two contacts of a colour move the same body, so the CPU need not finish one before it begins the next. (A
 * body with more than COLOURS contacts shares the last colour; the sweep is still serial.) Lists the contacts in the order of
 * ids, and in slot_of[] a movable side of each; in others[] the ids of the other pairs that are near. Counts the contacts of
 * each colour. */
static void
contacts_find(struct solver *solver, const struct solver_bodies *bodies, uint32_t counts[COLOURS])
{
	/* Copies, which the compiler knows to be constant. */
	const struct solver own = *solver;
	const double *inverse_mass = bodies->inverse_mass;
	uint32_t contacts = 0, others = 0;

	for (struct pause_piece piece = { 0 }; pause_piece_next(&piece, (uint32_t)own.pair_count, SOLVER_UNITS);)
		for (uint32_t n = piece.first; n < piece.end; n++) {
			const struct pair_key *key = &own.keys[n];
			uint32_t k = key->id, a = key->a;
			/* A wall needs nothing: in its place the other side is taken twice. */
			bool wall = (key->b & SOLVER_WALL) != 0;
			uint32_t b = wall ? a : key->b;
			uint8_t kind = own.kinds[k];

			own.slot_of[k] = NONE;
			if (kind == PAIR_APART)
				continue;
			member_add(&own, a);
			member_add(&own, b);
			if (kind != PAIR_CONTACT) {
				own.others[others++] = k;
				continue;
			}

			bool a_moves = inverse_mass[a] > 0.0, b_moves = !wall & (inverse_mass[b] > 0.0);
			/* Of a side that does not move it is 0. */
			uint32_t colour = lowest_free(own.colour_mask[a] | own.colour_mask[b]);

			own.colour_mask[a] |= (uint64_t)a_moves << colour;
			own.colour_mask[b] |= (uint64_t)b_moves << colour;
			if (a_moves && b_moves)
				sides_join(own.root, a, b);
			own.contact_ids[contacts++] = k;
			own.slot_of[k] = a_moves ? a : b;
			own.colour[k] = colour;
			counts[colour]++;
		}
	solver->contact_count = contacts;
	solver->other_count = others;
}

/* Rounds a number of slots up to whole groups. */
static uint32_t
grouped(uint32_t count)
{
	return (count + LANES - 1) / LANES * LANES;
}

/* Numbers the islands in the order of their roots, and counts their bodies. Leaves in tally[] the island of each member; of one
 * in no island NONE. */
static void
islands_number(struct solver *solver)
{
	uint32_t *island_of = solver->tally, *root = solver->root, count = 0;
	struct island *islands = solver->islands;

	for (struct pause_piece piece = { 0 }; pause_piece_next(&piece, solver->member_count, SOLVER_UNITS);)
		for (uint32_t n = piece.first; n < piece.end; n++) {
			uint32_t i = solver->members[n], top = root[root[i]];

			root[i] = top;
			/* It has a contact, and moves. */
			if (solver->colour_mask[i] == 0) {
				island_of[i] = NONE;
				continue;
			}
			if (top == i) {
				island_of[i] = count;
				islands[count++] = (struct island){ .colour = COLOURS };
			}
			island_of[i] = island_of[top];
			islands[island_of[top]].body_end++;
		}
	solver->island_count = count;
}

/* Sorts the contacts by colour, into sorted[]. Leaves in slot_of[] their islands. */
static void
contacts_sort(struct solver *solver, const uint32_t counts[COLOURS])
{
	uint32_t start[COLOURS], sum = 0;

	for (uint32_t c = 0; c < COLOURS; c++) {
		start[c] = sum;
		sum += counts[c];
	}
	for (struct pause_piece piece = { 0 }; pause_piece_next(&piece, solver->contact_count, SOLVER_UNITS);)
		for (uint32_t n = piece.first; n < piece.end; n++) {
			uint32_t k = solver->contact_ids[n];

			solver->slot_of[k] = solver->tally[solver->slot_of[k]];
			solver->sorted[start[solver->colour[k]]++] = k;
		}
}

/* The next slot of an island for a contact of a colour. Colours begin with a group, so that no two lanes of one move the same
 * body. The last colour holds what found no other: one contact per group. */
static inline uint32_t
slot_deal(struct island *island, uint32_t colour)
{
	if (island->colour != colour || colour == COLOURS - 1)
		island->contact_end = grouped(island->contact_end);
	island->colour = colour;
	return island->contact_end++;
}

/* Deals slots, as if each island began with the first one. Leaves them in contact_ids[], in the order of sorted[]. */
static void
slots_deal(struct solver *solver)
{
	for (struct pause_piece piece = { 0 }; pause_piece_next(&piece, solver->contact_count, SOLVER_UNITS);)
		for (uint32_t n = piece.first; n < piece.end; n++) {
			uint32_t k = solver->sorted[n], colour = solver->colour[k];
			struct island *island = &solver->islands[solver->slot_of[k]];

			solver->contact_ids[n] = slot_deal(island, colour);
			island->contact_count++;
			island->sweep_count += colour == COLOURS - 1 ? SWEEP_ALONE : 1;
		}
}

/* The islands' slots and places follow each other. Gives the bodies their places. */
static void
islands_place(struct solver *solver)
{
	uint32_t slots = 0, placed = 0;

	for (uint32_t n = 0; n < solver->island_count && !pause_after(1); n++) {
		struct island *island = &solver->islands[n];
		uint32_t slot_count = grouped(island->contact_end), body_count = island->body_end;

		island->contact_start = slots;
		island->body_start = island->body_end = placed;
		slots += slot_count;
		placed += body_count;
		island->contact_end = slots;
	}
	solver->contact_end = slots;
	solver->placed = placed;
	for (struct pause_piece piece = { 0 }; pause_piece_next(&piece, solver->member_count, SOLVER_UNITS);)
		for (uint32_t n = piece.first; n < piece.end; n++) {
			uint32_t i = solver->members[n], island = solver->tally[i];
			uint32_t place = island == NONE ? placed++ : solver->islands[island].body_end++;

			solver->body[place] = i;
			solver->place[i] = place;
		}
	solver->place_end = placed;
}

/* The data of a pair in its slot. `part`: of a substep, that a round of its island is. */
static inline void
slot_fill(const struct solver *solver, const struct solver_bodies *bodies, uint32_t slot, uint32_t id, double part)
{
	const struct near_pair *pair = &solver->pairs[id];
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
	solver->impulses[slot / LANES].normal[lane] = part * pair->normal;
	solver->impulses[slot / LANES].tangent[lane] = part * pair->tangent;

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
			.impulse = part * pair->rolling,
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
	slot_fill(solver, bodies, slot, id, 1.0);
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

/* Fills the slots of the contacts. */
static void
slots_fill(struct solver *solver, const struct solver_bodies *bodies)
{
	const struct solver own = *solver;
	const struct solver_bodies columns = *bodies;

	for (struct pause_piece piece = { 0 }; pause_piece_next(&piece, own.contact_count, FILL_UNITS);)
		for (uint32_t n = piece.first; n < piece.end; n++) {
			uint32_t k = own.sorted[n];
			const struct island *island = &own.islands[own.slot_of[k]];
			uint32_t slot = island->contact_start + own.contact_ids[n];

			own.pair_of[slot] = k;
			own.slot_of[k] = slot;
			slot_fill(&own, &columns, slot, k, island_time(island, 1.0));
		}
}

/* Clears what slots of an island are unused. The minimum cushion of its contacts, and those with an immovable side. */
static void
island_fill(struct solver *solver, struct island *island, uint32_t body_count, uint32_t *outside)
{
	double least = (double)INFINITY;
	uint32_t count = *outside;

	island->outside_start = count;
	for (struct pause_piece piece = { island->contact_start, island->contact_start };
	     pause_piece_next(&piece, island->contact_end, SOLVER_UNITS);)
		for (uint32_t s = piece.first; s < piece.end; s++) {
			if (solver->pair_of[s] == NONE) {
				slot_clear(solver, s, body_count);
				continue;
			}
			least = lesser(solver->spacings[s / LANES].cushion[s % LANES], least);
			solver->outside[count] = s;
			count += place_yields(solver, slot_a(solver, s)) != place_yields(solver, slot_b(solver, s));
		}
	island->cushion = least;
	island->outside_end = *outside = count;
}

/* Which islands have two rounds, after their contacts were counted. False without memory. */
static bool
rounds_choose(struct solver *solver)
{
	solver->any_halved = false;
	for (uint32_t n = 0; n < solver->island_count && !pause_after(1); n++) {
		struct island *island = &solver->islands[n];

		/* A smaller one is solved exactly where sweeps do not suffice. */
		island->halved = solver->two_rounds && island->contact_count > SOLVER_EXACT_MAX;
		solver->any_halved |= island->halved;
		memset(&solver->halved[island->body_start], island->halved, island->body_end - island->body_start);
	}
	return !solver->any_halved ||
	       solver_reserve(&solver->first, &solver->first_capacity, solver->contact_end / LANES + 1, sizeof *solver->first);
}

bool
order_build(struct solver *solver, const struct solver_bodies *bodies)
{
	uint32_t counts[COLOURS] = { 0 }, outside = 0;

	contacts_find(solver, bodies, counts);
	members_list(solver, bodies->count);
	islands_number(solver);
	if (pause_stopped())
		return false;
	contacts_sort(solver, counts);
	slots_deal(solver);
	islands_place(solver);
	if (pause_stopped() || !slot_arrays_reserve(solver, (size_t)solver->contact_end + solver->other_count + LANES) ||
	    !pause_fill(solver->pair_of, 0xff, solver->contact_end * sizeof *solver->pair_of) || !rounds_choose(solver))
		return false;
	slots_fill(solver, bodies);
	for (uint32_t n = 0; n < solver->island_count && !pause_after(1); n++)
		island_fill(solver, &solver->islands[n], bodies->count, &outside);
	solver->slot_end = solver->other_end = solver->contact_end;
	for (uint32_t n = 0; n < solver->other_count; n++) {
		if (pause_after(FILL_UNITS) || !other_deal(solver, bodies, solver->others[n]))
			return false;
		solver->others[n] = solver->slot_of[solver->others[n]];
	}
	solver->ordered = true;
	solver->contacts_left = false;
	return !pause_stopped();
}
