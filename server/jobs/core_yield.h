/* core_yield: how threads that compute share their core with others. Each function on the thread that it is about.
 *
 * Linux takes a core from a thread only at an event: a thread wakes up that is owed more time, or the clock ticks, on most
 * machines every 4 ms. A thread that has just slept has no scheduling credit. If it ran for 50 us, then made way for another,
 * it waits up to one kernel tick behind a thread that computes. That happens to the loop, and to clients on this machine,
 * while workers step large worlds.
 *
 * So a worker yields its core (sched_yield) during a long piece of work. It does so at a yield point, between two ticks, which
 * takes a microsecond while no other thread waits. Where there is none, it does so in the handler of a timer's signal, which
 * takes twenty on a virtual machine. A thread that passes yield points often enough gets few signals.
 *
 * What can go wrong: no timer is to be had. Then there are no signals, and long pieces of work keep their core. */
#ifndef COLLIDED_JOBS_CORE_YIELD_H
#define COLLIDED_JOBS_CORE_YIELD_H

#include <stdint.h>

/* Between two yields, and before the first of a piece of work: short ones never yield. A yield costs the thread the rest of
 * its time slice. Beside another that computes and never yields it still gets three tenths of the core (with a millisecond:
 * four). */
#define CORE_YIELD_PERIOD_US 500
/* Time on the core that a thread must have had since its last yield. */
#define CORE_YIELD_SPENT_US 300
/* Between two signals while pieces of work, or the times between yield points, are short. The timer and its signal cost some
 * 20 us on a virtual machine. A thread that does pieces of 20 us, or ticks of 50 us, should not notice them. */
#define CORE_YIELD_LOOK_US 4000

/* The life of a thread that yields. Between the first and core_yield_end: core_yield_work whenever a piece of work begins, and
 * core_yield_rest before the thread waits. The thread gets SIGRTMIN meanwhile, which nothing else may use. */
void core_yield_begin(void);
void core_yield_work(void);
void core_yield_rest(void);
/* After a rest within a piece of work. On a thread without core_yield_begin these three do nothing. */
void core_yield_resume(void);
/* A yield point within a piece of work; `now_ns` is of a monotonic clock. Yields if it is time. A thread that passes one every
 * CORE_YIELD_PERIOD_US is sent no signals for it. A single one does not tell how soon the next comes. */
void core_yield_point(uint64_t now_ns);
void core_yield_end(void);

#endif
