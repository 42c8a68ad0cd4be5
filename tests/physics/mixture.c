#include "physics/mixture.h"

#include "support/random.h"

/* How a mixture's circles begin. */
enum mixture_style { STYLE_FLYING, STYLE_FALLING, STYLE_LAID, STYLE_FAST, STYLE_RACK, STYLES, STYLE_GAS };

#define FEW 28
#define GAS 128

double
mixture_pick(uint64_t *random, const double *values, size_t count)
{
	return values[random_below(random, count)];
}

#define PICK(...) MIXTURE_PICK(random, __VA_ARGS__)

static bool
chance(uint64_t *random, uint64_t one_in)
{
	return random_below(random, one_in) == 0;
}

/* The field of a circle at random. The result is out of its range now and then. */
static void
circle_vary(struct mixture *m, struct circle_def *c, enum def_field field)
{
	uint64_t *random = &m->random;
	const double size = m->size, scale = m->scale;
	switch (field) {
	case DEF_CIRCLE_KIND: c->kind = (enum body_kind)PICK(BODY_DYNAMIC, BODY_DYNAMIC, BODY_KINEMATIC, BODY_STATIC); break;
	case DEF_CIRCLE_X: c->x = m->at_x + scale * random_between(random, -size, size); break;
	case DEF_CIRCLE_Y: c->y = m->at_y + scale * random_between(random, -size, size); break;
	case DEF_CIRCLE_VX: c->vx = scale * random_between(random, -9, 9); break;
	case DEF_CIRCLE_VY: c->vy = scale * PICK(0, -5, 5, 30, -200); break;
	case DEF_CIRCLE_RADIUS: c->radius *= PICK(0.5, 0.9, 1.1, 1.5); break;
	case DEF_CIRCLE_MASS: c->mass = PICK(1, 0.01, 3, 1000); break;
	case DEF_CIRCLE_RESTITUTION: c->restitution = PICK(0, 0.5, 0.75, 1, 0.3); break;
	case DEF_CIRCLE_FRICTION: c->friction = PICK(0, 0.2, 1, 5); break;
	case DEF_CIRCLE_ROLLING_RESISTANCE: c->rolling_resistance = PICK(0, 0.01, 0.2); break;
	case DEF_CIRCLE_ANGLE: c->angle = random_between(random, -7, 7); break;
	case DEF_CIRCLE_ANGULAR_VELOCITY: c->angular_velocity = random_between(random, -20, 20); break;
	case DEF_CIRCLE_MOMENT_OF_INERTIA: c->moment_of_inertia = scale * scale * PICK(0, 0.01, 1, 50); break;
	case DEF_CIRCLE_SURFACE_SPEED: c->surface_speed = scale * PICK(0, 3, -1); break;
	case DEF_CIRCLE_LINEAR_DAMPING: c->linear_damping = PICK(0, 0.5, 4); break;
	case DEF_CIRCLE_ANGULAR_DAMPING: c->angular_damping = PICK(0, 0.25, 9); break;
	case DEF_CIRCLE_GRAVITY_SCALE: c->gravity_scale = PICK(1, 0.5, -1, 0, 2); break;
	case DEF_CIRCLE_RESPONSE: c->response = (enum movement_response)random_below(random, 3); break;
	case DEF_CIRCLE_CATEGORY: c->category = (uint32_t)random_below(random, 4); break;
	case DEF_CIRCLE_MASK: c->mask = (uint32_t)random_below(random, 8); break;
	case DEF_CIRCLE_SENSOR: c->sensor = chance(random, 2); break;
	case DEF_CIRCLE_FILTER_GROUP: c->filter_group = (int32_t)random_below(random, 5) - 2; break;
	case DEF_CIRCLE_GROUP: c->group = (uint32_t)random_below(random, 3); break;
	case DEF_CIRCLE_STOP_GROUPS: c->stop_groups = random_below(random, 8) & ~(c->remove_groups | c->report_groups); break;
	case DEF_CIRCLE_REMOVE_GROUPS: c->remove_groups = random_below(random, 8) & ~(c->stop_groups | c->report_groups); break;
	case DEF_CIRCLE_REPORT_GROUPS: c->report_groups = random_below(random, 8) & ~(c->stop_groups | c->remove_groups); break;
	case DEF_CIRCLE_LIFETIME_TICKS: c->lifetime_ticks = (uint32_t)random_below(random, 30); break;
	case DEF_CIRCLE_LIFETIME_S: c->lifetime_s = m->dt * random_between(random, 0, 20); break;
	case DEF_CIRCLE_IGNORE: c->ignore = (enum ignore)random_below(random, 3); break;
	case DEF_CIRCLE_IGNORED_CIRCLE: c->ignored_circle = (uint32_t)(11 * random_below(random, FEW) % 163); break;
	case DEF_CIRCLE_TAG: c->tag = random_bits(random); break;
	default: break;
	}
}

