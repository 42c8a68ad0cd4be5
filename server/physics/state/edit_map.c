/* Where each index goes, what is touched, and which sleeping bodies wake from that. */
#include "base/memory.h"
#include "physics/resting/handover.h"
#include "physics/resting/sleep.h"
#include "physics/state/edit.h"
#include "physics/world/wall_switch.h"

static bool
action_removes(uint8_t action)
{
	return action == PLAN_REMOVE || action == PLAN_REPLACE;
}

static bool
action_spawns(uint8_t action)
{
	return action == PLAN_SPAWN || action == PLAN_REPLACE;
}

/* One column of shapes, ascending by id. */
struct shapes {
	const struct world *world;
	bool segments;
	uint32_t count;
	uint32_t *to;
	uint8_t *touched;
};

static uint32_t
shape_id(const struct shapes *shapes, uint32_t index)
{
	return shapes->segments ? shapes->world->walls.segments[index].id : shapes->world->bodies.infos[index].id;
}

static uint8_t
planned_touch(const struct shapes *shapes, const struct planned *planned)
{
	if (action_spawns(planned->action))
		return TOUCH_CHANGED | TOUCH_PLACED;
	if (planned->action != PLAN_CHANGE)
		return 0;
	return shapes->segments ? segment_fields_touch(planned->changed) : circle_fields_touch(planned->changed);
}

/* Merges old indices and the plan; returns the new count. */
static uint32_t
shapes_map(const struct shapes *shapes, struct planned *planned, size_t planned_count)
{
	uint32_t next = 0;
	size_t k = 0;

	for (uint32_t i = 0; i <= shapes->count && !pause_after(2); i++) {
		for (; k < planned_count && !pause_after(2) && (i == shapes->count || planned[k].id < shape_id(shapes, i)); k++) {
			shapes->touched[next] = planned_touch(shapes, &planned[k]);
			planned[k].to = next++;
		}
		if (i == shapes->count)
			break;

		struct planned *own = k < planned_count && planned[k].id == shape_id(shapes, i) ? &planned[k++] : NULL;
		bool gone = own && action_removes(own->action);

		shapes->to[i] = gone ? NONE : next;
		if (gone && own->action != PLAN_REPLACE)
			continue;
		shapes->touched[next] = own ? planned_touch(shapes, own) : 0;
		if (own)
			own->to = next;
		next++;
	}
	return next;
}

static bool
body_edited(const struct edit_map *map, uint32_t body)
{
	return map->body_to[body] == NONE || map->body_touched[map->body_to[body]] != 0;
}

static bool
segment_edited(const struct edit_map *map, uint32_t segment)
{
	return map->segment_to[segment] == NONE || map->segment_touched[map->segment_to[segment]] != 0;
}

struct waking {
	struct edit_map *map;
	const struct world *world;
};

static void
bed_wake(const struct waking *waking, uint32_t body)
{
	uint32_t bed = waking->world->bodies.calms[body].bed;

	if (bed != NONE)
		waking->map->wakes[bed] = true;
}

/* For a sleeping body that presses on something that is edited. */
static void
dormant_look(void *context, const struct solver_warm *warm)
{
	const struct waking *waking = context;
	bool wall = (warm->b & SOLVER_WALL) != 0;

	if (!body_edited(waking->map, warm->a) &&
	    !(wall ? segment_edited(waking->map, warm->b & ~SOLVER_WALL) : body_edited(waking->map, warm->b)))
		return;
	bed_wake(waking, warm->a);
	if (!wall)
		bed_wake(waking, warm->b);
}

static void
sleepers_find(struct edit_map *map, const struct world *world)
{
	struct waking waking = { .map = map, .world = world };

	if (world->bodies.asleep_count == 0)
		return;
	for (uint32_t i = 0; i < world->bodies.count && !pause_after(1); i++)
		if (map->gravity || body_edited(map, i))
			bed_wake(&waking, i);
	if (world->handover)
		handover_visit_dormant(world->handover, dormant_look, &waking);
}

/* What the plan of one segment means for all of them. */
static void
segments_note(struct edit_map *map, const struct planned *planned, const struct world *world)
{
	const bool switched = planned->action == PLAN_CHANGE && planned->changed == edit_field(DEF_SEGMENT_DISABLED);

	if (planned->action == PLAN_NOTHING)
		return;
	map->switched |= switched;
	map->segments_edited |= !switched;
	map->walls |= !switched || wall_is_tied(&world->walls.segments[planned->at]);
}

bool
edit_map_make(struct edit_map *map, struct edit_plan *plan, const struct world *world)
{
	size_t bodies = (size_t)world->bodies.count + 1, segments = (size_t)world->walls.segment_count + 1;

	*map = (struct edit_map){
		.body_count = world->bodies.count,
		.segment_count = world->walls.segment_count,
		.body_to = memory_alloc(bodies * sizeof *map->body_to),
		.segment_to = memory_alloc(segments * sizeof *map->segment_to),
		.body_touched = memory_alloc(bodies + plan->circle_count),
		.segment_touched = memory_alloc(segments + plan->segment_count),
		.wakes = memory_zeroed(bodies, 1),
	};
	if (!map->body_to || !map->segment_to || !map->body_touched || !map->segment_touched || !map->wakes)
		return false;

	const struct shapes circles = { world, false, world->bodies.count, map->body_to, map->body_touched };
	const struct shapes walls = { world, true, world->walls.segment_count, map->segment_to, map->segment_touched };
	const uint8_t meets = TOUCH_CHANGED | TOUCH_PLACED;

	map->gravity = plan_turns_gravity(plan, world);
	map->body_count_new = shapes_map(&circles, plan->circles, plan->circle_count);
	map->segment_count_new = shapes_map(&walls, plan->segments, plan->segment_count);
	for (size_t k = 0; k < plan->circle_count && !pause_after(BODY_UNITS); k++) {
		map->spawns |= action_spawns(plan->circles[k].action);
		map->meets |= (planned_touch(&circles, &plan->circles[k]) & meets) != 0;
	}
	for (size_t k = 0; k < plan->segment_count && !pause_after(BODY_UNITS); k++) {
		map->spawns |= action_spawns(plan->segments[k].action);
		map->meets |= (planned_touch(&walls, &plan->segments[k]) & meets) != 0;
		segments_note(map, &plan->segments[k], world);
	}
	sleepers_find(map, world);
	return !pause_stopped();
}

void
edit_map_finish(struct edit_map *map)
{
	memory_free(map->body_to);
	memory_free(map->segment_to);
	memory_free(map->body_touched);
	memory_free(map->segment_touched);
	memory_free(map->wakes);
	*map = (struct edit_map){ 0 };
}
