/* What games have: small rooms with walls, a fight on a wide map, players that are steered, balls through pegs. */
#include "bench/scenes_make.h"

#include <math.h>
#include <stdlib.h>

/* The same for all that there is so far. */
static void
surfaces_set(struct scenario *scenario, double restitution, double friction)
{
	scenario_restitution(scenario, restitution);
	for (size_t i = 0; i < scenario->circle_count; i++)
		scenario->circles[i].friction = friction;
	for (size_t i = 0; i < scenario->segment_count; i++)
		scenario->segments[i].friction = friction;
}

/* Walls of that length within a square from the origin, anywhere and in any direction. They may cross. */
static void
walls_add(struct scenario *scenario, size_t count, double side, double length, uint64_t *seed)
{
	for (size_t i = 0; i < count; i++) {
		const double angle = random_between(seed, 0, 180 * DEGREE), x = random_between(seed, length, side - length);
		const double y = random_between(seed, length, side - length), dx = length / 2 * cos(angle),
					 dy = length / 2 * sin(angle);
		scenario_segment(scenario, x - dx, y - dy, x + dx, y + dy);
	}
}

/* Circles within a square from the origin, clear of all that is there, with equal speeds in random directions. */
static void
circles_add(struct scenario *scenario, size_t count, double side, double radius, double speed, uint64_t *seed)
{
	for (size_t made = 0; made < count;) {
		const double x = random_between(seed, 0, side), y = random_between(seed, 0, side);
		if (!scene_clear(scenario, x, y, radius, 0.01))
			continue;
		const double angle = random_between(seed, 0, 360 * DEGREE);
		scenario_circle(scenario, x, y, speed * cos(angle), speed * sin(angle), radius);
		made++;
	}
}

static void
masses_set(struct scenario *scenario, size_t from, double mass)
{
	for (size_t i = from; i < scenario->circle_count; i++)
		scenario->circles[i].mass = mass;
}

/* Circles to a room, walls (the four outer ones too), rooms. Area fraction 0.05, 0.2 radius a tick, friction 0.2. */
void
make_rooms(struct scene *scene, const double *numbers)
{
	const size_t circles = (size_t)numbers[0], walls = (size_t)numbers[1] > 4 ? (size_t)numbers[1] - 4 : 0;
	const double side = sqrt((double)circles * 180 * DEGREE * 0.25 / 0.05);
	for (uint64_t room = 1; room <= (uint64_t)numbers[2]; room++) {
		uint64_t seed = room;
		struct scenario scenario;
		scenario_init(&scenario);
		scenario_box(&scenario, 0, 0, side, side);
		walls_add(&scenario, walls, side, side / 8, &seed);
		circles_add(&scenario, circles, side, 0.5, 6, &seed);
		surfaces_set(&scenario, 1, 0.2);
		world_take(scene, &scenario);
		scenario_finish(&scenario);
	}
	bounds_set(scene, 0, 0, side, side);
}

/* Circles to a room, walls, rooms: as above, but the walls of all rooms are the same, 2 long, and have at least 20 square units
 * each. */
void
make_alike(struct scene *scene, const double *numbers)
{
	const size_t circles = (size_t)numbers[0], walls = (size_t)numbers[1] > 4 ? (size_t)numbers[1] - 4 : 0;
	const double side = sqrt(fmax((double)circles * 180 * DEGREE * 0.25 / 0.05, 20 * numbers[1]));
	for (uint64_t room = 1; room <= (uint64_t)numbers[2]; room++) {
		uint64_t same = 1, seed = room;
		struct scenario scenario;
		scenario_init(&scenario);
		scenario_box(&scenario, 0, 0, side, side);
		walls_add(&scenario, walls, side, 2, &same);
		circles_add(&scenario, circles, side, 0.5, 6, &seed);
		surfaces_set(&scenario, 1, 0.2);
		world_take(scene, &scenario);
		scenario_finish(&scenario);
	}
	bounds_set(scene, 0, 0, side, side);
}

/* 64 players, 200 bullets and 40 walls in a room 40 wide. The number is the width of a further square of walls around it by the
 * room's, or 1: none. */
