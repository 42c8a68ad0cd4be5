/* packed_rows: bytes of rows that are much alike, as those of bodies in a snapshot, in less memory. Each byte is taken with
 * that of the row before (exclusive or), and runs of zeros are counted. So numbers that do not differ from row to row take
 * nothing, and those of a state take all their bytes: no bit is lost.
 *
 * Pure. For some ten kilobytes: it does not ask whether its work is still wanted. */
#ifndef COLLIDED_WORLDS_HISTORY_PACKED_ROWS_H
#define COLLIDED_WORLDS_HISTORY_PACKED_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What `count` bytes take at most. */
size_t packed_rows_most(size_t count);
/* Into so many bytes; returns how many it took. `row_bytes` > 0. */
size_t packed_rows_write(const uint8_t *bytes, size_t count, size_t row_bytes, uint8_t *out);
/* False: these are not `count` bytes, packed with that size of a row. */
bool packed_rows_read(const uint8_t *packed, size_t packed_count, size_t row_bytes, uint8_t *bytes, size_t count);

#endif
