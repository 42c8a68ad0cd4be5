#include "bench/worst_scene.h"

#include "support/random.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

/* What a trait says. */
enum trait {
	COUNT,
	LAYOUT,
	GAP,
	SPEED,
	MOVERS,
	MASSES,
	MASS_PATTERN,
	RESTITUTION,
	FRICTION,
	GRAVITY,
	TICK,
	BOX,
	ROOM,
	RADII,
	ROLLING,
	KINEMATIC,
	STATIC,
	SURFACE,
	MIX,
	WALLS,
	WALL_KIND,
	MOVING_WALLS,
	SPIN,
	RESPONSE,
	WEIGHTS,
	SENSORS,
	EVENTS,
	SCALES,
	JITTER,
	THRESHOLD,
	TRAITS,
};

static_assert((int)TRAITS <= (int)WORST_TRAITS, "each has a number");

static double
uniform(uint64_t *random)
{
	return random_between(random, 0, 1);
}

struct worst_gene
worst_gene_random(uint64_t *random)
{
	struct worst_gene gene = { .seed = random_bits(random) };

	for (int k = 0; k < WORST_TRAITS; k++)
		gene.traits[k] = uniform(random);
	return gene;
}

struct worst_gene
worst_gene_change(const struct worst_gene *gene, uint64_t *random)
{
	struct worst_gene next = *gene;

	for (uint64_t n = random_below(random, 5); n > 0; n--) {
		double *trait = &next.traits[random_below(random, TRAITS)];

		*trait = random_below(random, 2) ? uniform(random) : fmin(fmax(*trait + random_between(random, -.1, .1), 0), .999999);
	}
	if (random_below(random, 2))
		next.seed = random_bits(random);
	return next;
}

struct worst_gene
worst_gene_cross(const struct worst_gene *a, const struct worst_gene *b, uint64_t *random)
{
	struct worst_gene next = *a;

	for (int k = 0; k < TRAITS; k++)
		if (random_below(random, 2))
			next.traits[k] = b->traits[k];
	return next;
}

void
worst_gene_write(const struct worst_gene *gene, FILE *out)
{
	fprintf(out, "%" PRIu64 "\n", gene->seed);
	for (int k = 0; k < WORST_TRAITS; k++)
		fprintf(out, "%a\n", gene->traits[k]);
}

bool
worst_gene_read(struct worst_gene *gene, FILE *in)
{
	int read = fscanf(in, "%" SCNu64, &gene->seed);

	for (int k = 0; k < WORST_TRAITS; k++)
		read += fscanf(in, "%la", &gene->traits[k]);
	return read == WORST_TRAITS + 1;
}

/* One of a list. */
static size_t
choice(double trait, size_t count)
{
	return (size_t)(trait * (double)count) % count;
}
#define ONE_OF_LIST(trait, ...) \
	((const double[]){ __VA_ARGS__ })[choice((trait), sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double))]

/* 10^low .. 10^high, none in the first `none` of the trait. */
static double
powers(double trait, double none, double low, double high)
{
	return trait < none ? 0 : pow(10, low + (high - low) * (trait - none) / (1 - none));
}

#define PI 3.141592653589793

struct making {
	const double *traits;
	uint64_t random;
	struct scenario *scenario;
	size_t count;
	double radius, pitch, width; /* of the larger circles; between their centres; of all of them */
};

static double
mass_of(struct making *m, size_t i)
{
	double most = powers(m->traits[MASSES], .25, 0, 15), part = (double)i / (double)m->count;

	if (most == 0)
		return 1;
	switch (choice(m->traits[MASS_PATTERN], 5)) {
	case 0: return i % 2 ? most : 1 / most;
	case 1: return pow(most, 2 * part - 1);
	case 2: return pow(most, random_between(&m->random, -1, 1));
	case 3: return i == m->count / 2 ? 1 / most : 1;
	default: return i == m->count / 2 ? most : 1;
	}
}

