/* By turns: how many zeros, how many other bytes, and these. Counts are varints. */
#include "worlds/history/packed_rows.h"

#include <string.h>

/* So few zeros among others are written like these: two counts would take as much. */
#define ZEROS_MIN 3u
#define VARINT_BYTES_MAX 10u

size_t
packed_rows_most(size_t count)
{
	/* A count of n takes less than n / 64 + 1 bytes, and is paid for by the zeros before it, but for the first. */
	return count + count / 64 + 2 * VARINT_BYTES_MAX;
}

static size_t
varint_write(uint8_t *out, size_t value)
{
	size_t count = 0;

	for (; value >= 0x80; value >>= 7)
		out[count++] = (uint8_t)(value | 0x80);
	out[count++] = (uint8_t)value;
	return count;
}

/* False: there is none. */
static bool
varint_read(const uint8_t *packed, size_t count, size_t *at, size_t *value)
{
	*value = 0;
	for (unsigned shift = 0; *at < count && shift < 7 * VARINT_BYTES_MAX - 7; shift += 7) {
		uint8_t byte = packed[(*at)++];

		*value |= (size_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return true;
	}
	return false;
}

/* The first byte from `at` on that differs from the row before; `end`: none before that. */
static size_t
other_find(const uint8_t *bytes, size_t at, size_t end, size_t row_bytes)
{
	for (; at + sizeof(uint64_t) <= end; at += sizeof(uint64_t)) {
		uint64_t here, before;

		memcpy(&here, bytes + at, sizeof here);
		memcpy(&before, bytes + at - row_bytes, sizeof before);
		if (here != before)
			break;
	}
	while (at < end && bytes[at] == bytes[at - row_bytes])
		at++;
	return at;
}

/* Where the bytes from `at` on end that are not zeros, or too few zeros among others. */
static size_t
others_end(const uint8_t *bytes, size_t at, size_t end, size_t row_bytes)
{
	size_t zeros = 0;

	for (; at < end && zeros < ZEROS_MIN; at++)
		zeros = bytes[at] == bytes[at - row_bytes] ? zeros + 1 : 0;
	return at - zeros;
}

size_t
packed_rows_write(const uint8_t *bytes, size_t count, size_t row_bytes, uint8_t *out)
{
	size_t at = count < row_bytes ? count : row_bytes, written = at;

	/* The first row has none before it. */
	memcpy(out, bytes, at);
	while (at < count) {
		size_t first = other_find(bytes, at, count, row_bytes), end = others_end(bytes, first, count, row_bytes);

		written += varint_write(out + written, first - at);
		written += varint_write(out + written, end - first);
		for (at = first; at < end; at++)
			out[written++] = bytes[at] ^ bytes[at - row_bytes];
	}
	return written;
}

bool
packed_rows_read(const uint8_t *packed, size_t packed_count, size_t row_bytes, uint8_t *bytes, size_t count)
{
	size_t at = count < row_bytes ? count : row_bytes, read = at, zeros, others;

	if (packed_count < at)
		return false;
	memcpy(bytes, packed, at);
	while (at < count) {
		if (!varint_read(packed, packed_count, &read, &zeros) || !varint_read(packed, packed_count, &read, &others) ||
		    zeros > count - at || others > count - at - zeros || others > packed_count - read || zeros + others == 0)
			return false;
		for (size_t end = at + zeros; at < end; at++)
			bytes[at] = bytes[at - row_bytes];
		for (size_t end = at + others; at < end; at++)
			bytes[at] = packed[read++] ^ bytes[at - row_bytes];
	}
	return read == packed_count;
}
