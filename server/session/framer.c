#include "session/framer.h"

#include "base/memory.h"
#include "session/limits.h"

#include <string.h>

void
framer_init(struct framer *framer)
{
	*framer = (struct framer){ .body = NULL };
}

void
framer_finish(struct framer *framer)
{
	memory_free(framer->body);
	framer_init(framer);
}

bool
framer_is_mid_frame(const struct framer *framer)
{
	return framer->header_count > 0;
}

uint8_t *
framer_take_body(struct framer *framer)
{
	uint8_t *body = framer->body;
	framer->body = NULL;
	framer->capacity = 0;
	return body;
}

void
framer_next(struct framer *framer)
{
	if (framer->capacity > SESSION_CONTROL_BYTES_MAX)
		memory_free(framer_take_body(framer));
	framer->header_count = 0;
	framer->in_body = false;
	framer->skipping = false;
	framer->body_bytes = 0;
	framer->received = 0;
}

/* Adds to the header byte by byte; returns how many were used. FRAMER_MORE with in_body set: the header is complete. */
static size_t
framer_feed_header(struct framer *framer, const uint8_t *bytes, size_t count, uint32_t body_bytes_max,
                   enum framer_result *result)
{
	size_t used = 0;
	size_t header_bytes = 0;
	*result = FRAMER_MORE;
	while (used < count && !framer->in_body) {
		framer->header[framer->header_count++] = bytes[used++];
		switch (frame_header_read(framer->header, framer->header_count, body_bytes_max, &header_bytes, &framer->body_bytes)) {
		case FRAME_OK: framer->in_body = true; break;
		case FRAME_SHORT: break;
		case FRAME_MALFORMED: *result = FRAMER_MALFORMED; return used;
		case FRAME_TOO_LARGE: *result = FRAMER_TOO_LARGE; return used;
		}
	}
	return used;
}

/* Room for `count` more bytes of the body: doubles, but never beyond what was announced. */
static bool
framer_reserve(struct framer *framer, uint32_t count, uint64_t capacity_max)
{
	uint32_t wanted = framer->received + count;
	if (wanted <= framer->capacity)
		return true;
	uint64_t capacity = (uint64_t)framer->capacity * 2;
	capacity = capacity < SESSION_BODY_BYTES_MIN ? SESSION_BODY_BYTES_MIN : capacity;
	capacity = capacity < wanted ? wanted : capacity;
	capacity = capacity > framer->body_bytes ? framer->body_bytes : capacity;
	if (capacity > capacity_max && capacity > SESSION_CONTROL_BYTES_MAX)
		return false;
	uint8_t *body = memory_resize(framer->body, (size_t)capacity);
	if (!body)
		return false;
	framer->body = body;
	framer->capacity = (uint32_t)capacity;
	return true;
}

/* Gives the memory back and keeps the first bytes, from which an error can still name the request. */
static void
framer_start_skipping(struct framer *framer)
{
	framer->skipping = true;
	if (framer->capacity > FRAMER_PREFIX_BYTES) {
		uint8_t *prefix = memory_resize(framer->body, FRAMER_PREFIX_BYTES);
		framer->body = prefix ? prefix : framer->body;
		framer->capacity = FRAMER_PREFIX_BYTES;
	}
}

static void
framer_feed_body(struct framer *framer, const uint8_t *bytes, uint32_t count, uint64_t capacity_max)
{
	if (!framer->skipping && !framer_reserve(framer, count, capacity_max))
		framer_start_skipping(framer);
	uint32_t kept = count;
	if (framer->skipping) {
		uint32_t room = framer->received < framer->capacity ? framer->capacity - framer->received : 0;
		kept = count < room ? count : room;
	}
	if (kept > 0)
		memcpy(framer->body + framer->received, bytes, kept);
	framer->received += count;
}

size_t
framer_feed(struct framer *framer, const uint8_t *bytes, size_t count, uint32_t body_bytes_max, uint64_t capacity_max,
            enum framer_result *result)
{
	size_t used = 0;
	*result = FRAMER_MORE;
	if (!framer->in_body)
		used = framer_feed_header(framer, bytes, count, body_bytes_max, result);
	if (!framer->in_body || *result != FRAMER_MORE)
		return used;
	size_t rest = count - used;
	uint32_t missing = framer->body_bytes - framer->received;
	uint32_t part = rest < missing ? (uint32_t)rest : missing;
	if (part > 0)
		framer_feed_body(framer, bytes + used, part, capacity_max);
	if (framer->received == framer->body_bytes)
		*result = framer->skipping ? FRAMER_SKIPPED : FRAMER_MESSAGE;
	return used + part;
}
