/* What is defined: of keys, and of what commands change. */
#include "client/lib/failure.h"
#include "client/lib/follow/column.h"
#include "client/lib/follow/follower.h"
#include "client/lib/scene_view.h"

#include <stdlib.h>
#include <string.h>

static void
circle_gravity(const struct collide_follower *follower, struct follow_circle *circle)
{
	bool dynamic = circle->seen.kind == COLLIDE_DYNAMIC;
	circle->gravity_x = dynamic ? circle->gravity_scale * follower->gravity_x : 0.0;
	circle->gravity_y = dynamic ? circle->gravity_scale * follower->gravity_y : 0.0;
}

static struct follow_circle
circle_of(const struct collide_follower *follower, const struct collide_circles *from, uint32_t row)
{
	double dt = follower->world.dt;
	uint32_t kind = uint32s_at(&from->kind, row, COLLIDE_DYNAMIC);
	struct follow_circle circle = {
		.seen = { .id = uint32s_at(&from->id, row, row),
		          .kind = kind == 0 ? COLLIDE_DYNAMIC : (enum collide_kind)kind,
		          .x = doubles_at(&from->x, row, 0.0),
		          .y = doubles_at(&from->y, row, 0.0),
		          .vx = doubles_at(&from->vx, row, 0.0),
		          .vy = doubles_at(&from->vy, row, 0.0),
		          .angle = doubles_at(&from->angle, row, 0.0),
		          .spin = doubles_at(&from->angular_velocity, row, 0.0),
		          .radius = doubles_at(&from->radius, row, 0.0),
		          .mass = doubles_at(&from->mass, row, 1.0),
		          .tag = uint64s_at(&from->tag, row, 0) },
		.gravity_scale = doubles_at(&from->gravity_scale, row, 1.0),
		.keep = 1.0 / (1.0 + dt * doubles_at(&from->linear_damping, row, 0.0)),
		.spin_keep = 1.0 / (1.0 + dt * doubles_at(&from->angular_damping, row, 0.0)),
	};
	circle_gravity(follower, &circle);
	follow_circle_free(&circle);
	return circle;
}

static int
circle_compare(const void *left, const void *right)
{
	const struct follow_circle *l = left, *r = right;
	return l->seen.id < r->seen.id ? -1 : l->seen.id > r->seen.id;
}

static int
segment_compare(const void *left, const void *right)
{
	const struct follow_segment *l = left, *r = right;
	return l->seen.id < r->seen.id ? -1 : l->seen.id > r->seen.id;
}

/* In order of their ids. False: one was there twice, and none is left. */
static bool
circles_order(struct collide_follower *follower)
{
	bool good = true;
	qsort(follower->circles, follower->circle_count, sizeof *follower->circles, circle_compare);
	for (size_t i = 1; i < follower->circle_count; i++)
		good = good && follower->circles[i - 1].seen.id != follower->circles[i].seen.id;
	follower->circle_count = good ? follower->circle_count : 0;
	return good;
}

static bool
segments_order(struct collide_follower *follower)
{
	bool good = true;
	qsort(follower->segments, follower->segment_count, sizeof *follower->segments, segment_compare);
	for (size_t i = 1; i < follower->segment_count; i++)
		good = good && follower->segments[i - 1].seen.id != follower->segments[i].seen.id;
	follower->segment_count = good ? follower->segment_count : 0;
	return good;
}

/* New ones at the end, then all in order. */
static bool
circles_take(struct collide_follower *follower, const Collide__V1__CircleColumns *columns, bool *memory)
{
	struct collide_circles from;
	size_t known = follower->circle_count;
	if (!circles_told(columns, &from))
		return false;
	*memory = follow_reserve(&follower->circles, &follower->circle_capacity, known + from.count, sizeof *follower->circles);
	if (!*memory)
		return false;
	for (uint32_t row = 0; row < from.count; row++) {
		struct follow_circle circle = circle_of(follower, &from, row);
		struct follow_circle *old = known == 0 ? NULL
		                                       : bsearch(&circle, follower->circles, known, sizeof circle, circle_compare);
		if (old)
			*old = circle;
		else
			follower->circles[follower->circle_count++] = circle;
	}
	return follower->circle_count == known || circles_order(follower);
}

static struct follow_segment *
segment_find(const struct collide_follower *follower, size_t count, uint32_t id)
{
	struct follow_segment wanted = { .seen = { .id = id } };
	return count == 0 ? NULL : bsearch(&wanted, follower->segments, count, sizeof wanted, segment_compare);
}

