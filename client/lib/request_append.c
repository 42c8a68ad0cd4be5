#include "client/lib/request_append.h"

#include "client/lib/borrow.h"
#include "client/lib/failure.h"
#include "proto/frame.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
	TAG_CLIENT_MESSAGE_REQUEST_ID = 1 << 3,
	WIRE_TYPE_BYTES = 2,
	VARINT_BYTES_MAX = 10,
};

size_t
varint_write(uint8_t *to, uint64_t value)
{
	size_t count = 0;
	for (; value >= 0x80; value >>= 7)
		to[count++] = (uint8_t)(value | 0x80);
	to[count++] = (uint8_t)value;
	return count;
}

size_t
varint_bytes(uint64_t value)
{
	uint8_t scratch[VARINT_BYTES_MAX];
	return varint_write(scratch, value);
}

uint8_t *
message_begin(struct bytes *out, size_t body_bytes, uint32_t body_bytes_max, struct collide_error *error)
{
	uint32_t most = body_bytes_max == 0 ? UINT32_MAX : body_bytes_max;
	if (body_bytes > most) {
		failure_set(error, COLLIDE_FROM_LIBRARY, COLLIDE_RESOURCE_EXHAUSTED, "FRAME_TOO_LARGE",
		            "the request is %zu bytes; the server takes at most %u", body_bytes, most);
		return NULL;
	}
	uint8_t *room = bytes_reserve(out, FRAME_HEADER_BYTES_MAX + body_bytes);
	if (!room) {
		failure_memory(error);
		return NULL;
	}
	size_t header_bytes = frame_header_write(room, (uint32_t)body_bytes);
	bytes_commit(out, header_bytes + body_bytes);
	return room + header_bytes;
}

bool
request_append(struct bytes *out, const Collide__V1__ClientMessage *message, uint32_t body_bytes_max,
               struct collide_error *error)
{
	uint8_t *body = message_begin(out, collide__v1__client_message__get_packed_size(message), body_bytes_max, error);
	if (!body)
		return false;
	collide__v1__client_message__pack(message, body);
	return true;
}

void
circles_borrow(const struct collide_circles *circles, Collide__V1__CircleColumns *out)
{
	collide__v1__circle_columns__init(out);
	out->count = circles->count;
	out->id = uint32s_borrow(&circles->id, &out->n_id);
	out->x = doubles_borrow(&circles->x, &out->n_x);
	out->y = doubles_borrow(&circles->y, &out->n_y);
	out->vx = doubles_borrow(&circles->vx, &out->n_vx);
	out->vy = doubles_borrow(&circles->vy, &out->n_vy);
	out->radius = doubles_borrow(&circles->radius, &out->n_radius);
	out->mass = doubles_borrow(&circles->mass, &out->n_mass);
	out->restitution = doubles_borrow(&circles->restitution, &out->n_restitution);
	static_assert(sizeof(Collide__V1__BodyKind) == sizeof(uint32_t), "a column of kinds is passed on as it is");
	out->kind = (Collide__V1__BodyKind *)(void *)uint32s_borrow(&circles->kind, &out->n_kind);
	out->category = uint32s_borrow(&circles->category, &out->n_category);
	out->mask = uint32s_borrow(&circles->mask, &out->n_mask);
	out->friction = doubles_borrow(&circles->friction, &out->n_friction);
	out->rolling_resistance = doubles_borrow(&circles->rolling_resistance, &out->n_rolling_resistance);
	out->angle = doubles_borrow(&circles->angle, &out->n_angle);
	out->angular_velocity = doubles_borrow(&circles->angular_velocity, &out->n_angular_velocity);
	out->moment_of_inertia = doubles_borrow(&circles->moment_of_inertia, &out->n_moment_of_inertia);
	out->surface_speed = doubles_borrow(&circles->surface_speed, &out->n_surface_speed);
	out->linear_damping = doubles_borrow(&circles->linear_damping, &out->n_linear_damping);
	out->angular_damping = doubles_borrow(&circles->angular_damping, &out->n_angular_damping);
	out->gravity_scale = doubles_borrow(&circles->gravity_scale, &out->n_gravity_scale);
	static_assert(sizeof(Collide__V1__MovementResponse) == sizeof(uint32_t), "as are responses");
	out->response = (Collide__V1__MovementResponse *)(void *)uint32s_borrow(&circles->response, &out->n_response);
	static_assert(sizeof(protobuf_c_boolean) == sizeof(uint32_t), "a column of booleans is passed on as it is");
	out->sensor = (protobuf_c_boolean *)(void *)uint32s_borrow(&circles->sensor, &out->n_sensor);
	out->filter_group = int32s_borrow(&circles->filter_group, &out->n_filter_group);
	out->group = uint32s_borrow(&circles->group, &out->n_group);
	out->stop_groups = uint64s_borrow(&circles->stop_groups, &out->n_stop_groups);
	out->remove_groups = uint64s_borrow(&circles->remove_groups, &out->n_remove_groups);
	out->report_groups = uint64s_borrow(&circles->report_groups, &out->n_report_groups);
	out->lifetime_ticks = uint32s_borrow(&circles->lifetime_ticks, &out->n_lifetime_ticks);
	out->lifetime_s = doubles_borrow(&circles->lifetime_s, &out->n_lifetime_s);
	static_assert(sizeof(Collide__V1__Ignore) == sizeof(uint32_t), "and what is ignored");
	out->ignore = (Collide__V1__Ignore *)(void *)uint32s_borrow(&circles->ignore, &out->n_ignore);
	out->ignored_circle = uint32s_borrow(&circles->ignored_circle, &out->n_ignored_circle);
	out->tag = uint64s_borrow(&circles->tag, &out->n_tag);
}

