#include "client/cli/worlds/followed.h"

#include <stdlib.h>

enum { NUMBERS = 6 }; /* x, y, vx, vy, angle, spin; of a segment x1, y1, x2, y2 */

static bool
columns_reserve(struct followed_columns *columns, size_t count)
{
	if (count <= columns->capacity)
		return true;
	size_t capacity = 2 * count;
	uint32_t *ids = realloc(columns->ids, capacity * sizeof *ids);
	if (!ids)
		return false;
	columns->ids = ids;
	double *numbers = realloc(columns->numbers, NUMBERS * capacity * sizeof *numbers);
	if (!numbers)
		return false;
	columns->numbers = numbers;
	columns->capacity = capacity;
	return true;
}

/* Circles from the first element of the columns on, segments behind them. */
static void
circles_fill(struct followed_columns *columns, const struct collide_follower *follower, size_t count)
{
	double *numbers = columns->numbers;
	size_t room = columns->capacity;
	for (size_t i = 0; i < count; i++) {
		const struct collide_followed_circle circle = collide_follower_circle(follower, i);
		columns->ids[i] = circle.id;
		numbers[i] = circle.x, numbers[room + i] = circle.y;
		numbers[2 * room + i] = circle.vx, numbers[3 * room + i] = circle.vy;
		numbers[4 * room + i] = circle.angle, numbers[5 * room + i] = circle.spin;
		columns->frame.asleep += circle.asleep;
	}
	columns->frame.bodies = (struct collide_bodies){ .count = count,
		                                             .id = columns->ids,
		                                             .x = numbers,
		                                             .y = numbers + room,
		                                             .vx = numbers + 2 * room,
		                                             .vy = numbers + 3 * room,
		                                             .angle = numbers + 4 * room,
		                                             .angular_velocity = numbers + 5 * room };
}

static void
segments_fill(struct followed_columns *columns, const struct collide_follower *follower, size_t first, size_t count)
{
	double *numbers = columns->numbers + first;
	size_t room = columns->capacity, moving = 0;
	for (size_t i = 0; i < count; i++) {
		const struct collide_followed_segment segment = collide_follower_segment(follower, i);
		if (segment.vx == 0.0 && segment.vy == 0.0)
			continue;
		columns->ids[first + moving] = segment.id;
		numbers[moving] = segment.x1, numbers[room + moving] = segment.y1;
		numbers[2 * room + moving] = segment.x2, numbers[3 * room + moving] = segment.y2;
		moving++;
	}
	columns->frame.moving_segments = (struct collide_moving_segments){ .count = moving,
		                                                               .id = columns->ids + first,
		                                                               .x1 = numbers,
		                                                               .y1 = numbers + room,
		                                                               .x2 = numbers + 2 * room,
		                                                               .y2 = numbers + 3 * room };
}

bool
followed_columns_fill(struct followed_columns *columns, const struct collide_follower *follower)
{
	const struct collide_followed world = collide_follower_world(follower);
	if (!columns_reserve(columns, world.circle_count + world.segment_count))
		return false;
	columns->frame = (struct collide_frame){ .tick = world.tick, .time = (double)world.tick * world.dt };
	circles_fill(columns, follower, world.circle_count);
	segments_fill(columns, follower, world.circle_count, world.segment_count);
	return true;
}

void
followed_columns_finish(struct followed_columns *columns)
{
	free(columns->ids);
	free(columns->numbers);
}
