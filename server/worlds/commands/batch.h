/* batch: the commands of a seat that take effect together: while they wait, and then in the journal.
 *
 * The worker that has the world. One block, charged to the world's ledger. */
#ifndef COLLIDED_WORLDS_COMMANDS_BATCH_H
#define COLLIDED_WORLDS_COMMANDS_BATCH_H

#include "worlds/post.h"

struct batch {
	struct batch *next; /* in the journal */
	uint32_t seat;
	enum seat_right right;
	uint32_t id_first, id_count; /* that it may spawn */
	uint32_t circles_max;        /* that there may be after a spawn; 0: any number */
	uint32_t seat_next;          /* no circle can be given to a seat of this number, or above */
	bool wants_outcome;
	bool too_late;   /* it is refused when its turn comes */
	bool seat_ended; /* of the journal: no batch, but the end of the seat */
	bool undone;     /* the same: to be taken out when its tick is made again */
	bool stays;      /* of a mirror: it is decided elsewhere, and stays in the journal even if it is impossible: */
	bool idle;       /* then it has no effect, until its tick is made again in another state */
	uint32_t rank;   /* among those of its tick: bits of (seat + tick) mod 2^32 reversed */
	uint64_t sequence;
	uint64_t tick_asked; /* 0: the next one */
	uint64_t tick;       /* it takes effect at its start */
	uint64_t arrival;    /* counts the batches of the world */
	uint64_t arrived_ns;
	size_t count;
	uint8_t bytes[]; /* a serialized Commands */
};

/* A copy of what is in the post. NULL without memory. */
struct batch *batch_create(const struct post *post);
/* NULL is fine. */
void batch_destroy(struct batch *batch);
/* What it holds, about. */
size_t batch_bytes(const struct batch *batch);
/* Gives it the tick at which it takes effect. */
void batch_tick_set(struct batch *batch, uint64_t tick);
/* Whether it takes effect before the other. */
bool batch_is_before(const struct batch *batch, const struct batch *other);

#endif
