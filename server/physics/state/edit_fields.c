/* The members of definitions, for changes that name some of them. A new member needs a row in the table and a line in circle_of
 * or segment_of, and, unless it is a velocity or a place, nothing more. tests/physics/test_physics_edit_batch.c changes every
 * one. */
#include "physics/state/edit.h"
#include "physics/world/body_rule.h"
#include "physics/world/wall_switch.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct def_member {
	uint16_t offset, size;
};

static const struct def_member circle_members[] = {
	[DEF_CIRCLE_KIND - DEF_CIRCLE_ID] = { offsetof(struct circle_def, kind), sizeof(enum body_kind) },
	[DEF_CIRCLE_X - DEF_CIRCLE_ID] = { offsetof(struct circle_def, x), sizeof(double) },
	[DEF_CIRCLE_Y - DEF_CIRCLE_ID] = { offsetof(struct circle_def, y), sizeof(double) },
	[DEF_CIRCLE_VX - DEF_CIRCLE_ID] = { offsetof(struct circle_def, vx), sizeof(double) },
	[DEF_CIRCLE_VY - DEF_CIRCLE_ID] = { offsetof(struct circle_def, vy), sizeof(double) },
	[DEF_CIRCLE_RADIUS - DEF_CIRCLE_ID] = { offsetof(struct circle_def, radius), sizeof(double) },
	[DEF_CIRCLE_MASS - DEF_CIRCLE_ID] = { offsetof(struct circle_def, mass), sizeof(double) },
	[DEF_CIRCLE_RESTITUTION - DEF_CIRCLE_ID] = { offsetof(struct circle_def, restitution), sizeof(double) },
	[DEF_CIRCLE_FRICTION - DEF_CIRCLE_ID] = { offsetof(struct circle_def, friction), sizeof(double) },
	[DEF_CIRCLE_ROLLING_RESISTANCE - DEF_CIRCLE_ID] = { offsetof(struct circle_def, rolling_resistance), sizeof(double) },
	[DEF_CIRCLE_ANGLE - DEF_CIRCLE_ID] = { offsetof(struct circle_def, angle), sizeof(double) },
	[DEF_CIRCLE_ANGULAR_VELOCITY - DEF_CIRCLE_ID] = { offsetof(struct circle_def, angular_velocity), sizeof(double) },
	[DEF_CIRCLE_MOMENT_OF_INERTIA - DEF_CIRCLE_ID] = { offsetof(struct circle_def, moment_of_inertia), sizeof(double) },
	[DEF_CIRCLE_SURFACE_SPEED - DEF_CIRCLE_ID] = { offsetof(struct circle_def, surface_speed), sizeof(double) },
	[DEF_CIRCLE_LINEAR_DAMPING - DEF_CIRCLE_ID] = { offsetof(struct circle_def, linear_damping), sizeof(double) },
	[DEF_CIRCLE_ANGULAR_DAMPING - DEF_CIRCLE_ID] = { offsetof(struct circle_def, angular_damping), sizeof(double) },
	[DEF_CIRCLE_GRAVITY_SCALE - DEF_CIRCLE_ID] = { offsetof(struct circle_def, gravity_scale), sizeof(double) },
	[DEF_CIRCLE_RESPONSE - DEF_CIRCLE_ID] = { offsetof(struct circle_def, response), sizeof(enum movement_response) },
	[DEF_CIRCLE_CATEGORY - DEF_CIRCLE_ID] = { offsetof(struct circle_def, category), sizeof(uint32_t) },
	[DEF_CIRCLE_MASK - DEF_CIRCLE_ID] = { offsetof(struct circle_def, mask), sizeof(uint32_t) },
	[DEF_CIRCLE_SENSOR - DEF_CIRCLE_ID] = { offsetof(struct circle_def, sensor), sizeof(bool) },
	[DEF_CIRCLE_FILTER_GROUP - DEF_CIRCLE_ID] = { offsetof(struct circle_def, filter_group), sizeof(int32_t) },
	[DEF_CIRCLE_GROUP - DEF_CIRCLE_ID] = { offsetof(struct circle_def, group), sizeof(uint32_t) },
	[DEF_CIRCLE_STOP_GROUPS - DEF_CIRCLE_ID] = { offsetof(struct circle_def, stop_groups), sizeof(uint64_t) },
	[DEF_CIRCLE_REMOVE_GROUPS - DEF_CIRCLE_ID] = { offsetof(struct circle_def, remove_groups), sizeof(uint64_t) },
	[DEF_CIRCLE_REPORT_GROUPS - DEF_CIRCLE_ID] = { offsetof(struct circle_def, report_groups), sizeof(uint64_t) },
	[DEF_CIRCLE_LIFETIME_TICKS - DEF_CIRCLE_ID] = { offsetof(struct circle_def, lifetime_ticks), sizeof(uint32_t) },
	[DEF_CIRCLE_LIFETIME_S - DEF_CIRCLE_ID] = { offsetof(struct circle_def, lifetime_s), sizeof(double) },
	[DEF_CIRCLE_IGNORE - DEF_CIRCLE_ID] = { offsetof(struct circle_def, ignore), sizeof(enum ignore) },
	[DEF_CIRCLE_IGNORED_CIRCLE - DEF_CIRCLE_ID] = { offsetof(struct circle_def, ignored_circle), sizeof(uint32_t) },
	[DEF_CIRCLE_TAG - DEF_CIRCLE_ID] = { offsetof(struct circle_def, tag), sizeof(uint64_t) },
};

