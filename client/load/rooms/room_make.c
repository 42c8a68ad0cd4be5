#include "client/load/rooms/room_make.h"

#include "client/lib/failure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double CELL = 5, RADIUS = 0.4, WALL_HALF = 1, SPEED = 3;

/* A generator of numbers that is good enough to scatter directions (splitmix64). */
static double
unit_of(uint64_t *state)
{
	uint64_t z = (*state += 0x9E3779B97F4A7C15u);
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

struct room_grid
room_grid_of(const struct rooms_plan *plan)
{
	uint64_t inner = plan->walls > 4 ? plan->walls - 4 : 0, most = inner > plan->circles ? inner : plan->circles;
	uint64_t side = 1;
	while (side * side < most)
		side++;
	return (struct room_grid){ .side = side, .cell = CELL };
}

/* Four walls around, and short ones in the cells at chance directions. */
bool
room_map_make(struct collide_client *client, const struct rooms_plan *plan, const char *name, struct collide_error *error)
{
	const struct room_grid grid = room_grid_of(plan);
	uint64_t count = plan->walls, state = 1;
	double *ends = calloc(4 * count + 1, sizeof *ends), *x1 = ends, *y1 = ends + count, *x2 = y1 + count, *y2 = x2 + count;
	double low = -CELL / 2, high = (double)grid.side * CELL + CELL / 2;
	if (!ends)
		return failure_memory(error);
	const double around[4][4] = {
		{ low, low, high, low }, { high, low, high, high }, { high, high, low, high }, { low, high, low, low }
	};
	for (uint64_t i = 0; i < count; i++) {
		if (i < 4) {
			x1[i] = around[i][0];
			y1[i] = around[i][1];
			x2[i] = around[i][2];
			y2[i] = around[i][3];
			continue;
		}
		uint64_t at = i - 4;
		double x = ((double)(at % grid.side) + 0.5) * CELL, y = ((double)(at / grid.side) + 0.5) * CELL;
		double along_x = 2 * unit_of(&state) - 1, along_y = sqrt(1 - along_x * along_x);
		x1[i] = x - WALL_HALF * along_x;
		y1[i] = y - WALL_HALF * along_y;
		x2[i] = x + WALL_HALF * along_x;
		y2[i] = y + WALL_HALF * along_y;
	}
	const struct collide_segments segments = {
		.x1 = { x1, count }, .y1 = { y1, count }, .x2 = { x2, count }, .y2 = { y2, count }
	};
	const struct collide_map_creation creation = { .name = name, .segments = &segments };
	bool good = collide_create_map(client, &creation, NULL, error);
	free(ends);
	return good;
}

static bool
room_make_in(struct collide_client *client, const struct rooms_plan *plan, const char *map, uint64_t number, double *columns,
             struct room *room, struct collide_error *error)
{
	const struct room_grid grid = room_grid_of(plan);
	uint64_t count = plan->circles, state = number + 77;
	double *x = columns, *y = columns + count, *vx = y + count, *vy = vx + count;
	for (uint64_t i = 0; i < count; i++) {
		x[i] = (double)(i % grid.side) * CELL;
		y[i] = (double)(i / grid.side) * CELL;
		vx[i] = SPEED * (2 * unit_of(&state) - 1);
		vy[i] = SPEED * (2 * unit_of(&state) - 1);
	}
	char name[COLLIDE_NAME_BYTES];
	(void)snprintf(name, sizeof name, "%.40s/%llu", map, (unsigned long long)number);
	const struct collide_scene scene = {
		.circles = { .x = { x, count }, .y = { y, count }, .vx = { vx, count }, .vy = { vy, count }, .radius = { &RADIUS, 1 } }
	};
	struct collide_world_policy policy = { .dt = 1 / (double)plan->tick_hz,
		                                   .tick_hz = (uint32_t)plan->tick_hz,
		                                   /* Those of a site are started together: many processes that tick let no other in. */
		                                   .clock = plan->site ? COLLIDE_CLOCK_PAUSED : COLLIDE_CLOCK_SERVER,
		                                   .history_ticks = (uint32_t)plan->history_ticks };
	if (plan->late_percent > 0) {
		policy.late = COLLIDE_LATE_RESIMULATE;
		if (policy.history_ticks < ROOMS_HISTORY_TICKS)
			policy.history_ticks = ROOMS_HISTORY_TICKS;
	}
	const struct collide_world_creation creation = { .name = name, .scene = &scene, .map = map, .policy = &policy };
	struct collide_world_info info;
	if (!collide_create_world(client, &creation, &info, error))
		return false;
	memcpy(room->name, info.name, sizeof room->name);
	memcpy(room->secret, info.owner_secret, sizeof room->secret);
	room->base_ns = INT64_MAX;
	return true;
}

/* Places and velocities. */
static double *
columns_create(const struct rooms_plan *plan, struct collide_error *error)
{
	double *columns = calloc(4 * plan->circles + 1, sizeof *columns);
	if (!columns)
		(void)failure_memory(error);
	return columns;
}

bool
room_make(struct collide_client *client, const struct rooms_plan *plan, const char *name, uint64_t number, struct room *room,
          struct collide_error *error)
{
	double *columns = columns_create(plan, error);
	bool good = columns && room_make_in(client, plan, name, number, columns, room, error);
	free(columns);
	return good;
}

bool
rooms_make(struct collide_client *client, const struct rooms_plan *plan, const char *name, struct room *rooms, uint64_t *made,
           struct collide_error *error)
{
	double *columns = columns_create(plan, error);
	bool good = columns != NULL;
	*made = 0;
	while (good && *made < plan->rooms)
		if (plan->stop && plan->stop(plan->context))
			good = failure_set(error, COLLIDE_FROM_LIBRARY, COLLIDE_CANCELLED, "CANCELLED", "stopped while rooms were made");
		else if ((good = room_make_in(client, plan, name, *made, columns, &rooms[*made], error)))
			++*made;
	free(columns);
	return good;
}

void
rooms_end(struct collide_client *client, const char *name, const struct room *rooms, uint64_t made)
{
	struct collide_error ignored;
	for (uint64_t i = 0; i < made; i++) {
		const struct collide_world_key key = { .name = rooms[i].name,
			                                   .secret = rooms[i].secret,
			                                   .secret_bytes = sizeof rooms[i].secret };
		if (!collide_destroy_world(client, &key, NULL, &ignored) && ignored.origin != COLLIDE_FROM_SERVER)
			return; /* no connection: they end by themselves */
	}
	(void)!collide_drop_map(client, name, NULL, &ignored);
}

bool
rooms_sum(struct collide_client *client, const char *name, struct rooms_sums *sums, struct collide_error *error)
{
	char prefix[COLLIDE_NAME_BYTES], after[COLLIDE_NAME_BYTES] = "";
	struct collide_worlds worlds = { .more = true };
	(void)snprintf(prefix, sizeof prefix, "%.40s/", name);
	while (worlds.more) {
		const struct collide_world_filter filter = { .prefix = prefix, .after = after[0] != '\0' ? after : NULL };
		if (!collide_list_worlds(client, &filter, &worlds, error))
			return false;
		for (size_t i = 0; i < worlds.count; i++) {
			sums->overruns += worlds.infos[i].overruns;
			sums->lost_ticks += worlds.infos[i].lost_ticks;
			sums->resimulated_ticks += worlds.infos[i].resimulated_ticks;
			sums->self_checks += worlds.infos[i].self_checks;
			sums->self_checks_skipped += worlds.infos[i].self_checks_skipped;
			sums->self_checks_differing += worlds.infos[i].self_checks_differing;
			sums->failed += worlds.infos[i].failed[0] != '\0';
			memcpy(after, worlds.infos[i].name, sizeof after);
		}
		worlds.more = worlds.more && worlds.count > 0;
	}
	for (size_t i = 0; i < worlds.sent_count; i++)
		histogram_add_many(sums->given, worlds.sent_below_ns[i], worlds.sent_counts[i]);
	return true;
}
