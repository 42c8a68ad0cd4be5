/* mover: a circle that a player or a program pushes, and that slides along what is in its way. This is the "collide and slide"
 * of Quake and of platform games, with a proof in place of an epsilon.
 *
 * The movement is a push of one unit of time at the velocity `move`. A shape that the circle touches, and would enter,
 * constrains that velocity. The velocity used is the nearest one that enters none of these shapes, until the circle comes to
 * the next shape. So its way consists of straight legs, one for each shape that it comes to. Along a round shape a leg is the
 * tangent, which leaves it. Joints of collinear segments make no leg.
 *
 * Promise. Along every leg, straight from one reported point to the next, the gap to every shape is never below 0. Each leg is
 * checked, with about 31 digits, before it is made; one that fails is shortened or not made. So the circle passes through
 * nothing and enters nothing, at any speed, in corners of any angle, and between converging walls. Only shapes that it overlaps
 * at the start may stay overlapped, and it never gets deeper into those. One-sided segments are no obstacle from their right,
 * nor for a circle inside them, which may turn there freely (detect.h).
 *
 * Skin. It stops this far before it would touch, so that rounding never makes it touch: at a distance between `skin` and a
 * quarter of it, where there is room. If it starts nearer than half a skin to something, it first backs off, by legs that take
 * no time.
 *
 * Any thread; uses only the space, which is not changed, and the caller's memory. */
#ifndef COLLIDED_PHYSICS_MOVER_H
#define COLLIDED_PHYSICS_MOVER_H

#include "physics/space.h"

struct mover {
	double x, y;           /* the centre, <= PHYSICS_COORDINATE_MAX */
	double radius;         /* PHYSICS_RADIUS_MIN .. PHYSICS_RADIUS_MAX */
	double move_x, move_y; /* the displacement; <= SPACE_MOVE_MAX */
	double skin;           /* 0: MOVER_SKIN_PER_RADIUS. At least the rounding's is used (path.skin); <= PHYSICS_RADIUS_MAX */
	uint32_t legs_max;     /* 1 .. MOVER_LEGS_MAX */
};

/* Far below what is visible; a hundred thousand such stops add up to a radius. */
#define MOVER_SKIN_PER_RADIUS 0x1p-20
/* Fraction of the largest coordinate and length of its way among the shapes: 2^16 ulp. Each leg stops a 1024th of a skin nearer
 * than the one before, and that must exceed the accumulated rounding. */
#define MOVER_SKIN_PER_SIZE 0x1p-36
/* Enough for a corridor of a hundred bends. More need another call. */
#define MOVER_LEGS_MAX 256

enum mover_end {
	MOVER_DONE,    /* all of the push was made, apart from what the shapes that it slid along took */
	MOVER_BLOCKED, /* the shapes that it touches let it move nowhere along the push */
	MOVER_LEGS,    /* legs_max was reached: the rest is reported and was not made */
};

/* From where the one before ended. */
struct mover_leg {
	double x, y;     /* where it ends */
	double fraction; /* of the push made by then, 0 .. 1; 0 for backing off */
};

/* A shape that took something of the push. Reported for the first of successive legs on which it did. */
struct mover_contact {
	uint32_t leg; /* the leg that it bends; leg_count: no leg followed */
	bool segment;
	uint32_t id;
	enum contact_feature feature;
	double gap;       /* at the start of that leg, as the next two */
	double point[2];  /* on the shape, nearest to the circle */
	double normal[2]; /* unit, to the circle */
};

/* Scratch: a shape that the circle touches when a leg starts. */
struct mover_near;

/* Initialize with all 0. The caller frees it with mover_path_finish, and may reuse it before. */
struct mover_path {
	struct mover_leg *legs;
	size_t leg_count, leg_capacity;
	struct mover_contact *contacts; /* by leg, in the order in which they are met */
	size_t contact_count, contact_capacity;
	enum mover_end end;
	double x, y;                     /* where it ends */
	double fraction;                 /* of the push made, 0 .. 1: 1 unless blocked or out of legs */
	double remaining_x, remaining_y; /* the rest of the push */
	double skin;                     /* the skin that was used */
	double depth;                    /* how deep it overlaps something at the end; 0 unless it did at the start */
	/* Scratch. */
	struct mover_near *near; /* all that it touches */
	size_t near_count, near_capacity;
	struct mover_near *pressed; /* those of them that take something */
	size_t pressed_count, pressed_capacity;
	struct mover_near *before; /* those of the leg before */
	size_t before_count, before_capacity;
	struct slide_plane *planes; /* of those pressed */
	size_t plane_capacity;
};

void mover_path_finish(struct mover_path *path);

/* Replaces the contents of *path. STATUS_INVALID_ARGUMENT: a number that is not finite or out of its range.
 * STATUS_RESOURCE_EXHAUSTED: no memory; the contents of *path are then meaningless. */
STATUS_MUST_USE enum status space_move(const struct space *space, const struct mover *mover, const struct space_filter *filter,
                                       struct mover_path *path);

#endif
