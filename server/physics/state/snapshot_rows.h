/* snapshot_rows: rows of a snapshot's tables to and from structs, many at once, field by field. Internal to state/. */
#ifndef COLLIDED_STATE_SNAPSHOT_ROWS_H
#define COLLIDED_STATE_SNAPSHOT_ROWS_H

#include "physics/state/snapshot.h"

#include <math.h>

/* The arrays of structs that the rows of a table are made of, by snapshot_field.base: the first element, and the bytes from one
 * to the next. */
struct snapshot_source {
	const void *at;
	size_t stride;
};

struct snapshot_target {
	void *at;
	size_t stride;
};

/* Writes one row of these structs. */
void snapshot_row_put(uint8_t *at, const struct snapshot_table *table, const void *const bases[]);
/* Writes `count` rows. */
void snapshot_rows_put(uint8_t *rows, const struct snapshot_table *table, size_t count, const struct snapshot_source sources[]);
/* Reads `count` rows. False: some value is out of its range; then what was read means nothing, and snapshot_row_get says
 * which. */
bool snapshot_rows_get(const uint8_t *rows, const struct snapshot_table *table, size_t count,
                       const struct snapshot_target targets[]);
/* Reads row `index`; NULL, or the first field that is out of its range. */
const struct snapshot_field *snapshot_row_get(const uint8_t *rows, size_t index, const struct snapshot_table *table,
                                              void *const bases[]);

/* Of what is not kept, and written as 0: -0 would be written otherwise than it was read. */
static inline bool
is_plain_zero(double value)
{
	return value == 0.0 && !signbit(value);
}

/* Of what no world has as -0 (segment_derive): it would be written as 0. */
static inline bool
is_minus_zero(double value)
{
	return value == 0.0 && signbit(value);
}

#endif
