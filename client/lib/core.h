/* core: limits of the conversation, and what its files share. Its functions are the collide_core_ ones of collide.h. */
#ifndef COLLIDE_CLIENT_LIB_CORE_H
#define COLLIDE_CLIENT_LIB_CORE_H

#include "client/lib/collide.h"
#include "client/lib/request_append.h"

/* Bytes of one message from the server. Frames have about Limits.frame_bytes_max, far below this. The limit is for lengths that
 * are noise (from an HTTP server, say), which would be waited for. Over it: MALFORMED_REPLY. */
#define CORE_MESSAGE_BYTES_MAX (256u * 1024 * 1024)

/* Bytes of one frame's joined tables unless the options say otherwise: over 20 million contacts, which no honest server
 * reaches. Over it: FRAME_TOO_LARGE. */
#define CORE_FRAME_BYTES_MAX ((size_t)4 * 1024 * 1024 * 1024)

/* Bytes of space offered per read: few system calls for large frames, little memory for an idle connection. */
#define CORE_RECEIVE_BYTES ((size_t)64 * 1024)

/* Appends a request with a large part. Returns its id, 0 on failure. core_work.c has the requests. */
uint64_t core_begin_body(struct collide_core *core, const struct request_body *body, struct collide_error *error);

#endif
