#include "physics/soup.h"

#include "physics/scenes.h"
#include "support/random.h"

#include <math.h>

/* What one scene is made with. */
struct recipe {
	struct scenario *scenario;
	uint64_t random;
	uint64_t wall_random;    /* for what walls are besides; of its own, so that all else is as without */
	double thick, one_sided; /* parts of the walls */
	double thickness;        /* 0: each its own */
	bool hostile;
	double size; /* half the arena's side */
	double radius_most, radius_least;
	double speed;
	double mass_spread; /* largest : smallest */
	int restitution;    /* enum restitution_style */
	double restitution_value;
	double friction, rolling, spin; /* 0: none */
	bool friction_varies, inertia_varies, masks, still, gridded;
	double kinematic, fixed; /* parts of the circles */
};

enum restitution_style { ALL_ELASTIC, ALL_DULL, ALL_EQUAL, EACH_ITS_OWN, RESTITUTION_STYLES };

static double
pick(struct recipe *r, double low, double high)
{
	return random_between(&r->random, low, high);
}

/* Evenly in the logarithm. */
static double
pick_scale(struct recipe *r, double low, double high)
{
	return low * pow(high / low, pick(r, 0, 1));
}

static bool
chance(struct recipe *r, double part)
{
	return pick(r, 0, 1) < part;
}

static double
pick_of(struct recipe *r, const double *values, size_t count)
{
	return values[random_below(&r->random, count)];
}

#define PICK_OF(r, ...) pick_of(r, (const double[]){ __VA_ARGS__ }, sizeof(const double[]){ __VA_ARGS__ } / sizeof(double))

static double
place(struct recipe *r)
{
	const double at = pick(r, -r->size, r->size);
	return r->gridded ? round(2 * at) / 2 : at;
}

static double
restitution_pick(struct recipe *r)
{
	switch ((enum restitution_style)r->restitution) {
	case ALL_DULL: return 0;
	case ALL_EQUAL: return r->restitution_value;
	case EACH_ITS_OWN: return chance(r, 0.3) ? floor(pick(r, 0, 2)) : pick(r, 0, 1);
	default: return 1;
	}
}

static double
friction_pick(struct recipe *r)
{
	return r->friction_varies && chance(r, 0.5) ? pick(r, 0, r->friction) : r->friction;
}

static void
wall(struct recipe *r, double x1, double y1, double x2, double y2)
{
	if (x1 == x2 && y1 == y2)
		return;
	struct segment_def *segment = scenario_segment(r->scenario, x1, y1, x2, y2);
	segment->restitution = restitution_pick(r);
	segment->friction = friction_pick(r);
	segment->rolling_resistance = chance(r, 0.3) ? r->rolling : 0;
	if (random_between(&r->wall_random, 0, 1) < r->thick)
		segment->radius = r->thickness > 0 ? r->thickness : r->radius_most * random_between(&r->wall_random, 0.01, 1);
	segment->one_sided = random_between(&r->wall_random, 0, 1) < r->one_sided;
	if (r->masks && chance(r, 0.3))
		segment->category = 1 + (uint32_t)random_below(&r->random, 3);
}

static void
walls_around(struct recipe *r)
{
	const double s = r->size * 1.1;
	if (chance(r, 0.5)) {
		wall(r, -s, -s, s, -s);
		wall(r, s, -s, s, s);
		wall(r, s, s, -s, s);
		wall(r, -s, s, -s, -s);
		return;
	}
	/* A polygon around the arena's square. */
	const int corners = 3 + (int)random_below(&r->random, 6);
	const double around = s * 1.5 / cos(180 * DEGREE / corners), turn = pick(r, 0, 360 * DEGREE);
	for (int i = 0; i < corners; i++) {
		const double a = turn + i * 360 * DEGREE / corners, b = turn + (i + 1) % corners * 360 * DEGREE / corners;
		wall(r, around * cos(a), around * sin(a), around * cos(b), around * sin(b));
	}
}

/* One thing of walls inside: a wall, a chain, two that cross, a T, a slot, a doubled wall, two that overlap in one line. */
static void
walls_inside(struct recipe *r)
{
	const double x = place(r), y = place(r), x2 = place(r), y2 = place(r), along = pick(r, 0, 1);
	const double mx = x + along * (x2 - x), my = y + along * (y2 - y), length = hypot(x2 - x, y2 - y);
	if (length == 0)
		return;
	/* Across, as wide as the largest circle, a little wider or much. */
	const double width = 2 * r->radius_most * PICK_OF(r, 0.9, 1, 1 + 1e-9, 1.001, 1.5, 3);
	const double nx = -(y2 - y) / length * width, ny = (x2 - x) / length * width;
	wall(r, x, y, x2, y2);
	switch (random_below(&r->random, 7)) {
	case 0: wall(r, mx + nx, my + ny, mx - nx, my - ny); break;
	case 1: wall(r, mx, my, mx + nx, my + ny); break;
	case 2: wall(r, x + nx, y + ny, x2 + nx, y2 + ny); break;
	case 3: wall(r, x2, y2, x, y); break;
	case 4: wall(r, mx, my, x2 + (x2 - mx), y2 + (y2 - my)); break;
	case 5:
		for (double px = x2, py = y2, k = 0; k < 3; k++) {
			const double qx = px + 0.3 * place(r), qy = py + 0.3 * place(r);
			wall(r, px, py, qx, qy);
			px = qx;
			py = qy;
		}
		break;
	default: break;
	}
}

