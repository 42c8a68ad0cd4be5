/* A table of lists by hash, and a list by use. Happy path: the hash is there, the walls are the same, and the map comes to the
 * front of the second list. What can go wrong: memory; then there is no map, and the caller goes on without. */
#include "scene/map_cache.h"

#include "base/pause.h"

#include <stdlib.h>
#include <string.h>

/* Lists of the table; a power of two. A map is 2 KB or more, so they stay short. */
#define LISTS 4096u
/* A map may take this part of the cache. */
#define MAP_PART 4
/* Bytes of a map for each wall, at least: not even tried if that is too much. */
#define WALL_BYTES_MIN 400

struct cached_map {
	struct cached_map *next;          /* of its list in the table */
	struct cached_map *newer, *older; /* by use */
	uint64_t hash;
	uint64_t bytes; /* as last seen: worlds add sets of cells */
	struct wall_map *map;
};

struct map_cache {
	/* Immutable. */
	struct map_cache_options options;

	/* Guarded by the lock. */
	struct cached_map *lists[LISTS];
	struct cached_map *newest, *oldest;
	struct map_cache_stats stats;
};

static void
cache_lock(struct map_cache *cache)
{
	if (cache->options.lock)
		cache->options.lock(cache->options.context);
}

static void
cache_unlock(struct map_cache *cache)
{
	if (cache->options.unlock)
		cache->options.unlock(cache->options.context);
}

struct map_cache *
map_cache_create(const struct map_cache_options *options)
{
	struct map_cache *cache = calloc(1, sizeof *cache);

	if (cache)
		cache->options = *options;
	return cache;
}

static void
entry_free(struct cached_map *entry)
{
	wall_map_release(entry->map);
	free(entry);
}

void
map_cache_destroy(struct map_cache *cache)
{
	if (!cache)
		return;
	for (struct cached_map *entry = cache->newest, *older; entry; entry = older) {
		older = entry->older;
		entry_free(entry);
	}
	free(cache);
}

/* ---- the hash */

