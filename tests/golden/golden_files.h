/* golden_files: the messages in this folder, for the tests in C; make_golden.py tells what they are and golden.txt lists them.
 */
#ifndef COLLIDED_TESTS_GOLDEN_FILES_H
#define COLLIDED_TESTS_GOLDEN_FILES_H

#include "collide/v1/collide.pb-c.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct golden {
	char name[64];
	char json_path[512];
	const ProtobufCMessageDescriptor *type; /* of ClientMessage or ServerMessage */
	bool unknown_fields;                    /* it has fields that its JSON form cannot hold */
	bool minus_zero;                        /* protobuf-c does not write all of it */
	uint8_t *bytes;
	size_t byte_count;
	ProtobufCMessage *message; /* the bytes as protobuf-c reads them */
};

struct goldens {
	struct golden *items;
	size_t count;
};

/* Setup and teardown of a group of tests: *state is a struct goldens. */
int goldens_load(void **state);
int goldens_free(void **state);

/* Fails, naming the message, unless the bytes are the golden ones. */
void golden_same(const struct golden *golden, const char *writer, const uint8_t *bytes, size_t count);
/* The same with the message's length in front. */
void golden_same_framed(const struct golden *golden, const char *writer, const uint8_t *bytes, size_t count);
/* Packs the message with protobuf-c and compares. */
void golden_same_packed(const struct golden *golden, const char *writer, const ProtobufCMessage *message);

static inline bool
golden_is_client(const struct golden *golden)
{
	return golden->type == &collide__v1__client_message__descriptor;
}

/* If it is one. */
static inline const Collide__V1__ClientMessage *
golden_client(const struct golden *golden)
{
	return (const void *)golden->message;
}

/* If it is one. */
static inline const Collide__V1__ServerMessage *
golden_server(const struct golden *golden)
{
	return (const void *)golden->message;
}

#endif
