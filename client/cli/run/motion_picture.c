#include "client/cli/run/motion_picture.h"

#include "client/cli/terminal/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Its shapes as columns. Rows are the ids: those of the world may come again. */
struct shape_columns {
	double *numbers; /* x, y, radius of circles; x1, y1, x2, y2, radius of walls */
	uint32_t *ids;
	Collide__V1__BodyKind *kinds;
	protobuf_c_boolean *flags; /* sensors; of walls sensors, one-sided, disabled */
};

static void
columns_free(struct shape_columns *columns)
{
	free(columns->numbers);
	free(columns->ids);
	free(columns->kinds);
	free(columns->flags);
}

static bool
columns_alloc(struct shape_columns *columns, size_t circles, size_t walls)
{
	*columns = (struct shape_columns){
		.numbers = calloc(3 * circles + 5 * walls + 1, sizeof *columns->numbers),
		.ids = calloc(circles + walls + 1, sizeof *columns->ids),
		.kinds = calloc(circles + 1, sizeof *columns->kinds),
		.flags = calloc(circles + 3 * walls + 1, sizeof *columns->flags),
	};
	return columns->numbers && columns->ids && columns->kinds && columns->flags;
}

static Collide__V1__CircleColumns
circles_fill(struct shape_columns *columns, const struct motion_scene *scene)
{
	Collide__V1__CircleColumns out = COLLIDE__V1__CIRCLE_COLUMNS__INIT;
	size_t count = scene->circle_count;
	for (size_t i = 0; i < count; i++) {
		const struct motion_circle *circle = &scene->circles[i];
		columns->ids[i] = (uint32_t)i;
		columns->numbers[i] = circle->x;
		columns->numbers[count + i] = circle->y;
		columns->numbers[2 * count + i] = circle->radius;
		columns->kinds[i] = circle->dynamic ? COLLIDE__V1__BODY_KIND__BODY_KIND_DYNAMIC
		                    : circle->moves ? COLLIDE__V1__BODY_KIND__BODY_KIND_KINEMATIC
		                                    : COLLIDE__V1__BODY_KIND__BODY_KIND_STATIC;
		columns->flags[i] = circle->sensor;
	}
	out.n_id = out.n_x = out.n_y = out.n_radius = out.n_kind = out.n_sensor = count;
	out.id = columns->ids;
	out.x = columns->numbers;
	out.y = columns->numbers + count;
	out.radius = columns->numbers + 2 * count;
	out.kind = columns->kinds;
	out.sensor = columns->flags;
	return out;
}

/* Whether a wall that has gone is there again at the end: it was switched. */
static bool
wall_is_back(const struct motion_scene *scene, size_t i)
{
	for (size_t k = i + 1; k < scene->wall_count; k++)
		if (scene->walls[k].id == scene->walls[i].id && scene->walls[k].end == HUGE_VAL)
			return true;
	return false;
}

/* Where they are at the end, or where they went. */
static Collide__V1__SegmentColumns
walls_fill(struct shape_columns *columns, const struct motion_scene *scene, double duration)
{
	Collide__V1__SegmentColumns out = COLLIDE__V1__SEGMENT_COLUMNS__INIT;
	size_t count = scene->wall_count, kept = 0;
	double *numbers = columns->numbers + 3 * scene->circle_count;
	uint32_t *ids = columns->ids + scene->circle_count;
	protobuf_c_boolean *flags = columns->flags + scene->circle_count;
	for (size_t i = 0; i < count; i++) {
		const struct motion_wall *wall = &scene->walls[i];
		double t = fmin(wall->end, duration), x = wall->vx * t, y = wall->vy * t;
		if (wall->end < HUGE_VAL && wall_is_back(scene, i))
			continue;
		ids[kept] = (uint32_t)i;
		numbers[kept] = wall->x1 + x;
		numbers[count + kept] = wall->y1 + y;
		numbers[2 * count + kept] = wall->x2 + x;
		numbers[3 * count + kept] = wall->y2 + y;
		numbers[4 * count + kept] = wall->radius;
		flags[kept] = wall->sensor;
		flags[count + kept] = wall->one_sided;
		flags[2 * count + kept] = wall->disabled || wall->end < HUGE_VAL;
		kept++;
	}
	out.n_id = out.n_x1 = out.n_y1 = out.n_x2 = out.n_y2 = out.n_radius = kept;
	out.n_sensor = out.n_one_sided = out.n_disabled = kept;
	out.id = ids;
	out.x1 = numbers;
	out.y1 = numbers + count;
	out.x2 = numbers + 2 * count;
	out.y2 = numbers + 3 * count;
	out.radius = numbers + 4 * count;
	out.sensor = flags;
	out.one_sided = flags + count;
	out.disabled = flags + 2 * count;
	return out;
}

