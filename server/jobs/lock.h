/* lock: a mutex for layers that have no threads: they are lent it as functions.
 *
 * Any thread. Not recursive. */
#ifndef COLLIDED_JOBS_LOCK_H
#define COLLIDED_JOBS_LOCK_H

struct lock;

/* NULL without memory. */
struct lock *lock_create(void);
/* NULL is fine; it must be free. */
void lock_destroy(struct lock *lock);
/* `lock` is a struct lock. */
void lock_take(void *lock);
void lock_give(void *lock);

#endif
