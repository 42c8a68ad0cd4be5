/* Posts: made by the loop, freed by the worker. */
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
