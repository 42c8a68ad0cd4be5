#include "worlds/registry/map_store.h"

#include "base/check.h"
#include "base/memory.h"
#include "scene/definition/scene_tell.h"
#include "scene/definition/wall_columns.h"
#include "worlds/registry/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define TTL_DEFAULT_MS 60000
/* Segments of one part, and what they take on their way: as definitions, and as columns. */
#define MAP_PART_ROWS_MAX 4096
#define MAP_PART_BYTES_MAX ((size_t)MAP_PART_ROWS_MAX * (2 * sizeof(struct segment_def) + 256))
#define NS_PER_MS UINT64_C(1000000)

struct named_map {
	/* Immutable. */
	struct map_store *store;
	char name[WORLDS_NAME_BYTES_MAX + 1];
	struct wall_map *walls;
	void *account; /* held and charged since it was entered; NULL: it was not */
	uint64_t charged_bytes;
	uint32_t ttl_ms; /* WORLDS_TTL_NEVER: until it is dropped */

	/* Under the store's lock. */
	struct named_map *next; /* while it has its name, and once it is gone */
	size_t holders;
	bool dropped;
	uint64_t unused_since_ns;
};

struct map_store {
	struct map_store_options options;
	/* Under the lock. */
	struct named_map *maps;
	struct named_map *gone; /* to be freed by the loop */
	size_t count;
	uint64_t name_next;
	uint64_t stalled_ns; /* as worlds.stalled_ns */
};

static void
store_lock(struct map_store *store)
{
	if (store->options.lock)
		store->options.lock(store->options.context);
}

static void
store_unlock(struct map_store *store)
{
	if (store->options.unlock)
		store->options.unlock(store->options.context);
}

struct map_store *
map_store_create(const struct map_store_options *options)
{
	struct map_store *store = memory_zeroed(1, sizeof *store);
	if (store)
		store->options = *options;
	return store;
}

static void
map_free(struct named_map *map)
{
	struct ledger *own = memory_enter(NULL);
	if (map->account) {
		map->store->options.account_charge(map->account, map->charged_bytes, 0);
		map->store->options.account_release(map->account);
	}
	wall_map_release(map->walls);
	memory_free(map);
	(void)memory_enter(own);
}

void
map_store_destroy(struct map_store *store)
{
	if (!store)
		return;
	map_store_reap(store);
	while (store->maps) {
		struct named_map *map = store->maps;
		CHECK(map->holders == 0);
		store->maps = map->next;
		map_free(map);
	}
	memory_free(store);
}

/* Under the lock. */
static struct named_map **
store_find(struct map_store *store, const char *name)
{
	struct named_map **link = &store->maps;
	while (*link && strcmp((*link)->name, name) != 0)
		link = &(*link)->next;
	return link;
}

static void
info_of(const struct named_map *map, char name[WORLDS_NAME_BYTES_MAX + 1], Collide__V1__MapInfo *info)
{
	memcpy(name, map->name, sizeof map->name);
	info->name = name;
	info->hash = wall_map_hash(map->walls);
	info->segments = (uint32_t)wall_map_segment_count(map->walls);
	info->worlds = (uint32_t)map->holders;
	info->bytes = wall_map_memory_bytes(map->walls);
}

static size_t
count_of_account(const struct map_store *store, const void *account)
{
	size_t count = 0;
	for (const struct named_map *map = store->maps; map; map = map->next)
		count += map->account == account ? 1 : 0;
	return count;
}