static void
place_of(const struct making *m, size_t i, double *x, double *y)
{
	size_t columns = (size_t)ceil(sqrt((double)m->count)), row = i / columns, column = i % columns;
	double angle = 2 * PI * (double)i / (double)m->count;

	switch (choice(m->traits[LAYOUT], 5)) {
	case 0: *x = m->pitch * (double)i, *y = 0; break;
	case 1: *x = m->pitch * ((double)column + .5 * (double)(row % 2)), *y = m->pitch * (double)row * sqrt(.75); break;
	case 2: *x = m->pitch * (double)column, *y = m->pitch * (double)row; break;
	case 3:
		*x = i == 0 ? 0 : m->pitch * (double)m->count / (2 * PI) * cos(angle);
		*y = i == 0 ? 0 : m->pitch * (double)m->count / (2 * PI) * sin(angle);
		break;
	default: *x = 0, *y = m->pitch * (double)i; break;
	}
}

static void
velocity_of(struct making *m, size_t i, double speed, double velocity[2])
{
	double angle = random_between(&m->random, 0, 2 * PI);

	velocity[0] = velocity[1] = 0;
	switch (choice(m->traits[MOVERS], 5)) {
	case 0: velocity[0] = speed * cos(angle), velocity[1] = speed * sin(angle); break;
	case 1: velocity[0] = i == 0 ? speed : 0; break;
	case 2: velocity[0] = i == m->count - 1 ? -speed : 0, velocity[1] = 1e-3 * velocity[0]; break;
	case 3: velocity[0] = i % 2 ? speed : -speed; break;
	default: velocity[1] = i < m->count / 2 ? speed : -speed; break;
	}
}

static void
circles_add(struct making *m)
{
	const double *t = m->traits;
	double speed = powers(t[SPEED], .1, -1, 12), restitution = ONE_OF_LIST(t[RESTITUTION], 0, .1, .5, .9, .99, .9999, 1, 1);
	double friction = ONE_OF_LIST(t[FRICTION], 0, 0, .1, .5, 1, 1e3), spread = powers(t[RADII], .6, 0, 3);
	double jitter = powers(t[JITTER], .5, -12, -1), sensors = t[SENSORS] < .9 ? 0 : .5;
	double scales = t[SCALES] < .8 ? 0 : 2, spin = powers(t[SPIN], .7, 0, 9);

	for (size_t i = 0; i < m->count; i++) {
		double x, y, velocity[2];
		place_of(m, i, &x, &y);
		velocity_of(m, i, speed, velocity);
		x += m->radius * random_between(&m->random, -jitter, jitter);
		y += m->radius * random_between(&m->random, -jitter, jitter);
		double radius = spread > 1 ? m->radius * pow(spread, -uniform(&m->random)) : m->radius;
		struct circle_def *circle = scenario_circle(m->scenario, x, y, velocity[0], velocity[1], radius);
		circle->mass = mass_of(m, i);
		circle->restitution = restitution;
		circle->friction = friction;
		circle->rolling_resistance = t[ROLLING] < .8 ? 0 : .1;
		circle->surface_speed = t[SURFACE] < .85 ? 0 : 10;
		circle->angular_velocity = spin * random_between(&m->random, -1, 1);
		circle->response = (enum movement_response)(t[RESPONSE] < .85 ? 0 : random_below(&m->random, 3));
		circle->sensor = uniform(&m->random) < sensors;
		circle->gravity_scale = 1 + scales * random_between(&m->random, -1, 1);
		circle->group = t[WEIGHTS] < .85 ? 0 : (uint32_t)(i % 4);
		if (uniform(&m->random) < t[KINEMATIC] - .85)
			circle->kind = BODY_KINEMATIC, circle->angular_velocity = 0;
		else if (uniform(&m->random) < t[STATIC] - .7)
			circle->kind = BODY_STATIC, circle->vx = circle->vy = circle->angular_velocity = 0;
	}
}

