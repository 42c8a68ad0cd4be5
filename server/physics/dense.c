#include "physics/dense.h"

#include "physics/dense_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct dense_tune
dense_tune_default(void)
{
	return (struct dense_tune){
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
		.gain = 0.1,
		.gain_sweeps = 200,
	};
}

bool
dense_reserve(void *array_pointer, size_t *capacity, size_t count, size_t size)
{
	void **array = array_pointer;

	if (count <= *capacity)
		return true;

	size_t wanted = *capacity ? *capacity * 2 : 64;

	if (wanted < count)
		wanted = count + count / 4;

	char *grown = realloc(*array, wanted * size);

	if (!grown)
		return false;
	memset(grown + *capacity * size, 0, (wanted - *capacity) * size);
	*array = grown;
	*capacity = wanted;
	return true;
}

struct dense *
dense_create(const struct dense_scene *scene, const struct dense_tune *tune)
{
	struct dense *dense = calloc(1, sizeof *dense);

	if (!dense)
		return NULL;
	dense->scene = *scene;
	dense->tune = *tune;
	for (uint32_t i = 0; i < scene->segment_count; i++)
		dense->belts |= scene->segments[i].surface_speed != 0.0;
	if (!walls_build(dense)) {
		dense_destroy(dense);
		return NULL;
	}
	return dense;
}

void
dense_destroy(struct dense *dense)
{
	if (!dense)
		return;

	void *arrays[] = {
		dense->was_led,     dense->rim,        dense->listed,     dense->led,     dense->unclear,    dense->walls,
		dense->pairs,       dense->old_pairs,  dense->built_x,    dense->built_y, dense->share,      dense->mass,
		dense->reach,       dense->impulses,   dense->place,      dense->body,    dense->pair_of,    dense->slot_of,
		dense->slot_kind,   dense->contacts,   dense->spacings,   dense->rollers, dense->islands,    dense->root,
		dense->colour_mask, dense->colour,     dense->sorted,     dense->hot,     dense->hot_before, dense->hot_direction,
		dense->hot_start,   dense->spots,      dense->legs,       dense->kept,    dense->change,     dense->drives,
		dense->direction,   dense->cell_start, dense->cell_items, dense->dormant, dense->near,       dense->listings,
	};

	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
		free(arrays[i]);
	wall_grid_finish(&dense->wall_grid);
	free(dense);
}

size_t
dense_memory_bytes(const struct dense *dense)
{
	const size_t per_slot = (sizeof(struct contacts) + sizeof(struct spacings) + 3 * sizeof(struct impulses) + sizeof(pair2)) /
	                            LANES +
	                        sizeof(struct roller) + 4 * sizeof(uint32_t) + 1;
	const size_t per_body = 4 * sizeof(struct hot_body) + sizeof(struct spot) + sizeof(struct leg) + sizeof(struct island) +
	                        7 * sizeof(double) + sizeof(uint64_t) + 3 * sizeof(uint32_t) + 4;

	if (!dense)
		return 0;
	return sizeof *dense + dense->scene.segment_count * sizeof(struct wall) +
	       (dense->pair_capacity + dense->old_capacity) * sizeof(struct pair) +
	       dense->dormant_capacity * sizeof(struct dense_warm) + dense->listing_capacity * sizeof(struct dense_listing) +
	       dense->slot_capacity * per_slot + dense->body_capacity * per_body +
	       (dense->cell_capacity + dense->item_capacity + dense->near_capacity) * sizeof(uint32_t);
}

/* The places of the walls that move. Whether any is in a contact decides whether something drives. */
static void
walls_kick(struct dense *dense, uint32_t wall, double h)
{
	for (uint32_t k = 0; k < dense->scene.moving_count; k++) {
		const struct segment *s = &dense->scene.segments[dense->scene.moving[k]];
		uint32_t place = wall + 1 + k;

		dense->spots[place] = (struct spot){ { 0.0, 0.0 }, { s->rounding, h * segment_speed(s) } };
		dense->hot[place] = (struct hot_body){ { s->vx, s->vy }, { 0.0, 0.0 } };
		dense->legs[place] = (struct leg){ { s->vx * h, s->vy * h } };
	}
	for (uint32_t slot = 0; slot < dense->contact_end && dense->scene.moving_count > 0 && !dense->any_driver; slot++)
		dense->any_driver = dense->pair_of[slot] != NONE && slot_b(dense, slot) > wall;
}

