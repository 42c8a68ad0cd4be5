/* client: limits of the blocking client, and a client over another link than a socket. Its other functions are in collide.h. */
#ifndef COLLIDE_CLIENT_LIB_CLIENT_H
#define COLLIDE_CLIENT_LIB_CLIENT_H

#include "client/lib/collide.h"

/* Milliseconds to connect and receive the Welcome, unless the options say otherwise: a few lost packets on a slow line. Over
 * it: CONNECT_TIMEOUT or TIMEOUT. */
#define CLIENT_CONNECT_TIMEOUT_MS 5000u

/* Milliseconds for what the server answers at once: twice the above, for a machine under load. Over it: TIMEOUT, or SILENT if
 * nothing at all came. */
#define CLIENT_REPLY_TIMEOUT_MS 10000u

/* Milliseconds between two calls of the stop function: too short to be noticed, too long to cost anything. */
#define CLIENT_STOP_INTERVAL_MS 100

/* Wait for the one reply of a request that has begun, which must be of this kind. client_run is for what a worker answers, and
 * waits as long as the server answers pings; client_reply is for what is answered at once. request_id 0: *error is set. */
bool client_run(struct collide_client *client, uint64_t request_id, enum collide_event_kind kind, struct collide_event *event,
                struct collide_error *error);
bool client_reply(struct collide_client *client, uint64_t request_id, enum collide_event_kind kind, struct collide_event *event,
                  struct collide_error *error);

/* As client_run, for a GetMap that has begun, of which each part is given to a callback. */
bool client_run_map(struct collide_client *client, uint64_t request_id, collide_map_segments_fn on_part, void *context,
                    struct collide_error *error);

/* What carries a client's bytes to a server and back. */
struct client_link {
	/* As collide_client_exchange: moves the bytes that can be moved between the core and the server. */
	bool (*exchange)(void *context, struct collide_core *core, int wait_ms, struct collide_error *error);
	/* Called when the client ends; the core is gone. */
	void (*close)(void *context);
	void *context;
};

/* As collide_connect, over a link. The client owns the link from then on; if this fails, the link is closed at once. Such a
 * client has no descriptor (-1). */
struct collide_client *client_over_link(const struct client_link *link, const struct collide_options *options,
                                        struct collide_error *error);

#endif
