#include "physics/queries/sorted_shapes.h"

#include "base/memory.h"
#include "base/pause.h"
#include "physics/world/collision_filter.h"

/* False and a problem if an id is given twice. */
static bool
circles_copy(struct sorted_shapes *shapes, const struct world_def *def, struct id_order *order, struct def_problem *problem)
{
	for (size_t i = 0; i < def->circle_count && !pause_after(1); i++)
		order[i] = (struct id_order){ def->circles[i].id, i };
	if (!id_order_sort(order, def->circle_count, DEF_CIRCLE_ID, problem))
		return false;
	for (size_t i = 0; i < def->circle_count && !pause_after(4); i++) {
		const struct circle_def *circle = &def->circles[order[i].index];

		shapes->circles[i] = (struct shape){ circle->id,           circle->category,       circle->mask,
			                                 circle->filter_group, (uint8_t)circle->group, circle->sensor };
		shapes->discs[i] = (struct disc){ circle->x, circle->y, circle->radius, circle->vx, circle->vy };
	}
	return true;
}

static bool
segments_copy(struct sorted_shapes *shapes, const struct world_def *def, struct id_order *order, struct def_problem *problem)
{
	for (size_t i = 0; i < def->segment_count && !pause_after(1); i++)
		order[i] = (struct id_order){ def->segments[i].id, i };
	if (!id_order_sort(order, def->segment_count, DEF_SEGMENT_ID, problem))
		return false;
	shapes->segment_count = 0;
	for (size_t i = 0; i < def->segment_count && !pause_after(4); i++) {
		const struct segment_def *segment = &def->segments[order[i].index];
		uint32_t at = shapes->segment_count;

		if (segment->disabled)
			continue;
		shapes->segments[at] = (struct shape){ segment->id,           segment->category,       segment->mask,
			                                   segment->filter_group, (uint8_t)segment->group, segment->sensor };
		shapes->walls[at] = (struct wall){
			segment->x1, segment->y1, segment->x2, segment->y2, segment->radius, segment->one_sided, segment->vx, segment->vy,
		};
		shapes->segment_count++;
	}
	return true;
}

/* Makes room for as many as it counts. False without memory; then it must be finished all the same. */
static bool
shapes_reserve(struct sorted_shapes *shapes)
{
	size_t circles = shapes->circle_count + (size_t)1, segments = shapes->segment_count + (size_t)1;

	shapes->discs = memory_alloc(circles * sizeof *shapes->discs);
	shapes->circles = memory_alloc(circles * sizeof *shapes->circles);
	shapes->walls = memory_alloc(segments * sizeof *shapes->walls);
	shapes->segments = memory_alloc(segments * sizeof *shapes->segments);
	return shapes->discs && shapes->circles && shapes->walls && shapes->segments;
}

enum status
sorted_shapes_init(struct sorted_shapes *out, const struct world_def *def, struct def_problem *problem)
{
	size_t count = def->circle_count > def->segment_count ? def->circle_count : def->segment_count;
	struct sorted_shapes shapes = { .circle_count = (uint32_t)def->circle_count,
		                            .segment_count = (uint32_t)def->segment_count };
	enum status status = STATUS_RESOURCE_EXHAUSTED;

	if (!world_def_check(def, problem))
		return STATUS_INVALID_ARGUMENT;
	if (count >= UINT32_MAX)
		return STATUS_RESOURCE_EXHAUSTED;

	struct id_order *order = memory_alloc((count + 1) * sizeof *order);

	shapes.relations = relations_create(def->relations, def->relation_count);
	if (order && shapes_reserve(&shapes) && (def->relation_count == 0 || shapes.relations))
		status = circles_copy(&shapes, def, order, problem) && segments_copy(&shapes, def, order, problem)
		             ? STATUS_OK
		             : STATUS_INVALID_ARGUMENT;
	memory_free(order);
	if (pause_stopped())
		status = STATUS_CANCELLED;
	if (status == STATUS_OK)
		*out = shapes;
	else
		sorted_shapes_finish(&shapes);
	return status;
}

enum status
sorted_shapes_init_world(struct sorted_shapes *out, const struct world *world)
{
	struct sorted_shapes shapes = { .circle_count = world->bodies.count, .segment_count = world->walls.segment_count };

	if (world->settings.relations)
		shapes.relations = relations_create(world->settings.relations->defs, world->settings.relations->count);
	if (!shapes_reserve(&shapes) || (world->settings.relations && !shapes.relations)) {
		sorted_shapes_finish(&shapes);
		return STATUS_RESOURCE_EXHAUSTED;
	}
	for (uint32_t i = 0; i < world->bodies.count && !pause_after(4); i++) {
		struct body_state state = world_body(world, i);
		const struct body_info *info = &world->bodies.infos[i];

		shapes.circles[i] = (struct shape){
			state.id, info->category, info->mask, info->filter_group, info->group, info->sensor
		};
		shapes.discs[i] = (struct disc){ state.x, state.y, state.radius, state.vx, state.vy };
	}
	shapes.segment_count = 0;
	for (uint32_t i = 0; i < world->walls.segment_count && !pause_after(4); i++) {
		const struct segment *segment = &world->walls.segments[i];
		uint32_t at = shapes.segment_count;

		if (world_segment(world, i).disabled)
			continue;
		shapes.segments[at] = (struct shape){ segment->id,           segment->category, segment->mask,
			                                  segment->filter_group, segment->group,    segment->sensor };
		shapes.walls[at] = (struct wall){
			segment->x1, segment->y1, segment->x2, segment->y2, segment->radius, segment->one_sided, segment->vx, segment->vy,
		};
		shapes.segment_count++;
	}
	if (pause_stopped()) {
		sorted_shapes_finish(&shapes);
		return STATUS_CANCELLED;
	}
	*out = shapes;
	return STATUS_OK;
}

void
sorted_shapes_finish(struct sorted_shapes *shapes)
{
	memory_free(shapes->discs);
	memory_free(shapes->circles);
	memory_free(shapes->walls);
	memory_free(shapes->segments);
	relations_destroy(shapes->relations);
	*shapes = (struct sorted_shapes){ .circle_count = 0 };
}

size_t
sorted_shapes_memory_bytes(const struct sorted_shapes *shapes)
{
	return relations_memory_bytes(shapes->relations) +
	       shapes->circle_count * (sizeof *shapes->discs + sizeof *shapes->circles) +
	       shapes->segment_count * (sizeof *shapes->walls + sizeof *shapes->segments);
}

bool
sorted_shapes_meet(const struct sorted_shapes *shapes, const struct shape *a, const struct shape *b)
{
	int filter = filter_groups_meet(a->filter_group, b->filter_group);

	return (filter > 0 || (filter == 0 && masks_meet(a->category, a->mask, b->category, b->mask))) &&
	       relation_meeting(shapes->relations, a->group, b->group) != MEET_NOT;
}