/* Where the bodies are, and their velocities after gravity's kick. */
static void
bodies_kick(struct dense *dense, const struct dense_bodies *bodies, double h, struct dense_ledger *energy)
{
	double kick_x = dense->scene.gravity_x * h, kick_y = dense->scene.gravity_y * h;

	energy->kinetic_before = energy->kick = 0.0;
	dense->any_driver = false;
	for (uint32_t i = 0; i < bodies->count; i++) {
		uint32_t place = dense->place[i];
		double x = bodies->x[i], y = bodies->y[i], ax = fabs(x), ay = fabs(y);
		double vx = bodies->vx[i], vy = bodies->vy[i], surface = bodies->spin[i] * bodies->radius[i] / dense->rim[i];
		double gx = kick_x * body_scale(bodies, i), gy = kick_y * body_scale(bodies, i);
		bool moved = dense->mass[i] > 0.0;
		double kx = moved ? vx + gx : vx, ky = moved ? vy + gy : vy;

		dense->spots[place] = (struct spot){ { x, y }, { SKIN_PER_COORDINATE * (ax > ay ? ax : ay), dense->reach[i] } };
		dense->hot[place] = (struct hot_body){ { kx, ky }, { surface, bodies->inverse_mass[i] } };
		dense->hot_start[place] = (struct hot_body){ { kx, ky }, { surface, dense->mass[i] } };
		dense->any_driver |= bodies->inverse_mass[i] == 0.0 && (vx != 0.0 || vy != 0.0 || surface != 0.0);
		energy->kinetic_before += dense->mass[i] * (0.5 * (vx * vx + vy * vy + 0.5 * surface * surface));
		energy->kick += dense->mass[i] * (0.5 * (gx * (vx + kx) + gy * (vy + ky)));
	}
	dense->spots[bodies->count] = (struct spot){ 0 };
	dense->hot[bodies->count] = (struct hot_body){ 0 };
	dense->legs[bodies->count] = (struct leg){ 0 };
	walls_kick(dense, bodies->count, h);
}

/* Whether two that lie still overlap: so they begin, nothing that is led comes to it. What something drives into them is not
 * meant. */
static bool
slot_overlaps(const struct dense *dense, uint32_t slot)
{
	const struct hot_body *a = &dense->hot[slot_a(dense, slot)], *b = &dense->hot[slot_b(dense, slot)];
	const struct spacings *s = &dense->spacings[slot / LANES];

	return s->gap[slot % LANES] < -2.0 * s->skin_least[slot % LANES] && slot_led(dense, slot) &&
	       (!dense->any_driver || (a->rest[1] > 0.0 && b->rest[1] > 0.0));
}

/* A slot left over has an infinite gap. */
static bool
island_overlaps(const struct dense *dense, const struct island *island)
{
	for (uint32_t k = island->contact_start / LANES; k < island->contact_end / LANES; k++) {
		const struct spacings *s = &dense->spacings[k];
		mask2 deep = s->gap < both(-2.0) * s->skin_least;

		if ((deep[0] || deep[1]) && (slot_overlaps(dense, LANES * k) || slot_overlaps(dense, LANES * k + 1)))
			return true;
	}
	return false;
}

/* Gravity waits where bodies overlap: it takes many sub-steps to push a deep pile apart from below, and what is lifted in one
 * must not fall in the next, which would win speed without end. */
static void
overlaps_unkick(struct dense *dense, const struct dense_bodies *bodies, double h, struct dense_ledger *energy)
{
	const pair2 whole = { dense->scene.gravity_x * h, dense->scene.gravity_y * h };

	for (uint32_t n = 0; n < dense->island_count; n++) {
		struct island *island = &dense->islands[n];

		island->overlaps = island_overlaps(dense, island);
		if (!island->overlaps)
			continue;
		for (uint32_t i = island->body_start; i < island->body_end; i++) {
			struct hot_body *start = &dense->hot_start[i];
			pair2 kick = whole * both(body_scale(bodies, dense->body[i]));
			pair2 won = kick * (start->v - both(0.5) * kick);

			if (dense->led[i])
				dense->led[i] = DENSE_WAITS;
			if (!(start->rest[1] > 0.0))
				continue;
			energy->kick -= start->rest[1] * (won[0] + won[1]);
			dense->hot[i].v -= kick;
			start->v -= kick;
		}
	}
}

/* Ends with the slots in the order of the contacts as they are now, measured and warm started. Two rounds at most: which pairs
 * are contacts does not depend on the order. */
static void
contacts_prepare(struct dense *dense, const struct dense_bodies *bodies, double h, struct dense_ledger *energy)
{
	for (;;) {
		if (!dense->ordered)
			order_build(dense, bodies);
		/* Not with the order: it depends on who was led too, and must not on when the order was made. */
		islands_choose(dense, bodies);
		bodies_kick(dense, bodies, h, energy);
		if (slots_measure(dense, bodies, h))
			return;
		order_release(dense);
	}
}

