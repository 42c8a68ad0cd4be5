/* collide_follow.h: a live world as a subscription to STREAM_PATHS tells it: every state to the bit, and where each circle is
 * at any time between ticks. Or as STREAM_STATES with a tolerance does: places at updates within that, and straight lines
 * between them. A part of collide.h, which includes it: include that.
 *
 * A follower is fed by a subscription (collide_reader.follower), or by collide_follower_update with updates from elsewhere. One
 * thread at a time. It owns its memory; pointers into it are valid until the next update. The rules that it goes by are
 * those of Paths and Quantized in collide.proto. */
#ifndef COLLIDE_FOLLOW_H
#define COLLIDE_FOLLOW_H

#ifndef COLLIDE_H
#error "include collide.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct collide_follower;

/* A circle after the last tick. */
struct collide_followed_circle {
	uint32_t id;
	enum collide_kind kind;
	double x, y, vx, vy, angle, spin;
	double radius, mass;
	uint64_t tag;
	/* By the rest solver: between ticks it is taken to go straight, unless collide_interest.driven_legs was asked for. With a
	 * tolerance also one that sleeps. */
	bool driven;
	bool asleep; /* with a tolerance never */
	/* With bytes limited: for so many ticks it has not been within its tolerance; off by at most collide_followed.stale_error.
	 */
	uint32_t stale;
};

/* A segment after the last tick. Those of the world's map are not told, but for those that are switched otherwise than there.
 */
struct collide_followed_segment {
	uint32_t id;
	double x1, y1, x2, y2;
	double radius;
	double vx, vy;
	bool disabled;
};

/* What it knows of the world. */
struct collide_followed {
	bool ready; /* there was a key */
	uint64_t epoch, tick;
	double dt;
	uint64_t hash, hash_tick; /* the last one that was told, of the whole world */
	uint32_t missed_ticks;    /* of the last key */
	char map[COLLIDE_NAME_BYTES];
	size_t circle_count, segment_count;
	/* With bytes limited: the largest error of circles that are stale, length units, and how many it is not told of yet. */
	double stale_error;
	uint32_t waiting_circles;
};

struct collide_place {
	double x, y, angle;
};

/* `history`: so many ticks (with a tolerance: updates) back places can be asked for; 0: 16. NULL without memory. */
struct collide_follower *collide_follower_create(uint32_t history);
void collide_follower_destroy(struct collide_follower *follower);
/* Called after each tick; with a tolerance after each update. */
void collide_follower_on_tick(struct collide_follower *follower,
                              void (*on_tick)(void *context, const struct collide_follower *follower), void *context);
/* Takes a serialized WorldUpdate. false: it is of another stream, or not the next one, or there is no memory. The follower
 * then waits for a key. */
COLLIDE_MUST_USE bool collide_follower_update(struct collide_follower *follower, const void *update, size_t bytes,
                                              struct collide_error *error);
struct collide_followed collide_follower_world(const struct collide_follower *follower);
/* Ascending by id; index < circle_count, segment_count. */
struct collide_followed_circle collide_follower_circle(const struct collide_follower *follower, size_t index);
struct collide_followed_segment collide_follower_segment(const struct collide_follower *follower, size_t index);
/* false: there is none with this id. */
COLLIDE_MUST_USE bool collide_follower_find(const struct collide_follower *follower, uint32_t id, size_t *index);
/* Where a circle is at a time of the world: tick * dt after a tick; later than the last one: where it is then. false: it was
 * not there, or that is too long ago. So it is after a key, up to the next tick: nothing is known of times before. With a
 * tolerance a circle that a command defines anew is not there during that update. */
COLLIDE_MUST_USE bool collide_follower_place(const struct collide_follower *follower, uint32_t id, double time,
                                             struct collide_place *place);

#ifdef __cplusplus
}
#endif

#endif
