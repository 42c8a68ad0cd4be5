/* session_private: the parts of a conversation, shared by the files of this folder that are about sessions. */
#ifndef COLLIDED_SESSION_SESSION_PRIVATE_H
#define COLLIDED_SESSION_SESSION_PRIVATE_H

#include "base/buffer.h"
#include "session/framer.h"
#include "session/request.h"
#include "session/session.h"
#include "wire/limits.h"
#include "wire/wire.h"
#include "worlds/registry/worlds.h"

enum session_phase {
	SESSION_HELLO, /* nothing but Hello is welcome */
	SESSION_OPEN,
	SESSION_CLOSED, /* the host was told to close; nothing is done any more */
};

/* All loop only. */
struct session {
	struct service *service;
	struct account *account;
	struct session *next_of_account, *previous_of_account;
	struct session *next_in_line; /* of the account's (turns.h) */
	bool in_line;
	const struct session_host *host;
	void *host_context;
	enum session_phase phase;
	bool input_ended; /* half-closed by the client */
	bool draining;    /* the server is going away */
	bool was_used;    /* it has said more than Hello and Ping */
	uint8_t client_name[WIRE_CLIENT_NAME_BYTES_MAX];
	size_t client_name_count;

	/* Input. `held` is what was received but not yet looked at, because too many replies wait, or too many messages came at
	 * once.
	 */
	struct framer framer;
	uint8_t *held;
	size_t held_count, held_offset; /* bytes not looked at, and how many before them were */
	uint64_t input_charged_bytes;   /* of the framer's buffer, in the service's account */
	bool reading;                   /* as the host was told */
	bool later_asked;               /* call_later is under way */
	uint64_t opened_ns;
	uint64_t active_ns;      /* of the last byte in either direction */
	uint64_t frame_begin_ns; /* of the first byte of the message being received, time spent blocked added */
	uint64_t blocked_ns;     /* since when the client has too many replies waiting; 0: it has not */

	/* Output. */
	struct buffer out;    /* whole replies for the next flush */
	size_t queued_bytes;  /* with the host, not yet gone */
	uint64_t taken_bytes; /* that are gone */

	/* Requests. */
	struct request *requests; /* all of this connection, newest first */
	size_t request_count;
	size_t submitted_count;                   /* of them, those submitted */
	size_t stream_count;                      /* of those, the ones that have filled a chunk */
	size_t deferred_count;                    /* of those, the ones with a deferred chunk */
	bool keeps_up;                            /* it was sent its last streamed reply as fast as it was made */
	size_t slice_bytes;                       /* about the longest slice of late; a full one before the first */
	struct request *ready_first, *ready_last; /* to be submitted, once the reader or others leave room */

	struct worlds_client worlds; /* its seats and readers of worlds */

	/* In the service's list of those with something new to say, while jobs or chunks are taken. */
	bool returned;
	bool settling; /* then it is not put there */
	struct session *next_returned;
};

/* Each file may call those above it in this list; request.h, framer.h and service.h are below all of them. */

/* request_list.c */
void session_add_request(struct session *session, struct request *request);
void session_remove_request(struct session *session, struct request *request);
void session_push_ready(struct session *session, struct request *request);
void session_remove_ready(struct session *session, struct request *request);
struct request *session_find_request(const struct session *session, uint64_t request_id);
/* Removes it from the session, and releases it. */
void session_end_request(struct session *session, struct request *request);
/* Forgets all requests without replies; those submitted are cancelled, and released when they are returned. */
void session_drop_requests(struct session *session);

/* session_output.c */
/* The client is slow: more replies wait for it than may, or it has not read half of them since. */
bool session_is_blocked(const struct session *session);
/* Nothing waits for the client. */
bool session_has_sent_all(const struct session *session);
/* Longest slice or chunk that it is to be sent, by what it has taken so far. */
size_t session_slice_room(const struct session *session);
/* Gives the replies so far to the host. */
void session_flush(struct session *session);
/* The same, and then `shared`; takes the hold on it. */
void session_flush_with(struct session *session, struct shared_bytes *shared);
/* Moves replies behind those that wait for the next flush, without a copy if there are none. */
void session_take_replies(struct session *session, struct buffer *replies);
/* Appends an Error to the replies and counts it. */
void session_refuse(struct session *session, uint64_t request_id, const struct wire_problem *problem);
/* One Error, then the end: requests are dropped. */
void session_fail(struct session *session, uint64_t request_id, const struct wire_problem *problem);
/* Ends the conversation from this side. */
void session_close(struct session *session, const char *reason, bool flush);
/* The same for what is wrong with the stream itself and belongs to no request. */
void session_fail_framing(struct session *session, enum status status, const char *reason, const char *text);
/* What a request is told that comes too late; returns its status. */
enum status session_problem_shutdown(struct wire_problem *problem);
/* Puts a session into the service's list for session_settle_returned, once. */
void session_add_returned(struct session *session);

/* Ends a request that is ready, with request->problem as its final reply. */
void session_finish_ready(struct session *session, struct request *request);
/* session_on_later is called soon, and settles the session. */
void session_ask_later(struct session *session);

/* chunk_fetch.c */
/* A chunk that has just been filled: fetched, or deferred. */
void session_receive_chunk(struct session *session, struct request *request);
/* Fetches the deferred chunks, while nothing waits for the client. */
void session_fetch_deferred(struct session *session);
/* That of a request which is being returned, if it has one. */
void session_take_last_chunk(struct session *session, struct request *request);
/* Workers are to return this client's requests, so that others of it can be submitted. */
void session_ask_to_return(struct session *session);

/* job_return.c: the `done` of each request's job: takes its replies. The session is settled with session_settle_returned. */
void session_on_job(struct job *job);

/* admission.c */
/* Makes a request of the framer's complete message, or refuses it. It is submitted when the session is settled. */
void session_admit(struct session *session, const struct request_envelope *envelope);
/* Whether the client may have one more request under way. */
enum status session_check_in_flight(const struct session *session, struct wire_problem *problem);
/* Submits requests that are ready, while the client has little enough to read. */
void session_ask_for_slices(struct session *session);
/* Ends those that are past their deadline, of the ready ones and those that wait for something from elsewhere. */
void session_check_deadlines(struct session *session);

/* session.c */
/* What every entry ends with: replies out, slices asked for, the host told what is wanted. */
void session_settle(struct session *session);
/* Keeps the service's account of what the framer holds. */
void session_charge_input(struct session *session);

/* control.c: the answers, in the rows of request_kind.c; input.c calls them. */
void session_answer_hello(struct session *session, uint64_t request_id, const Collide__V1__ClientMessage *request);
/* Worlds go on for so long. */
void session_tell_draining(struct session *session, uint32_t grace_ms);
void session_answer_ping(struct session *session, uint64_t request_id, const Collide__V1__ClientMessage *request);
void session_answer_cancel(struct session *session, uint64_t request_id, const Collide__V1__ClientMessage *request);

#endif
