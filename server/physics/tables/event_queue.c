#include "physics/tables/event_queue.h"

#include "base/line.h"
#include "base/memory.h"
#include "base/pause.h"
#include "physics/math/array.h"

#include <string.h>

/* Average number of events per span. Fewer mean more spans to walk through; more mean longer spans to sort. */
#define EVENTS_PER_SPAN 4
#define SPANS_MAX (UINT32_C(1) << 22)
/* When the events exceed SPANS_LATE times what suits the spans, all are dealt to SPANS_GROW times as many spans. Consecutive
 * ticks usually differ by less. However many events there are, those dealt again are at most a seventh of those pushed. */
#define SPANS_LATE 4
#define SPANS_GROW 8
/* With so many events the heap drops the void ones, and again whenever it has doubled since. Where all paths change at once,
 * nearly all events in it are void; and any number of a tick's events may come within one span. */
#define HEAP_SWEEP_MIN 1024u
/* Units (base/pause.h) of a step that reads an event anywhere in memory. */
#define QUEUE_UNITS 2u
/* Spans that are passed at once if they are empty, and units for the way to the next event. */
#define SPANS_PIECE 1024u
#define SPANS_UNITS 4u
/* As an event's kind: this slot is free. */
#define EVENT_FREE UINT8_MAX

void
event_queue_init(struct event_queue *queue)
{
	*queue = (struct event_queue){ 0 };
}

void
event_queue_finish(struct event_queue *queue)
{
	memory_free(queue->heap);
	memory_free(queue->spans);
	memory_free(queue->later);
	memory_free(queue->links);
	memory_free(queue->voids);
	*queue = (struct event_queue){ 0 };
}

/* Makes `count` empty spans for a tick of `duration`. */
static bool
spans_make(struct event_queue *queue, size_t count, double duration)
{
	if (!array_reserve(&queue->spans, &queue->span_capacity, count, sizeof *queue->spans))
		return false;
	queue->span_count = (uint32_t)count;
	queue->duration = duration;
	queue->spans_per_second = queue->span_count / duration;
	queue->pushes_most = count < SPANS_MAX ? count * EVENTS_PER_SPAN * SPANS_LATE : SIZE_MAX;
	return pause_fill(queue->spans, 0xff, queue->span_count * sizeof *queue->spans);
}

bool
event_queue_begin(struct event_queue *queue, double duration)
{
	size_t wanted = queue->pushes / EVENTS_PER_SPAN + 1, spans = wanted < SPANS_MAX ? wanted : SPANS_MAX;

	/* A few more spans are not worth an allocation in the middle of a run. */
	if (spans > queue->span_capacity && spans - queue->span_capacity <= queue->span_capacity / 4)
		spans = queue->span_capacity;
	if (!spans_make(queue, spans, duration))
		return false;
	queue->span = 0;
	queue->heap_most = HEAP_SWEEP_MIN;
	memset(queue->fetched, 0, sizeof queue->fetched);
	queue->ready_count = 0;
	queue->count = queue->later_count = 0;
	queue->later_free = EVENTS_END;
	queue->pushes = 0;
	queue->void_count = queue->pending_count = 0;
	queue->marks = NULL;
	return true;
}

bool
event_before_in_time(const struct event *l, const struct event *r)
{
	if ((l->kind == EVENT_TRANSFER) != (r->kind == EVENT_TRANSFER))
		return l->kind == EVENT_TRANSFER;
	if ((l->kind == EVENT_LIFE_END) != (r->kind == EVENT_LIFE_END))
		return r->kind == EVENT_LIFE_END;
	if (l->a != r->a)
		return l->a < r->a;
	if (l->kind != r->kind && (l->kind <= EVENT_CIRCLES || r->kind <= EVENT_CIRCLES))
		return l->kind < r->kind;
	if (l->order != r->order)
		return l->order < r->order;
	if (l->feature != r->feature)
		return l->feature < r->feature;
	if (l->side != r->side)
		return l->side < r->side;
	return l->b < r->b;
}

/* The span of a time. Monotonic: never a span before that of an earlier time. */
static uint32_t
span_of(const struct event_queue *queue, double time)
{
	double span = time * queue->spans_per_second;

	return span < (double)queue->span_count ? (uint32_t)span : queue->span_count - 1;
}

