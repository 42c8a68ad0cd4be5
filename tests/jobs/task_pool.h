/* task_pool: a pool with tasks for tests, and how they wait. */
#ifndef COLLIDED_TESTS_JOBS_TASK_POOL_H
#define COLLIDED_TESTS_JOBS_TASK_POOL_H

#include "base/clock.h"
#include "jobs/fair_queue.h"
#include "jobs/pool.h"
#include "jobs/task.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define PATIENCE_MS 600000
#define US UINT64_C(1000)

enum { JOBS_MAX = 64, TASKS_MAX = 64 };

/* Counted by tasks that find themselves on two threads at once. */
extern atomic_uint overlaps;

/* Keepers of pools that are started have real-time priority, if this process may; false unless set. */
extern bool with_realtime;

struct pool *start(unsigned workers, unsigned spares, uint64_t slot_ns);
/* Stops it; nothing may have overlapped. */
void finish(struct pool *pool, void (*discard)(struct job *job));
void discard_none(struct job *job);
/* Waits for so many jobs or tasks that are done, and calls `done` of each that has one. */
void take_back(struct pool *pool, size_t count);
/* So that what waits takes no core from what it waits for. */
void rest_a_moment(void);
/* At checkpoints, for so long; by the thread's own time, or by the clock, which is cheaper. */
void compute(uint64_t (*clock)(void), uint64_t ns);

#endif
