#define _GNU_SOURCE /* PTHREAD_MUTEX_ADAPTIVE_NP */
#include "jobs/lock.h"

#include "base/check.h"

#include <stdlib.h>

struct lock {
	pthread_mutex_t mutex;
};

void
polling_mutex_init(pthread_mutex_t *mutex)
{
	pthread_mutexattr_t attributes;
	CHECK(pthread_mutexattr_init(&attributes) == 0);
	CHECK(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP) == 0);
	CHECK(pthread_mutex_init(mutex, &attributes) == 0);
	CHECK(pthread_mutexattr_destroy(&attributes) == 0);
}

struct lock *
lock_create(void)
{
	struct lock *lock = malloc(sizeof *lock);
	if (lock)
		polling_mutex_init(&lock->mutex);
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