/* Puts an event where there is a hole, or below. */
static void
heap_sink(struct event_queue *queue, size_t hole, const struct event *event)
{
	for (;;) {
		size_t child = 2 * hole + 1;

		if (child >= queue->count)
			break;
		if (child + 1 < queue->count && event_before(&queue->heap[child + 1], &queue->heap[child]))
			child++;
		if (!event_before(&queue->heap[child], event))
			break;
		queue->heap[hole] = queue->heap[child];
		hole = child;
	}
	queue->heap[hole] = *event;
}

/* Whether the bodies' paths are still those that it was predicted from. */
static inline bool
event_is_fresh(const struct event_queue *queue, const struct event *event)
{
	bool circles = event->kind == EVENT_CIRCLES;
	uint32_t b = circles ? event->b : event->a, epoch_b = circles ? event->epoch_b : event->epoch_a;

	return !queue->marks || ((event->epoch_a == queue->marks[event->a].epoch) & (epoch_b == queue->marks[b].epoch));
}

/* Drops what is void. */
static __attribute__((noinline)) void
heap_sweep(struct event_queue *queue)
{
	size_t count = queue->count;

	queue->count = 0;
	for (size_t k = 0; k < count && !pause_after(QUEUE_UNITS); k++)
		if (event_is_fresh(queue, &queue->heap[k]))
			queue->heap[queue->count++] = queue->heap[k];
	for (size_t k = queue->count / 2; k-- > 0 && !pause_after(QUEUE_UNITS);) {
		struct event event = queue->heap[k];

		heap_sink(queue, k, &event);
	}
	queue->heap_most = queue->count < HEAP_SWEEP_MIN / 2 ? HEAP_SWEEP_MIN : 2 * queue->count;
}

static bool
heap_push(struct event_queue *queue, const struct event *event)
{
	if (queue->count >= queue->heap_most)
		heap_sweep(queue);
	if (!array_reserve(&queue->heap, &queue->capacity, queue->count + 1, sizeof *queue->heap))
		return false;

	size_t hole = queue->count++;

	while (hole > 0) {
		size_t parent = (hole - 1) / 2;

		if (!event_before(event, &queue->heap[parent]))
			break;
		queue->heap[hole] = queue->heap[parent];
		hole = parent;
	}
	queue->heap[hole] = *event;
	return true;
}

static void
heap_pop(struct event_queue *queue)
{
	queue->count--;

	const struct event last = queue->heap[queue->count];

	heap_sink(queue, 0, &last);
}

static bool
later_reserve(struct event_queue *queue, size_t count)
{
	return array_reserve(&queue->later, &queue->later_capacity, count, sizeof *queue->later) &&
	       array_reserve(&queue->links, &queue->link_capacity, count, sizeof *queue->links);
}

static void
later_free(struct event_queue *queue, uint32_t at)
{
	queue->links[at] = queue->later_free;
	queue->later_free = at;
}

/* Links the pending events into the lists of their spans. */
static void
pending_link(struct event_queue *queue)
{
	for (uint32_t k = 0; k < queue->pending_count; k++) {
		struct event_link link = queue->pending[k];

		queue->links[link.at] = queue->spans[link.span];
		queue->spans[link.span] = link.at;
	}
	queue->pending_count = 0;
}

/* The line will be used soon. */
static inline void
later_link(struct event_queue *queue, uint32_t span, uint32_t at)
{
	line_fetch(&queue->spans[span]);
	queue->pending[queue->pending_count++] = (struct event_link){ span, at };
	if (queue->pending_count == EVENTS_PENDING_MAX)
		pending_link(queue);
}

/* Moves all events to queue->later, in no list, and marks the free slots. False without memory. */
static bool
later_gather(struct event_queue *queue)
{
	size_t all = queue->later_count + queue->count + queue->ready_count;

	if (all >= EVENTS_END || !later_reserve(queue, all))
		return false;
	queue->pending_count = 0;
	for (uint32_t at = queue->later_free; at != EVENTS_END && !pause_after(QUEUE_UNITS); at = queue->links[at])
		queue->later[at].kind = EVENT_FREE;
	for (size_t k = 0; k < queue->count && !pause_after(1); k++)
		queue->later[queue->later_count++] = queue->heap[k];
	for (uint32_t k = 0; k < queue->ready_count; k++)
		queue->later[queue->later_count++] = queue->ready[k];
	queue->count = queue->ready_count = 0;
	return !pause_stopped();
}

