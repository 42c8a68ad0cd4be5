#include "physics/map/dropping_queue.h"

#include <stdbool.h>

struct event_queue;
struct event;

bool __real_event_queue_push(struct event_queue *queue, const struct event *event);
bool __wrap_event_queue_push(struct event_queue *queue, const struct event *event);

enum { DROP_EVERY = 10000 };

static struct dropping_counts counts;

bool
__wrap_event_queue_push(struct event_queue *queue, const struct event *event)
{
	if (++counts.pushes % DROP_EVERY == 0) {
		counts.dropped++;
		return true;
	}
	return __real_event_queue_push(queue, event);
}

struct dropping_counts
dropping_counts(void)
{
	return counts;
}

void
dropping_reset(void)
{
	counts = (struct dropping_counts){ 0 };
}
