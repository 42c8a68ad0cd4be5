#include "physics/rest_solver/solver.h"

#include "base/memory.h"
#include "physics/math/larger.h"
#include "physics/rest_solver/solver_kernels.h"

#include <math.h>
#include <string.h>

struct solver_tune
solver_tune_default(void)
{
	return (struct solver_tune){
		.cushion = 0.01,
		.push_from = 0.2,
		.push_below = 0.25,
		.push_share = 0.2,
		.tolerance = 0.01,
		.calm = 5e-5,
		.sweeps_min = 4,
		.sweeps_max = 40,
		.cold_sweeps = 2000,
		.hard_sweeps = 20,
		.overlap_sweeps = 400,
		.flow = 10.0,
		.flow_sweeps = 8,
		.gain = 0.1,
		.gain_sweeps = 200,
	};
}

struct solver *
solver_create(const struct solver_scene *scene, const struct solver_tune *tune)
{
	struct solver *solver = memory_zeroed(1, sizeof *solver);

	if (!solver)
		return NULL;
	solver->scene = *scene;
	solver->tune = *tune;
	solver->way = solver_kernels_best();
	for (uint32_t i = 0; i < scene->segment_count && !pause_after(1); i++)
		solver->belts |= scene->segments[i].surface_speed != 0.0;
	if (!walls_build(solver)) {
		solver_destroy(solver);
		return NULL;
	}
	return solver;
}

void
solver_destroy(struct solver *solver)
{
	if (!solver)
		return;
	if (solver->wall_grid.shared)
		solver->walls = NULL;

	void *arrays[] = {
		solver->spots,      solver->members,       solver->member_bits,   solver->kinds,     solver->contact_ids,
		solver->others,     solver->was_driven,    solver->rim,           solver->listed,    solver->bedded,
		solver->driven,     solver->unclear,       solver->walls,         solver->pairs,     solver->keys,
		solver->built_x,    solver->built_y,       solver->share,         solver->mass,      solver->reach,
		solver->impulses,   solver->place,         solver->body,          solver->pair_of,   solver->slot_of,
		solver->slot_kind,  solver->contacts,      solver->spacings,      solver->rollers,   solver->islands,
		solver->root,       solver->colour_mask,   solver->colour,        solver->sorted,    solver->hot,
		solver->hot_before, solver->hot_direction, solver->hot_start,     solver->positions, solver->displacements,
		solver->kept,       solver->change,        solver->surface_bias,  solver->direction, solver->stale,
		solver->is_stale,   solver->tally,         solver->free_ids,      solver->fresh,     solver->fresh_sorted,
		solver->next_keys,  solver->cells.rows,    solver->cells.buckets, solver->dormant,   solver->near,
		solver->listings,   solver->outside,       solver->exact,         solver->halved,    solver->first,
		solver->steady,
	};

	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
		memory_free(arrays[i]);
	wall_grid_finish(&solver->wall_grid);
	memory_free(solver);
}

size_t
solver_memory_bytes(const struct solver *solver)
{
	const size_t per_slot = sizeof(struct roller) + 2 * sizeof(uint32_t) + 1;
	const size_t per_group = sizeof(struct contacts) + sizeof(struct spacings) + 3 * sizeof(struct impulses) +
	                         sizeof(struct surface_bias);
	const size_t per_id = 5 * sizeof(uint32_t) + 1;
	const size_t per_body = 4 * sizeof(struct solver_body) + sizeof(struct solver_position) + sizeof(struct displacement) +
	                        sizeof(struct island) + 7 * sizeof(double) + 2 * sizeof(uint64_t) + 6 * sizeof(uint32_t) + 8 +
	                        sizeof(struct near_row) + sizeof(struct near_spot);

	if (!solver)
		return 0;
	return sizeof *solver + walls_bytes(solver) + solver->pair_capacity * sizeof(struct near_pair) +
	       (solver->key_capacity + solver->next_capacity + solver->fresh_capacity + solver->sorted_capacity) *
	           sizeof(struct pair_key) +
	       solver->dormant_capacity * sizeof(struct solver_warm) + solver->listing_capacity * sizeof(struct solver_listing) +
	       solver->slot_capacity * per_slot + solver->group_capacity * per_group + solver->id_capacity * per_id +
	       solver->body_capacity * per_body + solver->exact_capacity * sizeof *solver->exact +
	       solver->first_capacity * sizeof *solver->first +
	       (solver->free_capacity + solver->cells.bucket_capacity + solver->near_capacity) * sizeof(uint32_t);
}

