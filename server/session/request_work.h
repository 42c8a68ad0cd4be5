/* request_work: what workers do for the kinds of requests that are answered slice by slice: functions for the rows in
 * request_kind.c.
 *
 * Called by the worker that owns the request; release and memory_bytes by its owner. */
#ifndef COLLIDED_SESSION_REQUEST_WORK_H
#define COLLIDED_SESSION_REQUEST_WORK_H

#include "base/arena.h"
#include "wire/wire.h"

struct request;
struct session;

/* work_simulate.c: a simulation (scene/run/simulation.h), stepped in a workspace and handed over in stream chunks
 * (stream_chunk.h). */
STATUS_MUST_USE enum status work_simulate_create(struct request *request, const Collide__V1__ClientMessage *message,
                                                 struct arena *arena);
void work_simulate_run(struct request *request);
void work_simulate_release(void *simulation);
size_t work_simulate_memory_bytes(const void *simulation);

/* work_query.c: a query (scene/query/query.h), which all three become. */
STATUS_MUST_USE enum status work_detect_create(struct request *request, const Collide__V1__ClientMessage *message,
                                               struct arena *arena);
STATUS_MUST_USE enum status work_respond_create(struct request *request, const Collide__V1__ClientMessage *message,
                                                struct arena *arena);
STATUS_MUST_USE enum status work_query_create(struct request *request, const Collide__V1__ClientMessage *message,
                                              struct arena *arena);
void work_query_run(struct request *request);
/* Whether it is about the moment of a world, which it asks for then. */
bool work_query_waits(struct session *session, struct request *request);
void work_query_release(void *query);
size_t work_query_memory_bytes(const void *query);

#endif
