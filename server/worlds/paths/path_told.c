#include "worlds/paths/path_told.h"

#include "base/memory.h"
#include "base/pause.h"
#include "worlds/commands/room.h"

#include <stdlib.h>

/* Rows that malloc gives again without the system. */
#define LEFT_MAX 256u

/* By time; of one time by body, of one body as they were made. */
static int
row_compare(const void *left, const void *right)
{
	const struct path_row *l = left, *r = right;

	if (l->time != r->time)
		return l->time < r->time ? -1 : 1;
	if (l->body != r->body)
		return l->body < r->body ? -1 : 1;
	return l->order < r->order ? -1 : l->order > r->order;
}

void
path_told_order(const struct path_row_list *list)
{
	bool ordered = true;

	for (size_t i = 1; i < list->count && ordered && !pause_after(1); i++)
		ordered = row_compare(&list->rows[i - 1], &list->rows[i]) <= 0;
	if (!ordered)
		qsort(list->rows, list->count, sizeof *list->rows, row_compare);
}

bool
path_told_repeat(const struct path_row_list *from, size_t first, struct path_row_list *to)
{
	if (from->count == first)
		return true;
	if (!room_reserve(&to->rows, &to->capacity, to->count + from->count - first, sizeof *to->rows))
		return false;
	for (size_t i = first; i < from->count; i++) {
		to->rows[to->count] = from->rows[i];
		to->rows[to->count].order = (uint32_t)to->count;
		to->count++;
	}
	return true;
}

static void
list_leave(struct path_row_list *list)
{
	if (list->capacity <= LEFT_MAX) {
		memory_free(list->rows);
		*list = (struct path_row_list){ 0 };
	}
}

void
path_told_leave(struct path_told *told)
{
	list_leave(&told->rows);
	list_leave(&told->end_rows);
}
