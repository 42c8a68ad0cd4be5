/* region: what part of a world a reader of paths is told of. Plain data. */
#ifndef COLLIDED_WORLDS_REGION_H
#define COLLIDED_WORLDS_REGION_H

#include <math.h>
#include <stdint.h>

enum region_kind { REGION_ALL = 0, REGION_BOX, REGION_AROUND };

struct region {
	enum region_kind kind;
	double x0, y0, x1, y1; /* of a box */
	uint32_t circle;       /* the other one: a square about that circle */
	double radius;         /* half a side */
	unsigned level;        /* of a class of boxes: how coarse it is (registry/regions.h) */
};

/* x0, y0, x1, y1 of a square about a circle that there has not been yet: nothing touches it. */
#define REGION_NOWHERE                           \
	{                                            \
		HUGE_VAL, HUGE_VAL, -HUGE_VAL, -HUGE_VAL \
	}

#endif
