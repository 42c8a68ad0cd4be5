/* Families about walls: polygons by trigonometry, chains, junctions, wedges and cusps, tangents. */
#include "outside/generate.h"

#include <math.h>

#define TURN 6.283185307179586

/* What flies about in a scene of walls: a ball in the given place, at any speed from a hundredth to thousands of radii a tick.
 */
static struct circle_def *
ball(struct draft *draft, double x, double y, double radius)
{
	const double angle = draft_between(draft, 0, TURN);
	const double speed = draft_chance(draft, 0.2) ? 0 : radius * draft_scale(draft, 1e-2, 1e3) / draft->dt;

	return draft_circle(draft, x, y, speed * cos(angle), speed * sin(angle), radius);
}

static void
aim(struct circle_def *c, double x, double y)
{
	const double speed = hypot(c->vx, c->vy), way = hypot(x - c->x, y - c->y);

	if (way > 0) {
		c->vx = speed * (x - c->x) / way;
		c->vy = speed * (y - c->y) / way;
	}
}

/* Restitution, friction, gravity and time for scenes of walls; and walls that are thick, one-sided or that move as one. */
static void
dress(struct draft *draft)
{
	draft_materials(draft, DRAFT_PICK(draft, 1, 1, 1, 0, 0.5), DRAFT_PICK(draft, 0, 0, 0, 0.5));
	if (draft_chance(draft, 0.4))
		draft->def.gravity_y = DRAFT_PICK(draft, -1, -10, -10, -100);
	if (draft_chance(draft, 0.2)) {
		const double angle = draft_between(draft, 0, TURN);
		draft->def.gravity_x = 10 * cos(angle);
		draft->def.gravity_y = 10 * sin(angle);
	}
	const double thick = draft_chance(draft, 0.2) ? draft_between(draft, 0.01, 0.3) : 0;
	const bool one_sided = draft_chance(draft, 0.15), moves = draft_chance(draft, 0.1);
	const double vx = draft_between(draft, -2, 2), vy = draft_between(draft, -2, 2);
	for (size_t i = 0; i < draft->wall_count; i++) {
		draft->walls[i].radius = thick;
		draft->walls[i].one_sided = one_sided;
		draft->walls[i].vx = moves ? vx : 0;
		draft->walls[i].vy = moves ? vy : 0;
	}
}

/* Vertices from cos and sin of 2 pi k / n; closed by the first vertex, or by the n-th, which rounding may make another one. */
void
generate_polygon(struct draft *draft)
{
	const unsigned n = (unsigned)DRAFT_PICK(draft, 3, 4, 5, 6, 7, 8, 12, 25, 60, 100, 300) + draft_below(draft, 3);
	const bool computed = draft_chance(draft, 0.7), clockwise = draft_chance(draft, 0.5);
	const double around = draft_between(draft, 2, 8), turn = draft_chance(draft, 0.5) ? 0 : draft_between(draft, 0, TURN);
	const unsigned balls = 1 + draft_below(draft, 4);

	draft->ticks = 40;
	for (unsigned k = 0; k < n; k++) {
		const unsigned next = computed ? k + 1 : (k + 1) % n;
		const double a = turn + TURN * k / n, b = turn + TURN * next / n;
		if (clockwise)
			draft_wall(draft, around * cos(b), around * sin(b), around * cos(a), around * sin(a));
		else
			draft_wall(draft, around * cos(a), around * sin(a), around * cos(b), around * sin(b));
	}
	dress(draft);
	/* Only left-turning ones hold what is inside. */
	for (unsigned i = 0; i < balls; i++) {
		const double angle = draft_between(draft, 0, TURN), at = draft_between(draft, 0, 0.3) * around;
		const double radius = draft_chance(draft, 0.8) ? draft_between(draft, 0.1, 0.5) : draft_scale(draft, 1e-6, 0.1);
		if (!draft_clear(draft, at * cos(angle), at * sin(angle), radius, 0))
			continue;
		struct circle_def *c = ball(draft, at * cos(angle), at * sin(angle), radius);
		c->restitution = draft->walls[0].restitution;
		if (draft_chance(draft, 0.6))
			aim(c, around * cos(turn), around * sin(turn));
	}
}

