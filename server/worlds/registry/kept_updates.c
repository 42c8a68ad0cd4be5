/* In the ring each update is its head, the sizes of its blocks, and their bytes. */
#include "worlds/registry/kept_updates.h"

#include "base/memory.h"

#include <string.h>

/* The first memory: some updates of paths. */
#define RING_BYTES_MIN 512u

/* Small, as updates of paths have some fifty bytes. */
struct kept_update_head {
	uint16_t ticks; /* that it tells of */
	uint8_t row_count, state_count;
};

void
kept_updates_finish(struct kept_updates *kept)
{
	memory_free(kept->ring);
	*kept = (struct kept_updates){ .ring = NULL };
}

static size_t
block_count(const struct kept_update_head *head)
{
	return (size_t)head->row_count + head->state_count;
}

/* False: its numbers are larger than those of a head. *bytes: what it takes in the ring. */
static bool
head_of(const struct update *update, struct kept_update_head *head, uint64_t *bytes)
{
	uint64_t ticks = update->tick - update->since;
	bool fits = ticks <= UINT16_MAX && update->row_count <= UINT8_MAX && update->state_count <= UINT8_MAX;

	*head = (struct kept_update_head){ .ticks = (uint16_t)ticks,
		                               .row_count = (uint8_t)update->row_count,
		                               .state_count = (uint8_t)update->state_count };
	*bytes = sizeof *head + block_count(head) * sizeof(uint32_t);
	for (size_t i = 0; fits && i < block_count(head); i++) {
		fits = update->blocks[i]->count <= UINT32_MAX;
		*bytes += update->blocks[i]->count;
	}
	return fits;
}

static void
ring_read(const struct kept_updates *kept, size_t at, void *to, size_t count)
{
	size_t begin = (kept->first + at) % kept->capacity, whole = kept->capacity - begin;

	if (whole > count)
		whole = count;
	memcpy(to, kept->ring + begin, whole);
	memcpy((uint8_t *)to + whole, kept->ring, count - whole);
}

static void
ring_append(struct kept_updates *kept, const void *from, size_t count)
{
	size_t begin = (kept->first + kept->bytes) % kept->capacity, whole = kept->capacity - begin;

	if (whole > count)
		whole = count;
	memcpy(kept->ring + begin, from, whole);
	memcpy(kept->ring, (const uint8_t *)from + whole, count - whole);
	kept->bytes += count;
}

/* The head of the update that begins `at` bytes after the oldest; returns where the next one begins. */
static size_t
head_read(const struct kept_updates *kept, size_t at, struct kept_update_head *head)
{
	ring_read(kept, at, head, sizeof *head);
	at += sizeof *head;

	size_t next = at + block_count(head) * sizeof(uint32_t);

	for (size_t i = 0; i < block_count(head); i++) {
		uint32_t count;

		ring_read(kept, at + i * sizeof count, &count, sizeof count);
		next += count;
	}
	return next;
}

static void
oldest_cut(struct kept_updates *kept)
{
	struct kept_update_head head;
	size_t next = head_read(kept, 0, &head);

	kept->first = (kept->first + next) % kept->capacity;
	kept->bytes -= next;
	kept->since += head.ticks;
}

/* How many ticks the oldest tells of. */
static uint64_t
oldest_ticks(const struct kept_updates *kept)
{
	struct kept_update_head head;

	(void)head_read(kept, 0, &head);
	return head.ticks;
}

/* With room for all that is in it. False without memory: it is as it was. */
static bool
ring_resize(struct kept_updates *kept, size_t capacity)
{
	uint8_t *ring = memory_alloc(capacity);

	if (!ring)
		return false;
	if (kept->bytes > 0)
		ring_read(kept, 0, ring, kept->bytes);
	memory_free(kept->ring);
	kept->ring = ring;
	kept->capacity = capacity;
	kept->first = 0;
	return true;
}

