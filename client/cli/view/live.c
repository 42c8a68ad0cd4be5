#include "client/cli/view/live.h"

#include "client/lib/follow/column.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct live_circle {
	uint32_t id;
	bool here, sensor;
	double radius;
	double x, y, x_before, y_before;
	struct picture_colour colour;
};

struct live_wall {
	uint32_t id;
	bool faint, hidden;
	double x1, y1, x2, y2;
};

struct live {
	struct live_circle *circles; /* ascending by id */
	size_t circle_count, circle_capacity;
	struct live_wall *walls; /* in the order in which they were told */
	size_t wall_count, wall_capacity;
	struct live_wall *map; /* walls of the map, ascending by id; one that was told above too is as it is there */
	size_t map_count, map_capacity;
	double x, y, scale; /* in the middle; dots per length unit; scale 0: to be fitted */
	double zoom;        /* asked for */
	double right, up;   /* parts of the screen to move by */
};

/* Dots: a circle of a larger radius is an outline. */
static const double filled_max = 3;

struct live *
live_create(void)
{
	struct live *live = calloc(1, sizeof *live);
	if (live)
		live->zoom = 1;
	return live;
}

void
live_destroy(struct live *live)
{
	if (!live)
		return;
	free(live->circles);
	free(live->walls);
	free(live->map);
	free(live);
}

/* Room for one more element. */
static bool
room_make(void *array, size_t count, size_t *capacity, size_t size)
{
	void *memory;
	if (count < *capacity)
		return true;
	size_t wanted = 2 * *capacity + 64;
	memcpy(&memory, array, sizeof memory);
	memory = realloc(memory, wanted * size);
	if (!memory)
		return false;
	memcpy(array, &memory, sizeof memory);
	*capacity = wanted;
	return true;
}

