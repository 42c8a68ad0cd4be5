#include "physics/resting/sleep.h"

#include "base/memory.h"
#include "physics/resting/handover.h"
#include "physics/world/ledger.h"
#include "physics/world/material.h"
#include "physics/world/report.h"

#include <math.h>
#include <string.h>

/* Flags of an island, at its root. */
enum { ISLAND_HELD = 1, ISLAND_STIRS = 2 };

bool
sleep_alloc(struct world *world)
{
	if (!(world->settings.sleep_after > 0.0))
		return true;
	world->bodies.calms = memory_alloc(((size_t)world->bodies.count + 1) * sizeof *world->bodies.calms);
	world->bodies.sleep_flags = memory_zeroed((size_t)world->bodies.count + 1, sizeof *world->bodies.sleep_flags);
	world->bodies.fallen = memory_alloc(((size_t)world->bodies.count + 1) * sizeof *world->bodies.fallen);
	for (uint32_t i = 0; world->bodies.calms && i < world->bodies.count && !pause_after(2); i++)
		world->bodies.calms[i] = (struct calm){ .bed = NONE, .next = NONE };
	return awake_alloc(&world->bodies.awake, world->bodies.count) && world->bodies.calms && world->bodies.sleep_flags &&
	       world->bodies.fallen;
}

static void
period_begin(struct calm *calm, const struct body *body, const struct body_info *info)
{
	calm->x = body->x;
	calm->y = body->y;
	calm->angle = info->angle;
	calm->duration = 0.0;
}

/* Updates the sleep timer; true if the body has been quiet for long enough. */
static bool
calm_measure(struct world *world, uint32_t i)
{
	const struct body *body = &world->bodies.paths[i];
	const struct body_info *info = &world->bodies.infos[i];
	struct calm *calm = &world->bodies.calms[i];
	double far = CALM_RADII * body->radius;

	if (info->mode != MODE_LED || info->events > 0 || !handover_clear(world, i) || fabs(body->x - calm->x) > far ||
	    fabs(body->y - calm->y) > far || fabs(info->angle - calm->angle) > CALM_RADII) {
		period_begin(calm, body, info);
		calm->calm = false;
		return false;
	}
	calm->duration += world->step.dt;
	if (calm->duration >= world->settings.sleep_after) {
		period_begin(calm, body, info);
		calm->calm = true;
	}
	return calm->calm;
}

static bool
body_is_driving(const struct body *body, const struct body_info *info)
{
	return info->inverse_mass == 0.0 && (body->vx != 0.0 || body->vy != 0.0 || info->spin != 0.0);
}

/* Whether a surface with a velocity of its own, or of its wall, could move something here. */
static bool
surface_rubs(const struct world *world, const struct solver_touch *touch)
{
	const struct body_info *a = &world->bodies.infos[touch->a];

	if (touch->b & SOLVER_WALL) {
		const struct segment *wall = &world->walls.segments[touch->b & ~SOLVER_WALL];

		if (wall->moving)
			return true;
		return (wall->surface_speed != 0.0 || a->surface_speed != 0.0) &&
		       material_of_wall(world, touch->a, wall).friction > 0.0;
	}
	return (a->surface_speed != 0.0 || world->bodies.infos[touch->b].surface_speed != 0.0) &&
	       material_of_circles(world, touch->a, touch->b).friction > 0.0;
}

/* Sets the flags of a contact's island. */
static void
contact_look(void *context, const struct solver_touch *touch)
{
	struct world *world = context;
	uint32_t a = touch->a, b = touch->b;
	bool wall = (b & SOLVER_WALL) != 0;
	uint32_t body = world->bodies.infos[a].inverse_mass > 0.0 ? a : b;
	uint8_t *flags = &world->bodies.sleep_flags[touch->island];

	if ((world->settings.surfaces || world->walls.moving_count > 0) && surface_rubs(world, touch))
		*flags |= ISLAND_STIRS;
	if (!wall && world->bodies.infos[a].inverse_mass > 0.0 && world->bodies.infos[b].inverse_mass > 0.0)
		return;

	uint32_t other = body == a ? b : a;

	if (!wall && body_is_driving(&world->bodies.paths[other], &world->bodies.infos[other]))
		*flags |= ISLAND_STIRS;
	else if (touch->impulse > 0.0)
		*flags |= ISLAND_HELD;
}

/* From now on no tick visits this sleeping body. */
static void
awake_leave(struct world *world, uint32_t i)
{
	awake_remove(&world->bodies.awake, i);
	ledger_still(world, i);
}