/* A random polyline, its links from ulps to many radii long, met from either side. */
void
generate_chain(struct draft *draft)
{
	const unsigned links = 2 + draft_below(draft, 12);
	const double length = draft_chance(draft, 0.4) ? draft_scale(draft, 1e-15, 1e-3) : draft_scale(draft, 1e-2, 4);
	const double bend = DRAFT_PICK(draft, 0, 1e-12, 1e-3, 0.3, 2, 3.1);
	double x = draft_between(draft, -1, 1), y = draft_between(draft, -1, 1), angle = draft_between(draft, 0, TURN);

	draft->ticks = 40;
	/* Something long before and after, as often as not. */
	if (draft_chance(draft, 0.6))
		draft_wall(draft, x - 5 * cos(angle), y - 5 * sin(angle), x, y);
	for (unsigned i = 0; i < links; i++) {
		const double l = length * (draft_chance(draft, 0.2) ? draft_scale(draft, 1e-3, 10) : 1);
		const double x2 = x + l * cos(angle), y2 = y + l * sin(angle);
		if (draft_chance(draft, 0.5))
			draft_wall(draft, x, y, x2, y2);
		else
			draft_wall(draft, x2, y2, x, y);
		x = x2;
		y = y2;
		angle += bend * draft_between(draft, -1, 1);
	}
	if (draft_chance(draft, 0.6))
		draft_wall(draft, x, y, x + 5 * cos(angle), y + 5 * sin(angle));
	dress(draft);
	for (unsigned i = 0; i < 3; i++) {
		const struct segment_def wall = draft->walls[draft_below(draft, (unsigned)draft->wall_count)];
		const double way = draft_between(draft, 0, TURN), far = draft_between(draft, 0.6, 4);
		if (!draft_clear(draft, wall.x1 + far * cos(way), wall.y1 + far * sin(way), 0.5, 0))
			continue;
		struct circle_def *c = ball(draft, wall.x1 + far * cos(way), wall.y1 + far * sin(way), 0.5);
		c->restitution = wall.restitution;
		c->friction = wall.friction;
		aim(c, wall.x1, wall.y1);
	}
}

/* Walls that meet in a point, cross near it, or end on others; balls that come to it. */
void
generate_junction(struct draft *draft)
{
	const unsigned arms = 2 + draft_below(draft, 6);
	const double x = draft_between(draft, -3, 3), y = draft_between(draft, -3, 3);
	const double past = DRAFT_PICK(draft, 0, 0, 1e-16, 1e-15, 1e-14, 1e-12, 1e-9, 1e-3), first = draft_between(draft, 0, TURN);

	draft->ticks = 40;
	for (unsigned i = 0; i < arms; i++) {
		const double angle = draft_chance(draft, 0.5) ? first + i * TURN / 4 : draft_between(draft, 0, TURN);
		const double length = draft_between(draft, 0.3, 4), over = past * draft_between(draft, -4, 4);
		const double dx = cos(angle), dy = sin(angle);
		if (draft_chance(draft, 0.3))
			draft_wall(draft, x - length * dx, y - length * dy, x + length * dx, y + length * dy);
		else
			draft_wall(draft, x + over * dx, y + over * dy, x + length * dx, y + length * dy);
	}
	if (draft->wall_count == 0)
		draft_wall(draft, x, y, x + 1, y);
	dress(draft);
	for (unsigned i = 0; i < 4; i++) {
		const double way = draft_between(draft, 0, TURN), far = draft_between(draft, 0.6, 4);
		const double radius = DRAFT_PICK(draft, 0.5, 0.5, 0.1, 3);
		if (!draft_clear(draft, x + far * cos(way), y + far * sin(way), radius, 0))
			continue;
		struct circle_def *c = ball(draft, x + far * cos(way), y + far * sin(way), radius);
		c->restitution = draft->walls[0].restitution;
		c->friction = draft->walls[0].friction;
		aim(c, x, y);
	}
}