static const struct def_member segment_members[] = {
	[DEF_SEGMENT_X1 - DEF_SEGMENT_ID] = { offsetof(struct segment_def, x1), sizeof(double) },
	[DEF_SEGMENT_Y1 - DEF_SEGMENT_ID] = { offsetof(struct segment_def, y1), sizeof(double) },
	[DEF_SEGMENT_X2 - DEF_SEGMENT_ID] = { offsetof(struct segment_def, x2), sizeof(double) },
	[DEF_SEGMENT_Y2 - DEF_SEGMENT_ID] = { offsetof(struct segment_def, y2), sizeof(double) },
	[DEF_SEGMENT_RESTITUTION - DEF_SEGMENT_ID] = { offsetof(struct segment_def, restitution), sizeof(double) },
	[DEF_SEGMENT_FRICTION - DEF_SEGMENT_ID] = { offsetof(struct segment_def, friction), sizeof(double) },
	[DEF_SEGMENT_ROLLING_RESISTANCE - DEF_SEGMENT_ID] = { offsetof(struct segment_def, rolling_resistance), sizeof(double) },
	[DEF_SEGMENT_SURFACE_SPEED - DEF_SEGMENT_ID] = { offsetof(struct segment_def, surface_speed), sizeof(double) },
	[DEF_SEGMENT_CATEGORY - DEF_SEGMENT_ID] = { offsetof(struct segment_def, category), sizeof(uint32_t) },
	[DEF_SEGMENT_MASK - DEF_SEGMENT_ID] = { offsetof(struct segment_def, mask), sizeof(uint32_t) },
	[DEF_SEGMENT_SENSOR - DEF_SEGMENT_ID] = { offsetof(struct segment_def, sensor), sizeof(bool) },
	[DEF_SEGMENT_RADIUS - DEF_SEGMENT_ID] = { offsetof(struct segment_def, radius), sizeof(double) },
	[DEF_SEGMENT_ONE_SIDED - DEF_SEGMENT_ID] = { offsetof(struct segment_def, one_sided), sizeof(bool) },
	[DEF_SEGMENT_FILTER_GROUP - DEF_SEGMENT_ID] = { offsetof(struct segment_def, filter_group), sizeof(int32_t) },
	[DEF_SEGMENT_GROUP - DEF_SEGMENT_ID] = { offsetof(struct segment_def, group), sizeof(uint32_t) },
	[DEF_SEGMENT_VX - DEF_SEGMENT_ID] = { offsetof(struct segment_def, vx), sizeof(double) },
	[DEF_SEGMENT_VY - DEF_SEGMENT_ID] = { offsetof(struct segment_def, vy), sizeof(double) },
	[DEF_SEGMENT_DISABLED - DEF_SEGMENT_ID] = { offsetof(struct segment_def, disabled), sizeof(bool) },
};

#define CIRCLE_MEMBERS (sizeof circle_members / sizeof *circle_members)
#define SEGMENT_MEMBERS (sizeof segment_members / sizeof *segment_members)

