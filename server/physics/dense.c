#include "physics/dense.h"

#include "physics/dense_way.h"
#include "physics/larger.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a line of the cache. */
#define LINE 64

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

	size_t bytes = (wanted * size + LINE - 1) / LINE * LINE, used = *capacity * size;
	char *grown = aligned_alloc(LINE, bytes);

	if (!grown)
		return false;
	if (used > 0)
		memcpy(grown, *array, used);
	memset(grown + used, 0, bytes - used);
	free(*array);
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
	dense->way = dense_way_best();
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
		dense->was_led,       dense->rim,         dense->listed,     dense->bedded,     dense->led,     dense->unclear,
		dense->walls,         dense->pairs,       dense->old_pairs,  dense->built_x,    dense->built_y, dense->share,
		dense->mass,          dense->reach,       dense->impulses,   dense->place,      dense->body,    dense->pair_of,
		dense->slot_of,       dense->slot_kind,   dense->contacts,   dense->spacings,   dense->rollers, dense->islands,
		dense->root,          dense->colour_mask, dense->colour,     dense->sorted,     dense->hot,     dense->hot_before,
		dense->hot_direction, dense->hot_start,   dense->spots,      dense->legs,       dense->kept,    dense->change,
		dense->drives,        dense->direction,   dense->cell_start, dense->cell_items, dense->dormant, dense->near,
		dense->listings,      dense->outside,
	};

	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
		free(arrays[i]);
	wall_grid_finish(&dense->wall_grid);
	free(dense);
}

size_t
dense_memory_bytes(const struct dense *dense)
{
	const size_t per_slot = (sizeof(struct contacts) + sizeof(struct spacings) + 3 * sizeof(struct impulses) +
	                         sizeof(struct drives)) /
	                            LANES +
	                        sizeof(struct roller) + 5 * sizeof(uint32_t) + 1;
	const size_t per_body = 4 * sizeof(struct hot_body) + sizeof(struct spot) + sizeof(struct leg) + sizeof(struct island) +
	                        7 * sizeof(double) + sizeof(uint64_t) + 3 * sizeof(uint32_t) + 5;

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

		dense->spots[place] = (struct spot){ { (double)NAN, (double)NAN }, { s->rounding, h * segment_speed(s) } };
		dense->hot[place] = (struct hot_body){ { s->vx, s->vy }, { 0.0, 0.0 } };
		dense->legs[place] = (struct leg){ { s->vx * h, s->vy * h } };
	}
	for (uint32_t slot = 0; slot < dense->contact_end && dense->scene.moving_count > 0 && !dense->any_driver; slot++)
		dense->any_driver = dense->pair_of[slot] != NONE && slot_b(dense, slot) > wall;
}

/* Where a body is, whether it was led, and its velocity after gravity's `kick`; adds to the ledger if it is led. True if it
 * drives others. */
static inline bool
body_kick(const struct dense *dense, const struct dense_bodies *bodies, uint32_t i, pair2 kick, struct dense_ledger *energy)
{
	uint32_t place = dense->place[i];
	double x = bodies->x[i], y = bodies->y[i], ax = fabs(x), ay = fabs(y), mass = dense->mass[i];
	double surface = bodies->spin[i] * bodies->radius[i] / dense->rim[i], inverse_mass = bodies->inverse_mass[i];
	pair2 v = { bodies->vx[i], bodies->vy[i] }, square = v * v, kicked = v, gain;
	bool yields = inverse_mass > 0.0;

	if (mass > 0.0)
		kicked = v + kick;
	gain = kick * (v + kicked);
	dense->spots[place] = (struct spot){ { x, y }, { SKIN_PER_COORDINATE * larger(ax, ay), dense->reach[i] } };
	dense->hot[place] = (struct hot_body){ kicked, { surface, inverse_mass } };
	dense->hot_start[place] = (struct hot_body){ kicked, { surface, mass } };
	dense->was_led[place] = (bodies->active[i] == DENSE_LED) | !yields;
	if (!dense->led[place])
		return false;
	energy->kinetic_before += mass * (0.5 * (square[0] + square[1] + 0.5 * surface * surface));
	energy->kick += mass * (0.5 * (gain[0] + gain[1]));
	return !yields && (v[0] != 0.0 || v[1] != 0.0 || surface != 0.0);
}