static void
circle_set(struct recipe *r, struct circle_def *circle)
{
	const double way = r->gridded ? 90 * DEGREE * floor(pick(r, 0, 4)) : pick(r, 0, 360 * DEGREE);
	double speed = r->still ? 0 : r->speed * pick(r, 0, 1);
	if (chance(r, r->kinematic)) {
		circle->kind = BODY_KINEMATIC;
		speed = fmin(speed, 5 * r->size);
	} else if (chance(r, r->fixed)) {
		circle->kind = BODY_STATIC;
		speed = 0;
	}
	circle->vx = fabs(cos(way)) < 1e-9 ? 0 : speed * cos(way);
	circle->vy = fabs(sin(way)) < 1e-9 ? 0 : speed * sin(way);
	circle->mass = r->mass_spread > 0 ? pick_scale(r, 1 / sqrt(r->mass_spread), sqrt(r->mass_spread))
	                                  : circle->radius * circle->radius;
	circle->restitution = restitution_pick(r);
	circle->friction = friction_pick(r);
	circle->rolling_resistance = r->rolling;
	circle->angular_velocity = circle->kind == BODY_STATIC ? 0 : r->spin * pick(r, -1, 1);
	circle->angle = r->spin * pick(r, -1, 1);
	if (r->inertia_varies)
		circle->moment_of_inertia = circle->mass * circle->radius * circle->radius * pick_scale(r, 0.01, 1);
	if (r->masks) {
		circle->category = 1 + (uint32_t)random_below(&r->random, 3);
		circle->mask = chance(r, 0.3) ? UINT32_MAX : 1 + (uint32_t)random_below(&r->random, 3);
	}
}

static void
circles_add(struct recipe *r, size_t count)
{
	const double pitch = 2 * r->radius_most;
	const bool lattice = chance(r, 0.3); /* those of the largest radius touch exactly */
	for (size_t tries = 0; r->scenario->circle_count < count && tries < 30 * count; tries++) {
		double x = place(r), y = place(r), radius = pick_scale(r, r->radius_least, r->radius_most);
		if (lattice) {
			x = pitch * round(x / pitch);
			y = pitch * round(y / pitch);
			radius = r->radius_most;
		}
		if (r->hostile && chance(r, 0.1))
			radius *= 1.3;
		else if (!scene_clear(r->scenario, x, y, radius, r->hostile && !lattice ? -0.01 * radius : 0))
			continue;
		circle_set(r, scenario_circle(r->scenario, x, y, 0, 0, radius));
	}
}

static void
world_set(struct recipe *r)
{
	struct world_def *def = &r->scenario->def;
	if (chance(r, 0.6)) {
		const double pull = PICK_OF(r, 1, 10, 10, 100), way = chance(r, 0.7) ? -90 * DEGREE : pick(r, 0, 360 * DEGREE);
		def->gravity_x = way == -90 * DEGREE ? 0 : pull * cos(way);
		def->gravity_y = way == -90 * DEGREE ? -pull : pull * sin(way);
	}
	def->restitution_mix = (enum restitution_mix)random_below(&r->random, 4);
	def->friction_mix = (enum friction_mix)random_below(&r->random, 5);
	if (chance(r, 0.3))
		def->restitution_threshold = PICK_OF(r, 0.01, 0.1, 1, 10);
	if (chance(r, 0.4))
		def->sleep_after = PICK_OF(r, 0.02, 0.1, 0.5);
	/* The cap of a sane one is for the certificate's sake, which looks at every event. */
	def->events_per_body_max = r->hostile ? (uint32_t)PICK_OF(r, 1, 5, 50, 500, 500, 500) : 1000;
}

