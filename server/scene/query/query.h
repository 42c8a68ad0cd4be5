/* query: a Detect, a Respond or a Query under way: its shapes, how far it is, and the rows not yet sent.
 *
 * One thread at a time. Rows go out in parts: a query holds its shapes and one part, however many pairs there are. It stops
 * between rows: a slow reader, a cancel or a deadline never waits for all of them. Keeps nothing of the request or the arena.
 */
#ifndef COLLIDED_SCENE_QUERY_QUERY_H
#define COLLIDED_SCENE_QUERY_QUERY_H

#include "scene/scene.h"

struct query;
struct shared_space;

/* Checks every field. INVALID_ARGUMENT (BAD_FIELD) or RESOURCE_EXHAUSTED (LIMIT, MEMORY), with the field's path. */
STATUS_MUST_USE enum status query_create_detect(const Collide__V1__Detect *request, const struct scene_limits *limits,
                                                uint64_t request_id, struct arena *arena, struct query **out,
                                                struct wire_problem *problem);
STATUS_MUST_USE enum status query_create_respond(const Collide__V1__Respond *request, const struct scene_limits *limits,
                                                 uint64_t request_id, struct arena *arena, struct query **out,
                                                 struct wire_problem *problem);
STATUS_MUST_USE enum status query_create_questions(const Collide__V1__Query *request, const struct scene_limits *limits,
                                                   uint64_t request_id, struct arena *arena, struct query **out,
                                                   struct wire_problem *problem);
/* What a Query is about, if that is the moment of a world which it has not got so far; NULL: it has all that it needs. Valid
 * until query_space_give. */
const Collide__V1__WorldMoment *query_moment(const struct query *query);
/* Takes the space of that moment. */
void query_space_give(struct query *query, struct shared_space *space);
void query_destroy(struct query *query);

enum query_progress { QUERY_MORE, QUERY_DONE, QUERY_FAILED };

/* Computes rows and appends parts to `out` until `slice_bytes` of them are there, or `stop(context)` is true (asked every few
 * hundred rows, or after each question), or all is computed. QUERY_DONE: the last part is still to be appended with
 * query_done_append. QUERY_FAILED: no memory; parts appended so far are valid. */
enum query_progress query_run(struct query *query, size_t slice_bytes, bool (*stop)(void *context), void *context,
                              struct buffer *out, struct wire_problem *problem);
/* Appends the final reply: the last rows and the counts. */
void query_done_append(const struct query *query, struct buffer *out);
size_t query_memory_bytes(const struct query *query);

#endif