static_assert(CIRCLE_MEMBERS == DEF_SEGMENT_ID - DEF_CIRCLE_ID, "a member of circles has no row");
static_assert(SEGMENT_MEMBERS == DEF_RELATION_GROUP_A - DEF_SEGMENT_ID, "a member of segments has no row");
static_assert(CIRCLE_MEMBERS <= 64 && SEGMENT_MEMBERS <= 64, "edit.fields has 64 bits");

struct circle_def
circle_of(const struct world *world, uint32_t i)
{
	const struct body *body = &world->bodies.paths[i];
	const struct body_info *info = &world->bodies.infos[i];
	const struct body_rule *rule = world->bodies.rules ? &world->bodies.rules[i] : &(struct body_rule){ .ignored = 0 };
	bool dynamic = info->kind == BODY_DYNAMIC;

	return (struct circle_def){
		.id = info->id,
		.kind = (enum body_kind)info->kind,
		.x = body->x,
		.y = body->y,
		.vx = body->vx,
		.vy = body->vy,
		.radius = body->radius,
		.mass = dynamic ? info->mass : 1.0,
		.restitution = info->restitution,
		.friction = info->friction,
		.rolling_resistance = info->rolling,
		.angle = info->angle,
		.angular_velocity = info->spin,
		.moment_of_inertia = dynamic ? 1.0 / info->inverse_inertia : 0.0,
		.surface_speed = info->surface_speed,
		.linear_damping = info->linear_damping,
		.angular_damping = info->angular_damping,
		.gravity_scale = dynamic ? info->gravity_scale : 1.0,
		.response = (enum movement_response)info->response,
		.category = info->category,
		.mask = info->mask,
		.sensor = info->sensor,
		.filter_group = info->filter_group,
		.group = info->group,
		.stop_groups = rule->stop_groups,
		.remove_groups = rule->remove_groups,
		.report_groups = rule->report_groups,
		.lifetime_ticks = rule->lifetime_ticks,
		.lifetime_s = rule->lifetime_s,
		.ignore = (enum ignore)rule->ignore,
		.ignored_circle = rule->ignored,
		.tag = world->bodies.tags ? world->bodies.tags[i] : 0,
	};
}

struct segment_def
segment_of(const struct world *world, uint32_t i)
{
	struct segment_def def = segment_defined(&world->walls.segments[i]);

	def.disabled = wall_is_off(&world->walls, i);
	return def;
}

struct segment_def
segment_defined(const struct segment *segment)
{
	return (struct segment_def){
		.id = segment->id,
		.x1 = segment->x1,
		.y1 = segment->y1,
		.x2 = segment->x2,
		.y2 = segment->y2,
		.restitution = segment->restitution,
		.friction = segment->friction,
		.rolling_resistance = segment->rolling,
		.surface_speed = segment->surface_speed,
		.category = segment->category,
		.mask = segment->mask,
		.sensor = segment->sensor,
		.radius = segment->radius,
		.one_sided = segment->one_sided,
		.filter_group = segment->filter_group,
		.group = segment->group,
		.vx = segment->vx,
		.vy = segment->vy,
		.disabled = segment->disabled,
	};
}

static uint64_t
fields_all(size_t members)
{
	/* All but the id. */
	return (members < 64 ? (UINT64_C(1) << members) - 1 : UINT64_MAX) & ~UINT64_C(1);
}

uint64_t
circle_fields_all(void)
{
	return fields_all(CIRCLE_MEMBERS);
}

uint64_t
segment_fields_all(void)
{
	return fields_all(SEGMENT_MEMBERS);
}

static void
fields_copy(const struct def_member *members, size_t count, void *to, const void *from, uint64_t fields)
{
	for (size_t k = 1; k < count; k++)
		if (fields >> k & 1)
			memcpy((char *)to + members[k].offset, (const char *)from + members[k].offset, members[k].size);
}

static uint64_t
fields_differing(const struct def_member *members, size_t count, const void *a, const void *b)
{
	uint64_t fields = 0;

	for (size_t k = 1; k < count; k++)
		if (memcmp((const char *)a + members[k].offset, (const char *)b + members[k].offset, members[k].size) != 0)
			fields |= UINT64_C(1) << k;
	return fields;
}

void
circle_fields_copy(struct circle_def *to, const struct circle_def *from, uint64_t fields)
{
	fields_copy(circle_members, CIRCLE_MEMBERS, to, from, fields);
}

void
segment_fields_copy(struct segment_def *to, const struct segment_def *from, uint64_t fields)
{
	fields_copy(segment_members, SEGMENT_MEMBERS, to, from, fields);
}

