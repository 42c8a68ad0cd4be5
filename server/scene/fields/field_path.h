/* field_path: where in the request a problem is, as the client wrote it.
 *
 * Any thread; writes into the caller's problem. */
#ifndef COLLIDED_SCENE_FIELDS_FIELD_PATH_H
#define COLLIDED_SCENE_FIELDS_FIELD_PATH_H

#include "physics/physics.h"
#include "wire/wire.h"

/* Names a field of a scene: path "simulate.scene", list "circles" (NULL: a field of the scene itself), row or element, name. */
struct path_place {
	const char *path;
	const char *list;
	const char *name; /* NULL: the list itself */
	bool by_column;   /* list.name[index]; otherwise list[index].name */
	size_t index;     /* PATH_NO_INDEX: none */
};

#define PATH_NO_INDEX SIZE_MAX

enum status path_problem(struct wire_problem *problem, enum status status, const char *reason, struct path_place place,
                         const char *text);

/* The place of an element of a column with `count` elements that gave `row` its value: none if the column is empty, 0 if it
 * holds one for all. */
size_t path_column_index(size_t count, size_t row);

#endif
