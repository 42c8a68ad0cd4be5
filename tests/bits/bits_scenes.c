#include "bits/bits_scenes.h"

#include "support/random.h"

#include <stdio.h>
#include <stdlib.h>

static void *
array_grow(void *array, size_t *capacity, size_t size)
{
	*capacity = *capacity == 0 ? 64 : 2 * *capacity;
	array = realloc(array, *capacity * size);
	if (!array) {
		fprintf(stderr, "bits: no memory\n");
		exit(2);
	}
	return array;
}

/* The pointer lives until the next circle. */
static struct circle_def *
circle_add(struct bits_scene *scene, double x, double y, double vx, double vy, double radius)
{
	if (scene->circle_count == scene->circle_capacity)
		scene->circles = array_grow(scene->circles, &scene->circle_capacity, sizeof *scene->circles);
	struct circle_def *circle = &scene->circles[scene->circle_count];
	*circle = circle_def_default();
	circle->id = (uint32_t)scene->circle_count++;
	circle->x = x;
	circle->y = y;
	circle->vx = vx;
	circle->vy = vy;
	circle->radius = radius;
	circle->mass = 4 * radius * radius;
	return circle;
}

static struct segment_def *
segment_add(struct bits_scene *scene, double x1, double y1, double x2, double y2)
{
	if (scene->segment_count == scene->segment_capacity)
		scene->segments = array_grow(scene->segments, &scene->segment_capacity, sizeof *scene->segments);
	struct segment_def *segment = &scene->segments[scene->segment_count];
	*segment = segment_def_default();
	segment->id = (uint32_t)scene->segment_count++;
	segment->x1 = x1;
	segment->y1 = y1;
	segment->x2 = x2;
	segment->y2 = y2;
	return segment;
}

static void
box_add(struct bits_scene *scene, double x1, double y1, double x2, double y2)
{
	segment_add(scene, x1, y1, x2, y1);
	segment_add(scene, x2, y1, x2, y2);
	segment_add(scene, x2, y2, x1, y2);
	segment_add(scene, x1, y2, x1, y1);
}

static void
materials_set(struct bits_scene *scene, double restitution, double friction, double rolling)
{
	for (size_t i = 0; i < scene->circle_count; i++) {
		scene->circles[i].restitution = restitution;
		scene->circles[i].friction = friction;
		scene->circles[i].rolling_resistance = rolling;
	}
	for (size_t i = 0; i < scene->segment_count; i++) {
		scene->segments[i].restitution = restitution;
		scene->segments[i].friction = friction;
	}
}

/* A random direction by rational numbers: not even, but every one. */
static void
direction(uint64_t *random, double speed, double *x, double *y)
{
	const double t = random_between(random, -1, 1), side = random_below(random, 2) ? speed : -speed;
	*x = side * (1 - t * t) / (1 + t * t);
	*y = side * 2 * t / (1 + t * t);
}

/* Whether a circle there overlaps no other and is clear of their surfaces by `gap`. */
static bool
place_is_clear(const struct bits_scene *scene, double x, double y, double radius, double gap)
{
	for (size_t i = 0; i < scene->circle_count; i++) {
		const struct circle_def *other = &scene->circles[i];
		const double dx = other->x - x, dy = other->y - y, apart = other->radius + radius + gap;
		if (dx * dx + dy * dy < apart * apart)
			return false;
	}
	return true;
}

static void
gas_make(struct bits_scene *scene)
{
	uint64_t random = 3;
	box_add(scene, 0, 0, 40, 40);
	for (int i = 0; i < 400; i++) {
		double vx, vy;
		direction(&random, 40, &vx, &vy);
		const double x = 1 + 2 * (i % 20) + random_between(&random, -0.4, 0.4);
		const double y = 1 + 2 * (i / 20) + random_between(&random, -0.4, 0.4);
		circle_add(scene, x, y, vx, vy, 0.5);
	}
	scene->ticks = 60;
}

