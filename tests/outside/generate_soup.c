/* The family of everything: small scenes that mix all features, sane or hostile. */
#include "outside/generate.h"

#include <math.h>

#define TURN 6.283185307179586

/* What one soup is made with. */
struct recipe {
	double size, radius, least, speed, masses;
	double restitution, friction, rolling, spin, thick, one_sided, moving, drift, belts, sensors, fixed, kinematic;
	double damped, scaled, responding, masked, grouped;
	bool mixed; /* each its own restitution and friction */
	bool grid;
};

static double
somewhere(struct draft *draft, const struct recipe *r)
{
	const double at = draft_between(draft, -r->size, r->size);

	return r->grid ? round(2 * at) / 2 : at;
}

static void
wall_add(struct draft *draft, const struct recipe *r, double x1, double y1, double x2, double y2)
{
	struct segment_def *wall = draft_wall(draft, x1, y1, x2, y2);

	if (!wall)
		return;
	wall->restitution = r->mixed ? DRAFT_PICK(draft, 0, 1, 0.5, 0.9) : r->restitution;
	wall->friction = r->mixed ? r->friction * draft_between(draft, 0, 1) : r->friction;
	wall->rolling_resistance = r->rolling;
	wall->radius = draft_chance(draft, r->thick) ? r->radius * draft_between(draft, 0.05, 0.8) : 0;
	wall->one_sided = draft_chance(draft, r->one_sided);
	wall->sensor = draft_chance(draft, r->sensors);
	wall->surface_speed = draft_chance(draft, r->belts) ? 5 * draft_between(draft, -1, 1) : 0;
	if (draft_chance(draft, r->moving)) {
		const double angle = draft_between(draft, 0, TURN);
		wall->vx = r->drift * cos(angle);
		wall->vy = r->drift * sin(angle);
	}
	wall->category = draft_chance(draft, r->masked) ? 1 + draft_below(draft, 3) : 1;
	wall->group = draft_chance(draft, r->grouped) ? draft_below(draft, 3) : 0;
	wall->filter_group = draft_chance(draft, 0.2 * r->grouped) ? (int32_t)draft_below(draft, 5) - 2 : 0;
}

static void
walls_make(struct draft *draft, const struct recipe *r)
{
	const double s = 1.1 * r->size;
	const unsigned corners = 3 + draft_below(draft, 7), inside = (unsigned)DRAFT_PICK(draft, 0, 1, 3, 6);

	if (draft_chance(draft, 0.5)) {
		wall_add(draft, r, -s, -s, s, -s);
		wall_add(draft, r, s, -s, s, s);
		wall_add(draft, r, s, s, -s, s);
		wall_add(draft, r, -s, s, -s, -s);
	} else if (draft_chance(draft, 0.8)) {
		const double around = s * 1.5 / cos(TURN / 2 / corners);
		for (unsigned i = 0; i < corners; i++)
			wall_add(draft, r, around * cos(TURN * i / corners), around * sin(TURN * i / corners),
			         around * cos(TURN * (i + 1) / corners), around * sin(TURN * (i + 1) / corners));
	}
	for (unsigned i = 0; i < inside; i++) {
		const double x = somewhere(draft, r), y = somewhere(draft, r), x2 = somewhere(draft, r), y2 = somewhere(draft, r);
		const double part = draft_between(draft, 0, 1), x3 = somewhere(draft, r), y3 = somewhere(draft, r);
		wall_add(draft, r, x, y, x2, y2);
		/* A corner, a junction, or one that lies in the same line. */
		if (draft_chance(draft, 0.3))
			wall_add(draft, r, x2, y2, x3, y3);
		else if (draft_chance(draft, 0.3))
			wall_add(draft, r, x + part * (x2 - x), y + part * (y2 - y), x3, y3);
		else if (draft_chance(draft, 0.2))
			wall_add(draft, r, x + part * (x2 - x), y + part * (y2 - y), x2 + (x2 - x), y2 + (y2 - y));
	}
}