/* Sets the places of the moving walls. Whether any of them is in a contact decides whether anything drives. */
static void
walls_kick(struct solver *solver, uint32_t wall, double h)
{
	for (uint32_t k = 0; k < solver->scene.moving_count && !pause_after(1); k++) {
		const struct segment *s = &solver->scene.segments[solver->scene.moving[k]];
		uint32_t place = wall + 1 + k;

		solver->hot[place] = (struct solver_body){ { s->vx, s->vy }, { 0.0, 0.0 } };
		solver->displacements[place] = (struct displacement){ { s->vx * h, s->vy * h } };
	}
	for (uint32_t slot = 0;
	     slot < solver->contact_end && solver->scene.moving_count > 0 && !solver->any_driver && !pause_after(1); slot++)
		solver->any_driver = solver->pair_of[slot] != NONE && slot_b(solver, slot) > wall;
}

/* A body's velocity after gravity's change `kick`; adds to the ledger if it is driven. */
static inline void
body_damp(const struct solver *solver, const struct solver_bodies *bodies, uint32_t i, pair2 kick, struct solver_ledger *energy)
{
	uint32_t place = solver->place[i];
	double mass = solver->mass[i];
	double surface = bodies->spin[i] * bodies->radius[i] / solver->rim[i], inverse_mass = bodies->inverse_mass[i];
	pair2 v = { bodies->vx[i], bodies->vy[i] }, square = v * v, kicked = v, gain;

	if (mass > 0.0)
		kicked = v + kick;
	gain = kick * (v + kicked);
	solver->hot[place] = (struct solver_body){ kicked, { surface, inverse_mass } };
	solver->hot_start[place] = (struct solver_body){ kicked, { surface, mass } };
	if (!solver->driven[place])
		return;
	energy->kinetic_before += mass * (0.5 * (square[0] + square[1] + 0.5 * surface * surface));
	energy->kick += mass * (0.5 * (gain[0] + gain[1]));
}

/* The sides of unused slots: far from each other, but by a distance with a finite square. */
static void
unused_place(struct solver *solver, uint32_t place)
{
	for (uint32_t k = 0; k < 2; k++) {
		solver->positions[place + k] = (struct solver_position){ .at = { k == 0 ? 0x1p400 : 0.0, 0.0 } };
		solver->hot[place + k] = (struct solver_body){ 0 };
		solver->displacements[place + k] = (struct displacement){ 0 };
		solver->driven[place + k] = 0;
	}
}

/* Where the members are, and whether they were solver-driven. */
static void
bodies_place(struct solver *solver, const struct solver_bodies *bodies, double h)
{
	const struct solver own = *solver;
	const struct solver_bodies columns = *bodies;
	uint32_t wall = columns.count;

	for (struct pause_piece piece = { 0 }; pause_piece_next(&piece, own.member_count, SOLVER_UNITS);)
		for (uint32_t n = piece.first; n < piece.end; n++) {
			uint32_t i = own.members[n], place = own.place[i];
			double x = columns.x[i], y = columns.y[i], ax = fabs(x), ay = fabs(y);

			own.positions[place] = (struct solver_position){ { x, y }, { SKIN_PER_COORDINATE * larger(ax, ay), own.reach[i] } };
			own.was_driven[place] = (columns.active[i] == SOLVER_LED) | !(columns.inverse_mass[i] > 0.0);
		}
	memset(&own.was_driven[wall], 1, places_end(solver, wall) - wall);
	own.positions[wall] = (struct solver_position){ .at = { (double)NAN, (double)NAN } };
	for (uint32_t k = 0; k < own.scene.moving_count && !pause_after(1); k++) {
		const struct segment *s = &own.scene.segments[own.scene.moving[k]];

		own.positions[wall + 1 + k] = (struct solver_position){ { (double)NAN, (double)NAN },
			                                                    { s->rounding, h * segment_speed(s) } };
	}
	unused_place(solver, place_unused(solver, wall));
}

/* The same for all. */
static void
bodies_kick(struct solver *solver, const struct solver_bodies *bodies, double h, struct solver_ledger *out)
{
	/* Copies, which the compiler knows to be constant. */
	const struct solver own = *solver;
	const struct solver_bodies columns = *bodies;
	const pair2 whole = { own.scene.gravity_x * h, own.scene.gravity_y * h };
	struct solver_ledger energy = { 0 };

	for (struct pause_piece piece = { 0 }; pause_piece_next(&piece, own.member_count, SOLVER_UNITS);)
		for (uint32_t n = piece.first; n < piece.end; n++) {
			uint32_t i = own.members[n];

			body_damp(&own, &columns, i, whole * both(place_time(&own, own.place[i], 1.0) * body_scale(&columns, i)), &energy);
		}
	out->kinetic_before = energy.kinetic_before;
	out->kick = energy.kick;
	solver->any_driver = own.drives;
	solver->hot[columns.count] = (struct solver_body){ 0 };
	solver->displacements[columns.count] = (struct displacement){ 0 };
	walls_kick(solver, columns.count, h);
}

