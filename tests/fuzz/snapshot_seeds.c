/* snapshot_seeds FOLDER: what fuzz_snapshot begins with: the tables of snapshots of small scenes, of the format as it is now.
 */
#include "bits/bits_scenes.h"
#include "physics/state/snapshot.h"

#include <stdio.h>
#include <stdlib.h>

static void
seed_write(const char *folder, const char *name, const uint8_t *bytes, size_t size)
{
	char path[1000];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *file = fopen(path, "wb");
	if (!file || fwrite(bytes + SNAPSHOT_HEADER_BYTES, 1, size - SNAPSHOT_HEADER_BYTES - SNAPSHOT_CHECKSUM_BYTES, file) == 0 ||
	    fclose(file) != 0) {
		perror(path);
		exit(1);
	}
}

int
main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < bits_scene_count(); i++) {
		struct bits_scene scene;
		struct def_problem problem;
		struct tick_report report;
		struct world *world;
		bits_scene_make(i, &scene);
		if (scene.circle_count <= 60 && world_create(&scene.def, &problem, &world) == STATUS_OK) {
			for (uint64_t tick = 0; tick < scene.ticks / 2; tick++)
				if (world_step(world, scene.dt, &report) != STATUS_OK)
					return 1;
			const size_t size = world_snapshot_bytes(world);
			uint8_t *bytes = malloc(size);
			if (!bytes || world_snapshot(world, bytes, size) != STATUS_OK)
				return 1;
			seed_write(argv[1], bits_scene_name(i), bytes, size);
			free(bytes);
			world_destroy(world);
		}
		bits_scene_finish(&scene);
	}
	return argc == 2 ? 0 : 2;
}
