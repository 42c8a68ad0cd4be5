/* conn_bytes: moves a connection's bytes between its socket and its memory, as far as that goes without waiting.
 *
 * One thread at a time; owns nothing. */
#ifndef COLLIDE_LOAD_CONN_BYTES_H
#define COLLIDE_LOAD_CONN_BYTES_H

#include "client/lib/bytes.h"
#include "client/lib/collide.h"

/* Sends what the socket takes, and adds how much to *sent. */
bool conn_bytes_send(int descriptor, struct bytes *output, uint64_t *sent, struct collide_error *error);
/* Reads once, and adds how much to *received. *more: the memory was filled, so the socket may hold more. */
bool conn_bytes_receive(int descriptor, struct bytes *input, uint64_t *received, bool *more, struct collide_error *error);
/* Says that the other end does not speak the protocol. Always false. */
bool conn_malformed(struct collide_error *error, const char *what);

#endif