uint64_t
circle_fields_differing(const struct circle_def *a, const struct circle_def *b)
{
	return fields_differing(circle_members, CIRCLE_MEMBERS, a, b);
}

uint64_t
segment_fields_differing(const struct segment_def *a, const struct segment_def *b)
{
	return fields_differing(segment_members, SEGMENT_MEMBERS, a, b);
}

uint8_t
circle_fields_touch(uint64_t changed)
{
	uint64_t motion = edit_field(DEF_CIRCLE_VX) | edit_field(DEF_CIRCLE_VY) | edit_field(DEF_CIRCLE_ANGLE) |
	                  edit_field(DEF_CIRCLE_ANGULAR_VELOCITY);
	uint64_t place = edit_field(DEF_CIRCLE_X) | edit_field(DEF_CIRCLE_Y) | edit_field(DEF_CIRCLE_RADIUS) |
	                 edit_field(DEF_CIRCLE_KIND);
	uint64_t tag = edit_field(DEF_CIRCLE_TAG);

	return (uint8_t)((changed & motion ? TOUCH_MOTION : 0) | (changed & ~(motion | tag) ? TOUCH_CHANGED : 0) |
	                 (changed & place ? TOUCH_PLACED : 0));
}

uint8_t
segment_fields_touch(uint64_t changed)
{
	uint64_t place = edit_field(DEF_SEGMENT_X1) | edit_field(DEF_SEGMENT_Y1) | edit_field(DEF_SEGMENT_X2) |
	                 edit_field(DEF_SEGMENT_Y2) | edit_field(DEF_SEGMENT_RADIUS) | edit_field(DEF_SEGMENT_ONE_SIDED) |
	                 edit_field(DEF_SEGMENT_DISABLED);

	return (uint8_t)((changed ? TOUCH_CHANGED : 0) | (changed & place ? TOUCH_PLACED : 0));
}

bool
circle_fields_inertia(uint64_t changed)
{
	return (changed & (edit_field(DEF_CIRCLE_KIND) | edit_field(DEF_CIRCLE_MASS) | edit_field(DEF_CIRCLE_RADIUS) |
	                   edit_field(DEF_CIRCLE_MOMENT_OF_INERTIA))) != 0;
}

/* A state may have left the range of definitions; only what is changed is checked. */
static double
into(double value, double most)
{
	return fmax(fmin(value, most), -most);
}

struct circle_def
circle_judged(struct circle_def circle, uint64_t fields)
{
	struct circle_def tame = circle;

	tame.x = into(tame.x, PHYSICS_COORDINATE_MAX);
	tame.y = into(tame.y, PHYSICS_COORDINATE_MAX);
	tame.vx = into(tame.vx, PHYSICS_SPEED_MAX);
	tame.vy = into(tame.vy, PHYSICS_SPEED_MAX);
	tame.angle = into(tame.angle, PHYSICS_COORDINATE_MAX);
	tame.angular_velocity = into(tame.angular_velocity, PHYSICS_SPEED_MAX);
	tame.moment_of_inertia = fmax(fmin(tame.moment_of_inertia, PHYSICS_INERTIA_MAX), PHYSICS_INERTIA_MIN);
	circle_fields_copy(&tame, &circle, fields);
	return tame;
}

/* A segment that is far away by now may have ends that round to one point; its length is the one of its definition. */
struct segment_def
segment_judged(struct segment_def segment, uint64_t fields)
{
	const uint64_t ends = edit_field(DEF_SEGMENT_X1) | edit_field(DEF_SEGMENT_Y1) | edit_field(DEF_SEGMENT_X2) |
	                      edit_field(DEF_SEGMENT_Y2);
	struct segment_def tame = segment;

	tame.x1 = into(tame.x1, PHYSICS_COORDINATE_MAX);
	tame.y1 = into(tame.y1, PHYSICS_COORDINATE_MAX);
	tame.x2 = into(tame.x2, PHYSICS_COORDINATE_MAX);
	tame.y2 = into(tame.y2, PHYSICS_COORDINATE_MAX);
	if (!(fields & ends) && !segment_has_length(tame.x1, tame.y1, tame.x2, tame.y2))
		tame.x1 = tame.y1 = tame.y2 = 0.0, tame.x2 = 1.0;
	segment_fields_copy(&tame, &segment, fields);
	return tame;
}