/* Deals all events to more spans, because there are many more events than expected. The current span becomes the first of those
 * that it is split into. Whatever belongs to no later span goes to the heap. False without memory. */
static __attribute__((noinline)) bool
spans_grow(struct event_queue *queue)
{
	uint32_t count = queue->span_count, grown = count < SPANS_MAX / SPANS_GROW ? count * SPANS_GROW : SPANS_MAX;

	/* The capacity suited the largest tick so far; a tick that is no larger asks for no memory. */
	if (grown > queue->span_capacity && queue->span_capacity > count)
		grown = (uint32_t)queue->span_capacity;
	if (!later_gather(queue) || !spans_make(queue, grown, queue->duration))
		return false;
	queue->span = (uint32_t)((uint64_t)queue->span * grown / count);
	memset(queue->fetched, 0, sizeof queue->fetched);
	for (uint32_t at = 0; at < queue->later_count && !pause_after(QUEUE_UNITS); at++) {
		const struct event *event = &queue->later[at];

		if (event->kind == EVENT_FREE)
			continue;
		uint32_t span = span_of(queue, event->time);
		if (span > queue->span) {
			later_link(queue, span, at);
			continue;
		}
		if (!heap_push(queue, event))
			return false;
		later_free(queue, at);
	}
	return !pause_stopped();
}

bool
event_queue_push(struct event_queue *queue, const struct event *event)
{
	if (++queue->pushes > queue->pushes_most && !spans_grow(queue))
		return false;

	uint32_t span = span_of(queue, event->time), at = queue->later_free;

	if (span <= queue->span)
		return heap_push(queue, event);
	if (at != EVENTS_END) {
		queue->later_free = queue->links[at];
	} else {
		at = queue->later_count;
		if (at == EVENTS_END || !later_reserve(queue, (size_t)at + 1))
			return false;
		queue->later_count++;
	}
	queue->later[at] = *event;
	later_link(queue, span, at);
	return true;
}

/* Inserts among the sorted events, which must have room for one more. */
static void
ready_insert(struct event_queue *queue, const struct event *event)
{
	struct event *ready = queue->ready;
	uint32_t hole = queue->ready_count++;

	for (; hole > 0 && event_before(&ready[hole - 1], event); hole--)
		ready[hole] = ready[hole - 1];
	ready[hole] = *event;
}

/* Sorts some events of queue->later into `ready`. It sorts by rank, without branches, because comparisons of times are
 * unpredictable. */
static void
ready_fill(struct event_queue *queue, const uint32_t *places, uint32_t count)
{
	double times[EVENTS_READY_MAX];
	uint32_t ranks[EVENTS_READY_MAX];
	bool equal = false;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t rank = 0;

		times[i] = queue->later[places[i]].time;
		for (uint32_t j = 0; j < i; j++) {
			bool later = times[i] > times[j];

			ranks[j] += later;
			rank += !later;
			equal |= times[i] == times[j];
		}
		ranks[i] = rank;
	}
	for (uint32_t i = 0; i < count && !equal; i++)
		queue->ready[ranks[i]] = queue->later[places[i]];
	queue->ready_count = equal ? 0 : count;
	for (uint32_t i = 0; i < count && equal; i++)
		ready_insert(queue, &queue->later[places[i]]);
}

/* Advances to the next span that has events, up to `last`. No event of the current span may be left. */
static bool
span_enter(struct event_queue *queue, uint32_t last)
{
	uint32_t places[EVENTS_READY_MAX + 1], count = 0, next;

	pending_link(queue);
	while (queue->spans[++queue->span] == EVENTS_END && queue->span < last)
		;
	for (uint32_t at = queue->spans[queue->span]; at != EVENTS_END; at = next) {
		bool fresh = event_is_fresh(queue, &queue->later[at]);

		next = queue->links[at];
		if (count == EVENTS_READY_MAX && fresh && (pause_after(QUEUE_UNITS) || !heap_push(queue, &queue->later[at])))
			return false;
		places[count] = at;
		count += fresh & (count < EVENTS_READY_MAX);
		later_free(queue, at);
	}
	ready_fill(queue, places, count);
	return true;
}

