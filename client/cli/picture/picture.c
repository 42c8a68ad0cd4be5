/* Collecting: paths as corners in rings, contacts as a uniform sample. */
#include "client/cli/picture/picture.h"

#include "client/cli/picture/picture_store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void
range_widen(double value, double *low, double *high)
{
	/* Scenes may hold values that the engine would refuse. A picture leaves them out. */
	if (isfinite(value)) {
		*low = fmin(*low, value);
		*high = fmax(*high, value);
	}
}

/* Sets the middle and the size of the scene at its start. */
static void
origin_set(struct picture *picture)
{
	double x1 = HUGE_VAL, y1 = HUGE_VAL, x2 = -HUGE_VAL, y2 = -HUGE_VAL;
	for (size_t i = 0; i < picture->wall_count; i++) {
		range_widen(picture->walls[i].x1, &x1, &x2);
		range_widen(picture->walls[i].x2, &x1, &x2);
		range_widen(picture->walls[i].y1, &y1, &y2);
		range_widen(picture->walls[i].y2, &y1, &y2);
	}
	for (size_t i = 0; i < picture->body_count; i++) {
		range_widen(picture->bodies[i].start_x, &x1, &x2);
		range_widen(picture->bodies[i].start_y, &y1, &y2);
	}
	bool empty = !(x1 <= x2 && y1 <= y2);
	picture->origin_x = empty ? 0 : x1 / 2 + x2 / 2;
	picture->origin_y = empty ? 0 : y1 / 2 + y2 / 2;
	/* A fifth of a pixel on a sheet of 1,600. */
	picture->flatness = empty ? 0 : fmax(x2 - x1, y2 - y1) / 8000;
}

static bool
rings_make(struct picture *picture)
{
	size_t each = picture->body_count == 0 ? 0 : PICTURE_POINTS_MAX / picture->body_count;
	picture->trail_max = each < 4 ? 0 : each < PICTURE_TRAIL_MAX ? each : PICTURE_TRAIL_MAX;
	picture->points = calloc(picture->trail_max * picture->body_count + 1, sizeof *picture->points);
	picture->contacts = calloc(PICTURE_CONTACTS_MAX, sizeof *picture->contacts);
	return picture->points != NULL && picture->contacts != NULL;
}

size_t
picture_trail_length(const struct picture *picture, size_t row)
{
	size_t corners = picture->bodies[row].corners;
	return corners < picture->trail_max ? corners : picture->trail_max;
}

static struct picture_point *
corner_place(const struct picture *picture, size_t row, size_t corner)
{
	return &picture->points[row * picture->trail_max + corner % picture->trail_max];
}

struct picture_point
picture_trail_point(const struct picture *picture, size_t row, size_t back)
{
	return *corner_place(picture, row, picture->bodies[row].corners - 1 - back);
}

/* Whether b lies so near to the straight line from a to c that the difference is invisible. */
static bool
corner_is_flat(struct picture_point a, struct picture_point b, struct picture_point c, double flatness)
{
	double dx = (double)c.x - (double)a.x, dy = (double)c.y - (double)a.y;
	double ex = (double)b.x - (double)a.x, ey = (double)b.y - (double)a.y;
	double length = hypot(dx, dy), along = dx * ex + dy * ey;
	return along >= 0 && along <= length * length && fabs(dx * ey - dy * ex) <= flatness * length;
}

static bool
corners_kept(const struct picture *picture, size_t row, double x, double y)
{
	return picture->trail_max > 0 && picture->bodies[row].moves && isfinite(x) && isfinite(y);
}

static struct picture_point
point_of(const struct picture *picture, double x, double y)
{
	return (struct picture_point){ (float)(x - picture->origin_x), (float)(y - picture->origin_y) };
}

static void
corner_add(struct picture *picture, size_t row, double x, double y)
{
	struct picture_body *body = &picture->bodies[row];
	if (!corners_kept(picture, row, x, y))
		return;
	struct picture_point point = point_of(picture, x, y);
	body->straight = false;
	if (body->corners >= 2 && body->merged < PICTURE_MERGE_MAX) {
		struct picture_point *last = corner_place(picture, row, body->corners - 1);
		if (corner_is_flat(*corner_place(picture, row, body->corners - 2), *last, point, picture->flatness / 4)) {
			*last = point;
			body->merged++;
			return;
		}
	}
	*corner_place(picture, row, body->corners++) = point;
	body->merged = 0;
}

/* A straight piece. One that goes on with the velocity of the one before it moves its end, however often that happens. */
static void
line_add(struct picture *picture, size_t row, const struct motion_piece *piece, double until)
{
	struct picture_body *body = &picture->bodies[row];
	struct picture_point end = { 0 };
	struct piece_point at = piece_at(piece, until);
	if (!corners_kept(picture, row, at.x, at.y))
		return;
	end = point_of(picture, at.x, at.y);
	bool on = body->straight && !piece->jumps && piece->vx == body->vx && piece->vy == body->vy;
	if (on)
		*corner_place(picture, row, body->corners - 1) = end;
	else
		*corner_place(picture, row, body->corners++) = end;
	body->merged = 0;
	body->straight = true;
	body->vx = piece->vx;
	body->vy = piece->vy;
}

