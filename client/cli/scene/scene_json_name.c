#include "client/cli/scene/scene_json_name.h"

#include <string.h>

void
scene_json_name(const char *field, char *out, size_t size)
{
	size_t used = 0;
	bool capital = false;
	for (; *field != '\0' && used + 1 < size; field++) {
		if (*field == '_') {
			capital = true;
			continue;
		}
		bool lower = *field >= 'a' && *field <= 'z';
		out[used++] = capital && lower ? (char)(*field - 'a' + 'A') : *field;
		capital = false;
	}
	out[used] = '\0';
}

bool
scene_json_name_matches(const char *field, const char *key)
{
	char camel[SCENE_JSON_NAME_BYTES_MAX];
	scene_json_name(field, camel, sizeof camel);
	return strcmp(camel, key) == 0 || strcmp(field, key) == 0;
}
