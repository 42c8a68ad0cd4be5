/* session: one client's conversation, from its first byte to its last reply.
 *
 *     on_bytes -> framer -> Hello, Ping, Cancel: answered here
 *                        -> all else: a request; its job is submitted to a worker.
 *     Returned, it brings a slice of replies, which is sent. Once the client has read enough, it is submitted again.
 *
 * Loop thread only. It knows no socket, thread or clock: the outside is struct session_host, so that a whole conversation
 * runs in a test from one seed. Owns the requests that are not submitted, and what has not been sent.
 *
 * What can go wrong: framing broken, or anything but Hello first: one Error, requests dropped, close after it is flushed. A
 * well-formed message that means nothing good: an Error, the conversation goes on. A slow reader: its requests are not read and
 * no slices are asked for. No memory: the request it was wanted for fails.
 *
 * Reasons have one list, in the schema (Error.reason). They are counted: refusals in the group "refusal", the ends of
 * connections in "close", under the reason of the Error that they ended with if there was one. */
#ifndef COLLIDED_SESSION_SESSION_H
#define COLLIDED_SESSION_SESSION_H

#include "base/status.h"
#include "session/service.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct shared_bytes;
struct job;

/* At once: replies of its own, and one body that others may hold. */
#define SESSION_BLOCKS_MAX 2

/* The outside. No function calls back into the session. `context` is the host's, one per session. */
struct session_host {
	/* Takes the bytes of up to SESSION_BLOCKS_MAX blocks to the client, one after the other, and the session's hold on each.
	 * Returns how many bytes still wait; the host reports those with session_on_sent as they go. */
	size_t (*send)(void *context, struct shared_bytes *const *blocks, size_t count);
	/* Stop or go on delivering bytes; takes effect at once. Sessions start reading. */
	void (*set_reading)(void *context, bool reading);
	/* To a worker, which runs it (base/job.h); then job->done on the loop. `started`: not the first slice of a request; it was
	 * admitted and is not to be refused. Not STATUS_OK: refused, the session keeps it. */
	enum status (*submit)(void *context, struct job *job, bool started);
	/* Takes a job back that was submitted and that no worker has begun; false: it is too late. NULL: it always is. */
	bool (*withdraw)(void *context, struct job *job);
	/* Calls session_on_later soon, once other connections have been served. */
	void (*call_later)(void *context);
	/* Sends what waits if `flush`, then ends the connection and, later, calls session_destroy. `reason` is static. */
	void (*close)(void *context, const char *reason, bool flush);
};

struct session;

/* Borrows service and host; holds the account, NULL: the service's common one. NULL without memory. */
struct session *session_create(struct service *service, struct account *account, const struct session_host *host,
                               void *host_context);
/* The client is gone: requests that are ready end now; those submitted are cancelled, and end when they are returned. */
void session_destroy(struct session *session);

/* Bytes from the client; not while reading is off, nor after session_on_end. */
void session_on_bytes(struct session *session, const uint8_t *bytes, size_t count);
/* The client will send no more; it still gets its replies. */
void session_on_end(struct session *session);
/* `count` more bytes of those that send left waiting are gone. */
void session_on_sent(struct session *session, size_t count);
/* After call_later. */
void session_on_later(struct session *session);
/* Every 100 ms or so: deadlines. */
void session_on_time(struct session *session);
/* The process stood still for so long: a client that was silent meanwhile may have spoken. Before session_on_time. A request's
 * own deadline stays. */
void session_forgive(struct session *session, uint64_t stood_ns);

/* After job->done of all jobs that have been returned: what they bring for one client goes out together. To be called before
 * anything else happens to a session. The functions above do so themselves. */
void session_settle_returned(struct service *service);

/* After notifier.notify: requests that are still with workers have something for their clients. To be called between taking
 * jobs back from workers and job->done: their chunks come first, and none may be in the list that is released. */
void session_on_chunks(struct service *service);

/* The server is going away: nothing new is admitted, and the connection closes when what is under way is answered. One with
 * seats or subscriptions is told how long worlds still live. */
void session_drain(struct session *session, uint32_t grace_ms);
/* It cannot wait any longer: what is under way gets an Error UNAVAILABLE, then the connection closes. */
void session_abort(struct session *session);

/* What the client called itself, "" before Hello; at most 128 bytes, not terminated, any bytes. */
const uint8_t *session_client_name(const struct session *session, size_t *count);
/* Bytes of replies that wait for the client. */
size_t session_queued_bytes(const struct session *session);
/* Its context, as session_create was given it. */
void *session_host_context(const struct session *session);
/* Whether the client has said anything but Hello and Ping: else it only looked whether the server is there. */
bool session_was_used(const struct session *session);

#endif
