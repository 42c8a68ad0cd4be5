#include "jobs/lock.h"

#include "base/check.h"

#include <pthread.h>
#include <stdlib.h>

struct lock {
	pthread_mutex_t mutex;
};

struct lock *
lock_create(void)
{
	struct lock *lock = malloc(sizeof *lock);
	if (lock && pthread_mutex_init(&lock->mutex, NULL) != 0) {
		free(lock);
		return NULL;
	}
	return lock;
}

void
lock_destroy(struct lock *lock)
{
	if (!lock)
		return;
	CHECK(pthread_mutex_destroy(&lock->mutex) == 0);
	free(lock);
}

void
lock_take(void *lock)
{
	CHECK(pthread_mutex_lock(&((struct lock *)lock)->mutex) == 0);
}

void
lock_give(void *lock)
{
	CHECK(pthread_mutex_unlock(&((struct lock *)lock)->mutex) == 0);
}
