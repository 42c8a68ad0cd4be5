/* daemon_private: what the loop's thread keeps, shared by the files of the daemon.
 *
 *     daemon.c          start and end, what is lent to workers
 *     daemon_clients.c  connections and conversations, and what each asks of the other
 *     daemon_worlds.c   live worlds as tasks of the pool
 *     daemon_check.c    their self-checks, as work of its background class
 *     daemon_files.c    recordings of them, as files
 *     daemon_trim.c     memory that goes back to the system
 *     daemon_signals.c  shutting down, reading settings again, the counters
 *
 * All loop only, unless a field says otherwise. */
#ifndef COLLIDED_DAEMON_PRIVATE_H
#define COLLIDED_DAEMON_PRIVATE_H

#include "base/buffer.h"
#include "base/clock.h"
#include "client_account.h"
#include "config.h"
#include "daemon_trim.h"
#include "jobs/realtime.h"
#include "session/session.h"
#include "worlds/live/live_check.h"
#include "worlds/registry/worlds.h"

struct daemon {
	/* Immutable once running. */
	const struct config *config;
	const struct config_inputs *inputs;
	struct pool *pool;
	struct net *net;

	struct free_list *free_workspaces; /* workspaces that no worker is using */
	uint64_t workspaces_ns;            /* when those that are not needed were given back */
	struct lock *maps_lock;            /* of service.maps */
	struct lock *named_maps_lock;
	struct file_writer *files;    /* of recordings; NULL: there are none */
	struct map_store *named_maps; /* any thread, by that lock */
	unsigned worker_count;

	/* Any thread. */
	_Atomic(struct news *) news; /* of turns of worlds, newest first */
	struct live_check_share check_share;
	_Atomic(struct background *) background; /* for self-checks; NULL: there were none so far. Set by the loop */

	/* Loop only. */
	struct service service;
	struct buffer refusal; /* what a refused connection is told */
	struct client_accounts accounts;
	struct config reloaded; /* the settings as last read again; those that reload apply */
	bool has_realtime;      /* ticks that are due, and the loop while it keeps to its share */
	struct realtime_share loop_share;
	uint64_t loop_fitted_ns; /* when that was last fitted */
	struct trim trim;
	bool shutting_down;
	bool ending;          /* the grace has passed: worlds have their last turn */
	bool aborted;         /* and all else is over, too */
	uint64_t reply_bytes; /* of all clients, as last added up */
	uint64_t news_ns;     /* when news were last taken */
	uint64_t shutdown_ns; /* when the grace, then the worlds' end, then the abort has taken its time */
};

/* A connection and its conversation; the context of both. */
struct client {
	struct daemon *daemon;
	struct client_account *account;
	struct flow *flow; /* what its requests share with those of others */
	struct conn *conn;
	struct session *session;
	uint64_t opened_ns;
	char peer[NET_ADDRESS_BYTES];
};

/* The loop begins a piece of work: what there is to do beside ticks (realtime_share_work). */
static inline void
daemon_works(struct daemon *daemon)
{
	if (daemon->loop_share.has_level)
		realtime_share_work(&daemon->loop_share, clock_now_ns());
}

/* daemon_clients.c: net's handlers of connections. */
void *client_on_open(void *context, struct conn *conn, const char *peer);
bool client_make_room(void *context, const struct address_key *key);
size_t client_on_refused(void *context, const char *peer, const char *reason, const uint8_t **bytes);
void client_on_bytes(void *context, const uint8_t *bytes, size_t count);
void client_on_end(void *context);
void client_on_sent(void *context, size_t count);
void client_on_later(void *context);
void client_on_time(void *context);
void client_on_stood(void *context, uint64_t stood_ns);
void client_on_closed(void *context, const char *reason);

/* daemon_signals.c */
void daemon_on_signal(void *context, int number);
void daemon_on_tick(void *context);
/* One line for each counter, and the present state. */
void daemon_log_counters(struct daemon *daemon);

#endif
