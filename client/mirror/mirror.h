/* mirror: a live world with the engine, as a stream of commands tells it (STREAM_COMMANDS). It has every state to the bit, from
 * the few bytes of what players did.
 *
 * One thread at a time. Owns its memory. Happy path: a key brings the state; each update brings batches, and the mirror makes
 * the ticks up to the update's, as the server did. If a batch comes for a tick that was made, it goes back, as the server did.
 * What can go wrong: an update that is not the next one, or that the engine cannot follow; memory; a hash that differs. Then
 * the mirror waits for a key.
 *
 * The folder mirror/ is the client's library with the engine in it. It uses the server's worlds/live. */
#ifndef COLLIDE_MIRROR_MIRROR_H
#define COLLIDE_MIRROR_MIRROR_H

#include "client/lib/collide.h"
#include "physics/physics.h"

struct mirror;

/* What it knows of the world. */
struct mirrored {
	bool ready; /* there was a key */
	uint64_t epoch, tick;
	double dt;
	uint64_t batches;         /* that it was told, */
	uint64_t undone;          /* and of these that did not take effect after all */
	uint64_t remade;          /* ticks that it made again */
	uint64_t hashes;          /* that it was told, and are its own */
	uint64_t hash_tick, hash; /* the last of them */
};

/* NULL without memory. */
struct mirror *mirror_create(void);
void mirror_destroy(struct mirror *mirror);
/* Lends it helpers for large worlds, up to mirror_destroy; NULL: none. */
void mirror_workers_set(struct mirror *mirror, const struct workers *workers);
/* Called after each new tick; not after those that are made again before it. */
void mirror_on_tick(struct mirror *mirror, void (*on_tick)(void *context, struct mirror *mirror), void *context);
/* Takes a serialized WorldUpdate, or a part of one. false: *error says why (HASH: the state is not the server's). */
COLLIDE_MUST_USE bool mirror_update(struct mirror *mirror, const void *update, size_t bytes, struct collide_error *error);
struct mirrored mirror_state(const struct mirror *mirror);
/* The engine's world after the last tick, to be looked at; valid until the next update. */
const struct world *mirror_world(const struct mirror *mirror);
/* The state as bytes of a snapshot (WorldState), from which a world can be created. To be freed with free(). NULL without
 * memory. */
void *mirror_snapshot(struct mirror *mirror, size_t *bytes);

#endif