void
segments_borrow(const struct collide_segments *segments, Collide__V1__SegmentColumns *out)
{
	collide__v1__segment_columns__init(out);
	out->count = segments->count;
	out->id = uint32s_borrow(&segments->id, &out->n_id);
	out->x1 = doubles_borrow(&segments->x1, &out->n_x1);
	out->y1 = doubles_borrow(&segments->y1, &out->n_y1);
	out->x2 = doubles_borrow(&segments->x2, &out->n_x2);
	out->y2 = doubles_borrow(&segments->y2, &out->n_y2);
	out->restitution = doubles_borrow(&segments->restitution, &out->n_restitution);
	out->category = uint32s_borrow(&segments->category, &out->n_category);
	out->mask = uint32s_borrow(&segments->mask, &out->n_mask);
	out->friction = doubles_borrow(&segments->friction, &out->n_friction);
	out->rolling_resistance = doubles_borrow(&segments->rolling_resistance, &out->n_rolling_resistance);
	out->surface_speed = doubles_borrow(&segments->surface_speed, &out->n_surface_speed);
	out->sensor = (protobuf_c_boolean *)(void *)uint32s_borrow(&segments->sensor, &out->n_sensor);
	out->radius = doubles_borrow(&segments->radius, &out->n_radius);
	static_assert(sizeof(protobuf_c_boolean) == sizeof(uint32_t), "a column of booleans is passed on as it is");
	out->one_sided = (protobuf_c_boolean *)(void *)uint32s_borrow(&segments->one_sided, &out->n_one_sided);
	out->filter_group = int32s_borrow(&segments->filter_group, &out->n_filter_group);
	out->group = uint32s_borrow(&segments->group, &out->n_group);
	out->vx = doubles_borrow(&segments->vx, &out->n_vx);
	out->vy = doubles_borrow(&segments->vy, &out->n_vy);
	out->disabled = (protobuf_c_boolean *)(void *)uint32s_borrow(&segments->disabled, &out->n_disabled);
}

/* The scene as protobuf-c needs it, with all columns borrowed. */
struct scene_view {
	Collide__V1__Scene scene;
	Collide__V1__CircleColumns circles;
	Collide__V1__SegmentColumns segments;
	Collide__V1__Bounds bounds;
	Collide__V1__GroupRelation *relations; /* owned */
};

