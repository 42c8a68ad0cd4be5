/* A Tiled map in JSON. What it becomes has finite numbers and no id twice; it is written as a scene file, and that is read as
 * the same scene. Each object that is refused or left out is told in a line. A map that is refused is told why. */
#include "fuzz/fuzz_target.h"

#include "base/check.h"
#include "client/cli/maps/tiled.h"
#include "client/cli/scene/scene_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void
build_check(const struct scene_build *build)
{
	for (size_t i = 0; i < build->circle_count; i++) {
		const struct build_circle *circle = &build->circles[i];
		CHECK(isfinite(circle->x) && isfinite(circle->y) && isfinite(circle->vx) && isfinite(circle->vy));
		CHECK(isfinite(circle->radius) && circle->radius >= 0 && isfinite(circle->mass));
	}
	for (size_t i = 0; i < build->segment_count; i++) {
		const struct build_segment *segment = &build->segments[i];
		CHECK(isfinite(segment->x1) && isfinite(segment->y1) && isfinite(segment->x2) && isfinite(segment->y2));
	}
	CHECK(isfinite(build->gravity_x) && isfinite(build->gravity_y) && !build->failed);
}

static void
write_and_read_again(const struct scene_build *build)
{
	Collide__V1__Scene *scene = scene_build_message(build), *again = NULL;
	char *text = NULL, error[400];
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	CHECK(scene && out && scene_json_write(out, scene) && fclose(out) == 0);
	if (!scene_json_parse("written", text, size, &again, error, sizeof error)) {
		(void)fprintf(stderr, "what was written is refused: %s\n", error);
		abort();
	}
	size_t count = collide__v1__scene__get_packed_size(scene);
	uint8_t *bytes = malloc(2 * count + 1);
	CHECK(bytes && collide__v1__scene__get_packed_size(again) == count);
	collide__v1__scene__pack(scene, bytes);
	collide__v1__scene__pack(again, bytes + count);
	CHECK(memcmp(bytes, bytes + count, count) == 0);
	free(bytes);
	scene_json_free(again);
	scene_json_free(scene);
	free(text);
}

static void
map_import(const json_t *map)
{
	char *told_text = NULL, error[200] = "";
	size_t told_size = 0, lines = 0;
	FILE *told = open_memstream(&told_text, &told_size);
	CHECK(told);
	const struct tiled_options options = { .scale = 0.03125, .restitution = 0.5, .told = told };
	struct tiled_counts counts = { 0 };
	struct scene_build build;
	scene_build_init(&build);
	bool done = tiled_import(map, &options, &build, &counts, error, sizeof error);
	CHECK(fclose(told) == 0);
	if (done) {
		for (size_t i = 0; i < told_size; i++)
			lines += told_text[i] == '\n';
		CHECK(lines >= counts.refused + counts.left_out);
		build_check(&build);
		write_and_read_again(&build);
	} else {
		CHECK(error[0] != '\0');
	}
	scene_build_finish(&build);
	free(told_text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	json_error_t problem;
	json_t *map = json_loadb((const char *)bytes, count, 0, &problem);
	if (map)
		map_import(map);
	json_decref(map);
	return 0;
}
