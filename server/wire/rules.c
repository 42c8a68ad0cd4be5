#include "wire/rules.h"

#include "wire/limits.h"

#include <string.h>

enum count_of { COUNT_FREE, COUNT_FEATURES, COUNT_HAND_WRITTEN, COUNT_CIRCLES, COUNT_SEGMENTS, COUNT_IGNORED, COUNT_RELATIONS };

/* The first row that fits counts; a field of NULL stands for every field of the message. */
static const struct rule_row {
	const ProtobufCMessageDescriptor *message;
	const char *field;
	enum count_of count_of;
	uint32_t bytes_max;
	bool text;
} rule_rows[] = {
	{ &collide__v1__hello__descriptor, "client_name", COUNT_FREE, WIRE_CLIENT_NAME_BYTES_MAX, true },
	{ &collide__v1__hello__descriptor, "client_version", COUNT_FREE, WIRE_CLIENT_VERSION_BYTES_MAX, true },
	{ &collide__v1__hello__descriptor, "token", COUNT_FREE, WIRE_TOKEN_BYTES_MAX, false },
	{ &collide__v1__hello__descriptor, "features", COUNT_FEATURES, WIRE_FEATURE_BYTES_MAX, true },
	{ &collide__v1__ping__descriptor, "payload", COUNT_FREE, WIRE_PING_BYTES_MAX, false },
	{ &collide__v1__scene__descriptor, "circles", COUNT_HAND_WRITTEN, UINT32_MAX, false },
	{ &collide__v1__scene__descriptor, "segments", COUNT_HAND_WRITTEN, UINT32_MAX, false },
	{ &collide__v1__scene__descriptor, "relations", COUNT_RELATIONS, UINT32_MAX, false },
	{ &collide__v1__circle_columns__descriptor, NULL, COUNT_CIRCLES, UINT32_MAX, false },
	{ &collide__v1__segment_columns__descriptor, NULL, COUNT_SEGMENTS, UINT32_MAX, false },
	{ &collide__v1__push_out__descriptor, NULL, COUNT_CIRCLES, UINT32_MAX, false },
	{ &collide__v1__bounce__descriptor, NULL, COUNT_CIRCLES, UINT32_MAX, false },
	{ &collide__v1__casts__descriptor, NULL, COUNT_CIRCLES, UINT32_MAX, false },
	{ &collide__v1__in_circles__descriptor, NULL, COUNT_CIRCLES, UINT32_MAX, false },
	{ &collide__v1__in_boxes__descriptor, NULL, COUNT_CIRCLES, UINT32_MAX, false },
	{ &collide__v1__in_segments__descriptor, NULL, COUNT_CIRCLES, UINT32_MAX, false },
	{ &collide__v1__nearest__descriptor, NULL, COUNT_CIRCLES, UINT32_MAX, false },
	{ &collide__v1__moves__descriptor, NULL, COUNT_CIRCLES, UINT32_MAX, false },
	{ &collide__v1__asker__descriptor, NULL, COUNT_CIRCLES, UINT32_MAX, false },
	{ &collide__v1__velocity_columns__descriptor, NULL, COUNT_CIRCLES, UINT32_MAX, false },
	{ &collide__v1__place_columns__descriptor, NULL, COUNT_CIRCLES, UINT32_MAX, false },
	{ &collide__v1__push_columns__descriptor, NULL, COUNT_CIRCLES, UINT32_MAX, false },
	{ &collide__v1__owner_columns__descriptor, NULL, COUNT_CIRCLES, UINT32_MAX, false },
	{ &collide__v1__commands__descriptor, NULL, COUNT_CIRCLES, UINT32_MAX, false },
	{ &collide__v1__query__descriptor, "ignore_circles", COUNT_IGNORED, UINT32_MAX, false },
	{ &collide__v1__query__descriptor, "ignore_segments", COUNT_IGNORED, UINT32_MAX, false },
};

static uint32_t
count_max(enum count_of count_of, const struct wire_limits *limits)
{
	switch (count_of) {
	case COUNT_FEATURES: return WIRE_FEATURES_MAX;
	case COUNT_HAND_WRITTEN: return limits->hand_written_max;
	case COUNT_CIRCLES: return limits->circles_max;
	case COUNT_SEGMENTS: return limits->segments_max;
	case COUNT_IGNORED: return WIRE_IGNORED_MAX;
	case COUNT_RELATIONS: return WIRE_RELATIONS_MAX;
	case COUNT_FREE: break;
	}
	return UINT32_MAX;
}

struct wire_rule
wire_rule_of(const ProtobufCMessageDescriptor *message, const ProtobufCFieldDescriptor *field, const struct wire_limits *limits)
{
	for (size_t i = 0; i < sizeof rule_rows / sizeof rule_rows[0]; i++) {
		const struct rule_row *row = &rule_rows[i];

		if (row->message == message && (!row->field || strcmp(row->field, field->name) == 0))
			return (struct wire_rule){ count_max(row->count_of, limits), row->bytes_max, row->text };
	}
	/* Whatever is a string may come to be printed. */
	return (struct wire_rule){ UINT32_MAX, UINT32_MAX, field->type == PROTOBUF_C_TYPE_STRING };
}

/* Bytes of the UTF-8 sequence at the start, 0 if it is none; the bounds of the second byte are those of RFC 3629, section 4. */
static size_t
sequence_bytes(const uint8_t *at, size_t left)
{
	uint8_t first = at[0], low = 0x80, high = 0xbf;

	if (first < 0x80)
		return first >= 0x20 && first != 0x7f ? 1 : 0;
	if (first < 0xc2 || first > 0xf4)
		return 0;
	size_t count = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
	switch (first) {
	case 0xc2: low = 0xa0; break; /* U+0080..U+009F are control characters */
	case 0xe0: low = 0xa0; break;
	case 0xed: high = 0x9f; break;
	case 0xf0: low = 0x90; break;
	case 0xf4: high = 0x8f; break;
	default: break;
	}
	if (left < count || at[1] < low || at[1] > high)
		return 0;
	for (size_t i = 2; i < count; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	return count;
}

bool
wire_text_is_valid(const uint8_t *bytes, size_t count)
{
	while (count > 0) {
		size_t taken = sequence_bytes(bytes, count);

		if (taken == 0)
			return false;
		bytes += taken;
		count -= taken;
	}
	return true;
}
