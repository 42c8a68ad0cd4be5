/* clockwork: the due times of many, earliest first, and when to wake up for them. A pure structure: time is an argument; the
 * memory is the caller's; one thread at a time.
 *
 * To wait for each due time by itself would cost more than what is due: 50,000 timed waits a second take a third of a core. So
 * it wakes at most once in a slot: at the earliest due time, but not before a slot has passed since the last wake. What is due
 * by then is taken in order. Due times that come in step, a slot apart, are therefore met exactly; others may be late by as
 * much as a slot. */
#ifndef COLLIDED_JOBS_CLOCKWORK_H
#define COLLIDED_JOBS_CLOCKWORK_H

#include "jobs/heap.h"

#include <stdbool.h>
#include <stdint.h>

/* How close together a keeper wakes up, unless options say otherwise. */
#define CLOCKWORK_SLOT_NS UINT64_C(500000)
/* There is nothing to wake up for. */
#define CLOCKWORK_NEVER UINT64_MAX
/* So many that follow each other get the same phase, as what they send often goes the same way. Together they are due for some
 * 160 us of work, if a turn costs 20. */
#define CLOCKWORK_PHASE_GROUP 8

struct due {
	struct heap_node node; /* the first member */
	uint64_t due_ns;
	uint64_t key_ns; /* by which it is ordered: a due time in the past comes after all that are due */
	uint64_t order;  /* of equals */
	bool armed;      /* it is in a clockwork */
};

struct clockwork {
	struct heap heap;
	uint64_t slot_ns;  /* 0: it wakes for each */
	uint64_t woken_ns; /* the time that it last was to wake for */
	uint64_t orders;
};

void clockwork_init(struct clockwork *clockwork, uint64_t slot_ns);
/* Puts in one that is not in it. */
void clockwork_arm(struct clockwork *clockwork, struct due *due, uint64_t due_ns, uint64_t now_ns);
/* The same, to be taken at another time than it is due. */
void clockwork_arm_at(struct clockwork *clockwork, struct due *due, uint64_t due_ns, uint64_t key_ns);
/* Takes it out if it is in. */
void clockwork_disarm(struct clockwork *clockwork, struct due *due);
/* When to wake; in the past: now. CLOCKWORK_NEVER: it is empty. */
uint64_t clockwork_wake_ns(const struct clockwork *clockwork);
/* Whether something is due. */
bool clockwork_is_due(const struct clockwork *clockwork, uint64_t now_ns);
/* It is awake now. */
void clockwork_wake(struct clockwork *clockwork, uint64_t now_ns);
/* Takes out the first that is due; NULL: none is. */
struct due *clockwork_take(struct clockwork *clockwork, uint64_t now_ns);

/* The phase of the order-th of those that one of `keepers` keeps. They come in groups, each in another slot of the period, in
 * an order that spreads any number of groups evenly. Keepers' slots lie between each other's. */
uint64_t clockwork_phase_ns(uint64_t order, unsigned keeper, unsigned keepers, uint64_t period_ns, uint64_t slot_ns);

#endif
