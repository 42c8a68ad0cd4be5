#include "jobs/free_list.h"

#include "base/check.h"

#include <pthread.h>
#include <stdlib.h>

struct free_list {
	pthread_mutex_t lock;
	/* Guarded by the lock. */
	void *items[FREE_LIST_ITEMS_MAX];
	size_t count;
};

struct free_list *
free_list_create(void)
{
	struct free_list *list = calloc(1, sizeof *list);
	if (list && pthread_mutex_init(&list->lock, NULL) != 0) {
		free(list);
		return NULL;
	}
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