/* Gives it a name if it has none, and enters it. */
static enum status
store_enter(struct map_store *store, struct named_map *map, const void *account, struct wire_problem *problem)
{
	uint32_t maps_max = store->options.maps_max;
	if (store->count >= maps_max || count_of_account(store, account) >= maps_max - maps_max / 2) {
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "WORLDS", "", "%s has as many maps as it may",
		                        store->count >= maps_max ? "the server" : "this address");
	}
	while (map->name[0] == '\0') {
		(void)snprintf(map->name, sizeof map->name, "map-%" PRIu64, ++store->name_next);
		if (*store_find(store, map->name))
			map->name[0] = '\0';
	}
	if (*store_find(store, map->name))
		return wire_problem_set(problem, STATUS_ALREADY_EXISTS, "NAME_TAKEN", "create_map.name", "another map has this name");
	map->next = store->maps;
	map->unused_since_ns = store->options.now_ns() - store->stalled_ns;
	store->maps = map;
	store->count++;
	return STATUS_OK;
}

static enum status
map_create(const Collide__V1__CreateMap *message, const struct scene_limits *limits, struct arena *arena, struct named_map *map,
           struct wire_problem *problem)
{
	enum status status = name_read(message->name, "create_map.name", map->name, problem);
	if (status != STATUS_OK)
		return status;
	if (message->optional_segments_case != COLLIDE__V1__CREATE_MAP__OPTIONAL_SEGMENTS_SEGMENTS)
		return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "create_map.segments", "is missing");
	map->ttl_ms = message->ttl_ms == 0 ? TTL_DEFAULT_MS : message->ttl_ms;
	return scene_wall_map(arena, message->segments, limits, "create_map", "segments", &map->walls, problem);
}

enum status
map_store_make(struct map_store *store, const Collide__V1__CreateMap *message, const struct scene_limits *limits,
               struct arena *arena, struct named_map **out, struct wire_problem *problem)
{
	/* It outlives the request. */
	struct ledger *own = memory_enter_common();
	struct named_map *map = memory_zeroed(1, sizeof *map);
	enum status status = STATUS_RESOURCE_EXHAUSTED;
	if (!map) {
		(void)wire_problem_set(problem, status, "MEMORY", "", "no memory for the map");
	} else {
		map->store = store;
		map->holders = 1;
		status = map_create(message, limits, arena, map, problem);
	}
	(void)memory_enter(own);
	if (status == STATUS_OK)
		*out = map;
	else if (map)
		map_free(map);
	return status;
}

enum status
map_store_enter(struct named_map *map, void *account, Collide__V1__MapInfo *info, struct wire_problem *problem)
{
	struct map_store *store = map->store;
	enum status status = store->options.account_check(account, named_map_memory_bytes(map), problem);
	if (status != STATUS_OK)
		return status;
	store_lock(store);
	status = store_enter(store, map, account, problem);
	if (status == STATUS_OK) {
		map->account = account;
		map->charged_bytes = named_map_memory_bytes(map);
		info_of(map, map->name, info);
		info->worlds = 0; /* and the one that makes it */
	}
	store_unlock(store);
	if (status == STATUS_OK) {
		store->options.account_hold(account);
		store->options.account_charge(account, 0, map->charged_bytes);
	}
	return status;
}

struct named_map *
map_store_hold(struct map_store *store, const char *name)
{
	store_lock(store);
	struct named_map *map = *store_find(store, name);
	if (map)
		map->holders++;
	store_unlock(store);
	return map;
}

struct named_map *
named_map_hold(struct named_map *map)
{
	store_lock(map->store);
	map->holders++;
	store_unlock(map->store);
	return map;
}

void
named_map_release(struct named_map *map)
{
	if (!map)
		return;
	struct map_store *store = map->store;
	store_lock(store);
	bool last = --map->holders == 0, entered = map->account != NULL;
	if (last)
		map->unused_since_ns = store->options.now_ns() - store->stalled_ns;
	if (last && map->dropped) {
		map->next = store->gone;
		store->gone = map;
	}
	store_unlock(store);
	if (last && !entered)
		map_free(map);
}

void
map_store_reap(struct map_store *store)
{
	store_lock(store);
	struct named_map *gone = store->gone;
	store->gone = NULL;
	store_unlock(store);
	while (gone) {
		struct named_map *map = gone;
		gone = map->next;
		map_free(map);
	}
}