/* The same of all. */
static void
bodies_kick(struct dense *dense, const struct dense_bodies *bodies, double h, struct dense_ledger *out)
{
	/* Copies, which the compiler knows not to change. */
	const struct dense own = *dense;
	const struct dense_bodies columns = *bodies;
	const pair2 whole = { own.scene.gravity_x * h, own.scene.gravity_y * h };
	struct dense_ledger energy = { 0 };
	bool drives = false;

	for (struct span s = awake_span(&columns.awake, 0, columns.count); s.first < s.end;
	     s = awake_span(&columns.awake, s.end, columns.count))
		for (uint32_t i = s.first; i < s.end; i++)
			drives |= body_kick(&own, &columns, i, whole * both(body_scale(&columns, i)), &energy);
	out->kinetic_before = energy.kinetic_before;
	out->kick = energy.kick;
	dense->any_driver = drives;
	dense->spots[columns.count] = (struct spot){ .at = { (double)NAN, (double)NAN } };
	dense->hot[columns.count] = (struct hot_body){ 0 };
	dense->legs[columns.count] = (struct leg){ 0 };
	memset(&dense->was_led[columns.count], 1, (size_t)own.scene.moving_count + 1);
	walls_kick(dense, columns.count, h);
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

static void
overlaps_find(struct dense *dense, bool deep)
{
	for (uint32_t n = 0; n < dense->island_count; n++) {
		struct island *island = &dense->islands[n];

		island->overlaps = false;
		for (uint32_t slot = island->contact_start; deep && !island->overlaps && slot < island->contact_end; slot++)
			island->overlaps = slot_overlaps(dense, slot);
	}
}

/* Gravity waits where bodies overlap that something holds up: it takes many sub-steps to push a deep pile apart from below, and
 * what is lifted in one must not fall in the next, which would win speed without end. */
static void
overlaps_unkick(struct dense *dense, const struct dense_bodies *bodies, double h, struct dense_ledger *energy)
{
	const pair2 whole = { dense->scene.gravity_x * h, dense->scene.gravity_y * h };

	for (uint32_t n = 0; n < dense->island_count; n++) {
		const struct island *island = &dense->islands[n];

		if (!island->overlaps || !island->held)
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
 * are contacts does not depend on the order. Whether some may overlap goes to *deep. False without memory. */
static bool
contacts_prepare(struct dense *dense, const struct dense_bodies *bodies, double h, bool *deep, struct dense_ledger *energy)
{
	/* Who woke up since has no place in it, listed or not: he may have been crushed before the solver got to know of him. */
	if (dense->order_added != bodies->awake.added)
		order_release(dense);
	for (;;) {
		if (!dense->ordered && !order_build(dense, bodies))
			return false;
		/* Not with the order: it depends on who was led too, and must not on when the order was made. */
		islands_choose(dense, bodies);
		bodies_kick(dense, bodies, h, energy);
		if (slots_measure(dense, bodies, h, deep))
			return true;
		order_release(dense);
	}
}

/* A body's straight leg, and its velocity as it is now; adds to the ledger. */
static inline void
leg_start(const struct dense *dense, const struct dense_bodies *bodies, uint32_t i, double h, struct dense_ledger *energy)
{
	uint32_t place = dense->place[i];
	const struct hot_body *b = &dense->hot[place];
	pair2 v = b->v, leg = v * both(h), square = v * v;
	pair2 fall = (pair2){ dense->scene.gravity_x, dense->scene.gravity_y } * leg;
	double mass = dense->mass[i], surface = b->rest[0];

	dense->legs[place].v = leg;
	dense->unclear[place] = leg_beyond(dense, place);
	if (!dense->led[place] || mass == 0.0)
		return;
	energy->kinetic_after += mass * (0.5 * (square[0] + square[1] + 0.5 * surface * surface));
	energy->lift -= mass * body_scale(bodies, i) * (fall[0] + fall[1]);
	bodies->leg_x[i] = leg[0];
	bodies->leg_y[i] = leg[1];
	bodies->vx[i] = v[0];
	bodies->vy[i] = v[1];
	bodies->spin[i] = surface * dense->rim[i] / bodies->radius[i];
}

/* The same of all. */
static void
legs_start(struct dense *dense, const struct dense_bodies *bodies, double h, struct dense_ledger *out)
{
	const struct dense own = *dense;
	const struct dense_bodies columns = *bodies;
	struct dense_ledger energy = *out;

	for (struct span s = awake_span(&columns.awake, 0, columns.count); s.first < s.end;
	     s = awake_span(&columns.awake, s.end, columns.count))
		for (uint32_t i = s.first; i < s.end; i++)
			leg_start(&own, &columns, i, h, &energy);
	*out = energy;
}

/* What the legs change of the potential energy. */
static double
legs_lift(const struct dense *dense, const struct dense_bodies *bodies)
{
	double sum = 0.0;

	for (uint32_t i = awake_from(&bodies->awake, 0, bodies->count); i < bodies->count;
	     i = awake_from(&bodies->awake, i + 1, bodies->count)) {
		pair2 leg = dense->legs[dense->place[i]].v;

		if (!dense->led[dense->place[i]])
			continue;
		sum -= dense->mass[i] * body_scale(bodies, i) * (dense->scene.gravity_x * leg[0] + dense->scene.gravity_y * leg[1]);
	}
	return sum;
}

/* Legs that come too near are pushed and cut. */
static void
legs_correct(struct dense *dense, const struct dense_bodies *bodies, bool push, struct dense_report *report)
{
	struct dense_ledger *energy = &report->energy;
	double straight = energy->lift;

	if (push) {
		legs_push(dense, bodies, report);
		for (uint32_t place = 0; place < dense->placed; place++)
			dense->unclear[place] = leg_beyond(dense, place);
	}

	double pushed = legs_lift(dense, bodies);

	for (uint32_t place = 0; place < dense->place_end; place++)
		dense->kept[place] = 1.0;
	legs_clip(dense, bodies->work_most, report);
	energy->lift = legs_lift(dense, bodies);
	energy->push = pushed - straight;
	energy->clip = energy->lift - pushed;
	for (uint32_t place = 0; place < dense->place_end; place++) {
		double lost = dense->led[place] ? 1.0 - dense->kept[place] : 0.0;

		report->clips += lost > 0.0;
		report->clip_most = lost > report->clip_most ? lost : report->clip_most;
	}
	for (uint32_t i = awake_from(&bodies->awake, 0, bodies->count); i < bodies->count;
	     i = awake_from(&bodies->awake, i + 1, bodies->count)) {
		uint32_t place = dense->place[i];

		if (!dense->led[place] || dense->mass[i] == 0.0)
			continue;
		bodies->leg_x[i] = dense->legs[place].v[0];
		bodies->leg_y[i] = dense->legs[place].v[1];
	}
}

/* Writes what the bodies do: straight on where there is room. */
static void
legs_find(struct dense *dense, const struct dense_bodies *bodies, double h, struct dense_report *report)
{
	legs_start(dense, bodies, h, &report->energy);

	struct survey survey = legs_survey(dense);

	report->energy.kick += report->energy.lift;
	report->gap_min = survey.gap_least;
	if (survey.gap_least < 0.0 || survey.push)
		legs_correct(dense, bodies, survey.push, report);
}

/* Writes who is led. */
static void
led_write(struct dense *dense, const struct dense_bodies *bodies)
{
	uint32_t count = bodies->count;
	const struct awake *awake = &bodies->awake;

	for (uint32_t slot = dense->far_end; slot < dense->slot_end; slot++)
		dense->unclear[slot_a(dense, slot)] = dense->unclear[slot_b(dense, slot)] = true;

	const uint32_t *places = dense->place;
	const uint8_t *unclear = dense->unclear, *leds = dense->led;
	const double *mass = dense->mass;
	uint8_t *out = bodies->led;

	for (struct span s = awake_span(awake, 0, count); s.first < s.end; s = awake_span(awake, s.end, count)) {
		for (uint32_t i = s.first; i < s.end; i++) {
			uint8_t led = leds[places[i]], plain = unclear[places[i]] ? 1 : DENSE_CLEAR;

			plain = led == DENSE_WAITS ? DENSE_WAITS : plain;
			out[i] = led == 0 || mass[i] == 0.0 ? 0 : plain;
		}
	}
	memset(dense->unclear, 0, dense->place_end);
	memset(&dense->unclear[count], 0, (size_t)1 + dense->scene.moving_count);
}

bool
dense_step(struct dense *dense, const struct dense_bodies *bodies, double time, double h, struct dense_report *report)
{
	struct dense_ledger *energy = &report->energy;
	bool deep;

	*report = (struct dense_report){ 0 };
	dense->any_surface = dense->belts || bodies->surface_speed;
	walls_move(dense, time);
	if (!pairs_update(dense, bodies, h, &report->rebuilt))
		return false;
	if (!contacts_prepare(dense, bodies, h, &deep, energy))
		return false;
	overlaps_find(dense, deep);
	islands_let_go(dense, bodies, h, energy);
	report->pairs = (uint32_t)dense->pair_count;
	report->contacts = dense->contact_count;
	report->islands = dense->island_count;
	overlaps_unkick(dense, bodies, h, energy);
	islands_solve(dense, bodies, h, report);

	double kicked = energy->kick;

	legs_find(dense, bodies, h, report);
	energy->contact = energy->kinetic_after - energy->kinetic_before - kicked - energy->work;
	led_write(dense, bodies);
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
