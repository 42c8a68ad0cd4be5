/* collide_seats.h: seats in worlds and subscriptions, over a connection that comes again by itself. A part of collide.h, which
 * includes it: include that.
 *
 * A channel has one connection at a time. When that is lost it connects anew, after a pause that grows with each failure. Its
 * seats attach again with their tokens, send what the server has not received, and its subscriptions begin anew with a key. So
 * every batch of a seat is decided exactly once, and each has one outcome, in order. Worlds that are restored, or handed over
 * to another daemon, keep their seats: they attach again, too.
 *
 * A program without an event loop calls collide_channel_wait. One with a loop watches collide_channel_descriptor, for writing
 * too if collide_channel_writes, and calls collide_channel_process when it is ready or collide_channel_wait_ms is over. The
 * descriptor changes with the connection, so it is asked for anew after each call.
 *
 * Callbacks are called by collide_channel_process and collide_channel_wait only. They may do anything but call these two, or
 * destroy the channel. What they are given is valid until they return. Batches go out with the next of these calls: all that
 * wait in few messages. */
#ifndef COLLIDE_SEATS_H
#define COLLIDE_SEATS_H

#ifndef COLLIDE_H
#error "include collide.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct collide_channel;
struct collide_seat;
struct collide_subscription;

struct collide_channel_options {
	const struct collide_options
		*client; /* name, token, timeouts, frame_bytes_max; NULL: the defaults. `stop` has no meaning */
	uint32_t retry_first_ms, retry_max_ms; /* pauses before connecting again, twice as long each time; 0: 50 and 5,000 */
	uint32_t retry_for_ms;                 /* without a connection for so long the channel fails for good; 0: never */
	void (*on_connected)(void *context, const struct collide_welcome *welcome); /* may be NULL, as the others */
	void (*on_lost)(void *context, const struct collide_error *error);          /* it will be tried again */
	/* Events of requests that the program itself made through collide_channel_core, and errors that belong to none. */
	void (*on_event)(void *context, const struct collide_event *event);
	void *context;
};

/* Finds the address, which may wait for a name server, and no more: the connection is made by process or wait. */
COLLIDE_MUST_USE struct collide_channel *
collide_channel_create(const char *address, const struct collide_channel_options *options, struct collide_error *error);
/* Ends the connection. Its seats and subscriptions are gone; on the server seats stay for their time to live. NULL is fine. */
void collide_channel_destroy(struct collide_channel *channel);

/* From now on it connects to this address, and ends the present connection: to go on where worlds were handed over to. false:
 * there is no such address, and nothing has changed. */
COLLIDE_MUST_USE bool collide_channel_move(struct collide_channel *channel, const char *address, struct collide_error *error);

int collide_channel_descriptor(const struct collide_channel *channel); /* -1: none at present */
bool collide_channel_writes(const struct collide_channel *channel);    /* whether to watch for writing as well */
int collide_channel_wait_ms(const struct collide_channel *channel);    /* until process is due without bytes; at least 0 */
/* Moves what can be moved without waiting, and calls back. false: the channel has failed for good (retry_for_ms, or the server
 * speaks another version). */
COLLIDE_MUST_USE bool collide_channel_process(struct collide_channel *channel, struct collide_error *error);
/* The same after waiting for bytes, at most wait_ms. */
COLLIDE_MUST_USE bool collide_channel_wait(struct collide_channel *channel, int wait_ms, struct collide_error *error);

/* The present connection's conversation, for requests of the program's own, which end with the connection (on_lost). NULL:
 * there is none, or it is not welcomed yet. */
struct collide_core *collide_channel_core(struct collide_channel *channel);

/* ---- Seats ---- */

struct collide_seat_handler {
	/* It has its seat, for the first time or again. Another epoch than before: the world was restored. */
	void (*on_attached)(void *context, struct collide_seat *seat, const struct collide_attached *attached);
	/* A batch is decided. `number` is what collide_seat_send gave; 0: of an earlier holder of the seat. COLLIDE_UNKNOWN: the
	 * seat ended first, and what became of the batch will not be known. Of worlds with COLLIDE_LATE_RESIMULATE one that took
	 * effect may be told again, and more than once: with the reason UNDONE it has not after all. */
	void (*on_outcome)(void *context, struct collide_seat *seat, uint64_t number, const struct collide_outcome *outcome);
	/* The end: `error` has the reason, SEAT_TAKEN, OVER_SHARE, WORLD_GONE, DETACHED or of a refused Attach. Every batch has had
	 * its outcome. */
	void (*on_detached)(void *context, struct collide_seat *seat, const struct collide_error *error);
	void *context;
};

/* A seat of a world. The attachment is copied. NULL without memory. It is the channel's, and is freed by collide_seat_release
 * or with the channel. `handler` may be NULL. */
COLLIDE_MUST_USE struct collide_seat *collide_seat_attach(struct collide_channel *channel,
                                                          const struct collide_attachment *attachment,
                                                          const struct collide_seat_handler *handler,
                                                          struct collide_error *error);
