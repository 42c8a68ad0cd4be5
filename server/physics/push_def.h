/* push_def: edits that add to what circles have: velocity, impulses, explosions. A part of physics.h, the public interface. */
#ifndef COLLIDED_PHYSICS_PUSH_DEF_H
#define COLLIDED_PHYSICS_PUSH_DEF_H

#include <stdbool.h>
#include <stdint.h>

/* Of EDIT_CIRCLE_ADD_VELOCITY: (x, y) is added to the velocity and `turn` to the angular velocity. Of EDIT_CIRCLE_IMPULSE: the
 * circle, a dynamic one, gets the impulse (x, y), which changes its velocity by (x, y) / mass, and the angular impulse `turn`.
 * An impulse with a point of attack is one at that place instead of the centre: its moment about the centre adds to `turn`. */
struct circle_push {
	uint32_t id; /* of the circle */
	double x, y;
	double turn;
	bool has_point;
	double point_x, point_y;
};

/* Of EDIT_EXPLOSION. It gives an impulse away from (x, y) to each dynamic circle of a category in `mask` that is near
 * enough. That is, the distance d of its surface is at most radius + falloff. The impulse is impulse_per_length * 2 r, r the
 * circle's radius; where d > radius, this times (radius + falloff - d) / falloff. This is the meaning of b2ExplosionDef in
 * Box2D 3. Walls give no cover. A circle with its centre at (x, y) is pushed in the direction of x. */
struct explosion {
	double x, y;
	double radius, falloff;    /* >= 0 */
	double impulse_per_length; /* of a circle's diameter; may be negative */
	uint32_t mask;
};

#endif
