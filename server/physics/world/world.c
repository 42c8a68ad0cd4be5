/* A world's life: built from definitions, read, destroyed. Stepping is in step.c. */
#include "physics/world/world.h"

#include "base/check.h"
#include "base/pages.h"
#include "physics/broadphase/moving_walls.h"
#include "physics/partition/partition.h"
#include "physics/reports/watch.h"
#include "physics/resting/handover.h"
#include "physics/resting/sleep.h"
#include "physics/state/edit.h"
#include "physics/step/depenetration.h"
#include "physics/step/workspace.h"
#include "physics/world/relation.h"
#include "physics/world/vertex.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Between two columns of the block: nobody's, so that who goes beyond a column is found by AddressSanitizer. */
#define COLUMN_GUARD_BYTES 32

void
body_derive(struct world *world, uint32_t index)
{
	struct body *body = &world->bodies[index];
	struct body_info *info = &world->infos[index];
	bool dynamic = info->kind == BODY_DYNAMIC;
	double gravity[2];

	if (!dynamic)
		info->gravity_scale = 0.0;
	body_gravity(world, index, gravity);
	body->ax = dynamic ? gravity[0] : 0.0;
	body->ay = dynamic ? gravity[1] : 0.0;
	body->t0 = 0.0;
	info->inverse_mass = dynamic ? 1.0 / info->mass : 0.0;
	info->support = NONE;
	info->last_partner = NONE;
	info->released = -1.0;
}

void
body_define(struct world *world, uint32_t index, const struct circle_def *def)
{
	bool dynamic = def->kind == BODY_DYNAMIC;
	double inertia = def->moment_of_inertia > 0.0 ? def->moment_of_inertia : 0.5 * def->mass * def->radius * def->radius;

	world->bodies[index] = (struct body){ .x = def->x, .y = def->y, .vx = def->vx, .vy = def->vy, .radius = def->radius };
	world->infos[index] = (struct body_info){
		.id = def->id,
		.kind = (uint8_t)def->kind,
		.category = def->category,
		.mask = def->mask,
		.sensor = def->sensor,
		.filter_group = def->filter_group,
		.group = (uint8_t)def->group,
		.restitution = def->restitution,
		.friction = def->friction,
		.rolling = def->rolling_resistance,
		.surface_speed = def->surface_speed,
		.gravity_scale = def->gravity_scale,
		.linear_damping = def->linear_damping,
		.angular_damping = def->angular_damping,
		.response = (uint8_t)def->response,
		.angle = def->angle,
		.spin = def->angular_velocity,
		.mass = dynamic ? def->mass : (double)INFINITY,
		.inverse_inertia = dynamic ? 1.0 / inertia : 0.0,
	};
	body_derive(world, index);
}

void
segment_derive(struct segment *segment)
{
	segment->ux = segment->home[2] - segment->home[0];
	segment->uy = segment->home[3] - segment->home[1];
	segment->length = sqrt(segment->ux * segment->ux + segment->uy * segment->uy);
	/* A difference from 0 is to change nothing, not even the sign of a 0. */
	segment->vx = segment->vx == 0.0 ? 0.0 : segment->vx;
	segment->vy = segment->vy == 0.0 ? 0.0 : segment->vy;
	segment->moving = segment->vx != 0.0 || segment->vy != 0.0;
	segment_place(segment);
}

void
segment_define(struct segment *segment, const struct segment_def *def)
{
	*segment = (struct segment){
		.home = { def->x1, def->y1, def->x2, def->y2 },
		.vx = def->vx,
		.vy = def->vy,
		.restitution = def->restitution,
		.friction = def->friction,
		.rolling = def->rolling_resistance,
		.surface_speed = def->surface_speed,
		.id = def->id,
		.category = def->category,
		.mask = def->mask,
		.sensor = def->sensor,
		.radius = def->radius,
		.one_sided = def->one_sided,
		.filter_group = def->filter_group,
		.group = (uint8_t)def->group,
	};
	segment_derive(segment);
}

