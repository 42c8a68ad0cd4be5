#include "client/load/streams/streams_scene.h"

#include <math.h>

static const double GRAVITY = -9.81, PI = 3.14159265358979323846;

/* splitmix64 */
double
streams_unit(uint64_t *random)
{
	uint64_t z = (*random += 0x9E3779B97F4A7C15u);
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

void
streams_velocity(uint64_t *random, double speed, double *vx, double *vy)
{
	double x, y, square;
	do {
		x = 2 * streams_unit(random) - 1;
		y = 2 * streams_unit(random) - 1;
		square = x * x + y * y;
	} while (square > 1 || square < 0.01);
	*vx = speed * x / sqrt(square);
	*vy = speed * y / sqrt(square);
}

static void
keys_input(uint64_t *random, double speed, unsigned *keys, double *vx, double *vy)
{
	*keys ^= 1u << (unsigned)(4 * streams_unit(random));
	int x = (int)(*keys & 1) - (int)(*keys >> 1 & 1), y = (int)(*keys >> 2 & 1) - (int)(*keys >> 3 & 1);
	double length = x != 0 && y != 0 ? sqrt(2) : 1;
	*vx = speed * x / length;
	*vy = speed * y / length;
}

void
streams_input(enum streams_inputs inputs, uint64_t *random, double speed, unsigned *keys, double *vx, double *vy)
{
	if (inputs == STREAMS_KEYS) {
		keys_input(random, speed, keys, vx, vy);
	} else if (inputs == STREAMS_PAD || inputs == STREAMS_STICK) {
		double directions = inputs == STREAMS_PAD ? 16 : 256, turn = floor(directions * streams_unit(random)) / directions;
		*vx = speed * cos(2 * PI * turn);
		*vy = speed * sin(2 * PI * turn);
	} else {
		streams_velocity(random, speed, vx, vy);
	}
	if (inputs == STREAMS_SINGLE) {
		*vx = (double)(float)*vx;
		*vy = (double)(float)*vy;
	}
}

const char *
streams_scene_name(enum streams_scene scene)
{
	static const char *const names[STREAMS_SCENES] = {
		"gas", "arena", "bouncing", "at rest", "rolling", "heap", "heap, asleep", "all acting",
	};
	return names[scene];
}

static void
wall_add(struct streams_world *world, double x1, double y1, double x2, double y2)
{
	uint32_t at = world->scene.segments.count++;
	world->walls[0][at] = x1, world->walls[1][at] = y1;
	world->walls[2][at] = x2, world->walls[3][at] = y2;
}

/* A square room about the origin. */
static void
room_make(struct streams_world *world, double half)
{
	wall_add(world, -half, -half, half, -half);
	wall_add(world, half, -half, half, half);
	wall_add(world, half, half, -half, half);
	wall_add(world, -half, half, -half, -half);
	world->left = world->low = -half;
	world->side = 2 * half;
}

/* `count` circles on a grid within a square, each with a chance direction. */
static void
crowd_make(struct streams_world *world, size_t count, double half, double speed, uint64_t *random)
{
	size_t side = (size_t)ceil(sqrt((double)count));
	double step = 2 * half / (double)side;
	for (size_t i = 0; i < count; i++) {
		world->x[i] = -half + ((double)(i % side) + 0.5) * step;
		world->y[i] = -half + ((double)(i / side) + 0.5) * step;
		streams_velocity(random, speed, &world->vx[i], &world->vy[i]);
	}
	world->count = count;
}

/* Short walls between the places of the crowd, in every other cell. */
static void
cover_make(struct streams_world *world, double step, uint64_t *random)
{
	for (int row = 0; row < 7; row++) {
		for (int column = row % 2; column < 7; column += 2) {
			double x = (column - 3) * step, y = (row - 3) * step, along_x, along_y;
			streams_velocity(random, 1, &along_x, &along_y);
			wall_add(world, x - along_x, y - along_y, x + along_x, y + along_y);
		}
	}
}

static void
row_make(struct streams_world *world)
{
	world->count = STREAMS_CIRCLES_MAX;
	for (size_t i = 0; i < world->count; i++) {
		world->x[i] = (double)i - 31.5;
		world->y[i] = world->radius;
	}
	wall_add(world, -33, 0, 33, 0);
	world->left = -33;
	world->low = -1;
	world->side = 66;
}

void
streams_world_make(struct streams_world *world, enum streams_scene scene, uint64_t tick_hz, uint64_t *random)
{
	*world = (struct streams_world){ .radius = 0.4, .restitution = 1 };
	if (scene == STREAMS_REST || scene == STREAMS_ROLLING || scene == STREAMS_HEAP || scene == STREAMS_ASLEEP) {
		world->friction = 0.5;
		world->restitution = scene == STREAMS_ROLLING ? 0.3 : 0.1;
	}
	if (scene == STREAMS_REST) {
		row_make(world);
	} else if (scene == STREAMS_ROLLING) {
		room_make(world, 13);
		crowd_make(world, 10, 12, 3, random);
	} else if (scene == STREAMS_HEAP || scene == STREAMS_ASLEEP) {
		room_make(world, 5);
		crowd_make(world, STREAMS_CIRCLES_MAX, 4.6, 1, random);
	} else {
		room_make(world, 16);
		crowd_make(world, STREAMS_CIRCLES_MAX, 15.2, 6, random);
	}
	if (scene == STREAMS_ARENA) {
		cover_make(world, 3.8, random);
		world->players = 16;
		world->inputs_hz = 6;
		world->input_speed = 6;
	} else if (scene == STREAMS_ACTING) {
		world->players = world->count;
		world->inputs_hz = (double)tick_hz;
		world->input_speed = 6;
	}
	uint32_t walls = world->scene.segments.count;
	bool falls = scene != STREAMS_GAS && scene != STREAMS_ARENA && scene != STREAMS_ACTING;
	world->scene = (struct collide_scene){
		.gravity_y = falls ? GRAVITY : 0,
		.sleep_after = scene == STREAMS_ASLEEP ? 0.5 : 0,
		.circles = { .x = { world->x, world->count },
		             .y = { world->y, world->count },
		             .vx = { world->vx, world->count },
		             .vy = { world->vy, world->count },
		             .radius = { &world->radius, 1 },
		             .restitution = { &world->restitution, 1 },
		             .friction = { &world->friction, 1 } },
		.segments = { .x1 = { world->walls[0], walls },
		              .y1 = { world->walls[1], walls },
		              .x2 = { world->walls[2], walls },
		              .y2 = { world->walls[3], walls },
		              .restitution = { &world->restitution, 1 },
		              .friction = { &world->friction, 1 } },
	};
}
