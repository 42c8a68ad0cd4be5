/* One wall is enabled or disabled. Happy path: nothing lies on it or is where it comes on, and its bit is written in place. In
 * all other cases it becomes an edit. What can go wrong: memory, before anything is written. */
#include "physics/reports/watch.h"
#include "physics/resting/handover.h"
#include "physics/state/edit.h"
#include "physics/world/collision_filter.h"

/* Wider than any skin. */
#define NEAR_PER_RADIUS 1e-3

/* Whether a circle that the wall meets is at it, or nearly. */
static bool
wall_is_occupied(const struct world *world, const struct segment *wall)
{
	for (uint32_t i = 0; i < world->bodies.count && !pause_after(1); i++) {
		const struct body *body = &world->bodies.paths[i];
		double x = body->x - wall->x1, y = body->y - wall->y1, radii = body->radius + wall->radius;
		double near = (1.0 + NEAR_PER_RADIUS) * radii + 8.0 * wall->rounding;
		double along = x * wall->ux + y * wall->uy, across = x * wall->uy - y * wall->ux;

		if (!(across <= near * wall->length && across >= -near * wall->length && along >= -near * wall->length &&
		      along <= (wall->length + near) * wall->length))
			continue;
		if (world->bodies.infos[i].inverse_mass > 0.0 && body_meets_segment(world, &world->bodies.infos[i], wall))
			return true;
	}
	return false;
}

/* Whether a pair that touches, or is inside, is one of the wall. */
static bool
wall_is_tied_to(const struct world *world, uint32_t wall)
{
	for (size_t count = watch_tie_count(world), k = 0; k < count; k++)
		if (watch_tie(world, k).b == (wall | PARTNER_SEGMENT))
			return true;
	return false;
}

struct sleeper_search {
	uint32_t wall;
	bool found;
};

static void
dormant_look(void *context, const struct solver_warm *warm)
{
	struct sleeper_search *search = context;

	search->found = search->found || warm->b == (search->wall | SOLVER_WALL);
}

static bool
wall_bears_sleepers(const struct world *world, uint32_t wall)
{
	struct sleeper_search search = { .wall = wall };

	if (world->bodies.asleep_count > 0 && world->handover)
		handover_visit_dormant(world->handover, dormant_look, &search);
	return search.found;
}

/* Whether nothing but the wall's bit changes. */
static bool
switch_is_plain(const struct world *world, uint32_t wall)
{
	const struct segment *segment = &world->walls.segments[wall];

	if (wall_is_tied(segment) || (world->watch && (segment->sensor || world->settings.relations)))
		return false;
	return !wall_is_tied_to(world, wall) && !wall_bears_sleepers(world, wall);
}

static enum status
switch_edit(struct world *world, uint32_t id, bool enabled)
{
	const struct segment_def segment = { .id = id, .disabled = !enabled };
	const struct edit edit = edit_segment_change(&segment, edit_field(DEF_SEGMENT_DISABLED));
	struct def_problem problem;

	return world_edit(world, &edit, 1, &problem);
}

enum status
world_segment_enable(struct world *world, uint32_t id, bool enabled)
{
	struct walls *walls = &world->walls;
	size_t found;

	if (world->failed)
		return STATUS_FAILED_PRECONDITION;
	if (!world_segment_find(world, id, &found))
		return STATUS_INVALID_ARGUMENT;

	const uint32_t wall = (uint32_t)found;

	if (wall_is_off(walls, wall) == !enabled)
		return STATUS_OK;
	if (!switch_is_plain(world, wall))
		return switch_edit(world, id, enabled);
	if (!walls->off && !walls_off_copy(walls))
		return STATUS_RESOURCE_EXHAUSTED;
	world->settings.filtered = true;
	world->settings.all_meet = false;
	wall_off_set(walls, wall, !enabled);
	if (enabled && wall_is_occupied(world, &walls->segments[wall])) {
		wall_off_set(walls, wall, true);
		return switch_edit(world, id, enabled);
	}
	if (world->handover && !handover_switch(world, wall)) {
		wall_off_set(walls, wall, enabled);
		return STATUS_RESOURCE_EXHAUSTED;
	}
	if (enabled)
		world->overlap_free = false;
	schedule_forget(&world->schedule);
	return STATUS_OK;
}
