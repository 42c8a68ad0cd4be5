#include "scene/definition/shape_defs.h"

#include "scene/fields/field_path.h"

#include <inttypes.h>
#include <stdio.h>

enum status
shapes_count_check(const char *path, const char *columns_list, size_t rows, const char *hand_list, size_t hand_count,
                   uint32_t count_max, struct diagnostics *diagnostics)
{
	struct path_place place = { .path = path, .list = columns_list, .index = PATH_NO_INDEX };
	char text[sizeof diagnostics->problem->text];

	if (rows <= count_max && hand_count <= count_max - rows)
		return STATUS_OK;
	if (rows <= count_max)
		place.list = hand_list;
	(void)snprintf(text, sizeof text, "the scene would have %zu, at most %" PRIu32 " are allowed", rows + hand_count,
	               count_max);
	return diagnostics_add(diagnostics, path_problem(diagnostics->problem, STATUS_RESOURCE_EXHAUSTED, "LIMIT", place, text));
}