/* Asks the server to end the seat for good; on_detached follows. Batches not sent yet are not sent. */
void collide_seat_detach(struct collide_seat *seat);
/* Forgets it here: no callback follows. On the server it stays as long as this connection, and then for its time to live,
 * unless it was detached. NULL is fine. */
void collide_seat_release(struct collide_seat *seat);

/* What it was told last. NULL: it has not been attached yet. */
const struct collide_attached *collide_seat_attached(const struct collide_seat *seat);
/* Batches that have had no outcome yet. */
size_t collide_seat_undecided(const struct collide_seat *seat);

/* Keeps a copy of the batch until it is decided. The result is its number: 1 for the first, and one more for each. 0: a bad
 * argument, over the server's limit of a batch's size, too many undecided ones (BATCHES_WAIT), no memory, or the seat has
 * ended. */
COLLIDE_MUST_USE uint64_t collide_seat_send(struct collide_seat *seat, const struct collide_batch *batch,
                                            struct collide_error *error);

/* The sequence by which the server knows the batch of that number, or will: for a mirror's predictions. 0: it is decided, or
 * was not sent because the seat has ended or the batch was refused here. */
uint64_t collide_seat_sequence(const struct collide_seat *seat, uint64_t number);

/* The answer to a step; stepped is NULL if it failed, else error is. */
typedef void (*collide_stepped_fn)(void *context, struct collide_seat *seat, const struct collide_stepped *stepped,
                                   const struct collide_error *error);
/* Steps the world, after all batches sent so far. It is tried again over a new connection, and still made once. Steps wait for
 * each other. */
COLLIDE_MUST_USE bool collide_seat_step(struct collide_seat *seat, const struct collide_step *step,
                                        collide_stepped_fn on_stepped, void *context, struct collide_error *error);

/* Which tick a batch of now is to name so that it arrives in time: two ticks ahead at first, then steered by the margins that
 * the server tells. By the client's clock it is the next one. 0: not attached. While it is steered it may be less than before,
 * and no batch may name a tick before that of the one before it: then name that again. */
uint64_t collide_seat_aim(const struct collide_seat *seat);
/* How long before the start of its tick a batch is to be there: what the aim is steered to. One tick unless it is set. */
void collide_seat_set_margin(struct collide_seat *seat, int64_t margin_ns);

struct collide_timing {
	uint64_t tick;     /* made last, as far as the seat was told */
	int64_t margin_ns; /* the least that was told last; negative: late */
	int64_t lead_ns;   /* between a batch of now and the start of the tick that it is to name, by this side's clock */
};

struct collide_timing collide_seat_timing(const struct collide_seat *seat);

/* ---- Subscriptions ---- */

struct collide_follower;

struct collide_reader {
	/* The first update has a key. After a lost connection the updates go on, if the server has kept them, or there is another
	 * key. */
	void (*on_update)(void *context, struct collide_subscription *subscription, const struct collide_world_update *update);
	/* The end, as of a seat; also SLOW_READER, MEMORY, WORLD_FAILED. */
	void (*on_end)(void *context, struct collide_subscription *subscription, const struct collide_error *error);
	/* A collide_steer was answered: `steered` holds what it asked for, and will be told from some update on. NULL: it was
	 * refused, and all stays as it is. May be NULL. */
	void (*on_steered)(void *context, struct collide_subscription *subscription, const struct collide_steered *steered,
	                   const struct collide_error *error);
	void *context;
	/* Of COLLIDE_STREAM_PATHS, and with a tolerance: fed with each update before on_update is called. NULL: none. Borrowed. */
	struct collide_follower *follower;
	/* Takes each part of each update, a serialized WorldUpdate, before on_update is called: for a mirror (collide_mirror_take).
	 * false: it needs a key. The subscription then asks for one, at most once a second, and goes on until it is there. NULL:
	 * none. */
	bool (*take)(void *take_context, const void *update, size_t bytes, struct collide_error *error);
	void *take_context;
};

/* Reads a world: by a seat, if that is not NULL, which it ends with; else by the interest's world and secret. interest->handle
 * does not count. With credit, so many updates may be on their way; each is replaced when its callback returns. */
COLLIDE_MUST_USE struct collide_subscription *collide_subscribe(struct collide_channel *channel, struct collide_seat *seat,
                                                                const struct collide_interest *interest,
                                                                const struct collide_reader *reader,
                                                                struct collide_error *error);
/* From now on another region (NULL: all) and `every` (0: as it is). False: no memory. */
COLLIDE_MUST_USE bool collide_steer(struct collide_subscription *subscription, const struct collide_region *region,
                                    uint32_t every, struct collide_error *error);
/* Ends it: no callback follows. NULL is fine. */
void collide_unsubscribe(struct collide_subscription *subscription);

#ifdef __cplusplus
}
#endif

#endif