bool
world_turns_find(const struct world *world)
{
	bool rough = false;

	for (uint32_t i = 0; i < world->body_count; i++) {
		if (world->infos[i].spin != 0.0 || world->infos[i].angle != 0.0)
			return true;
		rough = rough || world->infos[i].friction > 0.0 || world->infos[i].response == RESPONSE_STOP;
	}
	for (uint32_t i = 0; i < world->segment_count; i++)
		rough = rough || world->segments[i].friction > 0.0;
	return rough;
}

/* Whether there are filter groups or relations. */
static bool
filtered_find(const struct world *world)
{
	bool grouped = world->relations != NULL;

	for (uint32_t i = 0; i < world->body_count && !grouped; i++)
		grouped = world->infos[i].filter_group != 0;
	for (uint32_t i = 0; i < world->segment_count && !grouped; i++)
		grouped = world->segments[i].filter_group != 0;
	return grouped;
}

void
world_derive(struct world *world)
{
	world->filtered = filtered_find(world);
	world->kicks = world->speed_max > 0.0;
	world->surfaces = false;
	world->scale_most = 0.0;
	world->radius_least = (double)INFINITY;
	world->bent_bodies = 0;
	world->all_meet = !world->filtered;
	for (uint32_t i = 0; i < world->body_count; i++) {
		const struct body_info *info = &world->infos[i];

		world->ids[i] = info->id;
		world->all_meet = world->all_meet && !info->sensor && info->category == world->infos[0].category &&
		                  info->mask == world->infos[0].mask && (info->category & info->mask) != 0;
		world->scale_most = larger(world->scale_most, fabs(info->gravity_scale));
		if (info->kind == BODY_DYNAMIC)
			world->radius_least = lesser(world->radius_least, world->bodies[i].radius);
		world->bent_bodies += info->gravity_scale != 1.0 && world->bent_bodies < WORK_BENT_BODIES;
		world->kicks = world->kicks || info->linear_damping > 0.0 || info->angular_damping > 0.0;
		world->surfaces = world->surfaces || info->surface_speed != 0.0;
	}
	for (uint32_t i = 0; i < world->segment_count; i++)
		world->surfaces = world->surfaces || world->segments[i].surface_speed != 0.0;
}

static enum status
world_fill(struct world *world, const struct world_def *def, struct id_order *order, struct def_problem *problem)
{
	for (uint32_t i = 0; i < world->body_count; i++)
		order[i] = (struct id_order){ .id = def->circles[i].id, .index = i };
	if (!id_order_sort(order, world->body_count, DEF_CIRCLE_ID, problem))
		return STATUS_INVALID_ARGUMENT;
	for (uint32_t i = 0; i < world->body_count; i++)
		body_define(world, i, &def->circles[order[i].index]);

	for (uint32_t i = 0; i < world->segment_count; i++)
		order[i] = (struct id_order){ .id = def->segments[i].id, .index = i };
	if (!id_order_sort(order, world->segment_count, DEF_SEGMENT_ID, problem))
		return STATUS_INVALID_ARGUMENT;
	for (uint32_t i = 0; i < world->segment_count; i++)
		segment_define(&world->segments[i], &def->segments[order[i].index]);
	world->turns = world_turns_find(world);
	world_derive(world);
	return vertices_build(world) ? STATUS_OK : STATUS_RESOURCE_EXHAUSTED;
}

/* Bytes of a column of `count` elements in the block of all, up to where the next one may begin: at a line of the cache, and
 * with a guard between them. */
static size_t
column_bytes(size_t count, size_t size)
{
	return (count * size + COLUMN_GUARD_BYTES + PAGES_LINE_BYTES - 1) / PAGES_LINE_BYTES * PAGES_LINE_BYTES;
}

/* The next column of the block, zeros. */
static void *
column_take(unsigned char **block, size_t count, size_t size)
{
	unsigned char *column = *block;
	size_t bytes = count * size;

	memset(column, 0, bytes);
	*block += column_bytes(count, size);
	pages_guard(column + bytes, (size_t)(*block - column) - bytes);
	return column;
}

