/* Families with a known outcome, and what touches exactly: the analytic table of docs/physics.md, lattices. */
#include "outside/generate.h"

#include <math.h>

#define TURN 6.283185307179586

static void
head_on(struct draft *draft)
{
	const double speed = draft_scale(draft, 1e-2, 1e3) / draft->dt,
				 side = DRAFT_PICK(draft, 0, 0, 1, 0.5, 1 - 1e-12, 1 + 1e-12);

	draft_circle(draft, -3, 0, speed, 0, 0.5)->mass = draft_scale(draft, 1e-3, 1e3);
	draft_circle(draft, 3, side, draft_chance(draft, 0.5) ? -speed : 0, 0, 0.5);
}

/* n balls in a row, touching or apart, k of which come. */
static void
cradle(struct draft *draft)
{
	const unsigned n = 2 + draft_below(draft, 6), k = 1 + draft_below(draft, n);
	const double apart = DRAFT_PICK(draft, 0, 0, 1e-9, 1e-3, 0.1), speed = draft_scale(draft, 0.1, 1e3);

	for (unsigned i = 0; i < n; i++)
		draft_circle(draft, i * (1 + apart) - (i < k ? 1 : 0), 0, i < k ? speed : 0, 0, 0.5);
}

/* One ball into two that touch: symmetric but for an ulp. */
static void
break_shot(struct draft *draft)
{
	const unsigned rows = 2 + draft_below(draft, 3);

	for (unsigned i = 0; i < rows; i++)
		for (unsigned k = 0; k <= i; k++)
			draft_circle(draft, i * sqrt(0.75), k - 0.5 * i, 0, 0, 0.5);
	draft_circle(draft, -draft_between(draft, 1.01, 3), 0, draft_scale(draft, 1, 1e4), 0, 0.5);
}

static void
galperin(struct draft *draft)
{
	const unsigned n = draft_below(draft, 3);

	draft_wall(draft, 0, -2, 0, 2);
	draft_circle(draft, 1, 0, 0, 0, 0.5);
	draft_circle(draft, 3, 0, -draft_scale(draft, 1, 100), 0, 0.5)->mass = pow(100, n);
	draft->def.events_per_body_max = 1000;
}

/* The jam: a ball into the notch between two that do not yield, or between walls. */
static void
notch(struct draft *draft)
{
	const double off = DRAFT_PICK(draft, 0, 1e-15, 1e-12, 1e-10, 1e-9, 1e-8, 1e-6, 1e-3), speed = draft_scale(draft, 1, 1e5);
	const double half = DRAFT_PICK(draft, 1, 1, 0.9, 0.7, 1 - 1e-9, 1 + 1e-9);

	draft_circle(draft, 0, half, 0, 0, 0.5)->kind = BODY_STATIC;
	draft_circle(draft, 0, -half, 0, 0, 0.5)->kind = BODY_STATIC;
	draft_circle(draft, -3, off, speed, 0, 0.5);
	if (draft_chance(draft, 0.3))
		draft->circles[0].kind = draft->circles[1].kind = BODY_DYNAMIC;
	if (draft_chance(draft, 0.5))
		draft->circles[0].mass = draft->circles[1].mass = draft_scale(draft, 1, 1e9);
}

static void
drop(struct draft *draft)
{
	draft->def.gravity_y = DRAFT_PICK(draft, -1, -10, -1000);
	draft_wall(draft, -3, 0, 3, 0);
	draft_circle(draft, 0, draft_between(draft, 0.5, 3), DRAFT_PICK(draft, 0, 0, 1), 0, 0.5);
	if (draft_chance(draft, 0.4))
		draft_circle(draft, draft->circles[0].x, draft->circles[0].y + 1.2, 0, 0, 0.5)->mass = draft_scale(draft, 1e-3, 1e3);
	draft_materials(draft, DRAFT_PICK(draft, 1, 1, 0.5, 0), 0);
	draft->ticks = 120;
}

/* Rough balls beside a vertical wall, in free fall. */
static void
beside_wall(struct draft *draft)
{
	draft->def.gravity_y = DRAFT_PICK(draft, -1, -10, -100);
	draft_wall(draft, 0, -50, 0, 50);
	draft_circle(draft, 0.5 * DRAFT_PICK(draft, 1, 1 + 1e-9, 1 + 1e-12, 1.01), 0, DRAFT_PICK(draft, 0, 0, -1e-9, -1),
	             draft_between(draft, -3, 10), 0.5);
	if (draft_chance(draft, 0.4))
		draft_circle(draft, 0.5, 1, 0, 0, 0.5);
	draft_materials(draft, DRAFT_PICK(draft, 1, 1, 0.3), DRAFT_PICK(draft, 0.3, 0, 1));
	draft->circles[0].angular_velocity = DRAFT_PICK(draft, 0, 3, -20);
}