static void
relation_fill(const struct collide_group_relation *from, Collide__V1__GroupRelation *out)
{
	collide__v1__group_relation__init(out);
	out->group_a = from->group_a;
	out->group_b = from->group_b;
	out->kind = (Collide__V1__RelationKind)from->kind;
	if (from->has_weight_a) {
		out->optional_weight_a_case = COLLIDE__V1__GROUP_RELATION__OPTIONAL_WEIGHT_A_WEIGHT_A;
		out->weight_a = from->weight_a;
	}
	if (from->has_weight_b) {
		out->optional_weight_b_case = COLLIDE__V1__GROUP_RELATION__OPTIONAL_WEIGHT_B_WEIGHT_B;
		out->weight_b = from->weight_b;
	}
	if (from->has_elasticity) {
		out->optional_elasticity_case = COLLIDE__V1__GROUP_RELATION__OPTIONAL_ELASTICITY_ELASTICITY;
		out->elasticity = from->elasticity;
	}
}

/* Makes messages, and pointers to them; scene_release frees them. */
static bool
relations_fill(const struct collide_scene *scene, struct scene_view *out, struct collide_error *error)
{
	size_t count = scene->relation_count;
	if (count == 0)
		return true;
	if (!scene->relations)
		return request_null_column(error);
	out->relations = calloc(count, sizeof *out->relations);
	out->scene.relations = calloc(count, sizeof(Collide__V1__GroupRelation *));
	if (!out->relations || !out->scene.relations)
		return failure_memory(error);
	for (size_t i = 0; i < count; i++) {
		relation_fill(&scene->relations[i], &out->relations[i]);
		out->scene.relations[i] = &out->relations[i];
	}
	out->scene.n_relations = count;
	return true;
}

static void
scene_release(struct scene_view *view)
{
	free(view->relations);
	free(view->scene.relations);
}

/* false: a column has a count but no values. */
static bool
scene_borrow(const struct collide_scene *scene, struct scene_view *out)
{
	circles_borrow(&scene->circles, &out->circles);
	segments_borrow(&scene->segments, &out->segments);
	if (!columns_are_there(&out->circles.base) || !columns_are_there(&out->segments.base))
		return false;
	collide__v1__scene__init(&out->scene);
	if (collide__v1__circle_columns__get_packed_size(&out->circles) > 0) {
		out->scene.optional_circle_columns_case = COLLIDE__V1__SCENE__OPTIONAL_CIRCLE_COLUMNS_CIRCLE_COLUMNS;
		out->scene.circle_columns = &out->circles;
	}
	if (collide__v1__segment_columns__get_packed_size(&out->segments) > 0) {
		out->scene.optional_segment_columns_case = COLLIDE__V1__SCENE__OPTIONAL_SEGMENT_COLUMNS_SEGMENT_COLUMNS;
		out->scene.segment_columns = &out->segments;
	}
	out->scene.gravity_x = scene->gravity_x;
	out->scene.gravity_y = scene->gravity_y;
	out->scene.restitution_mix = (Collide__V1__RestitutionMix)scene->restitution_mix;
	out->scene.restitution_threshold = scene->restitution_threshold;
	out->scene.sleep_after = scene->sleep_after;
	out->scene.speed_max = scene->speed_max;
	out->scene.hit_speed = scene->hit_speed;
	out->scene.friction_mix = (Collide__V1__FrictionMix)scene->friction_mix;
	out->scene.events_per_body_max = scene->events_per_body_max;
	out->scene.work_per_tick_max = scene->work_per_tick_max;
	out->scene.work_per_body_max = scene->work_per_body_max;
	if (scene->bounds) {
		collide__v1__bounds__init(&out->bounds);
		out->bounds.x_min = scene->bounds->x_min;
		out->bounds.y_min = scene->bounds->y_min;
		out->bounds.x_max = scene->bounds->x_max;
		out->bounds.y_max = scene->bounds->y_max;
		out->scene.optional_bounds_case = COLLIDE__V1__SCENE__OPTIONAL_BOUNDS_BOUNDS;
		out->scene.bounds = &out->bounds;
	}
	return true;
}

