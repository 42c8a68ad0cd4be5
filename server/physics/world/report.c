#include "physics/world/report.h"

#include "physics/math/array.h"
#include "physics/math/sort.h"

#include <stdlib.h>

void
path_change_report(struct world *world, double time, uint32_t body, enum path_change_kind kind, double x, double y)
{
	if (!array_reserve(&world->path_changes, &world->path_change_capacity, world->path_change_count + 1,
	                   sizeof *world->path_changes)) {
		world->failed = true;
		return;
	}
	world->path_changes[world->path_change_count++] = (struct path_change){
		.time = time,
		.body = world->infos[body].id,
		.kind = (uint8_t)kind,
		.vector = { x, y },
	};
}

void
shortfall_report(struct world *world, uint32_t body, enum body_flag flag, double amount)
{
	if (!array_reserve(&world->shortfalls, &world->shortfall_capacity, world->shortfall_count + 1, sizeof *world->shortfalls)) {
		world->failed = true;
		return;
	}
	world->shortfalls[world->shortfall_count++] = (struct shortfall){
		.body = world->infos[body].id,
		.flag = flag,
		.amount = amount,
	};
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

	if (world->shortfall_count < 2)
		return;
	array_sort(world->shortfalls, world->shortfall_count, sizeof *world->shortfalls, shortfall_compare);
	for (size_t i = 0; i < world->shortfall_count; i++) {
		const struct shortfall *s = &world->shortfalls[i];

		if (kept == 0 || world->shortfalls[kept - 1].body != s->body || world->shortfalls[kept - 1].flag != s->flag)
			world->shortfalls[kept++] = *s;
	}
	world->shortfall_count = kept;
}
