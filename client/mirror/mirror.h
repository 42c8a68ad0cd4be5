/* mirror: what the parts of a mirror (collide_mirror.h) share, and what programs of this tree may see of it besides.
 *
 * One thread at a time. It is the server's own live world (worlds/live), which keeps its past and goes back. What the server
 * tells, and what is predicted, are both batches of its journal, each in exactly its tick. The world is at the displayed tick;
 * `told.told_tick` says how far of that is known. */
#ifndef COLLIDE_MIRROR_MIRROR_H
#define COLLIDE_MIRROR_MIRROR_H

#include "client/lib/collide.h"

#include "client/mirror/collide_mirror.h"
#include "client/mirror/places.h"
#include "client/mirror/predictions.h"

#include "base/buffer.h"
#include "physics/physics.h"
#include "worlds/limits.h"
#include "worlds/live/live_world.h"

/* The most ticks that lie between a key's state and the key: the state is the last one kept that is final. As with those of an
 * update (WORLDS_UPDATE_EVERY_MAX), a server that names more could keep the program busy for as long as it likes. */
#define MIRROR_KEY_TICKS_MAX (WORLDS_HISTORY_TICKS_MAX + WORLDS_KEEP_EVERY_MAX)

/* A hash that was told and not yet compared. */
struct hash_told {
	uint64_t tick, hash; /* tick 0: none */
};

/* A key while it comes, and until it is taken. */
struct mirror_key {
	struct buffer state;  /* parts of it */
	struct buffer update; /* a serialized WorldUpdate: the rest of its last part */
	bool whole;
	double dt;
	uint64_t epoch, tick; /* of the update */
};

struct collide_mirror {
	struct worlds_limits limits;
	struct scene_limits scene_limits;
	const struct workers *workers;
	struct live_world *live; /* NULL: there was no key */
	struct mirror_key key;
	uint64_t now_ns; /* no clock: a second passes with each turn, so that it may go back as often as the server did */
	struct collide_mirrored told;
	uint64_t remade_before; /* ticks, by worlds before the last key */
	uint64_t newest_tick;   /* of this epoch, made by any of them: only later ones are new */
	struct hash_told hash;
	uint64_t doubt_tick; /* of the hash that differed */
	struct predictions predictions;
	bool goes_back; /* some tick that was made is to be made again */
	struct places before;
	struct collide_mirror_corrections corrections;
	bool differed;
	struct collide_mirror_difference difference;
	void (*on_tick)(void *context, struct collide_mirror *mirror);
	void *context;
};

/* The engine's world after the last tick, to be looked at; valid until the mirror changes. NULL: there was no key. */
const struct world *mirror_world(const struct collide_mirror *mirror);
/* Has the ticks of its present world looked at (live_world.h). The next key ends it. False:
 * there was no key, or no memory. */
bool mirror_observe(struct collide_mirror *mirror, const struct tick_observer *observer, unsigned events);
/* Lends it helpers for large worlds, up to its end; NULL: none. */
void mirror_workers_set(struct collide_mirror *mirror, const struct workers *workers);

/* mirror_ticks.c */
/* Ends the world. */
void mirror_drop(struct collide_mirror *mirror);
/* The same. Always false. */
bool mirror_broken(struct collide_mirror *mirror, struct collide_error *error, const char *reason, const char *text);
/* False, of the next ones: it cannot be done, and the world is of no use any more. */
/* The world's inbox, and what is late now. */
bool mirror_settle(struct collide_mirror *mirror);
/* Ticks up to that one. */
bool mirror_ticks(struct collide_mirror *mirror, uint64_t tick);
/* A batch for that tick; without bytes the end of the seat. False: no memory. */
bool mirror_post(struct collide_mirror *mirror, uint32_t seat, uint64_t sequence, uint64_t tick, const void *bytes,
                 size_t count);
bool mirror_post_undo(struct collide_mirror *mirror, uint32_t seat, uint64_t sequence, uint64_t tick);

/* mirror_update.c */
/* A batch has not taken effect. False: as in mirror_ticks.c. */
bool mirror_refused(struct collide_mirror *mirror, struct prediction *prediction);
/* What an update that follows tells. False: *error says why. */
bool mirror_follow(struct collide_mirror *mirror, const Collide__V1__WorldUpdate *update, struct collide_error *error);

/* mirror_key.c */
/* A part of a key. */
bool mirror_key_part(struct collide_mirror *mirror, const Collide__V1__WorldUpdate *update, struct collide_error *error);
/* A key that is whole becomes the world, once an update up to it has come: in doubt the two are compared. */
bool mirror_key_ready(const struct collide_mirror *mirror, uint64_t tick);
bool mirror_key_open(struct collide_mirror *mirror, struct collide_error *error);
void mirror_key_finish(struct collide_mirror *mirror);

#endif