/* The place of an id, or where it would be. */
static size_t
circle_place(const struct live *live, uint32_t id)
{
	size_t low = 0, high = live->circle_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (live->circles[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The circle of this id, a new one if there is none. NULL: no memory. */
static struct live_circle *
circle_of(struct live *live, uint32_t id)
{
	size_t at = circle_place(live, id);
	if (at < live->circle_count && live->circles[at].id == id)
		return &live->circles[at];
	if (!room_make(&live->circles, live->circle_count, &live->circle_capacity, sizeof *live->circles))
		return NULL;
	memmove(&live->circles[at + 1], &live->circles[at], (live->circle_count - at) * sizeof *live->circles);
	live->circle_count++;
	live->circles[at] = (struct live_circle){ .id = id, .colour = hue_colour((int)(id * 2654435761u >> 16) % PICTURE_HUES) };
	return &live->circles[at];
}

static struct live_wall *
wall_of(struct live *live, uint32_t id)
{
	for (size_t i = 0; i < live->wall_count; i++)
		if (live->walls[i].id == id)
			return &live->walls[i];
	if (!room_make(&live->walls, live->wall_count, &live->wall_capacity, sizeof *live->walls))
		return NULL;
	live->walls[live->wall_count] = (struct live_wall){ .id = id };
	return &live->walls[live->wall_count++];
}

/* Ids are one a row, or those of the rows. */
static uint32_t
id_at(const struct collide_uint32s *ids, size_t row)
{
	return ids->count == 0 ? (uint32_t)row : ids->values[row];
}

static bool
circles_define(struct live *live, const struct collide_circles *rows)
{
	for (size_t row = 0; row < rows->count; row++) {
		struct live_circle *circle = circle_of(live, id_at(&rows->id, row));
		if (!circle)
			return false;
		circle->radius = doubles_at(&rows->radius, row, 0);
		circle->sensor = uint32s_at(&rows->sensor, row, 0) != 0;
		circle->x = circle->x_before = doubles_at(&rows->x, row, 0);
		circle->y = circle->y_before = doubles_at(&rows->y, row, 0);
		circle->here = true;
	}
	return true;
}

static struct live_wall
wall_of_row(const struct collide_segments *rows, size_t row)
{
	return (struct live_wall){ .id = id_at(&rows->id, row),
		                       .faint = uint32s_at(&rows->sensor, row, 0) != 0 || uint32s_at(&rows->disabled, row, 0) != 0,
		                       .x1 = doubles_at(&rows->x1, row, 0),
		                       .y1 = doubles_at(&rows->y1, row, 0),
		                       .x2 = doubles_at(&rows->x2, row, 0),
		                       .y2 = doubles_at(&rows->y2, row, 0) };
}

static bool
walls_define(struct live *live, const struct collide_segments *rows)
{
	for (size_t row = 0; row < rows->count; row++) {
		struct live_wall *wall = wall_of(live, id_at(&rows->id, row));
		if (!wall)
			return false;
		*wall = wall_of_row(rows, row);
	}
	return true;
}

static void
wall_remove(struct live *live, uint32_t id)
{
	for (size_t i = 0; i < live->wall_count; i++)
		if (live->walls[i].id == id) {
			live->walls[i] = live->walls[--live->wall_count];
			return;
		}
}

/* Where all is after the tick. What is not told is not there any more. */
static bool
states_take(struct live *live, const struct collide_frame *frame)
{
	const struct collide_bodies *bodies = &frame->bodies;
	for (size_t i = 0; i < live->circle_count; i++)
		live->circles[i].here = false;
	for (size_t i = 0; i < bodies->count; i++) {
		struct live_circle *circle = circle_of(live, bodies->id[i]);
		if (!circle)
			return false;
		circle->x_before = circle->x;
		circle->y_before = circle->y;
		circle->x = bodies->x[i];
		circle->y = bodies->y[i];
		circle->here = true;
	}
	const struct collide_moving_segments *moving = &frame->moving_segments;
	for (size_t i = 0; i < moving->count; i++) {
		struct live_wall *wall = wall_of(live, moving->id[i]);
		if (!wall)
			return false;
		wall->x1 = moving->x1[i];
		wall->y1 = moving->y1[i];
		wall->x2 = moving->x2[i];
		wall->y2 = moving->y2[i];
	}
	return true;
}

static int
wall_compare(const void *left, const void *right)
{
	const struct live_wall *a = left, *b = right;
	return a->id < b->id ? -1 : a->id > b->id;
}

void
live_map_begin(struct live *live)
{
	live->map_count = 0;
}

bool
live_map_take(struct live *live, const struct collide_segments *rows)
{
	for (size_t row = 0; row < rows->count; row++) {
		if (!room_make(&live->map, live->map_count, &live->map_capacity, sizeof *live->map))
			return false;
		live->map[live->map_count++] = wall_of_row(rows, row);
	}
	return true;
}

/* Those of the map that were told by the stream too, as they were switched, are drawn as they are there. */
static void
map_hide_told(struct live *live)
{
	for (size_t i = 0; i < live->map_count; i++)
		live->map[i].hidden = false;
	for (size_t i = 0; live->map_count > 0 && i < live->wall_count; i++) {
		struct live_wall *wall = bsearch(&live->walls[i], live->map, live->map_count, sizeof *live->map, wall_compare);
		if (wall)
			wall->hidden = true;
	}
}

bool
live_take(struct live *live, const struct collide_world_update *update)
{
	bool good = true;
	if (update->key) {
		live->circle_count = live->wall_count = 0;
		good = circles_define(live, &update->key->scene.circles) && walls_define(live, &update->key->scene.segments);
	}
	if (good && update->changes) {
		for (size_t i = 0; i < update->changes->removed_segments.count; i++)
			wall_remove(live, update->changes->removed_segments.values[i]);
		good = circles_define(live, &update->changes->circles) && walls_define(live, &update->changes->segments);
	}
	if (good && update->frame && update->frame->bodies.count > 0)
		good = states_take(live, update->frame);
	return good;
}

/* Of a key; later ones are unknown, and are drawn as walls. */
static bool
was_faint(const struct live *live, size_t at, uint32_t id)
{
	return at < live->wall_count && live->walls[at].id == id && live->walls[at].faint;
}

bool
live_follow(struct live *live, const struct collide_follower *follower)
{
	const struct collide_followed world = collide_follower_world(follower);
	for (size_t i = 0; i < live->circle_count; i++)
		live->circles[i].here = false;
	for (size_t i = 0; i < world.circle_count; i++) {
		const struct collide_followed_circle from = collide_follower_circle(follower, i);
		size_t place = circle_place(live, from.id);
		bool known = place < live->circle_count && live->circles[place].id == from.id;
		struct live_circle *circle = circle_of(live, from.id);
		if (!circle)
			return false;
		circle->x_before = known ? circle->x : from.x;
		circle->y_before = known ? circle->y : from.y;
		circle->x = from.x;
		circle->y = from.y;
		circle->radius = from.radius;
		circle->here = true;
	}
	size_t kept = 0;
	for (size_t i = 0; i < live->circle_count; i++)
		if (live->circles[i].here)
			live->circles[kept++] = live->circles[i];
	live->circle_count = kept;
	for (size_t i = 0; i < world.segment_count; i++) {
		const struct collide_followed_segment from = collide_follower_segment(follower, i);
		bool faint = from.disabled || was_faint(live, i, from.id);
		if (!room_make(&live->walls, i, &live->wall_capacity, sizeof *live->walls))
			return false;
		live->walls[i] = (struct live_wall){ from.id, faint, false, from.x1, from.y1, from.x2, from.y2 };
		live->wall_count = live->wall_count > i ? live->wall_count : i + 1;
	}
	live->wall_count = world.segment_count;
	return true;
}

size_t
live_count(const struct live *live)
{
	size_t count = 0;
	for (size_t i = 0; i < live->circle_count; i++)
		count += live->circles[i].here;
	return count;
}

void
live_key(struct live *live, int key)
{
	switch (key) {
	case '+':
	case '=': live->zoom *= 1.25; break;
	case '-': live->zoom *= 0.8; break;
	case '0': live->scale = 0; break;
	case 'h':
	case KEY_LEFT: live->right -= 0.25; break;
	case 'l':
	case KEY_RIGHT: live->right += 0.25; break;
	case 'k':
	case KEY_UP: live->up += 0.25; break;
	case 'j':
	case KEY_DOWN: live->up -= 0.25; break;
	default: break;
	}
}

static void
fit(struct live *live, const struct canvas *canvas)
{
	double x1 = INFINITY, y1 = INFINITY, x2 = -INFINITY, y2 = -INFINITY;
	for (size_t i = 0; i < live->circle_count; i++) {
		const struct live_circle *circle = &live->circles[i];
		if (!circle->here)
			continue;
		x1 = fmin(x1, circle->x - circle->radius);
		y1 = fmin(y1, circle->y - circle->radius);
		x2 = fmax(x2, circle->x + circle->radius);
		y2 = fmax(y2, circle->y + circle->radius);
	}
	for (size_t i = 0; i < live->wall_count + live->map_count; i++) {
		const struct live_wall *wall = i < live->wall_count ? &live->walls[i] : &live->map[i - live->wall_count];
		x1 = fmin(x1, fmin(wall->x1, wall->x2));
		y1 = fmin(y1, fmin(wall->y1, wall->y2));
		x2 = fmax(x2, fmax(wall->x1, wall->x2));
		y2 = fmax(y2, fmax(wall->y1, wall->y2));
	}
	if (!(x1 <= x2))
		return; /* nothing is there yet */
	live->x = x1 / 2 + x2 / 2;
	live->y = y1 / 2 + y2 / 2;
	live->scale = fmin((2.0 * canvas->columns - 1) / fmax(x2 - x1, 1e-12), (4.0 * canvas->rows - 1) / fmax(y2 - y1, 1e-12));
	live->zoom = 1;
	live->right = live->up = 0;
}

static double
dot_x(const struct live *live, const struct canvas *canvas, double x)
{
	return canvas->columns + (x - live->x) * live->scale;
}

static double
dot_y(const struct live *live, const struct canvas *canvas, double y)
{
	return 2.0 * canvas->rows - (y - live->y) * live->scale;
}

/* What keys have asked for since the last time. */
static void
keys_apply(struct live *live, const struct canvas *canvas)
{
	live->x += live->right * 2 * canvas->columns / live->scale;
	live->y += live->up * 4 * canvas->rows / live->scale;
	live->scale = fmin(fmax(live->scale * live->zoom, 1e-15), 1e15);
	live->right = live->up = 0;
	live->zoom = 1;
}

bool
live_region(const struct live *live, const struct canvas *canvas, struct collide_region *region)
{
	double width = 2.0 * canvas->columns / live->scale, height = 4.0 * canvas->rows / live->scale;
	if (live->scale == 0)
		return false;
	*region = (struct collide_region){ .kind = COLLIDE_REGION_BOX,
		                               .x_min = live->x - width,
		                               .x_max = live->x + width,
		                               .y_min = live->y - height,
		                               .y_max = live->y + height };
	return true;
}

static void
wall_draw(const struct live *live, const struct live_wall *wall, struct canvas *canvas)
{
	canvas_line(canvas, dot_x(live, canvas, wall->x1), dot_y(live, canvas, wall->y1), dot_x(live, canvas, wall->x2),
	            dot_y(live, canvas, wall->y2), LAYER_WALL,
	            wall->faint ? picture_colour_mix(picture_steel, picture_night, 0.5) : picture_chalk);
}

void
live_draw(struct live *live, struct canvas *canvas)
{
	if (live->scale == 0)
		fit(live, canvas);
	if (live->scale == 0)
		return;
	keys_apply(live, canvas);
	map_hide_told(live);
	for (size_t i = 0; i < live->map_count; i++)
		if (!live->map[i].hidden)
			wall_draw(live, &live->map[i], canvas);
	for (size_t i = 0; i < live->wall_count; i++)
		wall_draw(live, &live->walls[i], canvas);
	for (size_t i = 0; i < live->circle_count; i++) {
		const struct live_circle *circle = &live->circles[i];
		double x = dot_x(live, canvas, circle->x), y = dot_y(live, canvas, circle->y), radius = circle->radius * live->scale;
		if (!circle->here)
			continue;
		canvas_line(canvas, dot_x(live, canvas, circle->x_before), dot_y(live, canvas, circle->y_before), x, y, LAYER_TRAIL,
		            picture_colour_mix(circle->colour, picture_night, 0.5));
		canvas_disc(canvas, x, y, radius, radius <= filled_max && !circle->sensor, LAYER_CIRCLE,
		            circle->sensor ? picture_steel : circle->colour);
	}
}