static void
segment_vary(struct mixture *m, struct segment_def *s, enum def_field field)
{
	uint64_t *random = &m->random;
	const double size = m->size, scale = m->scale;
	switch (field) {
	case DEF_SEGMENT_X1: s->x1 = m->at_x + scale * random_between(random, -size, size); break;
	case DEF_SEGMENT_Y1: s->y1 = m->at_y + scale * random_between(random, -size, size); break;
	case DEF_SEGMENT_X2: s->x2 = m->at_x + scale * random_between(random, -size, size); break;
	case DEF_SEGMENT_Y2: s->y2 = m->at_y + scale * random_between(random, -size, size); break;
	case DEF_SEGMENT_RESTITUTION: s->restitution = PICK(0, 0.5, 1); break;
	case DEF_SEGMENT_FRICTION: s->friction = PICK(0, 0.2, 1, 5); break;
	case DEF_SEGMENT_ROLLING_RESISTANCE: s->rolling_resistance = PICK(0, 0.05); break;
	case DEF_SEGMENT_SURFACE_SPEED: s->surface_speed = scale * PICK(0, 4, -2); break;
	case DEF_SEGMENT_CATEGORY: s->category = (uint32_t)random_below(random, 4); break;
	case DEF_SEGMENT_MASK: s->mask = (uint32_t)random_below(random, 8); break;
	case DEF_SEGMENT_SENSOR: s->sensor = chance(random, 2); break;
	case DEF_SEGMENT_RADIUS: s->radius = scale * PICK(0, 0.05, 0.25, 0.5); break;
	case DEF_SEGMENT_ONE_SIDED: s->one_sided = chance(random, 2); break;
	case DEF_SEGMENT_FILTER_GROUP: s->filter_group = (int32_t)random_below(random, 5) - 2; break;
	case DEF_SEGMENT_GROUP: s->group = (uint32_t)random_below(random, 3); break;
	case DEF_SEGMENT_VX: s->vx = scale * PICK(0, 1.5, -4); break;
	case DEF_SEGMENT_VY: s->vy = scale * PICK(0, 0.75, -2); break;
	default: break;
	}
}

static struct segment_def *
wall_add(struct mixture *m, double x1, double y1, double x2, double y2)
{
	struct segment_def *wall = &m->segments[m->def.segment_count];
	*wall = segment_def_default();
	wall->id = (uint32_t)(7 * m->def.segment_count++ % 31);
	wall->x1 = x1;
	wall->y1 = y1;
	wall->x2 = x2;
	wall->y2 = y2;
	return wall;
}

