/* What is added to the velocities of a circle by one batch. Each circle's additions are sorted by value and summed as double-
 * doubles, so that the order in the batch makes no difference. What can go wrong: a number that is not finite, a result that a
 * definition may not hold; memory. */
#include "physics/math/double_double.h"
#include "physics/math/sort.h"
#include "physics/state/edit.h"

#include <math.h>

static bool
problem_set(struct def_problem *problem, size_t index, enum def_field field, const char *text)
{
	*problem = (struct def_problem){ .field = field, .index = index, .text = text };
	return false;
}

bool
push_check(const struct circle_push *push, size_t index, struct def_problem *problem)
{
	static const char *const text = "must be finite, what is added too";

	if (!isfinite(push->x) || (push->has_point && !isfinite(push->point_x)))
		return problem_set(problem, index, DEF_CIRCLE_VX, text);
	if (!isfinite(push->y) || (push->has_point && !isfinite(push->point_y)))
		return problem_set(problem, index, DEF_CIRCLE_VY, text);
	if (!isfinite(push->turn))
		return problem_set(problem, index, DEF_CIRCLE_ANGULAR_VELOCITY, text);
	return true;
}

bool
explosion_check(const struct explosion *explosion, size_t index, struct def_problem *problem)
{
	static const char *const coordinate = "must be a finite number of magnitude at most 1e12";

	if (!(fabs(explosion->x) <= PHYSICS_COORDINATE_MAX))
		return problem_set(problem, index, DEF_CIRCLE_X, coordinate);
	if (!(fabs(explosion->y) <= PHYSICS_COORDINATE_MAX))
		return problem_set(problem, index, DEF_CIRCLE_Y, coordinate);
	if (!(explosion->radius >= 0.0 && explosion->radius <= PHYSICS_COORDINATE_MAX))
		return problem_set(problem, index, DEF_CIRCLE_RADIUS, "must be a number from 0 to 1e12");
	if (!(explosion->falloff >= 0.0 && explosion->falloff <= PHYSICS_COORDINATE_MAX))
		return problem_set(problem, index, DEF_CIRCLE_RADIUS, "must be a number from 0 to 1e12, the falloff too");
	if (!isfinite(explosion->impulse_per_length))
		return problem_set(problem, index, DEF_CIRCLE_VX, "must be finite, what is added too");
	return true;
}

/* The distance of the body's centre from the explosion's. */
static double
explosion_distance(const struct body *body, const struct explosion *explosion)
{
	double x = body->x - explosion->x, y = body->y - explosion->y;

	return sqrt(x * x + y * y);
}

bool
explosion_reaches(const struct world *world, const struct explosion *explosion, uint32_t i)
{
	const struct body *body = &world->bodies.paths[i];
	const struct body_info *info = &world->bodies.infos[i];

	return info->kind == BODY_DYNAMIC && (info->category & explosion->mask) != 0 &&
	       explosion_distance(body, explosion) - body->radius <= explosion->radius + explosion->falloff;
}

static struct push
explosion_push(const struct world *world, const struct explosion *explosion, const struct circle_def *circle, uint32_t i)
{
	const struct body *body = &world->bodies.paths[i];
	double from = explosion_distance(body, explosion), apart = from - body->radius;
	double speed = explosion->impulse_per_length * (2.0 * body->radius);

	if (apart > explosion->radius && explosion->falloff > 0.0)
		speed *= fmin(fmax((explosion->radius + explosion->falloff - apart) / explosion->falloff, 0.0), 1.0);
	speed /= circle->mass;
	if (from == 0.0)
		return (struct push){ .x = speed };
	return (struct push){ .x = speed * ((body->x - explosion->x) / from), .y = speed * ((body->y - explosion->y) / from) };
}

struct push
edit_push(const struct world *world, const struct edit *edit, const struct circle_def *circle, uint32_t i)
{
	const struct circle_push *push = &edit->push;
	double turn = push->turn;

	if (edit->kind == EDIT_CIRCLE_ADD_VELOCITY)
		return (struct push){ .x = push->x, .y = push->y, .turn = turn };
	if (edit->kind == EDIT_EXPLOSION)
		return explosion_push(world, &edit->explosion, circle, i);
	if (push->has_point)
		turn += (push->point_x - circle->x) * push->y - (push->point_y - circle->y) * push->x;
	return (struct push){ .x = push->x / circle->mass,
		                  .y = push->y / circle->mass,
		                  .turn = turn == 0.0 ? 0.0
		                          : circle->moment_of_inertia != 0.0
		                              ? turn / circle->moment_of_inertia
		                              : turn / (0.5 * circle->mass * circle->radius * circle->radius) };
}

static int
value_compare(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

/* Sorts the additions and adds those that are not 0. */
static double
values_add(double start, double *values, size_t count)
{
	struct dd sum = dd_of(start);
	bool adds = false;

	array_sort(values, count, sizeof *values, value_compare);
	for (size_t k = 0; k < count; k++) {
		if (values[k] == 0.0)
			continue;
		sum = dd_add(sum, dd_of(values[k]));
		adds = true;
	}
	return adds ? dd_value(sum) : start;
}

bool
pushes_ready(struct edit_plan *plan, size_t count)
{
	return count <= SIZE_MAX / 3 && array_reserve(&plan->sums, &plan->sum_capacity, 3 * count, sizeof *plan->sums);
}

/* Adds them to the circle, and says which fields that gives: none that nothing is added to. */
static bool
pushes_sum(struct edit_plan *plan, struct circle_def *circle, const struct world *world, uint32_t i, const struct edit *edits,
           const struct edit_order *order, size_t count)
{
	double *x = plan->sums, *y = x + count, *turn = y + count;
	bool finite = true;

	for (size_t k = 0; k < count; k++) {
		const struct push push = edit_push(world, &edits[order[k].index], circle, i);

		x[k] = push.x, y[k] = push.y, turn[k] = push.turn;
		finite = finite && isfinite(x[k]) && isfinite(y[k]) && isfinite(turn[k]);
	}
	if (!finite)
		return false;
	circle->vx = values_add(circle->vx, x, count);
	circle->vy = values_add(circle->vy, y, count);
	circle->angular_velocity = values_add(circle->angular_velocity, turn, count);
	return true;
}

bool
pushes_merge(struct edit_plan *plan, struct planned *planned, const struct world *world, const struct edit *edits,
             const struct edit_order *order, size_t count, struct def_problem *problem)
{
	struct circle_def *circle = &planned->circle, before = *circle;

	for (size_t k = 0; k < count; k++) {
		const struct edit *edit = &edits[order[k].index];

		if (edit->kind == EDIT_CIRCLE_IMPULSE && circle->kind != BODY_DYNAMIC)
			return problem_set(problem, order[k].index, DEF_CIRCLE_KIND, "must be dynamic for an impulse");
	}
	/* What the explosion reaches may have become another kind by a change. */
	while (count > 0 && edits[order[count - 1].index].kind == EDIT_EXPLOSION && circle->kind != BODY_DYNAMIC)
		count--;
	if (count == 0)
		return true;
	if (!pushes_sum(plan, circle, world, planned->at, edits, order, count))
		return problem_set(problem, order->index, DEF_CIRCLE_VX, "must be finite, what is added too");

	const uint64_t fields = circle_fields_differing(&before, circle);
	const struct circle_def judged = circle_judged(*circle, fields);

	planned->changed |= fields;
	return circle_def_check(&judged, order->index, problem);
}
