/* Contact rules, lifetimes, ignored circles, bounds and disabled walls: put on the scenes of any family, or in scenes of their
 * own in which an end has a known cause. */
#include "outside/generate.h"

#include <math.h>

#define TURN 6.283185307179586
/* Groups that rules speak of. */
#define GROUPS 3u

static uint64_t
some_groups(struct draft *draft)
{
	return draft_below(draft, 1u << GROUPS);
}

static void
circle_rule(struct draft *draft, struct circle_def *c)
{
	c->stop_groups = draft_chance(draft, 0.5) ? some_groups(draft) : 0;
	c->remove_groups = draft_chance(draft, 0.4) ? some_groups(draft) & ~c->stop_groups : 0;
	c->report_groups = draft_chance(draft, 0.3) ? some_groups(draft) & ~(c->stop_groups | c->remove_groups) : 0;
}

/* Whole ticks, whole ticks' seconds to an ulp, any seconds, and the shortest that there are. */
static void
circle_age(struct draft *draft, struct circle_def *c)
{
	const unsigned most = draft->ticks < 20 ? draft->ticks : 20;

	if (draft_chance(draft, 0.4))
		c->lifetime_ticks = draft_below(draft, most + 1);
	switch (draft_below(draft, 4)) {
	case 0: break;
	case 1:
		c->lifetime_s = draft_nudged(draft_below(draft, most) * draft->dt, (int)draft_below(draft, 3) - 1, draft->dt);
		break;
	case 2: c->lifetime_s = draft_between(draft, 0, most) * draft->dt; break;
	default: c->lifetime_s = draft->dt * DRAFT_PICK(draft, 0x1p-1060, 1e-20, 1e-9, 0.5, 1 - 0x1p-53, 1 + 0x1p-52); break;
	}
	c->lifetime_s = fmax(c->lifetime_s, 0);
}

/* It leaves the circle that fired it, from within or from its surface. */
static void
shot_add(struct draft *draft)
{
	const struct circle_def owner = draft->circles[draft_below(draft, (unsigned)draft->circle_count)];
	const double angle = draft_between(draft, 0, TURN), speed = draft_scale(draft, 0.1, 1e3);
	const double radius = owner.radius * DRAFT_PICK(draft, 0.1, 0.01, 0.5, 1);
	const double off = DRAFT_PICK(draft, 0, 0.5, 1, 1) * (owner.radius + radius);
	struct circle_def *shot = draft_circle(draft, owner.x + off * cos(angle), owner.y + off * sin(angle),
	                                       owner.vx + speed * cos(angle), owner.vy + speed * sin(angle), radius);

	shot->ignore = draft_chance(draft, 0.8) ? IGNORE_UNTIL_APART : IGNORE_ALWAYS;
	shot->ignored_circle = owner.id;
	shot->remove_groups = draft_chance(draft, 0.7) ? (1u << GROUPS) - 1 : 0;
	shot->mass = draft_scale(draft, 1e-3, 1);
	shot->tag = (uint64_t)owner.id << 40 | 1;
}

static void
bounds_set(struct draft *draft)
{
	const struct circle_def *c = &draft->circles[draft_below(draft, (unsigned)draft->circle_count)];
	const double size = draft_scale(draft, 0.5, 20);
	struct world_def *def = &draft->def;

	def->has_bounds = true;
	def->bounds_x_min = draft_chance(draft, 0.2) ? c->x : -size;
	def->bounds_y_min = draft_chance(draft, 0.2) ? c->y : -size;
	def->bounds_x_max = fmax(size, def->bounds_x_min);
	def->bounds_y_max = fmax(size, def->bounds_y_min);
}

void
generate_rules_add(struct draft *draft)
{
	const double ruled = DRAFT_PICK(draft, 0, 0.3, 0.6, 1), living = DRAFT_PICK(draft, 0, 0.2, 0.6);
	const double ignoring = DRAFT_PICK(draft, 0, 0, 0.3), off = DRAFT_PICK(draft, 0, 0, 0.3);
	const bool grouped = draft->relation_count == 0;

	if (draft->circle_count == 0)
		return;
	for (unsigned shots = draft_chance(draft, 0.4) ? 1 + draft_below(draft, 3) : 0; shots > 0; shots--)
		shot_add(draft);
	for (size_t i = 0; i < draft->circle_count; i++) {
		struct circle_def *c = &draft->circles[i];
		if (grouped)
			c->group = draft_below(draft, GROUPS);
		if (c->remove_groups == 0 && draft_chance(draft, ruled))
			circle_rule(draft, c);
		if (draft_chance(draft, living))
			circle_age(draft, c);
		if (c->ignore == IGNORE_NONE && draft_chance(draft, ignoring)) {
			c->ignore = draft_chance(draft, 0.7) ? IGNORE_UNTIL_APART : IGNORE_ALWAYS;
			c->ignored_circle = draft_below(draft, (unsigned)draft->circle_count + 1);
		}
		if (draft_chance(draft, 0.2))
			c->tag = UINT64_MAX - i;
	}
	for (size_t i = 0; i < draft->wall_count; i++) {
		if (grouped)
			draft->walls[i].group = draft_below(draft, GROUPS);
		draft->walls[i].disabled = draft_chance(draft, off);
	}
	if (draft_chance(draft, 0.3))
		bounds_set(draft);
}