/* The finalizer of splitmix64: each step is a bijection of the sum. */
static inline uint64_t
mix(uint64_t sum, uint64_t value)
{
	sum ^= value;
	sum = (sum ^ (sum >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	sum = (sum ^ (sum >> 27)) * UINT64_C(0x94d049bb133111eb);
	return sum ^ (sum >> 31);
}

static inline uint64_t
mix_double(uint64_t sum, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	return mix(sum, bits);
}

/* Four sums side by side, as a step waits for the one before it. */
static uint64_t
walls_hash(uint64_t key, const struct segment_def *segments, size_t count)
{
	uint64_t a = mix(key, count), b = mix(key, ~a), c = mix(key, ~b), d = mix(key, ~c);

	for (size_t i = 0; i < count && !pause_after(8); i++) {
		const struct segment_def *s = &segments[i];
		uint64_t flags = (uint64_t)s->sensor | (uint64_t)s->one_sided << 1 | (uint64_t)s->group << 2 |
		                 (uint64_t)s->disabled << 8;

		a = mix_double(mix_double(mix_double(mix_double(a, s->x1), s->restitution), s->radius), s->vx);
		b = mix_double(mix_double(mix_double(mix_double(b, s->y1), s->friction), s->surface_speed), s->vy);
		c = mix(mix_double(mix_double(c, s->x2), s->rolling_resistance), (uint64_t)s->category << 32 | s->mask);
		d = mix(mix(mix_double(d, s->y2), (uint64_t)s->id << 32 | (uint32_t)s->filter_group), flags);
	}
	return mix(mix(mix(a, b), c), d);
}

/* ---- the table; all with the lock */

static struct cached_map *
entry_find(const struct map_cache *cache, uint64_t hash)
{
	struct cached_map *entry = cache->lists[hash % LISTS];

	while (entry && entry->hash != hash)
		entry = entry->next;
	return entry;
}

static void
use_unlink(struct map_cache *cache, struct cached_map *entry)
{
	*(entry->newer ? &entry->newer->older : &cache->newest) = entry->older;
	*(entry->older ? &entry->older->newer : &cache->oldest) = entry->newer;
}

static void
use_begin(struct map_cache *cache, struct cached_map *entry)
{
	entry->newer = NULL;
	entry->older = cache->newest;
	*(cache->newest ? &cache->newest->newer : &cache->oldest) = entry;
	cache->newest = entry;
}

static void
entry_take(struct map_cache *cache, struct cached_map *entry)
{
	struct cached_map **at = &cache->lists[entry->hash % LISTS];

	while (*at && *at != entry)
		at = &(*at)->next;
	if (*at)
		*at = entry->next;
	use_unlink(cache, entry);
	cache->stats.maps--;
	cache->stats.bytes -= entry->bytes;
}

static void
entry_weigh(struct map_cache *cache, struct cached_map *entry)
{
	uint64_t bytes = sizeof *entry + wall_map_memory_bytes(entry->map);

	cache->stats.bytes += bytes - entry->bytes;
	entry->bytes = bytes;
}

/* Takes out the oldest until the rest fit; returns them as a list. */
static struct cached_map *
excess_take(struct map_cache *cache)
{
	struct cached_map *taken = NULL;

	while (cache->stats.bytes > cache->options.bytes_max && cache->oldest) {
		struct cached_map *entry = cache->oldest;

		entry_take(cache, entry);
		cache->stats.evictions++;
		entry->next = taken;
		taken = entry;
	}
	return taken;
}

/* Without the lock: to free a map takes time. */
static void
excess_free(struct cached_map *taken)
{
	for (struct cached_map *next; taken; taken = next) {
		next = taken->next;
		entry_free(taken);
	}
}

/* The map with this hash, held; NULL: there is none. Counted as a hit or a miss. */
static struct wall_map *
map_find(struct map_cache *cache, uint64_t hash)
{
	struct wall_map *map = NULL;

	cache_lock(cache);

	struct cached_map *entry = entry_find(cache, hash), *taken = NULL;

	if (entry) {
		cache->stats.hits++;
		if (entry != cache->newest) {
			use_unlink(cache, entry);
			use_begin(cache, entry);
		}
		map = wall_map_hold(entry->map);
		entry_weigh(cache, entry);
		taken = excess_take(cache);
	} else {
		cache->stats.misses++;
	}
	cache_unlock(cache);
	excess_free(taken);
	return map;
}

/* Puts a new map into the table, in place of another with its hash. */
static void
map_put(struct map_cache *cache, uint64_t hash, struct wall_map *map)
{
	struct cached_map *made = calloc(1, sizeof *made), *taken, *before;

	if (!made)
		return;
	made->hash = hash;
	made->map = wall_map_hold(map);
	cache_lock(cache);

	before = entry_find(cache, hash);
	if (before)
		entry_take(cache, before);
	made->next = cache->lists[hash % LISTS];
	cache->lists[hash % LISTS] = made;
	use_begin(cache, made);
	cache->stats.maps++;
	entry_weigh(cache, made);
	taken = excess_take(cache);
	cache_unlock(cache);
	if (before)
		entry_free(before);
	excess_free(taken);
}

/* What was found is a map of other walls with the same hash. */
static void
hit_take_back(struct map_cache *cache)
{
	cache_lock(cache);
	cache->stats.hits--;
	cache->stats.misses++;
	cache_unlock(cache);
}

/* Whether such walls may be in a map, as far as that is cheap to say. */
static bool
walls_suit(const struct map_cache *cache, const struct segment_def *segments, size_t count)
{
	if (count == 0 || count > cache->options.bytes_max / MAP_PART / WALL_BYTES_MIN)
		return false;
	for (size_t i = 0; i < count && !pause_after(1); i++)
		if (segments[i].vx != 0.0 || segments[i].vy != 0.0 || (i > 0 && segments[i].id <= segments[i - 1].id))
			return false;
	return true;
}

struct wall_map *
map_cache_map(struct map_cache *cache, const struct segment_def *segments, size_t count)
{
	struct def_problem problem;

	if (!walls_suit(cache, segments, count))
		return NULL;

	uint64_t hash = walls_hash(cache->options.key, segments, count);
	struct wall_map *map = map_find(cache, hash);

	if (map && wall_map_is_of(map, segments, count))
		return map;
	if (map)
		hit_take_back(cache);
	wall_map_release(map);
	if (wall_map_create(segments, count, &problem, &map) != STATUS_OK)
		return NULL;
	if (wall_map_memory_bytes(map) <= cache->options.bytes_max / MAP_PART)
		map_put(cache, hash, map);
	return map;
}

struct map_cache_stats
map_cache_stats(struct map_cache *cache)
{
	cache_lock(cache);

	struct map_cache_stats stats = cache->stats;

	cache_unlock(cache);
	return stats;
}