/* Whether two bodies at rest overlap: that is how they began, as no solver-driven body gets there. Overlap by something that
 * drives into them does not count. */
static bool
slot_overlaps(const struct solver *solver, uint32_t slot)
{
	const struct solver_body *a = &solver->hot[slot_a(solver, slot)], *b = &solver->hot[slot_b(solver, slot)];
	const struct spacings *s = &solver->spacings[slot / LANES];

	return s->gap[slot % LANES] < -2.0 * s->skin_least[slot % LANES] && slot_driven(solver, slot) &&
	       (!solver->any_driver || (a->rest[1] > 0.0 && b->rest[1] > 0.0));
}

static void
overlaps_find(struct solver *solver, bool deep)
{
	for (uint32_t n = 0; n < solver->island_count && !pause_after(1); n++) {
		struct island *island = &solver->islands[n];

		island->overlaps = false;
		for (uint32_t slot = island->contact_start; deep && !island->overlaps && slot < island->contact_end && !pause_after(1);
		     slot++)
			island->overlaps = slot_overlaps(solver, slot);
	}
}

/* Gravity waits where overlapping bodies are supported. It takes many substeps to push a deep pile apart from below. What is
 * lifted in one must not fall in the next, which would gain speed without end. */
static void
overlaps_unkick(struct solver *solver, const struct solver_bodies *bodies, double h, struct solver_ledger *energy)
{
	const pair2 g = { solver->scene.gravity_x, solver->scene.gravity_y };

	for (uint32_t n = 0; n < solver->island_count && !pause_after(1); n++) {
		const struct island *island = &solver->islands[n];
		const pair2 whole = g * both(island_time(island, h));

		if (!island->overlaps || !island->held)
			continue;
		for (uint32_t i = island->body_start; i < island->body_end && !pause_after(1); i++) {
			struct solver_body *start = &solver->hot_start[i];
			pair2 kick = whole * both(body_scale(bodies, solver->body[i]));
			pair2 won = kick * (start->v - both(0.5) * kick);

			if (solver->driven[i])
				solver->driven[i] = SOLVER_WAITS;
			if (!(start->rest[1] > 0.0))
				continue;
			energy->kick -= start->rest[1] * (won[0] + won[1]);
			solver->hot[i].v -= kick;
			start->v -= kick;
		}
	}
}

/* Brings the slots into the order of the present contacts, measured and warm started. Two rounds at most: which pairs are
 * contacts does not depend on the order. *deep is set to whether some may overlap. False without memory. */
static bool
contacts_prepare(struct solver *solver, const struct solver_bodies *bodies, double h, bool *deep, struct solver_ledger *energy)
{
	if (!solver->ordered)
		kinds_guess(solver, bodies, h);
	else if (!others_add(solver, bodies, h))
		return false;
	for (;;) {
		if ((!solver->ordered && !order_build(solver, bodies)) || pause_stopped())
			return false;
		/* Not together with the order: it also depends on which bodies were solver-driven, and must not depend on when the
		 * order was made. */
		islands_choose(solver, bodies);
		bodies_place(solver, bodies, h);
		*deep = false;

		bool same = others_measure(solver, bodies, h, deep) && !solver->contacts_left;

		if (same)
			bodies_kick(solver, bodies, h, energy);
		if (contacts_measure(solver, bodies, h, same, deep) && same)
			return true;
		kinds_take(solver, bodies, h);
		order_release(solver);
	}
}

/* A body's straight displacement, and its present velocity; adds to the ledger. */
static inline void
displacement_start(const struct solver *solver, const struct solver_bodies *bodies, uint32_t i, double h,
                   struct solver_ledger *energy)
{
	uint32_t place = solver->place[i];
	const struct solver_body *b = &solver->hot[place];
	pair2 v = b->v, displacement = v * both(place_time(solver, place, h)), square = v * v;

	if (solver->steady[place]) {
		displacement = ((pair2){ bodies->vx[i], bodies->vy[i] } + v) * both(0.5 * h);
		bodies->vx_before[i] = bodies->vx[i];
		bodies->vy_before[i] = bodies->vy[i];
		bodies->spin_before[i] = bodies->spin[i];
	}

