#include "worlds/live/seat_list.h"

#include "base/check.h"
#include "base/memory.h"
#include "worlds/commands/room.h"

#include <string.h>

void
seat_list_finish(struct seat_list *list)
{
	struct ledger *own = memory_enter(NULL);

	memory_free(list->entries);
	(void)memory_enter(own);
	*list = (struct seat_list){ .count = 0 };
}

/* Where the seat is, or belongs. */
static size_t
seat_place(const struct seat_list *list, uint32_t seat)
{
	size_t from = 0, to = list->count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (list->entries[middle].seat < seat)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

struct seat_entry *
seat_list_find(const struct seat_list *list, uint32_t seat)
{
	size_t at = seat_place(list, seat);

	return at < list->count && list->entries[at].seat == seat ? &list->entries[at] : NULL;
}

struct seat_entry *
seat_list_get(struct seat_list *list, uint32_t seat)
{
	size_t at = seat_place(list, seat);

	if (at < list->count && list->entries[at].seat == seat)
		return &list->entries[at];
	/* Charged to no ledger: what a full world is asked can be refused at least. */
	struct ledger *own = memory_enter_common();
	bool room = room_reserve(&list->entries, &list->capacity, list->count + 1, sizeof *list->entries);

	(void)memory_enter(own);
	if (!room)
		return NULL;
	memmove(&list->entries[at + 1], &list->entries[at], (list->count - at) * sizeof *list->entries);
	list->entries[at] = (struct seat_entry){ .seat = seat };
	list->count++;
	return &list->entries[at];
}

void
seat_list_drop(struct seat_list *list, uint32_t seat)
{
	struct seat_entry *entry = seat_list_find(list, seat);

	if (!entry)
		return;

	CHECK(!entry->lost);

	size_t at = (size_t)(entry - list->entries);

	list->count--;
	memmove(entry, entry + 1, (list->count - at) * sizeof *entry);
}

void
seat_entry_lose(struct seat_entry *seat, struct post *post)
{
	post->next = NULL;
	*(seat->lost ? &seat->lost_last->next : &seat->lost) = post;
	seat->lost_last = post;
}

struct post *
seat_entry_lost(struct seat_entry *seat)
{
	struct post *first = seat->lost;

	if (first)
		seat->lost = first->next;
	return first;
}