static void
recipe_choose(struct recipe *r)
{
	r->size = PICK_OF(r, 3, 6, 12);
	r->radius_most = PICK_OF(r, 0.2, 0.5, 1);
	r->radius_least = r->radius_most * PICK_OF(r, 1, 1, 0.3, 0.1, 0.01);
	r->speed = r->hostile ? pick_scale(r, 1e-2, 1e4) : pick_scale(r, 1e-2, 1e2);
	r->mass_spread = PICK_OF(r, 0, 0, 1, 10, 1e6);
	r->restitution = (int)random_below(&r->random, RESTITUTION_STYLES);
	r->restitution_value = pick(r, 0, 1);
	r->friction = chance(r, 0.6) ? PICK_OF(r, 0.1, 0.5, 1, 5) : 0;
	r->friction_varies = chance(r, 0.5);
	r->rolling = chance(r, 0.3) ? PICK_OF(r, 0.01, 0.1, 1) : 0;
	r->spin = chance(r, 0.4) ? pick_scale(r, 0.1, 100) : 0;
	r->inertia_varies = chance(r, 0.3);
	r->masks = chance(r, 0.15);
	r->still = chance(r, 0.25);
	r->gridded = chance(r, 0.3);
	/* A third of the soups has thick walls, a third one-sided ones; joined, if they are all alike. */
	r->thick = random_below(&r->wall_random, 3) ? 0 : random_below(&r->wall_random, 2) ? 1 : 0.3;
	r->thickness = random_below(&r->wall_random, 2) ? r->radius_most * random_between(&r->wall_random, 0.05, 0.5) : 0;
	r->one_sided = random_below(&r->wall_random, 3) ? 0 : random_below(&r->wall_random, 2) ? 1 : 0.4;
	r->fixed = PICK_OF(r, 0, 0, 0.1, 0.3);
	r->kinematic = r->hostile ? PICK_OF(r, 0, 0.1, 0.3) : 0;
}

/* Moving surfaces, damping, a greatest speed, gravity scales and responses, in half of the scenes. With random numbers of its
 * own, after everything else: what a seed was without it, it still is otherwise. */
static void
movement_set(struct scenario *scenario, uint64_t seed)
{
	struct recipe r = { .scenario = scenario, .random = seed ^ UINT64_C(0x6d6f7665) };
	if (chance(&r, 0.5))
		return;
	const double belts = PICK_OF(&r, 0, 0.2, 0.6), swept_boxes = PICK_OF(&r, 0, 0, 0.3), damped = PICK_OF(&r, 0, 0.3, 1);
	const double scaled = PICK_OF(&r, 0, 0.3, 1), responding = PICK_OF(&r, 0, 0.3, 1), fastest = PICK_OF(&r, 0.5, 5, 50);
	if (chance(&r, 0.2))
		scenario->def.speed_max = pick_scale(&r, 0.1, 100);
	for (size_t i = 0; i < scenario->segment_count; i++)
		if (chance(&r, belts))
			scenario->segments[i].surface_speed = fastest * pick(&r, -1, 1);
	for (size_t i = 0; i < scenario->circle_count; i++) {
		struct circle_def *circle = &scenario->circles[i];
		circle->surface_speed = chance(&r, swept_boxes) ? fastest * pick(&r, -1, 1) : 0;
		circle->linear_damping = chance(&r, damped) ? pick_scale(&r, 0.01, 100) : 0;
		circle->angular_damping = chance(&r, damped) ? pick_scale(&r, 0.01, 100) : 0;
		circle->gravity_scale = chance(&r, scaled) ? PICK_OF(&r, 0, -1, 0.5, 2, -0.1, 1) : 1;
		circle->response = chance(&r, responding) ? (enum movement_response)random_below(&r.random, 3) : RESPONSE_BOUNCE;
	}
}

/* Walls that move, in a quarter of the scenes; random numbers as above. In a sane one they all move as one, and there is
 * nothing else that does not yield: so they squeeze nothing. */
static void
drift_set(struct scenario *scenario, uint64_t seed, bool hostile)
{
	struct recipe r = { .scenario = scenario, .random = seed ^ UINT64_C(0x6472696674) };
	if (!chance(&r, 0.25))
		return;
	const double speed = hostile ? pick_scale(&r, 1e-2, 1e5) : pick_scale(&r, 1e-2, 30), moving = PICK_OF(&r, 0.1, 0.5, 1);
	const double x = chance(&r, 0.5) ? pick(&r, -1, 1) : PICK_OF(&r, 0, 1, -1), y = chance(&r, 0.7) ? pick(&r, -1, 1) : x == 0;
	for (size_t i = 0; i < scenario->circle_count && !hostile; i++)
		if (scenario->circles[i].kind != BODY_DYNAMIC)
			return;
	for (size_t i = 0; i < scenario->segment_count; i++) {
		struct segment_def *segment = &scenario->segments[i];
		if (hostile && !chance(&r, moving))
			continue;
		const bool own = hostile && chance(&r, 0.5);
		segment->vx = speed * (own ? pick(&r, -1, 1) : x);
		segment->vy = speed * (own ? pick(&r, -1, 1) : y);
	}
}