bool
body_columns_alloc(struct world *world)
{
	size_t count = (size_t)world->body_count + 1;

	if (count > PARTNER_SEGMENT)
		return false;

	unsigned char *block = pages_alloc(column_bytes(count, sizeof *world->bodies) + column_bytes(count, sizeof *world->infos) +
	                                   column_bytes(count, sizeof *world->untouched) +
	                                   column_bytes(count, sizeof *world->masses) + column_bytes(count, sizeof *world->marks) +
	                                   column_bytes(count, sizeof *world->ids));

	if (!block)
		return false;
	/* Infos first: they begin at lines of their own. */
	world->infos = column_take(&block, count, sizeof *world->infos);
	world->bodies = column_take(&block, count, sizeof *world->bodies);
	world->untouched = column_take(&block, count, sizeof *world->untouched);
	world->masses = column_take(&block, count, sizeof *world->masses);
	world->marks = column_take(&block, count, sizeof *world->marks);
	world->ids = column_take(&block, count, sizeof *world->ids);
	return true;
}

void
body_columns_free(struct world *world)
{
	free(world->infos);
}

struct world *
world_alloc(const struct world_def *def)
{
	/* Indices are 31 bits: one is a flag (PARTNER_SEGMENT). */
	if (def->circle_count >= PARTNER_SEGMENT || def->segment_count >= PARTNER_SEGMENT / 2)
		return NULL;

	struct world *world = malloc(sizeof *world);

	if (!world)
		return NULL;
	*world = (struct world){
		.gravity_x = def->gravity_x,
		.gravity_y = def->gravity_y,
		.gravity = sqrt(def->gravity_x * def->gravity_x + def->gravity_y * def->gravity_y),
		.restitution_threshold = def->restitution_threshold,
		.sleep_after = def->sleep_after,
		.speed_max = def->speed_max,
		.restitution_mix = def->restitution_mix,
		.friction_mix = def->friction_mix,
		.events_per_body_max = def->events_per_body_max,
		.work_per_tick_max = def->work_per_tick_max,
		.work_per_body_max = def->work_per_body_max,
		.contacts_per_tick_max = def->contacts_per_tick_max,
		.watched = def->events,
		.hit_speed = def->hit_speed,
		.body_count = (uint32_t)def->circle_count,
		.segment_count = (uint32_t)def->segment_count,
		.segments = calloc(def->segment_count + 1, sizeof *world->segments),
		.relations = relations_create(def->relations, def->relation_count),
	};
	event_queue_init(&world->queue);
	schedule_init(&world->schedule);
	if (!body_columns_alloc(world) || (def->relation_count > 0 && !world->relations) || !world->segments ||
	    !sleep_alloc(world)) {
		world_destroy(world);
		return NULL;
	}
	return world;
}

enum status
world_create(const struct world_def *def, struct def_problem *problem, struct world **out)
{
	if (!world_def_check(def, problem))
		return STATUS_INVALID_ARGUMENT;

	size_t most = def->circle_count > def->segment_count ? def->circle_count : def->segment_count;
	struct id_order *order = calloc(most + 1, sizeof *order);
	struct world *world = world_alloc(def);
	enum status status = STATUS_RESOURCE_EXHAUSTED;
	bool all = false;

	if (order && world)
		status = world_fill(world, def, order, problem);
	if (status == STATUS_OK &&
	    (!grid_build(&world->grid, world) || overlaps_too_many(world, NULL, &all) || !watch_create(world)))
		status = STATUS_RESOURCE_EXHAUSTED;
	free(order);
	if (status == STATUS_OK) {
		world->overlap_possible = true;
		world->overlap_free = all && world->overlap_count == 0;
		*out = world;
	} else {
		world_destroy(world);
	}
	return status;
}

void
world_destroy(struct world *world)
{
	if (!world)
		return;
	body_columns_free(world);
	free(world->segments);
	free(world->vertices);
	free(world->spokes);
	free(world->moving);
	free(world->places);
	relations_destroy(world->relations);
	free(world->calms);
	free(world->sleep_flags);
	free(world->fallen);
	awake_free(&world->awake);
	if (world->plan)
		edit_plan_finish(world->plan);
	free(world->plan);
	grid_finish(&world->grid);
	schedule_finish(&world->schedule);
	scratch_finish(world);
	handover_destroy(world->handover);
	watch_destroy(world->watch);
	partition_destroy(world->partition);
	free(world);
}