void
request_simulate_fill(const struct collide_simulation *simulation, Collide__V1__Simulate *out)
{
	collide__v1__simulate__init(out);
	out->dt = simulation->dt;
	out->ticks = simulation->ticks;
	out->every = simulation->every;
	out->detail = simulation->states_only ? COLLIDE__V1__DETAIL__DETAIL_STATES : COLLIDE__V1__DETAIL__DETAIL_CONTACTS;
	out->deadline_ms = simulation->deadline_ms;
	out->events = (Collide__V1__Events)simulation->events;
	out->paths = simulation->paths;
	out->snapshot_every = simulation->snapshot_every;
	out->self_check = simulation->self_check;
}

bool
request_null_column(struct collide_error *error)
{
	return failure_set(error, COLLIDE_FROM_LIBRARY, COLLIDE_INVALID_ARGUMENT, "NULL_COLUMN",
	                   "a column has a count but no values");
}

bool
request_bad_argument(struct collide_error *error, const char *text)
{
	return failure_set(error, COLLIDE_FROM_LIBRARY, COLLIDE_INVALID_ARGUMENT, "BAD_ARGUMENT", "%s", text);
}

bool
request_pairs_fill(const struct collide_pairs *pairs, struct request_pairs *out, struct collide_error *error)
{
	collide__v1__pairs__init(&out->pairs);
	collide__v1__circle_columns__init(&out->circles);
	collide__v1__segment_columns__init(&out->segments);
	if ((pairs->circles != NULL) + (pairs->segments != NULL) + (pairs->lines != NULL) != 1)
		return request_bad_argument(error, "pairs need exactly one of circles, segments and lines");
	circles_borrow(&pairs->a, &out->a);
	out->pairs.optional_a_case = COLLIDE__V1__PAIRS__OPTIONAL_A_A;
	out->pairs.a = &out->a;
	if (pairs->circles) {
		circles_borrow(pairs->circles, &out->circles);
		out->pairs.b_case = COLLIDE__V1__PAIRS__B_CIRCLES;
		out->pairs.circles = &out->circles;
	} else if (pairs->segments) {
		segments_borrow(pairs->segments, &out->segments);
		out->pairs.b_case = COLLIDE__V1__PAIRS__B_SEGMENTS;
		out->pairs.segments = &out->segments;
	} else {
		segments_borrow(pairs->lines, &out->segments);
		out->pairs.b_case = COLLIDE__V1__PAIRS__B_LINES;
		out->pairs.lines = &out->segments;
	}
	if (!columns_are_there(&out->a.base) || !columns_are_there(&out->circles.base) || !columns_are_there(&out->segments.base))
		return request_null_column(error);
	return true;
}

bool
request_detect_fill(const struct collide_detection *detection, struct request_detect *out, struct collide_error *error)
{
	collide__v1__detect__init(&out->detect);
	if ((detection->pairs != NULL) == (detection->scene != NULL))
		return request_bad_argument(error, "a detection needs pairs or a scene");
	if (detection->pairs) {
		if (!request_pairs_fill(detection->pairs, &out->pairs, error))
			return false;
		out->detect.what_case = COLLIDE__V1__DETECT__WHAT_PAIRS;
		out->detect.pairs = &out->pairs.pairs;
	}
	out->detect.dt = detection->dt;
	out->detect.tolerance = detection->tolerance;
	out->detect.tolerance_relative = detection->tolerance_relative;
	out->detect.reading = (Collide__V1__Reading)detection->reading;
	out->detect.with_skin = detection->with_skin;
	out->detect.deadline_ms = detection->deadline_ms;
	return true;
}

