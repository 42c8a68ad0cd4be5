#include "bits/bits_scenes.h"
#include "fuzz/fuzz_seeds.h"
#include "physics/state/snapshot.h"
#include "worlds/live/world_state.h"

#include "base/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CIRCLES_MAX = 60, STATE_BYTES_MAX = 4096 };

static void
scene_run(size_t index, const struct bits_scene *scene)
{
	struct def_problem problem;
	struct tick_report report;
	struct world *world;
	if (scene->circle_count > CIRCLES_MAX || world_create(&scene->def, &problem, &world) != STATUS_OK)
		return;
	for (uint64_t tick = 0; tick < scene->ticks / 2; tick++)
		CHECK(world_step(world, scene->dt, &report) == STATUS_OK);
	const size_t size = world_snapshot_bytes(world);
	uint8_t *bytes = malloc(size);
	CHECK(bytes && world_snapshot(world, bytes, size) == STATUS_OK);
	seed_write("snapshot", bits_scene_name(index), bytes + SNAPSHOT_HEADER_BYTES,
	           size - SNAPSHOT_HEADER_BYTES - SNAPSHOT_CHECKSUM_BYTES);
	free(bytes);
	world_destroy(world);
}

static void
state_write(const Collide__V1__WorldState *state, unsigned spoiled)
{
	char name[20];
	uint8_t bytes[STATE_BYTES_MAX] = { 1 };
	CHECK(collide__v1__world_state__get_packed_size(state) < sizeof bytes);
	(void)snprintf(name, sizeof name, "state%u", spoiled);
	seed_write("world", name, bytes, 1 + collide__v1__world_state__pack(state, bytes + 1));
}

/* In one way that is refused, or in none. */
static void
state_spoil(unsigned how, Collide__V1__WorldState *state)
{
	static uint32_t twice[] = { 2, 2 }, none[] = { 7, 8 };
	static double much[] = { (double)INFINITY, 1 };
	static char map[] = "map";
	Collide__V1__PushColumns *forces = state->forces;
	switch (how) {
	case 1: state->magic++; return;
	case 2: state->dt = 0; return;
	case 3: state->map = map; return;
	case 4: state->engine.len -= 9; return;
	case 5: forces->id = none; return;
	case 6: forces->force_y = much; return;
	case 7: forces->n_ticks = 0; return;
	case 8: forces->n_impulse_x = 1, forces->impulse_x = much; return;
	case 9: forces->n_id = forces->n_ticks = forces->n_force_x = forces->n_force_y = 2; return; /* the second has no ticks */
	case 10: state->owners->id = twice; return;
	case 11: state->owners->id = none; return;
	case 12: state->owners->n_seat = 1; return;
	case 13: state->owners->seat[0] = 0; return;
	default: return;
	}
}

/* Snapshots of a live world: of two circles and a wall, with a force and owners. */
static void
seeds_of_a_live_world(void)
{
	enum { CIRCLES = 2, WAYS = 14 };
	static double forces[] = { 2, -1 };
	struct circle_def circles[CIRCLES] = { circle_def_default(), circle_def_default() };
	struct segment_def wall = segment_def_default();
	struct world_def def = world_def_default();
	struct def_problem problem;
	struct world *world;
	for (uint32_t i = 0; i < CIRCLES; i++) {
		circles[i].id = i + 1;
		circles[i].x = 3.0 * i;
		circles[i].vx = 1.0 - i;
		circles[i].radius = 1;
	}
	wall.x1 = wall.y1 = wall.y2 = -9;
	wall.x2 = 9;
	def.work_per_tick_max = def.work_per_body_max = 100000; /* the most that the target allows */
	def.circles = circles;
	def.circle_count = CIRCLES;
	def.segments = &wall;
	def.segment_count = 1;
	CHECK(world_create(&def, &problem, &world) == STATUS_OK);
	const size_t engine_bytes = world_snapshot_bytes(world);
	uint8_t *engine = malloc(engine_bytes);
	CHECK(engine && world_snapshot(world, engine, engine_bytes) == STATUS_OK);
	for (unsigned how = 0; how < WAYS; how++) {
		uint32_t ids[] = { 1, 2 }, ticks[] = { 3, 0 }, seats[] = { 5, 6 };
		Collide__V1__PushColumns pushes = COLLIDE__V1__PUSH_COLUMNS__INIT;
		Collide__V1__OwnerColumns owners = COLLIDE__V1__OWNER_COLUMNS__INIT;
		Collide__V1__WorldState state = COLLIDE__V1__WORLD_STATE__INIT;
		pushes.id = ids, pushes.ticks = ticks, pushes.force_x = pushes.force_y = forces;
		pushes.n_id = pushes.n_ticks = pushes.n_force_x = pushes.n_force_y = 1;
		owners.id = ids, owners.seat = seats;
		owners.n_id = owners.n_seat = CIRCLES;
		state.magic = WORLD_STATE_MAGIC;
		state.dt = 0.02;
		state.engine = (ProtobufCBinaryData){ engine_bytes, engine };
		state.optional_forces_case = COLLIDE__V1__WORLD_STATE__OPTIONAL_FORCES_FORCES;
		state.forces = &pushes;
		state.optional_owners_case = COLLIDE__V1__WORLD_STATE__OPTIONAL_OWNERS_OWNERS;
		state.owners = &owners;
		state_spoil(how, &state);
		state_write(&state, how);
	}
	free(engine);
	world_destroy(world);
}

void
seeds_of_snapshots(void)
{
	seeds_of_a_live_world();
	for (size_t i = 0; i < bits_scene_count(); i++) {
		struct bits_scene scene;
		bits_scene_make(i, &scene);
		scene_run(i, &scene);
		bits_scene_finish(&scene);
	}
}