static void
circle_dress(struct draft *draft, const struct recipe *r, struct circle_def *c)
{
	const double angle = r->grid ? TURN / 4 * draft_below(draft, 4) : draft_between(draft, 0, TURN);
	double speed = r->speed * draft_between(draft, 0, 1);

	if (draft_chance(draft, r->kinematic)) {
		c->kind = BODY_KINEMATIC;
		speed = fmin(speed, 5 * r->size);
	} else if (draft_chance(draft, r->fixed)) {
		c->kind = BODY_STATIC;
		speed = 0;
	}
	c->vx = speed * cos(angle);
	c->vy = speed * sin(angle);
	c->mass = r->masses > 1 ? draft_scale(draft, 1 / sqrt(r->masses), sqrt(r->masses)) : 1;
	c->restitution = r->mixed ? DRAFT_PICK(draft, 0, 1, 0.5, 0.9) : r->restitution;
	c->friction = r->mixed ? r->friction * draft_between(draft, 0, 1) : r->friction;
	c->rolling_resistance = r->rolling;
	c->angular_velocity = c->kind == BODY_STATIC ? 0 : r->spin * draft_between(draft, -1, 1);
	c->surface_speed = draft_chance(draft, r->belts) ? 5 * draft_between(draft, -1, 1) : 0;
	c->linear_damping = draft_chance(draft, r->damped) ? draft_scale(draft, 0.01, 100) : 0;
	c->angular_damping = draft_chance(draft, r->damped) ? draft_scale(draft, 0.01, 100) : 0;
	c->gravity_scale = draft_chance(draft, r->scaled) ? DRAFT_PICK(draft, 0, -1, 0.5, 2, -0.1) : 1;
	c->response = draft_chance(draft, r->responding) ? (enum movement_response)draft_below(draft, 3) : RESPONSE_BOUNCE;
	c->sensor = draft_chance(draft, r->sensors);
	c->category = draft_chance(draft, r->masked) ? 1 + draft_below(draft, 3) : 1;
	c->mask = draft_chance(draft, r->masked) ? 1 + draft_below(draft, 3) : UINT32_MAX;
	c->group = draft_chance(draft, r->grouped) ? draft_below(draft, 3) : 0;
	c->filter_group = draft_chance(draft, 0.2 * r->grouped) ? (int32_t)draft_below(draft, 5) - 2 : 0;
}

static void
relations_make(struct draft *draft)
{
	for (uint32_t a = 0; a < 3; a++)
		for (uint32_t b = a; b < 3; b++) {
			struct relation_def *relation = &draft->relations[draft->relation_count];
			if (draft_chance(draft, 0.4))
				continue;
			*relation = relation_def_default();
			relation->group_a = a;
			relation->group_b = b;
			relation->kind = (enum relation_kind)draft_below(draft, 5);
			const bool weighed = (relation->kind == RELATION_KIND_BOUNCE || relation->kind == RELATION_KIND_MOVE) && a != b &&
			                     draft_chance(draft, 0.6);
			relation->has_weight_a = relation->has_weight_b = weighed;
			relation->weight_a = DRAFT_PICK(draft, 0, 1, 1, 3, 1e6);
			relation->weight_b = DRAFT_PICK(draft, 1, 1, 2, 1e-3);
			relation->has_elasticity = relation->kind == RELATION_KIND_BOUNCE && draft_chance(draft, 0.5);
			relation->elasticity = DRAFT_PICK(draft, 0, 0.5, 1);
			draft->relation_count++;
		}
}

/* Most soups have a few of the features, some all of them. */
static double
feature(struct draft *draft, double often, double part)
{
	return draft_chance(draft, often) ? part : 0;
}

