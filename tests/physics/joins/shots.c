#include "physics/joins/shots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double
ulps_moved(double value, int steps)
{
	for (; steps > 0; steps--)
		value = nextafter(value, INFINITY);
	for (; steps < 0; steps++)
		value = nextafter(value, -INFINITY);
	return value;
}

double
ulp_of(double value)
{
	return nextafter(fabs(value), INFINITY) - fabs(value);
}

double
pick_log(uint64_t *random, double low, double high)
{
	return exp(random_between(random, log(low), log(high)));
}

uint64_t
argument_read(int argc, char **argv, const char *name, uint64_t otherwise)
{
	for (int i = 1; i + 1 < argc; i += 2)
		if (strcmp(argv[i], name) == 0)
			return strtoull(argv[i + 1], NULL, 10);
	return otherwise;
}

bool
shot_clear(const struct scenario *scenario, double x, double y, double radius)
{
	for (size_t i = 0; i < scenario->segment_count; i++) {
		const struct segment_def *s = &scenario->segments[i];
		const double size = fmax(fmax(fmax(fabs(s->x1), fabs(s->y1)), fmax(fabs(s->x2), fabs(s->y2))), fmax(fabs(x), fabs(y)));
		if (!(segment_distance(s, x, y) > radius + 4 * pair_skin(size, radius)))
			return false;
	}
	return true;
}

/* The least distance at which a circle is clear, from the point on; negative if it never is. */
static double
room_find(const struct scenario *scenario, const struct shots *shots, double direction, double radius)
{
	const double cx = cos(direction), cy = sin(direction);
	double low = 0, high = radius / 4;
	while (!shot_clear(scenario, shots->x + high * cx, shots->y + high * cy, radius)) {
		low = high;
		high *= 2;
		if (high > 1e9 * radius)
			return -1;
	}
	for (int step = 0; step < 45; step++) {
		const double middle = (low + high) / 2;
		if (shot_clear(scenario, shots->x + middle * cx, shots->y + middle * cy, radius))
			high = middle;
		else
			low = middle;
	}
	return high;
}

static void
shot_add(struct trial *trial, const struct shots *shots, double direction, uint64_t *random)
{
	const double radius = pick_log(random, shots->radius_low, shots->radius_high);
	const double way = radius * pick_log(random, shots->speed_low, shots->speed_high); /* per tick */
	const double room = room_find(&trial->scenario, shots, direction, radius);
	double begin = fmin(way * random_between(random, 0.2, 0.6 * trial->ticks), fmax(5 * radius, 2 * way));
	if (shots->begin_max > 0)
		begin = fmin(begin, shots->begin_max);
	const double cx = cos(direction), cy = sin(direction);
	const double unit = ulp_of(fmax(fabs(shots->x), fabs(shots->y)) + radius);
	/* Straight at it, a few ulp or a part of a skin beside it, or anywhere. */
	const uint64_t kind = random_below(random, 10);
	const double part = kind < 4 ? 0 : kind < 6 ? 70 * unit : kind < 7 ? 1e-8 * radius : 1.1 * radius;
	const double beside = part * random_between(random, -1, 1);
	if (room < 0)
		return;
	double x = shots->x + (room + begin) * cx - beside * cy, y = shots->y + (room + begin) * cy + beside * cx;
	if (!shot_clear(&trial->scenario, x, y, radius)) {
		x = shots->x + (room + begin) * cx;
		y = shots->y + (room + begin) * cy;
	}
	if (!shot_clear(&trial->scenario, x, y, radius))
		return;
	struct circle_def *circle = scenario_circle(&trial->scenario, x, y, shots->vx - way / trial->dt * cx,
	                                            shots->vy - way / trial->dt * cy, radius);
	circle->filter_group = -1;
}

void
shots_add(struct trial *trial, const struct shots *shots, uint64_t *random)
{
	for (int i = 0; i < shots->count; i++) {
		const double direction = shots->from + (shots->to - shots->from) * (i + random_between(random, 0, 1)) / shots->count;
		shot_add(trial, shots, direction, random);
	}
}

struct circle_def *
shot_roll(struct trial *trial, const struct segment_def *wall, double along, double side, double radius, double speed)
{
	const double ux = wall->x2 - wall->x1, uy = wall->y2 - wall->y1, length = hypot(ux, uy);
	const double size = fmax(fmax(fabs(wall->x1), fabs(wall->y1)), fmax(fabs(wall->x2), fabs(wall->y2))) + length + radius;
	const double height = side * (radius + wall->radius + 5 * pair_skin(size, radius));
	const double x = wall->x1 + (along * ux - height * uy) / length, y = wall->y1 + (along * uy + height * ux) / length;
	if (!shot_clear(&trial->scenario, x, y, radius))
		return NULL;
	struct circle_def *circle = scenario_circle(&trial->scenario, x, y, wall->vx + speed * ux / length,
	                                            wall->vy + speed * uy / length, radius);
	circle->filter_group = -1;
	return circle;
}
