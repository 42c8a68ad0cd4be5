/* Lets another language drive our reader and writer: `scene_json_tool pack` turns JSON on stdin into a binary Scene on stdout,
 * `scene_json_tool print` a binary Scene on stdin into JSON. Status 1 and a text on stderr if the input is refused. */
#include "client/cli/scene/scene_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
scene_pack(void)
{
	Collide__V1__Scene *scene;
	char error[400];
	if (!scene_json_load("-", &scene, error, sizeof error)) {
		(void)fprintf(stderr, "%s\n", error);
		return 1;
	}
	size_t count = collide__v1__scene__get_packed_size(scene);
	uint8_t *bytes = malloc(count + 1);
	int status = 1;
	if (bytes) {
		(void)collide__v1__scene__pack(scene, bytes);
		status = fwrite(bytes, 1, count, stdout) == count && fflush(stdout) == 0 ? 0 : 1;
	}
	free(bytes);
	scene_json_free(scene);
	return status;
}

static int
scene_print(void)
{
	static uint8_t bytes[1 << 20];
	size_t count = fread(bytes, 1, sizeof bytes, stdin);
	Collide__V1__Scene *scene = collide__v1__scene__unpack(NULL, count, bytes);
	if (!scene) {
		(void)fprintf(stderr, "not a Scene\n");
		return 1;
	}
	bool written = scene_json_write(stdout, scene);
	scene_json_free(scene);
	return written ? 0 : 1;
}

int
main(int argc, char **argv)
{
	return argc == 2 && strcmp(argv[1], "print") == 0 ? scene_print() : scene_pack();
}