/* A box, and within it chains that have corners, T-junctions, and walls by themselves. */
static void
walls_make(struct mixture *m, bool plain)
{
	uint64_t *random = &m->random;
	const double s = m->size, thick = PICK(0, 0, 0.1, 0.25), dull = m->gas ? 1 : PICK(0, 0, 0.5, 1), rough = PICK(0, 0, 0.5);
	wall_add(m, -s, -s, s, -s);
	if (!chance(random, 6)) {
		wall_add(m, s, -s, s, s);
		wall_add(m, s, s, -s, s);
		wall_add(m, -s, s, -s, -s);
	}
	for (uint64_t chain = random_below(random, 4); chain > 0; chain--) {
		double x = random_between(random, -s, s), y = random_between(random, -s, s);
		const bool one_sided = chance(random, 4), moves = !plain && chance(random, 4);
		const double vx = moves ? PICK(0, 2, -3) : 0, vy = moves ? PICK(1, -1) : 0;
		for (uint64_t link = 1 + random_below(random, 4); link > 0; link--) {
			const double nx = x + random_between(random, 0.3, 2), ny = y + random_between(random, -1, 1);
			struct segment_def *wall = wall_add(m, x, y, nx, ny);
			wall->one_sided = one_sided;
			wall->vx = vx;
			wall->vy = vy;
			/* Its end is on the link. */
			if (chance(random, 6))
				*wall_add(m, 0.5 * x + 0.5 * nx, 0.5 * y + 0.5 * ny, nx, ny + 2) = (struct segment_def){
					.id = (uint32_t)(7 * (m->def.segment_count - 1) % 31),
					.x1 = 0.5 * x + 0.5 * nx,
					.y1 = 0.5 * y + 0.5 * ny,
					.x2 = nx,
					.y2 = ny + 2,
					.category = 1,
					.mask = UINT32_MAX,
					.vx = vx,
					.vy = vy,
				};
			x = nx;
			y = ny;
		}
	}
	for (size_t i = 0; i < m->def.segment_count; i++) {
		struct segment_def *wall = &m->segments[i];
		wall->radius = thick;
		wall->restitution = dull;
		wall->friction = rough;
		for (int fields = plain ? 0 : 3; fields > 0 && chance(random, 3); fields--)
			segment_vary(m, wall, (enum def_field)(DEF_SEGMENT_RESTITUTION + random_below(random, 12)));
	}
}

/* A direction by rational numbers. */
static void
fly(struct circle_def *circle, double speed, uint64_t *random)
{
	const double t = random_between(random, -1, 1), way = chance(random, 2) ? speed : -speed;
	circle->vx = way * (1 - t * t) / (1 + t * t);
	circle->vy = way * 2 * t / (1 + t * t);
}

