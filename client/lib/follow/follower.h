/* follower: what the parts of a follower share. shapes.c has what is defined, ticks.c what happens in a tick, quantized.c what
 * is told within a tolerance, past.c where circles were. follower.c takes updates.
 *
 * The folder follow/: a live world from its stream of paths, or of states within a tolerance. It uses lib's views of messages,
 * and is called by worlds/subscription.c. */
#ifndef COLLIDE_LIB_FOLLOW_FOLLOWER_H
#define COLLIDE_LIB_FOLLOW_FOLLOWER_H

#include "client/lib/collide.h"
#include "client/lib/follow/bits.h"
#include "collide/v1/collide.pb-c.h"

#define FOLLOWER_HISTORY 16

/* How a circle goes on, in a stream with a tolerance. */
enum { FOLLOW_FREE, FOLLOW_STRAIGHT, FOLLOW_DRIVEN };

/* A circle as the rule has it. */
struct follow_circle {
	struct collide_followed_circle seen;
	double ax, ay, t0;
	double gravity_scale, gravity_x, gravity_y, keep, spin_keep;
	bool held, gone;
	bool leg; /* driven: from t0 on it goes straight with this velocity */
	double leg_x, leg_y;
	uint8_t mode, history, rule; /* and seen.stale: of a stream with a tolerance: Quantized in collide.proto */
};

/* The most ticks of an update: `every` of a Subscribe is no more. A server that says more is not followed. */
#define FOLLOW_TICKS_MAX 3600u

/* Kinds of bits, in the order of Quantized. */
struct follow_contexts {
	struct follow_context told[3][8];
	struct follow_context straight[3], driven[3];
	struct follow_context exact;
	struct follow_context rule[4][3];
	struct follow_context turns[2], spin_rule[3];
	struct follow_context place[2][FOLLOW_NUMBER_CONTEXTS], velocity[2][FOLLOW_NUMBER_CONTEXTS];
	struct follow_context angle[FOLLOW_NUMBER_CONTEXTS], spin[FOLLOW_NUMBER_CONTEXTS];
	/* With bytes limited only. */
	struct follow_context told_stale[8], stale[3][2];
};

struct follow_quantized {
	double tolerance, driven_tolerance; /* 0: a stream of paths */
	uint32_t bytes_per_second;          /* 0: no limit */
	struct follow_contexts contexts;
};

struct follow_segment {
	struct collide_followed_segment seen;
	bool moves;
	double home[4], moved[2];
};

/* From t0 in the tick on the circle moves so, up to its next piece. */
struct follow_piece {
	uint32_t next; /* the place of that; 0: none, as the first ones have the first places */
	uint32_t last; /* of a circle's first piece: the place of its last one; 0: there is no other */
	bool gone;
	double t0, x, y, vx, vy, ax, ay, angle, spin;
};

/* A tick that has been: the list, the piece that each circle began with, and those that came, in order of time. */
struct follow_tick {
	double start, length; /* of an update within a tolerance all its ticks */
	uint32_t *ids;
	size_t count, id_capacity;
	struct follow_piece *pieces;
	size_t piece_count, piece_capacity;
};

/* Velocities of commands that may be named (Paths.codes). */
#define FOLLOW_NAMES 256
struct follow_names {
	double velocities[FOLLOW_NAMES];
	size_t told; /* how many went there: the next one's place, modulo FOLLOW_NAMES */
};

struct collide_follower {
	struct collide_followed world;
	struct follow_names names;
	double gravity_x, gravity_y, speed_max;
	struct follow_quantized quantized;
	struct follow_circle *circles; /* ascending by id */
	size_t circle_count, circle_capacity;
	struct follow_segment *segments; /* the same */
	size_t segment_count, segment_capacity;
	struct follow_tick *past; /* a ring */
	size_t history, past_next, past_count;
	void (*on_tick)(void *context, const struct collide_follower *follower);
	void *context;
};

/* shapes.c. false: what is told does not fit together, or no memory (*memory). */
bool follow_key(struct collide_follower *follower, const Collide__V1__WorldUpdate *update, bool *memory);
bool follow_change(struct collide_follower *follower, const Collide__V1__WorldChange *change, bool *memory);
/* ticks.c: all ticks up to the update's. The same. */
bool follow_paths(struct collide_follower *follower, const Collide__V1__WorldUpdate *update, bool *memory);

void follow_segments_go(struct collide_follower *follower);

/* quantized.c: the same. */
bool follow_quantized(struct collide_follower *follower, const Collide__V1__WorldUpdate *update, bool *memory);

/* quantized_key.c. Of a key's first part; of each part, when its circles are there. */
bool follow_quantized_begin(struct collide_follower *follower, const Collide__V1__Key *key);
bool follow_quantized_circles(struct collide_follower *follower, const Collide__V1__Key *key,
                              const Collide__V1__CircleColumns *columns);

/* circle.c */
/* The first place of an id not below `id`. */
size_t follow_circle_place(const struct collide_follower *follower, uint32_t id);
/* NULL: there is none. */
struct follow_circle *follow_circle_find(const struct collide_follower *follower, uint32_t id);
void follow_circle_kick(struct follow_circle *circle, double speed_max);
void follow_circle_free(struct follow_circle *circle);
void follow_circle_sleep(struct follow_circle *circle);

/* past.c. false: no memory. */
bool follow_past_begin(struct collide_follower *follower);
bool follow_past_add(struct collide_follower *follower, size_t body);
/* Those that are driven, and of which no pieces are told, go straight to where they are at the tick's end. */
void follow_past_end(struct collide_follower *follower);
/* All went straight from where they were when it began to where they are; those that have gone are not there. */
void follow_past_straight(struct collide_follower *follower, double time);
void follow_past_clear(struct collide_follower *follower);
void follow_past_finish(struct collide_follower *follower);

/* Takes an update that is unpacked: collide_follower_update. */
bool follower_take(struct collide_follower *follower, const Collide__V1__WorldUpdate *update, struct collide_error *error);

/* room.c: grows an array of elements of `size` bytes to hold `count`. false: no memory. */
bool follow_reserve(void *array_pointer, size_t *capacity, size_t count, size_t size);

#endif
