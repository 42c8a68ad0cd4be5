/* schedule: what eight seats send to one world, batch by batch, from one seed. Some of it is refused: by rights, by ids that
 * are taken or not there, by numbers, by ticks. */
#ifndef COLLIDED_TESTS_SESSION_SCHEDULE_H
#define COLLIDED_TESTS_SESSION_SCHEDULE_H

#include "base/buffer.h"

#include "collide/v1/collide.pb-c.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SCHEDULE_SEATS = 8,
	SCHEDULE_CIRCLES = 8, /* of the scene: ids 1 .. */
	SCHEDULE_IDS = 4,     /* that each seat reserves */
	SCHEDULE_PHASES = 20, /* in phase p the world is at tick p */
	SCHEDULE_AHEAD = 4,   /* ticks by which batches may name one */
	SCHEDULE_TICKS = SCHEDULE_PHASES + SCHEDULE_AHEAD + 1,
	SCHEDULE_BATCHES = 3 * SCHEDULE_PHASES /* of a seat, at most */
};

enum scheduled_kind {
	SCHEDULED_SET,
	SCHEDULED_ADD,
	SCHEDULED_SPAWN,
	SCHEDULED_REMOVE,
	SCHEDULED_PLACE,
	SCHEDULED_SWEEP,
	SCHEDULED_PUSH,
	SCHEDULED_FORCE,
	SCHEDULED_GIVE,
	SCHEDULED_EXPLOSION,
	SCHEDULED_GRAVITY,
	SCHEDULED_NOT_A_NUMBER,
	SCHEDULED_KINDS
};

struct scheduled_batch {
	uint32_t phase;
	uint64_t tick; /* 0: the next one */
	enum scheduled_kind kind;
	uint32_t rows;  /* 1 or 2 */
	uint32_t id[2]; /* below SCHEDULE_CIRCLES: of the scene; then the seat's own; then none's */
	double x[2], y[2];
	uint32_t ticks, seat;
	bool skip_missing;
};

struct seat_schedule {
	Collide__V1__Late late;
	uint64_t seed; /* of the scene */
	Collide__V1__Right right[SCHEDULE_SEATS];
	size_t count[SCHEDULE_SEATS];
	struct scheduled_batch batches[SCHEDULE_SEATS][SCHEDULE_BATCHES];
};

void schedule_make(struct seat_schedule *schedule, uint64_t seed);
/* Appends the CreateWorld of its world, framed. */
void schedule_pack_world(struct buffer *out, const struct seat_schedule *schedule, uint64_t request_id);
/* Appends a batch, framed. */
void schedule_pack(struct buffer *out, const struct scheduled_batch *batch, uint32_t handle, uint32_t id_first,
                   uint64_t sequence, uint64_t acked);

#endif