/* Radii that differ by a factor of 100, so that the grid has many levels. */
static void
levels_make(struct bits_scene *scene)
{
	uint64_t random = 5;
	box_add(scene, 0, 0, 30, 30);
	double radius = 3;
	while (scene->circle_count < 250) {
		const double x = random_between(&random, radius, 30 - radius), y = random_between(&random, radius, 30 - radius);
		double vx, vy;
		if (!place_is_clear(scene, x, y, radius, 0.001))
			continue;
		direction(&random, 30, &vx, &vy);
		circle_add(scene, x, y, vx, vy, radius);
		radius = radius < 0.03 ? 0.8 : radius * 0.93;
	}
	scene->def.gravity_y = -5;
	scene->ticks = 60;
}

static void
heap_add(struct bits_scene *scene, int count, double width, double smallest, uint64_t seed)
{
	const int columns = (int)((width - 1) / 1.08);
	segment_add(scene, 0, 0, width, 0);
	segment_add(scene, 0, 100, 0, 0);
	segment_add(scene, width, 0, width, 100);
	scene->def.gravity_y = -10;
	for (int k = 0; k < count; k++) {
		const double x = 1.1 + k % columns * 1.08 + random_between(&seed, -0.03, 0.03);
		const double y = 0.7 + k / columns * 1.08 + random_between(&seed, -0.03, 0.03);
		circle_add(scene, x, y, 0, 0, 0.5 * random_between(&seed, smallest, 1));
	}
}

static void
collapse_make(struct bits_scene *scene)
{
	heap_add(scene, 120, 11, 1, 11);
	materials_set(scene, 0, 0, 0);
	scene->ticks = 80;
}

static void
rough_collapse_make(struct bits_scene *scene)
{
	heap_add(scene, 90, 9, 0.4, 12);
	materials_set(scene, 0, 0.5, 0.02);
	scene->ticks = 90;
}

/* Asleep, woken by what falls on it, asleep again. */
static void
sleep_make(struct bits_scene *scene)
{
	heap_add(scene, 30, 8, 1, 7);
	circle_add(scene, 3, 90, 0, 0, 0.5);
	materials_set(scene, 0, 0.5, 0.05);
	scene->def.sleep_after = 0.25;
	scene->ticks = 360;
}

/* Balls that roll down a bumpy chain, some smooth, some rough. */
static void
chain_make(struct bits_scene *scene)
{
	uint64_t random = 21;
	double x = 0, y = 20;
	for (int i = 0; i < 60; i++) {
		const double nx = x + random_between(&random, 0.3, 1.2), ny = y - random_between(&random, -0.2, 0.6);
		struct segment_def *piece = segment_add(scene, x, y, nx, ny);
		piece->friction = i % 2 ? 0.6 : 0;
		piece->surface_speed = i % 10 == 5 ? -2 : 0; /* some are conveyors, uphill */
		x = nx;
		y = ny;
	}
	segment_add(scene, x, y, x, y + 10);
	for (int i = 0; i < 24; i++) {
		struct circle_def *ball = circle_add(scene, 1 + i * 1.5, 24 + i % 3, 0, 0, i % 4 ? 0.4 : 0.15);
		ball->restitution = i % 5 == 0 ? 0.5 : 0;
		ball->friction = i % 3 == 0 ? 0 : 0.7;
		ball->rolling_resistance = i % 7 == 0 ? 0.01 : 0;
	}
	for (size_t i = 0; i < scene->segment_count; i++)
		scene->segments[i].restitution = 0;
	scene->def.gravity_y = -10;
	scene->ticks = 150;
}

