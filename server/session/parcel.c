#include "session/parcel.h"

#include "base/check.h"
#include "session/limits.h"
#include "session/session_private.h"

static_assert(SESSION_PARCEL_BYTES <= SESSION_PARCEL_BYTES_MAX, "most parcels can be handed over");
static_assert(2 * SESSION_PARCEL_BYTES_MAX + SESSION_PARCEL_BYTES <= SESSION_SLICE_BYTES + 3 * SESSION_QUEUE_PAUSE_BYTES / 2,
              "going on costs about as much memory as coming home");
static_assert(3 * SESSION_PARCEL_LONG_BYTES + 2 * SESSION_PARCEL_BYTES_MAX <= 1024 * 1024, "who read on may cost 1 MB");

/* ---- On a worker ---- */

/* Those of a client that reads on may be longer, by at most one part of a frame as long as any parcel may be. */
static size_t
parcel_bytes(const struct request *request)
{
	return request->long_parcels ? SESSION_PARCEL_LONG_BYTES : SESSION_PARCEL_BYTES;
}

static size_t
parcel_bytes_max(const struct request *request)
{
	return request->long_parcels ? SESSION_PARCEL_LONG_BYTES + SESSION_PARCEL_BYTES_MAX : SESSION_PARCEL_BYTES_MAX;
}

static bool
others_wait(const struct service *service)
{
	return service->courier.others_wait(service->courier.context);
}

size_t
parcel_room(struct request *request)
{
	request->whole = request->service->courier.call == NULL || request->too_long || others_wait(request->service);
	/* Not beside a parcel that is not fetched, whoever has come to wait since it was filled. */
	request->whole = request->whole && !atomic_load(&request->parcel_full);
	return request->whole ? SESSION_SLICE_BYTES : parcel_bytes(request);
}

/* Puts a request whose parcel has been filled into the list, which the loop takes as a whole. */
static void
parcel_list(struct request *request)
{
	struct service *service = request->service;
	struct request *first = atomic_load(&service->parcels);
	request->listed = true;
	do {
		request->next_parcel = first;
	} while (!atomic_compare_exchange_weak(&service->parcels, &first, request));
	if (first == NULL) { /* else the loop has been called already */
		service->courier.call(service->courier.context);
	}
}

static void
parcel_fill(struct request *request)
{
	size_t count = request->out.count;
	request->parcel = request->out;
	buffer_init(&request->out);
	request->final_offset = 0;
	request->long_parcels = request->reads_on;
	request->parcel_held_bytes = request_memory_bytes(request) + request->parcel.capacity;
	atomic_store(&request->parcel_full, true);
	parcel_list(request);
	/* The next is about as long, or long. */
	buffer_reserve(&request->out, count < parcel_bytes(request) ? parcel_bytes(request) : count);
}

bool
parcel_go_on(struct request *request)
{
	size_t count = request->out.count;
	request->too_long = request->too_long || (!request->whole && count > parcel_bytes_max(request));
	if (request->service->courier.call == NULL || count == 0 || count > parcel_bytes_max(request) ||
	    atomic_load(&request->parcel_full) || atomic_load(&request->come_home) || others_wait(request->service)) {
		return false;
	}
	parcel_fill(request);
	return true;
}

/* ---- On the loop ---- */

static void
session_fetch(struct session *session, struct request *request)
{
	request_charge(request, request->parcel_held_bytes);
	session_take_replies(session, &request->parcel);
	/* Long replies, whatever is left for the end: few requests at a time (session_may_ask). */
	session->slice_bytes = session->slice_bytes > SESSION_SLICE_BYTES ? session->slice_bytes : SESSION_SLICE_BYTES;
	atomic_store(&request->parcel_full, false); /* from here on it is the worker's */
}

bool
session_has_sent_all(const struct session *session)
{
	return session->queued_bytes + session->out.count == 0;
}

/* A parcel that has just been filled. */
static void
session_receive_parcel(struct session *session, struct request *request)
{
	session->stream_count += request->streams ? 0 : 1;
	request->streams = true;
	session_flush(session);
	if (request->session == NULL) {
		return; /* that was its end */
	}
	if (session_has_sent_all(session)) {
		session_fetch(session, request);
	} else {
		request->left = request->was_left = true;
		session->left_count++;
		session->reads_on = false;
	}
}

void
session_fetch_left(struct session *session)
{
	if (session->left_count == 0 || !session_has_sent_all(session)) {
		return;
	}
	/* The end of the session, should a flush come to that, leaves none. */
	for (struct request *request = session->requests; request != NULL && session->left_count > 0; request = request->next) {
		if (request->left && session_has_sent_all(session)) {
			request->left = false;
			session->left_count--;
			session_fetch(session, request);
			session_flush(session);
		}
	}
}

void
session_take_last_parcel(struct session *session, struct request *request)
{
	CHECK(!request->listed);
	session->stream_count -= request->streams ? 1 : 0;
	session->reads_on = request->streams ? request->finished && !request->was_left : session->reads_on;
	session->left_count -= request->left ? 1 : 0;
	request->reads_on = request->reads_on && !request->was_left;
	request->long_parcels = request->long_parcels && request->reads_on;
	request->streams = request->left = false;
	if (atomic_load(&request->parcel_full)) {
		session_fetch(session, request);
	}
}

void
session_call_home(struct session *session)
{
	for (struct request *request = session->requests; request != NULL; request = request->next) {
		atomic_store(&request->come_home, true);
	}
}

/* Oldest first. */
static struct request *
parcels_take(struct service *service)
{
	struct request *newest = atomic_exchange(&service->parcels, NULL), *list = NULL;
	while (newest != NULL) {
		struct request *next = newest->next_parcel;
		newest->next_parcel = list;
		list = newest;
		newest = next;
	}
	return list;
}

void
session_on_parcels(struct service *service)
{
	struct request *next = NULL;
	for (struct request *request = parcels_take(service); request != NULL; request = next) {
		next = request->next_parcel;
		request->listed = false;
		if (request->session != NULL) {
			session_add_returned(request->session);
			session_receive_parcel(request->session, request);
		}
	}
	session_settle_returned(service);
}