/* The earliest event of the current span, or NULL. */
static const struct event *
queue_first(const struct event_queue *queue)
{
	const struct event *ready = queue->ready_count > 0 ? &queue->ready[queue->ready_count - 1] : NULL;

	if (queue->count > 0 && (!ready || event_before(&queue->heap[0], ready)))
		return &queue->heap[0];
	return ready;
}

bool
event_queue_pop_until(struct event_queue *queue, double until, bool inclusive, struct event *event, bool *failed)
{
	const struct event *first = queue_first(queue);

	while (!first) {
		uint32_t last = span_of(queue, until);

		if (queue->span >= last)
			return false;
		if (last - queue->span > SPANS_PIECE)
			last = queue->span + SPANS_PIECE;
		if (!span_enter(queue, last)) {
			*failed = true;
			return false;
		}
		first = queue_first(queue);
		if (!first && pause_after(SPANS_UNITS)) {
			*failed = true;
			return false;
		}
	}
	if (first->time > until || (first->time == until && !inclusive))
		return false;
	*event = *first;
	if (first == queue->heap)
		heap_pop(queue);
	else
		queue->ready_count--;
	return true;
}

void
event_queue_filter(struct event_queue *queue, bool (*keep)(void *context, const struct event *event), void *context)
{
	size_t count = queue->count;
	uint32_t ready_count = queue->ready_count;

	pending_link(queue);
	/* Rebuilds the heap in place: writing never overtakes reading. */
	queue->count = 0;
	for (size_t k = 0; k < count && !pause_after(QUEUE_UNITS); k++) {
		struct event event = queue->heap[k];

		if (keep(context, &event))
			(void)heap_push(queue, &event);
	}
	queue->ready_count = 0;
	for (uint32_t k = 0; k < ready_count; k++)
		if (keep(context, &queue->ready[k]))
			queue->ready[queue->ready_count++] = queue->ready[k];
	for (uint32_t span = queue->span + 1; span < queue->span_count && !pause_after(1); span++) {
		uint32_t *link = &queue->spans[span];

		while (*link != EVENTS_END && !pause_after(QUEUE_UNITS)) {
			uint32_t at = *link;

			if (keep(context, &queue->later[at])) {
				link = &queue->links[at];
				continue;
			}
			*link = queue->links[at];
			later_free(queue, at);
		}
	}
}

void
event_queue_visit(struct event_queue *queue, void (*visit)(void *context, const struct event *event), void *context)
{
	pending_link(queue);
	for (size_t k = 0; k < queue->count && !pause_after(QUEUE_UNITS); k++)
		visit(context, &queue->heap[k]);
	for (uint32_t k = 0; k < queue->ready_count; k++)
		visit(context, &queue->ready[k]);
	for (uint32_t span = queue->span + 1; span < queue->span_count && !pause_after(1); span++)
		for (uint32_t at = queue->spans[span]; at != EVENTS_END && !pause_after(QUEUE_UNITS); at = queue->links[at])
			visit(context, &queue->later[at]);
}

bool
event_queue_void(struct event_queue *queue, const struct event *event)
{
	if (queue->void_count > 0 && queue->voids[0].time != event->time)
		queue->void_count = 0;
	if (!array_reserve(&queue->voids, &queue->void_capacity, queue->void_count + 1, sizeof *queue->voids))
		return false;
	queue->voids[queue->void_count++] = *event;
	return true;
}

bool
event_queue_is_void(const struct event_queue *queue, const struct event *event)
{
	if (queue->void_count == 0 || queue->voids[0].time != event->time)
		return false;
	for (size_t i = 0; i < queue->void_count; i++) {
		const struct event *other = &queue->voids[i];

		if (!event_before(other, event) && !event_before(event, other) && other->epoch_a == event->epoch_a &&
		    other->epoch_b == event->epoch_b)
			return true;
	}
	return false;
}

size_t
event_queue_memory_bytes(const struct event_queue *queue)
{
	return queue->capacity * sizeof *queue->heap + queue->later_capacity * sizeof *queue->later +
	       queue->link_capacity * sizeof *queue->links + queue->span_capacity * sizeof *queue->spans +
	       queue->void_capacity * sizeof *queue->voids;
}
