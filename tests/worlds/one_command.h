/* one_command: a batch with one command of one kind, about the circle or segment one.id[0]; more is set by hand. One thread. */
#ifndef COLLIDED_TESTS_WORLDS_ONE_COMMAND_H
#define COLLIDED_TESTS_WORLDS_ONE_COMMAND_H

#include "worlds/stage.h"

/* One command of each kind, about the circle `id` or the segment `wall`. */
struct one {
	Collide__V1__Commands message;
	Collide__V1__VelocityColumns velocities;
	Collide__V1__PlaceColumns places;
	Collide__V1__PushColumns pushes;
	Collide__V1__CircleColumns circles;
	Collide__V1__SegmentColumns segments;
	Collide__V1__Explosion explosion, *explosions[1];
	Collide__V1__OwnerColumns owners;
	Collide__V1__Vector gravity;
	uint32_t id[2], seat[2], ticks[2];
	double x[2], y[2], z[2];
	Collide__V1__BodyKind kind[2];
};

extern struct one one;

/* Empty, about the circle `id`. */
void one_begin(uint32_t id);
void one_velocities(void);
void one_add_velocities(void);
void one_places(void);
void one_pushes(void);
void one_spawn(void);
void one_changes(void);
void one_removal(void);
void one_give(void);
void one_spawn_segments(void);
void one_remove_segments(void);
void one_enable_segments(void);
void one_disable_segments(void);
void one_explosions(void);
void one_gravity(void);

#endif