static void
circles_make(struct mixture *m, enum mixture_style style, bool plain)
{
	uint64_t *random = &m->random;
	const double most = PICK(0.3, 0.45), least = PICK(1, 0.9, 0.2), dull = PICK(0, 0.3, 1), rough = PICK(0, 0, 0.3, 1);
	const double rolling = PICK(0, 0, 0.05), speed = style == STYLE_FAST ? PICK(200, 5000) : PICK(1, 8, 40);
	const size_t count = style == STYLE_GAS ? GAS : 2 + (size_t)random_below(random, FEW - 2);
	const size_t columns = 2 + (size_t)random_below(random, 6);
	const bool presses = style != STYLE_GAS && chance(random, 6);
	const double press = PICK(0.2, 1, 8);
	for (size_t i = 0; i < count; i++) {
		struct circle_def *c = &m->circles[i];
		*c = circle_def_default();
		c->id = (uint32_t)(11 * i % 163);
		c->radius = most * random_between(random, least, 1);
		c->mass = 4 * c->radius * c->radius;
		c->restitution = style == STYLE_LAID ? 0 : style == STYLE_GAS ? 1 : dull;
		c->friction = rough;
		c->rolling_resistance = rolling;
		if (style == STYLE_LAID) {
			c->radius = chance(random, 5) ? c->radius : most;
			c->x = -m->size + most * (1 + (double)(2 * (i % columns) + i / columns % 2));
			c->y = -m->size + most * (1 + 1.75 * (double)(i / columns));
		} else if (style == STYLE_RACK) {
			/* They touch, in a triangle or a rhomb. */
			c->radius = most;
			c->x = most * (2 * (double)(i % columns) + (double)(i / columns) - (double)columns);
			c->y = most * 0x1.bb67ae8584caap0 * (double)(i / columns);
		} else if (style == STYLE_GAS) {
			c->x = -m->size + most * (1 + 2.25 * (double)(i % 12) + random_between(random, 0, 0.25));
			c->y = -m->size + most * (1 + 2.25 * (double)(i / 12) + random_between(random, 0, 0.25));
		} else {
			c->x = random_between(random, -m->size + most, m->size - most);
			c->y = random_between(random, -m->size + most, m->size - most);
		}
		if (style == STYLE_FLYING || style == STYLE_FAST || style == STYLE_GAS)
			fly(c, speed * random_between(random, 0, 1), random);
		for (int fields = plain ? 0 : 4; fields > 0 && chance(random, 3); fields--)
			circle_vary(m, c, (enum def_field)(DEF_CIRCLE_KIND + random_below(random, DEF_CIRCLE_GROUP - DEF_CIRCLE_KIND + 1)));
		/* Some press on the others, and do not yield. */
		if (presses && i % 4 == 3) {
			c->kind = BODY_KINEMATIC;
			c->vx = -press * c->x;
			c->vy = -press * c->y;
		}
		if (c->kind == BODY_STATIC)
			c->vx = c->vy = c->angular_velocity = 0;
	}
	m->def.circle_count = count;
	/* What strikes the rack. */
	if (style == STYLE_RACK) {
		m->circles[0].x -= PICK(1, 1.5);
		m->circles[0].vx = PICK(3, 50);
	}
}

static void
relations_make(struct mixture *m)
{
	uint64_t *random = &m->random;
	for (uint32_t pair = 0; pair < 6; pair++) {
		static const uint32_t groups[6][2] = { { 0, 0 }, { 0, 1 }, { 2, 0 }, { 1, 1 }, { 1, 2 }, { 2, 2 } };
		struct relation_def *relation = &m->relations[m->def.relation_count];
		if (chance(random, 3))
			continue;
		*relation = relation_def_default();
		relation->group_a = groups[pair][0];
		relation->group_b = groups[pair][1];
		relation->kind = (enum relation_kind)PICK(RELATION_KIND_BOUNCE, RELATION_KIND_BOUNCE, RELATION_KIND_MOVE,
		                                          RELATION_KIND_ONE_SIDED, RELATION_KIND_NONE, RELATION_KIND_SENSOR);
		const bool weighs = relation->kind == RELATION_KIND_BOUNCE || relation->kind == RELATION_KIND_MOVE;
		relation->has_weight_a = relation->has_weight_b = weighs && chance(random, 2);
		relation->weight_b = PICK(1, 3, 1e6);
		relation->weight_a = relation->group_a == relation->group_b ? relation->weight_b : PICK(0, 1, 2, 1e-3);
		relation->has_elasticity = relation->kind == RELATION_KIND_BOUNCE && chance(random, 2);
		relation->elasticity = PICK(0, 0.5, 1);
		m->def.relation_count++;
	}
}

/* Rules of few circles, and the bounds of all. */
static void
rules_make(struct mixture *m)
{
	uint64_t *random = &m->random;
	for (size_t i = 0; i < m->def.circle_count; i++)
		for (int fields = 3; fields > 0 && chance(random, 2); fields--)
			circle_vary(m, &m->circles[i],
			            (enum def_field)(DEF_CIRCLE_GROUP + random_below(random, DEF_CIRCLE_TAG - DEF_CIRCLE_GROUP + 1)));
	m->def.has_bounds = chance(random, 3);
	m->def.bounds_x_min = m->def.bounds_y_min = -1.25 * m->size;
	m->def.bounds_x_max = m->def.bounds_y_max = 1.25 * m->size;
}

