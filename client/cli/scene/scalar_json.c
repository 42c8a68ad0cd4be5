#include "client/cli/scene/scalar_json.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char no_memory[] = "no memory";

/* From here on, an integer that comes as a number may have lost digits: jansson reads it as a double. */
#define EXACT_END 9007199254740992.0

static const char *
uint64_read(const json_t *json, uint64_t *out)
{
	static const char refusal[] = "must be an integer from 0 to 2^64 - 1, in quotes from 2^53 on";
	const char *text = json_string_value(json);
	if (!text) {
		double value = json_is_number(json) ? json_number_value(json) : -1;
		if (!(value >= 0 && value < EXACT_END) || value != floor(value))
			return refusal;
		*out = (uint64_t)value;
		return NULL;
	}
	/* strtoull alone would accept "-1", " 1" and "". */
	if (*text == '\0' || text[strspn(text, "0123456789")] != '\0')
		return refusal;
	errno = 0;
	unsigned long long value = strtoull(text, NULL, 10);
	if (errno != 0)
		return refusal;
	*out = value;
	return NULL;
}

static const char *
int32_read(const json_t *json, int32_t *out)
{
	double value = json_is_number(json) ? json_number_value(json) : (double)NAN;
	if (!(value >= INT32_MIN && value <= INT32_MAX) || value != floor(value))
		return "must be an integer from -2147483648 to 2147483647";
	*out = (int32_t)value;
	return NULL;
}

static const char *
string_read(const json_t *json, char **out)
{
	const char *text = json_string_value(json);
	if (!text)
		return "must be a string";
	size_t size = strlen(text) + 1;
	char *copy = malloc(size);
	if (!copy)
		return no_memory;
	memcpy(copy, text, size);
	*out = copy;
	return NULL;
}

/* Of either alphabet; -1: not a digit. */
static int
base64_digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

static const char *
bytes_read(const json_t *json, ProtobufCBinaryData *out)
{
	static const char refusal[] = "must be a string of base64";
	const char *text = json_string_value(json);
	if (!text)
		return refusal;
	size_t digits = strlen(text), padding = 0;
	while (padding < 2 && digits > 0 && text[digits - 1] == '=') {
		digits--;
		padding++;
	}
	if (digits % 4 == 1 || (padding > 0 && (digits + padding) % 4 != 0))
		return refusal;
	size_t count = digits / 4 * 3 + (digits % 4 == 0 ? 0 : digits % 4 - 1);
	uint8_t *data = malloc(count + 1);
	if (!data)
		return no_memory;
	uint32_t bits = 0;
	size_t used = 0;
	for (size_t i = 0; i < digits; i++) {
		int digit = base64_digit(text[i]);
		if (digit < 0) {
			free(data);
			return refusal;
		}
		bits = bits << 6 | (uint32_t)digit;
		if (i % 4 != 0)
			data[used++] = (uint8_t)(bits >> (6 - 2 * (i % 4)));
	}
	*out = (ProtobufCBinaryData){ .len = count, .data = data };
	return NULL;
}

size_t
scalar_json_size(ProtobufCType type)
{
	switch (type) {
	case PROTOBUF_C_TYPE_UINT64:
	case PROTOBUF_C_TYPE_FIXED64: return sizeof(uint64_t);
	case PROTOBUF_C_TYPE_SINT32: return sizeof(int32_t);
	case PROTOBUF_C_TYPE_STRING: return sizeof(char *);
	case PROTOBUF_C_TYPE_BYTES: return sizeof(ProtobufCBinaryData);
	default: return 0;
	}
}

const char *
scalar_json_read(const json_t *json, ProtobufCType type, void *member)
{
	switch (type) {
	case PROTOBUF_C_TYPE_STRING: return string_read(json, member);
	case PROTOBUF_C_TYPE_SINT32: return int32_read(json, member);
	case PROTOBUF_C_TYPE_BYTES: return bytes_read(json, member);
	default: return uint64_read(json, member);
	}
}