/* Eight by eight rooms with doors in their walls, sensors in the doors, pillars within, and fast small circles. */
static void
map_make(struct bits_scene *scene)
{
	uint64_t random = 33;
	box_add(scene, 0, 0, 64, 64);
	for (int room = 0; room < 64; room++) {
		const double x = 8.0 * (room % 8), y = 8.0 * (room / 8), door = random_between(&random, 1.5, 5);
		const double px = x + random_between(&random, 2, 6), py = y + random_between(&random, 2, 6);
		segment_add(scene, x, y, x + door, y);
		segment_add(scene, x + door + 1.5, y, x + 8, y);
		segment_add(scene, x + door, y, x + door + 1.5, y)->sensor = true;
		segment_add(scene, x, y, x, y + door);
		segment_add(scene, x, y + door + 1.5, x, y + 8);
		segment_add(scene, px, py, px + 0.5, py + 0.25);
		segment_add(scene, px + 0.5, py + 0.25, px + 0.125, py + 0.75);
		segment_add(scene, px + 0.125, py + 0.75, px, py);
		for (int i = 0; i < 3; i++) {
			double vx, vy;
			direction(&random, 120, &vx, &vy);
			circle_add(scene, x + 0.5 + 0.3 * i, y + 0.5 + random_between(&random, 0, 0.5), vx, vy, 0.1);
		}
	}
	scene->ticks = 45;
}

static void
friction_make(struct bits_scene *scene)
{
	uint64_t random = 41;
	box_add(scene, 0, 0, 14, 14);
	for (int i = 0; i < 60; i++) {
		double vx, vy;
		direction(&random, 20, &vx, &vy);
		struct circle_def *circle = circle_add(scene, 1 + i % 8 * 1.6, 1 + i / 8 * 1.6, vx, vy,
		                                       random_between(&random, 0.2, 0.7));
		circle->angular_velocity = random_between(&random, -30, 30);
	}
	materials_set(scene, 0.8, 0.4, 0.01);
	scene->def.gravity_y = -9.75;
	scene->def.restitution_mix = RESTITUTION_MIX_PRODUCT;
	scene->def.friction_mix = FRICTION_MIX_MEAN;
	scene->ticks = 90;
}

/* A plough through a heap, and a wheel that turns in it. */
static void
kinematic_make(struct bits_scene *scene)
{
	heap_add(scene, 40, 8, 0.6, 2);
	materials_set(scene, 0.1, 0.3, 0);
	struct circle_def *plough = circle_add(scene, -6, 1.5, 3, 0.1, 1);
	plough->kind = BODY_KINEMATIC;
	plough->friction = 0.5;
	struct circle_def *wheel = circle_add(scene, 4, 12, 0, 0, 1);
	wheel->kind = BODY_KINEMATIC;
	wheel->friction = 1;
	wheel->angular_velocity = 5;
	circle_add(scene, 2, 3, 0, 0, 0.25)->kind = BODY_STATIC;
	scene->def.events_per_body_max = 30; /* some are crushed, and would meet what crushes them for ever */
	scene->ticks = 150;
}

/* A lift under a heap, a door that opens and squeezes, a chain that sweeps through, and a belt that moves too. */
static void
moving_walls_make(struct bits_scene *scene)
{
	heap_add(scene, 40, 8, 0.6, 2);
	materials_set(scene, 0.2, 0.4, 0.01);
	segment_add(scene, -5, 0.25, 5, 0.375)->vy = 0.75;
	struct segment_def *door = segment_add(scene, -7, 0, -7.5, 6);
	door->vx = 1.5;
	door->vy = -0.125;
	for (int i = 0; i < 6; i++) {
		struct segment_def *link = segment_add(scene, 9 + 0.75 * i, 8 + 0.3 * i, 9.75 + 0.75 * i, 8.3 + 0.3 * i);
		link->vx = -4.7;
		link->vy = -2.1;
		link->radius = 0.1;
		link->one_sided = i > 2;
	}
	segment_add(scene, 20, 20, 26, 20)->sensor = true;
	scene->segments[scene->segment_count - 1].vx = -13;
	scene->segments[scene->segment_count - 1].vy = -9;
	circle_add(scene, -6, 9, 40, 3, 0.25);
	scene->def.events_per_body_max = 30;
	scene->def.sleep_after = 0.25;
	scene->ticks = 150;
}

