/* Happy path: all circles are found and may have their velocities, none of them concerns a sleeper, and they are written in
 * place. In all other cases the rows become edits: what is refused, what wakes, and by which problem, is said in one place. */
#include "physics/velocities.h"

#include "physics/resting/sleep.h"
#include "physics/state/edit.h"

#include <math.h>
#include <string.h>

struct velocity_rows {
	enum edit_kind kind; /* EDIT_CIRCLE_CHANGE: set; ADD_VELOCITY; IMPULSE */
	const uint32_t *ids;
	const double *x, *y;
	size_t count;
};

static bool
bits_equal(double a, double b)
{
	return memcmp(&a, &b, sizeof a) == 0;
}

/* What is added to nothing changes no bit of it, not even that of -0. */
static double
value_add(double value, double added)
{
	return added == 0.0 ? value : value + added;
}

/* The velocity of the row's body after it. */
static void
row_velocity(const struct world *world, const struct velocity_rows *rows, size_t row, uint32_t body, double out[2])
{
	const struct body *path = &world->bodies.paths[body];
	const double mass = world->bodies.infos[body].mass;

	out[0] = rows->x[row];
	out[1] = rows->y[row];
	if (rows->kind == EDIT_CIRCLE_CHANGE)
		return;
	if (rows->kind == EDIT_CIRCLE_IMPULSE) {
		out[0] /= mass;
		out[1] /= mass;
	}
	out[0] = value_add(path->vx, out[0]);
	out[1] = value_add(path->vy, out[1]);
}

/* Whether the row can be written to the body as it is. */
static bool
row_is_plain(const struct world *world, const struct velocity_rows *rows, size_t row, uint32_t body)
{
	const struct body_info *info = &world->bodies.infos[body];
	double v[2];

	row_velocity(world, rows, row, body, v);
	return fabs(v[0]) <= PHYSICS_SPEED_MAX && fabs(v[1]) <= PHYSICS_SPEED_MAX && info->kind != BODY_STATIC &&
	       (rows->kind != EDIT_CIRCLE_IMPULSE || info->kind == BODY_DYNAMIC) &&
	       (world->bodies.asleep_count == 0 || (info->mode != MODE_ASLEEP && info->inverse_mass > 0.0));
}

/* Finds the bodies of all rows. *ascending: no two are the same. False: not all can be written as they are. */
static bool
bodies_find(struct edit_plan *plan, const struct world *world, const struct velocity_rows *rows, bool *ascending)
{
	*ascending = true;
	for (size_t k = 0; k < rows->count; k++) {
		size_t found;

		if (!world_body_find(world, rows->ids[k], &found) || !row_is_plain(world, rows, k, (uint32_t)found))
			return false;
		*ascending = *ascending && (k == 0 || rows->ids[k - 1] < rows->ids[k]);
		plan->found[k] = (uint32_t)found;
	}
	return true;
}

/* Whether no body is there twice: a bit for each that is found. */
static bool
bodies_differ(struct edit_plan *plan, const struct world *world, const struct velocity_rows *rows)
{
	memset(plan->seen, 0, (world->bodies.count / 64 + (size_t)1) * sizeof *plan->seen);
	for (size_t k = 0; k < rows->count; k++) {
		uint64_t *word = &plan->seen[plan->found[k] / 64], bit = UINT64_C(1) << plan->found[k] % 64;

		if (*word & bit)
			return false;
		*word |= bit;
	}
	return true;
}

static void
velocities_write(struct world *world, const struct velocity_rows *rows)
{
	for (size_t k = 0; k < rows->count; k++) {
		uint32_t i = world->plan->found[k];
		struct body *path = &world->bodies.paths[i];
		double v[2];

		row_velocity(world, rows, k, i, v);
		if (bits_equal(path->vx, v[0]) && bits_equal(path->vy, v[1]))
			continue;
		edit_motion_begin(world, i);
		path->vx = v[0];
		path->vy = v[1];
	}
	world->report.measured = false;
}

/* The same by edits. */
static enum status
rows_edit(struct world *world, const struct velocity_rows *rows, struct def_problem *problem)
{
	struct edit_plan *plan = world->plan;

	if (!array_reserve(&plan->edits, &plan->edit_capacity, rows->count, sizeof *plan->edits))
		return STATUS_RESOURCE_EXHAUSTED;
	for (size_t k = 0; k < rows->count; k++) {
		struct edit *edit = &plan->edits[k];

		*edit = (struct edit){ .kind = rows->kind };
		if (rows->kind == EDIT_CIRCLE_CHANGE) {
			edit->fields = edit_field(DEF_CIRCLE_VX) | edit_field(DEF_CIRCLE_VY);
			edit->circle = (struct circle_def){ .id = rows->ids[k], .vx = rows->x[k], .vy = rows->y[k] };
		} else {
			edit->push = (struct circle_push){ .id = rows->ids[k], .x = rows->x[k], .y = rows->y[k] };
		}
	}
	return world_edit(world, plan->edits, rows->count, problem);
}

static enum status
rows_make(struct world *world, const struct velocity_rows *rows, struct def_problem *problem)
{
	*problem = (struct def_problem){ .field = DEF_FIELD_COUNT, .text = "" };
	if (world->failed)
		return STATUS_FAILED_PRECONDITION;
	if (!edit_plan_ready(world))
		return STATUS_RESOURCE_EXHAUSTED;

	struct edit_plan *plan = world->plan;
	bool ascending;

	if (!array_reserve(&plan->found, &plan->found_capacity, rows->count, sizeof *plan->found))
		return STATUS_RESOURCE_EXHAUSTED;
	if (!bodies_find(plan, world, rows, &ascending))
		return rows_edit(world, rows, problem);
	if (!ascending &&
	    !array_reserve(&plan->seen, &plan->seen_capacity, world->bodies.count / 64 + (size_t)1, sizeof *plan->seen))
		return STATUS_RESOURCE_EXHAUSTED;
	if (!ascending && !bodies_differ(plan, world, rows))
		return rows_edit(world, rows, problem);
	velocities_write(world, rows);
	return STATUS_OK;
}

enum status
world_velocities_set(struct world *world, const uint32_t *ids, const double *vx, const double *vy, size_t count,
                     struct def_problem *problem)
{
	return rows_make(world, &(struct velocity_rows){ EDIT_CIRCLE_CHANGE, ids, vx, vy, count }, problem);
}

enum status
world_velocities_add(struct world *world, const uint32_t *ids, const double *dvx, const double *dvy, size_t count,
                     struct def_problem *problem)
{
	return rows_make(world, &(struct velocity_rows){ EDIT_CIRCLE_ADD_VELOCITY, ids, dvx, dvy, count }, problem);
}

enum status
world_impulses_add(struct world *world, const uint32_t *ids, const double *jx, const double *jy, size_t count,
                   struct def_problem *problem)
{
	return rows_make(world, &(struct velocity_rows){ EDIT_CIRCLE_IMPULSE, ids, jx, jy, count }, problem);
}

enum status
world_explode(struct world *world, const struct explosion *explosion, struct def_problem *problem)
{
	const struct edit edit = edit_explosion(explosion);

	return world_edit(world, &edit, 1, problem);
}
