/* client: limits of the blocking client; its functions are declared in collide.h. */
#ifndef COLLIDE_CLIENT_LIB_CLIENT_H
#define COLLIDE_CLIENT_LIB_CLIENT_H

#include "client/lib/collide.h"

/* Milliseconds to connect and be welcomed, unless the options say otherwise: a few lost packets on a slow line. Over it:
 * CONNECT_TIMEOUT or TIMEOUT. */
#define CLIENT_CONNECT_TIMEOUT_MS 5000u

/* Milliseconds for what the server answers at once. Twice the above, for a machine under load. Over it: TIMEOUT, or SILENT
 * when nothing at all came. */
#define CLIENT_REPLY_TIMEOUT_MS 10000u

/* Milliseconds between two questions whether to stop: a person does not notice them, and they cost nothing. */
#define CLIENT_STOP_INTERVAL_MS 100

#endif
