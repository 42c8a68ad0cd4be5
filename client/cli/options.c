#include "client/cli/options.h"

#include "client/cli/scene_json.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool
option_integer(const char *command, const char *option, const char *text, uint64_t minimum, uint64_t maximum, uint64_t *out)
{
	char *end = NULL;
	errno = 0;
	unsigned long long value = strtoull(text, &end, 10);
	/* strtoull takes a sign and blanks; a number starts with a digit. */
	bool digit = *text >= '0' && *text <= '9';
	if (!digit || *end != '\0' || errno != 0 || value < minimum || value > maximum) {
		(void)fprintf(stderr, "collide %s: %s must be a whole number from %" PRIu64 " to %" PRIu64 ", not '%s'\n", command,
		              option, minimum, maximum, text);
		return false;
	}
	*out = value;
	return true;
}

bool
option_number(const char *command, const char *option, const char *text, double minimum, double maximum, double *out)
{
	char *end = NULL;
	double value = strtod(text, &end);
	if (end == text || *end != '\0' || !(value >= minimum && value <= maximum)) {
		(void)fprintf(stderr, "collide %s: %s must be a number from %g to %g, not '%s'\n", command, option, minimum, maximum,
		              text);
		return false;
	}
	*out = value;
	return true;
}

bool
option_scene_write(const char *command, const struct scene_build *build, const char *path)
{
	Collide__V1__Scene *scene = scene_build_message(build);
	if (scene == NULL) {
		(void)fprintf(stderr, "collide %s: no memory\n", command);
		return false;
	}
	bool to_stdout = path == NULL || strcmp(path, "-") == 0;
	FILE *out = to_stdout ? stdout : fopen(path, "wb");
	bool written = out != NULL && scene_json_write(out, scene);
	if (out != NULL && !to_stdout) {
		written = fclose(out) == 0 && written;
	}
	if (!written) {
		(void)fprintf(stderr, "collide %s: %s: %s\n", command, to_stdout ? "stdout" : path, strerror(errno));
	}
	scene_json_free(scene);
	return written;
}
