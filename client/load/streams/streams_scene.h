/* streams_scene: the worlds of streams.h. */
#ifndef COLLIDE_LOAD_STREAMS_STREAMS_SCENE_H
#define COLLIDE_LOAD_STREAMS_STREAMS_SCENE_H

#include "client/load/streams/streams.h"

enum { STREAMS_CIRCLES_MAX = 64, STREAMS_WALLS_MAX = 64 };

/* A scene and its columns. `scene` borrows the rest: it is not to be moved. */
struct streams_world {
	struct collide_scene scene;
	size_t count;           /* of circles; their ids are 0 .. count - 1 */
	double left, low, side; /* a square that all are in */
	size_t players;         /* the first circles: each gets a velocity at chance ticks, */
	double inputs_hz;       /* so often, */
	double input_speed;     /* so fast */
	double x[STREAMS_CIRCLES_MAX], y[STREAMS_CIRCLES_MAX], vx[STREAMS_CIRCLES_MAX], vy[STREAMS_CIRCLES_MAX];
	double walls[4][STREAMS_WALLS_MAX];
	double radius, restitution, friction;
};

void streams_world_make(struct streams_world *world, enum streams_scene scene, uint64_t tick_hz, uint64_t *random);
/* In [0, 1). */
double streams_unit(uint64_t *random);
/* A velocity of that speed in a chance direction. */
void streams_velocity(uint64_t *random, double speed, double *vx, double *vy);
/* The next one of a player, of such inputs. *keys: those that are held, 0 at first. */
void streams_input(enum streams_inputs inputs, uint64_t *random, double speed, unsigned *keys, double *vx, double *vy);

#endif
