/* client: limits of the blocking client, and one over something else than a socket; its functions are declared in collide.h. */
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

/* What carries a client's bytes to a server and back. */
struct client_link {
	/* As collide_client_exchange: moves what can be moved between the core and the server. */
	bool (*exchange)(void *context, struct collide_core *core, int wait_ms, struct collide_error *error);
	/* With the client's end; the core is gone. */
	void (*close)(void *context);
	void *context;
};

/* As collide_connect, over a link, which belongs to the client from then on, or is closed at once if this fails. Such a client
 * has no descriptor (-1). */
struct collide_client *client_over_link(const struct client_link *link, const struct collide_options *options,
                                        struct collide_error *error);

#endif
