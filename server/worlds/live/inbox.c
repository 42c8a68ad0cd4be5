/* Posts, and where they wait: made by the loop, freed by the worker. */
#include "worlds/live/inbox.h"

#include "base/memory.h"
#include "worlds/live/live_world.h"

struct post *
post_create(enum post_kind kind, size_t count)
{
	struct ledger *own = memory_enter(NULL);
	struct post *post = memory_zeroed(1, sizeof *post + count);

	(void)memory_enter(own);
	if (post) {
		post->kind = kind;
		post->count = count;
	}
	return post;
}

void
post_free(struct post *post)
{
	if (!post)
		return;
	if (post->kind == POST_RESTORE)
		world_start_destroy(post->restore.start);

	struct ledger *own = memory_enter(NULL);

	memory_free(post);
	(void)memory_enter(own);
}

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
