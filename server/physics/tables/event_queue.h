/* event_queue: the predicted events of one tick, earliest first.
 *
 * The order is total (time, kind of side, ids, feature), so equal times never depend on the order of prediction. The end of a
 * tick is known, so its time is divided into equal spans, as many as suit the number of events of the tick before. If they turn
 * out far too few, as in a world's first tick, all events are dealt to more spans in the middle of the tick.
 *
 * An event of a later span lies unsorted in that span's list until its time comes. Then a few events are sorted in place. The
 * rest, and what is pushed for the current span or earlier, goes through a binary heap, which therefore stays small.
 *
 * Events are not removed when a path changes. They carry the epochs of their bodies, and are void once those have moved on.
 * Most void events are dropped when their span begins; the caller that takes an event checks again. One thread; owns its
 * memory. */
#ifndef COLLIDED_TABLES_EVENT_QUEUE_H
#define COLLIDED_TABLES_EVENT_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ascending in the order in which equal times are resolved. */
enum event_kind {
	EVENT_TRANSFER,    /* a leaves its cell */
	EVENT_SUPPORT_END, /* a runs past the end of segment b, which supports it; side 1: it leaves an end, which does */
	EVENT_CIRCLES,     /* a meets body b; a < b */
	EVENT_FACE,        /* a meets segment b between its ends */
	EVENT_VERTEX,      /* a meets vertex b */
	EVENT_LIFE_END,    /* the lifetime of a ends; never in a queue (lifetimes.h), only in the order of what has happened */
};

/* As the side of two circles: they do not meet before this time, and are solved for when they do once it has come. It precedes
 * the event that follows from it in every order, so that the order of what happens is the same. */
#define CIRCLES_EARLY (-1)

/* The part of a body's state that a prediction or an event reads first, and often alone. */
struct body_mark {
	/* Number of path changes in this tick. A predicted event is void unless it carries the current epochs of its bodies. Most
	 * events in the queue become void. */
	uint32_t epoch;
	/* Not 0: the body is dynamic, free (MODE_MOVING) and rests on nothing, so predictions need not read its info. All clean
	 * bodies (world.bodies.untouched) are so. body_touch clears it conservatively. */
	uint8_t is_free;
};

struct event {
	double time;
	uint32_t a, b;
	uint32_t epoch_a, epoch_b; /* epoch_b: of circles only */
	uint32_t order;            /* rank of b among the sides of its kind; of a vertex, its lowest segment */
	uint8_t kind;              /* enum event_kind */
	uint8_t feature;
	int8_t side; /* of a face: +1 left, -1 right of its direction; of circles: 0, or CIRCLES_EARLY */
};

/* Number of events of a span that are sorted in place. */
#define EVENTS_READY_MAX 8u
/* Number of steps in which the data of coming events is prefetched. */
#define EVENTS_FETCH_STEPS 4u

/* Number of pushed events that wait to be linked. List heads are rarely in the cache, so that many are prefetched at once. */
#define EVENTS_PENDING_MAX 8u

struct event_queue {
	struct event ready[EVENTS_READY_MAX]; /* of the current span, latest first */
	uint32_t ready_count;
	uint32_t span, span_count;
	uint32_t fetched[EVENTS_FETCH_STEPS]; /* for the caller's use: the span up to which each step is done (prefetch.h) */
	struct event *heap;
	size_t count, capacity;
	size_t heap_most; /* with more it is rid of void events */
	uint32_t *spans;  /* first event of each span's list */
	size_t span_capacity;
	/* Events of later spans. The links are a separate array: it takes few cache lines, and the events can be prefetched through
	 * it. */
	struct event *later;
	uint32_t *links;                  /* next event of the same span, or next free slot */
	uint32_t later_count, later_free; /* slots in use or free; the first free slot */
	size_t later_capacity, link_capacity;
	/* Events that are not linked yet: event_queue_push. */
	struct event_link {
		uint32_t span, at;
	} pending[EVENTS_PENDING_MAX];
	uint32_t pending_count;
	double duration, spans_per_second;
	size_t pushes;                 /* in this tick */
	size_t pushes_most;            /* above this there are too few spans */
	const struct body_mark *marks; /* the caller's current marks, set once the tick has begun; NULL: every event is valid */
	struct event *voids;           /* duplicates at one time: event_queue_void */
	size_t void_count, void_capacity;
};

#define EVENTS_END UINT32_MAX

/* The first event of the span `turns` after the current one. The list is in queue->later, linked by queue->links. */
static inline uint32_t
event_queue_list(const struct event_queue *queue, uint32_t turns)
{
	return turns < queue->span_count - queue->span ? queue->spans[queue->span + turns] : EVENTS_END;
}

/* The total order for equal times. */
bool event_before_in_time(const struct event *l, const struct event *r);
/* The total order. */
static inline bool
event_before(const struct event *l, const struct event *r)
{
	return l->time != r->time ? l->time < r->time : event_before_in_time(l, r);
}

void event_queue_init(struct event_queue *queue);
void event_queue_finish(struct event_queue *queue);
/* Begins a tick of `duration` > 0. False without memory. */
bool event_queue_begin(struct event_queue *queue, double duration);
/* Pushes an event with a time >= 0. False without memory. */
bool event_queue_push(struct event_queue *queue, const struct event *event);
/* Takes the earliest event before `until`, or, with `inclusive`, at it. False: there is none, or, with *failed set, no
 * memory. */
bool event_queue_pop_until(struct event_queue *queue, double until, bool inclusive, struct event *event, bool *failed);
/* The probable earliest event, or NULL: a hint for prefetching. */
static inline const struct event *
event_queue_next(const struct event_queue *queue)
{
	if (queue->count > 0)
		return &queue->heap[0];
	return queue->ready_count > 0 ? &queue->ready[queue->ready_count - 1] : NULL;
}
/* Keeps only the events for which keep() returns true. */
void event_queue_filter(struct event_queue *queue, bool (*keep)(void *context, const struct event *event), void *context);
/* Whether it is no event yet. */
static inline bool
event_is_early(const struct event *event)
{
	return event->kind == EVENT_CIRCLES && event->side == CIRCLES_EARLY;
}

/* Visits all events, in no particular order. */
void event_queue_visit(struct event_queue *queue, void (*visit)(void *context, const struct event *event), void *context);
/* Makes the duplicates of an event void. The event was just taken and changed no path. A pair may be predicted more than once,
 * depending on the cells, and the duplicates carry epochs that are still valid. False without memory. */
bool event_queue_void(struct event_queue *queue, const struct event *event);
/* Whether the event is such a duplicate. */
bool event_queue_is_void(const struct event_queue *queue, const struct event *event);
size_t event_queue_memory_bytes(const struct event_queue *queue);

#endif
