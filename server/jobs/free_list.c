#include "jobs/free_list.h"

#include "base/check.h"
#include "jobs/lock.h"

#include <stdlib.h>
#include <string.h>

struct free_list {
	pthread_mutex_t lock;
	/* Guarded by the lock. */
	void *items[FREE_LIST_ITEMS_MAX];
	size_t count;
	size_t unused; /* of these, from the first on: not taken since free_list_take_unused was done */
};

struct free_list *
free_list_create(void)
{
	struct free_list *list = calloc(1, sizeof *list);
	if (list)
		polling_mutex_init(&list->lock);
	return list;
}

void
free_list_destroy(struct free_list *list, void (*discard)(void *item))
{
	if (!list)
		return;
	while (list->count > 0)
		discard(list->items[--list->count]);
	CHECK(pthread_mutex_destroy(&list->lock) == 0);
	free(list);
}

void *
free_list_take(struct free_list *list)
{
	CHECK(pthread_mutex_lock(&list->lock) == 0);
	void *item = list->count > 0 ? list->items[--list->count] : NULL;
	if (list->unused > list->count)
		list->unused = list->count;
	CHECK(pthread_mutex_unlock(&list->lock) == 0);
	return item;
}

bool
free_list_give(struct free_list *list, void *item)
{
	CHECK(pthread_mutex_lock(&list->lock) == 0);
	bool kept = list->count < FREE_LIST_ITEMS_MAX;
	if (kept)
		list->items[list->count++] = item;
	CHECK(pthread_mutex_unlock(&list->lock) == 0);
	return kept;
}

void *
free_list_take_unused(struct free_list *list, size_t kept)
{
	void *item = NULL;
	CHECK(pthread_mutex_lock(&list->lock) == 0);
	if (list->unused > 0 && list->count > kept) {
		item = list->items[0];
		list->unused--;
		list->count--;
		memmove(list->items, list->items + 1, list->count * sizeof *list->items);
	} else {
		list->unused = list->count;
	}
	CHECK(pthread_mutex_unlock(&list->lock) == 0);
	return item;
}

size_t
free_list_count(struct free_list *list)
{
	CHECK(pthread_mutex_lock(&list->lock) == 0);
	size_t count = list->count;
	CHECK(pthread_mutex_unlock(&list->lock) == 0);
	return count;
}