static bool
segments_take(struct collide_follower *follower, const Collide__V1__SegmentColumns *columns, bool *memory)
{
	struct collide_segments from;
	size_t known = follower->segment_count;
	if (!segments_told(columns, &from))
		return false;
	*memory = follow_reserve(&follower->segments, &follower->segment_capacity, known + from.count, sizeof *follower->segments);
	if (!*memory)
		return false;
	for (uint32_t row = 0; row < from.count; row++) {
		const struct follow_segment segment = { .seen = { .id = uint32s_at(&from.id, row, row),
			                                              .x1 = doubles_at(&from.x1, row, 0.0),
			                                              .y1 = doubles_at(&from.y1, row, 0.0),
			                                              .x2 = doubles_at(&from.x2, row, 0.0),
			                                              .y2 = doubles_at(&from.y2, row, 0.0),
			                                              .radius = doubles_at(&from.radius, row, 0.0),
			                                              .vx = doubles_at(&from.vx, row, 0.0),
			                                              .vy = doubles_at(&from.vy, row, 0.0),
			                                              .disabled = uint32s_at(&from.disabled, row, 0) != 0 } };
		struct follow_segment *old = segment_find(follower, known, segment.seen.id);
		if (old)
			*old = segment;
		else
			follower->segments[follower->segment_count++] = segment;
	}
	return follower->segment_count == known || segments_order(follower);
}

static bool
motions_take(struct collide_follower *follower, const Collide__V1__SegmentMotions *motions)
{
	size_t count = motions->n_id;
	if (motions->n_x1 != count || motions->n_y1 != count || motions->n_x2 != count || motions->n_y2 != count ||
	    motions->n_moved_x != count || motions->n_moved_y != count)
		return false;
	for (size_t i = 0; i < count; i++) {
		struct follow_segment *segment = segment_find(follower, follower->segment_count, motions->id[i]);
		if (!segment)
			continue; /* of the map */
		segment->moves = true;
		segment->home[0] = motions->x1[i], segment->home[1] = motions->y1[i];
		segment->home[2] = motions->x2[i], segment->home[3] = motions->y2[i];
		segment->moved[0] = motions->moved_x[i], segment->moved[1] = motions->moved_y[i];
	}
	return true;
}

/* Circles of the key by their place in its list. NULL: there is none. */
static struct follow_circle *
key_circle(const struct collide_follower *follower, const Collide__V1__CircleColumns *columns, uint32_t place)
{
	if (!columns || place >= columns->n_id)
		return NULL;
	size_t index = follow_circle_place(follower, columns->id[place]);
	return &follower->circles[index];
}

/* How circles of a list move. */
struct motions {
	const uint32_t *driven, *asleep, *held;
	size_t driven_count, asleep_count, held_count;
	const double *held_ax, *held_ay;
};

static bool
circle_motions_take(struct collide_follower *follower, const struct motions *from, const Collide__V1__CircleColumns *columns)
{
	bool good = true;
	for (size_t i = 0; i < from->driven_count && good; i++) {
		struct follow_circle *circle = key_circle(follower, columns, from->driven[i]);
		good = circle != NULL;
		if (circle)
			circle->seen.driven = true;
	}
	for (size_t i = 0; i < from->asleep_count && good; i++) {
		struct follow_circle *circle = key_circle(follower, columns, from->asleep[i]);
		good = circle != NULL;
		if (circle)
			follow_circle_sleep(circle);
	}
	for (size_t i = 0; i < from->held_count && good; i++) {
		struct follow_circle *circle = key_circle(follower, columns, from->held[i]);
		good = circle != NULL;
		if (!circle)
			continue;
		circle->held = true;
		circle->ax = from->held_ax[i];
		circle->ay = from->held_ay[i];
	}
	return good;
}

static bool
key_motions_take(struct collide_follower *follower, const Collide__V1__Key *key, const Collide__V1__CircleColumns *columns)
{
	const struct motions motions = { key->driven,   key->asleep, key->held,    key->n_driven,
		                             key->n_asleep, key->n_held, key->held_ax, key->held_ay };
	return key->n_held_ax == key->n_held && key->n_held_ay == key->n_held && circle_motions_take(follower, &motions, columns);
}

static bool
change_motions_take(struct collide_follower *follower, const Collide__V1__WorldChange *change)
{
	const struct motions motions = { change->driven,   change->asleep, change->held,    change->n_driven,
		                             change->n_asleep, change->n_held, change->held_ax, change->held_ay };
	bool circles = change->optional_circles_case == COLLIDE__V1__WORLD_CHANGE__OPTIONAL_CIRCLES_CIRCLES;
	return change->n_held_ax == change->n_held && change->n_held_ay == change->n_held &&
	       circle_motions_take(follower, &motions, circles ? change->circles : NULL);
}

