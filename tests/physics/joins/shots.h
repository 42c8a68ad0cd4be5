/* shots: circles aimed at a point where walls come together, apart from all walls when they begin; and doubles that are moved
 * by ulps. By seed.
 *
 * One thread; the scenario is the caller's. */
#ifndef COLLIDED_TESTS_PHYSICS_JOINS_SHOTS_H
#define COLLIDED_TESTS_PHYSICS_JOINS_SHOTS_H

#include "physics/joins/trial.h"
#include "support/random.h"

#define JOINS_PI 3.14159265358979323846

struct shots {
	double x, y; /* what they are aimed at; every wall near it comes up to it, nearly */
	int count;
	double from, to;                /* directions that they come from, in radians */
	double radius_low, radius_high; /* evenly in the logarithm, as is the next */
	double speed_low, speed_high;   /* radii per tick */
	double vx, vy;                  /* of the walls: added to each velocity */
	double begin_max; /* from the first place with room, how far away they begin at most; 0: as their speed has it */
};

/* Adds the circles, which pass each other. One that has no room is left out. */
void shots_add(struct trial *trial, const struct shots *shots, uint64_t *random);
/* A circle that lies on a wall, `along` from its first point, left (side 1) or right (-1) of it, and moves along it. It is left
 * out if there is no room. */
struct circle_def *shot_roll(struct trial *trial, const struct segment_def *wall, double along, double side, double radius,
                             double speed);
/* Whether a circle is clear of all walls by four skins. */
bool shot_clear(const struct scenario *scenario, double x, double y, double radius);

/* `steps` doubles further. */
double ulps_moved(double value, int steps);
/* The step of doubles of that size. */
double ulp_of(double value);
/* Evenly in the logarithm. */
double pick_log(uint64_t *random, double low, double high);
/* The number that follows -name in the arguments, or what there is to be without. */
uint64_t argument_read(int argc, char **argv, const char *name, uint64_t otherwise);

#endif
