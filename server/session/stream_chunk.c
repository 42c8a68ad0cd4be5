#include "session/stream_chunk.h"

#include "base/check.h"
#include "session/limits.h"

static_assert(SESSION_CHUNK_BYTES <= SESSION_CHUNK_BYTES_MAX, "most chunks can be handed over");
static_assert(2 * SESSION_CHUNK_BYTES_MAX + SESSION_CHUNK_BYTES <= SESSION_SLICE_BYTES + 3 * SESSION_QUEUE_PAUSE_BYTES / 2,
              "going on costs about as much memory as returning");
static_assert(3 * SESSION_CHUNK_LONG_BYTES + 2 * SESSION_CHUNK_BYTES_MAX <= 1024 * 1024, "a client that kept up may cost 1 MB");

static_assert(SESSION_QUEUE_PAUSE_BYTES + 2 * SESSION_SLICES_SUBMITTED_MAX * SESSION_SLICE_BYTES_LEAST <= 128 * 1024,
              "what a client that never reads may cost, beside its frames");

/* Those of a client that keeps up may be longer, those of one that has read little are shorter. A chunk is longer than this by
 * at most one part of a frame, as long as any chunk may be. */
static size_t
chunk_bytes(const struct request *request)
{
	size_t bytes = request->long_chunks ? SESSION_CHUNK_LONG_BYTES : SESSION_CHUNK_BYTES,
		   room = atomic_load(&request->slice_room);
	return bytes < room ? bytes : room;
}

static size_t
chunk_bytes_max(const struct request *request)
{
	return request->long_chunks ? SESSION_CHUNK_LONG_BYTES + SESSION_CHUNK_BYTES_MAX : SESSION_CHUNK_BYTES_MAX;
}

static bool
others_wait(const struct service *service)
{
	return service->notifier.others_wait(service->notifier.context);
}

size_t
stream_chunk_room(struct request *request)
{
	request->whole = !request->service->notifier.notify || request->too_long || others_wait(request->service);
	/* Not while a chunk is not fetched, even if others have come to wait since it was filled. */
	request->whole = request->whole && !atomic_load(&request->chunk_full);
	return request->whole ? atomic_load(&request->slice_room) : chunk_bytes(request);
}

/* Puts a request with a filled chunk into the list, which the loop takes as a whole. */
static void
chunk_list(struct request *request)
{
	struct service *service = request->service;
	struct request *first = atomic_load(&service->chunks);
	request->listed = true;
	do {
		request->next_chunk = first;
	} while (!atomic_compare_exchange_weak(&service->chunks, &first, request));
	if (!first) /* else the loop has been called already */
		service->notifier.notify(service->notifier.context);
}

static void
chunk_fill(struct request *request)
{
	size_t count = request->out.count;
	request->chunk = request->out;
	buffer_init(&request->out);
	request->final_offset = 0;
	request->long_chunks = request->keeps_up;
	request->chunk_held_bytes = request_memory_bytes(request) + request->chunk.capacity;
	atomic_store(&request->chunk_full, true);
	chunk_list(request);
	/* The next is about as long, or long. */
	buffer_reserve(&request->out, count < chunk_bytes(request) ? chunk_bytes(request) : count);
}

bool
stream_chunk_hand_over(struct request *request)
{
	size_t count = request->out.count;
	request->too_long = request->too_long || (!request->whole && count > chunk_bytes_max(request));
	if (!request->service->notifier.notify || count == 0 || count > chunk_bytes_max(request) ||
	    atomic_load(&request->chunk_full) || atomic_load(&request->must_return) || others_wait(request->service))
		return false;
	chunk_fill(request);
	return true;
}
