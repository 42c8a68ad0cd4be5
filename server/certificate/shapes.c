#include "certificate/shapes.h"

#include <stdlib.h>
#include <string.h>

static int
order_doubles(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

static int
order_circles(const void *left, const void *right)
{
	const struct certificate_circle *a = left, *b = right;

	return (a->id > b->id) - (a->id < b->id);
}

static int
order_walls(const void *left, const void *right)
{
	const struct cert_wall *a = left, *b = right;

	return (a->id > b->id) - (a->id < b->id);
}

static struct cert_wall
wall_from(const struct certificate_segment *segment)
{
	struct cert_vec p1 = { segment->x1, segment->y1 }, p2 = { segment->x2, segment->y2 }, edge = cert_sub(p2, p1);
	double length = cert_length(edge);

	return (struct cert_wall){ .id = segment->id,
		                       .category = segment->category,
		                       .mask = segment->mask,
		                       .sensor = segment->sensor,
		                       .filter_group = segment->filter_group,
		                       .group = segment->group,
		                       .p1 = p1,
		                       .p2 = p2,
		                       .along = { edge.x / length, edge.y / length },
		                       .length = length,
		                       .restitution = segment->restitution,
		                       .surface_speed = segment->surface_speed,
		                       .resists = segment->rolling_resistance > 0,
		                       .radius = segment->radius,
		                       .one_sided = segment->one_sided,
		                       .disabled = segment->disabled,
		                       .v = { segment->vx, segment->vy },
		                       .home_1 = p1,
		                       .home_2 = p2,
		                       .end_1 = p1,
		                       .end_2 = p2,
		                       .reach = cert_max(cert_reach(p1), cert_reach(p2)) };
}

static bool
moving_find(struct cert_shapes *shapes)
{
	shapes->moving = malloc((shapes->wall_count + 1) * sizeof *shapes->moving);
	for (size_t i = 0; i < shapes->wall_count && shapes->moving; i++)
		if (cert_wall_moves(&shapes->walls[i]))
			shapes->moving[shapes->moving_count++] = (uint32_t)i;
	return shapes->moving != NULL;
}

static bool
usual_diameter_find(struct cert_shapes *shapes)
{
	size_t count = shapes->body_count;
	double *diameters = malloc((count + 1) * sizeof *diameters);

	if (!diameters)
		return false;
	for (size_t i = 0; i < count; i++)
		diameters[i] = 2 * shapes->bodies[i].radius;
	qsort(diameters, count, sizeof *diameters, order_doubles);
	shapes->usual_diameter = count ? diameters[(count - 1) * 9 / 10] : 1;
	free(diameters);
	return true;
}

bool
cert_shapes_init(struct cert_shapes *shapes, const struct certificate_scene *scene, struct cert_vec *start_p,
                 struct cert_vec *start_v, double *start_spin)
{
	size_t count = scene->circle_count;
	struct certificate_circle *sorted = malloc((count + 1) * sizeof *sorted);

	*shapes = (struct cert_shapes){ .bodies = malloc((count + 1) * sizeof *shapes->bodies),
		                            .body_count = count,
		                            .walls = malloc((scene->segment_count + 1) * sizeof *shapes->walls),
		                            .wall_count = scene->segment_count,
		                            .speed_max = scene->speed_max,
		                            .restitution_threshold = scene->restitution_threshold,
		                            .has_bounds = scene->has_bounds };
	if (!sorted || !shapes->bodies || !shapes->walls || !cert_relations_init(shapes, scene)) {
		free(sorted);
		cert_shapes_finish(shapes);
		return false;
	}
	memcpy(shapes->bounds, scene->bounds, sizeof shapes->bounds);
	for (size_t i = 0; i < count; i++)
		sorted[i] = scene->circles[i];
	qsort(sorted, count, sizeof *sorted, order_circles);
	for (size_t i = 0; i < count; i++) {
		double scale = sorted[i].kind == CERTIFICATE_DYNAMIC ? sorted[i].gravity_scale : 0;

		shapes->bodies[i] = (struct cert_body){ .id = sorted[i].id,
			                                    .kind = sorted[i].kind,
			                                    .radius = sorted[i].radius,
			                                    .mass = sorted[i].mass,
			                                    .restitution = sorted[i].restitution,
			                                    .category = sorted[i].category,
			                                    .mask = sorted[i].mask,
			                                    .surface_speed = sorted[i].surface_speed,
			                                    .resists = sorted[i].rolling_resistance > 0,
			                                    .linear_damping = sorted[i].linear_damping,
			                                    .angular_damping = sorted[i].angular_damping,
			                                    .gravity = { scale * scene->gravity_x, scale * scene->gravity_y },
			                                    .response = sorted[i].response,
			                                    .stop_groups = sorted[i].stop_groups,
			                                    .remove_groups = sorted[i].remove_groups,
			                                    .report_groups = sorted[i].report_groups,
			                                    .ignored = sorted[i].ignored_circle,
			                                    .ignore = sorted[i].ignore,
			                                    .ticks_left = sorted[i].lifetime_ticks,
			                                    .seconds_left = sorted[i].lifetime_s,
			                                    .lives = sorted[i].lifetime_ticks > 0 || sorted[i].lifetime_s > 0,

			                                    .filter_group = sorted[i].filter_group,
			                                    .group = sorted[i].group,
			                                    .sensor = sorted[i].sensor };
		shapes->reported |= sorted[i].report_groups;
		start_p[i] = (struct cert_vec){ sorted[i].x, sorted[i].y };
		start_v[i] = (struct cert_vec){ sorted[i].vx, sorted[i].vy };
		start_spin[i] = sorted[i].angular_velocity;
	}
	free(sorted);
	for (size_t i = 0; i < scene->segment_count; i++)
		shapes->walls[i] = wall_from(&scene->segments[i]);
	qsort(shapes->walls, shapes->wall_count, sizeof *shapes->walls, order_walls);
	if (!usual_diameter_find(shapes) || !moving_find(shapes)) {
		cert_shapes_finish(shapes);
		return false;
	}
	return true;
}

void
cert_shapes_finish(struct cert_shapes *shapes)
{
	free(shapes->bodies);
	free(shapes->walls);
	free(shapes->moving);
	free(shapes->relations);
	*shapes = (struct cert_shapes){ 0 };
}

size_t
cert_body_find(const struct cert_shapes *shapes, uint32_t id)
{
	size_t low = 0, high = shapes->body_count;

	/* Ids usually count up from the first one; then this is the answer at once. */
	if (high > 0 && id >= shapes->bodies[0].id && id - shapes->bodies[0].id < high &&
	    shapes->bodies[id - shapes->bodies[0].id].id == id)
		return id - shapes->bodies[0].id;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (shapes->bodies[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < shapes->body_count && shapes->bodies[low].id == id ? low : SIZE_MAX;
}

size_t
cert_wall_find(const struct cert_shapes *shapes, uint32_t id)
{
	size_t low = 0, high = shapes->wall_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (shapes->walls[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < shapes->wall_count && shapes->walls[low].id == id ? low : SIZE_MAX;
}

double
cert_skin(double reach, double radius_min)
{
	return cert_max(0x1p-46 * reach, 1e-9 * radius_min);
}
