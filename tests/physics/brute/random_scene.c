#include "physics/brute/random_scene.h"
#include "support/random.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define ARENA 10.0 /* half the side of the square that scenes are about as large as */

static const double corners[8][2] = { { 1, 0 },  { 0.75, 0.75 },   { 0, 1 },  { -0.75, 0.75 },
	                                  { -1, 0 }, { -0.75, -0.75 }, { 0, -1 }, { 0.75, -0.75 } };

bool
random_chance(uint64_t *state, unsigned int percent)
{
	return random_below(state, 100) < percent;
}

static struct segment_def *
segment_add(struct random_scene *scene, double x1, double y1, double x2, double y2)
{
	struct segment_def *segment = &scene->segments[scene->def.segment_count];

	*segment = segment_def_default();
	segment->id = (uint32_t)scene->def.segment_count++;
	segment->x1 = x1;
	segment->y1 = y1;
	segment->x2 = x2;
	segment->y2 = y2;
	return segment;
}

/* A closed polygon of 3..8 corners, each moved a little: convex or nearly so. */
static void
polygon_add(struct random_scene *scene, uint64_t *state, size_t count)
{
	double points[9][2];
	bool round = count == 8 && random_chance(state, 50);

	for (size_t i = 0; i < count; i++) {
		size_t corner = i * 8 / count;

		points[i][0] = ARENA * 1.4 * corners[corner][0] + (round ? 0 : random_between(state, -2, 2));
		points[i][1] = ARENA * 1.4 * corners[corner][1] + (round ? 0 : random_between(state, -2, 2));
	}
	for (size_t i = 0; i < count; i++) {
		size_t next = (i + 1) % count;

		if (random_chance(state, 50))
			segment_add(scene, points[i][0], points[i][1], points[next][0], points[next][1]);
		else
			segment_add(scene, points[next][0], points[next][1], points[i][0], points[i][1]);
	}
}

/* Segments end to end: bent either way, straight on, or nearly straight. */
static void
chain_add(struct random_scene *scene, uint64_t *state, size_t count)
{
	double x = random_between(state, -ARENA, 0), y = random_between(state, -ARENA, 0), dx = 3, dy = 0;

	for (size_t i = 0; i < count; i++) {
		double nx = x + dx, ny = y + dy;

		segment_add(scene, x, y, nx, ny);
		x = nx;
		y = ny;
		if (random_chance(state, 60))
			dy += random_chance(state, 30) ? 0.005 : random_between(state, -3, 3);
	}
}

static void
segments_make(struct random_scene *scene, uint64_t *state)
{
	size_t wanted = 4 + random_below(state, 8);

	if (random_chance(state, 75)) {
		polygon_add(scene, state,
		            wanted < 8 ? (wanted < 5 ? wanted : 3 + random_below(state, wanted - 3)) : 4 + random_below(state, 5));
	}
	if (wanted - scene->def.segment_count >= 2 && random_chance(state, 60))
		chain_add(scene, state, 2 + random_below(state, wanted - scene->def.segment_count - 1));
	while (scene->def.segment_count < wanted) {
		double x = random_between(state, -ARENA, ARENA), y = random_between(state, -ARENA, ARENA);

		segment_add(scene, x, y, x + random_between(state, 0.1, 5), y + random_between(state, -4, 4));
	}
}

static double
segment_distance(const struct segment_def *segment, double x, double y)
{
	double ex = segment->x2 - segment->x1, ey = segment->y2 - segment->y1;
	double share = ((x - segment->x1) * ex + (y - segment->y1) * ey) / (ex * ex + ey * ey);

	share = fmax(0, fmin(1, share));
	return hypot(x - segment->x1 - share * ex, y - segment->y1 - share * ey);
}

static bool
circle_fits(const struct random_scene *scene, const struct circle_def *circle)
{
	for (size_t i = 0; i < scene->def.circle_count; i++) {
		const struct circle_def *other = &scene->circles[i];

		if (hypot(circle->x - other->x, circle->y - other->y) <= (circle->radius + other->radius) * (1 + 1e-8))
			return false;
	}
	for (size_t i = 0; i < scene->def.segment_count; i++)
		if (segment_distance(&scene->segments[i], circle->x, circle->y) <= circle->radius * (1 + 1e-8))
			return false;
	return true;
}

/* On a lattice, with equal radii and speeds along it: many hits at exactly one time. */
static void
lattice_place(struct circle_def *circle, uint64_t *state)
{
	circle->x = floor(random_between(state, -ARENA * 0.7, ARENA * 0.7));
	circle->y = floor(random_between(state, -ARENA * 0.7, ARENA * 0.7));
	circle->vx = 30 * ((double)random_below(state, 3) - 1);
	circle->vy = 30 * ((double)random_below(state, 3) - 1);
	circle->radius = 0.25;
	circle->mass = 1;
}

static void
circle_place(struct circle_def *circle, uint64_t *state, double radius_max, double speed)
{
	/* Log-uniform over 1 : 25, by squaring a factor of 5. */
	double share = random_between(state, 0, 1);

	circle->radius = radius_max / 25 * pow(25, share);
	circle->x = random_between(state, -ARENA, ARENA);
	circle->y = random_between(state, -ARENA, ARENA);
	circle->vx = random_between(state, -speed, speed);
	circle->vy = random_between(state, -speed, speed);
	circle->mass = random_chance(state, 50) ? 1 : random_between(state, 0.1, 10);
}

