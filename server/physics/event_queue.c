#include "physics/event_queue.h"

#include <stdlib.h>

void
event_queue_init(struct event_queue *queue)
{
	*queue = (struct event_queue){ 0 };
}

void
event_queue_finish(struct event_queue *queue)
{
	free(queue->heap);
	free(queue->voids);
	*queue = (struct event_queue){ 0 };
}

void
event_queue_clear(struct event_queue *queue)
{
	queue->count = 0;
	queue->void_count = 0;
}

static bool
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

bool
event_queue_push(struct event_queue *queue, const struct event *event)
{
	if (queue->count == queue->capacity) {
		size_t capacity = queue->capacity ? queue->capacity * 2 : 256;
		struct event *heap = realloc(queue->heap, capacity * sizeof *heap);

		if (!heap)
			return false;
		queue->heap = heap;
		queue->capacity = capacity;
	}

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

bool
event_queue_pop_until(struct event_queue *queue, double until, bool inclusive, struct event *event)
{
	if (queue->count == 0 || queue->heap[0].time > until || (queue->heap[0].time == until && !inclusive))
		return false;
	*event = queue->heap[0];

	struct event last = queue->heap[--queue->count];
	size_t hole = 0;

	for (;;) {
		size_t child = 2 * hole + 1;

		if (child >= queue->count)
			break;
		if (child + 1 < queue->count && event_before(&queue->heap[child + 1], &queue->heap[child]))
			child++;
		if (!event_before(&queue->heap[child], &last))
			break;
		queue->heap[hole] = queue->heap[child];
		hole = child;
	}
	if (queue->count > 0)
		queue->heap[hole] = last;
	return true;
}

bool
event_queue_void(struct event_queue *queue, const struct event *event)
{
	if (queue->void_count > 0 && queue->voids[0].time != event->time)
		queue->void_count = 0;
	if (queue->void_count == queue->void_capacity) {
		size_t capacity = queue->void_capacity ? queue->void_capacity * 2 : 16;
		struct event *voids = realloc(queue->voids, capacity * sizeof *voids);

		if (!voids)
			return false;
		queue->voids = voids;
		queue->void_capacity = capacity;
	}
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
