/* Reads a batch. Happy path: it is sorted by id, each circle and segment has one edit, and the resulting definition passes the
 * checks of a scene's. What can go wrong: an invalid edit, reported with its index and field; memory. */
#include "base/memory.h"
#include "physics/math/sort.h"
#include "physics/state/edit.h"

#include <math.h>
#include <string.h>

enum { PHASE_REMOVE, PHASE_SPAWN, PHASE_CHANGE, PHASE_SWEEP, PHASE_PUSH, PHASE_EXPLOSION };

static bool
problem_set(struct def_problem *problem, size_t index, enum def_field field, const char *text)
{
	*problem = (struct def_problem){ .field = field, .index = index, .text = text };
	return false;
}

static bool
edit_is_segment(const struct edit *edit)
{
	return edit->kind >= EDIT_SEGMENT_SPAWN && edit->kind <= EDIT_SEGMENT_REMOVE;
}

static uint32_t
edit_id(const struct edit *edit)
{
	if (edit->kind == EDIT_CIRCLE_ADD_VELOCITY || edit->kind == EDIT_CIRCLE_IMPULSE)
		return edit->push.id;
	return edit_is_segment(edit) ? edit->segment.id : edit->circle.id;
}

static enum def_field
edit_id_field(const struct edit *edit)
{
	return edit_is_segment(edit) ? DEF_SEGMENT_ID : DEF_CIRCLE_ID;
}

static uint8_t
edit_phase(const struct edit *edit)
{
	switch (edit->kind) {
	case EDIT_CIRCLE_REMOVE:
	case EDIT_SEGMENT_REMOVE: return PHASE_REMOVE;
	case EDIT_CIRCLE_SPAWN:
	case EDIT_SEGMENT_SPAWN: return PHASE_SPAWN;
	case EDIT_CIRCLE_CHANGE:
	case EDIT_SEGMENT_CHANGE:
	case EDIT_GRAVITY: break;
	case EDIT_CIRCLE_SWEEP: return PHASE_SWEEP;
	case EDIT_CIRCLE_ADD_VELOCITY:
	case EDIT_CIRCLE_IMPULSE: return PHASE_PUSH;
	case EDIT_EXPLOSION: return PHASE_EXPLOSION;
	}
	return PHASE_CHANGE;
}