bool
request_respond_fill(const struct collide_response *response, struct request_respond *out, struct collide_error *error)
{
	collide__v1__respond__init(&out->respond);
	collide__v1__push_out__init(&out->push_out);
	collide__v1__bounce__init(&out->bounce);
	if (!response->pairs)
		return request_bad_argument(error, "a response needs pairs");
	if (!request_pairs_fill(response->pairs, &out->pairs, error))
		return false;
	out->respond.optional_pairs_case = COLLIDE__V1__RESPOND__OPTIONAL_PAIRS_PAIRS;
	out->respond.pairs = &out->pairs.pairs;
	if (response->push_out) {
		out->respond.optional_push_out_case = COLLIDE__V1__RESPOND__OPTIONAL_PUSH_OUT_PUSH_OUT;
		out->respond.push_out = &out->push_out;
		out->push_out.weight_a = doubles_borrow(&response->weight_a, &out->push_out.n_weight_a);
		out->push_out.weight_b = doubles_borrow(&response->weight_b, &out->push_out.n_weight_b);
	}
	if (response->bounce) {
		out->respond.optional_bounce_case = COLLIDE__V1__RESPOND__OPTIONAL_BOUNCE_BOUNCE;
		out->respond.bounce = &out->bounce;
		out->bounce.elasticity = doubles_borrow(&response->elasticity, &out->bounce.n_elasticity);
	}
	if (!columns_are_there(&out->push_out.base) || !columns_are_there(&out->bounce.base))
		return request_null_column(error);
	out->respond.tolerance = response->tolerance;
	out->respond.tolerance_relative = response->tolerance_relative;
	out->respond.deadline_ms = response->deadline_ms;
	return true;
}

uint8_t *
tag_write(uint8_t *to, uint32_t field, size_t bytes)
{
	to += varint_write(to, (uint64_t)field << 3 | WIRE_TYPE_BYTES);
	return to + varint_write(to, bytes);
}

size_t
field_bytes(uint32_t field, size_t bytes)
{
	return varint_bytes((uint64_t)field << 3 | WIRE_TYPE_BYTES) + varint_bytes(bytes) + bytes;
}

/* With the scene as protobuf-c needs it. */
static bool
body_append(struct bytes *out, uint64_t request_id, const struct request_body *body, const struct scene_view *view,
            uint32_t body_bytes_max, struct collide_error *error)
{
	const struct collide_scene *scene = body->scene;
	size_t rest_bytes = !body->rest ? 0 : protobuf_c_message_get_packed_size(body->rest), scene_bytes = 0;
	if (scene)
		scene_bytes = scene->message ? scene->message_bytes : collide__v1__scene__get_packed_size(&view->scene);
	size_t bytes = body->message_bytes + rest_bytes + (!scene ? 0 : field_bytes(body->scene_field, scene_bytes));
	size_t body_bytes = 1 + varint_bytes(request_id) + field_bytes(body->field, bytes);
	uint8_t *to = message_begin(out, body_bytes, body_bytes_max, error);
	if (!to)
		return false;
	*to++ = TAG_CLIENT_MESSAGE_REQUEST_ID;
	to += varint_write(to, request_id);
	to = tag_write(to, body->field, bytes);
	if (body->message_bytes > 0)
		memcpy(to, body->message, body->message_bytes);
	to += body->message_bytes;
	if (scene)
		to = tag_write(to, body->scene_field, scene_bytes);
	if (scene && !scene->message)
		collide__v1__scene__pack(&view->scene, to);
	else if (scene_bytes > 0)
		memcpy(to, scene->message, scene_bytes);
	if (body->rest)
		protobuf_c_message_pack(body->rest, to + scene_bytes);
	return true;
}

bool
request_append_body(struct bytes *out, uint64_t request_id, const struct request_body *body, uint32_t body_bytes_max,
                    struct collide_error *error)
{
	struct scene_view view = { .relations = NULL };
	if (body->scene && !scene_borrow(body->scene, &view))
		return request_null_column(error);
	bool good = (!body->scene || relations_fill(body->scene, &view, error)) &&
	            body_append(out, request_id, body, &view, body_bytes_max, error);
	scene_release(&view);
	return good;
}
