#include "scene/fields/field_path.h"

#include <stdio.h>

enum status
path_problem(struct wire_problem *problem, enum status status, const char *reason, struct path_place place, const char *text)
{
	char index[24] = "", field[sizeof problem->field];
	const char *list = !place.list ? "" : place.list, *name = !place.name ? "" : place.name;
	const char *list_dot = !place.list || place.path[0] == '\0' ? "" : ".";
	const char *name_dot = !place.name || (!place.list && place.path[0] == '\0') ? "" : ".";

	if (place.index != PATH_NO_INDEX)
		(void)snprintf(index, sizeof index, "[%zu]", place.index);
	(void)snprintf(field, sizeof field, "%s%s%s%s%s%s%s", place.path, list_dot, list, place.by_column ? "" : index, name_dot,
	               name, place.by_column ? index : "");
	return wire_problem_set(problem, status, reason, field, "%s", text);
}

size_t
path_column_index(size_t count, size_t row)
{
	return count == 0 ? PATH_NO_INDEX : count == 1 ? 0 : row;
}