static int
order_compare(const void *left, const void *right)
{
	const struct edit_order *a = left, *b = right;

	if (a->segment != b->segment)
		return a->segment < b->segment ? -1 : 1;
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	if (a->phase != b->phase)
		return a->phase < b->phase ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

/* Finds the index of the edit's target, and checks that it is the one meant. */
static bool
target_find(const struct world *world, const struct edit *edit, size_t index, uint32_t *at, struct def_problem *problem)
{
	size_t found;
	uint32_t id = edit_id(edit), generation;

	if (edit_is_segment(edit) ? !world_segment_find(world, id, &found) : !world_body_find(world, id, &found))
		return problem_set(problem, index, edit_id_field(edit), "must be that of one that exists");
	*at = (uint32_t)found;
	generation = edit_is_segment(edit) ? world->walls.segments[found].generation : world->bodies.infos[found].generation;
	if (edit->exact && generation != edit->generation)
		return problem_set(problem, index, edit_id_field(edit), "is another's by now: the handle is stale");
	return true;
}

static bool
gravity_check(const double gravity[2], size_t index, struct def_problem *problem)
{
	static const char *const text = "must be a finite number of magnitude at most 1e12";

	if (!(fabs(gravity[0]) <= PHYSICS_COORDINATE_MAX))
		return problem_set(problem, index, DEF_WORLD_GRAVITY_X, text);
	return fabs(gravity[1]) <= PHYSICS_COORDINATE_MAX || problem_set(problem, index, DEF_WORLD_GRAVITY_Y, text);
}

/* The checks that need the edit alone. */
static bool
edit_check(const struct world *world, const struct edit *edit, size_t index, struct def_problem *problem)
{
	uint64_t all = edit_is_segment(edit) ? segment_fields_all() : circle_fields_all();
	uint32_t at;

	if ((unsigned)edit->kind > EDIT_GRAVITY)
		return problem_set(problem, index, DEF_FIELD_COUNT, "must be one of the named kinds");
	if (edit->kind == EDIT_CIRCLE_SPAWN)
		return circle_def_check(&edit->circle, index, problem);
	if (edit->kind == EDIT_SEGMENT_SPAWN)
		return segment_def_check(&edit->segment, index, problem);
	if (edit->kind == EDIT_EXPLOSION)
		return explosion_check(&edit->explosion, index, problem);
	if (edit->kind == EDIT_GRAVITY)
		return gravity_check(edit->gravity, index, problem);
	if (!target_find(world, edit, index, &at, problem))
		return false;
	if (edit_phase(edit) == PHASE_CHANGE && (edit->fields & ~all) != 0)
		return problem_set(problem, index, edit_id_field(edit), "cannot change, nor can what has no name");
	return edit_phase(edit) != PHASE_PUSH || push_check(&edit->push, index, problem);
}

/* Names the edit of this id that gave the field, otherwise the first. */
static void
problem_blame(struct def_problem *problem, const struct edit *edits, const struct edit_order *order, size_t count)
{
	for (size_t k = 0; k < count; k++) {
		if (edits[order[k].index].fields & edit_field(problem->field)) {
			problem->index = order[k].index;
			return;
		}
	}
}

/* Merges all changes of one id. */
static bool
changes_merge(struct planned *planned, const struct world *world, const struct edit *edits, const struct edit_order *order,
              size_t count, struct def_problem *problem)
{
	uint64_t fields = 0;

	for (size_t k = 0; k < count; k++) {
		const struct edit *edit = &edits[order[k].index];

		if (fields & edit->fields)
			return problem_set(problem, order[k].index, edit_id_field(edit), "has two changes of one field in this batch");
		fields |= edit->fields;
		if (order[k].segment)
			segment_fields_copy(&planned->segment, &edit->segment, edit->fields);
		else
			circle_fields_copy(&planned->circle, &edit->circle, edit->fields);
	}
	if (order->segment) {
		const struct segment_def before = segment_of(world, planned->at);

		planned->changed = segment_fields_differing(&before, &planned->segment);

		const struct segment_def judged = segment_judged(planned->segment, fields);

		if (segment_def_check(&judged, order->index, problem))
			return true;
		problem_blame(problem, edits, order, count);
		return false;
	}

	const struct circle_def before = circle_of(world, planned->at);
	const uint64_t inertia = edit_field(DEF_CIRCLE_MOMENT_OF_INERTIA), mass = edit_field(DEF_CIRCLE_MASS);
	struct circle_def *circle = &planned->circle, judged;

	planned->changed = circle_fields_differing(&before, circle);
	if (circle_fields_inertia(planned->changed) && !(fields & inertia)) {
		circle->moment_of_inertia = 0.0;
		planned->changed |= inertia;
		fields |= inertia;
	}
	judged = circle_judged(*circle, fields);
	if (!circle_def_check(&judged, order->index, problem)) {
		problem_blame(problem, edits, order, count);
		return false;
	}
	if (circle->kind != BODY_DYNAMIC)
		planned->changed &= ~(inertia | mass | edit_field(DEF_CIRCLE_GRAVITY_SCALE));
	else if (before.kind != BODY_DYNAMIC && !(fields & mass))
		return problem_set(problem, order->index, DEF_CIRCLE_MASS, "must be given: the circle had none");
	return true;
}

/* How many of one id's edits, from the first on, are of that phase. */
static size_t
phase_count(const struct edit_order *order, size_t count, uint8_t phase)
{
	size_t n = 0;

	while (n < count && order[n].phase == phase)
		n++;
	return n;
}

/* Whether some edit of the id places it. */
static bool
edits_place(const struct edit *edits, const struct edit_order *order, size_t count)
{
	for (size_t k = 0; k < count; k++)
		if (edits[order[k].index].fields & (edit_field(DEF_CIRCLE_X) | edit_field(DEF_CIRCLE_Y)))
			return true;
	return false;
}

/* Makes the entry of one that is changed, swept or pushed: in this order. */
static bool
planned_change(struct edit_plan *plan, struct planned *planned, const struct world *world, const struct edit *edits,
               const struct edit_order *order, size_t count, struct def_problem *problem)
{
	const size_t changes = phase_count(order, count, PHASE_CHANGE);
	const size_t sweeps = phase_count(order + changes, count - changes, PHASE_SWEEP), moves = changes + sweeps;

	if (order->segment)
		planned->segment = segment_of(world, planned->at);
	else
		planned->circle = circle_of(world, planned->at);
	if (sweeps > 1 || (sweeps > 0 && edits_place(edits, order, changes)))
		return problem_set(problem, order[moves - 1].index, DEF_CIRCLE_ID, "has two places in this batch");
	if ((changes > 0 && !changes_merge(planned, world, edits, order, changes, problem)) ||
	    (sweeps > 0 && !sweep_plan(planned, &edits[order[changes].index].circle, order[changes].index, problem)) ||
	    (moves < count && !pushes_merge(plan, planned, world, edits, order + moves, count - moves, problem)))
		return false;
	planned->action = planned->changed ? PLAN_CHANGE : PLAN_NOTHING;
	return true;
}

/* Makes the entry of one id from its edits, which begin with the removals and end with the changes and pushes. */
static bool
planned_make(struct edit_plan *plan, struct planned *planned, const struct world *world, const struct edit *edits,
             const struct edit_order *order, size_t count, struct def_problem *problem)
{
	const struct edit *first = &edits[order[0].index], *last;
	enum def_field field = edit_id_field(first);
	size_t found;
	bool exists = order->segment ? world_segment_find(world, order->id, &found) : world_body_find(world, order->id, &found);

	*planned = (struct planned){ .id = order->id, .at = exists ? (uint32_t)found : NONE, .action = PLAN_CHANGE };
	if (order[0].phase >= PHASE_CHANGE)
		return planned_change(plan, planned, world, edits, order, count, problem);
	/* An explosion does not reach what is removed. */
	while (order[count - 1].phase == PHASE_EXPLOSION)
		count--;
	if (order[count - 1].phase >= PHASE_CHANGE)
		return problem_set(problem, order[count - 1].index, field, "must not be of one that this batch spawns or removes");
	if (count > 2 || (count == 2 && order[0].phase == order[1].phase))
		return problem_set(problem, order[count - 1].index, field,
		                   order[count - 1].phase == PHASE_SPAWN ? "must be unique" : "is removed already");
	if (order[count - 1].phase == PHASE_SPAWN && exists && count == 1)
		return problem_set(problem, order[0].index, field, "must be unique");
	last = &edits[order[count - 1].index];
	planned->action = count == 2 ? PLAN_REPLACE : order[0].phase == PHASE_SPAWN ? PLAN_SPAWN : PLAN_REMOVE;
	if (order->segment)
		planned->segment = last->segment;
	else
		planned->circle = last->circle;
	return true;
}

static bool
gravity_plan(struct edit_plan *plan, const double gravity[2], size_t index, struct def_problem *problem)
{
	if (plan->has_gravity)
		return problem_set(problem, index, DEF_WORLD_GRAVITY_X, "is given already in this batch");
	plan->has_gravity = true;
	plan->gravity[0] = gravity[0];
	plan->gravity[1] = gravity[1];
	return true;
}

/* Which edits concern which circle or segment: one entry for each, and of an explosion one for each circle that it reaches. */
static enum status
orders_make(struct edit_plan *plan, const struct world *world, const struct edit *edits, size_t count,
            struct def_problem *problem)
{
	size_t entries = 0;

	plan->has_gravity = false;
	for (size_t i = 0; i < count && !pause_after(2 * BODY_UNITS); i++) {
		const bool explodes = edits[i].kind == EDIT_EXPLOSION;
		const struct edit_order order = {
			.id = edit_id(&edits[i]), .segment = edit_is_segment(&edits[i]), .phase = edit_phase(&edits[i]), .index = i
		};

		if (!edit_check(world, &edits[i], i, problem))
			return STATUS_INVALID_ARGUMENT;
		if (edits[i].kind == EDIT_GRAVITY) {
			if (!gravity_plan(plan, edits[i].gravity, i, problem))
				return STATUS_INVALID_ARGUMENT;
			continue;
		}
		if (!array_reserve(&plan->order, &plan->order_capacity, entries + (explodes ? world->bodies.count : 1),
		                   sizeof *plan->order))
			return STATUS_RESOURCE_EXHAUSTED;
		if (!explodes)
			plan->order[entries++] = order;
		for (uint32_t k = 0; explodes && k < world->bodies.count && !pause_after(BODY_UNITS); k++) {
			if (!explosion_reaches(world, &edits[i].explosion, k))
				continue;
			plan->order[entries] = order;
			plan->order[entries++].id = world->bodies.infos[k].id;
		}
	}
	plan->order_count = entries;
	array_sort(plan->order, entries, sizeof *plan->order, order_compare);
	return pause_stopped() ? STATUS_CANCELLED : STATUS_OK;
}

static size_t
orders_of_one(const struct edit_plan *plan, size_t first)
{
	const struct edit_order *order = &plan->order[first];
	size_t n = 1;

	while (first + n < plan->order_count && !pause_after(1) && order[n].segment == order->segment && order[n].id == order->id)
		n++;
	return n;
}

static bool
plan_fill(struct edit_plan *plan, const struct world *world, const struct edit *edits, struct def_problem *problem)
{
	for (size_t i = 0, n; i < plan->order_count && !pause_after(4 * BODY_UNITS); i += n) {
		const struct edit_order *order = &plan->order[i];
		struct planned *planned = order->segment ? &plan->segments[plan->segment_count++]
		                                         : &plan->circles[plan->circle_count++];

		n = orders_of_one(plan, i);
		if (!planned_make(plan, planned, world, edits, order, n, problem))
			return false;
	}
	return true;
}

bool
plan_turns_gravity(const struct edit_plan *plan, const struct world *world)
{
	const double gravity[2] = { world->settings.gravity_x, world->settings.gravity_y };

	return plan->has_gravity && memcmp(gravity, plan->gravity, sizeof gravity) != 0;
}

enum status
edit_plan_make(struct edit_plan *plan, const struct world *world, const struct edit *edits, size_t count,
               struct def_problem *problem)
{
	enum status status = orders_make(plan, world, edits, count, problem);
	size_t circles = 0, most = 0;

	if (status != STATUS_OK)
		return status;
	for (size_t i = 0, n; i < plan->order_count && !pause_after(1); i += n) {
		n = orders_of_one(plan, i);
		circles += !plan->order[i].segment;
		most = n > most ? n : most;
	}
	plan->circle_count = plan->segment_count = 0;
	if (!pushes_ready(plan, most) || !array_reserve(&plan->circles, &plan->circle_capacity, circles, sizeof *plan->circles) ||
	    !array_reserve(&plan->segments, &plan->segment_capacity, plan->order_count - circles, sizeof *plan->segments))
		return STATUS_RESOURCE_EXHAUSTED;
	if (!pause_stopped() && !plan_fill(plan, world, edits, problem))
		return STATUS_INVALID_ARGUMENT;
	return pause_stopped() ? STATUS_CANCELLED : STATUS_OK;
}

void
edit_plan_finish(struct edit_plan *plan)
{
	memory_free(plan->order);
	memory_free(plan->circles);
	memory_free(plan->segments);
	memory_free(plan->found);
	memory_free(plan->seen);
	memory_free(plan->edits);
	memory_free(plan->sums);
	*plan = (struct edit_plan){ 0 };
}