size_t
world_body_count(const struct world *world)
{
	return world->body_count;
}

struct body_state
world_body(const struct world *world, size_t index)
{
	const struct body *body = &world->bodies[index];
	const struct body_info *info = &world->infos[index];

	return (struct body_state){
		.id = info->id,
		.kind = (enum body_kind)info->kind,
		.x = body->x,
		.y = body->y,
		.vx = body->vx,
		.vy = body->vy,
		.angle = info->angle,
		.angular_velocity = info->spin,
		.radius = body->radius,
		.mass = info->mass,
		.asleep = info->mode == MODE_ASLEEP,
	};
}

void
world_copy_bodies(const struct world *world, uint32_t *id, double *x, double *y, double *vx, double *vy)
{
	for (uint32_t i = 0; i < world->body_count; i++) {
		const struct body *body = &world->bodies[i];

		if (id)
			id[i] = world->infos[i].id;
		if (x)
			x[i] = body->x;
		if (y)
			y[i] = body->y;
		if (vx)
			vx[i] = body->vx;
		if (vy)
			vy[i] = body->vy;
	}
}

void
world_write_bodies(const struct world *world, size_t first, size_t count, const struct body_bytes *out)
{
	const struct body *bodies = world->bodies + first;
	const struct body_info *infos = world->infos + first;

	CHECK(first <= world->body_count && count <= world->body_count - first);
	memcpy(out->id, world->ids + first, count * sizeof *world->ids);
	for (size_t i = 0; i < count; i++) {
		memcpy(out->x + sizeof bodies[i].x * i, &bodies[i].x, sizeof bodies[i].x);
		memcpy(out->y + sizeof bodies[i].y * i, &bodies[i].y, sizeof bodies[i].y);
		memcpy(out->vx + sizeof bodies[i].vx * i, &bodies[i].vx, sizeof bodies[i].vx);
		memcpy(out->vy + sizeof bodies[i].vy * i, &bodies[i].vy, sizeof bodies[i].vy);
	}
	for (size_t i = 0; out->angle && i < count; i++) {
		memcpy(out->angle + sizeof infos[i].angle * i, &infos[i].angle, sizeof infos[i].angle);
		memcpy(out->spin + sizeof infos[i].spin * i, &infos[i].spin, sizeof infos[i].spin);
	}
}

bool
world_turns(const struct world *world)
{
	return world->turns;
}

void
world_stop_set(struct world *world, bool (*stop)(void *context), void *context)
{
	world->stop = stop;
	world->stop_context = context;
}

bool
world_asked_to_stop(struct world *world)
{
	if (world->stop && world->stop(world->stop_context))
		world->stopped = world->failed = true;
	return world->stopped;
}

void
world_clock_set(struct world *world, uint64_t (*now_ns)(void))
{
	world->now_ns = now_ns;
}

void
world_crew_set(struct world *world, const struct crew *crew)
{
	world->crew = crew ? *crew : (struct crew){ 0 };
}

uint64_t
world_tick(const struct world *world)
{
	return world->tick;
}

size_t
world_memory_bytes(const struct world *world)
{
	return sizeof *world +
	       world->body_count * (sizeof *world->bodies + sizeof *world->infos + sizeof *world->untouched +
	                            sizeof *world->masses + sizeof *world->marks + sizeof *world->ids) +
	       (world->calms ? world->body_count * (sizeof *world->calms + sizeof *world->fallen + 1) : 0) +
	       awake_memory_bytes(&world->awake, world->body_count) + world->segment_count * sizeof(struct segment) +
	       relations_memory_bytes(world->relations) + world->vertex_count * sizeof(struct vertex) +
	       world->spoke_count * sizeof(struct spoke) + grid_memory_bytes(&world->grid) + scratch_memory_bytes(world) +
	       schedule_memory_bytes(&world->schedule) +
	       ((size_t)world->moving_count + world->moving_vertex_count) * sizeof *world->moving +
	       world->moving_count * sizeof *world->places + handover_memory_bytes(world->handover) +
	       watch_memory_bytes(world->watch) + partition_memory_bytes(world->partition);
}