/* Puts a body to sleep. The ring of its island grows after the root. */
static void
body_lay(struct world *world, uint32_t i)
{
	struct body *body = &world->bodies.paths[i];
	struct body_info *info = &world->bodies.infos[i];
	struct calm *calm = &world->bodies.calms[i], *first = &world->bodies.calms[calm->bed];

	if (calm->bed == i) {
		calm->next = i;
	} else {
		calm->next = first->next;
		first->next = i;
	}
	*body = (struct body){ .x = body->x, .y = body->y, .radius = body->radius };
	info->spin = info->kept_vx = info->kept_vy = 0.0;
	info->mode = MODE_ASLEEP;
	info->handover = HANDOVER_LED | HANDOVER_ASLEEP;
	info->support = NONE;
	info->last_partner = NONE;
	info->events = info->burst_hits = 0;
	info->last_hit_time = -(double)INFINITY;
	info->released = -1.0;
	info->rebound = 1.0;
	info->fastest = 0.0;
	info->stands = 0;
	info->driven = info->fresh = false;
	world->bodies.asleep_count++;
	awake_leave(world, i);
}

/* The cell of a sleeping body is never updated later: it must be that of its place from the start. */
static void
cell_follow(struct world *world, uint32_t i)
{
	uint32_t cell = grid_cell(&world->grid, i, world->bodies.paths[i].x, world->bodies.paths[i].y);

	if (cell != world->grid.rows[i].cell)
		grid_move(&world->grid, i, cell);
}

static void
body_sleep(struct world *world, uint32_t i, uint32_t root)
{
	const struct body *body = &world->bodies.paths[i];
	struct body_info *info = &world->bodies.infos[i];

	world->report.energy.sleep -= 0.5 * info->mass * (body->vx * body->vx + body->vy * body->vy);
	if (info->spin != 0.0)
		world->report.energy.sleep -= 0.5 * info->spin * info->spin / info->inverse_inertia;
	world->report.momentum.outside[0] -= info->mass * body->vx;
	world->report.momentum.outside[1] -= info->mass * body->vy;
	world->bodies.marks[i].epoch++;
	world->bodies.calms[i] = (struct calm){ .bed = root };
	body_lay(world, i);
	cell_follow(world, i);
	path_change_report(world, world->step.dt, i, PATH_ASLEEP, 0.0, 0.0);
}

/* For all awake bodies. */
static void
flags_clear(struct world *world)
{
	const struct awake *awake = &world->bodies.awake;
	uint32_t count = world->bodies.count;

	for (struct span s = awake_span(awake, 0, count); s.first < s.end; s = awake_span(awake, s.end, count))
		memset(&world->bodies.sleep_flags[s.first], 0, s.end - s.first);
}

/* Updates all sleep timers, and flags the islands of bodies that move. Returns whether any body could fall asleep. */
static bool
some_calm(struct world *world)
{
	const struct awake *awake = &world->bodies.awake;
	uint32_t count = world->bodies.count;
	bool some = false;

	flags_clear(world);
	for (uint32_t i = awake_from(awake, 0, count); i < count && !pause_after(BODY_UNITS); i = awake_from(awake, i + 1, count)) {
		if (world->bodies.infos[i].kind != BODY_DYNAMIC)
			continue;

		uint32_t root = handover_island(world->handover, i);

		if (calm_measure(world, i))
			some = some || root != NONE;
		else if (root != NONE)
			world->bodies.sleep_flags[root] |= ISLAND_STIRS;
	}
	return some;
}

/* Puts the islands that are supported and do not move to sleep; their bodies go to world->bodies.fallen. Returns their
 * number. */
static size_t
islands_lay(struct world *world)
{
	const struct awake *awake = &world->bodies.awake;
	uint32_t count = world->bodies.count;
	size_t fallen = 0;

	for (uint32_t i = awake_from(awake, 0, count); i < count && !pause_after(BODY_UNITS); i = awake_from(awake, i + 1, count)) {
		uint32_t root = world->bodies.infos[i].mode == MODE_LED ? handover_island(world->handover, i) : NONE;

		if (root == NONE || world->bodies.sleep_flags[root] != ISLAND_HELD)
			continue;
		body_sleep(world, i, root);
		world->bodies.fallen[fallen++] = i;
	}
	return fallen;
}

