/* answers: requests of the kinds Detect, Respond and Query in this process: run to their end in slices, read, or refused.
 *
 * One thread. A test sets its limits with answers_setup. Failures are cmocka's. */
#ifndef COLLIDED_TESTS_SCENE_ANSWERS_H
#define COLLIDED_TESTS_SCENE_ANSWERS_H

#include "support/assert_double.h"

#include "wire/reply_reader.h"

#include "scene/limits.h"
#include "scene/query/query.h"

/* For the requests of a test; the defaults when it begins. */
extern struct scene_limits limits;
/* What was wrong with the last request. */
extern struct wire_problem problem;

/* cmocka's setup of a test. */
int answers_setup(void **state);
/* For query_run; the latter counts how often it was asked in an unsigned. */
bool stop_never(void *context);
bool stop_always(void *context);
/* Runs to the end in slices, into `out`, and destroys the query; returns how many calls it took. */
size_t run_all(struct query *query, size_t slice_bytes, struct buffer *out);
/* The one message of the small reply of a query that was made; `status` is what making it gave. To be released. */
Collide__V1__ServerMessage *answer_of(enum status status, struct query *query, uint64_t request_id);
void release(Collide__V1__ServerMessage *message);
/* Asserts that a query was not made, and what the problem is. */
void refusal_check(enum status given, const struct query *query, enum status status, const char *reason, const char *field);
/* All columns of the schema with numbers below `full_below` have a value a row, the others none; so no field was forgotten. */
void columns_are_full(const ProtobufCMessage *message, size_t rows, unsigned full_below);

#endif
