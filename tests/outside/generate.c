#include "outside/generate.h"

#include <math.h>

const struct generate_family generate_families[] = {
	{ "analytic", generate_analytic, 2 }, { "polygon", generate_polygon, 1.5 }, { "chain", generate_chain, 1 },
	{ "junction", generate_junction, 1 }, { "wedge", generate_wedge, 1 },       { "tangent", generate_tangent, 1 },
	{ "lattice", generate_lattice, 1 },   { "map", generate_map, 1 },           { "soup", generate_soup, 4 },
	{ "ruled", generate_ruled, 0 }, /* of weight 0, as the seeds' families must stay */
};
const size_t generate_family_count = sizeof generate_families / sizeof *generate_families;

void
generate_place(struct draft *draft, double scale, double x, double y)
{
	draft->def.gravity_x *= scale;
	draft->def.gravity_y *= scale;
	draft->def.speed_max *= scale;
	draft->def.restitution_threshold *= scale;
	draft->def.bounds_x_min = x + scale * draft->def.bounds_x_min;
	draft->def.bounds_y_min = y + scale * draft->def.bounds_y_min;
	draft->def.bounds_x_max = x + scale * draft->def.bounds_x_max;
	draft->def.bounds_y_max = y + scale * draft->def.bounds_y_max;
	for (size_t i = 0; i < draft->circle_count; i++) {
		struct circle_def *c = &draft->circles[i];
		c->x = x + scale * c->x;
		c->y = y + scale * c->y;
		c->vx *= scale;
		c->vy *= scale;
		c->radius *= scale;
		c->surface_speed *= scale;
		c->moment_of_inertia *= scale * scale;
	}
	for (size_t i = 0; i < draft->wall_count; i++) {
		struct segment_def *w = &draft->walls[i];
		w->x1 = x + scale * w->x1;
		w->y1 = y + scale * w->y1;
		w->x2 = x + scale * w->x2;
		w->y2 = y + scale * w->y2;
		w->vx *= scale;
		w->vy *= scale;
		w->radius *= scale;
		w->surface_speed *= scale;
	}
}

static void
nudge(struct draft *draft, double *value, double size, unsigned most)
{
	static const unsigned steps[] = { 0, 1, 2, 16, 64 };
	const unsigned step = steps[draft_below(draft, sizeof steps / sizeof *steps)];

	if (step <= most)
		*value = draft_nudged(*value, draft_chance(draft, 0.5) ? (int)step : -(int)step, size);
}

void
generate_nudge(struct draft *draft, unsigned ulps)
{
	for (size_t i = 0; i < draft->circle_count; i++) {
		struct circle_def *c = &draft->circles[i];
		nudge(draft, &c->x, c->radius, ulps);
		nudge(draft, &c->y, c->radius, ulps);
		nudge(draft, &c->radius, c->radius, ulps);
		if (c->kind == BODY_STATIC)
			continue;
		const double speed = hypot(c->vx, c->vy);
		nudge(draft, &c->vx, speed, ulps);
		nudge(draft, &c->vy, speed, ulps);
	}
	for (size_t i = 0; i < draft->wall_count; i++) {
		struct segment_def *w = &draft->walls[i];
		const double size = hypot(w->x2 - w->x1, w->y2 - w->y1);
		nudge(draft, &w->x1, size, ulps);
		nudge(draft, &w->y1, size, ulps);
		nudge(draft, &w->x2, size, ulps);
		nudge(draft, &w->y2, size, ulps);
	}
}

/* Walls that have shrunk to a point, and what is beyond the engine's bounds, cannot be asked for. */
static void
bounds_keep(struct draft *draft)
{
	size_t kept = 0;

	for (size_t i = 0; i < draft->wall_count; i++) {
		const struct segment_def *w = &draft->walls[i];
		if (w->x1 != w->x2 || w->y1 != w->y2)
			draft->walls[kept++] = *w;
	}
	draft->wall_count = kept;
	for (size_t i = 0; i < draft->circle_count; i++) {
		struct circle_def *c = &draft->circles[i];
		c->radius = fmin(fmax(c->radius, PHYSICS_RADIUS_MIN), PHYSICS_RADIUS_MAX);
		c->vx = fmin(fmax(c->vx, -PHYSICS_SPEED_MAX), PHYSICS_SPEED_MAX);
		c->vy = fmin(fmax(c->vy, -PHYSICS_SPEED_MAX), PHYSICS_SPEED_MAX);
		if (c->moment_of_inertia != 0)
			c->moment_of_inertia = fmin(fmax(c->moment_of_inertia, PHYSICS_INERTIA_MIN), PHYSICS_INERTIA_MAX);
	}
	for (size_t i = 0; i < draft->wall_count; i++)
		if (draft->walls[i].radius != 0)
			draft->walls[i].radius = fmin(fmax(draft->walls[i].radius, PHYSICS_RADIUS_MIN), PHYSICS_RADIUS_MAX);
}

static size_t
family_of(struct draft *draft)
{
	double sum = 0;

	for (size_t i = 0; i < generate_family_count; i++)
		sum += generate_families[i].weight;
	double at = draft_between(draft, 0, sum);
	for (size_t i = 0; i + 2 < generate_family_count; i++) {
		if (at < generate_families[i].weight)
			return i;
		at -= generate_families[i].weight;
	}
	return generate_family_count - 2;
}

size_t
generate(struct draft *draft, uint64_t seed, size_t family, bool rules)
{
	draft_init(draft, seed);
	draft->def.events = WORLD_EVENTS_TOUCH;
	draft->def.events_per_body_max = 300;
	const size_t drawn = family_of(draft), own = rules && draft_chance(draft, 0.25) ? generate_family_count - 1 : drawn;
	const size_t used = family < generate_family_count ? family : own;
	generate_families[used].make(draft);
	if (rules && generate_families[used].make != generate_ruled)
		generate_rules_add(draft);
	/* Radii are about a half. Most scenes are of one size, near the origin or not; a third is of any. */
	const double scale = draft_chance(draft, 0.6) ? 1 : draft_scale(draft, 1e-9 * 2.5, 2e6);
	const double offset = DRAFT_PICK(draft, 0, 0, 0, 1, 1e3, 1e6, 1e9), angle = draft_between(draft, 0, 6.283185307179586);
	const bool diagonal = draft_chance(draft, 0.5);
	/* Where an ulp is more than a thousandth of a radius nothing can be told apart. */
	if (offset * 0x1p-52 > 1e-3 * scale)
		generate_place(draft, scale, 0, 0);
	else
		generate_place(draft, scale, diagonal ? offset : offset * cos(angle), diagonal ? offset : offset * sin(angle));
	generate_nudge(draft, (unsigned)DRAFT_PICK(draft, 0, 1, 2, 16, 64, 64));
	bounds_keep(draft);
	return used;
}