static struct recipe
recipe_draw(struct draft *draft)
{
	const bool hostile = draft_chance(draft, 0.5);

	return (struct recipe){
		.size = DRAFT_PICK(draft, 2, 4, 8),
		.radius = DRAFT_PICK(draft, 0.3, 0.5, 1),
		.least = DRAFT_PICK(draft, 1, 1, 0.3, 0.01),
		.speed = hostile ? draft_scale(draft, 1e-2, 1e4) : draft_scale(draft, 1e-2, 1e2),
		.masses = DRAFT_PICK(draft, 1, 1, 10, 1e4, 1e12),
		.restitution = DRAFT_PICK(draft, 1, 1, 0, 0.5, 0.9999),
		.friction = DRAFT_PICK(draft, 0, 0, 0.1, 0.5, 5),
		.rolling = feature(draft, 0.2, DRAFT_PICK(draft, 0.01, 0.1, 1)),
		.spin = feature(draft, 0.3, draft_scale(draft, 0.1, 100)),
		.thick = feature(draft, 0.3, DRAFT_PICK(draft, 0.3, 1)),
		.one_sided = feature(draft, 0.25, DRAFT_PICK(draft, 0.3, 1)),
		.moving = feature(draft, 0.2, DRAFT_PICK(draft, 0.2, 1)),
		.drift = hostile ? draft_scale(draft, 1e-2, 1e5) : draft_scale(draft, 1e-2, 10),
		.belts = feature(draft, 0.15, 0.4),
		.sensors = feature(draft, 0.15, 0.2),
		.fixed = feature(draft, 0.3, 0.2),
		.kinematic = hostile ? feature(draft, 0.4, 0.2) : 0,
		.damped = feature(draft, 0.15, 0.5),
		.scaled = feature(draft, 0.15, 0.5),
		.responding = feature(draft, 0.15, 0.5),
		.masked = feature(draft, 0.1, 0.3),
		.grouped = feature(draft, 0.2, 0.5),
		.mixed = draft_chance(draft, 0.3),
		.grid = draft_chance(draft, 0.3),
	};
}

static void
world_dress(struct draft *draft)
{
	struct world_def *def = &draft->def;

	if (draft_chance(draft, 0.6))
		def->gravity_y = DRAFT_PICK(draft, -1, -10, -10, -100, -1e4);
	if (draft_chance(draft, 0.2))
		def->gravity_x = draft_between(draft, -10, 10);
	def->restitution_mix = (enum restitution_mix)draft_below(draft, 4);
	def->friction_mix = (enum friction_mix)draft_below(draft, 5);
	def->restitution_threshold = draft_chance(draft, 0.2) ? DRAFT_PICK(draft, 0.01, 1) : 0;
	def->sleep_after = draft_chance(draft, 0.2) ? DRAFT_PICK(draft, 0.05, 0.3) : 0;
	def->speed_max = draft_chance(draft, 0.1) ? draft_scale(draft, 0.1, 100) : 0;
	def->events_per_body_max = (uint32_t)DRAFT_PICK(draft, 300, 300, 300, 20, 3);
	draft->dt = DRAFT_PICK(draft, 1.0 / 60, 1.0 / 60, 1.0 / 60, 1e-3, 0.1, 1, 10);
	draft->ticks = draft->dt >= 1 ? 5 : 30;
}

void
generate_soup(struct draft *draft)
{
	const struct recipe r = recipe_draw(draft);
	const size_t count = (size_t)DRAFT_PICK(draft, 1, 2, 3, 5, 8, 15, 30);
	const double overlapping = feature(draft, 0.2, 0.15);

	world_dress(draft);
	walls_make(draft, &r);
	for (size_t tries = 0; draft->circle_count < count && tries < 10 * count; tries++) {
		double x = somewhere(draft, &r), y = somewhere(draft, &r), radius = r.radius * draft_scale(draft, r.least, 1.0000001);
		if (r.grid) {
			x = 2 * r.radius * round(x / (2 * r.radius));
			y = 2 * r.radius * round(y / (2 * r.radius));
			radius = r.radius;
		}
		if (!draft_chance(draft, overlapping) && !draft_clear(draft, x, y, radius, 0))
			continue;
		circle_dress(draft, &r, draft_circle(draft, x, y, 0, 0, radius));
	}
	if (r.grouped > 0)
		relations_make(draft);
}
