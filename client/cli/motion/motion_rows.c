#include "client/cli/motion/motion_rows.h"

#include <math.h>
#include <stdlib.h>

void
motion_begin(struct run_motion *motion, uint64_t tick, double dt)
{
	*motion = (struct run_motion){ .dt = dt, .tick = tick, .scene = { .tick = tick } };
}

/* Room for one more element. */
static bool
array_grow(void **array, size_t *capacity, size_t size)
{
	size_t grown = 2 * *capacity + 16;
	void *moved = realloc(*array, grown * size);
	if (!moved)
		return false;
	*array = moved;
	*capacity = grown;
	return true;
}

bool
motion_circle_add(struct run_motion *motion, const struct motion_circle *circle, double t, size_t *row)
{
	struct motion_scene *scene = &motion->scene;
	if (scene->circle_count == motion->circle_capacity) {
		void *circles = scene->circles, *tracks = motion->tracks;
		size_t capacity = motion->circle_capacity;
		bool grown = array_grow(&circles, &capacity, sizeof *scene->circles);
		scene->circles = circles;
		grown = grown && array_grow(&tracks, &motion->circle_capacity, sizeof *motion->tracks);
		motion->tracks = tracks;
		if (!grown)
			return false;
	}
	*row = scene->circle_count++;
	scene->circles[*row] = *circle;
	motion->tracks[*row] = (struct motion_track){ .begin = t, .end = HUGE_VAL };
	const struct motion_piece still = { .t = t, .x = circle->x, .y = circle->y };
	if (!circle->moves && !motion_piece_add(motion, *row, &still, HUGE_VAL))
		return false;
	return (circle->angle == 0 && circle->spin == 0) || motion_turn_add(motion, *row, t, circle->angle, circle->spin);
}

bool
motion_wall_add(struct run_motion *motion, const struct motion_wall *wall)
{
	struct motion_scene *scene = &motion->scene;
	void *walls = scene->walls;
	bool room = scene->wall_count < motion->wall_capacity || array_grow(&walls, &motion->wall_capacity, sizeof *scene->walls);
	scene->walls = walls;
	if (room)
		scene->walls[scene->wall_count++] = *wall;
	return room;
}