static struct picture *
shapes_draw(const struct run_motion *motion)
{
	struct shape_columns columns;
	struct picture *picture = NULL;
	if (columns_alloc(&columns, motion->scene.circle_count, motion->scene.wall_count)) {
		Collide__V1__Scene scene = COLLIDE__V1__SCENE__INIT;
		Collide__V1__CircleColumns circles = circles_fill(&columns, &motion->scene);
		Collide__V1__SegmentColumns walls = walls_fill(&columns, &motion->scene, motion->duration);
		scene.optional_circle_columns_case = COLLIDE__V1__SCENE__OPTIONAL_CIRCLE_COLUMNS_CIRCLE_COLUMNS;
		scene.circle_columns = &circles;
		scene.optional_segment_columns_case = COLLIDE__V1__SCENE__OPTIONAL_SEGMENT_COLUMNS_SEGMENT_COLUMNS;
		scene.segment_columns = &walls;
		picture = picture_create(&scene);
	}
	columns_free(&columns);
	return picture;
}

/* Where a circle is at its end, or at that of the motion. */
static struct piece_point
place_last(const struct run_motion *motion, size_t row)
{
	const struct motion_circle *circle = &motion->scene.circles[row];
	double t = fmin(motion->tracks[row].end, motion->duration);
	if (motion->tracks[row].count == 0)
		return (struct piece_point){ circle->x, circle->y };
	return piece_at(motion_piece(motion, row, t), t);
}

static void
path_draw(const struct run_motion *motion, size_t row, struct picture *picture)
{
	const struct motion_track *track = &motion->tracks[row];
	double over = fmin(track->end, motion->duration);
	for (size_t i = 0; motion->scene.circles[row].moves && i < track->count; i++)
		picture_piece(picture, row, &track->pieces[i], i + 1 < track->count ? track->pieces[i + 1].t : over);
	if (track->end < HUGE_VAL) {
		struct piece_point at = place_last(motion, row);
		picture_end(picture, (uint32_t)row, at.x, at.y);
	}
}

static bool
places_draw(const struct run_motion *motion, struct picture *picture)
{
	size_t count = 0, rows = motion->scene.circle_count;
	double *places = calloc(2 * rows + 1, sizeof *places);
	if (!places)
		return false;
	for (size_t row = 0; row < rows; row++)
		if (motion->tracks[row].end == HUGE_VAL) {
			struct piece_point at = place_last(motion, row);
			places[count] = at.x;
			places[rows + count++] = at.y;
		}
	picture_places(picture, places, places + rows, count);
	free(places);
	return true;
}

static void
caption_draw(const struct run_motion *motion, struct picture *picture)
{
	size_t circles = 0, walls = 0;
	char text[160], digits[DIGITS_GROUPED_BYTES];
	for (size_t row = 0; row < motion->scene.circle_count; row++)
		circles += motion->tracks[row].end == HUGE_VAL;
	for (size_t i = 0; i < motion->scene.wall_count; i++)
		walls += motion->scene.walls[i].end == HUGE_VAL;
	(void)snprintf(text, sizeof text, "%zu circles  ·  %zu walls  ·  ticks %" PRIu64 " to %" PRIu64 "  ·  %s collisions",
	               circles, walls, motion->scene.tick, motion->tick, digits_grouped(motion->contacts, digits));
	picture_caption(picture, text);
}

struct picture *
motion_picture(const struct run_motion *motion, const struct motion_contact *contacts, size_t contact_count)
{
	struct picture *picture = shapes_draw(motion);
	if (!picture)
		return NULL;
	for (size_t i = 0; i < contact_count; i++)
		picture_contact(picture, contacts[i].x, contacts[i].y, contacts[i].approach_speed);
	for (size_t row = 0; row < motion->scene.circle_count; row++)
		path_draw(motion, row, picture);
	caption_draw(motion, picture);
	if (places_draw(motion, picture))
		return picture;
	picture_destroy(picture);
	return NULL;
}
