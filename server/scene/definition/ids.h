/* ids: all circles of a scene have an id, or none has and they count from 0, columns first. The same for segments.
 *
 * Any thread. */
#ifndef COLLIDED_SCENE_DEFINITION_IDS_H
#define COLLIDED_SCENE_DEFINITION_IDS_H

#include "scene/fields/columns.h"

struct id_presence {
	const char *path, *hand_list; /* "circles" */
	const struct column_list *columns;
	size_t hand_count;
	size_t hand_with_id;       /* how many of them */
	size_t hand_first_without; /* the first that has none; hand_count if all have */
};

/* *given: whether ids are to be read; else row i has id i. INVALID_ARGUMENT at the first place without an id where others
 * have one. */
STATUS_MUST_USE enum status ids_check(const struct id_presence *presence, bool *given, struct wire_problem *problem);

#endif
