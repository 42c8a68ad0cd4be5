/* stream_chunk: replies that a worker hands over while it continues with the request.
 *
 *     worker: out is long enough -> chunk, listed, notifier.notify -> continues
 *     loop:   session_on_chunks -> fetched and sent, if nothing waits for the client; else deferred: it stays in the request
 *
 * A request has one chunk. The worker fills it while it is empty, the loop empties it while it is full; `chunk_full` says
 * which of them may touch it. So neither waits for the other. A worker returns the request in four cases:
 *   - the next chunk is ready before the last was fetched
 *   - other requests wait for a worker
 *   - others of the same client wait to be submitted
 *   - frames are longer than a chunk may be
 * So every client gets its share of the workers, and a slow reader costs about as much memory, as if each slice were returned.
 *
 * A client that kept up with its last streamed reply gets longer chunks, after the first of its next reply. The first chunk
 * that has to be deferred, because the client did not read, ends that. */
#ifndef COLLIDED_SESSION_STREAM_CHUNK_H
#define COLLIDED_SESSION_STREAM_CHUNK_H

#include "session/request.h"

/* On a worker: how many bytes of frames to make before stream_chunk_hand_over is asked again. */
size_t stream_chunk_room(struct request *request);
/* On a worker, after them: hands over what there is, if it can; false: the worker must return the request. */
bool stream_chunk_hand_over(struct request *request);

#endif
