/* message_mutator: another message of the same type, made of one by its descriptor, so that most inputs get past the reading of
 * bytes. Fields are set, changed and left out. Elements are put in, told twice and swapped. Columns are made as long as others.
 *
 * One thread. Owns nothing. */
#ifndef COLLIDED_TESTS_FUZZ_MESSAGE_MUTATOR_H
#define COLLIDED_TESTS_FUZZ_MESSAGE_MUTATOR_H

#include <protobuf-c/protobuf-c.h>
#include <stddef.h>
#include <stdint.h>

/* In place, as LLVMFuzzerCustomMutator. Now and then only bytes are changed, and always where they are no such message. */
size_t message_mutate(const ProtobufCMessageDescriptor *type, uint8_t *bytes, size_t count, size_t count_max, uint64_t *seed);

#endif
