/* What an encoder tells of paths: rows of a tick, and changes of definitions, all of them or those of its region. */
#include "base/pause.h"
#include "worlds/live/live_private.h"

/* A WorldChange, serialized. */
static bool
change_add(struct encoder *encoder, struct live_world *world, const Collide__V1__WorldChange *change)
{
	size_t count = collide__v1__world_change__get_packed_size(change);
	uint8_t *bytes = arena_room(&world->arena, count, 1);

	if (!bytes)
		return false;
	(void)collide__v1__world_change__pack(change, bytes);
	path_rows_add_change(&encoder->paths, bytes, count);
	return true;
}

/* ---- what commands change */

/* Those that the readers have. */
static size_t
members_keep(const struct region_members *members, const uint32_t *from, size_t count, uint32_t *to)
{
	size_t kept = 0;

	for (size_t i = 0; i < count && !pause_after(1); i++)
		if (region_members_have(members, from[i]))
			to[kept++] = from[i];
	return kept;
}

/* Of a region: circles that it does not have enter after the tick, if they come near. */
static bool
change_of_region(struct encoder *encoder, struct live_world *world, const Collide__V1__WorldChange *all,
                 Collide__V1__WorldChange *out)
{
	bool circles = all->optional_circles_case == COLLIDE__V1__WORLD_CHANGE__OPTIONAL_CIRCLES_CIRCLES;
	size_t count = circles ? all->circles->n_id : 0, known = 0, index;
	uint32_t *ids = arena_room(&world->arena, count, sizeof *ids);
	struct circle_def *defs = arena_room(&world->arena, count, sizeof *defs);

	*out = *all;
	out->removed_circles = arena_room(&world->arena, all->n_removed_circles, sizeof *out->removed_circles);
	if (!ids || !defs || !out->removed_circles)
		return false;
	out->n_removed_circles = members_keep(&encoder->members, all->removed_circles, all->n_removed_circles,
	                                      out->removed_circles);
	count = circles ? members_keep(&encoder->members, all->circles->id, count, ids) : 0;
	for (size_t i = 0; i < count && !pause_after(4); i++)
		if (world_body_find(world->world, ids[i], &index))
			defs[known++] = world_circle(world->world, index);
	for (size_t i = 0; i < out->n_removed_circles; i++)
		region_members_drop(&encoder->members, out->removed_circles[i]);
	return encoder_circles_tell(world, defs, known, out);
}

static bool
change_is_empty(const Collide__V1__WorldChange *change)
{
	return change->n_removed_circles + change->n_removed_segments == 0 &&
	       change->optional_circles_case == COLLIDE__V1__WORLD_CHANGE__OPTIONAL_CIRCLES__NOT_SET &&
	       change->optional_gravity_case == COLLIDE__V1__WORLD_CHANGE__OPTIONAL_GRAVITY__NOT_SET &&
	       change->optional_segments_case == COLLIDE__V1__WORLD_CHANGE__OPTIONAL_SEGMENTS__NOT_SET;
}

bool
encoder_paths_change(struct encoder *encoder, struct live_world *world, const Collide__V1__WorldChange *all)
{
	Collide__V1__WorldChange own;

	if (!encoder_has_region(encoder))
		return change_add(encoder, world, all);
	return change_of_region(encoder, world, all, &own) && (change_is_empty(&own) || change_add(encoder, world, &own));
}

/* ---- what enters a region */

/* As it was before the tick. What is not part of its motion is as it is now, or as it is by default if it has ended. */
static struct circle_def
circle_before(const struct live_world *world, const struct reader_circle *before)
{
	size_t index;
	struct circle_def def = circle_def_default();
	const struct reader_kind *kind = path_tick_kind(&world->paths, before);

	if (world_body_find(world->world, before->id, &index))
		def = world_circle(world->world, index);
	def.id = before->id;
	def.kind = kind->kind;
	def.x = before->x, def.y = before->y;
	def.vx = before->vx, def.vy = before->vy;
	def.angle = before->angle, def.angular_velocity = before->spin;
	def.radius = kind->radius;
	def.mass = kind->dynamic ? kind->mass : 1.0;
	def.linear_damping = kind->linear_damping;
	def.angular_damping = kind->angular_damping;
	def.gravity_scale = kind->gravity_scale;
	def.tag = kind->tag;
	return def;
}

bool
encoder_motion_rooms(struct arena *arena, size_t count, Collide__V1__WorldChange *change)
{
	change->driven = arena_room(arena, count, sizeof *change->driven);
	change->asleep = arena_room(arena, count, sizeof *change->asleep);
	change->held = arena_room(arena, count, sizeof *change->held);
	change->held_ax = arena_room(arena, count, sizeof *change->held_ax);
	change->held_ay = arena_room(arena, count, sizeof *change->held_ay);
	return change->driven && change->asleep && change->held && change->held_ax && change->held_ay;
}

void
encoder_motion_tell(const struct reader_circle *circle, uint32_t place, Collide__V1__WorldChange *change)
{
	if (circle->driven)
		change->driven[change->n_driven++] = place;
	if (circle->asleep)
		change->asleep[change->n_asleep++] = place;
	if (!circle->held)
		return;
	change->held_ax[change->n_held_ax++] = circle->ax;
	change->held_ay[change->n_held_ay++] = circle->ay;
	change->held[change->n_held++] = place;
}

static bool
entered_tell(struct encoder *encoder, struct live_world *world)
{
	const struct region_members *members = &encoder->members;
	size_t count = members->entered_count;
	Collide__V1__WorldChange change;

	if (count == 0)
		return true;
	arena_reset(&world->arena);
	world->arena.budget_bytes = SIZE_MAX; /* the ledger bounds it */
	collide__v1__world_change__init(&change);
	change.tick = world->tick;

	struct circle_def *defs = arena_room(&world->arena, count, sizeof *defs);

	if (!defs || !encoder_motion_rooms(&world->arena, count, &change))
		return false;
	for (size_t i = 0; i < count && !pause_after(4); i++) {
		const struct reader_circle *before = &world->paths.befores[members->entered[i]];

		defs[i] = circle_before(world, before);
		encoder_motion_tell(before, (uint32_t)i, &change);
	}
	return encoder_circles_tell(world, defs, count, &change) && change_add(encoder, world, &change);
}

bool
encoder_paths_tick(struct encoder *encoder, struct live_world *world)
{
	struct region_members *members = &encoder->members;
	const struct path_told *told = &world->paths.told[encoder->options.driven_legs ? PATH_TOLD_LEGS : PATH_TOLD_PLAIN];

	if (!encoder_has_region(encoder)) {
		path_rows_add_tick(&encoder->paths, told, NULL, NULL, 0);
		return !path_rows_failed(&encoder->paths);
	}
	if (!region_members_follow(members, &encoder->options.region, &world->paths) || !entered_tell(encoder, world))
		return false;
	path_rows_add_tick(&encoder->paths, told, members->places, members->leaves, members->leave_count);
	return !path_rows_failed(&encoder->paths);
}
