/* Stream chunks on the loop: fetched and sent while the client reads, else deferred until it has. */
#include "session/session_private.h"

#include "base/check.h"
#include "session/limits.h"

static void
session_fetch(struct session *session, struct request *request)
{
	request_charge(request, request->chunk_held_bytes);
	session_take_replies(session, &request->chunk);
	/* Long replies, whatever is left for the end: few requests at a time (session_may_ask). */
	session->slice_bytes = session->slice_bytes > SESSION_SLICE_BYTES ? session->slice_bytes : SESSION_SLICE_BYTES;
	atomic_store(&request->slice_room, session_slice_room(session));
	atomic_store(&request->chunk_full, false); /* from here on it is the worker's */
}

/* A chunk that has just been filled. */
void
session_receive_chunk(struct session *session, struct request *request)
{
	request_leave_queue(request);
	session->stream_count += request->streaming ? 0 : 1;
	request->streaming = true;
	session_flush(session);
	if (!request->session)
		return; /* that was its end */
	if (session_has_sent_all(session)) {
		session_fetch(session, request);
	} else {
		request->deferred = request->was_deferred = true;
		session->deferred_count++;
		session->keeps_up = false;
	}
}

void
session_fetch_deferred(struct session *session)
{
	if (session->deferred_count == 0 || !session_has_sent_all(session))
		return;
	/* The end of the session, should a flush come to that, leaves none. */
	for (struct request *request = session->requests; request && session->deferred_count > 0; request = request->next) {
		if (request->deferred && session_has_sent_all(session)) {
			request->deferred = false;
			session->deferred_count--;
			session_fetch(session, request);
			session_flush(session);
		}
	}
}

void
session_take_last_chunk(struct session *session, struct request *request)
{
	CHECK(!request->listed);
	session->stream_count -= request->streaming ? 1 : 0;
	session->keeps_up = request->streaming ? request->finished && !request->was_deferred : session->keeps_up;
	session->deferred_count -= request->deferred ? 1 : 0;
	request->keeps_up = request->keeps_up && !request->was_deferred;
	request->long_chunks = request->long_chunks && request->keeps_up;
	request->streaming = request->deferred = false;
	if (atomic_load(&request->chunk_full))
		session_fetch(session, request);
}

void
session_ask_to_return(struct session *session)
{
	for (struct request *request = session->requests; request; request = request->next)
		atomic_store(&request->must_return, true);
}
