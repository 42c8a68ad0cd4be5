/* conversation: a session with a fake host: a socket of bounded appetite, a queue of requests that the test runs itself, and
 * a clock that stands still unless moved. One thread. */
#ifndef COLLIDED_TESTS_SESSION_CONVERSATION_H
#define COLLIDED_TESTS_SESSION_CONVERSATION_H

#include "base/buffer.h"
#include "base/job.h"
#include "base/shared_bytes.h"
#include "session/conversation_worlds.h"
#include "session/messages.h"
#include "session/request.h"
#include "session/session.h"
#include "wire/wire.h"

#include "collide/v1/collide.pb-c.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QUEUE_CAPACITY 64
#define MS UINT64_C(1000000)

struct conversation {
	struct service service;
	struct workspace *workspace; /* lent to the service */
	bool workspace_taken;
	struct world *other; /* writes into it after each slice */
	struct session *session;
	struct conversation_worlds worlds;

	/* The socket. */
	size_t room;           /* bytes that it takes before the rest waits; SIZE_MAX: all */
	struct buffer arrived; /* what the client has got */
	size_t arrived_read;   /* of it looked at by the test */
	struct buffer waiting; /* what the host still holds */
	size_t waiting_peak;
	size_t sends; /* by the session */
	bool reading;
	bool later_asked;
	const char *closed; /* reason, or NULL */
	bool closed_flushed;

	/* The workers. */
	struct job *queue[QUEUE_CAPACITY];
	size_t queue_count, queue_max;
	bool started_lane[QUEUE_CAPACITY];
	size_t runs;
	enum status submit_status; /* what submit answers when the queue has room */

	/* The notifier, after conversation_let_go_on. */
	size_t calls;                                         /* of the loop by workers that go on */
	void (*meanwhile)(struct conversation *conversation); /* what the loop does whenever a worker looks whether others wait */
};

/* The clock of all conversations. A hook is called once, at the `hook_after`-th reading of the clock from now on. */
void clock_set_ms(uint64_t ms);
void clock_move_ms(uint64_t ms);
void clock_move_ns(uint64_t ns);
void clock_hook(unsigned hook_after, void (*hook)(void *context), void *context);
/* Every reading of the clock moves it by so much: work that takes time. */
void clock_ns_per_reading(uint64_t ns);

struct session_limits conversation_limits(void);
/* A session that has heard nothing yet. */
void conversation_start(struct conversation *conversation, const struct session_limits *limits);
/* The same after Hello and Welcome, with a client that is known to read: its slices are full ones. */
void conversation_open(struct conversation *conversation, const struct session_limits *limits);
/* The client is as new as one that has read nothing. */
void conversation_forget_reading(struct conversation *conversation);
/* From now on workers go on with requests, and `meanwhile` is done at the same time: on the loop, as if it were another thread.
 */
void conversation_let_go_on(struct conversation *conversation, void (*meanwhile)(struct conversation *conversation));
/* Destroys the session, runs what is still queued, and checks that nothing is left under way. */
void conversation_finish(struct conversation *conversation);

/* Feeds bytes as a host would: only while reading is on, later calls served; returns how many the session took. */
size_t say_bytes(struct conversation *conversation, const uint8_t *bytes, size_t count);
/* Feeds all of the buffer and empties it. */
void say(struct conversation *conversation, struct buffer *message);
void say_message(struct conversation *conversation, const Collide__V1__ClientMessage *request);
void say_ping(struct conversation *conversation, uint64_t id);
void say_cancel(struct conversation *conversation, uint64_t id, uint64_t target);
void say_simulate(struct conversation *conversation, uint64_t id, uint32_t count, uint64_t ticks, uint32_t deadline_ms);

/* Gives all jobs of the queue to workers; returns how many. */
size_t take_queue(struct conversation *conversation, struct job *jobs[static QUEUE_CAPACITY]);
/* Takes jobs back from workers, all together. */
void take_back(struct conversation *conversation, struct job *const *jobs, size_t count);
/* The oldest queued request: run by a worker and returned. false: none. */
bool run_one(struct conversation *conversation);
/* Until the queue is empty, later calls served. */
void run_all(struct conversation *conversation);
/* The client reads up to `count` of the waiting bytes. */
void client_reads(struct conversation *conversation, size_t count);

/* The next whole message the client has got, or NULL; freed with release_reply. */
Collide__V1__ServerMessage *next_reply(struct conversation *conversation);
void release_reply(Collide__V1__ServerMessage *reply);
/* Takes the next reply and checks what it is. */
void expect_pong(struct conversation *conversation, uint64_t id);
void expect_cancel_done(struct conversation *conversation, uint64_t id, bool found);
void expect_error(struct conversation *conversation, uint64_t id, enum status status, const char *reason);
/* Frames 1 .. ticks of the request, then SimulateDone, with nothing in between. */
void expect_simulation(struct conversation *conversation, uint64_t id, uint64_t ticks);
/* Frames of the request as far as there are any; returns how many. */
uint64_t skip_frames(struct conversation *conversation, uint64_t id);
void expect_silence(struct conversation *conversation);
void expect_closed(struct conversation *conversation, const char *reason, bool flushed);
uint64_t refusals(const struct conversation *conversation, const char *reason);

#endif