/* As large as asked for, where asked for. */
static void
mixture_place(struct mixture *m, double scale, double x, double y)
{
	m->scale = scale;
	m->at_x = x;
	m->at_y = y;
	m->def.gravity_x *= scale;
	m->def.gravity_y *= scale;
	m->def.restitution_threshold *= scale;
	m->def.speed_max *= scale;
	m->def.hit_speed *= scale;
	m->def.bounds_x_min = x + scale * m->def.bounds_x_min;
	m->def.bounds_x_max = x + scale * m->def.bounds_x_max;
	m->def.bounds_y_min = y + scale * m->def.bounds_y_min;
	m->def.bounds_y_max = y + scale * m->def.bounds_y_max;
	for (size_t i = 0; i < m->def.circle_count; i++) {
		struct circle_def *c = &m->circles[i];
		c->x = x + scale * c->x;
		c->y = y + scale * c->y;
		c->vx *= scale;
		c->vy *= scale;
		c->radius *= scale;
		c->surface_speed *= scale;
		c->moment_of_inertia *= scale * scale;
	}
	for (size_t i = 0; i < m->def.segment_count; i++) {
		struct segment_def *s = &m->segments[i];
		s->x1 = x + scale * s->x1;
		s->y1 = y + scale * s->y1;
		s->x2 = x + scale * s->x2;
		s->y2 = y + scale * s->y2;
		s->radius *= scale;
		s->surface_speed *= scale;
		s->vx *= scale;
		s->vy *= scale;
	}
}

static struct circle_def *
wide_circle(struct mixture *m, double x, double y, double radius)
{
	struct circle_def *c = &m->circles[m->def.circle_count];
	*c = circle_def_default();
	c->id = (uint32_t)(11 * m->def.circle_count++ % 1021);
	c->x = x;
	c->y = y;
	c->radius = radius;
	c->mass = 4 * radius * radius;
	return c;
}

/* One a cell of a lattice that the box has room for, with speeds of all directions. The walls within are short. */
static void
wide_box_make(struct mixture *m, double most, double least, double dull)
{
	uint64_t *random = &m->random;
	const size_t columns = 12 + (size_t)random_below(random, 8);
	const double step = most * PICK(2.05, 2.5, 4), speed = PICK(0.5, 4, 30) * most;
	m->size = 0.5 * step * (double)columns + 0.5 * most;
	walls_make(m, true);
	for (uint64_t i = random_below(random, 24); i > 0; i--) {
		const double x = random_between(random, -m->size, m->size), y = random_between(random, -m->size, m->size);
		struct segment_def *wall = wall_add(m, x, y, x + most * random_between(random, -3, 3), y + most * PICK(0, 1, -2));
		wall->restitution = dull;
		for (int fields = m->gas ? 0 : 2; fields > 0 && chance(random, 4); fields--)
			segment_vary(m, wall, (enum def_field)(DEF_SEGMENT_RESTITUTION + random_below(random, 12)));
	}
	for (size_t i = 0; i < columns * columns; i++) {
		const double x = -m->size + 0.5 * (step + most) + step * (double)(i % columns), jitter = 0.5 * step - most;
		const double y = -m->size + 0.5 * (step + most) + step * (double)(i / columns), t = random_between(random, 0, 1);
		const double radius = most * (least + (1 - least) * t * t * t * t);
		struct circle_def *c = wide_circle(m, x + random_between(random, -jitter, jitter),
		                                   y + random_between(random, -jitter, jitter), radius);
		c->restitution = dull;
		fly(c, speed * random_between(random, 0, 1), random);
		if (!m->gas && chance(random, 12))
			circle_vary(m, c, (enum def_field)(DEF_CIRCLE_VX + random_below(random, DEF_CIRCLE_GROUP - DEF_CIRCLE_VX + 1)));
	}
}

