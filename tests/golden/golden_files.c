#include "golden/golden_files.h"

#include "support/assert_double.h"

#include "proto/frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GOLDENS_MAX 200
#define BYTES_MAX 65536

static void
bytes_load(struct golden *golden)
{
	char path[512];

	(void)snprintf(path, sizeof path, "%s/%s.bin", GOLDEN_FOLDER, golden->name);
	(void)snprintf(golden->json_path, sizeof golden->json_path, "%s/%s.json", GOLDEN_FOLDER, golden->name);
	golden->bytes = malloc(BYTES_MAX);
	assert_non_null(golden->bytes);
	FILE *file = fopen(path, "rb");
	if (!file)
		fail_msg("cannot read %s", path);
	golden->byte_count = fread(golden->bytes, 1, BYTES_MAX, file);
	assert_true(golden->byte_count < BYTES_MAX);
	assert_int_equal(fclose(file), 0);
	golden->message = protobuf_c_message_unpack(golden->type, NULL, golden->byte_count, golden->bytes);
	if (!golden->message)
		fail_msg("protobuf-c cannot read %s", path);
}

int
goldens_load(void **state)
{
	struct goldens *goldens = calloc(1, sizeof *goldens);
	FILE *list = fopen(GOLDEN_FOLDER "/golden.txt", "r");
	char line[200];

	assert_non_null(goldens);
	assert_non_null(list);
	goldens->items = calloc(GOLDENS_MAX, sizeof *goldens->items);
	assert_non_null(goldens->items);
	while (fgets(line, sizeof line, list)) {
		struct golden *golden = &goldens->items[goldens->count];
		char type[64], special[64] = "";

		assert_true(goldens->count++ < GOLDENS_MAX);
		assert_true(sscanf(line, "%63s %63s %63s", golden->name, type, special) >= 2);
		golden->type = strcmp(type, "ClientMessage") == 0 ? &collide__v1__client_message__descriptor
		                                                  : &collide__v1__server_message__descriptor;
		assert_string_equal(type, golden->type->short_name);
		golden->unknown_fields = strcmp(special, "unknown-fields") == 0;
		golden->minus_zero = strcmp(special, "minus-zero") == 0;
		assert_true(golden->unknown_fields || golden->minus_zero || special[0] == '\0');
		bytes_load(golden);
	}
	assert_int_equal(fclose(list), 0);
	*state = goldens;
	return 0;
}

int
goldens_free(void **state)
{
	struct goldens *goldens = *state;

	for (size_t i = 0; i < goldens->count; i++) {
		protobuf_c_message_free_unpacked(goldens->items[i].message, NULL);
		free(goldens->items[i].bytes);
	}
	free(goldens->items);
	free(goldens);
	return 0;
}

void
golden_same(const struct golden *golden, const char *writer, const uint8_t *bytes, size_t count)
{
	size_t same = 0;

	while (same < count && same < golden->byte_count && bytes[same] == golden->bytes[same])
		same++;
	if (same != count || same != golden->byte_count) {
		fail_msg("%s: %s writes %zu bytes and the golden file has %zu; they differ from byte %zu on", golden->name, writer,
		         count, golden->byte_count, same);
	}
}

void
golden_same_framed(const struct golden *golden, const char *writer, const uint8_t *bytes, size_t count)
{
	uint8_t header[FRAME_HEADER_BYTES_MAX];
	size_t header_bytes = frame_header_write(header, (uint32_t)golden->byte_count);

	assert_true(count >= header_bytes);
	assert_memory_equal(bytes, header, header_bytes);
	golden_same(golden, writer, bytes + header_bytes, count - header_bytes);
}

void
golden_same_packed(const struct golden *golden, const char *writer, const ProtobufCMessage *message)
{
	size_t count = protobuf_c_message_get_packed_size(message);
	uint8_t *bytes = malloc(count + 1);

	assert_non_null(bytes);
	assert_int_equal(protobuf_c_message_pack(message, bytes), count);
	golden_same(golden, writer, bytes, count);
	free(bytes);
}
