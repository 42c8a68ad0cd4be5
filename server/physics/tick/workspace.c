/* Happy path: a world takes over the memory that the one before has left in its workspace, and leaves it for the next. What can
 * go wrong: memory; two worlds at once in one workspace, which is the caller's error. */
#include "physics/tick/workspace.h"

#include "base/check.h"
#include "base/memory.h"
#include "physics/events/resolve.h"
#include "physics/phases/depenetration.h"
#include "physics/prediction/prefetch_tick.h"
#include "physics/reports/watch.h"

struct workspace {
	struct tick_scratch scratch;
	struct tick_rows rows;     /* only the arrays and their capacities */
	const struct world *guest; /* the world that has it now, or NULL */
	const struct world *last;  /* the world with its reports still in it, or NULL */
};

/* The arrays of a tick's reports. */
static void
reports_copy(struct tick_rows *to, const struct tick_rows *from)
{
	to->contacts = from->contacts;
	to->contact_capacity = from->contact_capacity;
	to->path_changes = from->path_changes;
	to->path_change_capacity = from->path_change_capacity;
	to->shortfalls = from->shortfalls;
	to->shortfall_capacity = from->shortfall_capacity;
	to->ends = from->ends;
	to->end_capacity = from->end_capacity;
}

static void
scratch_copy(struct tick_scratch *to, const struct tick_scratch *from)
{
	/* The number of events is the world's own: the next tick will have about as many. So are its counts. */
	size_t pushes = to->queue.pushes, supports = to->support_count, overlaps = to->overlap_count;

	*to = *from;
	to->queue.pushes = pushes;
	to->support_count = supports;
	to->overlap_count = overlaps;
}

static void
scratch_free(struct tick_scratch *scratch, struct tick_rows *rows)
{
	swept_boxes_finish(&scratch->swept_boxes);
	event_queue_finish(&scratch->queue);
	resolver_destroy(scratch->resolver);
	memory_free(scratch->supports);
	memory_free(scratch->overlaps);
	memory_free(scratch->overlap_bodies);
	memory_free(scratch->overlap_parents);
	memory_free(scratch->lives);
	memory_free(rows->contacts);
	memory_free(rows->path_changes);
	memory_free(rows->shortfalls);
	memory_free(rows->ends);
}

static size_t
scratch_bytes(const struct tick_scratch *scratch, const struct tick_rows *rows)
{
	return swept_boxes_memory_bytes(&scratch->swept_boxes) + event_queue_memory_bytes(&scratch->queue) +
	       (scratch->resolver ? resolver_memory_bytes(scratch->resolver) : 0) +
	       scratch->support_capacity * sizeof(struct support) + scratch->overlap_capacity * sizeof(struct overlap) +
	       scratch->overlap_body_capacity * sizeof(struct cluster_body) +
	       scratch->overlap_parent_capacity * sizeof *scratch->overlap_parents +
	       scratch->life_capacity * sizeof *scratch->lives + rows->contact_capacity * sizeof(struct contact) +
	       rows->path_change_capacity * sizeof(struct path_change) + rows->shortfall_capacity * sizeof(struct shortfall) +
	       rows->end_capacity * sizeof(struct body_end);
}

enum status
workspace_create(struct workspace **out)
{
	struct workspace *workspace = memory_zeroed(1, sizeof *workspace);

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
	scratch_free(&workspace->scratch, &workspace->rows);
	memory_free(workspace);
}

void
scratch_finish(struct world *world)
{
	struct workspace *workspace = world->workspace;

	if (!workspace) {
		scratch_free(&world->scratch, &world->report);
		return;
	}
	if (workspace->last == world)
		workspace->last = NULL;
}

size_t
scratch_memory_bytes(const struct world *world)
{
	if (!world->workspace)
		return scratch_bytes(&world->scratch, &world->report);
	return world->report.contact_count * sizeof(struct contact) + world->report.path_change_count * sizeof(struct path_change) +
	       world->report.shortfall_count * sizeof(struct shortfall) + world->report.end_count * sizeof(struct body_end) +
	       world->scratch.queue.pushes * sizeof(struct event);
}

size_t
workspace_memory_bytes(const struct workspace *workspace)
{
	return sizeof *workspace + scratch_bytes(&workspace->scratch, &workspace->rows);
}

void
world_workspace_set(struct world *world, struct workspace *workspace)
{
	static const struct tick_scratch no_scratch = { 0 };
	static const struct tick_rows no_rows = { 0 };
	struct workspace *before = world->workspace;

	if (before == workspace)
		return;

	/* The reports of its last tick move along. */
	bool takes = before && before->last == world && !workspace;

	scratch_finish(world);
	scratch_copy(&world->scratch, &no_scratch);
	reports_copy(&world->report, &no_rows);
	if (takes) {
		reports_copy(&world->report, &before->rows);
		reports_copy(&before->rows, &no_rows);
	}
	world->workspace = workspace;
}

void
world_workspace_drop(struct world *world)
{
	if (world->workspace && world->workspace->last == world)
		world->workspace->last = NULL;
	if (world->workspace && world->watch)
		watch_leave(world->watch);
	world_workspace_set(world, NULL);
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
		scratch_copy(&world->scratch, &workspace->scratch);
		reports_copy(&world->report, &workspace->rows);
	}
	if (!world->scratch.resolver)
		world->scratch.resolver = resolver_create();
	return world->scratch.resolver != NULL;
}

void
workspace_leave(struct world *world)
{
	struct workspace *workspace = world->workspace;

	if (!workspace)
		return;
	scratch_copy(&workspace->scratch, &world->scratch);
	reports_copy(&workspace->rows, &world->report);
	workspace->guest = NULL;
	workspace->last = world;
}
