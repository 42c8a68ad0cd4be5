/* columns: the rule of short columns: an empty one is the default for all rows, one of one element holds for all, any other
 * has one element a row.
 *
 * Any thread; borrows the message. */
#ifndef COLLIDED_SCENE_FIELDS_COLUMNS_H
#define COLLIDED_SCENE_FIELDS_COLUMNS_H

#include "scene/fields/diagnostics.h"

/* CircleColumns has the most. */
#define COLUMNS_MAX 40

struct column_list {
	const char *list; /* "circle_columns" */
	size_t rows;      /* count, or without it the length of the longest column; 0 if there are no columns */
	size_t column_count;
	struct {
		const char *name;
		size_t count;
	} columns[COLUMNS_MAX];
};

/* Of a table of that name, which may be NULL. */
struct column_list circle_columns_list(const char *list, const Collide__V1__CircleColumns *columns);
struct column_list segment_columns_list(const char *list, const Collide__V1__SegmentColumns *columns);
/* Those of a scene. */
struct column_list circle_column_list(const Collide__V1__Scene *scene);
struct column_list segment_column_list(const Collide__V1__Scene *scene);
/* The length of the named column; 0 if there is none. */
size_t column_list_count(const struct column_list *columns, const char *name);

/* INVALID_ARGUMENT at each column with a length against the rule; "id" must have one element a row, or none. */
STATUS_MUST_USE enum status column_list_check(const struct column_list *columns, const char *path,
                                              struct diagnostics *diagnostics);

/* The value of a row. One that a column is too short for, which is a problem of its own, gets the default. */
static inline double
column_double(const double *values, size_t count, size_t row, double value_default)
{
	return count == 1 ? values[0] : row < count ? values[row] : value_default;
}

static inline uint32_t
column_uint32(const uint32_t *values, size_t count, size_t row, uint32_t value_default)
{
	return count == 1 ? values[0] : row < count ? values[row] : value_default;
}

static inline uint64_t
column_uint64(const uint64_t *values, size_t count, size_t row)
{
	return count == 1 ? values[0] : row < count ? values[row] : 0;
}

static inline bool
column_bool(const protobuf_c_boolean *values, size_t count, size_t row)
{
	return count == 1 ? values[0] != 0 : row < count && values[row] != 0;
}

static inline int32_t
column_int32(const int32_t *values, size_t count, size_t row, int32_t value_default)
{
	return count == 1 ? values[0] : row < count ? values[row] : value_default;
}

#endif
