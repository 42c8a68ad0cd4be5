/* bench_run_collided [THREADS]: this project's engine for the benchmark, by its public header. Contacts are recorded, as
 * always. */
#include "bench/runner.h"
#include "jobs/pool.h"
#include "physics/keep.h"
#include "physics/physics.h"
#include "physics/velocities.h"
#include "physics/wall_map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct own {
	struct world *world;
	double dt;
	uint32_t *ids; /* of each circle, and where velocities become columns */
	double *vx, *vy;
	struct world_kept *kept;
	unsigned char *bytes;
	size_t size, capacity;
};

static char threads_said[40] = "one thread";
static const char *const settings[] = {
	"every contact recorded with time, point, normal, impulses and velocities",
	"10,000 events per body and tick at most",
	"one workspace for all worlds",
	"worlds between the same walls share a map of them",
	"velocities from outside are set in one call a tick; a restore makes a world of bytes and destroys the one before",
	threads_said,
	NULL,
};

/* What all worlds of the process share. */
static struct pool *helpers;
static struct workspace *workspace;
static unsigned threads = 1;

static unsigned
workers_count(void *context)
{
	(void)context;
	return threads;
}

static void
workers_run(void *context, unsigned count, void (*piece)(void *argument, unsigned index), void *argument)
{
	(void)context;
	pool_share(helpers, count, piece, argument);
}

static struct circle_def
circle_of(const struct scene_circle *from, uint32_t id)
{
	struct circle_def circle = circle_def_default();
	circle.id = id;
	circle.x = from->x;
	circle.y = from->y;
	circle.vx = from->vx;
	circle.vy = from->vy;
	circle.radius = from->radius;
	if (from->mass < HUGE_VAL)
		circle.mass = from->mass;
	else
		circle.kind = BODY_STATIC;
	circle.restitution = from->restitution;
	circle.friction = from->friction;
	return circle;
}

static struct segment_def
segment_of(const struct scene_segment *from, uint32_t id)
{
	struct segment_def segment = segment_def_default();
	segment.id = id;
	segment.x1 = from->x1;
	segment.y1 = from->y1;
	segment.x2 = from->x2;
	segment.y2 = from->y2;
	segment.restitution = from->restitution;
	segment.friction = from->friction;
	return segment;
}

static void
own_configure(struct own *own)
{
	const struct workers workers = { .count = workers_count, .run = workers_run };
	if (helpers)
		world_workers_set(own->world, &workers);
	world_workspace_set(own->world, workspace);
}

static void
own_free(struct own *own)
{
	if (!own)
		return;
	world_destroy(own->world);
	world_kept_destroy(own->kept);
	free(own->ids);
	free(own->vx);
	free(own->vy);
	free(own->bytes);
	free(own);
}

/* Without its world. */
static struct own *
own_alloc(uint64_t circles)
{
	struct own *own = calloc(1, sizeof *own);
	if (!own)
		return NULL;
	own->ids = malloc(circles * sizeof *own->ids + 1);
	own->vx = malloc(circles * sizeof *own->vx + 1);
	own->vy = malloc(circles * sizeof *own->vy + 1);
	if (!own->ids || !own->vx || !own->vy || world_kept_create(&own->kept) != STATUS_OK) {
		own_free(own);
		return NULL;
	}
	for (uint64_t i = 0; i < circles; i++)
		own->ids[i] = (uint32_t)i;
	return own;
}

/* The walls of the last scene with several worlds between the same walls, and a map of them. */
static struct {
	struct scene_segment *walls;
	uint64_t count;
	struct wall_map *map; /* NULL: none */
} common;

static bool
walls_same(const struct scene_segment *walls, uint64_t count, const struct scene_world *world)
{
	return count == world->segment_count && (count == 0 || memcmp(walls, world->segments, count * sizeof *walls) == 0);
}

static void
common_drop(void)
{
	wall_map_release(common.map);
	free(common.walls);
	common.map = NULL;
	common.walls = NULL;
	common.count = 0;
}

/* Makes the map of these walls; without memory there is none. */
static void
common_make(const struct scene_world *from, const struct segment_def *segments)
{
	struct def_problem problem;
	common_drop();
	common.walls = malloc(from->segment_count * sizeof *common.walls);
	if (!common.walls || wall_map_create(segments, from->segment_count, &problem, &common.map) != STATUS_OK)
		return;
	memcpy(common.walls, from->segments, from->segment_count * sizeof *common.walls);
	common.count = from->segment_count;
}

static bool
common_suits(const struct scene *scene, const struct scene_world *from)
{
	const struct scene_world *first = &scene->worlds[0];
	return scene->head.worlds > 1 && from->segment_count > 0 &&
	       walls_same(first->segments, first->segment_count, &scene->worlds[1]) &&
	       walls_same(first->segments, first->segment_count, from);
}

