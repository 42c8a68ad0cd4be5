/* session_private: the parts of a conversation, shared by session.c, input.c, control.c and admission.c. */
#ifndef COLLIDED_SESSION_SESSION_PRIVATE_H
#define COLLIDED_SESSION_SESSION_PRIVATE_H

#include "base/buffer.h"
#include "session/framer.h"
#include "session/request.h"
#include "session/session.h"
#include "wire/limits.h"
#include "wire/wire.h"

enum session_phase {
	SESSION_HELLO, /* nothing but Hello is welcome */
	SESSION_OPEN,
	SESSION_CLOSED, /* the host was told to close; nothing is done any more */
};

/* All loop only. */
struct session {
	struct service *service;
	const struct session_host *host;
	void *host_context;
	enum session_phase phase;
	bool input_ended; /* half-closed by the client */
	bool draining;    /* the server is going away */
	uint8_t client_name[WIRE_CLIENT_NAME_BYTES_MAX];
	size_t client_name_count;

	/* Input. `held` is what was received but not yet looked at, because the replies or the turn were full. */
	struct framer framer;
	uint8_t *held;
	size_t held_count, held_offset; /* bytes not looked at, and how many before them were */
	uint64_t input_charged_bytes;   /* of the framer's buffer, in the service's account */
	bool reading;                   /* as the host was told */
	bool later_asked;                /* call_later is under way */
	uint64_t opened_ns;
	uint64_t active_ns;      /* of the last byte in either direction */
	uint64_t frame_begin_ns; /* of the first byte of the message being received, time spent blocked added */
	uint64_t blocked_ns;     /* since when the client has too many replies waiting; 0: it has not */

	/* Output. */
	struct buffer out;   /* whole replies of this turn */
	size_t queued_bytes; /* with the host, not yet gone */

	/* Requests. */
	struct request *requests; /* all of this connection, newest first */
	size_t request_count;
	size_t away_count;                        /* of them with workers */
	size_t stream_count;                      /* of those, the ones that have sent parcels */
	size_t left_count;                        /* of those, the ones whose parcel was left until the client has read */
	bool reads_on;                            /* it was sent the last reply in parcels as they were made */
	size_t slice_bytes;                       /* about the longest slice of late; a full one before the first */
	struct request *ready_first, *ready_last; /* at home, waiting for the reader or for their turn */

	/* In the service's list of those with something new to say, while jobs or parcels are taken. */
	bool returned;
	struct session *next_returned;
};

/* Puts a session into that list, once, for session_settle_returned. */
void session_add_returned(struct session *session);

/* Appends an Error to the replies and counts it. */
void session_refuse(struct session *session, uint64_t request_id, const struct wire_problem *problem);
/* One Error, then the end: requests are dropped. */
void session_fail(struct session *session, uint64_t request_id, const struct wire_problem *problem);
/* Ends the conversation from this side. */
void session_close(struct session *session, const char *reason, bool flush);
/* The same for what is wrong with the stream itself and belongs to no request. */
void session_fail_framing(struct session *session, enum status status, const char *reason, const char *text);
/* Gives the replies so far to the host. */
void session_flush(struct session *session);
/* And bytes that follow them, whose hold it takes. */
void session_flush_with(struct session *session, struct body *shared);
/* What every entry ends with: replies out, slices asked for, the host told what is wanted. */
void session_settle(struct session *session);
/* Keeps the service's account of what the framer holds. */
void session_charge_input(struct session *session);
struct request *session_find_request(const struct session *session, uint64_t request_id);

/* control.c: a request with an `answer`, unpacked and answered. */
void session_handle_control(struct session *session, uint64_t request_id, const struct request_kind *kind, const uint8_t *bytes,
                            size_t count);

/* The answers, in the rows of request_kind.c. */
void session_answer_hello(struct session *session, uint64_t request_id, const Collide__V1__ClientMessage *request);
void session_answer_ping(struct session *session, uint64_t request_id, const Collide__V1__ClientMessage *request);
void session_answer_cancel(struct session *session, uint64_t request_id, const Collide__V1__ClientMessage *request);

/* admission.c: makes a request of the framer's complete message, or refuses it. It is submitted when the turn ends. */
void session_admit(struct session *session, uint64_t request_id, const struct request_kind *kind);
/* What is said to whoever comes too late; returns its status. */
enum status session_problem_shutdown(struct wire_problem *problem);
/* Submits requests that are at home, while the client has little enough to read. */
void session_ask_for_slices(struct session *session);
/* Ends a request that is at home, waiting for the reader, with request->problem as its final reply. */
void session_finish_ready(struct session *session, struct request *request);
/* Ends the ones whose deadline has passed among those. */
void session_check_deadlines(struct session *session);
/* Forgets all requests without replies; those away come back to nobody. */
void session_drop_requests(struct session *session);

/* Nothing waits for the client. */
bool session_has_sent_all(const struct session *session);
/* Moves replies behind those of this turn, without a copy if there are none. */
void session_take_replies(struct session *session, struct buffer *replies);

/* parcel.c: fetches the parcels that were left, while nothing waits for the client. */
void session_fetch_left(struct session *session);
/* That of a request which is home, if it has one. */
void session_take_last_parcel(struct session *session, struct request *request);
/* Workers come home with this client's requests, so that others of it get their turn. */
void session_call_home(struct session *session);

/* The `done` of each request's job: takes its replies. The session is settled with session_settle_returned. */
void session_on_job(struct job *job);
/* Takes a request back from a worker; its session, or NULL if that is gone. *answered: false if there was no memory even
 * for its final reply. */
struct session *session_return_request(struct request *request, bool *answered);

/* The client is slow: more replies wait for it than may, or it has not read half of them since. */
bool session_is_blocked(const struct session *session);

#endif