/* Heaps and swarms, each with a floor of its own. */
static void
wide_crowds_make(struct mixture *m)
{
	uint64_t *random = &m->random;
	const double far = PICK(20, 1e3, 1e6), dull = PICK(0, 0, 0.5, 1);
	m->size = 4;
	for (uint64_t crowd = 3 + random_below(random, 9); crowd > 0; crowd--) {
		const double x = far * random_between(random, -1, 1), y = far * random_between(random, -1, 1);
		const bool laid = chance(random, 2), moves = chance(random, 6);
		struct segment_def *floor = wall_add(m, x - 4, y, x + 4, y);
		floor->vx = moves ? 1 : 0;
		floor->friction = PICK(0, 0.5);
		wall_add(m, x - 4, y, x - 4, y + 4)->vx = floor->vx;
		wall_add(m, x + 4, y + 4, x + 4, y)->vx = floor->vx;
		for (uint64_t i = 0, count = 4 + random_below(random, 28); i < count; i++) {
			const double column = (double)(i % 7), row = (double)(i / 7);
			struct circle_def *c = wide_circle(m, x - 3.5 + 1.02 * column, y + 0.5 + (laid ? 1 : 1.25) * row, 0.5);
			c->restitution = dull;
			if (!laid)
				fly(c, 6 * random_between(random, 0, 1), random);
			if (chance(random, 10))
				circle_vary(m, c, (enum def_field)(DEF_CIRCLE_VX + random_below(random, DEF_CIRCLE_GROUP - DEF_CIRCLE_VX + 1)));
		}
	}
}

static void
mixture_wide(struct mixture *m)
{
	uint64_t *random = &m->random;
	const uint64_t kind = random_below(random, 3);
	m->gas = kind == 0;
	m->ticks = 3 + random_below(random, 4);
	m->dt = PICK(1.0 / 60, 1.0 / 60, 1.0 / 240);
	m->def.gravity_y = m->gas ? 0 : PICK(0, -10);
	m->def.sleep_after = m->gas ? 0 : PICK(0, 0.03);
	m->def.events_per_body_max = (uint32_t)PICK(30, 500);
	m->def.events = m->gas ? 0 : (unsigned)random_below(random, 8);
	if (kind == 2)
		wide_crowds_make(m);
	else
		wide_box_make(m, PICK(0.3, 0.5), m->gas ? PICK(1, 0.9) : PICK(0.5, 0.05, 0.01), m->gas ? 1 : PICK(0, 0.5, 1));
	m->def.circles = m->circles;
	m->def.segments = m->segments;
	m->def.relations = m->relations;
}

void
mixture_make(struct mixture *m, uint64_t seed)
{
	*m = (struct mixture){ .def = world_def_default(), .random = seed, .scale = 1 };
	uint64_t *random = &m->random;
	if (seed >= MIXTURE_WIDE) {
		mixture_wide(m);
		return;
	}
	const enum mixture_style style = chance(random, 6) ? STYLE_GAS : (enum mixture_style)random_below(random, STYLES);
	/* In a third of them materials, groups and the like are those of all. */
	m->gas = style == STYLE_GAS;
	const bool plain = m->gas || chance(random, 3), pulls = style == STYLE_FALLING || style == STYLE_LAID;
	m->size = m->gas ? 6.5 : PICK(3, 4, 6);
	m->ticks = 16 + random_below(random, 24);
	m->def.gravity_y = pulls ? PICK(-10, -10, -20) : PICK(0, 0, -10);
	m->def.gravity_x = PICK(0, 0, 0, 3);
	if (m->gas)
		m->def.gravity_x = m->def.gravity_y = 0;
	/* Where things rest, a long tick has up to a thousand substeps. */
	m->dt = m->def.gravity_x != 0 || m->def.gravity_y != 0 ? PICK(1.0 / 60, 1.0 / 60, 1e-3, 0.03)
	        : m->gas                                       ? PICK(1.0 / 60, 1.0 / 240)
	                                                       : PICK(1.0 / 60, 1.0 / 60, 0.1, 1);
	m->def.restitution_mix = (enum restitution_mix)random_below(random, 4);
	m->def.friction_mix = (enum friction_mix)random_below(random, 5);
	m->def.restitution_threshold = PICK(0, 0, 0.5);
	m->def.sleep_after = m->gas ? 0 : PICK(0, 0.05, 0.1);
	m->def.speed_max = PICK(0, 0, 0, 20);
	m->def.events_per_body_max = (uint32_t)PICK(3, 30, 500, 500);
	m->def.events = m->gas ? 0 : (unsigned)random_below(random, 8);
	m->def.hit_speed = PICK(0, 0, 2);
	walls_make(m, plain);
	circles_make(m, style, plain);
	if (!plain && chance(random, 2))
		relations_make(m);
	m->ruled = seed >= MIXTURE_RULED;
	if (m->ruled)
		rules_make(m);
	/* One that is faster than a skin covers. */
	if (!m->gas && chance(random, 8))
		m->circles[m->def.circle_count - 1].vx = m->circles[m->def.circle_count - 1].kind == BODY_STATIC ? 0 : 3e8;
	if (chance(random, 3))
		mixture_place(m, PICK(1e-3, 1, 1000), PICK(0, 1e6, -3e7), PICK(0, -1e5));
	m->def.circles = m->circles;
	m->def.segments = m->segments;
	m->def.relations = m->relations;
}

