/* Happy path: a world finds in its workspace what the one before has left there, and leaves it for the next. What can go
 * wrong: memory; two worlds at once in one workspace, which is the caller's mistake. */
#include "physics/tick/workspace.h"

#include "base/check.h"
#include "physics/events/resolve.h"
#include "physics/phases/depenetration.h"
#include "physics/prediction/prefetch_tick.h"

#include <stdlib.h>

struct workspace {
	struct world shared;       /* nothing but the scratch of one */
	const struct world *guest; /* who has it now, or NULL */
	const struct world *last;  /* whose tick told what is in it, or NULL */
};

/* What a tick tells. */
static void
told_copy(struct world *to, const struct world *from)
{
	to->contacts = from->contacts;
	to->contact_capacity = from->contact_capacity;
	to->path_changes = from->path_changes;
	to->path_change_capacity = from->path_change_capacity;
	to->shortfalls = from->shortfalls;
	to->shortfall_capacity = from->shortfall_capacity;
}

static void
scratch_copy(struct world *to, const struct world *from)
{
	/* How many events the last tick had is the world's own: the next will have as many. */
	size_t pushes = to->queue.pushes;

	to->swept_boxes = from->swept_boxes;
	to->queue = from->queue;
	to->queue.pushes = pushes;
	to->resolver = from->resolver;
	to->supports = from->supports;
	to->support_capacity = from->support_capacity;
	to->overlaps = from->overlaps;
	to->overlap_capacity = from->overlap_capacity;
	to->knots = from->knots;
	to->knot_capacity = from->knot_capacity;
	to->knot_parents = from->knot_parents;
	to->knot_parent_capacity = from->knot_parent_capacity;
	told_copy(to, from);
}

static void
scratch_free(struct world *world)
{
	swept_boxes_finish(&world->swept_boxes);
	event_queue_finish(&world->queue);
	resolver_destroy(world->resolver);
	free(world->supports);
	free(world->overlaps);
	free(world->knots);
	free(world->knot_parents);
	free(world->contacts);
	free(world->path_changes);
	free(world->shortfalls);
}

static size_t
scratch_bytes(const struct world *world)
{
	return swept_boxes_memory_bytes(&world->swept_boxes) + event_queue_memory_bytes(&world->queue) +
	       (world->resolver ? resolver_memory_bytes(world->resolver) : 0) + world->support_capacity * sizeof(struct support) +
	       world->overlap_capacity * sizeof(struct overlap) + world->knot_capacity * sizeof(struct knot_body) +
	       world->knot_parent_capacity * sizeof *world->knot_parents + world->contact_capacity * sizeof(struct contact) +
	       world->path_change_capacity * sizeof(struct path_change) + world->shortfall_capacity * sizeof(struct shortfall);
}

enum status
workspace_create(struct workspace **out)
{
	struct workspace *workspace = calloc(1, sizeof *workspace);

	if (!workspace)
		return STATUS_RESOURCE_EXHAUSTED;
	*out = workspace;
	return STATUS_OK;
}

void
workspace_destroy(struct workspace *workspace)
{
	if (!workspace)
		return;
	CHECK(!workspace->guest);
	scratch_free(&workspace->shared);
	free(workspace);
}

void
scratch_finish(struct world *world)
{
	struct workspace *workspace = world->workspace;

	if (!workspace) {
		scratch_free(world);
		return;
	}
	if (workspace->last == world)
		workspace->last = NULL;
}

size_t
scratch_memory_bytes(const struct world *world)
{
	if (!world->workspace)
		return scratch_bytes(world);
	return world->contact_count * sizeof(struct contact) + world->path_change_count * sizeof(struct path_change) +
	       world->shortfall_count * sizeof(struct shortfall) + world->queue.pushes * sizeof(struct event);
}

size_t
workspace_memory_bytes(const struct workspace *workspace)
{
	return sizeof *workspace + scratch_bytes(&workspace->shared);
}

void
world_workspace_set(struct world *world, struct workspace *workspace)
{
	static const struct world nothing = { 0 };
	struct workspace *before = world->workspace;

	if (before == workspace)
		return;

	/* What its last tick told goes along. */
	bool takes = before && before->last == world && !workspace;

	scratch_finish(world);
	scratch_copy(world, &nothing);
	if (takes) {
		told_copy(world, &before->shared);
		told_copy(&before->shared, &nothing);
	}
	world->workspace = workspace;
}

bool
workspace_enter(struct world *world)
{
	struct workspace *workspace = world->workspace;

	fetch_world(world);
	fetch_columns(world);
	if (workspace) {
		CHECK(!workspace->guest);
		workspace->guest = world;
		scratch_copy(world, &workspace->shared);
	}
	if (!world->resolver)
		world->resolver = resolver_create();
	return world->resolver != NULL;
}

void
workspace_leave(struct world *world)
{
	struct workspace *workspace = world->workspace;

	if (!workspace)
		return;
	scratch_copy(&workspace->shared, world);
	workspace->guest = NULL;
	workspace->last = world;
}
