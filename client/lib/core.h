/* core: limits of the conversation; its functions are the collide_core_ ones of collide.h. */
#ifndef COLLIDE_CLIENT_LIB_CORE_H
#define COLLIDE_CLIENT_LIB_CORE_H

#include "client/lib/collide.h"

/* Bytes of one message from the server. Servers send frames of about Limits.frame_bytes_max, far below; this only keeps a
 * length that is noise (an HTTP server, say) from being waited for. Over it: MALFORMED_REPLY. */
#define CORE_MESSAGE_BYTES_MAX (256u * 1024 * 1024)

/* Bytes of one frame's joined tables unless the options say otherwise: over 20 million contacts, so that no honest server
 * meets it. Over it: FRAME_TOO_LARGE. */
#define CORE_FRAME_BYTES_MAX ((size_t)4 * 1024 * 1024 * 1024)

/* Bytes of room offered per read: fewer system calls for large frames, little memory for an idle connection. */
#define CORE_RECEIVE_BYTES ((size_t)64 * 1024)

#endif
