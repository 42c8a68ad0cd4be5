#include "bits/bits_scenes.h"
#include "fuzz/fuzz_seeds.h"
#include "physics/state/snapshot.h"

#include "base/check.h"

#include <stdlib.h>

enum { CIRCLES_MAX = 60 };

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

void
seeds_of_snapshots(void)
{
	for (size_t i = 0; i < bits_scene_count(); i++) {
		struct bits_scene scene;
		bits_scene_make(i, &scene);
		scene_run(i, &scene);
		bits_scene_finish(&scene);
	}
}
