/* subscription: what its files share. Internal. */
#ifndef COLLIDE_CLIENT_LIB_SUBSCRIPTION_H
#define COLLIDE_CLIENT_LIB_SUBSCRIPTION_H

#include "client/lib/worlds/channel.h"

enum subscription_phase { SUBSCRIPTION_WAITING, SUBSCRIPTION_SENT, SUBSCRIPTION_ENDED };

struct collide_subscription {
	struct channel_owner owner, steering, again;
	struct collide_channel *channel;
	struct collide_seat *seat; /* NULL: by a secret */
	struct collide_subscription *next;
	struct collide_interest interest; /* texts and bytes are in the next ones */
	char world[COLLIDE_NAME_BYTES];
	uint8_t *secret;
	struct collide_reader reader;
	enum subscription_phase phase;
	uint64_t request_id;
	bool was_sent, released;
	uint32_t consumed; /* updates since credit was last given */
	/* From where it can go on: it has the state after this tick, of this encoding; 0: it has none, or only a part of one. */
	uint64_t told_tick, told_encoding;
	uint64_t rows_tick;     /* that of the last update of rows alone */
	bool went_on;           /* since then no key has come: rows up to there may come again */
	uint64_t steer_asked;   /* a Steer that has no answer yet; 0: none */
	uint64_t steer_request; /* the last one that is not in force yet; 0: none */
	bool steers;            /* what the interest has is still to be asked for */
	/* As was granted last; the interest has what was asked for last. */
	struct collide_region region;
	uint32_t every;
	int64_t hold_until_ns;
	/* A second Subscribe, which is to bring a key while the first one goes on; 0: none. */
	uint64_t again_id;
	bool has_again_key;
	uint64_t again_tick; /* of its key */
	int64_t again_until_ns;
	/* Of STREAM_COMMANDS, for `take`: what is known of the coded batches of both. NULL: batches come as they are. */
	struct batch_reader *coded, *again_coded;
};

/* subscription_steer.c */
/* It is subscribed anew with all that its interest has: no Steer is on its way, and none is needed. */
void steer_begin(struct collide_subscription *subscription);
/* The answer to a Steer; `context` is the subscription. */
void steer_on_event(void *context, const struct collide_event *event);

#endif