/* Elastic under gravity, and dull balls that come to rest alone: rests by events, without the solver. */
static void
bounce_make(struct bits_scene *scene)
{
	uint64_t random = 51;
	scene->def.gravity_x = 0.5;
	scene->def.gravity_y = -9.75;
	scene->def.restitution_threshold = 0.5;
	segment_add(scene, -20, 8, 0, 0);
	segment_add(scene, 0, 0, 20, 6);
	for (int i = 0; i < 24; i++) {
		struct circle_def *ball = circle_add(scene, -15 + 1.25 * i, 12 + random_between(&random, 0, 4), 0, 0, 0.3);
		ball->restitution = i % 3 == 0 ? 1 : random_between(&random, 0, 0.9);
	}
	for (size_t i = 0; i < scene->segment_count; i++)
		scene->segments[i].restitution = 0;
	scene->ticks = 150;
}

/* A start that overlaps, also in what cannot yield; low caps. */
static void
overlap_make(struct bits_scene *scene)
{
	uint64_t random = 61;
	box_add(scene, 0, 0, 5, 5);
	circle_add(scene, 2, 2, 0, 0, 0.5)->kind = BODY_STATIC;
	for (int i = 0; i < 30; i++) {
		const double x = random_between(&random, 0.5, 4.5), y = random_between(&random, 0.5, 4.5);
		circle_add(scene, x, y, 0, 0, random_between(&random, 0.1, 0.35));
	}
	circle_add(scene, 2.5, 4, 300, -200, 0.2);
	materials_set(scene, 0.3, 0.2, 0);
	scene->def.gravity_y = -10;
	scene->def.events_per_body_max = 40;
	scene->ticks = 60;
}

static double
one_of(uint64_t *random, const double *values, size_t count)
{
	return values[random_below(random, count)];
}

#define ONE_OF(random, ...) \
	one_of((random), (const double[]){ __VA_ARGS__ }, sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double))

static void
soup_circle_set(struct circle_def *circle, uint64_t *random, double friction)
{
	if (random_below(random, 10) == 0) {
		circle->kind = BODY_STATIC;
		circle->vx = circle->vy = 0;
	} else if (random_below(random, 10) == 0) {
		circle->kind = BODY_KINEMATIC;
	}
	circle->restitution = ONE_OF(random, 0, 0.5, 0.75, 1, 0.3);
	circle->friction = friction;
	circle->angular_velocity = circle->kind == BODY_STATIC || friction == 0 ? 0 : random_between(random, -20, 20);
	circle->mass *= ONE_OF(random, 1, 1, 0.01, 1000);
	circle->sensor = random_below(random, 12) == 0;
	circle->surface_speed = ONE_OF(random, 0, 0, 3);
	circle->linear_damping = ONE_OF(random, 0, 0, 0.5);
	circle->angular_damping = ONE_OF(random, 0, 0.25);
	circle->gravity_scale = ONE_OF(random, 1, 1, 0.5, -1, 0);
	circle->response = (enum movement_response)ONE_OF(random, RESPONSE_BOUNCE, RESPONSE_BOUNCE, RESPONSE_SLIDE, RESPONSE_STOP);
	if (random_below(random, 6) == 0)
		circle->mask = (uint32_t)random_below(random, 4);
}

/* Something of everything, from a seed. */
static void
soup_make(struct bits_scene *scene, uint64_t seed)
{
	uint64_t random = seed;
	const double size = ONE_OF(&random, 4, 8, 16), most = ONE_OF(&random, 0.3, 0.6), speed = ONE_OF(&random, 0, 5, 50, 2000);
	const double friction = ONE_OF(&random, 0, 0, 0.3, 1);
	scene->def.gravity_y = ONE_OF(&random, 0, -10, -50);
	scene->def.gravity_x = ONE_OF(&random, 0, 0, 3);
	scene->def.restitution_mix = (enum restitution_mix)random_below(&random, 4);
	scene->def.friction_mix = (enum friction_mix)random_below(&random, 5);
	scene->def.sleep_after = ONE_OF(&random, 0, 0, 0.1);
	scene->def.speed_max = ONE_OF(&random, 0, 0, 30);
	scene->def.events_per_body_max = (uint32_t)ONE_OF(&random, 5, 200, 10000);
	box_add(scene, -size, -size, size, size);
	for (uint64_t i = random_below(&random, 8); i > 0; i--) {
		const double x = random_between(&random, -size, size), y = random_between(&random, -size, size);
		const double x2 = x + random_between(&random, 0.5, 4), y2 = y + random_between(&random, -2, 2);
		segment_add(scene, x, y, x2, y2)->friction = friction;
	}
	for (uint64_t i = 10 + random_below(&random, 50); i > 0; i--) {
		const double fast = speed * random_between(&random, 0, 1);
		double vx, vy;
		direction(&random, fast, &vx, &vy);
		const double x = random_between(&random, -size, size), y = random_between(&random, -size, size);
		const double radius = random_between(&random, most / 10, most);
		soup_circle_set(circle_add(scene, x, y, vx, vy, radius), &random, friction);
	}
	scene->dt = ONE_OF(&random, 1.0 / 60, 1.0 / 60, 0.1, 1e-3);
	scene->ticks = 80;
}