static void
corridor(struct draft *draft)
{
	const double angle = draft_chance(draft, 0.5) ? 0 : draft_between(draft, 0, TURN), c = cos(angle), s = sin(angle);
	const double half = 0.5 * DRAFT_PICK(draft, 1, 1 + 1e-12, 1 - 1e-12, 1.001, 0.99, 1.5),
				 speed = draft_scale(draft, 0.1, 1e4);

	draft_wall(draft, -5 * c + half * s, -5 * s - half * c, 5 * c + half * s, 5 * s - half * c);
	draft_wall(draft, -5 * c - half * s, -5 * s + half * c, 5 * c - half * s, 5 * s + half * c);
	draft_circle(draft, 0, 0, speed * c, speed * s, 0.5);
	draft_circle(draft, 2 * c, 2 * s, -speed * c, -speed * s, 0.5);
}

static void
squeezed(struct draft *draft)
{
	const unsigned n = 2 + draft_below(draft, 5);

	draft_wall(draft, 0, -3, 0, 3);
	for (unsigned i = 0; i < n; i++)
		draft_circle(draft, 0.5 + i * DRAFT_PICK(draft, 1, 1, 1 + 1e-9, 1.1), 0, -draft_between(draft, 0, 10), 0, 0.5);
	draft_materials(draft, DRAFT_PICK(draft, 1, 0, 0.1, 0.9), 0);
	if (draft_chance(draft, 0.4)) {
		struct circle_def *last = &draft->circles[n - 1];
		last->kind = BODY_KINEMATIC;
		last->x += 1;
	}
}

/* On wall ends, on walls, in each other: what begins overlapping. */
static void
overlapping(struct draft *draft)
{
	draft_wall(draft, -2, 0, 2, 0);
	if (draft_chance(draft, 0.5))
		draft_wall(draft, DRAFT_PICK(draft, 0, 2, -2), 0, DRAFT_PICK(draft, 0, 2, -2), 3);
	draft_circle(draft, DRAFT_PICK(draft, 0, 2, -2, 1), DRAFT_PICK(draft, 0, 0, 0.3, -0.4), draft_between(draft, -5, 5),
	             draft_between(draft, -5, 5), 0.5);
	draft_circle(draft, draft->circles[0].x + DRAFT_PICK(draft, 0, 0.3, 0.99, 1), draft->circles[0].y,
	             draft_between(draft, -5, 5), draft_between(draft, -5, 5), 0.5);
	if (draft_chance(draft, 0.5))
		draft->walls[0].one_sided = true;
	if (draft_chance(draft, 0.4))
		draft->def.gravity_y = -10;
}

void
generate_analytic(struct draft *draft)
{
	static void (*const scenes[])(struct draft *) = { head_on, cradle,      break_shot, galperin, notch,      notch,
		                                              drop,    beside_wall, corridor,   squeezed, overlapping };

	draft->ticks = 40;
	if (draft_chance(draft, 0.3))
		draft->dt = DRAFT_PICK(draft, 1, 0.1, 1e-3);
	scenes[draft_below(draft, sizeof scenes / sizeof *scenes)](draft);
	if (draft->dt == 1)
		draft->ticks = 10;
}

/* Circles in a lattice that touch to the ulp, in a box or on a floor, some of them struck. */
void
generate_lattice(struct draft *draft)
{
	const unsigned columns = 1 + draft_below(draft, 6), rows = 1 + draft_below(draft, 5);
	const bool hexagonal = draft_chance(draft, 0.5), held = draft_chance(draft, 0.6);
	const double pitch = DRAFT_PICK(draft, 1, 1, 1, 1 + 1e-9, 1 - 1e-9, 1.01), rise = hexagonal ? sqrt(0.75) * pitch : pitch;
	const double width = pitch * (columns + (hexagonal && rows > 1 ? 0.5 : 0)), speed = draft_scale(draft, 0.1, 1e3);

	draft->ticks = 40;
	for (unsigned r = 0; r < rows; r++)
		for (unsigned c = 0; c < columns; c++)
			draft_circle(draft, 0.5 * pitch + pitch * (c + (hexagonal && r % 2 ? 0.5 : 0)), 0.5 + rise * r, 0, 0, 0.5);
	if (held)
		draft_box(draft, 0, 0, width, rise * (rows - 1) + pitch + DRAFT_PICK(draft, 0, 0, 3));
	else
		draft_wall(draft, -5, 0, width + 5, 0);
	draft_materials(draft, DRAFT_PICK(draft, 1, 1, 0, 0.5, 0.9), DRAFT_PICK(draft, 0, 0, 0.5));
	if (draft_chance(draft, 0.5))
		draft->def.gravity_y = DRAFT_PICK(draft, -10, -1, -100);
	for (unsigned i = 0; i < 2; i++) {
		struct circle_def *c = &draft->circles[draft_below(draft, (unsigned)draft->circle_count)];
		const double angle = draft_between(draft, 0, TURN);
		c->vx = speed * cos(angle);
		c->vy = speed * sin(angle);
		if (draft_chance(draft, 0.3))
			c->mass = draft_scale(draft, 1e-6, 1e6);
	}
	if (draft_chance(draft, 0.2))
		draft->def.sleep_after = 0.1;
}
