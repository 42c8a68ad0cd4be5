/* turns: how threads that compute share their core with others. Each function on the thread that it is about.
 *
 * Linux takes a core from a thread only when something happens: somebody wakes up who is owed more time, or the clock ticks, on
 * most machines every 4 ms. Who woke up, ran for 50 us and made way for another who woke up is owed nothing just then, and
 * waits for the tick behind whoever computes there. That is the lot of the loop, and of clients on this machine, while workers
 * step large worlds. So a worker offers its core (sched_yield) while it is at a long piece of work: where it can, between two
 * ticks, by itself, which while nobody waits is a microsecond; else in the handler of a timer's signal, which on a virtual
 * machine is twenty. Who offers often enough by himself gets few signals.
 *
 * What can go wrong: no timer is to be had. Then there are no offers, and all is as Linux would have it. */
#ifndef COLLIDED_JOBS_CORE_YIELD_H
#define COLLIDED_JOBS_CORE_YIELD_H

#include <stdint.h>

/* Between two offers, and at least so long before the first of a piece of work: short ones never make one. An offer costs the
 * thread the rest of its turn: beside another that computes and offers nothing it still gets three tenths of the core (a
 * millisecond: four). */
#define CORE_YIELD_PERIOD_US 500
/* Of the core's time that a thread must have had since. */
#define CORE_YIELD_SPENT_US 300
/* Between two looks whether the pieces of work have become long, or between two places for an offer: the timer and its signal
 * cost some 20 us a time on a virtual machine, which neither who does one piece of 20 us after the other nor who makes one tick
 * of 50 us after the other should feel. */
#define CORE_YIELD_LOOK_US 4000

/* The life of a thread that offers; between the two core_yield_work, whenever a piece of work begins, and core_yield_rest
 * before it waits. In between the thread gets a signal that nobody else may use, SIGRTMIN. */
void core_yield_begin(void);
void core_yield_work(void);
void core_yield_rest(void);
/* After a rest within a piece of work. On a thread that does not offer these three do nothing. */
void core_yield_resume(void);
/* A good place for an offer within a piece of work, by a monotonic clock: makes one if it is time. Whoever comes by such a
 * place every CORE_YIELD_PERIOD_US is not sent signals for it; one place in a piece of work does not tell how soon the next
 * comes. */
void core_yield_point(uint64_t now_ns);
void core_yield_end(void);

#endif
