/* streams: what a reader of one live world is sent, by kind of stream, beside formats that games use.
 *
 * It makes a world, steps it as fast as it goes, and lets readers follow it. There is one of states, one of paths, one of
 * states within a tolerance, and two of commands. What the second has after each tick is compared with the others, and given to
 * the other formats (lossy.h). Each player has a seat of its own.
 *
 * streams_run takes the calling thread. Prints nothing.
 *
 * The folder streams/ is `collide bench streams`: its worlds (streams_scene.h), the run, and the formats beside (lossy.h). It
 * uses room_conn.h of the folder above for bytes at the socket. */
#ifndef COLLIDE_LOAD_STREAMS_STREAMS_H
#define COLLIDE_LOAD_STREAMS_STREAMS_H

#include "client/lib/collide.h"

#include <stdbool.h>
#include <stdint.h>

enum streams_scene {
	STREAMS_GAS,      /* nothing but collisions */
	STREAMS_ARENA,    /* walls, and 16 of the circles are players with six inputs a second */
	STREAMS_BOUNCING, /* under gravity, without loss */
	STREAMS_REST,     /* single balls that lie on a floor */
	STREAMS_ROLLING,  /* ten balls on a floor, with friction */
	STREAMS_HEAP,     /* rough balls in a heap that never sleeps */
	STREAMS_ASLEEP,   /* the same, when it does */
	STREAMS_ACTING,   /* all act in every tick */
	STREAMS_SCENES,
};

/* What velocities players choose. */
enum streams_inputs {
	STREAMS_SINGLE, /* any direction, in numbers of single precision */
	STREAMS_DOUBLE, /* in doubles, as all that follow */
	STREAMS_PAD,    /* one of 16 directions */
	STREAMS_STICK,  /* one of 256 */
	STREAMS_KEYS,   /* four keys, one of which changes each time */
};

/* For tables. */
const char *streams_scene_name(enum streams_scene scene);

struct streams_plan {
	const char *address;
	double seconds, warm_up_seconds; /* of the world */
	uint64_t tick_hz;
	uint64_t every;            /* ticks between updates */
	double tolerance;          /* of `near` and `delta`; 0: that of a grid of 65,536 lines over the world */
	uint64_t bytes_per_second; /* of `near`; 0: no limit */
	enum streams_inputs inputs;
	uint64_t seed;
	bool (*stop)(void *context); /* asked now and then; true ends it early. May be NULL */
	void *context;
};

/* Bytes a second of the world's time. Those of the server are counted at the socket, with envelopes and lengths. */
struct streams_result {
	size_t circles;
	uint64_t ticks, inputs;
	double states, paths;
	double commands, coded; /* of STREAM_COMMANDS, and the same in few bytes */
	double near;            /* states within near_tolerance, which is the largest error of `delta` */
	double near_tolerance, near_error;
	/* Of circles at its updates: how many were beyond the tolerance, with bytes limited; and how far off all of them were. */
	uint64_t near_count, near_stale;
	double near_square_sum;
	double grid;          /* 16 bits each for x and y, at each update */
	double delta;         /* lossy.h at each update */
	double delta_tick;    /* and at each tick */
	double grid_error;    /* the farthest from a circle's true place, at ticks, by straight lines between updates */
	double tick_error;    /* the same of what has each tick */
	uint64_t differences; /* states that a follower of paths had otherwise than they are */
	uint64_t compared;
};

/* false: *error says what ended it. */
bool streams_run(const struct streams_plan *plan, enum streams_scene scene, struct streams_result *result,
                 struct collide_error *error);

#endif
