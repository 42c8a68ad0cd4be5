#include "client/lib/follow/follower.h"

#include <math.h>

size_t
follow_circle_place(const struct collide_follower *follower, uint32_t id)
{
	size_t low = 0, high = follower->circle_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (follower->circles[middle].seen.id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct follow_circle *
follow_circle_find(const struct collide_follower *follower, uint32_t id)
{
	size_t place = follow_circle_place(follower, id);
	bool found = place < follower->circle_count && follower->circles[place].seen.id == id;
	return found ? &follower->circles[place] : NULL;
}

void
follow_circle_kick(struct follow_circle *circle, double speed_max)
{
	struct collide_followed_circle *seen = &circle->seen;
	seen->vx *= circle->keep;
	seen->vy *= circle->keep;
	seen->spin *= circle->spin_keep;
	double speed = speed_max > 0.0 ? sqrt(seen->vx * seen->vx + seen->vy * seen->vy) : 0.0;
	if (speed > speed_max) {
		double part = speed_max / speed;
		seen->vx *= part;
		seen->vy *= part;
	}
}

void
follow_circle_free(struct follow_circle *circle)
{
	circle->seen.driven = circle->seen.asleep = circle->held = circle->leg = false;
	circle->ax = circle->gravity_x;
	circle->ay = circle->gravity_y;
}

void
follow_circle_sleep(struct follow_circle *circle)
{
	circle->seen.driven = circle->held = circle->leg = false;
	circle->seen.asleep = true;
	circle->seen.vx = circle->seen.vy = circle->seen.spin = circle->ax = circle->ay = 0.0;
}
