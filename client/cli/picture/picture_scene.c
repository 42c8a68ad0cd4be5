/* The bodies and walls of a picture, from a Scene message in both of its forms. */
#include "client/cli/picture/picture_store.h"

#include <stdlib.h>

/* A column's value in a row: the default if the column is empty, its only value if it has one. */
static double
column_at(const double *column, size_t length, size_t row, double standard)
{
	return length == 0 ? standard : column[length == 1 ? 0 : row];
}

static bool
bool_at(const protobuf_c_boolean *column, size_t length, size_t row)
{
	return length != 0 && column[length == 1 ? 0 : row] != 0;
}

static size_t
longest(size_t count, const size_t *lengths, size_t length_count)
{
	size_t most = count;
	for (size_t i = 0; count == 0 && i < length_count; i++)
		most = lengths[i] > most ? lengths[i] : most;
	return most;
}

static bool
lengths_fit(size_t count, const size_t *lengths, size_t length_count)
{
	for (size_t i = 0; i < length_count; i++)
		if (lengths[i] > 1 && lengths[i] != count)
			return false;
	return true;
}

static bool
circle_columns_copy(struct picture *picture, const Collide__V1__CircleColumns *columns, size_t count, size_t *ids_given)
{
	const size_t lengths[] = { columns->n_x,      columns->n_y,    columns->n_vx, columns->n_vy,
		                       columns->n_radius, columns->n_kind, columns->n_id, columns->n_sensor };
	if (!lengths_fit(count, lengths, sizeof lengths / sizeof lengths[0]) || (columns->n_id != 0 && columns->n_id != count))
		return false;
	for (size_t i = 0; i < count; i++) {
		struct picture_body *body = &picture->bodies[picture->body_count];
		bool fixed = columns->n_kind > 0 &&
		             columns->kind[columns->n_kind == 1 ? 0 : i] == COLLIDE__V1__BODY_KIND__BODY_KIND_STATIC;
		*body = (struct picture_body){
			.id = columns->n_id > 0 ? columns->id[i] : (uint32_t)i,
			.moves = !fixed,
			.radius = column_at(columns->radius, columns->n_radius, i, 0),
			.start_x = column_at(columns->x, columns->n_x, i, 0),
			.start_y = column_at(columns->y, columns->n_y, i, 0),
			.sensor = bool_at(columns->sensor, columns->n_sensor, i),
		};
		picture->body_count++;
	}
	*ids_given += columns->n_id;
	return true;
}

static void
circles_copy(struct picture *picture, const Collide__V1__Scene *scene, size_t *ids_given)
{
	for (size_t i = 0; i < scene->n_circles; i++) {
		const Collide__V1__Circle *circle = scene->circles[i];
		bool own = circle->optional_id_case == COLLIDE__V1__CIRCLE__OPTIONAL_ID_ID;
		picture->bodies[picture->body_count] = (struct picture_body){
			.id = own ? circle->id : (uint32_t)picture->body_count,
			.moves = circle->kind != COLLIDE__V1__BODY_KIND__BODY_KIND_STATIC,
			.radius = circle->radius,
			.start_x = circle->x,
			.start_y = circle->y,
			.sensor = circle->sensor != 0,
		};
		picture->body_count++;
		*ids_given += own;
	}
}

static int
body_compare(const void *left, const void *right)
{
	const struct picture_body *a = left, *b = right;
	return (a->id > b->id) - (a->id < b->id);
}