void
make_fight(struct scene *scene, const double *numbers)
{
	const double side = 40, far = side * numbers[0];
	uint64_t seed = 1;
	struct scenario scenario;
	scenario_init(&scenario);
	scenario_box(&scenario, 0, 0, side, side);
	walls_add(&scenario, 40, side, 4, &seed);
	circles_add(&scenario, 64, side, 0.5, 10, &seed);
	circles_add(&scenario, 200, side, 0.1, 100, &seed);
	masses_set(&scenario, 64, 0.05);
	if (numbers[0] > 1)
		scenario_box(&scenario, (side - far) / 2, (side - far) / 2, (side + far) / 2, (side + far) / 2);
	world_take(scene, &scenario);
	scenario_finish(&scenario);
	bounds_set(scene, 0, 0, side, side);
	scene->head.flags |= SCENE_ELASTIC | SCENE_BULLETS;
}

/* Ways of players for some seconds: each turns a little in every tick. */
static void
steering_make(struct scene_steering *steering, uint64_t ticks, uint64_t count, double speed, uint64_t *seed)
{
	*steering = (struct scene_steering){ ticks, count, malloc(ticks * count * sizeof *steering->rows) };
	assert_non_null(steering->rows);
	for (uint64_t i = 0; i < count; i++) {
		double heading = random_between(seed, 0, 360 * DEGREE);
		for (uint64_t tick = 0; tick < ticks; tick++) {
			heading += random_between(seed, -0.3, 0.3);
			steering->rows[tick * count + i] = (struct scene_velocity){ speed * cos(heading), speed * sin(heading) };
		}
	}
}

/* Players, which are steered in every tick; bullets; walls within the four of an arena 60 wide. */
void
make_game(struct scene *scene, const double *numbers)
{
	const double side = 60, speed = 6;
	const size_t players = (size_t)numbers[0];
	uint64_t seed = 1;
	struct scenario scenario;
	scenario_init(&scenario);
	scenario_box(&scenario, 0, 0, side, side);
	walls_add(&scenario, (size_t)numbers[2], side, 2, &seed);
	circles_add(&scenario, players, side, 0.5, speed, &seed);
	circles_add(&scenario, (size_t)numbers[1], side, 0.1, 100, &seed);
	masses_set(&scenario, players, 0.1);
	surfaces_set(&scenario, 0.5, 0.3);
	world_take(scene, &scenario);
	scenario_finish(&scenario);
	steering_make(&scene->steering, 600, players, speed, &seed);
	bounds_set(scene, 0, 0, side, side);
	scene->head.flags |= SCENE_BULLETS;
}

/* Balls, in rows of 50 over as many static pegs, in staggered rows of 40, over a floor between two walls. */
void
make_pegs(struct scene *scene, const double *numbers)
{
	const size_t balls = (size_t)numbers[0], pegs = (size_t)numbers[1], wide = 40, rows = (pegs + wide - 1) / wide;
	const double pitch_x = 1.5, pitch_y = 1.3, width = pitch_x * ((double)wide + 0.5), bottom = 10;
	const double top = bottom + pitch_y * (double)rows, height = top + 0.9 * ((double)balls / 50 + 2);
	uint64_t seed = 1;
	struct scenario scenario;
	scenario_init(&scenario);
	scenario_box(&scenario, 0, 0, width, height);
	for (size_t i = 0; i < balls; i++) {
		const double x = width / 50 * ((double)(i % 50) + 0.5) + random_between(&seed, -0.25, 0.25);
		scenario_circle(&scenario, x, top + 0.9 * (double)(i / 50 + 1), 0, 0, 0.3);
	}
	for (size_t i = 0; i < pegs; i++) {
		const size_t row = i / wide;
		const double x = pitch_x * ((double)(i % wide) + (row % 2 ? 1 : 0.5));
		scenario_circle(&scenario, x, bottom + pitch_y * (double)row, 0, 0, 0.2)->kind = BODY_STATIC;
	}
	surfaces_set(&scenario, 0.3, 0.2);
	scenario.def.gravity_y = -10;
	world_take(scene, &scenario);
	scenario_finish(&scenario);
	bounds_set(scene, 0, 0, width, height);
}