/* Bullets that end at their hits or after a time, and at first ignore their owners. Circles that stop, and such as only report.
 * Tags, too. What leaves the bounds ends. */
static void
rules_make(struct bits_scene *scene)
{
	uint64_t random = 71;
	segment_add(scene, 0, 0, 24, 0);
	segment_add(scene, 24, 0, 24, 16)->group = 1;
	segment_add(scene, 0, 16, 0, 0);
	for (int i = 0; i < 60; i++) {
		double vx, vy;
		direction(&random, 15, &vx, &vy);
		struct circle_def *circle = circle_add(scene, 1.5 + 2 * (i % 11), 1.5 + 2 * (i / 11), vx, vy, 0.5);
		circle->group = (uint32_t)i % 3;
		circle->stop_groups = i % 5 == 0 ? 2 : 0;
		circle->report_groups = i % 7 == 0 ? 4 : 0;
		circle->lifetime_ticks = i % 11 == 0 ? 40 + (uint32_t)i : 0;
		circle->tag = i % 4 == 0 ? UINT64_C(0x0123456789abcdef) * (uint64_t)i : 0;
	}
	for (int i = 0; i < 40; i++) {
		double vx, vy;
		const struct circle_def owner = scene->circles[i];
		direction(&random, i % 2 ? 200 : 2000, &vx, &vy);
		struct circle_def *bullet = circle_add(scene, owner.x + 0.25, owner.y - 0.125, vx, vy, 0.0625);
		bullet->group = 3;
		bullet->remove_groups = i % 3 ? 7 : 3;
		bullet->lifetime_s = random_between(&random, 0.01, 0.5);
		bullet->ignore = i % 8 ? IGNORE_UNTIL_APART : IGNORE_ALWAYS;
		bullet->ignored_circle = owner.id;
		bullet->tag = UINT64_MAX - (uint64_t)i;
	}
	scene->def.has_bounds = true;
	scene->def.bounds_x_min = scene->def.bounds_y_min = -2;
	scene->def.bounds_x_max = 26;
	scene->def.bounds_y_max = 18;
	scene->def.gravity_y = -5;
	scene->ticks = 90;
}

/* By id and tick alone, so that the order of definition does not matter. */
static size_t
forces_act(struct edit edits[BITS_EDITS_MAX], uint64_t tick)
{
	const uint32_t id = (uint32_t)(7 * tick % 36);
	const struct circle_push push = {
		.id = (id + 5) % 36, .x = 2, .y = (double)(tick % 5), .turn = 0.25, .has_point = true, .point_x = 3, .point_y = 4
	};
	const struct explosion blast = { 6, 3, 1, 3, 4, UINT32_MAX };
	const struct segment_def wall = { .id = 4, .disabled = tick % 40 < 20 };
	size_t count = 0;
	edits[count++] = edit_circle_add_velocity(id, 1, -0.5);
	edits[count++] = edit_circle_impulse(&push);
	if (tick % 10 == 0)
		edits[count++] = edit_segment_change(&wall, edit_field(DEF_SEGMENT_DISABLED));
	if (tick % 25 == 3)
		edits[count++] = edit_explosion(&blast);
	if (tick % 6 == 1) {
		edits[count++] = edit_circle_sweep((id + 9) % 36, (double)(tick % 11) - 1, 20);
		edits[count++] = edit_circle_sweep((id + 10) % 36, 20, (double)(tick % 7));
	}
	if (tick % 45 == 44)
		edits[count++] = edit_gravity(tick % 2 ? 9.75 : -3, tick % 4 == 0 ? -9.75 : 0.5);
	return count;
}

