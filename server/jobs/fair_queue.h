/* fair_queue: what is next, so that nothing takes another's share: start-time fair queueing (Goyal, Vin, Cheng 1996) in a tree.
 *
 *     root -- account -- connection -- item
 *
 * A leaf is an item of work: idle, queued or in service. Every other node shares what it gets among its children by their
 * weights, as long as they have work. Time and cost are arguments: nothing here reads a clock, allocates or locks. Nodes are
 * the caller's memory; one thread at a time.
 *
 * Each node has a virtual start: what it has cost so far over its weight. The child with the least is taken first, and of
 * equals the one that was queued first. Its cost is known only afterwards. Until then it is charged FAIR_QUANTUM_NS in advance,
 * so that others are taken meanwhile. A child that becomes active begins at its parent's virtual time, or at its own start if
 * that is later: to leave and to return gains nothing.
 *
 * The virtual time of a parent rises to the start of each child taken, as in the paper. Besides it rises with the cost of its
 * children over the weights of the active ones, up to a quantum beyond the least start that is queued. Without that it would
 * stand still while newcomers arrive without end, and a child that has been served once would wait for all of them.
 *
 * What a child could not use, as one item cannot use two cores, is not saved up: it starts at most a quantum behind.
 *
 * A child may get time outside of the queue, which the queue cannot refuse (fair_owe). It owes that to its siblings: whatever
 * it costs from then on is charged up to FAIR_DEBT_TIMES times as much, until it is paid. So its share is at most divided by
 * that, never nothing. Of what it owes more than FAIR_DEBT_NS is forgotten. Without a debt nothing changes.
 *
 * The bound: let two children, f and g, have work all the while, and one leaf be in service at a time. What each gets over its
 * weight w (1 = FAIR_WEIGHT_ONE) then differs by at most c_f / w_f + c_g / w_g + FAIR_QUANTUM_NS. Here c is the longest cost of
 * one taking. With k in service at a time it is k times as much. test_jobs_fair_queue asserts both. */
#ifndef COLLIDED_JOBS_FAIR_QUEUE_H
#define COLLIDED_JOBS_FAIR_QUEUE_H

#include "jobs/heap.h"

#include <stdbool.h>
#include <stdint.h>

/* What an item costs before others are looked at; nanoseconds of CPU time. Much less costs more in changes of threads than it
 * gives, ten times as much is what a person playing notices. */
#define FAIR_QUANTUM_NS UINT64_C(1000000)
/* The weight of a node unless it is set. */
#define FAIR_WEIGHT_ONE 1024u
#define FAIR_WEIGHT_MAX (1u << 20)
/* What was got outside of the queue is paid for in parts, up to so many times a cost: an eighth of its share a node keeps. */
#define FAIR_DEBT_TIMES 8
/* What a node owes at most. It was got at other times too, when there may have been no other that wanted it. */
#define FAIR_DEBT_NS UINT64_C(1000000000)

struct fair_node {
	struct heap_node place; /* the first member; in the parent's heap while queued */

	/* Among its siblings. */
	struct fair_node *parent; /* NULL: the root */
	uint32_t weight;          /* 1..FAIR_WEIGHT_MAX */
	uint32_t in_service;      /* leaves at or below it that were taken */
	bool queued;              /* it is a queued leaf, or one is below it */
	uint64_t start;           /* virtual; compared by their signed difference, so it may wrap around */
	uint64_t order;           /* of equals */
	uint64_t owed_ns;         /* of time got outside of the queue */

	/* Of its children. */
	struct heap queue;      /* of those queued */
	uint64_t now;           /* their virtual time */
	uint64_t active_weight; /* of those queued or in service */
	uint64_t orders;
};

/* A root (parent NULL), an inner node or a leaf. The parent stays where it is for as long as the node is queued or in service.
 * A node that is neither may be forgotten. */
void fair_node_init(struct fair_node *node, struct fair_node *parent, uint32_t weight);
/* Of any node, at any time. */
void fair_weight_set(struct fair_node *node, uint32_t weight);
/* Whether some leaf at or below it is queued or in service. */
bool fair_is_active(const struct fair_node *node);

/* An idle leaf is queued. */
void fair_push(struct fair_node *leaf);
/* The next leaf, which stays where it is; NULL: none is queued. */
struct fair_node *fair_first(struct fair_node *root);
/* Takes that leaf into service. */
struct fair_node *fair_take(struct fair_node *root);
/* The same with any queued leaf, out of its turn. */
void fair_take_leaf(struct fair_node *leaf);
/* A leaf in service has cost so much more. */
void fair_charge(struct fair_node *leaf, uint64_t cost_ns);
/* A node that is no leaf, and with it all above it, got so much time outside of the queue. At any time. */
void fair_owe(struct fair_node *node, uint64_t cost_ns);
/* A leaf in service is queued again: its work is not done. */
void fair_put_back(struct fair_node *leaf);
/* A leaf in service is idle. */
void fair_end(struct fair_node *leaf);
/* A queued leaf is idle: it is wanted no more. */
void fair_remove(struct fair_node *leaf);

#endif
