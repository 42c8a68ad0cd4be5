#include "client/lib/follow/follower.h"

void
follow_circle_free(struct follow_circle *circle)
{
	circle->seen.driven = circle->seen.asleep = circle->held = false;
	circle->ax = circle->gravity_x;
	circle->ay = circle->gravity_y;
}

void
follow_circle_sleep(struct follow_circle *circle)
{
	circle->seen.driven = circle->held = false;
	circle->seen.asleep = true;
	circle->seen.vx = circle->seen.vy = circle->seen.spin = circle->ax = circle->ay = 0.0;
}