	/* After that of the first round. */
	if (place_yields(solver, place) && solver->halved[place])
		displacement += solver->displacements[place].v;
	pair2 fall = (pair2){ solver->scene.gravity_x, solver->scene.gravity_y } * displacement;
	double mass = solver->mass[i], surface = b->rest[0];

	solver->displacements[place].v = solver->hot_before[place].v = displacement;
	solver->unclear[place] = displacement_beyond(solver, place);
	if (!solver->driven[place] || mass == 0.0)
		return;
	energy->kinetic_after += mass * (0.5 * (square[0] + square[1] + 0.5 * surface * surface));
	energy->lift -= mass * body_scale(bodies, i) * (fall[0] + fall[1]);
	bodies->displacement_x[i] = displacement[0];
	bodies->displacement_y[i] = displacement[1];
	bodies->vx[i] = v[0];
	bodies->vy[i] = v[1];
	bodies->spin[i] = surface * solver->rim[i] / bodies->radius[i];
}

/* The same for all. */
static void
displacements_start(struct solver *solver, const struct solver_bodies *bodies, double h, struct solver_ledger *out)
{
	const struct solver own = *solver;
	const struct solver_bodies columns = *bodies;
	struct solver_ledger energy = *out;

	for (struct pause_piece piece = { 0 }; pause_piece_next(&piece, own.member_count, SOLVER_UNITS);)
		for (uint32_t n = piece.first; n < piece.end; n++)
			displacement_start(&own, &columns, own.members[n], h, &energy);
	*out = energy;
}

/* The change of potential energy by the displacements. */
static double
displacements_lift(const struct solver *solver, const struct solver_bodies *bodies)
{
	const struct solver own = *solver;
	const struct solver_bodies columns = *bodies;
	double sum = 0.0;

	for (struct pause_piece piece = { 0 }; pause_piece_next(&piece, own.member_count, SOLVER_UNITS);)
		for (uint32_t n = piece.first; n < piece.end; n++) {
			uint32_t i = own.members[n], place = own.place[i];
			pair2 displacement = own.displacements[place].v;

			if (!own.driven[place])
				continue;
			sum -= own.mass[i] * body_scale(&columns, i) *
			       (own.scene.gravity_x * displacement[0] + own.scene.gravity_y * displacement[1]);
		}
	return sum;
}

/* Counts the displacements that were cut. */
static void
clips_count(const struct solver *solver, struct solver_report *report)
{
	for (uint32_t place = 0; place < solver->place_end && !pause_after(1); place++) {
		double lost = solver->driven[place] ? 1.0 - solver->kept[place] : 0.0;

		report->clips += lost > 0.0;
		report->clip_most = lost > report->clip_most ? lost : report->clip_most;
	}
}

static void
displacements_write(const struct solver *solver, const struct solver_bodies *bodies)
{
	const struct solver own = *solver;
	const struct solver_bodies columns = *bodies;

	for (struct pause_piece piece = { 0 }; pause_piece_next(&piece, own.member_count, SOLVER_UNITS);)
		for (uint32_t n = piece.first; n < piece.end; n++) {
			uint32_t i = own.members[n], place = own.place[i];

			if (!own.driven[place] || own.mass[i] == 0.0)
				continue;
			columns.displacement_x[i] = own.displacements[place].v[0];
			columns.displacement_y[i] = own.displacements[place].v[1];
		}
}

/* Displacements that come too near are pushed and clipped. `push`: some contact is to be pushed; `parted`: some displacement is
 * no longer straight. */
static void
displacements_correct(struct solver *solver, const struct solver_bodies *bodies, bool push, bool parted,
                      struct solver_report *report)
{
	struct solver_ledger *energy = &report->energy;
	double straight = energy->lift;

	if (push) {
		displacements_push(solver, bodies, report);
		for (struct pause_piece piece = { 0 }; pause_piece_next(&piece, solver->placed, 1);)
			for (uint32_t place = piece.first; place < piece.end; place++)
				solver->unclear[place] = displacement_beyond(solver, place);
	}

	/* Where nothing has changed the sum is the same to the bit. */
	double pushed = push || parted ? displacements_lift(solver, bodies) : straight;

	for (struct pause_piece piece = { 0 }; pause_piece_next(&piece, solver->place_end, 1);)
		for (uint32_t place = piece.first; place < piece.end; place++)
			solver->kept[place] = 1.0;
	bool cut = displacements_clip(solver, bodies->work_most, report);