/* A bullet into a row, a lattice or two side by side, hit together to an ulp. */
static void
bullet(struct draft *draft)
{
	const unsigned rows = 1 + draft_below(draft, 3), columns = 1 + draft_below(draft, 5);
	const double pitch = DRAFT_PICK(draft, 1, 1, 1 + 1e-9, 1.1, 2), speed = draft_scale(draft, 1, 1e4) / (60 * draft->dt);

	for (unsigned r = 0; r < rows; r++)
		for (unsigned k = 0; k < columns; k++)
			draft_circle(draft, k * pitch, r * pitch, 0, 0, 0.5)->group = 1;
	struct circle_def *c = draft_circle(draft, -draft_scale(draft, 1.01, 4),
	                                    DRAFT_PICK(draft, 0, 0.5, 0.5, 0.75, 1) * pitch * (rows - 1), speed, 0,
	                                    DRAFT_PICK(draft, 0.5, 0.05, 0.01));
	c->remove_groups = 2;
	c->mass = draft_scale(draft, 1e-3, 1e3);
	if (draft_chance(draft, 0.4))
		draft_box(draft, -5, -5, 8, 5);
	if (draft_chance(draft, 0.3))
		draft->circles[draft_below(draft, (unsigned)draft->circle_count)].remove_groups = 3;
}

/* One that stops on a wall, on a circle or between both, and others that come to it: free, kinematic, or walls. */
static void
stopper(struct draft *draft)
{
	const double speed = draft_scale(draft, 1, 1e3);
	const unsigned others = 1 + draft_below(draft, 4);

	draft_wall(draft, 0, -6, 0, 6)->group = 1;
	if (draft_chance(draft, 0.3))
		draft_wall(draft, -6, 0, 6, 0)->group = 1;
	draft_circle(draft, 1.5, 0.5, -speed, draft_between(draft, -0.3, 0.3) * speed, 0.5)->stop_groups = 2;
	for (unsigned i = 0; i < others; i++) {
		struct circle_def *c = draft_circle(draft, 3 + 1.1 * i, 0.5 + draft_between(draft, -0.6, 0.6),
		                                    -speed * draft_between(draft, 0, 4), 0, 0.5);
		c->stop_groups = draft_chance(draft, 0.4) ? 1 + draft_below(draft, 3) : 0;
		c->group = draft_below(draft, 2);
		if (draft_chance(draft, 0.3))
			c->kind = BODY_KINEMATIC;
	}
	if (draft_chance(draft, 0.3)) {
		struct segment_def *wall = draft_wall(draft, 9, -6, 9, 6);
		wall->vx = -draft_between(draft, 0, 3) * speed;
	}
	if (draft_chance(draft, 0.4))
		draft->def.gravity_y = DRAFT_PICK(draft, -10, -1000);
}

/* A tower, of which one goes while the others rest on it. */
static void
tower(struct draft *draft)
{
	const unsigned count = 2 + draft_below(draft, 5);

	draft->def.gravity_y = DRAFT_PICK(draft, -10, -1, -100);
	draft_wall(draft, -5, 0, 5, 0)->group = 1;
	for (unsigned i = 0; i < count; i++) {
		struct circle_def *c = draft_circle(draft, 0, 0.5 + i, 0, 0, 0.5);
		if (draft_chance(draft, 0.4))
			circle_age(draft, c);
	}
	draft_materials(draft, DRAFT_PICK(draft, 0, 0.5, 1), DRAFT_PICK(draft, 0, 0, 0.5));
	draft_circle(draft, -4, 0.5 + draft_below(draft, count), draft_scale(draft, 1, 1e3), 0, 0.1)->remove_groups = 1;
}

/* Two that meet exactly when one of them ends, to an ulp of its life. */
static void
meeting_at_the_end(struct draft *draft)
{
	const double part = DRAFT_PICK(draft, 0.5, 0.25, 1, 1.5), speed = 2 / (part * draft->dt);
	struct circle_def *c = draft_circle(draft, 0, 0, 0, 0, 0.5);

	c->lifetime_s = draft_nudged(part * draft->dt, (int)draft_below(draft, 5) - 2, draft->dt);
	draft_circle(draft, 3, DRAFT_PICK(draft, 0, 0, 0.5), -speed, 0, 0.5);
	draft_circle(draft, -3, 0, draft_chance(draft, 0.5) ? speed : 0, 0, 0.5)->remove_groups = draft_below(draft, 2);
}

void
generate_ruled(struct draft *draft)
{
	static void (*const scenes[])(struct draft *) = { bullet, bullet, stopper, stopper, tower, meeting_at_the_end };

	draft->ticks = 30;
	if (draft_chance(draft, 0.3))
		draft->dt = DRAFT_PICK(draft, 1, 0.1, 1e-3);
	scenes[draft_below(draft, sizeof scenes / sizeof *scenes)](draft);
	if (draft_chance(draft, 0.3))
		bounds_set(draft);
	for (size_t i = 0; i < draft->circle_count; i++)
		draft->circles[i].tag = i;
}
