#include "client/cli/scene/scene_file.h"

#include "client/cli/scene/scene_json.h"
#include "client/cli/terminal/output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool
scene_file_write(const char *command, const struct scene_build *build, const char *path)
{
	Collide__V1__Scene *scene = scene_build_message(build);
	if (!scene) {
		fprintf(stderr, "collide %s: no memory\n", command);
		return false;
	}
	path = path ? path : "-";
	FILE *out = output_open(path);
	bool written = out != NULL && scene_json_write(out, scene);
	written = out != NULL && output_close(out) && written;
	if (!written)
		fprintf(stderr, "collide %s: %s: %s\n", command, output_is_stdout(path) ? "stdout" : path, strerror(errno));
	scene_json_free(scene);
	return written;
}