	energy->lift = cut ? displacements_lift(solver, bodies) : pushed;
	energy->push = pushed - straight;
	energy->clip = energy->lift - pushed;
	if (cut)
		clips_count(solver, report);
	if (cut || push || parted)
		displacements_write(solver, bodies);
}

/* Writes the motion of the bodies: straight on where there is room. */
static void
displacements_find(struct solver *solver, const struct solver_bodies *bodies, double h, struct solver_report *report)
{
	steady_find(solver, bodies, h);
	displacements_start(solver, bodies, h, &report->energy);

	bool parted = displacements_part(solver);
	struct gap_summary gaps = gaps_measure(solver);

	report->energy.kick += report->energy.lift;
	report->gap_min = gaps.gap_least;
	if (gaps.gap_least < 0.0 || gaps.push || parted)
		displacements_correct(solver, bodies, gaps.push, parted, report);
}

/* Writes which bodies are solver-driven. */
static void
driven_write(struct solver *solver, const struct solver_bodies *bodies)
{
	uint32_t count = bodies->count;
	const struct awake *awake = &bodies->awake;

	for (uint32_t n = 0; n < solver->other_count && !pause_after(1); n++) {
		uint32_t slot = solver->others[n];

		if (solver->slot_kind[slot] == PAIR_EVENT)
			solver->unclear[slot_a(solver, slot)] = solver->unclear[slot_b(solver, slot)] = true;
	}

	const uint8_t *unclear = solver->unclear, *driven_flags = solver->driven;
	const double *mass = solver->mass;
	uint8_t *out = bodies->driven;

	for (struct span s = awake_span(awake, 0, count); s.first < s.end; s = awake_span(awake, s.end, count))
		memset(&out[s.first], 0, s.end - s.first);
	for (struct pause_piece piece = { 0 }; pause_piece_next(&piece, solver->place_end, SOLVER_UNITS);)
		for (uint32_t place = piece.first; place < piece.end; place++) {
			uint32_t i = solver->body[place];
			uint8_t driven = driven_flags[place], plain = unclear[place] ? 1 : SOLVER_CLEAR;

			plain = driven == SOLVER_WAITS ? SOLVER_WAITS : plain;
			out[i] = driven == 0 || mass[i] == 0.0 ? 0 : plain;
			if (bodies->steady)
				bodies->steady[i] = solver->steady[place];
		}
	memset(solver->unclear, 0, solver->place_end);
	memset(&solver->unclear[count], 0, (size_t)1 + solver->scene.moving_count);
}

bool
solver_step(struct solver *solver, const struct solver_bodies *bodies, double time, double h, struct solver_report *report)
{
	struct solver_ledger *energy = &report->energy;
	bool deep;

	*report = (struct solver_report){ 0 };
	solver->any_surface = solver->belts || bodies->surface_speed;
	if (solver->two_rounds != bodies->two_rounds)
		order_release(solver);
	solver->two_rounds = bodies->two_rounds;
	walls_move(solver, time);
	if (!pairs_update(solver, bodies, h, &report->rebuilt))
		return false;
	if (!contacts_prepare(solver, bodies, h, &deep, energy))
		return false;
	overlaps_find(solver, deep);
	islands_let_go(solver, bodies, h, energy);
	report->pairs = (uint32_t)solver->pair_count;
	report->contacts = solver->contact_count;
	report->islands = solver->island_count;
	report->placed = solver->placed;
	overlaps_unkick(solver, bodies, h, energy);
	islands_solve(solver, bodies, time, h, report);
	if (solver->failed || pause_stopped())
		return false;

	double kicked = energy->kick;

	displacements_find(solver, bodies, h, report);
	if (solver->failed || pause_stopped())
		return false;
	energy->contact = energy->kinetic_after - energy->kinetic_before - kicked - energy->work;
	driven_write(solver, bodies);
	solver->wall_room = larger(solver->wall_room - h, 0.0);
	return !pause_stopped();
}

double
solver_wall_room(const struct solver *solver)
{
	return solver->wall_room;
}

void
solver_wall_room_set(struct solver *solver, double room)
{
	solver->wall_room = room;
}

void
solver_calls_set(struct solver *solver, bool heaps, bool asks)
{
	solver->scene.heaps = heaps;
	solver->scene.asks = asks;
}

void
solver_gravity_set(struct solver *solver, double x, double y)
{
	solver->scene.gravity_x = x;
	solver->scene.gravity_y = y;
}
