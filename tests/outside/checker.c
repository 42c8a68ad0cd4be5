#include "outside/inside.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const finding_names[OUTSIDE_FINDINGS] = {
	"numbers",     "position",    "velocity", "momentum",  "overlap", "rest depth", "crossing", "contact", "law",
	"energy loss", "energy gain", "support",  "heap gain", "ledger",  "event",      "flag",     "rule",
};

const char *
outside_finding_name(enum outside_finding finding)
{
	return finding_names[finding];
}

bool
outside_reserve(void **array, size_t *capacity, size_t count, size_t size)
{
	if (count <= *capacity)
		return true;
	void *grown = realloc(*array, 2 * count * size);
	if (!grown)
		return false;
	*array = grown;
	*capacity = 2 * count;
	return true;
}

static int
by_body_id(const void *left, const void *right)
{
	const uint32_t a = ((const struct body *)left)->def.id, b = ((const struct body *)right)->def.id;

	return (a > b) - (a < b);
}

static int
by_wall_id(const void *left, const void *right)
{
	const uint32_t a = ((const struct wall *)left)->def.id, b = ((const struct wall *)right)->def.id;

	return (a > b) - (a < b);
}

size_t
outside_body(const struct outside *outside, uint32_t id)
{
	size_t low = 0, high = outside->body_count;

	while (low < high) {
		const size_t middle = (low + high) / 2;
		if (outside->bodies[middle].def.id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < outside->body_count && outside->bodies[low].def.id == id ? low : NO_BODY;
}

size_t
outside_wall(const struct outside *outside, uint32_t id)
{
	size_t low = 0, high = outside->wall_count;

	while (low < high) {
		const size_t middle = (low + high) / 2;
		if (outside->walls[middle].def.id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < outside->wall_count && outside->walls[low].def.id == id ? low : NO_BODY;
}

static struct body
body_of(const struct outside_scene *scene, const struct outside_circle *circle)
{
	const real scale = circle->kind == OUTSIDE_DYNAMIC ? circle->gravity_scale : 0;

	return (struct body){
		.def = *circle,
		.gravity = { scale * scene->gravity_x, scale * scene->gravity_y },
		.inertia = circle->inertia > 0 ? (real)circle->inertia : (real)circle->mass * circle->radius * circle->radius / 2,
		.p = { circle->x, circle->y },
		.v = { circle->vx, circle->vy },
		.spin = circle->spin,
		.spin_known = true,
		.ticks_left = circle->lifetime_ticks,
		.seconds_left = circle->lifetime_s,
	};
}

/* Where it is in the tick that begins. As the engine documents, that is where it was defined and the sum of its ways, rounded
 * once a tick. So the coordinates of both count. */
static void
wall_place(struct wall *wall, real dt)
{
	const struct point from = { wall->def.x1, wall->def.y1 }, to = { wall->def.x2, wall->def.y2 };
	const real way = dt * point_size(wall->v), now = larger_of(point_reach(wall->e1), point_reach(wall->e2));

	/* It never turns: far from there, too, a short one has the direction that it was defined with, not that of rounded ends. */
	wall->bar = bar_of(wall->e1, wall->e2, wall->def.radius);
	wall->bar.along = bar_of(from, to, 0).along;
	wall->reach = larger_of(now, larger_of(point_reach(from), point_reach(to)));
	wall->slop = way > 0 ? 0x1p-50L * (wall->reach + way) : 0;
}

static bool
any_one_sided(const struct outside_scene *scene)
{
	for (size_t i = 0; i < scene->wall_count; i++)
		if (scene->walls[i].one_sided)
			return true;
	for (size_t i = 0; i < scene->relation_count; i++)
		if (scene->relations[i].kind == OUTSIDE_RELATION_ONE_SIDED)
			return true;
	return false;
}

struct outside *
outside_create(const struct outside_scene *scene)
{
	struct outside *outside = calloc(1, sizeof *outside);
	const size_t n = scene->circle_count, w = scene->wall_count;

	if (!outside)
		return NULL;
	outside->scene = *scene;
	outside->body_count = n;
	outside->wall_count = w;
	outside->relation_count = scene->relation_count;
	outside->bodies = calloc(n + 1, sizeof *outside->bodies);
	outside->walls = calloc(w + 1, sizeof *outside->walls);
	outside->relations = calloc(scene->relation_count + 1, sizeof *outside->relations);
	outside->passing = any_one_sided(scene) ? calloc(n * w + 1, 1) : NULL;
	outside->sides = calloc(n * w + 1, 1);
	outside->open = calloc(n * (n + w) + 1, 1);
	if (!outside->bodies || !outside->walls || !outside->relations || !outside->open || !outside->sides ||
	    (any_one_sided(scene) && !outside->passing)) {
		outside_destroy(outside);
		return NULL;
	}
	for (size_t i = 0; i < n; i++) {
		outside->bodies[i] = body_of(scene, &scene->circles[i]);
		outside->gravity = larger_of(outside->gravity, point_size(outside->bodies[i].gravity));
	}
	for (size_t i = 0; i < w; i++) {
		const struct outside_wall *def = &scene->walls[i];
		outside->extent = larger_of(
			outside->extent, larger_of(larger_of(fabs(def->x1), fabs(def->y1)), larger_of(fabs(def->x2), fabs(def->y2))));
		outside->walls[i] = (struct wall){
			.def = *def, .e1 = { def->x1, def->y1 }, .e2 = { def->x2, def->y2 }, .v = { def->vx, def->vy }
		};
	}
	for (size_t i = 0; i < scene->relation_count; i++)
		outside->relations[i] = scene->relations[i];
	qsort(outside->bodies, n, sizeof *outside->bodies, by_body_id);
	qsort(outside->walls, w, sizeof *outside->walls, by_wall_id);
	outside->scene.circles = NULL;
	outside->scene.walls = NULL;
	outside->scene.relations = NULL;
	outside_energy_begin(outside);
	return outside;
}

void
outside_destroy(struct outside *outside)
{
	if (!outside)
		return;
	free(outside->bodies);
	free(outside->walls);
	free(outside->relations);
	free(outside->passing);
	free(outside->sides);
	free(outside->open);
	free(outside->stretches);
	free(outside->pushes);
	free(outside->contact_places);
	free(outside->contact_company);
	free(outside);
}

void
outside_find(struct outside *outside, enum outside_finding finding, real size, unsigned flags, const char *format, ...)
{
	struct outside_report *report = &outside->report;
	char text[sizeof report->first[0]];
	va_list arguments;

	if (flags != 0) {
		for (unsigned bit = 0; bit < OUTSIDE_FLAGS; bit++)
			report->excused[finding][bit] += (flags >> bit) & 1;
		report->worst_excused[finding] = (double)larger_of(report->worst_excused[finding], size);
		return;
	}
	report->worst[finding] = (double)larger_of(report->worst[finding], size);
	if (report->found[finding]++ > 0)
		return;
	va_start(arguments, format);
	(void)vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	report->first_tick[finding] = report->ticks;
	(void)snprintf(report->first[finding], sizeof report->first[finding], "tick %llu: %.130s",
	               (unsigned long long)report->ticks, text);
}

static bool
all_finite(const double *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!isfinite(values[i]))
			return false;
	return true;
}

static bool
contact_finite(const struct outside_contact *c)
{
	const double one[] = { c->time,       c->point[0],      c->point[1],         c->normal[0],     c->normal[1],
		                   c->approach,   c->impulse,       c->friction_impulse, c->a_before[0],   c->a_before[1],
		                   c->a_after[0], c->a_after[1],    c->b_before[0],      c->b_before[1],   c->b_after[0],
		                   c->b_after[1], c->a_spin_before, c->a_spin_after,     c->b_spin_before, c->b_spin_after };

	return all_finite(one, sizeof one / sizeof *one);
}

static bool
numbers_bad(struct outside *outside, const char *what, size_t index)
{
	outside_find(outside, OUTSIDE_BAD_NUMBERS, 1, 0, "%s %zu is not finite, out of time, or names nobody", what, index);
	return false;
}

/* A circle that is there. */
static bool
names_body(const struct outside *outside, uint32_t id)
{
	const size_t index = outside_body(outside, id);

	return index != NO_BODY && !outside->bodies[index].gone;
}

/* Finds the end of each body. The others are those that have states. */
static bool
ends_good(struct outside *outside)
{
	const struct outside_tick *tick = outside->tick;
	size_t left = 0;
	double last = 0;

	for (size_t i = 0; i < outside->body_count; i++)
		outside->bodies[i].end = NULL;
	for (size_t i = 0; i < tick->end_count; i++) {
		const struct outside_end *end = &tick->ends[i];
		if (!all_finite(end->position, 2) || !all_finite(end->velocity, 2) || !names_body(outside, end->body) ||
		    !(end->time >= last) || !(end->time <= tick->dt) || end->reason >= OUTSIDE_REASONS)
			return numbers_bad(outside, "end", i);
		struct body *body = &outside->bodies[outside_body(outside, end->body)];
		if (body->end)
			return numbers_bad(outside, "another end", i);
		body->end = end;
		last = end->time;
	}
	for (size_t i = 0; i < outside->body_count; i++)
		left += !outside->bodies[i].gone && !outside->bodies[i].end;
	return left == tick->state_count || numbers_bad(outside, "number of states", tick->state_count);
}

/* What is told of each body's place and velocity, at the tick's end or its own. */
static void
states_find(struct outside *outside)
{
	const struct outside_tick *tick = outside->tick;
	size_t k = 0;

	for (size_t i = 0; i < outside->body_count; i++) {
		struct body *body = &outside->bodies[i];
		body->ends = body->end ? (real)body->end->time : HUGE_VALL;
		if (body->gone)
			continue;
		if (body->end) {
			body->told = point_of(body->end->position);
			body->told_v = point_of(body->end->velocity);
			body->told_spin = 0;
			continue;
		}
		body->told = (struct point){ tick->x[k], tick->y[k] };
		body->told_v = (struct point){ tick->vx[k], tick->vy[k] };
		body->told_spin = tick->spin ? tick->spin[k] : 0;
		k++;
	}
}

bool
outside_numbers(struct outside *outside)
{
	const struct outside_tick *tick = outside->tick;
	double last = 0;

	if (!(tick->dt > 0) || !isfinite(tick->dt))
		return numbers_bad(outside, "dt", 0);
	for (size_t i = 0; i < tick->state_count; i++) {
		const double state[] = { tick->x[i], tick->y[i], tick->vx[i], tick->vy[i], tick->spin ? tick->spin[i] : 0 };
		if (!all_finite(state, 5))
			return numbers_bad(outside, "state", i);
	}
	if (!ends_good(outside))
		return false;
	for (size_t i = 0; i < tick->contact_count; i++) {
		const struct outside_contact *c = &tick->contacts[i];
		const bool other = c->with_wall ? outside_wall(outside, c->b) != NO_BODY : names_body(outside, c->b);
		if (!contact_finite(c) || !names_body(outside, c->a) || !other || !(c->time >= last) || !(c->time <= tick->dt))
			return numbers_bad(outside, "contact", i);
		last = c->time;
	}
	last = 0;
	for (size_t i = 0; i < tick->change_count; i++) {
		const struct outside_change *c = &tick->changes[i];
		if (!all_finite(c->vector, 2) || !names_body(outside, c->body) || !(c->time >= last) || !(c->time <= tick->dt))
			return numbers_bad(outside, "path change", i);
		last = c->time;
	}
	for (size_t i = 0; i < tick->shortfall_count; i++)
		if (!names_body(outside, tick->shortfalls[i].body) || !isfinite(tick->shortfalls[i].amount))
			return numbers_bad(outside, "shortfall", i);
	for (size_t i = 0; i < tick->place_count; i++)
		if (outside_wall(outside, tick->places[i].id) == NO_BODY || !all_finite(&tick->places[i].x1, 4))
			return numbers_bad(outside, "place", i);
	return true;
}

static void
flags_take(struct outside *outside)
{
	const struct outside_tick *tick = outside->tick;

	for (size_t i = 0; i < outside->body_count; i++)
		outside->bodies[i].flags = 0;
	for (size_t i = 0; i < tick->shortfall_count; i++) {
		const struct outside_shortfall *s = &tick->shortfalls[i];
		struct body *body = &outside->bodies[outside_body(outside, s->body)];
		const unsigned known = s->flag & 15u, flags = known | (s->flag & ~15u ? 16u : 0);
		body->flags |= flags;
		for (unsigned bit = 0; bit < OUTSIDE_FLAGS; bit++)
			if ((flags >> bit) & 1) {
				outside->report.flagged[bit]++;
				body->amounts[bit] = s->amount;
			}
	}
}

/* The walls' ends are what is told; they must have come as far as their velocities say. */
static void
walls_end(struct outside *outside)
{
	const struct outside_tick *tick = outside->tick;

	for (size_t i = 0; i < outside->wall_count; i++) {
		struct wall *wall = &outside->walls[i];
		wall->e1 = point_add(wall->e1, tick->dt, wall->v);
		wall->e2 = point_add(wall->e2, tick->dt, wall->v);
	}
	for (size_t i = 0; i < tick->place_count; i++) {
		const struct outside_place *place = &tick->places[i];
		struct wall *wall = &outside->walls[outside_wall(outside, place->id)];
		const struct point e1 = { place->x1, place->y1 }, e2 = { place->x2, place->y2 };
		const real off = larger_of(point_size(point_add(e1, -1, wall->e1)), point_size(point_add(e2, -1, wall->e2)));
		if (!(off <= 4 * wall->slop))
			outside_find(outside, OUTSIDE_BAD_POSITION, off / wall->bar.length, 0,
			             "segment %u is told to be %.3Lg from its way", place->id, off);
		wall->e1 = e1;
		wall->e2 = e2;
	}
}

/* What has ended has no speed that others could be measured by. */
static void
states_take(struct outside *outside)
{
	for (size_t i = 0; i < outside->body_count; i++) {
		struct body *body = &outside->bodies[i];
		body->out = body->end && body->end->reason == OUTSIDE_END_BOUNDS;
		body->gone = body->gone || body->end;
		body->p = body->told;
		body->v = body->gone ? (struct point){ 0, 0 } : body->told_v;
		body->spin = body->told_spin;
		body->spin_known = true;
		body->been_crushed = body->been_crushed && (body->overlaps || body->crushed < HUGE_VALL);
	}
}

void
outside_tick(struct outside *outside, const struct outside_tick *tick)
{
	outside->tick = tick;
	outside->report.ticks++;
	outside->report.contacts += tick->contact_count;
	if (!outside_numbers(outside))
		return;
	if (!outside_reserve((void **)&outside->contact_places, &outside->place_capacity, 2 * tick->contact_count + 1,
	                     sizeof *outside->contact_places) ||
	    !outside_reserve((void **)&outside->contact_company, &outside->company_capacity, tick->contact_count + 1, 1)) {
		outside->failed = true;
		return;
	}
	states_find(outside);
	flags_take(outside);
	for (size_t i = 0; i < outside->wall_count; i++)
		wall_place(&outside->walls[i], tick->dt);
	outside_paths(outside);
	outside_contacts(outside);
	outside_pairs(outside);
	outside_sums(outside);
	outside_events(outside);
	outside_rules(outside);
	walls_end(outside);
	states_take(outside);
	outside->tick = NULL;
}

const struct outside_report *
outside_report(const struct outside *outside)
{
	return &outside->report;
}

unsigned
outside_found(const struct outside *outside)
{
	unsigned found = outside->failed ? 1u << OUTSIDE_BAD_NUMBERS : 0;

	for (unsigned i = 0; i < OUTSIDE_FINDINGS; i++)
		if (outside->report.found[i] > 0)
			found |= 1u << i;
	return found;
}

bool
outside_clean(const struct outside *outside)
{
	return outside_found(outside) == 0;
}

const char *
outside_first(const struct outside *outside)
{
	static const enum outside_finding gravest[] = { OUTSIDE_BAD_CROSSING, OUTSIDE_BAD_OVERLAP, OUTSIDE_BAD_REST_DEPTH };

	if (outside->failed)
		return "no memory";
	for (size_t i = 0; i < sizeof gravest / sizeof *gravest; i++)
		if (outside->report.found[gravest[i]] > 0)
			return outside->report.first[gravest[i]];
	for (size_t i = 0; i < OUTSIDE_FINDINGS; i++)
		if (outside->report.found[i] > 0)
			return outside->report.first[i];
	return "";
}

bool
outside_leaked(const struct outside *outside, double radii)
{
	const struct outside_report *report = &outside->report;

	return report->found[OUTSIDE_BAD_CROSSING] > 0 || report->worst[OUTSIDE_BAD_OVERLAP] > radii ||
	       report->worst[OUTSIDE_BAD_REST_DEPTH] > radii;
}
