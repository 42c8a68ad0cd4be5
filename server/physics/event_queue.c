#include "physics/event_queue.h"

#include "physics/array.h"

#include <stdlib.h>
#include <string.h>

#define NOTHING UINT32_MAX
/* As many events as are in a span on average. Fewer make more spans to go through, more a larger heap. */
#define EVENTS_PER_SPAN 4
#define SPANS_MAX (UINT32_C(1) << 20)

void
event_queue_init(struct event_queue *queue)
{
	*queue = (struct event_queue){ 0 };
}

void
event_queue_finish(struct event_queue *queue)
{
	free(queue->heap);
	free(queue->later);
	free(queue->spans);
	free(queue->voids);
	*queue = (struct event_queue){ 0 };
}

bool
event_queue_begin(struct event_queue *queue, double duration)
{
	size_t wanted = queue->pushes / EVENTS_PER_SPAN + 1, spans = wanted < SPANS_MAX ? wanted : SPANS_MAX;

	if (!array_reserve(&queue->spans, &queue->span_capacity, spans, sizeof *queue->spans))
		return false;
	queue->span_count = (uint32_t)spans;
	queue->spans_per_second = queue->span_count / duration;
	memset(queue->spans, 0xff, queue->span_count * sizeof *queue->spans);
	queue->span = 0;
	queue->count = queue->later_count = 0;
	queue->later_free = NOTHING;
	queue->pushes = 0;
	queue->void_count = 0;
	return true;
}

bool
event_before(const struct event *l, const struct event *r)
{
	if (l->time != r->time)
		return l->time < r->time;
	if ((l->kind == EVENT_TRANSFER) != (r->kind == EVENT_TRANSFER))
		return l->kind == EVENT_TRANSFER;
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

/* Which span a time is in: never one before that of an earlier time. */
static uint32_t
span_of(const struct event_queue *queue, double time)
{
	double span = time * queue->spans_per_second;

	return span < (double)queue->span_count ? (uint32_t)span : queue->span_count - 1;
}

static bool
heap_push(struct event_queue *queue, const struct event *event)
{
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
	const struct event *last = &queue->heap[--queue->count];
	size_t hole = 0;

	for (;;) {
		size_t child = 2 * hole + 1;

		if (child >= queue->count)
			break;
		if (child + 1 < queue->count && event_before(&queue->heap[child + 1], &queue->heap[child]))
			child++;
		if (!event_before(&queue->heap[child], last))
			break;
		queue->heap[hole] = queue->heap[child];
		hole = child;
	}
	queue->heap[hole] = *last;
}

bool
event_queue_push(struct event_queue *queue, const struct event *event)
{
	uint32_t span = span_of(queue, event->time), at = queue->later_free;

	queue->pushes++;
	if (span <= queue->span)
		return heap_push(queue, event);
	if (at != NOTHING) {
		queue->later_free = queue->later[at].next;
	} else {
		at = queue->later_count;
		if (at == NOTHING || !array_reserve(&queue->later, &queue->later_capacity, (size_t)at + 1, sizeof *queue->later))
			return false;
		queue->later_count++;
	}
	queue->later[at].event = *event;
	queue->later[at].next = queue->spans[span];
	queue->spans[span] = at;
	return true;
}

/* Goes on to the next span. */
static bool
span_enter(struct event_queue *queue)
{
	uint32_t head = queue->spans[++queue->span];

	while (head != NOTHING) {
		struct event_later *later = &queue->later[head];
		uint32_t next = later->next;

		if (!heap_push(queue, &later->event))
			return false;
		later->next = queue->later_free;
		queue->later_free = head;
		head = next;
	}
	return true;
}

bool
event_queue_pop_until(struct event_queue *queue, double until, bool inclusive, struct event *event, bool *failed)
{
	while (queue->count == 0 && queue->span + 1 < queue->span_count && queue->span < span_of(queue, until)) {
		if (!span_enter(queue)) {
			*failed = true;
			return false;
		}
	}
	if (queue->count == 0 || queue->heap[0].time > until || (queue->heap[0].time == until && !inclusive))
		return false;
	*event = queue->heap[0];
	heap_pop(queue);
	return true;
}

void
event_queue_filter(struct event_queue *queue, bool (*keep)(void *context, const struct event *event), void *context)
{
	size_t count = queue->count;

	/* Into the heap anew: its memory is never behind what is still to be read. */
	queue->count = 0;
	for (size_t k = 0; k < count; k++) {
		struct event event = queue->heap[k];

		if (keep(context, &event))
			(void)heap_push(queue, &event);
	}
	for (uint32_t span = queue->span + 1; span < queue->span_count; span++) {
		uint32_t *link = &queue->spans[span];

		while (*link != NOTHING) {
			uint32_t at = *link;

			if (keep(context, &queue->later[at].event)) {
				link = &queue->later[at].next;
				continue;
			}
			*link = queue->later[at].next;
			queue->later[at].next = queue->later_free;
			queue->later_free = at;
		}
	}
}

void
event_queue_visit(const struct event_queue *queue, void (*visit)(void *context, const struct event *event), void *context)
{
	for (size_t k = 0; k < queue->count; k++)
		visit(context, &queue->heap[k]);
	for (uint32_t span = queue->span + 1; span < queue->span_count; span++)
		for (uint32_t at = queue->spans[span]; at != NOTHING; at = queue->later[at].next)
			visit(context, &queue->later[at].event);
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
	       queue->span_capacity * sizeof *queue->spans + queue->void_capacity * sizeof *queue->voids;
}
