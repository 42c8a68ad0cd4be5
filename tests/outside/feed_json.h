/* feed_json: fills the checker's columns from a frame as `collide run --format json` prints it, a line each.
 *
 * One thread. With this nothing of the engine is between the wire and the checker. */
#ifndef COLLIDED_TESTS_OUTSIDE_FEED_JSON_H
#define COLLIDED_TESTS_OUTSIDE_FEED_JSON_H

#include "outside/checker.h"

struct feed_json;

/* NULL: no memory. */
struct feed_json *feed_json_create(void);
void feed_json_destroy(struct feed_json *feed);
/* The tick of a line, good until the next call; NULL: it is no frame. */
const struct outside_tick *feed_json_tick(struct feed_json *feed, const char *line, double dt);

#endif
