/* mover: a circle that a player or a program pushes along, which slides along what is in its way: Quake's and every
 * platformer's "collide and slide", with a proof in place of an epsilon.
 *
 * The movement is a push of one unit of time at the velocity `move`. A shape that the circle is at, and would go into, takes
 * away from that velocity what goes into it (left is the nearest velocity that goes into none of these shapes), until the
 * circle comes to the next shape. So its way is straight legs, one for each shape that it comes to; along a round one a leg is
 * the tangent, which leaves it. Joints of collinear segments make no leg.
 *
 * Promise. Along every leg, which goes straight from one told point to the next, the gap to every shape is never below 0: each
 * leg is checked, with about 31 digits, before it is made, and one that fails is shortened or not made. So it goes through
 * nothing and into nothing, however fast, in corners as acute as may be, and between walls that come together. Only shapes that
 * it overlaps where it starts may stay overlapped; it never gets deeper into those. One-sided segments are no obstacle from
 * their right, nor for a circle that is in them, which may turn in them as it likes (detect.h).
 *
 * Skin. It stops this far before it would touch, so that rounding never lets it: a distance between `skin` and a quarter of
 * it, where there is room. Nearer than half of it to something at the start, it first backs off, by legs that take no time.
 *
 * Any thread; uses only the space, which is not changed, and what the caller owns. */
#ifndef COLLIDED_PHYSICS_MOVER_H
#define COLLIDED_PHYSICS_MOVER_H

#include "physics/space.h"

struct mover {
	double x, y;           /* the centre, <= PHYSICS_COORDINATE_MAX */
	double radius;         /* PHYSICS_RADIUS_MIN .. PHYSICS_RADIUS_MAX */
	double move_x, move_y; /* where to, as a vector; <= SPACE_MOVE_MAX */
	double skin;           /* 0: MOVER_SKIN_PER_RADIUS. At least that of rounding is used (path.skin); <= PHYSICS_RADIUS_MAX */
	uint32_t legs_max;     /* 1 .. MOVER_LEGS_MAX */
};

/* Far below what shows; a hundred thousand such stops add up to a radius. */
#define MOVER_SKIN_PER_RADIUS 0x1p-20
/* Of the largest coordinate and length of its way among the shapes: 2^16 ulp. Legs stop a 1024th of a skin nearer each than the
 * one before, and that must be more than rounding adds up to. */
#define MOVER_SKIN_PER_SIZE 0x1p-36
/* Enough for a corridor of a hundred bends. More need another call. */
#define MOVER_LEGS_MAX 256

enum mover_end {
	MOVER_DONE,    /* all of the push was made; what it slid along took its part */
	MOVER_BLOCKED, /* what it is at lets it go nowhere along the push */
	MOVER_LEGS,    /* legs_max came first: the rest is told and was not made */
};

/* From where the one before ended. */
struct mover_leg {
	double x, y;     /* where it ends */
	double fraction; /* of the push that is made by then, 0 .. 1; 0 for backing off */
};

/* A shape that took something of the push. Told at the first of successive legs on which it did. */
struct mover_contact {
	uint32_t leg; /* the leg that it bends; leg_count: none came of it */
	bool segment;
	uint32_t id;
	enum contact_feature feature;
	double gap;       /* at the start of that leg, as the next two */
	double point[2];  /* on the shape, nearest to the circle */
	double normal[2]; /* unit, to the circle */
};

/* Scratch: a shape that the circle is at when a leg starts. */
struct mover_near;

/* Start with all 0; the caller frees it with mover_path_finish, and may use it again before. */
struct mover_path {
	struct mover_leg *legs;
	size_t leg_count, leg_capacity;
	struct mover_contact *contacts; /* by leg, in the order in which they are met */
	size_t contact_count, contact_capacity;
	enum mover_end end;
	double x, y;                     /* where it ends */
	double fraction;                 /* of the push that was made, 0 .. 1: 1 unless blocked or out of legs */
	double remaining_x, remaining_y; /* the rest of the push */
	double skin;                     /* that was used */
	double depth;                    /* how deep it overlaps something where it ends; 0 unless it did at the start */
	/* Scratch. */
	struct mover_near *near; /* all it is at */
	size_t near_count, near_capacity;
	struct mover_near *pressed; /* those of them that take something */
	size_t pressed_count, pressed_capacity;
	struct mover_near *before; /* pressed at the leg before */
	size_t before_count, before_capacity;
	struct slide_plane *planes; /* of those pressed */
	size_t plane_capacity;
};

void mover_path_finish(struct mover_path *path);

/* Replaces what is in *path. STATUS_INVALID_ARGUMENT: a number that is not finite or out of its range.
 * STATUS_RESOURCE_EXHAUSTED: no memory; nothing in *path means anything then. */
STATUS_MUST_USE enum status space_move(const struct space *space, const struct mover *mover, const struct space_filter *filter,
                                       struct mover_path *path);

#endif