static size_t
part_rows(const struct named_map *map, size_t first)
{
	size_t left = wall_map_segment_count(map->walls) - first;
	return left < MAP_PART_ROWS_MAX ? left : MAP_PART_ROWS_MAX;
}

bool
named_map_part_is_last(const struct named_map *map, size_t first)
{
	return first + part_rows(map, first) == wall_map_segment_count(map->walls);
}

size_t
named_map_tell(const struct named_map *map, size_t first, uint64_t request_id, struct buffer *out)
{
	Collide__V1__MapSegments part = COLLIDE__V1__MAP_SEGMENTS__INIT;
	Collide__V1__SegmentColumns columns = COLLIDE__V1__SEGMENT_COLUMNS__INIT;
	Collide__V1__ServerMessage reply = COLLIDE__V1__SERVER_MESSAGE__INIT;
	size_t count = part_rows(map, first);
	char name[sizeof map->name];
	struct arena arena;
	arena_init(&arena, MAP_PART_BYTES_MAX);
	struct segment_def *rows = arena_room(&arena, count, sizeof *rows);
	for (size_t i = 0; rows && i < count; i++)
		rows[i] = wall_map_segment(map->walls, first + i);
	memcpy(name, map->name, sizeof name);
	part.name = name;
	part.hash = wall_map_hash(map->walls);
	part.more = !named_map_part_is_last(map, first);
	part.optional_segments_case = COLLIDE__V1__MAP_SEGMENTS__OPTIONAL_SEGMENTS_SEGMENTS;
	part.segments = &columns;
	reply.request_id = request_id;
	reply.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_MAP_SEGMENTS;
	reply.map_segments = &part;
	if (rows && scene_tell_segments(&arena, rows, count, &columns))
		wire_reply_append(out, &reply);
	else
		out->failed = true;
	arena_finish(&arena);
	return first + count;
}

struct wall_map *
named_map_walls(const struct named_map *map)
{
	return map->walls;
}

size_t
named_map_memory_bytes(const struct named_map *map)
{
	return sizeof *map + (map->walls ? (size_t)wall_map_memory_bytes(map->walls) : 0);
}

const char *
named_map_name(const struct named_map *map)
{
	return map->name;
}

/* Under the lock: takes its name away. */
static void
store_remove(struct map_store *store, struct named_map **link)
{
	struct named_map *map = *link;
	*link = map->next;
	store->count--;
	map->dropped = true;
	if (map->holders == 0) {
		map->next = store->gone;
		store->gone = map;
	}
}

enum status
map_store_drop(struct map_store *store, const char *name, const void *account, char out_name[WORLDS_NAME_BYTES_MAX + 1],
               Collide__V1__MapInfo *info, struct wire_problem *problem)
{
	store_lock(store);
	struct named_map **link = store_find(store, name), *map = *link;
	bool found = map && map->account == account;
	if (found) {
		info_of(map, out_name, info);
		store_remove(store, link);
	}
	store_unlock(store);
	map_store_reap(store);
	if (!found)
		return wire_problem_set(problem, STATUS_NOT_FOUND, "NO_SUCH_MAP", "drop_map.name", "this address has no such map");
	return STATUS_OK;
}

void
map_store_on_time(struct map_store *store, uint64_t stalled_ns)
{
	store_lock(store);
	store->stalled_ns = stalled_ns;
	uint64_t now_ns = store->options.now_ns() - stalled_ns;
	for (struct named_map **link = &store->maps; *link;) {
		struct named_map *map = *link;
		bool over = map->holders == 0 && map->ttl_ms != WORLDS_TTL_NEVER && now_ns >= map->unused_since_ns &&
		            now_ns - map->unused_since_ns >= map->ttl_ms * NS_PER_MS;
		if (over)
			store_remove(store, link);
		else
			link = &map->next;
	}
	store_unlock(store);
	map_store_reap(store);
}