static bool
bodies_copy(struct picture *picture, const Collide__V1__Scene *scene)
{
	const Collide__V1__CircleColumns *columns = NULL;
	size_t in_columns = 0;
	if (scene->optional_circle_columns_case == COLLIDE__V1__SCENE__OPTIONAL_CIRCLE_COLUMNS_CIRCLE_COLUMNS) {
		columns = scene->circle_columns;
		const size_t lengths[] = { columns->n_id,
			                       columns->n_x,
			                       columns->n_y,
			                       columns->n_vx,
			                       columns->n_vy,
			                       columns->n_radius,
			                       columns->n_mass,
			                       columns->n_restitution,
			                       columns->n_kind,
			                       columns->n_category,
			                       columns->n_mask,
			                       columns->n_friction,
			                       columns->n_rolling_resistance,
			                       columns->n_angle,
			                       columns->n_angular_velocity,
			                       columns->n_moment_of_inertia,
			                       columns->n_surface_speed,
			                       columns->n_linear_damping,
			                       columns->n_angular_damping,
			                       columns->n_gravity_scale,
			                       columns->n_response,
			                       columns->n_filter_group,
			                       columns->n_group,
			                       columns->n_sensor,
			                       columns->n_stop_groups,
			                       columns->n_remove_groups,
			                       columns->n_report_groups,
			                       columns->n_lifetime_ticks,
			                       columns->n_lifetime_s,
			                       columns->n_ignore,
			                       columns->n_ignored_circle,
			                       columns->n_tag };
		in_columns = longest(columns->count, lengths, sizeof lengths / sizeof lengths[0]);
	}
	size_t total = in_columns + scene->n_circles;
	picture->bodies = calloc(total + 1, sizeof *picture->bodies);
	size_t ids_given = 0;
	if (!picture->bodies || (columns && !circle_columns_copy(picture, columns, in_columns, &ids_given)))
		return false;
	circles_copy(picture, scene, &ids_given);
	qsort(picture->bodies, picture->body_count, sizeof *picture->bodies, body_compare);
	/* Either all have ids or none has. */
	return ids_given == 0 || ids_given == total;
}

static bool
walls_copy(struct picture *picture, const Collide__V1__Scene *scene)
{
	const Collide__V1__SegmentColumns *columns = NULL;
	size_t in_columns = 0;
	if (scene->optional_segment_columns_case == COLLIDE__V1__SCENE__OPTIONAL_SEGMENT_COLUMNS_SEGMENT_COLUMNS) {
		columns = scene->segment_columns;
		const size_t lengths[] = { columns->n_x1,
			                       columns->n_y1,
			                       columns->n_x2,
			                       columns->n_y2,
			                       columns->n_id,
			                       columns->n_restitution,
			                       columns->n_category,
			                       columns->n_mask,
			                       columns->n_friction,
			                       columns->n_rolling_resistance,
			                       columns->n_surface_speed,
			                       columns->n_filter_group,
			                       columns->n_group,
			                       columns->n_sensor,
			                       columns->n_radius,
			                       columns->n_one_sided,
			                       columns->n_vx,
			                       columns->n_vy,
			                       columns->n_disabled };
		in_columns = longest(columns->count, lengths, sizeof lengths / sizeof lengths[0]);
		if (!lengths_fit(in_columns, lengths, 4) || !lengths_fit(in_columns, &columns->n_sensor, 1) ||
		    !lengths_fit(in_columns, &columns->n_radius, 1) || !lengths_fit(in_columns, &columns->n_one_sided, 1) ||
		    !lengths_fit(in_columns, &columns->n_disabled, 1))
			return false;
	}
	picture->walls = calloc(in_columns + scene->n_segments + 1, sizeof *picture->walls);
	if (!picture->walls)
		return false;
	for (size_t i = 0; i < in_columns; i++)
		picture->walls[picture->wall_count++] = (struct picture_wall){
			columns->n_id > i ? columns->id[i] : (uint32_t)i,   column_at(columns->x1, columns->n_x1, i, 0),
			column_at(columns->y1, columns->n_y1, i, 0),        column_at(columns->x2, columns->n_x2, i, 0),
			column_at(columns->y2, columns->n_y2, i, 0),        column_at(columns->radius, columns->n_radius, i, 0),
			bool_at(columns->sensor, columns->n_sensor, i),     bool_at(columns->one_sided, columns->n_one_sided, i),
			bool_at(columns->disabled, columns->n_disabled, i),
		};
	for (size_t i = 0; i < scene->n_segments; i++) {
		const Collide__V1__Segment *segment = scene->segments[i];
		uint32_t id = segment->optional_id_case == COLLIDE__V1__SEGMENT__OPTIONAL_ID_ID ? segment->id
		                                                                                : (uint32_t)picture->wall_count;
		picture->walls[picture->wall_count++] = (struct picture_wall){
			id,
			segment->x1,
			segment->y1,
			segment->x2,
			segment->y2,
			segment->radius,
			segment->sensor != 0,
			segment->one_sided != 0,
			segment->disabled != 0,
		};
	}
	return true;
}

bool
picture_scene_copy(struct picture *picture, const Collide__V1__Scene *scene)
{
	return bodies_copy(picture, scene) && walls_copy(picture, scene);
}
