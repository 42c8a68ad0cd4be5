#include "scene/definition/ids.h"

#include "scene/fields/field_path.h"

enum status
ids_check(const struct id_presence *presence, bool *given, struct wire_problem *problem)
{
	const struct column_list *columns = presence->columns;
	size_t column_ids = column_list_count(columns, "id");
	struct path_place place = { .path = presence->path, .name = "id", .index = PATH_NO_INDEX };

	*given = column_ids > 0 || presence->hand_with_id > 0;
	if (!*given || ((column_ids > 0 || columns->rows == 0) && presence->hand_with_id == presence->hand_count))
		return STATUS_OK;
	if (column_ids == 0 && columns->rows > 0) {
		place.list = columns->list;
	} else {
		place.list = presence->hand_list;
		place.index = presence->hand_first_without;
	}
	return path_problem(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", place, "is missing: others have an id");
}
