/* map_cache: the maps (physics/wall_map.h) of scenes that came before. Scenes with the same walls, of whatever client, share
 * one map: its joints and cells are made once, and each world has memory for its circles only.
 *
 * Any thread, by locks that the host lends. A map is made by the thread that misses it, outside of the lock. If two make the
 * same one at once, the last to be done is kept. What was not used for the longest time goes first.
 *
 * Maps are found by a hash with a secret key, and then compared wall by wall, every bit. So no client can be given others'
 * walls, and none can choose walls that fall on others'. If two hashes were equal all the same, one of the two would be made
 * anew in each request, as without a cache. Whether a world is in a map changes no bit of it, nor what a request is charged
 * for. */
#ifndef COLLIDED_SCENE_MAP_CACHE_H
#define COLLIDED_SCENE_MAP_CACHE_H

#include "physics/wall_map.h"

struct map_cache_options {
	uint64_t bytes_max; /* of all maps in it */
	uint64_t key;       /* secret, of the process */
	/* Of one lock; NULL: one thread. */
	void (*lock)(void *context);
	void (*unlock)(void *context);
	void *context;
};

struct map_cache_stats {
	uint64_t hits, misses, evictions;
	uint64_t maps, bytes; /* now */
};

struct map_cache;

/* NULL without memory. */
struct map_cache *map_cache_create(const struct map_cache_options *options);
/* NULL is fine. Maps that worlds are in stay with them. */
void map_cache_destroy(struct map_cache *cache);

/* A map of these walls, held for the caller. NULL: they do not come from here. Some move, or are no valid walls, or their ids
 * do not ascend; there are none or too many; there is no memory. */
struct wall_map *map_cache_map(struct map_cache *cache, const struct segment_def *segments, size_t count);
struct map_cache_stats map_cache_stats(struct map_cache *cache);

#endif
