#include "client/cli/recording/input.h"

#include "client/cli/recording/packed_file.h"
#include "physics/describe.h"

#include <stdio.h>
#include <string.h>

/* Enough for a snapshot's first bytes; no more than a stream takes back. */
enum { LOOK_BYTES = 8 };

/* A recording begins with a length and the tag of a field, of which one at least is no letter. */
static bool
is_text(const unsigned char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (bytes[i] < 32 && bytes[i] != '\t' && bytes[i] != '\n' && bytes[i] != '\r')
			return false;
	return true;
}

bool
input_look(const char *path, enum input_kind *kind)
{
	unsigned char bytes[LOOK_BYTES];
	bool from_stdin = strcmp(path, "-") == 0;
	FILE *file = from_stdin ? stdin : fopen(path, "rb");
	if (!file)
		return false;
	size_t count = fread(bytes, 1, sizeof bytes, file);
	bool good = !ferror(file);
	*kind = snapshot_is_one(bytes, count)                           ? INPUT_SNAPSHOT
	        : packed_is_one(bytes, count) || !is_text(bytes, count) ? INPUT_RECORDING
	                                                                : INPUT_SCENE;
	if (!from_stdin) {
		fclose(file);
		return good;
	}
	while (count > 0)
		if (ungetc(bytes[--count], stdin) == EOF)
			return false;
	return good;
}