/* What is all around, or under them. */
static void
box_add(struct making *m)
{
	struct scenario *s = m->scenario;
	double room = m->radius * powers(m->traits[ROOM], .2, -9, 2), x0 = INFINITY, y0 = INFINITY, x1 = -INFINITY, y1 = -INFINITY;

	for (size_t i = 0; i < s->circle_count; i++) {
		const struct circle_def *c = &s->circles[i];
		x0 = fmin(x0, c->x - c->radius * (1 + 1e-6) - room);
		y0 = fmin(y0, c->y - c->radius * (1 + 1e-6) - room);
		x1 = fmax(x1, c->x + c->radius * (1 + 1e-6) + room);
		y1 = fmax(y1, c->y + c->radius * (1 + 1e-6) + room);
	}
	m->width = fmax(x1 - x0, y1 - y0);
	switch (choice(m->traits[BOX], 5)) {
	case 0: scenario_box(s, x0, y0, x1, y1); break;
	case 1: /* a funnel */
		scenario_segment(s, x0 - m->width, y0 + 2 * m->width, (x0 + x1) / 2, y0 - m->width / 2);
		scenario_segment(s, (x0 + x1) / 2, y0 - m->width / 2, x1 + m->width, y0 + 2 * m->width);
		break;
	case 2: /* a pipe */
		scenario_segment(s, x0 - m->width, y0, x1 + m->width, y0);
		scenario_segment(s, x1 + m->width, y1, x0 - m->width, y1);
		break;
	case 3: { /* a ring of many walls */
		int n = 24;
		double middle[2] = { (x0 + x1) / 2, (y0 + y1) / 2 }, reach = m->width * .75 / cos(PI / n);
		for (int k = 0; k < n; k++)
			scenario_segment(s, middle[0] + reach * cos(2 * PI * k / n), middle[1] + reach * sin(2 * PI * k / n),
			                 middle[0] + reach * cos(2 * PI * (k + 1) / n), middle[1] + reach * sin(2 * PI * (k + 1) / n));
		break;
	}
	default: break;
	}
}

/* Walls among them, each with a circle's radius from every circle at least: elsewhere they would only overlap. */
static void
walls_add(struct making *m)
{
	size_t count = (size_t)powers(m->traits[WALLS], .6, 0, 1.9), first = m->scenario->segment_count;

	for (size_t k = 0; k < count; k++) {
		double x = random_between(&m->random, -m->width, 2 * m->width), y = random_between(&m->random, -m->width, 2 * m->width);
		double angle = random_between(&m->random, 0, 2 * PI), length = m->radius * powers(uniform(&m->random), 0, -3, 1);
		bool good = true;
		for (size_t i = 0; i < m->scenario->circle_count; i++)
			good = good && hypot(m->scenario->circles[i].x - x, m->scenario->circles[i].y - y) >
			                   1.001 * m->scenario->circles[i].radius + length;
		if (good)
			scenario_segment(m->scenario, x, y, x + length * cos(angle), y + length * sin(angle));
	}
	for (size_t k = 0; k < m->scenario->segment_count; k++) {
		struct segment_def *segment = &m->scenario->segments[k];
		segment->restitution = m->scenario->circles[0].restitution;
		segment->friction = m->scenario->circles[0].friction;
		if (m->traits[WALL_KIND] > .8 && k >= first)
			segment->radius = .1 * m->radius;
		if (m->traits[MOVING_WALLS] > .9)
			segment->vy = ONE_OF_LIST(m->traits[MOVING_WALLS] * 10 - 9, .1, 1, 100, 1e4);
	}
}

double
worst_scene(const struct worst_gene *gene, struct scenario *scenario)
{
	static const struct relation_def relations[] = {
		{ .group_a = 0,
		  .group_b = 1,
		  .kind = RELATION_KIND_BOUNCE,
		  .has_weight_a = true,
		  .has_weight_b = true,
		  .weight_a = 1,
		  .weight_b = 5 },
		{ .group_a = 1,
		  .group_b = 2,
		  .kind = RELATION_KIND_BOUNCE,
		  .has_weight_a = true,
		  .has_weight_b = true,
		  .weight_a = 7,
		  .weight_b = 1 },
		{ .group_a = 2,
		  .group_b = 3,
		  .kind = RELATION_KIND_MOVE,
		  .has_weight_a = true,
		  .has_weight_b = true,
		  .weight_a = 0,
		  .weight_b = 1 },
	};
	const double *t = gene->traits;
	struct making m = { .traits = t, .random = gene->seed, .scenario = scenario, .radius = .5 };

	scenario_init(scenario);
	m.count = t[COUNT] < .6 ? WORST_BODIES_MAX : 1 + (size_t)((t[COUNT] - .6) / .4 * WORST_BODIES_MAX);
	m.pitch = 2 * m.radius * (1 + powers(t[GAP], .3, -12, 1.3));
	circles_add(&m);
	box_add(&m);
	walls_add(&m);
	scenario->def.gravity_y = -powers(t[GRAVITY], .3, -2, 9);
	scenario->def.gravity_x = scenario->def.gravity_y * (t[GRAVITY] * 100 - floor(t[GRAVITY] * 100) < .5 ? 0 : .3);
	scenario->def.restitution_mix = (enum restitution_mix)choice(t[MIX], 4);
	scenario->def.restitution_threshold = powers(t[THRESHOLD], .8, -3, 1);
	scenario->def.events = t[EVENTS] < .9 ? 0 : WORLD_EVENTS_TOUCH | WORLD_EVENTS_PERSIST;
	if (t[WEIGHTS] >= .85) {
		scenario->def.relations = relations;
		scenario->def.relation_count = sizeof relations / sizeof relations[0];
	}
	return t[TICK] < .5 ? 1. / 60 : powers(t[TICK], .5, -3, 3);
}

