#include "worlds/live/inbox.h"

void
inbox_init(struct inbox *inbox)
{
	atomic_init(&inbox->newest, NULL);
}

void
inbox_push(struct inbox *inbox, struct post *post)
{
	struct post *before = atomic_load_explicit(&inbox->newest, memory_order_relaxed);

	do
		post->next = before;
	while (!atomic_compare_exchange_weak_explicit(&inbox->newest, &before, post, memory_order_release, memory_order_relaxed));
}

bool
inbox_is_empty(const struct inbox *inbox)
{
	return !atomic_load_explicit(&inbox->newest, memory_order_acquire);
}

struct post *
inbox_take(struct inbox *inbox)
{
	struct post *newest = atomic_exchange_explicit(&inbox->newest, NULL, memory_order_acquire), *first = NULL;

	while (newest) {
		struct post *before = newest->next;

		newest->next = first;
		first = newest;
		newest = before;
	}
	return first;
}