/* The straight legs. */
static void
legs_start(struct dense *dense, const struct dense_bodies *bodies, double h, struct dense_ledger *energy)
{
	for (uint32_t i = 0; i < bodies->count; i++) {
		const struct hot_body *b = &dense->hot[dense->place[i]];
		pair2 leg = b->v * both(h), square = b->v * b->v;

		dense->legs[dense->place[i]].v = leg;
		dense->kept[dense->place[i]] = 1.0;
		energy->kinetic_after += dense->mass[i] * (0.5 * (square[0] + square[1] + 0.5 * b->rest[0] * b->rest[0]));
		energy->lift -= dense->mass[i] * body_scale(bodies, i) *
		                (dense->scene.gravity_x * leg[0] + dense->scene.gravity_y * leg[1]);
	}
}

/* What the legs change of the potential energy. */
static double
legs_lift(const struct dense *dense, const struct dense_bodies *bodies)
{
	double sum = 0.0;

	for (uint32_t i = 0; i < bodies->count; i++) {
		pair2 leg = dense->legs[dense->place[i]].v;

		sum -= dense->mass[i] * body_scale(bodies, i) * (dense->scene.gravity_x * leg[0] + dense->scene.gravity_y * leg[1]);
	}
	return sum;
}

/* The legs: straight on where there is room, else pushed and cut. */
static void
legs_find(struct dense *dense, const struct dense_bodies *bodies, double h, struct dense_report *report)
{
	struct dense_ledger *energy = &report->energy;

	legs_start(dense, bodies, h, energy);

	double straight = energy->lift;
	struct survey survey = legs_survey(dense);

	energy->kick += straight;
	report->gap_min = survey.gap_least;
	if (survey.push)
		legs_push(dense, report);
	legs_mark(dense);
	if (survey.gap_least >= 0.0 && !survey.push)
		return;

	double pushed = legs_lift(dense, bodies);

	legs_clip(dense, report);
	energy->lift = legs_lift(dense, bodies);
	energy->push = pushed - straight;
	energy->clip = energy->lift - pushed;
	for (uint32_t i = 0; i < bodies->count; i++) {
		double lost = dense->led[i] ? 1.0 - dense->kept[i] : 0.0;

		report->clips += lost > 0.0;
		report->clip_most = lost > report->clip_most ? lost : report->clip_most;
	}
}

static void
bodies_write(struct dense *dense, const struct dense_bodies *bodies)
{
	for (uint32_t slot = dense->far_end; slot < dense->slot_end; slot++)
		dense->unclear[slot_a(dense, slot)] = dense->unclear[slot_b(dense, slot)] = true;
	for (uint32_t i = 0; i < bodies->count; i++) {
		uint32_t place = dense->place[i];
		const struct hot_body *b = &dense->hot[place];

		bodies->led[i] = !dense->led[place] || dense->mass[i] == 0.0 ? 0
		                 : dense->led[place] == DENSE_WAITS          ? DENSE_WAITS
		                 : dense->unclear[place]                     ? 1
		                                                             : DENSE_CLEAR;
		if (!bodies->led[i])
			continue;
		bodies->leg_x[i] = dense->legs[place].v[0];
		bodies->leg_y[i] = dense->legs[place].v[1];
		bodies->vx[i] = b->v[0];
		bodies->vy[i] = b->v[1];
		bodies->spin[i] = b->rest[0] * dense->rim[i] / bodies->radius[i];
	}
	memset(dense->unclear, 0, (size_t)bodies->count + 1 + dense->scene.moving_count);
}

bool
dense_step(struct dense *dense, const struct dense_bodies *bodies, double time, double h, struct dense_report *report)
{
	struct dense_ledger *energy = &report->energy;

	*report = (struct dense_report){ 0 };
	dense->any_surface = dense->belts || bodies->surface_speed;
	walls_move(dense, time);
	if (!pairs_update(dense, bodies, h, &report->rebuilt))
		return false;
	contacts_prepare(dense, bodies, h, energy);
	report->pairs = (uint32_t)dense->pair_count;
	report->contacts = dense->contact_count;
	report->islands = dense->island_count;
	overlaps_unkick(dense, bodies, h, energy);
	islands_solve(dense, bodies, h, report);

	double kicked = energy->kick;

	legs_find(dense, bodies, h, report);
	energy->contact = energy->kinetic_after - energy->kinetic_before - kicked - energy->work;
	bodies_write(dense, bodies);
	dense->wall_room = larger(dense->wall_room - h, 0.0);
	return true;
}

double
dense_wall_room(const struct dense *dense)
{
	return dense->wall_room;
}

void
dense_wall_room_set(struct dense *dense, double room)
{
	dense->wall_room = room;
}
