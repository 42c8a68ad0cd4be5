/* lock: a mutex for layers that have no threads: they are lent it as functions. And how mutexes are made that are held for less
 * time than it takes to sleep and to wake up.
 *
 * Any thread. Not recursive. */
#ifndef COLLIDED_JOBS_LOCK_H
#define COLLIDED_JOBS_LOCK_H

#include <pthread.h>

struct lock;

/* NULL without memory. */
struct lock *lock_create(void);
/* NULL is fine; it must be free. */
void lock_destroy(struct lock *lock);
/* `lock` is a struct lock. */
void lock_take(void *lock);
void lock_give(void *lock);

/* A thread that wants such a mutex polls for a moment before it sleeps. */
void polling_mutex_init(pthread_mutex_t *mutex);

#endif
