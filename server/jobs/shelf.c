#include "jobs/shelf.h"

#include "base/check.h"

#include <pthread.h>
#include <stdlib.h>

struct shelf {
	pthread_mutex_t lock;
	/* Guarded by the lock. */
	void *things[SHELF_THINGS_MAX];
	size_t count;
};

struct shelf *
shelf_create(void)
{
	struct shelf *shelf = calloc(1, sizeof *shelf);
	if (shelf != NULL && pthread_mutex_init(&shelf->lock, NULL) != 0) {
		free(shelf);
		return NULL;
	}
	return shelf;
}

void
shelf_destroy(struct shelf *shelf, void (*discard)(void *thing))
{
	if (shelf == NULL) {
		return;
	}
	while (shelf->count > 0) {
		discard(shelf->things[--shelf->count]);
	}
	CHECK(pthread_mutex_destroy(&shelf->lock) == 0);
	free(shelf);
}

void *
shelf_take(struct shelf *shelf)
{
	CHECK(pthread_mutex_lock(&shelf->lock) == 0);
	void *thing = shelf->count > 0 ? shelf->things[--shelf->count] : NULL;
	CHECK(pthread_mutex_unlock(&shelf->lock) == 0);
	return thing;
}

bool
shelf_give(struct shelf *shelf, void *thing)
{
	CHECK(pthread_mutex_lock(&shelf->lock) == 0);
	bool kept = shelf->count < SHELF_THINGS_MAX;
	if (kept) {
		shelf->things[shelf->count++] = thing;
	}
	CHECK(pthread_mutex_unlock(&shelf->lock) == 0);
	return kept;
}
