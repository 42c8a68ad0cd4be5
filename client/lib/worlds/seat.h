/* seat: what is in a collide_seat, for the files that make it up: seat.c (its life), seat_flush.c (what it sends), seat_step.c.
 *
 * One thread at a time. A seat is its channel's. */
#ifndef COLLIDE_CLIENT_LIB_SEAT_H
#define COLLIDE_CLIENT_LIB_SEAT_H

#include "client/lib/worlds/batch_queue.h"
#include "client/lib/worlds/channel.h"
#include "client/lib/worlds/steering.h"

enum seat_phase { SEAT_WAITING, SEAT_ATTACHING, SEAT_ATTACHED, SEAT_ENDED };

/* A step that has had no answer. */
struct seat_step {
	struct channel_owner owner;
	struct seat_step *next;
	struct collide_seat *seat;
	struct collide_step step;
	uint64_t after; /* the number of the last batch before it */
	collide_stepped_fn on_stepped;
	void *context;
	uint64_t request_id;    /* 0: it is not under way on this connection */
	int64_t again_until_ns; /* it was cut off and may still be running; 0: it was not */
};

struct collide_seat {
	struct channel_owner owner;
	struct collide_channel *channel;
	struct collide_seat *next, *next_ready;
	bool is_ready, released, detaches;
	struct collide_attachment attachment; /* texts and bytes are in the next ones */
	char world[COLLIDE_NAME_BYTES], label[COLLIDE_NAME_BYTES];
	uint8_t *secret;
	uint8_t token[COLLIDE_SECRET_BYTES];
	struct collide_seat_handler handler;
	enum seat_phase phase;
	uint64_t attach_id;
	bool was_attached;
	struct collide_attached attached;
	struct collide_error error; /* why it ended */
	struct batch_queue queue;
	uint64_t earlier_told; /* outcomes of an earlier holder's batches were given up to here */
	int64_t hold_until_ns; /* nothing is sent before */
	struct seat_step *steps, *last_step;
	struct steering steering;
};

/* It has something to send. */
void seat_make_ready(struct collide_seat *seat);
/* The same, but not before so many milliseconds are over. */
void seat_hold(struct collide_seat *seat, int64_t ms);
/* Gives the program every outcome that is due. */
void seat_deliver(struct collide_seat *seat);

/* The answer to the first step, which is taken out. */
void seat_step_answer(struct collide_seat *seat, const struct collide_stepped *stepped, const struct collide_error *error);
/* Sends the first step, if all batches before it are sent. */
bool seat_step_flush(struct collide_seat *seat, struct collide_error *error);

#endif
