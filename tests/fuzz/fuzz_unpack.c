/* Scan and unpack of the wire against protobuf-c. The first byte says which message the others are. What the scan lets pass is
 * unpacked by both, and both are the same bytes again when they are packed. The arena's bound is kept: with the bytes that were
 * used it works, with one less it is RESOURCE_EXHAUSTED. What the loop sees of a request from outside is what is in it. */
#include "fuzz/fuzz_target.h"
#include "fuzz/message_mutator.h"

#include "support/random.h"

#include "base/check.h"
#include "wire/scan.h"
#include "wire/unpack.h"

#include <stdlib.h>
#include <string.h>

#define ARENA_BYTES ((size_t)1 << 22)
/* One of so many mutations makes another message of the bytes, too. */
enum { OTHER_TYPE_OF = 16 };

static const ProtobufCMessageDescriptor *const types[] = {
	&collide__v1__client_message__descriptor, &collide__v1__server_message__descriptor, &collide__v1__scene__descriptor,
	&collide__v1__commands__descriptor,       &collide__v1__client_message__descriptor, &collide__v1__query__descriptor,
};

static const ProtobufCMessageDescriptor *
type_of(uint8_t first)
{
	return types[first % (sizeof types / sizeof types[0])];
}

static uint8_t *
packed(const ProtobufCMessage *message, size_t *count)
{
	*count = protobuf_c_message_get_packed_size(message);
	uint8_t *bytes = malloc(*count + 1);
	CHECK(bytes && protobuf_c_message_pack(message, bytes) == *count);
	return bytes;
}

static enum status
unpack(const ProtobufCMessageDescriptor *type, size_t arena_bytes, const uint8_t *bytes, size_t count)
{
	ProtobufCMessage *message;
	struct arena arena;
	arena_init(&arena, arena_bytes);
	enum status status = wire_unpack(&arena, type, bytes, count, &message);
	CHECK(arena.used_bytes <= arena_bytes);
	arena_finish(&arena);
	return status;
}

static void
peek_check(const uint8_t *bytes, size_t count, const Collide__V1__ClientMessage *message)
{
	uint64_t request_id;
	uint32_t field;
	CHECK(wire_request_peek(bytes, count, &request_id, &field) && request_id == message->request_id);
	CHECK(wire_request_is_known(field) ? field == (uint32_t)message->request_case
	                                   : message->request_case == COLLIDE__V1__CLIENT_MESSAGE__REQUEST__NOT_SET);
}

static void
passed_check(const ProtobufCMessageDescriptor *type, const uint8_t *bytes, size_t count)
{
	ProtobufCMessage *ours, *theirs = protobuf_c_message_unpack(type, NULL, count, bytes);
	struct arena arena;
	size_t our_count, their_count;
	arena_init(&arena, ARENA_BYTES);
	CHECK(theirs && wire_unpack(&arena, type, bytes, count, &ours) == STATUS_OK);
	size_t used = arena.used_bytes;
	uint8_t *our_bytes = packed(ours, &our_count), *their_bytes = packed(theirs, &their_count);
	CHECK(our_count == their_count && memcmp(our_bytes, their_bytes, our_count) == 0);
	if (type == &collide__v1__client_message__descriptor)
		peek_check(bytes, count, (const Collide__V1__ClientMessage *)(const void *)ours);
	free(their_bytes);
	free(our_bytes);
	arena_finish(&arena);
	protobuf_c_message_free_unpacked(theirs, NULL);
	CHECK(unpack(type, used, bytes, count) == STATUS_OK);
	CHECK(used == 0 || unpack(type, used - 1, bytes, count) == STATUS_RESOURCE_EXHAUSTED);
}

static void
problem_check(const struct wire_problem *problem, enum status status)
{
	CHECK(problem->status == status && problem->reason && problem->reason[0] != '\0');
	CHECK(memchr(problem->field, '\0', sizeof problem->field) && memchr(problem->text, '\0', sizeof problem->text));
	CHECK(problem->text[0] != '\0');
	for (const char *at = problem->text; *at != '\0'; at++)
		CHECK(*at >= ' ' && *at <= '~');
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	/* Few rows are allowed half of the time, so that this bound is met, too. */
	struct wire_limits limits = { UINT32_MAX, UINT32_MAX, UINT32_MAX };
	struct wire_problem problem;
	if (count == 0)
		return 0;
	if (bytes[0] >= 128)
		limits = (struct wire_limits){ 2, 5, 5 };
	const ProtobufCMessageDescriptor *type = type_of(bytes[0]);
	enum status envelope = wire_scan(type, &limits, SCAN_ENVELOPE, bytes + 1, count - 1, &problem);
	if (envelope != STATUS_OK)
		problem_check(&problem, envelope);
	enum status status = wire_scan(type, &limits, SCAN_WHOLE, bytes + 1, count - 1, &problem);
	if (status != STATUS_OK) {
		problem_check(&problem, status);
		(void)unpack(type, ARENA_BYTES, bytes + 1, count - 1);
	} else {
		CHECK(envelope == STATUS_OK);
		passed_check(type, bytes + 1, count - 1);
	}
	return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *bytes, size_t count, size_t count_max, unsigned mutation)
{
	uint64_t seed = mutation;
	if (count < 1 || count_max < 2)
		return LLVMFuzzerMutate(bytes, count, count_max);
	if (random_below(&seed, OTHER_TYPE_OF) == 0)
		bytes[0] = (uint8_t)random_bits(&seed);
	return 1 + message_mutate(type_of(bytes[0]), bytes + 1, count - 1, count_max - 1, &seed);
}
