/* column: an element of a column of a message: that of the row, or the one that stands for all.
 *
 * Any thread; owns nothing. */
#ifndef COLLIDE_CLIENT_LIB_FOLLOW_COLUMN_H
#define COLLIDE_CLIENT_LIB_FOLLOW_COLUMN_H

#include "client/lib/collide.h"

static inline double
doubles_at(const struct collide_doubles *column, size_t row, double if_empty)
{
	return column->count == 0 ? if_empty : column->values[column->count == 1 ? 0 : row];
}

static inline uint32_t
uint32s_at(const struct collide_uint32s *column, size_t row, uint32_t if_empty)
{
	return column->count == 0 ? if_empty : column->values[column->count == 1 ? 0 : row];
}

static inline uint64_t
uint64s_at(const struct collide_uint64s *column, size_t row, uint64_t if_empty)
{
	return column->count == 0 ? if_empty : column->values[column->count == 1 ? 0 : row];
}

static inline int32_t
int32s_at(const struct collide_int32s *column, size_t row, int32_t if_empty)
{
	return column->count == 0 ? if_empty : column->values[column->count == 1 ? 0 : row];
}

#endif