/* What the ring is to have for so many bytes. It grows by quarters; when less than a half is used, it gets smaller. */
static size_t
capacity_for(const struct kept_updates *kept, size_t bytes, uint64_t bytes_max)
{
	size_t capacity = kept->capacity > 0 ? kept->capacity : RING_BYTES_MIN;

	while (capacity < bytes_max && capacity < bytes)
		capacity += capacity / 4;
	if (capacity > RING_BYTES_MIN && bytes < capacity / 2)
		capacity = bytes + bytes / 4;
	return capacity < bytes_max ? capacity : (size_t)bytes_max;
}

/* Room for so many bytes more. The ring grows while it may; then the oldest make room. */
static bool
room_make(struct kept_updates *kept, size_t count, uint64_t bytes_max)
{
	size_t capacity = capacity_for(kept, kept->bytes + count, bytes_max);

	if (capacity != kept->capacity && !ring_resize(kept, capacity) && capacity > kept->capacity)
		return false;
	while (kept->capacity - kept->bytes < count)
		oldest_cut(kept);
	return true;
}

void
kept_updates_add(struct kept_updates *kept, const struct update *update, uint64_t bytes_max, uint64_t ticks)
{
	struct kept_update_head head;
	uint64_t bytes;
	bool counted = head_of(update, &head, &bytes);

	if (kept->bytes > 0 && kept->tick != update->since)
		kept->bytes = 0;
	/* By their distance: a world may be at the last ticks that there are. */
	while (kept->bytes > 0 && update->tick - (kept->since + oldest_ticks(kept)) >= ticks)
		oldest_cut(kept);
	if (!counted || bytes > bytes_max || kept->capacity > bytes_max || !room_make(kept, (size_t)bytes, bytes_max)) {
		kept_updates_finish(kept);
		return;
	}
	if (kept->bytes == 0)
		kept->since = update->since;
	ring_append(kept, &head, sizeof head);
	for (size_t i = 0; i < block_count(&head); i++)
		ring_append(kept, &(uint32_t){ (uint32_t)update->blocks[i]->count }, sizeof(uint32_t));
	for (size_t i = 0; i < block_count(&head); i++)
		ring_append(kept, update->blocks[i]->bytes, update->blocks[i]->count);
	kept->tick = update->tick;
}

/* That which begins `at` bytes after the oldest. NULL without memory. */
static struct update *
update_copy(const struct kept_updates *kept, size_t at, uint64_t since, const struct kept_update_head *head)
{
	struct update *update = memory_zeroed(1, sizeof *update + block_count(head) * sizeof update->blocks[0]);
	size_t size_at = at + sizeof *head, bytes_at = size_at + block_count(head) * sizeof(uint32_t);

	if (!update)
		return NULL;
	update->since = since;
	update->tick = since + head->ticks;
	for (size_t i = 0; i < block_count(head); i++) {
		uint32_t count;

		ring_read(kept, size_at + i * sizeof count, &count, sizeof count);

		uint8_t *bytes = memory_alloc(count);

		if (bytes) {
			ring_read(kept, bytes_at, bytes, count);
			update->blocks[i] = shared_bytes_create(bytes, count);
		}
		if (!update->blocks[i]) {
			memory_free(bytes);
			update_free(update);
			return NULL;
		}
		bytes_at += count;
		/* Counted as they are made: what was not made is not released. */
		*(i < head->row_count ? &update->row_count : &update->state_count) += 1;
	}
	return update;
}

bool
kept_updates_after(const struct kept_updates *kept, uint64_t tick, struct update **first)
{
	struct update **end = first;
	uint64_t since = kept->since;
	struct kept_update_head head;

	*first = NULL;
	for (size_t at = 0, next; at < kept->bytes; at = next, since += head.ticks) {
		next = head_read(kept, at, &head);
		if (!*first && since != tick)
			continue;
		*end = update_copy(kept, at, since, &head);
		if (!*end) {
			kept_updates_free(*first);
			*first = NULL;
			return false;
		}
		end = &(*end)->next;
	}
	return true;
}

void
kept_updates_free(struct update *first)
{
	while (first) {
		struct update *next = first->next;

		update_free(first);
		first = next;
	}
}