static void
circles_make(struct random_scene *scene, uint64_t *state)
{
	size_t wanted = 2 + random_below(state, RANDOM_SCENE_CIRCLES_MAX - 1);
	double radius_max = random_chance(state, 50) ? 1 : 2,
		   speed = (random_chance(state, 20) ? 600 : 60) * random_between(state, 0.1, 2);
	bool lattice = random_chance(state, 10), overlaps = random_chance(state, 5), special = random_chance(state, 40);

	for (unsigned int tries = 0; scene->def.circle_count < wanted && tries < 2000; tries++) {
		struct circle_def *circle = &scene->circles[scene->def.circle_count];

		*circle = circle_def_default();
		circle->id = (uint32_t)scene->def.circle_count * 3 + 1;
		if (lattice)
			lattice_place(circle, state);
		else
			circle_place(circle, state, radius_max, speed);
		if (special && random_chance(state, 10)) {
			circle->kind = BODY_STATIC;
			circle->vx = circle->vy = 0;
		} else if (special && random_chance(state, 10)) {
			circle->kind = BODY_KINEMATIC;
			circle->vx *= 0.1;
			circle->vy *= 0.1;
		}
		scene->def.circle_count += circle_fits(scene, circle) || (overlaps && random_chance(state, 20));
	}
}

static void
materials_make(struct random_scene *scene, uint64_t *state, unsigned int kind)
{
	bool masks = random_chance(state, 25);

	for (size_t i = 0; i < scene->def.circle_count; i++) {
		scene->circles[i].restitution = kind == 0 ? 1 : kind == 2 ? 0 : random_between(state, 0, 1);
		if (masks) {
			scene->circles[i].category = 1u << random_below(state, 3);
			scene->circles[i].mask = (uint32_t)random_below(state, 8) | 1;
		}
	}
	for (size_t i = 0; i < scene->def.segment_count; i++) {
		scene->segments[i].restitution = kind == 0 ? 1 : kind == 2 ? 0 : random_between(state, 0, 1);
		if (masks && random_chance(state, 50)) {
			scene->segments[i].category = 1u << random_below(state, 3);
			scene->segments[i].mask = (uint32_t)random_below(state, 8) | 1;
		}
	}
	scene->def.restitution_mix = (enum restitution_mix)random_below(state, 4);
	scene->def.restitution_threshold = random_chance(state, 20) ? random_between(state, 0, 5) : 0;
}

void
random_scene_make(struct random_scene *scene, uint64_t seed)
{
	uint64_t state = seed * UINT64_C(0x2545f4914f6cdd1d) + 1;

	memset(scene, 0, sizeof *scene);
	scene->def = world_def_default();
	scene->dt = 1.0 / 60;
	scene->ticks = 6;
	segments_make(scene, &state);
	circles_make(scene, &state);
	materials_make(scene, &state, (unsigned int)(seed % 3));
	if (seed / 3 % 2) {
		scene->def.gravity_x = random_chance(&state, 50) ? 0 : random_between(&state, -200, 200);
		scene->def.gravity_y = random_between(&state, -600, -5);
	}
	scene->def.circles = scene->circles;
	scene->def.segments = scene->segments;
}

void
random_scene_dump(const struct random_scene *scene, FILE *out)
{
	const struct world_def *def = &scene->def;

	fprintf(out, "gravity %.17g %.17g mix %d %d threshold %.17g dt %.17g fastest %.17g\n", def->gravity_x, def->gravity_y,
	        (int)def->restitution_mix, (int)def->friction_mix, def->restitution_threshold, scene->dt, def->speed_max);
	for (size_t i = 0; i < def->relation_count; i++) {
		const struct relation_def *relation = &def->relations[i];

		fprintf(out, "relation %" PRIu32 " %" PRIu32 " kind %d elasticity %.17g\n", relation->group_a, relation->group_b,
		        (int)relation->kind, relation->elasticity);
	}
	for (size_t i = 0; i < def->circle_count; i++) {
		const struct circle_def *c = &def->circles[i];

		fprintf(
			out,
			"circle %" PRIu32 " kind %d at %.17g %.17g v %.17g %.17g r %.17g m %.17g e %.17g category %" PRIx32 " mask %" PRIx32
			" friction %.17g rolling %.17g angle %.17g spin %.17g inertia %.17g scale %.17g damping %.17g %.17g surface %.17g response %d filter group %" PRId32
			" group %" PRIu32 "\n",
			c->id, (int)c->kind, c->x, c->y, c->vx, c->vy, c->radius, c->mass, c->restitution, c->category, c->mask,
			c->friction, c->rolling_resistance, c->angle, c->angular_velocity, c->moment_of_inertia, c->gravity_scale,
			c->linear_damping, c->angular_damping, c->surface_speed, (int)c->response, c->filter_group, c->group);
	}
	for (size_t i = 0; i < def->segment_count; i++) {
		const struct segment_def *s = &def->segments[i];

		fprintf(out,
		        "segment %" PRIu32 " %.17g %.17g to %.17g %.17g e %.17g category %" PRIx32 " mask %" PRIx32
		        " friction %.17g rolling %.17g radius %.17g%s filter group %" PRId32 " group %" PRIu32 "\n",
		        s->id, s->x1, s->y1, s->x2, s->y2, s->restitution, s->category, s->mask, s->friction, s->rolling_resistance,
		        s->radius, s->one_sided ? " one-sided" : "", s->filter_group, s->group);
	}
}