void
mixture_shuffle(struct mixture *m, uint64_t seed)
{
	for (size_t i = m->def.circle_count; i > 1; i--) {
		const size_t k = (size_t)random_below(&seed, i);
		const struct circle_def swap = m->circles[i - 1];
		m->circles[i - 1] = m->circles[k];
		m->circles[k] = swap;
	}
	for (size_t i = m->def.segment_count; i > 1; i--) {
		const size_t k = (size_t)random_below(&seed, i);
		const struct segment_def swap = m->segments[i - 1];
		m->segments[i - 1] = m->segments[k];
		m->segments[k] = swap;
	}
}

static struct edit
circle_edit(struct mixture *m, const struct world *world)
{
	uint64_t *random = &m->random;
	const size_t count = world_body_count(world);
	if (count == 0 || (count < m->def.circle_count + 16 && chance(random, 4))) {
		struct circle_def circle = m->circles[random_below(random, m->def.circle_count)];
		circle.id = (uint32_t)random_below(random, 200);
		circle.x = m->at_x + m->scale * random_between(random, -m->size, m->size);
		circle.y = m->at_y + m->scale * random_between(random, -m->size, m->size);
		return edit_circle_spawn(&circle);
	}
	struct circle_def circle = world_circle(world, (size_t)random_below(random, count));
	if (chance(random, 5))
		return edit_circle_remove(circle.id);
	uint64_t fields = 0;
	for (uint64_t k = 1 + random_below(random, 3); k > 0; k--) {
		const enum def_field field = (enum def_field)(DEF_CIRCLE_KIND +
		                                              random_below(random, DEF_CIRCLE_GROUP - DEF_CIRCLE_KIND + 1));
		circle_vary(m, &circle, field);
		fields |= edit_field(field);
	}
	if (circle.kind == BODY_STATIC) {
		circle.vx = circle.vy = circle.angular_velocity = 0;
		fields |= edit_field(DEF_CIRCLE_VX) | edit_field(DEF_CIRCLE_VY) | edit_field(DEF_CIRCLE_ANGULAR_VELOCITY);
	}
	struct edit edit = edit_circle_change(&circle,
	                                      fields | (fields & edit_field(DEF_CIRCLE_KIND) ? edit_field(DEF_CIRCLE_MASS) : 0));
	size_t index;
	if (chance(random, 8) && world_body_find(world, circle.id, &index)) {
		edit.exact = true;
		edit.generation = world_body_handle(world, index).generation + (uint32_t)chance(random, 3);
	}
	return edit;
}