static void *
own_create(const struct scene *scene, const struct scene_world *from)
{
	const bool suits = common_suits(scene, from), there = suits && common.map && walls_same(common.walls, common.count, from);
	struct circle_def *circles = malloc(from->circle_count * sizeof *circles + 1);
	struct segment_def *segments = malloc(from->segment_count * sizeof *segments + 1);
	struct own *own = own_alloc(from->circle_count);
	bool good = circles && segments && own;
	for (uint64_t i = 0; good && i < from->circle_count; i++)
		circles[i] = circle_of(&from->circles[i], (uint32_t)i);
	for (uint64_t i = 0; good && i < from->segment_count && !there; i++)
		segments[i] = segment_of(&from->segments[i], (uint32_t)i);
	if (good && suits && !there)
		common_make(from, segments);
	if (good) {
		struct def_problem problem;
		struct world_def def = world_def_default();
		def.gravity_x = scene->head.gravity[0];
		def.gravity_y = scene->head.gravity[1];
		def.sleep_after = scene->head.flags & SCENE_SLEEP ? 0.5 : 0;
		def.circles = circles;
		def.circle_count = from->circle_count;
		def.map = suits ? common.map : NULL;
		def.segments = segments;
		def.segment_count = def.map ? 0 : from->segment_count;
		own->dt = scene->head.dt;
		good = world_create(&def, &problem, &own->world) == STATUS_OK;
		if (good)
			own_configure(own);
	}
	free(circles);
	free(segments);
	if (!good) {
		own_free(own);
		own = NULL;
	}
	return own;
}

static bool
own_step(void *context)
{
	struct own *own = context;
	struct tick_report report;
	return world_step(own->world, own->dt, &report) == STATUS_OK;
}

static bool
own_steer(void *context, const struct scene_velocity *velocities, uint64_t count)
{
	struct own *own = context;
	struct def_problem problem;
	for (uint64_t i = 0; i < count; i++) {
		own->vx[i] = velocities[i].vx;
		own->vy[i] = velocities[i].vy;
	}
	return world_velocities_set(own->world, own->ids, own->vx, own->vy, count, &problem) == STATUS_OK;
}

static bool
own_add(void *context, const struct scene_velocity *velocities, uint64_t count)
{
	struct own *own = context;
	struct def_problem problem;
	for (uint64_t i = 0; i < count; i++) {
		own->vx[i] = velocities[i].vx;
		own->vy[i] = velocities[i].vy;
	}
	return world_velocities_add(own->world, own->ids, own->vx, own->vy, count, &problem) == STATUS_OK;
}

static bool
own_switch(void *context, bool enabled)
{
	struct own *own = context;
	const size_t count = world_segment_count(own->world);
	return count > 0 && world_segment_enable(own->world, world_segment(own->world, count / 2).id, enabled) == STATUS_OK;
}

static bool
own_keep(void *context)
{
	struct own *own = context;
	return world_keep(own->world, own->kept) == STATUS_OK;
}

static bool
own_return(void *context)
{
	struct own *own = context;
	return world_return(own->world, own->kept) == STATUS_OK;
}

static bool
own_snapshot(void *context)
{
	struct own *own = context;
	own->size = world_snapshot_bytes(own->world);
	if (own->size > own->capacity) {
		free(own->bytes);
		own->bytes = malloc(own->size);
		own->capacity = own->bytes ? own->size : 0;
	}
	return own->bytes && world_snapshot(own->world, own->bytes, own->size) == STATUS_OK;
}

static bool
own_restore(void *context)
{
	struct own *own = context;
	struct snapshot_problem problem;
	world_destroy(own->world);
	own->world = NULL;
	if (world_restore(own->bytes, own->size, 0, &problem, &own->world) != STATUS_OK)
		return false;
	own_configure(own);
	return true;
}

static void
own_states(const void *context, struct frame_state *out)
{
	const struct own *own = context;
	for (size_t i = 0; i < world_body_count(own->world); i++) {
		const struct body_state body = world_body(own->world, i);
		out[i] = (struct frame_state){ body.x, body.y, body.vx, body.vy };
	}
}

static void
own_destroy(void *context)
{
	own_free(context);
}

int
main(int argc, char **argv)
{
	const unsigned long asked = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	if (asked < 1 || asked > POOL_WORKERS_MAX) {
		fprintf(stderr, "usage: bench_run_collided [THREADS]\n");
		return 2;
	}
	threads = (unsigned)asked;
	if (threads > 1) {
		if (pool_create_helpers(threads - 1, &helpers) != STATUS_OK)
			return 1;
		snprintf(threads_said, sizeof threads_said, "%u threads on one world", threads);
	}
	if (workspace_create(&workspace) != STATUS_OK)
		return 1;
	const struct bench_engine engine = {
		.name = "collided",
		.version = COLLIDED_VERSION,
		.settings = settings,
		.world_create = own_create,
		.world_step = own_step,
		.world_steer = own_steer,
		.world_states = own_states,
		.world_destroy = own_destroy,
		.world_snapshot = own_snapshot,
		.world_restore = own_restore,
		.world_keep = own_keep,
		.world_return = own_return,
		.world_add = own_add,
		.world_switch = own_switch,
	};
	const int status = runner_run(&engine);
	workspace_destroy(workspace);
	common_drop();
	if (helpers && pool_stop(helpers, 60000))
		pool_destroy(helpers, NULL);
	return status;
}
