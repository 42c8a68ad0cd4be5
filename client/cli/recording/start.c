#include "client/cli/recording/start.h"

#include "client/cli/recording/recording.h"
#include "client/cli/scene/scene_json.h"
#include "client/cli/terminal/text.h"
#include "physics/describe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool
start_read_file(const char *path, uint8_t **bytes, size_t *count)
{
	FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
	struct text text = { 0 };
	char piece[65536];
	size_t got;
	if (!file)
		return false;
	errno = 0;
	while ((got = fread(piece, 1, sizeof piece, file)) > 0)
		text_append_bytes(&text, piece, got);
	bool good = !ferror(file) && !text.failed;
	int reason = text.failed ? ENOMEM : errno;
	if (file != stdin)
		fclose(file);
	if (!good) {
		text_finish(&text);
		errno = reason;
		return false;
	}
	*bytes = (uint8_t *)text.characters;
	*count = text.count;
	return true;
}

static bool
file_is_regular(const char *path)
{
	struct stat there;
	return strcmp(path, "-") != 0 && stat(path, &there) == 0 && S_ISREG(there.st_mode);
}

/* The first bytes of a file that can be read twice; returns how many. */
static size_t
file_begin(const char *path, char *begin, size_t size)
{
	FILE *file = file_is_regular(path) ? fopen(path, "rb") : NULL;
	size_t got = file ? fread(begin, 1, size, file) : 0;
	if (file)
		fclose(file);
	return got;
}

bool
start_is_snapshot_file(const char *path)
{
	char begin[16];
	return snapshot_is_one(begin, file_begin(path, begin, sizeof begin));
}

static void
start_set_snapshot(struct start *start, const uint8_t *bytes, size_t count)
{
	start->snapshot = bytes;
	start->snapshot_bytes = count;
	const struct snapshot_outline outline = snapshot_outline(bytes, count);
	start->tick = outline.tick;
	/* Of a damaged snapshot it may be anything. */
	start->dt = outline.dt >= PHYSICS_DT_MIN && outline.dt <= PHYSICS_DT_MAX ? outline.dt : 0;
}

bool
start_load(const char *path, struct start *out, char *error, size_t error_size)
{
	const char *name = strcmp(path, "-") == 0 ? "stdin" : path;
	size_t count;
	*out = (struct start){ 0 };
	if (file_is_regular(path) && !start_is_snapshot_file(path)) {
		char begin[16];
		if (recording_is_one(begin, file_begin(path, begin, sizeof begin))) {
			snprintf(error, error_size, "%s: %s", name, recording_is_no_scene);
			return false;
		}
		bool read = scene_json_load(path, &out->own_scene, error, error_size);
		out->scene = read ? out->own_scene : NULL;
		return read;
	}
	uint8_t *bytes;
	if (!start_read_file(path, &bytes, &count)) {
		snprintf(error, error_size, "%s: %s", name, strerror(errno));
		return false;
	}
	if (start_parse(name, bytes, count, out, error, error_size))
		return true;
	free(bytes);
	return false;
}

bool
start_parse(const char *name, uint8_t *bytes, size_t count, struct start *out, char *error, size_t error_size)
{
	*out = (struct start){ 0 };
	if (count > 0 && snapshot_is_one(bytes, count)) {
		out->own_bytes = bytes;
		start_set_snapshot(out, bytes, count);
		return true;
	}
	if (recording_is_one(bytes, count)) {
		snprintf(error, error_size, "%s: %s", name, recording_is_no_scene);
		return false;
	}
	if (!scene_json_parse(name, count > 0 ? (const char *)bytes : "", count, &out->own_scene, error, error_size))
		return false;
	free(bytes);
	out->scene = out->own_scene;
	return true;
}

bool
start_of_request(const Collide__V1__Simulate *request, struct start *out)
{
	*out = (struct start){ 0 };
	switch (request->optional_scene_case) {
	case COLLIDE__V1__SIMULATE__OPTIONAL_SCENE_SCENE: out->scene = request->scene; return true;
	case COLLIDE__V1__SIMULATE__OPTIONAL_SCENE_SNAPSHOT:
		start_set_snapshot(out, request->snapshot.data, request->snapshot.len);
		return true;
	default: return false;
	}
}

void
start_finish(struct start *start)
{
	scene_json_free(start->own_scene);
	free(start->own_bytes);
	*start = (struct start){ 0 };
}

struct world *
start_restore(const uint8_t *snapshot, size_t count)
{
	struct snapshot_problem problem;
	struct world *world = NULL;
	return world_restore(snapshot, count, 0, &problem, &world) == STATUS_OK ? world : NULL;
}
