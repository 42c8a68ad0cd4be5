/* request: appends framed ClientMessages to a queue of bytes.
 *
 * One thread at a time; owns nothing. Columns are read where the caller has them and copied once, into the output. */
#ifndef COLLIDE_CLIENT_LIB_REQUEST_H
#define COLLIDE_CLIENT_LIB_REQUEST_H

#include "client/lib/bytes.h"
#include "client/lib/collide.h"
#include "collide/v1/collide.pb-c.h"

/* Appends a small message whole. Fails over body_bytes_max (0: no limit but the framing's) or without memory. */
bool request_append(struct bytes *out, const Collide__V1__ClientMessage *message, uint32_t body_bytes_max,
                    struct collide_error *error);
/* Appends a Simulate; the scene is packed straight into its place. */
bool request_append_simulate(struct bytes *out, uint64_t request_id, const struct collide_simulation *simulation,
                             uint32_t body_bytes_max, struct collide_error *error);

#endif
