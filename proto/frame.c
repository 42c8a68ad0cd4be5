#include "proto/frame.h"

enum frame_result
frame_header_read(const uint8_t *bytes, size_t count, uint32_t body_bytes_max, size_t *header_bytes, uint32_t *body_bytes)
{
	uint64_t length = 0;

	for (size_t i = 0; i < FRAME_HEADER_BYTES_MAX; i++) {
		if (i == count)
			return FRAME_SHORT;
		length |= (uint64_t)(bytes[i] & 0x7f) << (7 * i);
		if ((bytes[i] & 0x80) != 0)
			continue;
		if ((i > 0 && bytes[i] == 0) || length > UINT32_MAX)
			return FRAME_MALFORMED;
		*body_bytes = (uint32_t)length;
		if (length > body_bytes_max)
			return FRAME_TOO_LARGE;
		*header_bytes = i + 1;
		return FRAME_OK;
	}
	return FRAME_MALFORMED;
}

size_t
frame_header_write(uint8_t bytes[static FRAME_HEADER_BYTES_MAX], uint32_t body_bytes)
{
	size_t count = 0;

	while (body_bytes >= 0x80) {
		bytes[count++] = (uint8_t)(body_bytes | 0x80);
		body_bytes >>= 7;
	}
	bytes[count++] = (uint8_t)body_bytes;
	return count;
}
