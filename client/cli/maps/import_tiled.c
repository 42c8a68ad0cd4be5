/* `collide import` of a Tiled map. */
#include "client/cli/maps/import.h"
#include "client/cli/maps/tiled.h"
#include "client/cli/scene/scene_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Reports the result; returns whether to write the scene. */
static bool
result_report(const struct import_options *options, const struct scene_build *build, const struct tiled_counts *counts)
{
	fprintf(stderr, "%s: %zu walls, %zu circles", options->wad, build->segment_count, build->circle_count);
	if (counts->refused > 0)
		fprintf(stderr, "; %zu object%s cannot be had", counts->refused, counts->refused == 1 ? "" : "s");
	bool stop = counts->refused > 0 && !options->skip;
	fprintf(stderr, stop ? ": nothing is written (--skip writes the rest)\n" : "\n");
	return !stop;
}

static bool
map_import(const struct import_options *options, const json_t *map, FILE *names)
{
	const struct tiled_options tiled = {
		.scale = options->scale, .restitution = options->restitution, .told = stderr, .names = names
	};
	struct tiled_counts counts;
	struct scene_build build;
	char error[200];
	scene_build_init(&build);
	bool done = tiled_import(map, &tiled, &build, &counts, error, sizeof error);
	if (!done)
		fprintf(stderr, "collide import: %s: %s\n", options->wad, error);
	done = done && result_report(options, &build, &counts) && scene_file_write("import", &build, options->output);
	scene_build_finish(&build);
	return done;
}

enum exit_status
import_tiled(const struct import_options *options)
{
	json_error_t problem;
	bool from_stdin = strcmp(options->wad, "-") == 0;
	json_t *map = from_stdin ? json_loadf(stdin, 0, &problem) : json_load_file(options->wad, 0, &problem);
	if (!map) {
		fprintf(stderr, "collide import: %s:%d:%d: %s\n", options->wad, problem.line, problem.column, problem.text);
		return EXIT_STATUS_FAILED;
	}
	FILE *names = NULL;
	if (options->names && !(names = fopen(options->names, "wb"))) {
		fprintf(stderr, "collide import: %s: %s\n", options->names, strerror(errno));
		json_decref(map);
		return EXIT_STATUS_FAILED;
	}
	bool done = map_import(options, map, names);
	if (names && fclose(names) != 0) {
		fprintf(stderr, "collide import: %s: %s\n", options->names, strerror(errno));
		done = false;
	}
	json_decref(map);
	return done ? EXIT_STATUS_DONE : EXIT_STATUS_FAILED;
}
