/* fake_worlds: a server of one world in memory, for tests of seats. One thread and no sockets. The seed decides when bytes
 * move, in which pieces, and when a connection is cut in the midst of them.
 *
 * It keeps to the schema: sequences, tokens, outcomes that are kept until they are acknowledged, epochs, steps. It simulates
 * nothing: a batch that takes effect is written into its seat's log. It shares no code with the library but the generated
 * messages. */
#ifndef COLLIDED_TESTS_CLIENT_FAKE_WORLDS_H
#define COLLIDED_TESTS_CLIENT_FAKE_WORLDS_H

#include "client/lib/worlds/channel.h"
#include "collide/v1/collide.pb-c.h"

#include <stdbool.h>
#include <stdint.h>

enum { FAKE_SEATS_MAX = 8, FAKE_LINKS_MAX = 8, FAKE_LOG_MAX = 4096, FAKE_WAITING_MAX = 16, FAKE_OUTCOMES_MAX = 24 };

/* A batch says which it is by the first id that it removes; ids from here on are not there. */
#define FAKE_ID_MISSING 1000000u

#define FAKE_ENCODING 77u

/* Bytes on their way. */
struct fake_pipe {
	uint8_t *bytes;
	size_t count;
};

struct fake_batch {
	uint64_t sequence, tick;
	uint32_t id;
};

struct fake_seat {
	bool used;
	uint8_t token[16];
	uint32_t number;
	struct fake_link *link; /* that has it; NULL: none */
	uint32_t handle;
	uint64_t attach_id;
	uint64_t sequence, through;
	struct fake_batch waiting[FAKE_WAITING_MAX];
	size_t waiting_count;
	struct {
		uint64_t sequence, tick;
		Collide__V1__Code code;
		const char *reason;
		bool early; /* refused when it came */
	} outcomes[FAKE_OUTCOMES_MAX];
	size_t outcome_count;
	uint32_t log[FAKE_LOG_MAX]; /* ids of the batches that took effect, in order */
	size_t log_count;
};

/* One client's end: a channel's transport. */
struct fake_link {
	struct fake_worlds *server;
	bool open, opening;
	struct fake_pipe to_server, to_client;
	uint64_t connections;
	uint64_t subscription; /* request_id; 0: none */
	bool wants_key;
	bool coded;                          /* it asked for coded batches, */
	bool within;                         /* or for states within a tolerance, */
	uint64_t after_tick, after_encoding; /* and to go on from this */
	uint64_t credit;                     /* updates that it still takes */
};

struct fake_worlds {
	uint64_t random;
	int64_t now_ns;
	uint64_t tick, epoch;
	uint32_t seats_next;
	struct fake_seat seats[FAKE_SEATS_MAX];
	struct fake_link links[FAKE_LINKS_MAX];
	/* A step that is being made: the world answers others with CLOCK until it is done. */
	uint64_t step_left, step_from, step_ticks;
	struct fake_link *step_link; /* NULL: it is gone, and so is the answer */
	uint64_t step_id;
	bool forgets_seats; /* tokens are not known any more */
	/* What updates have for those that ask for coded batches: so many bytes. Their encoding is FAKE_ENCODING. */
	uint8_t coded[4];
	size_t coded_count;
	uint64_t lost_ticks; /* with keys for them, beside one tick */
	uint64_t cuts;
};

void fake_worlds_init(struct fake_worlds *server, uint64_t seed);
void fake_worlds_finish(struct fake_worlds *server);
uint64_t fake_random(struct fake_worlds *server, uint64_t below);
/* The transport of one client. */
struct channel_transport fake_link_transport(struct fake_worlds *server, size_t link);
/* Moves some of the bytes of a link, in pieces of any size, and answers what has come. */
void fake_link_move(struct fake_link *link, bool all);
/* Breaks a link's connection: what is on its way, or a part of it, is lost. */
void fake_link_cut(struct fake_link *link);
/* Makes one tick by the server's clock: batches take effect, Acks and updates are sent. */
void fake_worlds_tick(struct fake_worlds *server);
/* Goes on with a step that is being made. */
void fake_worlds_step_on(struct fake_worlds *server);
/* Another past. */
void fake_worlds_restore(struct fake_worlds *server, uint64_t tick);

#endif
