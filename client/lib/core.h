/* core: limits of the conversation, and what its files share; its functions are the collide_core_ ones of collide.h. */
#ifndef COLLIDE_CLIENT_LIB_CORE_H
#define COLLIDE_CLIENT_LIB_CORE_H

#include "client/lib/collide.h"
#include "client/lib/request_append.h"

/* Bytes of one message from the server. Servers send frames of about Limits.frame_bytes_max, far below; this only keeps a
 * length that is noise (an HTTP server, say) from being waited for. Over it: MALFORMED_REPLY. */
#define CORE_MESSAGE_BYTES_MAX (256u * 1024 * 1024)

/* Bytes of one frame's joined tables unless the options say otherwise: over 20 million contacts, so that no honest server
 * meets it. Over it: FRAME_TOO_LARGE. */
#define CORE_FRAME_BYTES_MAX ((size_t)4 * 1024 * 1024 * 1024)

/* Bytes of room offered per read: fewer system calls for large frames, little memory for an idle connection. */
#define CORE_RECEIVE_BYTES ((size_t)64 * 1024)

/* Appends a request with a large part and returns its id, 0 on failure: core_work.c has the requests. */
uint64_t core_begin_body(struct collide_core *core, const struct request_body *body, struct collide_error *error);

#endif
