/* event_queue: predicted events of one tick, earliest first.
 *
 * In a total order (time, kind of side, ids, feature), so that equal times never depend on the order of prediction. A tick's
 * end is known, so its time is divided into as many equal spans as suit the events of the tick before: those of the span at
 * hand, and what was pushed for earlier, are in a binary heap, which so stays small; those of each later span lie in a list,
 * unsorted until their time has come. Events are not removed when a path changes; they carry the epochs of their bodies and are
 * void when those moved on. One thread; owns its memory. */
#ifndef COLLIDED_PHYSICS_EVENT_QUEUE_H
#define COLLIDED_PHYSICS_EVENT_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In the order in which equal times are taken. */
enum event_kind {
	EVENT_TRANSFER,    /* a leaves its cell */
	EVENT_SUPPORT_END, /* a runs past the end of segment b, which supports it */
	EVENT_CIRCLES,     /* a meets body b; a < b */
	EVENT_FACE,        /* a meets segment b between its ends */
	EVENT_VERTEX,      /* a meets vertex b */
};

struct event {
	double time;
	uint32_t a, b;
	uint32_t epoch_a, epoch_b; /* epoch_b of circles only */
	uint32_t order;            /* of b among the sides of its kind: for a vertex its lowest segment */
	uint8_t kind;              /* enum event_kind */
	uint8_t feature;
	int8_t side; /* of a face: +1 left, -1 right of its direction */
};

struct event_later {
	struct event event;
	uint32_t next; /* of the same span, or among the free ones */
};

struct event_queue {
	struct event *heap;
	size_t count, capacity;
	struct event_later *later;
	uint32_t later_count, later_free; /* in use or free; head of those that are free */
	size_t later_capacity;
	uint32_t *spans; /* head of each one's list */
	uint32_t span_count, span;
	size_t span_capacity;
	double spans_per_second;
	size_t pushes;       /* in this tick */
	struct event *voids; /* of one time: event_queue_void */
	size_t void_count, void_capacity;
};

/* The total order. */
bool event_before(const struct event *l, const struct event *r);

void event_queue_init(struct event_queue *queue);
void event_queue_finish(struct event_queue *queue);
/* For a tick of `duration` > 0. False without memory. */
bool event_queue_begin(struct event_queue *queue, double duration);
/* At a time >= 0. False without memory. */
bool event_queue_push(struct event_queue *queue, const struct event *event);
/* The earliest, if it is before `until`, or, with `inclusive`, at it; false if there is none, or, with *failed set, without
 * memory. */
bool event_queue_pop_until(struct event_queue *queue, double until, bool inclusive, struct event *event, bool *failed);
/* What is probably the earliest, or NULL: to fetch what it will want. */
static inline const struct event *
event_queue_next(const struct event_queue *queue)
{
	return queue->count > 0 ? &queue->heap[0] : NULL;
}
/* Keeps only the events for which keep() is true. */
void event_queue_filter(struct event_queue *queue, bool (*keep)(void *context, const struct event *event), void *context);
/* All events, in no order. */
void event_queue_visit(const struct event_queue *queue, void (*visit)(void *context, const struct event *event), void *context);
/* Makes the twins of an event void that was just taken and changed no path: a pair may be predicted more than once, how often
 * is up to the cells, and its twins carry epochs that still hold. False without memory. */
bool event_queue_void(struct event_queue *queue, const struct event *event);
/* Whether the event is such a twin. */
bool event_queue_is_void(const struct event_queue *queue, const struct event *event);
size_t event_queue_memory_bytes(const struct event_queue *queue);

#endif
