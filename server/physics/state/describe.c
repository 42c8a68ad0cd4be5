/* What a snapshot says of itself before it is restored, and a world's settings and shapes as definitions: describe.h. */
#include "physics/describe.h"

#include "physics/reports/watch.h"
#include "physics/state/snapshot.h"
#include "physics/world/relation.h"
#include "physics/world/world.h"

#include <string.h>

static bool
magic_is(const void *bytes, size_t size, const uint8_t magic[SNAPSHOT_MAGIC_BYTES])
{
	return size >= SNAPSHOT_MAGIC_BYTES && memcmp(bytes, magic, SNAPSHOT_MAGIC_BYTES) == 0;
}

struct snapshot_outline
snapshot_outline(const void *snapshot, size_t size)
{
	bool in_map = magic_is(snapshot, size, snapshot_map_magic);
	size_t head = SNAPSHOT_HEADER_BYTES + (in_map ? SNAPSHOT_MAP_BYTES : 0);
	size_t world = snapshot_row_bytes(&snapshot_counts_table), end = world + snapshot_row_bytes(&snapshot_world_table);

	if (size < head + end)
		return (struct snapshot_outline){ .circles = 0 };
	const uint8_t *counts = (const uint8_t *)snapshot + head;
	/* The first two fields of the table of counts, and the first and the last field of the world's. */
	const uint64_t bits = snapshot_number_get(counts + end - 8, 8);
	struct snapshot_outline outline = { .circles = snapshot_number_get(counts, 8),
		                                .segments = snapshot_number_get(counts + 8, 8),
		                                .tick = snapshot_number_get(counts + world, 8) };
	memcpy(&outline.dt, &bits, sizeof bits);
	return outline;
}

bool
snapshot_is_one(const void *bytes, size_t size)
{
	return magic_is(bytes, size, snapshot_magic);
}

void
world_describe_settings(const struct world *world, struct world_def *def)
{
	*def = world_def_default();
	def->gravity_x = world->settings.gravity_x;
	def->gravity_y = world->settings.gravity_y;
	def->restitution_mix = world->settings.restitution_mix;
	def->friction_mix = world->settings.friction_mix;
	def->restitution_threshold = world->settings.restitution_threshold;
	def->sleep_after = world->settings.sleep_after;
	def->events_per_body_max = world->settings.events_per_body_max;
	def->work_per_tick_max = world->settings.work_per_tick_max;
	def->work_per_body_max = world->settings.work_per_body_max;
	def->contacts_per_tick_max = world->settings.contacts_per_tick_max;
	def->speed_max = world->settings.speed_max;
	def->events = world->settings.watched & WORLD_EVENTS_ALL;
	def->hit_speed = world->settings.hit_speed;
	def->has_bounds = world->settings.has_bounds;
	def->bounds_x_min = world->settings.bounds[0];
	def->bounds_y_min = world->settings.bounds[1];
	def->bounds_x_max = world->settings.bounds[2];
	def->bounds_y_max = world->settings.bounds[3];
	if (world->settings.relations) {
		def->relations = world->settings.relations->defs;
		def->relation_count = world->settings.relations->count;
	}
}

void
world_describe(const struct world *world, struct circle_def *circles, struct segment_def *segments, struct world_def *def)
{
	for (uint32_t i = 0; i < world->bodies.count && !pause_after(1); i++)
		circles[i] = world_circle(world, i);
	for (uint32_t i = 0; i < world->walls.segment_count && !pause_after(2); i++)
		segments[i] = world_segment(world, i);
	world_describe_settings(world, def);
	def->circles = circles;
	def->circle_count = world->bodies.count;
	def->segments = segments;
	def->segment_count = world->walls.segment_count;
}

size_t
world_open_pair_count(const struct world *world)
{
	return watch_tie_count(world);
}

struct open_pair
world_open_pair(const struct world *world, size_t index)
{
	struct tie_row row = watch_tie(world, index);
	bool wall = (row.b & PARTNER_SEGMENT) != 0;

	return (struct open_pair){
		.a = world->bodies.infos[row.a].id,
		.b = wall ? world->walls.segments[row.b & ~PARTNER_SEGMENT].id : world->bodies.infos[row.b].id,
		.other = wall ? CONTACT_SEGMENT : CONTACT_CIRCLE,
		.inside = row.kind == TIE_INSIDE,
	};
}

uint32_t
world_events_per_body_max(const struct world *world)
{
	return world->settings.events_per_body_max;
}

uint64_t
world_work_per_tick_max(const struct world *world)
{
	return world->settings.work_per_tick_max;
}

uint64_t
world_work_per_body_max(const struct world *world)
{
	return world->settings.work_per_body_max;
}

void
world_contacts_max_set(struct world *world, size_t contacts_per_tick_max)
{
	world->settings.contacts_per_tick_max = contacts_per_tick_max;
}