/* Groups 0..2 and what they are to each other; weights from 0 to a million times each other. */
static void
relations_make(struct soup *soup, struct recipe *r)
{
	for (uint32_t a = 0; a < 3; a++) {
		for (uint32_t b = a; b < 3; b++) {
			struct relation_def *relation = &soup->relations[soup->scenario.def.relation_count];
			const double weights[] = { PICK_OF(r, 0, 1, 1, 3, 1e-3, 1e6), PICK_OF(r, 0, 1, 1, 3, 1e-3, 1e6) };
			if (chance(r, 0.3))
				continue;
			*relation = relation_def_default();
			relation->group_a = chance(r, 0.5) ? a : b;
			relation->group_b = relation->group_a == a ? b : a;
			relation->kind = (enum relation_kind)PICK_OF(r, RELATION_KIND_BOUNCE, RELATION_KIND_BOUNCE, RELATION_KIND_MOVE,
			                                             RELATION_KIND_MOVE, RELATION_KIND_ONE_SIDED, RELATION_KIND_NONE,
			                                             RELATION_KIND_SENSOR);
			const bool moves = relation->kind == RELATION_KIND_BOUNCE || relation->kind == RELATION_KIND_MOVE;
			relation->has_weight_a = relation->has_weight_b = moves && chance(r, 0.7);
			relation->weight_a = weights[0];
			relation->weight_b = a == b || weights[0] == 0 ? weights[0] + (weights[0] == 0) : weights[1];
			if (a == b)
				relation->weight_a = relation->weight_b;
			relation->has_elasticity = relation->kind == RELATION_KIND_BOUNCE && chance(r, 0.5);
			relation->elasticity = PICK_OF(r, 0, 0.5, 1);
			soup->scenario.def.relation_count++;
		}
	}
	soup->scenario.def.relations = soup->relations;
}

/* Of scenes that are there already: the rest of a seed's scene is the same with and without. */
static void
groups_make(struct soup *soup, struct recipe *r)
{
	const double grouped = PICK_OF(r, 0, 0.1, 0.5, 1), signed_groups = PICK_OF(r, 0, 0, 0.3);
	struct scenario *scenario = &soup->scenario;
	for (size_t i = 0; i < scenario->circle_count; i++) {
		scenario->circles[i].group = chance(r, grouped) ? (uint32_t)random_below(&r->random, 3) : 0;
		scenario->circles[i].filter_group = chance(r, signed_groups) ? (int32_t)random_below(&r->random, 5) - 2 : 0;
	}
	for (size_t i = 0; i < scenario->segment_count; i++) {
		scenario->segments[i].group = chance(r, 0.3 * grouped) ? (uint32_t)random_below(&r->random, 3) : 0;
		scenario->segments[i].filter_group = chance(r, 0.3 * signed_groups) ? (int32_t)random_below(&r->random, 5) - 2 : 0;
	}
	relations_make(soup, r);
}

void
soup_make(struct soup *soup, uint64_t seed, bool hostile)
{
	struct recipe r = { .scenario = &soup->scenario, .random = seed, .hostile = hostile };
	r.wall_random = seed ^ 0x5eed0fa11;
	scenario_init(&soup->scenario);
	recipe_choose(&r);
	world_set(&r);
	const bool open = !hostile && chance(&r, 0.1);
	if (open)
		r.fixed = 0;
	else if (chance(&r, 0.85))
		walls_around(&r);
	for (size_t i = (size_t)PICK_OF(&r, 0, 0, 1, 3, 8); i > 0 && !open; i--)
		walls_inside(&r);
	circles_add(&r, (size_t)PICK_OF(&r, 1, 2, 3, 5, 10, 25, 60));
	/* One that never yields cannot squeeze anything where there is nothing else that does not. */
	if (open && soup->scenario.circle_count > 0) {
		struct circle_def *first = &soup->scenario.circles[0];
		first->kind = BODY_KINEMATIC;
	}
	movement_set(&soup->scenario, seed);
	drift_set(&soup->scenario, seed, hostile);
	soup->hostile = hostile;
	soup->dt = hostile ? PICK_OF(&r, 1.0 / 60, 1.0 / 60, 1e-3, 0.1, 1) : PICK_OF(&r, 1.0 / 60, 1.0 / 60, 1.0 / 60, 1e-3, 0.1);
	soup->ticks = (uint64_t)PICK_OF(&r, 5, 20, 60, 120);
	if (chance(&r, 0.3))
		groups_make(soup, &r);
}

void
soup_finish(struct soup *soup)
{
	scenario_finish(&soup->scenario);
}