/* What the first part of a key says. */
static void
key_begin(struct collide_follower *follower, const Collide__V1__WorldUpdate *update)
{
	struct collide_followed *world = &follower->world;
	const Collide__V1__Key *key = update->key;
	if (world->epoch != key->epoch && update->hash_tick == 0)
		world->hash = world->hash_tick = 0; /* of another past */
	world->epoch = key->epoch;
	world->tick = update->tick;
	world->dt = key->dt;
	world->missed_ticks = update->missed_ticks;
	follower->names.told = 0;
	failure_copy_text(world->map, sizeof world->map, key->map);
	follower->gravity_x = key->scene->gravity_x;
	follower->gravity_y = key->scene->gravity_y;
	follower->speed_max = key->scene->speed_max;
	follower->circle_count = follower->segment_count = 0;
	follow_past_clear(follower);
}

bool
follow_key(struct collide_follower *follower, const Collide__V1__WorldUpdate *update, bool *memory)
{
	const Collide__V1__Key *key = update->key;
	if (key->optional_scene_case != COLLIDE__V1__KEY__OPTIONAL_SCENE_SCENE)
		return false;
	if (key->dt > 0.0) {
		key_begin(follower, update);
		if (!follow_quantized_begin(follower, key))
			return false;
	} else if (!follower->world.ready) {
		return false; /* a further part of a key, the first of which it does not have */
	}
	const Collide__V1__CircleColumns *columns = key->scene->optional_circle_columns_case ==
	                                                    COLLIDE__V1__SCENE__OPTIONAL_CIRCLE_COLUMNS_CIRCLE_COLUMNS
	                                                ? key->scene->circle_columns
	                                                : NULL;
	bool good = !columns || circles_take(follower, columns, memory);
	if (key->scene->optional_segment_columns_case == COLLIDE__V1__SCENE__OPTIONAL_SEGMENT_COLUMNS_SEGMENT_COLUMNS)
		good = good && segments_take(follower, key->scene->segment_columns, memory);
	if (key->optional_moving_case == COLLIDE__V1__KEY__OPTIONAL_MOVING_MOVING)
		good = good && motions_take(follower, key->moving);
	good = good && key_motions_take(follower, key, columns) && follow_quantized_circles(follower, key, columns);
	follower->world.ready = good;
	return good;
}

/* Of all circles that there are. */
static void
gravity_take(struct collide_follower *follower, const Collide__V1__Vector *gravity)
{
	follower->gravity_x = gravity->x;
	follower->gravity_y = gravity->y;
	for (size_t i = 0; i < follower->circle_count; i++)
		circle_gravity(follower, &follower->circles[i]);
}

bool
follow_change(struct collide_follower *follower, const Collide__V1__WorldChange *change, bool *memory)
{
	for (size_t i = 0; i < change->n_removed_circles; i++) {
		size_t place = follow_circle_place(follower, change->removed_circles[i]);
		if (place < follower->circle_count && follower->circles[place].seen.id == change->removed_circles[i])
			memmove(&follower->circles[place], &follower->circles[place + 1],
			        (--follower->circle_count - place) * sizeof *follower->circles);
	}
	for (size_t i = 0; i < change->n_removed_segments; i++) {
		struct follow_segment *segment = segment_find(follower, follower->segment_count, change->removed_segments[i]);
		if (segment)
			memmove(segment, segment + 1, (size_t)(follower->segments + --follower->segment_count - segment) * sizeof *segment);
	}
	if (change->optional_gravity_case == COLLIDE__V1__WORLD_CHANGE__OPTIONAL_GRAVITY_GRAVITY)
		gravity_take(follower, change->gravity);
	return (change->optional_circles_case != COLLIDE__V1__WORLD_CHANGE__OPTIONAL_CIRCLES_CIRCLES ||
	        circles_take(follower, change->circles, memory)) &&
	       (change->optional_segments_case != COLLIDE__V1__WORLD_CHANGE__OPTIONAL_SEGMENTS_SEGMENTS ||
	        segments_take(follower, change->segments, memory)) &&
	       (change->optional_moving_case != COLLIDE__V1__WORLD_CHANGE__OPTIONAL_MOVING_MOVING ||
	        motions_take(follower, change->moving)) &&
	       change_motions_take(follower, change);
}