void
picture_piece(struct picture *picture, size_t row, const struct motion_piece *piece, double until)
{
	if (row >= picture->body_count)
		return;
	if (piece->jumps)
		corner_add(picture, row, piece->x, piece->y);
	if (piece->ax == 0 && piece->ay == 0) {
		if (piece->vx != 0 || piece->vy != 0)
			line_add(picture, row, piece, until);
		return;
	}
	unsigned parts = picture->flatness > 0 ? piece_parts(piece, until, picture->flatness / 4) : 1;
	for (unsigned k = 1; k <= parts; k++) {
		struct piece_point at = piece_at(piece, k < parts ? piece->t + (until - piece->t) * k / parts : until);
		corner_add(picture, row, at.x, at.y);
	}
}

struct picture *
picture_create(const Collide__V1__Scene *scene)
{
	struct picture *picture = calloc(1, sizeof *picture);
	if (!picture)
		return NULL;
	if (!picture_scene_copy(picture, scene) || !rings_make(picture)) {
		picture_destroy(picture);
		return NULL;
	}
	random_init(&picture->random, 0);
	origin_set(picture);
	for (size_t row = 0; row < picture->body_count; row++) {
		struct picture_body *body = &picture->bodies[row];
		body->x = body->start_x;
		body->y = body->start_y;
		corner_add(picture, row, body->x, body->y);
	}
	return picture;
}

void
picture_destroy(struct picture *picture)
{
	if (picture) {
		free(picture->bodies);
		free(picture->walls);
		free(picture->points);
		free(picture->contacts);
		free(picture->query_paths);
		free(picture);
	}
}

void
picture_places(struct picture *picture, const double *x, const double *y, size_t count)
{
	size_t next = 0;
	if (count != picture->body_count - picture->ended_count)
		return;
	for (size_t row = 0; row < picture->body_count; row++) {
		struct picture_body *body = &picture->bodies[row];
		if (body->ended)
			continue;
		body->x = x[next];
		body->y = y[next++];
	}
}

void
picture_counts(struct picture *picture, uint64_t ticks, uint64_t collisions)
{
	picture->ticks = ticks;
	picture->collisions = collisions;
}

void
picture_label(struct picture *picture, double x, double y, const char *text)
{
	if (picture->label_count == PICTURE_LABELS_MAX || !isfinite(x) || !isfinite(y))
		return;
	struct picture_label *label = &picture->labels[picture->label_count++];
	label->x = x;
	label->y = y;
	snprintf(label->text, sizeof label->text, "%s", text);
}

void
picture_note(struct picture *picture, const char *text)
{
	snprintf(picture->note, sizeof picture->note, "%s", text);
}

void
picture_wall_move(struct picture *picture, uint32_t id, double x1, double y1, double x2, double y2)
{
	for (size_t i = 0; i < picture->wall_count; i++) {
		struct picture_wall *wall = &picture->walls[i];
		if (wall->id == id) {
			wall->x1 = x1;
			wall->y1 = y1;
			wall->x2 = x2;
			wall->y2 = y2;
			return;
		}
	}
}

void
picture_contact(struct picture *picture, double x, double y, double approach_speed)
{
	size_t place = picture->contact_count;
	picture->contacts_seen++;
	if (place == PICTURE_CONTACTS_MAX) {
		/* Reservoir sampling: each contact so far is kept with the same probability. */
		uint64_t chosen = random_below(&picture->random, picture->contacts_seen);
		if (chosen >= PICTURE_CONTACTS_MAX)
			return;
		place = (size_t)chosen;
	} else {
		picture->contact_count++;
	}
	picture->contacts[place] = (struct picture_contact){ .x = x, .y = y, .speed = approach_speed };
}

/* The row of a circle; false if no circle has this id. */
static bool
row_find(const struct picture *picture, uint32_t id, size_t *row)
{
	size_t low = 0, high = picture->body_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (picture->bodies[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	*row = low;
	return low < picture->body_count && picture->bodies[low].id == id;
}

void
picture_stop(struct picture *picture, size_t row, double x, double y)
{
	struct picture_body *body = &picture->bodies[row];
	picture->stopped_count += !body->stopped;
	picture->stops++;
	body->stopped = true;
	body->stop_x = x;
	body->stop_y = y;
}

void
picture_end(struct picture *picture, uint32_t id, double x, double y)
{
	size_t row;
	if (!row_find(picture, id, &row) || picture->bodies[row].ended)
		return;
	struct picture_body *body = &picture->bodies[row];
	body->x = x;
	body->y = y;
	body->ended = true;
	picture->ended_count++;
}

void
picture_query_path(struct picture *picture, double x1, double y1, double x2, double y2, double radius, bool faint)
{
	if (!picture->query_paths)
		picture->query_paths = calloc(PICTURE_QUERY_PATHS_MAX, sizeof *picture->query_paths);
	if (picture->query_paths && picture->query_path_count < PICTURE_QUERY_PATHS_MAX)
		picture->query_paths[picture->query_path_count++] = (struct picture_query_path){ x1, y1, x2, y2, radius, faint };
}

void
picture_png_width(struct picture *picture, unsigned pixels)
{
	picture->png_width = pixels;
}

void
picture_caption(struct picture *picture, const char *text)
{
	snprintf(picture->caption, sizeof picture->caption, "%s", text);
}