static struct edit
segment_edit(struct mixture *m, const struct world *world)
{
	uint64_t *random = &m->random;
	const size_t count = world_segment_count(world);
	if (count == 0 || chance(random, 4)) {
		struct segment_def segment = m->segments[random_below(random, m->def.segment_count)];
		segment.id = (uint32_t)random_below(random, 60);
		segment.x1 += 0.5 * m->scale;
		segment.x2 += m->scale * random_between(random, 0.3, 1);
		return edit_segment_spawn(&segment);
	}
	struct segment_def segment = world_segment(world, (size_t)random_below(random, count));
	if (chance(random, 4))
		return edit_segment_remove(segment.id);
	uint64_t fields = 0;
	for (uint64_t k = 1 + random_below(random, 3); k > 0; k--) {
		const enum def_field field = (enum def_field)(DEF_SEGMENT_X1 +
		                                              random_below(random, DEF_SEGMENT_VY - DEF_SEGMENT_X1 + 1));
		segment_vary(m, &segment, field);
		fields |= edit_field(field);
	}
	return edit_segment_change(&segment, fields);
}

/* What only ruled ones have. */
static struct edit
ruled_edit(struct mixture *m, const struct world *world)
{
	uint64_t *random = &m->random;
	const double s = m->scale, size = m->size * s;
	const size_t bodies = world_body_count(world), walls = world_segment_count(world);
	const uint32_t id = bodies > 0 ? world_body(world, (size_t)random_below(random, bodies)).id : 0;
	const double x = m->at_x + random_between(random, -size, size), y = m->at_y + random_between(random, -size, size);
	struct circle_push push = {
		.id = id, .x = s * PICK(0, 1, -30), .y = s * random_between(random, -9, 9), .turn = PICK(0, 0, 2)
	};
	struct explosion blast = { x, y, s * PICK(0, 1, 3), s * PICK(0, 2), PICK(1, -1, 30), (uint32_t)PICK(1, 7, 0) };
	struct segment_def wall = { .disabled = chance(random, 2) };
	struct circle_def circle = { .id = id };
	switch (random_below(random, 7)) {
	case 0: return edit_circle_add_velocity(id, push.x, push.y);
	case 1:
		push.has_point = chance(random, 2);
		push.point_x = x;
		push.point_y = y;
		return edit_circle_impulse(&push);
	case 2: return edit_explosion(&blast);
	case 3: return edit_gravity(s * PICK(0, 0, 5), s * PICK(0, -10, 10, -20));
	case 4:
		if (walls == 0)
			break;
		wall.id = world_segment(world, (size_t)random_below(random, walls)).id;
		return edit_segment_change(&wall, edit_field(DEF_SEGMENT_DISABLED));
	case 5:
		if (bodies == 0)
			break;
		circle = world_circle(world, (size_t)random_below(random, bodies));
		for (int i = 0; i < 3; i++)
			circle_vary(
				m, &circle,
				(enum def_field)(DEF_CIRCLE_STOP_GROUPS + random_below(random, DEF_CIRCLE_TAG - DEF_CIRCLE_STOP_GROUPS + 1)));
		return edit_circle_change(&circle, edit_field(DEF_CIRCLE_STOP_GROUPS) | edit_field(DEF_CIRCLE_REMOVE_GROUPS) |
		                                       edit_field(DEF_CIRCLE_REPORT_GROUPS) | edit_field(DEF_CIRCLE_IGNORE) |
		                                       edit_field(DEF_CIRCLE_TAG));
	default: break;
	}
	return edit_circle_sweep(id, x, y);
}

size_t
mixture_edits(struct mixture *m, const struct world *world, struct edit edits[MIXTURE_EDITS_MAX])
{
	const size_t count = 1 + (size_t)random_below(&m->random, MIXTURE_EDITS_MAX);
	for (size_t i = 0; i < count; i++)
		edits[i] = m->ruled && !chance(&m->random, 3) ? ruled_edit(m, world)
		           : chance(&m->random, 4)            ? segment_edit(m, world)
		                                              : circle_edit(m, world);
	return count;
}