void
sleep_fall(struct world *world)
{
	if (!world->bodies.calms)
		return;
	if (!some_calm(world))
		return;
	handover_touches(world->handover, contact_look, world);

	size_t fallen = islands_lay(world);

	if (fallen == 0)
		return;
	flags_clear(world);
	for (size_t k = 0; k < fallen && !pause_after(1); k++)
		world->bodies.sleep_flags[world->bodies.fallen[k]] = 1;
	if (!handover_forget(world, world->bodies.sleep_flags, world->bodies.fallen, fallen))
		world->failed = true;
}

/* From now on the tick has substeps: bodies that have woken must not stand still for longer than one. */
static void
tick_substep(struct world *world, double time)
{
	unsigned substep = 1;

	if (world->step.has_substeps)
		return;
	world->step.has_substeps = true;
	while (substep < world->step.substeps && substep_time(world, substep) <= time)
		substep++;
	substep_end_set(world, substep);
}

void
sleep_wake(struct world *world, uint32_t body, double time)
{
	if (world->bodies.infos[body].mode != MODE_ASLEEP)
		return;
	tick_substep(world, time);

	uint32_t i = body;

	do {
		struct body_info *info = &world->bodies.infos[i];
		struct calm *calm = &world->bodies.calms[i];
		uint32_t next = calm->next;

		world->bodies.asleep_count--;
		awake_add(&world->bodies.awake, i);
		calm->bed = calm->next = NONE;
		period_begin(calm, &world->bodies.paths[i], info);
		calm->calm = false;
		info->mode = MODE_LED;
		info->steady = false;
		info->handover = HANDOVER_LED;
		info->clear = world->bodies.marks[i].epoch - 1;
		path_change_report(world, time, i, PATH_WOKEN, 0.0, 0.0);
		i = next;
	} while (i != body && !pause_after(BODY_UNITS));
}

void
sleep_rouse(struct world *world, uint32_t body)
{
	uint32_t i = body;

	if (world->bodies.infos[body].mode != MODE_ASLEEP)
		return;
	do {
		uint32_t next = world->bodies.calms[i].next;

		body_wake(world, i);
		i = next;
	} while (i != body && !pause_after(BODY_UNITS));
}

void
body_wake(struct world *world, uint32_t i)
{
	struct body_info *info = &world->bodies.infos[i];
	struct calm *calm = &world->bodies.calms[i];

	awake_add(&world->bodies.awake, i);
	calm->bed = calm->next = NONE;
	period_begin(calm, &world->bodies.paths[i], info);
	calm->calm = false;
	info->mode = MODE_MOVING;
	info->handover = HANDOVER_LED | HANDOVER_WOKEN;
	body_derive(world, i);
}

void
sleep_recount(struct world *world)
{
	world->bodies.asleep_count = 0;
	for (uint32_t i = 0; world->bodies.calms && i < world->bodies.count && !pause_after(1); i++) {
		if (world->bodies.infos[i].mode != MODE_ASLEEP)
			continue;
		world->bodies.asleep_count++;
		awake_leave(world, i);
	}
}

void
sleep_begin(struct world *world, uint32_t i)
{
	struct body *body = &world->bodies.paths[i];
	struct body_info *info = &world->bodies.infos[i];

	path_change_report(world, 0.0, i, PATH_WOKEN, 0.0, 0.0);
	if (!(info->handover & HANDOVER_LED)) {
		path_change_report(world, 0.0, i, PATH_RELEASED, body->vx, body->vy);
		return;
	}
	info->mode = MODE_LED;
	info->steady = false;
	info->kept_vx = body->vx;
	info->kept_vy = body->vy;
	info->clear = world->bodies.marks[i].epoch - 1;
	body->vx = body->vy = body->ax = body->ay = 0.0;
}

void
sleep_wake_event(struct world *world, const struct event *event)
{
	if (world->bodies.asleep_count == 0)
		return;
	sleep_wake(world, event->a, event->time);
	if (event->kind == EVENT_CIRCLES)
		sleep_wake(world, event->b, event->time);
}

void
sleep_wake_cluster(struct world *world, const struct cluster *cluster)
{
	for (size_t k = 0; k < cluster->member_count && world->bodies.asleep_count > 0; k++)
		sleep_wake(world, cluster->members[k].body, cluster->time);
}

void
sleep_restore(struct world *world)
{
	for (uint32_t i = 0; world->bodies.calms && i < world->bodies.count && !pause_after(4); i++)
		if (world->bodies.calms[i].bed != NONE)
			body_lay(world, i);
}
