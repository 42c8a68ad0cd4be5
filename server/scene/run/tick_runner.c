#include "scene/run/tick_runner.h"

#include "scene/definition/def_field.h"
#include "scene/limits.h"
#include "scene/scene.h"

#include <inttypes.h>

void
tick_counts_add(struct tick_counts *counts, const struct tick_report *report)
{
	counts->events += report->events;
	counts->collisions += report->collisions;
	counts->clusters += report->clusters;
	counts->clips += report->clips;
}

void
tick_runner_begin(struct tick_runner *runner, struct world *world)
{
	runner->world = world;
	runner->tick = runner->tick_first = world_tick(world);
}

void
tick_runner_finish(struct tick_runner *runner)
{
	selfcheck_finish(&runner->check);
	world_destroy(runner->world);
}

size_t
tick_runner_memory_bytes(const struct tick_runner *runner)
{
	return scene_world_bytes(runner->world) + selfcheck_memory_bytes(&runner->check);
}

/* Why the world gave no tick. */
static enum status
step_refuse(const struct tick_runner *runner, enum status status, uint64_t tick, struct wire_problem *problem)
{
	if (status == STATUS_CANCELLED)
		return wire_problem_set(problem, status, "CANCELLED", "", "tick %" PRIu64 " was given up", tick);
	if (status == STATUS_INTERNAL) {
		return wire_problem_set(problem, status, "SELF_CHECK", "", "tick %" PRIu64 " made twice is not the same: %s", tick,
		                        runner->check.difference.text);
	}
	struct world_failure failure;
	if (status == STATUS_OUT_OF_RANGE && world_failure(runner->world, &failure)) {
		return wire_problem_set(problem, status, "NOT_FINITE", "",
		                        "tick %" PRIu64 ": circle %" PRIu32 " has %s that is not finite", tick, failure.circle_id,
		                        def_field_name(failure.field));
	}
	return wire_problem_set(problem, status, "LIMIT", "",
	                        "tick %" PRIu64 " has more than %" PRIu64 " contacts, or needs more memory than there is", tick,
	                        runner->contacts_per_tick_max);
}

enum status
tick_runner_step(struct tick_runner *runner, struct wire_problem *problem)
{
	uint64_t tick = runner->tick + 1;
	world_workspace_set(runner->world, runner->workspace);
	world_clock_set(runner->world,
	                cost_clock(&runner->cost, runner->cost_offset + runner->tick, world_body_count(runner->world)));
	enum status status = runner->self_check ? selfcheck_step(&runner->check, runner->world, runner->dt, &runner->report)
	                                        : world_step(runner->world, runner->dt, &runner->report);

	if (status != STATUS_OK)
		return step_refuse(runner, status, tick, problem);
	runner->tick = tick;
	cost_tick_end(&runner->cost, &runner->report);
	runner->hashed = false;
	tick_counts_add(&runner->total, &runner->report);
	runner->shortfall_total += runner->report.shortfall_count;
	return STATUS_OK;
}

uint64_t
tick_runner_hash(struct tick_runner *runner)
{
	if (!runner->hashed) {
		runner->hash = world_hash(runner->world);
		runner->hashed = true;
	}
	return runner->hash;
}

void
tick_runner_workspace_set(struct tick_runner *runner, struct workspace *workspace)
{
	bool small = world_body_count(runner->world) <= SCENE_WORKSPACE_CIRCLES_MAX;

	/* The world gets it with the next tick: up to then some of its last one may still be to be sent. */
	runner->workspace = small ? workspace : NULL;
	if (!runner->workspace)
		world_workspace_set(runner->world, NULL);
}