/* Two walls at an angle, down to cusps, that meet, cross or miss each other by little. */
void
generate_wedge(struct draft *draft)
{
	const double angle = draft_chance(draft, 0.5) ? TURN / 360 * DRAFT_PICK(draft, 1, 5, 10, 30, 60, 90, 120, 170)
	                                              : draft_scale(draft, 1e-9, 3);
	const double gap = DRAFT_PICK(draft, 0, 0, 0, 1e-16, -1e-16, 1e-15, -1e-15, 1e-12, 1e-6),
				 turn = draft_between(draft, 0, TURN);
	const double radius = DRAFT_PICK(draft, 0.5, 0.5, 0.05, 1e-3), length = draft_between(draft, 1, 8);

	draft->ticks = 30;
	draft_wall(draft, gap * cos(turn), gap * sin(turn), length * cos(turn), length * sin(turn));
	draft_wall(draft, gap * cos(turn + angle), gap * sin(turn + angle), length * cos(turn + angle), length * sin(turn + angle));
	dress(draft);
	for (unsigned i = 0; i < 3; i++) {
		/* From inside or from outside. */
		const double way = draft_chance(draft, 0.5) ? turn + angle * draft_between(draft, 0, 1) : draft_between(draft, 0, TURN);
		const double far = draft_between(draft, radius, length);
		if (!draft_clear(draft, far * cos(way), far * sin(way), radius, 0))
			continue;
		struct circle_def *c = ball(draft, far * cos(way), far * sin(way), radius);
		c->restitution = draft->walls[0].restitution;
		c->friction = draft->walls[0].friction;
		aim(c, 0, 0);
	}
}

/* Circles that touch walls and each other to the ulp, at rest, rolling along, or grazing. */
void
generate_tangent(struct draft *draft)
{
	const double turn = draft_chance(draft, 0.4) ? TURN / 4 * draft_below(draft, 4) : draft_between(draft, 0, TURN);
	const double ux = cos(turn), uy = sin(turn), radius = DRAFT_PICK(draft, 0.5, 1, 0.25);
	const unsigned count = 1 + draft_below(draft, 5);
	const double speed = draft_chance(draft, 0.3) ? 0 : radius * draft_scale(draft, 1e-3, 100) / draft->dt;
	const unsigned walls = 1 + draft_below(draft, 4);

	draft->ticks = 60;
	for (unsigned i = 0; i < walls; i++)
		draft_wall(draft, 4 * i * ux, 4 * i * uy, 4 * (i + 1) * ux, 4 * (i + 1) * uy);
	dress(draft);
	const double height = radius + draft->walls[0].radius;
	for (unsigned i = 0; i < count; i++) {
		const double along = 1 + 2 * radius * i, s = draft_chance(draft, 0.7) ? speed : -speed;
		struct circle_def *c = draft_circle(draft, along * ux - height * uy, along * uy + height * ux, s * ux, s * uy, radius);
		c->restitution = draft->walls[0].restitution;
		c->friction = draft->walls[0].friction;
		c->mass = DRAFT_PICK(draft, 1, 1, 1, 1e-3, 1e6);
	}
	/* One that grazes them all from above. */
	if (draft_chance(draft, 0.5)) {
		struct circle_def *c = draft_circle(draft, -3 * ux - (height + 2 * radius) * uy, -3 * uy + (height + 2 * radius) * ux,
		                                    speed * ux, speed * uy, radius);
		c->restitution = draft->walls[0].restitution;
	}
	if (draft_chance(draft, 0.5)) {
		draft->def.gravity_x = 10 * uy;
		draft->def.gravity_y = -10 * ux;
	}
}
