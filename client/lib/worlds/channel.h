/* channel: what is in a collide_channel, for the files that make it up: channel.c (the connection and its life), seat.c,
 * subscription.c.
 *
 * One thread at a time. A channel owns its seats and subscriptions. It reaches the outside through a table of functions, the
 * time too, so that a whole life with lost connections runs from one seed (channel_over). */
#ifndef COLLIDE_CLIENT_LIB_CHANNEL_H
#define COLLIDE_CLIENT_LIB_CHANNEL_H

#include "client/lib/collide.h"

#include <string.h>

/* Milliseconds before a connection is tried again: none is seen by a player, and no server is asked too often. */
#define CHANNEL_RETRY_FIRST_MS 50u
#define CHANNEL_RETRY_MAX_MS 5000u
/* Milliseconds before what a server refused for now is sent again. */
#define CHANNEL_AGAIN_MS 20
/* Milliseconds before a seat of a world that was handed over is asked for on the same connection: rather the next one has it.
 */
#define CHANNEL_HANDOVER_MS 5000
/* Milliseconds for which a step that was cut off is tried again while the world is still being stepped. */
#define CHANNEL_STEP_AGAIN_MS 30000
/* Bytes that wait for the socket from which on batches stay in their seats. */
#define CHANNEL_OUTPUT_BYTES_MAX ((size_t)1024 * 1024)
/* Bytes of several batches in one message: about a segment of TCP. The server takes a message as a whole, so a connection that
 * is lost soon has done something nevertheless. */
#define CHANNEL_GATHERED_BYTES ((size_t)1400)
/* Batches of one message, and bytes of one if the server has announced no limit. */
#define CHANNEL_BATCHES_MAX 256
#define CHANNEL_MESSAGE_BYTES_DEFAULT ((size_t)1024 * 1024)

enum transport_state { TRANSPORT_OPENING, TRANSPORT_OPEN, TRANSPORT_FAILED };

#define CHANNEL_NS_PER_MS INT64_C(1000000)

/* What carries bytes. Nothing waits. */
struct channel_transport {
	bool (*open)(void *context, struct collide_error *error); /* begins a connection */
	enum transport_state (*state)(void *context, struct collide_error *error);
	/* As socket_send and socket_receive. */
	ptrdiff_t (*send)(void *context, const void *bytes, size_t count, struct collide_error *error);
	ptrdiff_t (*receive)(void *context, void *bytes, size_t room, struct collide_error *error);
	void (*close)(void *context);                                                  /* the present connection, if there is one */
	bool (*move)(void *context, const char *address, struct collide_error *error); /* of the next connections; NULL: cannot */
	int (*descriptor)(void *context);
	int64_t (*now_ns)(void *context); /* of a clock that never goes back */
	void (*destroy)(void *context);
	void *context;
};

/* What is told of a request's replies. */
struct channel_owner {
	void (*on_event)(void *context, const struct collide_event *event);
	void *context;
};

enum channel_phase { CHANNEL_CLOSED, CHANNEL_OPENING, CHANNEL_GREETING, CHANNEL_OPEN };

struct collide_channel {
	struct channel_transport transport;
	struct collide_channel_options options;
	struct collide_options client; /* copies of its texts are in the next ones */
	char client_name[128], client_version[128];
	uint8_t *token;
	enum channel_phase phase;
	bool failed;
	struct collide_error error; /* why, and why the last connection was lost */
	struct collide_core *core;  /* from GREETING on */
	struct collide_welcome welcome;
	int64_t now_ns;
	int64_t phase_until_ns;    /* OPENING, GREETING: given up then; CLOSED: opened then */
	int64_t without_since_ns;  /* no connection since then */
	uint32_t failures;         /* in a row */
	uint64_t received, sent;   /* bytes of this connection when it was last looked at */
	int64_t heard_ns, told_ns; /* when bytes last came, and went */
	bool asked;                /* a ping is unanswered: */
	int64_t asked_ns;
	struct channel_owner nobody, hello;      /* of requests with replies of no interest; of Hello */
	int64_t opened_ns;                       /* when it was welcomed */
	bool over;                               /* the connection is to be given up: `error` */
	bool told;                               /* over this connection the server has given a reason for that: `error` */
	bool moves;                              /* the connection is to be given up for one to another address */
	bool processing;                         /* callbacks may run */
	bool reaps;                              /* something was released meanwhile */
	bool detaches;                           /* some seat is to end that has no connection to end over */
	struct collide_seat *seats;              /* in a list, as the next two */
	struct collide_seat *ready, *ready_last; /* seats that have something to send */
	struct collide_subscription *subscriptions;
	bool subscribes; /* some subscription waits to be sent */
};

/* The channel owns the transport, on failure too. NULL without memory. */
struct collide_channel *channel_over(const struct channel_transport *transport, const struct collide_channel_options *options,
                                     struct collide_error *error);
static inline bool
channel_is_open(const struct collide_channel *channel)
{
	return channel->phase == CHANNEL_OPEN;
}

/* What was released is freed, at once or when no callback runs any more. */
void channel_reap(struct collide_channel *channel);
/* The request's replies are of no interest from now on. */
void channel_disown(struct collide_channel *channel, uint64_t request_id);

/* Whether what a server refuses is sent again: what is refused for now, if it was there before, or if there are only too many
 * at once. */
static inline bool
channel_tries_again(const struct collide_error *error, bool was_there)
{
	return strcmp(error->reason, "RATE") == 0 ||
	       (was_there && (error->retry_after_ms > 0 || error->code == COLLIDE_UNAVAILABLE));
}

/* ---- seat.c */

/* The next one in the channel's list. */
struct collide_seat *seats_next(const struct collide_seat *seat);
void seat_channel_opened(struct collide_seat *seat);
void seat_channel_lost(struct collide_seat *seat);
/* Sends what seats have to send. false: no memory. */
bool seats_flush(struct collide_channel *channel, struct collide_error *error);
/* Ends those that are to end, and that the server was not asked to end. */
void seats_detach(struct collide_channel *channel);
/* That of the present connection; 0: it has none. */
uint32_t seat_handle(const struct collide_seat *seat);
struct collide_channel *seat_channel(const struct collide_seat *seat);
/* Why it ended; NULL: it has not. */
const struct collide_error *seat_end_error(const struct collide_seat *seat);
/* When some seat has something to send that has to wait until then; INT64_MAX: none. */
int64_t seats_due_ns(const struct collide_channel *channel);
void seats_reap(struct collide_channel *channel);
void seats_destroy(struct collide_channel *channel);

/* ---- subscription.c */

struct collide_subscription *subscriptions_next(const struct collide_subscription *subscription);
void subscription_channel_lost(struct collide_subscription *subscription);
/* Sends what waits, if its seat is attached. */
bool subscriptions_flush(struct collide_channel *channel, struct collide_error *error);
int64_t subscriptions_due_ns(const struct collide_channel *channel);
/* The seat has ended, with this error; or is released, if that is NULL. */
void subscriptions_seat_ended(struct collide_seat *seat, const struct collide_error *error);
void subscriptions_reap(struct collide_channel *channel);
void subscriptions_destroy(struct collide_channel *channel);

#endif
