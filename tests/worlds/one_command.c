#include "worlds/one_command.h"

#include <string.h>

struct one one;

void
one_begin(uint32_t id)
{
	memset(&one, 0, sizeof one);
	collide__v1__commands__init(&one.message);
	collide__v1__velocity_columns__init(&one.velocities);
	collide__v1__place_columns__init(&one.places);
	collide__v1__push_columns__init(&one.pushes);
	collide__v1__circle_columns__init(&one.circles);
	collide__v1__segment_columns__init(&one.segments);
	collide__v1__explosion__init(&one.explosion);
	collide__v1__owner_columns__init(&one.owners);
	collide__v1__vector__init(&one.gravity);
	one.id[0] = id;
	one.explosions[0] = &one.explosion;
	one.seat[0] = 3;
}

void
one_velocities(void)
{
	one.velocities.n_id = one.velocities.n_vx = one.velocities.n_vy = 1;
	one.velocities.id = one.id, one.velocities.vx = one.x, one.velocities.vy = one.y;
	one.message.velocities = &one.velocities;
	one.message.optional_velocities_case = COLLIDE__V1__COMMANDS__OPTIONAL_VELOCITIES_VELOCITIES;
}

void
one_add_velocities(void)
{
	one_velocities();
	one.message.optional_velocities_case = COLLIDE__V1__COMMANDS__OPTIONAL_VELOCITIES__NOT_SET;
	one.message.velocities = NULL;
	one.message.add_velocities = &one.velocities;
	one.message.optional_add_velocities_case = COLLIDE__V1__COMMANDS__OPTIONAL_ADD_VELOCITIES_ADD_VELOCITIES;
}

void
one_places(void)
{
	one.x[0] = one.y[0] = 20;
	one.places.n_id = one.places.n_x = one.places.n_y = 1;
	one.places.id = one.id, one.places.x = one.x, one.places.y = one.y;
	one.message.places = &one.places;
	one.message.optional_places_case = COLLIDE__V1__COMMANDS__OPTIONAL_PLACES_PLACES;
}

void
one_pushes(void)
{
	one.x[0] = 1;
	one.pushes.n_id = one.pushes.n_impulse_x = 1, one.pushes.id = one.id, one.pushes.impulse_x = one.x;
	one.message.pushes = &one.pushes;
	one.message.optional_pushes_case = COLLIDE__V1__COMMANDS__OPTIONAL_PUSHES_PUSHES;
}

void
one_spawn(void)
{
	one.x[0] = one.y[0] = 25, one.z[0] = 0.3;
	one.circles.n_id = one.circles.n_x = one.circles.n_y = one.circles.n_radius = 1;
	one.circles.id = one.id, one.circles.x = one.x, one.circles.y = one.y, one.circles.radius = one.z;
	one.message.spawn = &one.circles;
	one.message.optional_spawn_case = COLLIDE__V1__COMMANDS__OPTIONAL_SPAWN_SPAWN;
}

void
one_changes(void)
{
	one.z[0] = 0.4;
	one.circles.n_id = one.circles.n_radius = 1, one.circles.id = one.id, one.circles.radius = one.z;
	one.message.changes = &one.circles;
	one.message.optional_changes_case = COLLIDE__V1__COMMANDS__OPTIONAL_CHANGES_CHANGES;
}

void
one_removal(void)
{
	one.message.n_remove = 1, one.message.remove = one.id;
}

void
one_give(void)
{
	one.owners.n_id = one.owners.n_seat = 1, one.owners.id = one.id, one.owners.seat = one.seat;
	one.message.give = &one.owners;
	one.message.optional_give_case = COLLIDE__V1__COMMANDS__OPTIONAL_GIVE_GIVE;
}

void
one_spawn_segments(void)
{
	one.id[0] = 500;
	one.x[0] = 1, one.y[0] = 2;
	one.segments.n_id = one.segments.n_x1 = one.segments.n_y1 = one.segments.n_x2 = one.segments.n_y2 = 1;
	one.segments.id = one.id, one.segments.x1 = one.segments.y1 = one.x, one.segments.x2 = one.segments.y2 = one.y;
	one.message.spawn_segments = &one.segments;
	one.message.optional_spawn_segments_case = COLLIDE__V1__COMMANDS__OPTIONAL_SPAWN_SEGMENTS_SPAWN_SEGMENTS;
}

void
one_remove_segments(void)
{
	one.id[0] = 0;
	one.message.n_remove_segments = 1, one.message.remove_segments = one.id;
}

void
one_enable_segments(void)
{
	one.id[0] = 1;
	one.message.n_enable_segments = 1, one.message.enable_segments = one.id;
}

void
one_disable_segments(void)
{
	one.id[0] = 1;
	one.message.n_disable_segments = 1, one.message.disable_segments = one.id;
}

void
one_explosions(void)
{
	one.message.n_explosions = 1, one.message.explosions = one.explosions;
}

void
one_gravity(void)
{
	one.gravity.x = 1, one.gravity.y = -7;
	one.message.gravity = &one.gravity;
	one.message.optional_gravity_case = COLLIDE__V1__COMMANDS__OPTIONAL_GRAVITY_GRAVITY;
}