/* A heap in a closed box, acted on all the time: velocities, impulses, explosions, a wall that is switched, sweeps, gravity. */
static void
forces_make(struct bits_scene *scene)
{
	uint64_t random = 81;
	box_add(scene, 0, 0, 12, 9);
	segment_add(scene, 3, 4, 9, 4.5);
	for (int k = 0; k < 36; k++)
		circle_add(scene, 0.75 + k % 10 * 1.1, 0.75 + k / 10 * 1.0 + random_between(&random, 0, 0.05), 0, 0, 0.4);
	materials_set(scene, 0.1, 0.4, 0.01);
	scene->def.gravity_y = -9.75;
	scene->def.sleep_after = 0.125;
	scene->ticks = 200;
	scene->act = forces_act;
}

static const struct {
	const char *name;
	void (*make)(struct bits_scene *scene);
} scenes[] = {
	{ "gas", gas_make },
	{ "levels", levels_make },
	{ "collapse", collapse_make },
	{ "rough_collapse", rough_collapse_make },
	{ "sleep", sleep_make },
	{ "chain", chain_make },
	{ "map", map_make },
	{ "friction", friction_make },
	{ "kinematic", kinematic_make },
	{ "moving_walls", moving_walls_make },
	{ "bounce", bounce_make },
	{ "overlap", overlap_make },
};

/* Soups come after them, named by their numbers. */
enum { SOUPS = 12 };

static const char *const soup_names[SOUPS] = { "soup_1", "soup_2", "soup_3", "soup_4",  "soup_5",  "soup_6",
	                                           "soup_7", "soup_8", "soup_9", "soup_10", "soup_11", "soup_12" };

#define SCENES (sizeof scenes / sizeof scenes[0])

/* And more after those. */
static const struct {
	const char *name;
	void (*make)(struct bits_scene *scene);
} more_scenes[] = {
	{ "rules", rules_make },
	{ "forces", forces_make },
};

#define MORE_SCENES (sizeof more_scenes / sizeof more_scenes[0])

size_t
bits_scene_count(void)
{
	return SCENES + SOUPS + MORE_SCENES;
}

const char *
bits_scene_name(size_t index)
{
	if (index >= SCENES + SOUPS)
		return more_scenes[index - SCENES - SOUPS].name;
	return index < SCENES ? scenes[index].name : soup_names[index - SCENES];
}

void
bits_scene_make(size_t index, struct bits_scene *out)
{
	*out = (struct bits_scene){ .def = world_def_default(), .dt = 1.0 / 60 };
	out->def.events = WORLD_EVENTS_TOUCH | WORLD_EVENTS_PERSIST | WORLD_EVENTS_PATHS;
	if (index < SCENES)
		scenes[index].make(out);
	else if (index >= SCENES + SOUPS)
		more_scenes[index - SCENES - SOUPS].make(out);
	else
		soup_make(out, 1001 + index - SCENES);
	out->def.circles = out->circles;
	out->def.circle_count = out->circle_count;
	out->def.segments = out->segments;
	out->def.segment_count = out->segment_count;
}

void
bits_scene_shuffle(struct bits_scene *scene, uint64_t seed)
{
	for (size_t i = scene->circle_count; i > 1; i--) {
		const size_t k = (size_t)random_below(&seed, i);
		const struct circle_def swap = scene->circles[i - 1];
		scene->circles[i - 1] = scene->circles[k];
		scene->circles[k] = swap;
	}
	for (size_t i = scene->segment_count; i > 1; i--) {
		const size_t k = (size_t)random_below(&seed, i);
		const struct segment_def swap = scene->segments[i - 1];
		scene->segments[i - 1] = scene->segments[k];
		scene->segments[k] = swap;
	}
}

void
bits_scene_finish(struct bits_scene *scene)
{
	free(scene->circles);
	free(scene->segments);
}