static void
circle_write(const struct circle_def *c, FILE *out)
{
	static const char *const kinds[] = { "BODY_KIND_DYNAMIC", "BODY_KIND_KINEMATIC", "BODY_KIND_STATIC" };
	static const char *const responses[] = { "MOVEMENT_RESPONSE_BOUNCE", "MOVEMENT_RESPONSE_SLIDE", "MOVEMENT_RESPONSE_STOP" };

	fprintf(out, "{\"id\": %" PRIu32 ", \"kind\": \"%s\", \"x\": %.17g, \"y\": %.17g, \"vx\": %.17g, \"vy\": %.17g", c->id,
	        kinds[c->kind], c->x, c->y, c->vx, c->vy);
	fprintf(out, ", \"radius\": %.17g, \"mass\": %.17g, \"restitution\": %.17g, \"friction\": %.17g", c->radius, c->mass,
	        c->restitution, c->friction);
	fprintf(out, ", \"rolling_resistance\": %.17g, \"surface_speed\": %.17g, \"angular_velocity\": %.17g",
	        c->rolling_resistance, c->surface_speed, c->angular_velocity);
	fprintf(out, ", \"response\": \"%s\", \"sensor\": %s, \"gravity_scale\": %.17g, \"group\": %" PRIu32 "}",
	        responses[c->response], c->sensor ? "true" : "false", c->gravity_scale, c->group);
}

static void
relation_write(const struct relation_def *r, FILE *out)
{
	static const char *const kinds[] = {
		[RELATION_KIND_BOUNCE] = "RELATION_KIND_BOUNCE", [RELATION_KIND_MOVE] = "RELATION_KIND_MOVE"
	};

	fprintf(out,
	        "{\"group_a\": %" PRIu32 ", \"group_b\": %" PRIu32 ", \"kind\": \"%s\", \"weight_a\": %.17g, \"weight_b\": %.17g}",
	        r->group_a, r->group_b, kinds[r->kind], r->weight_a, r->weight_b);
}

void
worst_scene_write(const struct scenario *s, FILE *out)
{
	static const char *const mixes[] = { "MAX", "MIN", "PRODUCT", "MEAN" };

	fputs("{\"circles\": [", out);
	for (size_t i = 0; i < s->circle_count; i++) {
		fputs(i > 0 ? ", " : "", out);
		circle_write(&s->circles[i], out);
	}
	fputs("], \"segments\": [", out);
	for (size_t i = 0; i < s->segment_count; i++) {
		const struct segment_def *w = &s->segments[i];
		fprintf(out,
		        "%s{\"id\": %" PRIu32 ", \"x1\": %.17g, \"y1\": %.17g, \"x2\": %.17g, \"y2\": %.17g, \"restitution\": %.17g, "
		        "\"friction\": %.17g, \"radius\": %.17g, \"vx\": %.17g, \"vy\": %.17g}",
		        i > 0 ? ", " : "", w->id, w->x1, w->y1, w->x2, w->y2, w->restitution, w->friction, w->radius, w->vx, w->vy);
	}
	fputs("], \"relations\": [", out);
	for (size_t i = 0; i < s->def.relation_count; i++) {
		fputs(i > 0 ? ", " : "", out);
		relation_write(&s->def.relations[i], out);
	}
	fprintf(out,
	        "], \"gravity_x\": %.17g, \"gravity_y\": %.17g, \"restitution_mix\": \"RESTITUTION_MIX_%s\", \"friction_mix\": "
	        "\"FRICTION_MIX_GEOMETRIC\", \"restitution_threshold\": %.17g}\n",
	        s->def.gravity_x, s->def.gravity_y, mixes[s->def.restitution_mix], s->def.restitution_threshold);
}
