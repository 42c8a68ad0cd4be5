#include "bench/scene_file.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static_assert(sizeof(struct scene_head) == 80, "no padding");
static_assert(sizeof(struct scene_circle) == 64, "no padding");
static_assert(sizeof(struct scene_segment) == 48, "no padding");
static_assert(sizeof(struct scene_velocity) == 16, "no padding");
static_assert(sizeof(struct frame_state) == 32, "no padding");
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the files are little-endian");

/* More than any scene of the suite has: a damaged file must not ask for all memory. */
enum { WORLDS_MAX = 1000000, BODIES_MAX = 100000000 };

static bool
array_read(FILE *file, uint64_t count, size_t size, void *out_pointer)
{
	void **out = out_pointer;
	if (count > BODIES_MAX)
		return false;
	*out = malloc(count * size + 1);
	return *out && fread(*out, size, count, file) == count;
}

static bool
world_read(FILE *file, struct scene_world *world)
{
	uint64_t counts[2];
	if (fread(counts, sizeof counts, 1, file) != 1)
		return false;
	world->circle_count = counts[0];
	world->segment_count = counts[1];
	return array_read(file, counts[0], sizeof *world->circles, &world->circles) &&
	       array_read(file, counts[1], sizeof *world->segments, &world->segments);
}

/* No world may have fewer circles than are steered. */
static bool
steering_read(FILE *file, struct scene *scene)
{
	uint64_t counts[2];
	if (fread(counts, sizeof counts, 1, file) != 1 || counts[0] > BODIES_MAX || counts[1] > BODIES_MAX)
		return false;
	for (uint64_t i = 0; i < scene->head.worlds; i++)
		if (scene->worlds[i].circle_count < counts[1])
			return false;
	scene->steering.ticks = counts[0];
	scene->steering.count = counts[1];
	return array_read(file, counts[0] * counts[1], sizeof *scene->steering.rows, &scene->steering.rows);
}

bool
scene_read(const char *path, struct scene *out, const char **problem)
{
	struct scene scene = { 0 };
	*problem = "cannot be opened";
	FILE *file = fopen(path, "rb");
	if (!file)
		return false;
	*problem = "is not a scene of this version";
	bool good = fread(&scene.head, sizeof scene.head, 1, file) == 1 && memcmp(scene.head.magic, SCENE_MAGIC, 8) == 0 &&
	            scene.head.version == SCENE_VERSION && scene.head.worlds <= WORLDS_MAX;
	if (good) {
		*problem = "ends too early";
		scene.worlds = calloc(scene.head.worlds + 1, sizeof *scene.worlds);
		good = scene.worlds != NULL;
	}
	for (uint64_t i = 0; good && i < scene.head.worlds; i++)
		good = world_read(file, &scene.worlds[i]);
	good = good && steering_read(file, &scene);
	(void)fclose(file);
	if (good)
		*out = scene;
	else
		scene_finish(&scene);
	return good;
}

bool
scene_write(const char *path, const struct scene *scene, const char **problem)
{
	*problem = "cannot be written";
	FILE *file = fopen(path, "wb");
	if (!file)
		return false;
	bool good = fwrite(&scene->head, sizeof scene->head, 1, file) == 1;
	for (uint64_t i = 0; good && i < scene->head.worlds; i++) {
		const struct scene_world *world = &scene->worlds[i];
		const uint64_t counts[2] = { world->circle_count, world->segment_count };
		good = fwrite(counts, sizeof counts, 1, file) == 1 &&
		       fwrite(world->circles, sizeof *world->circles, counts[0], file) == counts[0] &&
		       fwrite(world->segments, sizeof *world->segments, counts[1], file) == counts[1];
	}
	const struct scene_steering *steering = &scene->steering;
	const uint64_t counts[2] = { steering->ticks, steering->count }, rows = steering->ticks * steering->count;
	good = good && fwrite(counts, sizeof counts, 1, file) == 1 &&
	       (!rows || fwrite(steering->rows, sizeof *steering->rows, rows, file) == rows);
	return fclose(file) == 0 && good;
}

void
scene_finish(struct scene *scene)
{
	for (uint64_t i = 0; scene->worlds && i < scene->head.worlds; i++) {
		free(scene->worlds[i].circles);
		free(scene->worlds[i].segments);
	}
	free(scene->worlds);
	free(scene->steering.rows);
	*scene = (struct scene){ 0 };
}

uint64_t
scene_circle_count(const struct scene *scene)
{
	uint64_t count = 0;
	for (uint64_t i = 0; i < scene->head.worlds; i++)
		count += scene->worlds[i].circle_count;
	return count;
}

const struct scene_velocity *
scene_steered(const struct scene *scene, uint64_t tick)
{
	const struct scene_steering *steering = &scene->steering;
	return steering->ticks ? steering->rows + tick % steering->ticks * steering->count : NULL;
}
