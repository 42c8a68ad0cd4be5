/* event_queue: predicted events of one tick, earliest first.
 *
 * In a total order (time, kind of side, ids, feature), so that equal times never depend on the order of prediction. A tick's
 * end is known, so its time is divided into as many equal spans as suit the events of the tick before; when they turn out to be
 * far too few, as in a world's first tick, all is dealt to more of them in the middle of it. What is pushed for a
 * later span lies in a list, unsorted until its time has come; then a few are sorted where they are taken from, and the rest,
 * as well as what is pushed for the span at hand or earlier, goes through a binary heap, which so stays small. Events are not
 * removed when a path changes; they carry the epochs of their bodies and are void when those moved on. Most that are void by
 * the time of their span are dropped then; who takes one asks again. One thread; owns its memory. */
#ifndef COLLIDED_TABLES_EVENT_QUEUE_H
#define COLLIDED_TABLES_EVENT_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In the order in which equal times are taken. */
enum event_kind {
	EVENT_TRANSFER,    /* a leaves its cell */
	EVENT_SUPPORT_END, /* a runs past the end of segment b, which supports it; side 1: it leaves an end, which does */
	EVENT_CIRCLES,     /* a meets body b; a < b */
	EVENT_FACE,        /* a meets segment b between its ends */
	EVENT_VERTEX,      /* a meets vertex b */
};

/* Of a body: what whoever meets it asks first, and mostly asks nothing else. */
struct body_mark {
	/* Counts its path changes in this tick. A predicted event is void unless it carries the present ones; most that wait turn
	 * out to be void. */
	uint32_t epoch;
	/* Not 0: it is dynamic, goes its own way (MODE_MOVING) and rests on nothing; predictions then need not look at its infos.
	 * So are all that are untouched. body_touch forgets it, as anybody may. */
	uint8_t roams;
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

/* As many of a span's events as are sorted. */
#define EVENTS_READY_MAX 8u
/* In so many steps what they will want is fetched ahead. */
#define EVENTS_FETCH_STEPS 4u

/* As many wait for the heads of their lists: hardly a head is in the cache, and so many are fetched at once. */
#define EVENTS_PENDING_MAX 8u

struct event_queue {
	struct event ready[EVENTS_READY_MAX]; /* of the span at hand: the latest first */
	uint32_t ready_count;
	uint32_t span, span_count;
	uint32_t fetched[EVENTS_FETCH_STEPS]; /* the caller's: up to which span (prefetch.h) */
	struct event *heap;
	size_t count, capacity;
	uint32_t *spans; /* first of each one's list */
	size_t span_capacity;
	/* Of later spans. The lists' links are apart: they are few lines, by which the events can be fetched ahead. */
	struct event *later;
	uint32_t *links;                  /* the next of the same span, or among the free ones */
	uint32_t later_count, later_free; /* in use or free; first of those that are free */
	size_t later_capacity, link_capacity;
	/* Those that are not in their lists yet: event_queue_push. */
	struct event_link {
		uint32_t span, at;
	} pending[EVENTS_PENDING_MAX];
	uint32_t pending_count;
	double duration, spans_per_second;
	size_t pushes;                 /* in this tick */
	size_t pushes_most;            /* with more there are too few spans */
	const struct body_mark *marks; /* the caller's, of the bodies by now, once the tick has begun; NULL: all events hold */
	struct event *voids;           /* of one time: event_queue_void */
	size_t void_count, void_capacity;
};

#define EVENTS_END UINT32_MAX

/* The list of the events of the span that is `turns` after the one at hand: in queue->later, linked by queue->links. */
static inline uint32_t
event_queue_list(const struct event_queue *queue, uint32_t turns)
{
	return turns < queue->span_count - queue->span ? queue->spans[queue->span + turns] : EVENTS_END;
}

/* The total order, of equal times. */
bool event_before_in_time(const struct event *l, const struct event *r);
/* The total order. */
static inline bool
event_before(const struct event *l, const struct event *r)
{
	return l->time != r->time ? l->time < r->time : event_before_in_time(l, r);
}

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
	if (queue->count > 0)
		return &queue->heap[0];
	return queue->ready_count > 0 ? &queue->ready[queue->ready_count - 1] : NULL;
}
/* Keeps only the events for which keep() is true. */
void event_queue_filter(struct event_queue *queue, bool (*keep)(void *context, const struct event *event), void *context);
/* All events, in no order. */
void event_queue_visit(struct event_queue *queue, void (*visit)(void *context, const struct event *event), void *context);
/* Makes the twins of an event void that was just taken and changed no path: a pair may be predicted more than once, how often
 * is up to the cells, and its twins carry epochs that still hold. False without memory. */
bool event_queue_void(struct event_queue *queue, const struct event *event);
/* Whether the event is such a twin. */
bool event_queue_is_void(const struct event_queue *queue, const struct event *event);
size_t event_queue_memory_bytes(const struct event_queue *queue);

#endif
