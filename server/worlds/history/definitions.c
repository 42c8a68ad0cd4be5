#include "worlds/history/definitions.h"

#include "base/memory.h"
#include "base/pause.h"
#include "physics/describe.h"

#include <string.h>

bool
definitions_take(const struct world *world, struct definitions *out)
{
	struct world_def def;
	size_t circles = world_body_count(world), segments = world_segment_count(world);

	*out = (struct definitions){ .circle_count = 0 };
	out->circles = memory_alloc((circles + 1) * sizeof *out->circles);
	out->segments = memory_alloc((segments + 1) * sizeof *out->segments);
	if (!out->circles || !out->segments) {
		definitions_free(out);
		return false;
	}
	out->circle_count = circles;
	out->segment_count = segments;
	world_describe(world, out->circles, out->segments, &def);
	out->gravity[0] = def.gravity_x;
	out->gravity[1] = def.gravity_y;
	return true;
}

void
definitions_free(struct definitions *definitions)
{
	memory_free(definitions->circles);
	memory_free(definitions->segments);
	*definitions = (struct definitions){ .circle_count = 0 };
}

/* One member of both, as bits. */
#define SAME(member) (memcmp(&a->member, &b->member, sizeof a->member) == 0)

/* All but position, velocity, angle and spin. */
static bool
circles_same(const struct circle_def *a, const struct circle_def *b)
{
	return SAME(kind) && SAME(radius) && SAME(mass) && SAME(restitution) && SAME(friction) && SAME(rolling_resistance) &&
	       SAME(moment_of_inertia) && SAME(category) && SAME(mask) && SAME(surface_speed) && SAME(linear_damping) &&
	       SAME(angular_damping) && SAME(gravity_scale) && SAME(response) && SAME(sensor) && SAME(filter_group) &&
	       SAME(group) && SAME(stop_groups) && SAME(remove_groups) && SAME(report_groups) && SAME(lifetime_ticks) &&
	       SAME(lifetime_s) && SAME(ignore) && SAME(ignored_circle) && SAME(tag);
}

/* All; those that move are where they were, if nothing was done to them. */
static bool
segments_same(const struct segment_def *a, const struct segment_def *b)
{
	return SAME(x1) && SAME(y1) && SAME(x2) && SAME(y2) && SAME(restitution) && SAME(friction) && SAME(rolling_resistance) &&
	       SAME(category) && SAME(mask) && SAME(surface_speed) && SAME(sensor) && SAME(radius) && SAME(one_sided) &&
	       SAME(filter_group) && SAME(group) && SAME(vx) && SAME(vy) && SAME(disabled);
}

static bool
note(struct change_log *log, enum change_kind kind, uint32_t id)
{
	if (!change_log_reserve(log, 1))
		return false;
	change_log_add(log, kind, id);
	return true;
}

static bool
circles_tell(const struct definitions *before, const struct world *world, struct change_log *log)
{
	size_t count = world_body_count(world), old = 0;
	bool told = true;

	for (size_t i = 0; i < count && told; i++, pause_give_way(4)) {
		const struct circle_def now = world_circle(world, i);

		for (; told && old < before->circle_count && before->circles[old].id < now.id; old++)
			told = note(log, CHANGE_CIRCLE_REMOVED, before->circles[old].id);
		if (old == before->circle_count || before->circles[old].id != now.id)
			told = told && note(log, CHANGE_CIRCLE, now.id);
		else if (!circles_same(&before->circles[old++], &now))
			told = told && note(log, CHANGE_CIRCLE, now.id);
	}
	for (; told && old < before->circle_count; old++)
		told = note(log, CHANGE_CIRCLE_REMOVED, before->circles[old].id);
	return told;
}

static bool
segments_tell(const struct definitions *before, const struct world *world, struct change_log *log)
{
	size_t count = world_segment_count(world), old = 0;
	bool told = true;

	for (size_t i = 0; i < count && told; i++, pause_give_way(4)) {
		const struct segment_def now = world_segment(world, i);

		for (; told && old < before->segment_count && before->segments[old].id < now.id; old++)
			told = note(log, CHANGE_SEGMENT_REMOVED, before->segments[old].id);
		if (old == before->segment_count || before->segments[old].id != now.id)
			told = told && note(log, CHANGE_SEGMENT, now.id);
		else if (!segments_same(&before->segments[old++], &now))
			told = told && note(log, CHANGE_SEGMENT, now.id);
	}
	for (; told && old < before->segment_count; old++)
		told = note(log, CHANGE_SEGMENT_REMOVED, before->segments[old].id);
	return told;
}

static bool
gravity_tell(const struct definitions *before, const struct world *world, struct change_log *log)
{
	struct world_def def;

	world_describe_settings(world, &def);

	const double now[2] = { def.gravity_x, def.gravity_y };

	return memcmp(now, before->gravity, sizeof now) == 0 || note(log, CHANGE_GRAVITY, 0);
}

bool
definitions_tell(const struct definitions *before, const struct world *world, struct change_log *log)
{
	return circles_tell(before, world, log) && segments_tell(before, world, log) && gravity_tell(before, world, log);
}
