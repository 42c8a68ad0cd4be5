#include "physics/world/report.h"

#include "physics/math/array.h"
#include "physics/math/sort.h"

#include <stdlib.h>

void
path_change_report(struct world *world, double time, uint32_t body, enum path_change_kind kind, double x, double y)
{
	if (!array_reserve(&world->report.path_changes, &world->report.path_change_capacity, world->report.path_change_count + 1,
	                   sizeof *world->report.path_changes)) {
		world->failed = true;
		return;
	}
	world->report.path_changes[world->report.path_change_count++] = (struct path_change){
		.time = time,
		.body = world->bodies.infos[body].id,
		.kind = (uint8_t)kind,
		.vector = { x, y },
	};
}

void
shortfall_report(struct world *world, uint32_t body, enum body_flag flag, double amount)
{
	if (!array_reserve(&world->report.shortfalls, &world->report.shortfall_capacity, world->report.shortfall_count + 1,
	                   sizeof *world->report.shortfalls)) {
		world->failed = true;
		return;
	}
	world->report.shortfalls[world->report.shortfall_count++] = (struct shortfall){
		.body = world->bodies.infos[body].id,
		.flag = flag,
		.amount = amount,
	};
}

void
end_report(struct world *world, double time, uint32_t body, enum end_reason reason)
{
	const struct body_info *info = &world->bodies.infos[body];
	struct body_end end = {
		.time = time,
		.body = info->id,
		.reason = (uint8_t)reason,
		.tag = world->bodies.tags ? world->bodies.tags[body] : 0,
	};

	if (!array_reserve(&world->report.ends, &world->report.end_capacity, world->report.end_count + 1,
	                   sizeof *world->report.ends)) {
		world->failed = true;
		return;
	}
	body_at(&world->bodies.paths[body], time, end.position, end.velocity);
	if (info->mode != MODE_MOVING) {
		end.velocity[0] = info->kept_vx;
		end.velocity[1] = info->kept_vy;
	}
	world->report.ends[world->report.end_count++] = end;
}

static int
shortfall_compare(const void *left, const void *right)
{
	const struct shortfall *l = left, *r = right;

	if (l->body != r->body)
		return l->body < r->body ? -1 : 1;
	if (l->flag != r->flag)
		return l->flag < r->flag ? -1 : 1;
	return l->amount > r->amount ? -1 : l->amount < r->amount;
}

void
shortfalls_sort(struct world *world)
{
	size_t kept = 0;

	if (world->report.shortfall_count < 2)
		return;
	array_sort(world->report.shortfalls, world->report.shortfall_count, sizeof *world->report.shortfalls, shortfall_compare);
	for (size_t i = 0; i < world->report.shortfall_count && !pause_after(1); i++) {
		const struct shortfall *s = &world->report.shortfalls[i];

		if (kept == 0 || world->report.shortfalls[kept - 1].body != s->body ||
		    world->report.shortfalls[kept - 1].flag != s->flag)
			world->report.shortfalls[kept++] = *s;
	}
	world->report.shortfall_count = kept;
}
