/* turns: how threads that compute share their core with others. Each function on the thread that it is about.
 *
 * Linux takes a core from a thread only when something happens: somebody wakes up who is owed more time, or the clock ticks, on
 * most machines every 4 ms. Who woke up, ran for 50 us and made way for another who woke up is owed nothing just then, and
 * waits for the tick behind whoever computes there. That is the lot of the loop, and of clients on this machine, while workers
 * step large worlds. So a worker offers its core while it is at a long piece of work: a timer's signal, and in its handler
 * sched_yield. While nobody waits that is a microsecond or two.
 *
 * What can go wrong: no timer is to be had. Then there are no offers, and all is as Linux would have it. */
#ifndef COLLIDED_JOBS_TURNS_H
#define COLLIDED_JOBS_TURNS_H

/* Between two offers, and at least so long before the first of a piece of work: short ones never make one. An offer costs the
 * thread the rest of its turn: beside another that computes and offers nothing it still gets three tenths of the core (a
 * millisecond: four). */
#define TURNS_OFFER_US 500
/* Of the core's time that a thread must have had since. */
#define TURNS_SPENT_US 300
/* Between two looks whether the pieces of work have become long: the timer costs some 10 us a time on a virtual machine, which
 * who does one piece of 20 us after the other should not feel. */
#define TURNS_LOOK_US 4000

/* The life of a thread that offers; between the two turns_work, whenever a piece of work begins, and turns_rest before it
 * waits. In between the thread gets a signal that nobody else may use, SIGRTMIN. */
void turns_begin(void);
void turns_work(void);
void turns_rest(void);
/* After a rest within a piece of work. On a thread that does not offer these three do nothing. */
void turns_resume(void);
void turns_end(void);

#endif
