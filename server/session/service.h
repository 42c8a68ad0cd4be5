/* service: what all conversations of a server share: its limits, its identity, its counters and how much it has taken on.
 *
 * Owned by the composition root, which keeps it until the last session and request are gone. */
#ifndef COLLIDED_SESSION_SERVICE_H
#define COLLIDED_SESSION_SERVICE_H

#include "base/arena.h"
#include "base/counters.h"
#include "base/shared_bytes.h"
#include "scene/scene.h"
#include "session/account.h"
#include "worlds/limits.h"

#include <stddef.h>
#include <stdint.h>

/* What a server may configure. */
struct session_limits {
	struct scene_limits scene;       /* announced */
	struct worlds_limits worlds;     /* the same */
	uint32_t message_bytes_max;      /* announced; of one message from the client */
	uint32_t requests_in_flight_max; /* announced; per connection */
	uint32_t requests_under_way_max; /* of all connections: over it RESOURCE_EXHAUSTED, TOO_MANY_REQUESTS; see account.h */
	uint64_t memory_total_bytes_max; /* of all messages being received and requests under way, about: else SERVER_MEMORY */
	uint64_t map_cache_bytes_max;    /* of walls that scenes have in common (scene/map_cache.h); 0: none are kept */
	uint32_t ping_interval_ms;       /* announced; 0: connections never become idle */
	uint32_t hello_timeout_ms;       /* from the connection's start to its Hello; 0: none */
	uint32_t frame_timeout_ms; /* from a message's first byte to its last, beside SESSION_MESSAGE_BYTES_PER_S_MIN; 0: none */
};

/* Half of all for one account, and no bound for the queue: only the host knows how long it is. */
struct account_quotas account_quotas_half(const struct session_limits *limits);
/* What the daemon uses unless told otherwise. */
struct session_limits session_limits_default(void);

/* Where workspaces for small worlds come from; the host's, called on any thread. */
struct workspaces {
	struct workspace *(*take)(void *context); /* NULL without memory */
	void (*give)(void *context, struct workspace *workspace);
	void *context;
};

struct request;
struct session;
struct worlds;

/* How a worker says that it has something for a client while it continues with the request. The host's, called on any thread.
 */
struct notifier {
	void (*notify)(void *context);      /* has session_on_chunks called soon; NULL: there is none, and requests are returned */
	bool (*others_wait)(void *context); /* some request waits for a worker */
	void *context;
};

struct service {
	/* Immutable once sessions exist. */
	struct session_limits limits;
	uint64_t instance_id;
	struct shared_bytes schema; /* held by every Described on its way */
	uint64_t (*now_ns)(void);   /* monotonic; called on any thread */
	/* Lets others have a worker's core for a moment, if it is time: between ticks or rows, so often that it must be cheap when
	 * it is not. The host's, called on workers; NULL: none. */
	void (*yield_core)(uint64_t now_ns);
	/* May put the request of this worker aside, and returns when it is to go on: within ticks too, so often that it must be
	 * cheap. The host's, called on any thread; NULL: none. No lock is held. */
	void (*checkpoint)(void);
	/* Whether all that is under way is to end as if it were cancelled. As often as `yield_core`, and within ticks: on any
	 * thread, helpers' too. The host's; NULL: never. */
	bool (*cancels_all)(void);
	struct map_cache *maps;       /* of all simulations; the host's, called on any thread; NULL: none */
	struct workers workers;       /* lent to simulations; the host's, called on any thread; run NULL: none */
	struct workspaces workspaces; /* lent to simulations, for a slice each; take NULL: none */
	struct notifier notifier;

	/* Any thread. */
	_Atomic(struct request *) chunks; /* requests that have one, newest first (stream_chunk.h) */

	/* Loop only. */
	struct counters counters;                       /* "refusal", "request", ... by reason */
	struct session *returned_first, *returned_last; /* with something new to say (session_settle_returned) */
	size_t requests_under_way;
	uint64_t memory_bytes;
	struct account_quotas quotas; /* half of all, until the host sets others */
	struct account *accounts;     /* that hold something */
	size_t accounts_connected;    /* of these, those with sessions */
	uint64_t round;               /* of the loop: between two all connections are looked at once; 0: the host counts none */
	struct account common;        /* of sessions that are given none */
	struct worlds *worlds;        /* the host's; NULL: this server has none, and refuses what is about them */
	struct arena control_arena;   /* for the one control message being read */
};

void service_init(struct service *service, const struct session_limits *limits, uint64_t instance_id, uint64_t (*now_ns)(void));
/* Every request must be gone. */
void service_finish(struct service *service);
/* Requests that may still come under way. */
size_t service_places_free(const struct service *service);
/* Memory still to be given out. */
uint64_t service_memory_left(const struct service *service);
/* Of it what an account may still take. */
uint64_t account_memory_left(const struct account *account);

#endif
