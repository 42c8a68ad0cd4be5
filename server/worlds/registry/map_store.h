/* map_store: maps with names, that clients have made for their worlds.
 *
 * Any thread, by a lock that the host lends: workers look maps up while they make worlds. What says so is for the loop only. A
 * map stays as long as a world is in it, and for its time after that, or until it is dropped. It is charged to the account that
 * made it, and holds that, until it is gone. */
#ifndef COLLIDED_WORLDS_REGISTRY_MAP_STORE_H
#define COLLIDED_WORLDS_REGISTRY_MAP_STORE_H

#include "base/buffer.h"
#include "physics/wall_map.h"
#include "scene/scene.h"
#include "wire/wire.h"
#include "worlds/limits.h"

struct map_store_options {
	uint32_t maps_max; /* of one account half as many */
	/* What they are charged to, as in struct worlds_upward. */
	void (*account_hold)(void *account);
	void (*account_release)(void *account);
	void (*account_charge)(void *account, uint64_t before_bytes, uint64_t bytes);
	enum status (*account_check)(const void *account, uint64_t bytes, struct wire_problem *problem);
	uint64_t (*now_ns)(void);
	/* Of one lock; NULL: one thread. */
	void (*lock)(void *context);
	void (*unlock)(void *context);
	void *context;
};

struct map_store;

/* A named map that is in use: held by worlds and by what is about to become one. */
struct named_map;

struct map_store *map_store_create(const struct map_store_options *options);
/* Nothing holds a map of it any more. NULL is fine. */
void map_store_destroy(struct map_store *store);

/* On a worker: makes the map of a CreateMap, held once. BAD_FIELD with the field, MEMORY. */
STATUS_MUST_USE enum status map_store_make(struct map_store *store, const Collide__V1__CreateMap *message,
                                           const struct scene_limits *limits, struct arena *arena, struct named_map **out,
                                           struct wire_problem *problem);
/* On the loop: enters it as the account's. Fills *info, which borrows from the map. NAME_TAKEN, WORLDS, OVER_SHARE, ... */
STATUS_MUST_USE enum status map_store_enter(struct named_map *map, void *account, Collide__V1__MapInfo *info,
                                            struct wire_problem *problem);
/* Holds the map of a name; NULL: there is none. */
struct named_map *map_store_hold(struct map_store *store, const char *name);
struct named_map *named_map_hold(struct named_map *map);
void named_map_release(struct named_map *map); /* NULL is fine */
struct wall_map *named_map_walls(const struct named_map *map);
const char *named_map_name(const struct named_map *map);
size_t named_map_memory_bytes(const struct named_map *map);
/* Whether all segments from this one on are in one part of a GetMap's answer. */
bool named_map_part_is_last(const struct named_map *map, size_t first);
/* Appends the part that begins with this segment, and returns where the next begins. Without memory out->failed is set. */
size_t named_map_tell(const struct named_map *map, size_t first, uint64_t request_id, struct buffer *out);

/* On the loop: takes the name away; it stays for the worlds in it. `info` as it was. NO_SUCH_MAP: none of this account. */
STATUS_MUST_USE enum status map_store_drop(struct map_store *store, const char *name, const void *account,
                                           char out_name[WORLDS_NAME_BYTES_MAX + 1], Collide__V1__MapInfo *info,
                                           struct wire_problem *problem);
/* On the loop: drops those that have been without a world for their time, in which the process did not stand still: for so long
 * all together. */
void map_store_on_time(struct map_store *store, uint64_t stalled_ns);
/* On the loop: frees those that are gone. */
void map_store_reap(struct map_store *store);

#endif
