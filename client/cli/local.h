/* local: the daemon's engine in this process, behind the same bytes.
 *
 * Requests and replies pass through the protocol as they would over a socket, so that everything after it cannot tell. */
#ifndef COLLIDE_CLI_LOCAL_H
#define COLLIDE_CLI_LOCAL_H

#include "client/lib/collide.h"

/* As collide_simulate, with the limits that a daemon has by default, on one thread. */
COLLIDE_MUST_USE bool local_simulate(const struct collide_simulation *simulation, collide_frame_fn on_frame, void *context,
                                     struct collide_done *done, struct collide_error *error);

/* The same on up to so many threads, with every message handed to `record` (collide_core_record); it may be NULL. */
COLLIDE_MUST_USE bool local_simulate_recorded(const struct collide_simulation *simulation, unsigned threads,
                                              collide_frame_fn on_frame, void *context, collide_record_fn record,
                                              void *record_context, struct collide_done *done, struct collide_error *error);

/* As collide_detect, collide_respond and collide_query; `record` may be NULL. */
COLLIDE_MUST_USE bool local_detect(const struct collide_detection *detection, collide_detected_fn on_part, void *context,
                                   collide_record_fn record, void *record_context, struct collide_error *error);
COLLIDE_MUST_USE bool local_respond(const struct collide_response *response, collide_responded_fn on_part, void *context,
                                    collide_record_fn record, void *record_context, struct collide_error *error);
COLLIDE_MUST_USE bool local_query(const struct collide_questions *questions, collide_queried_fn on_part, void *context,
                                  collide_record_fn record, void *record_context, struct collide_error *error);

#endif
