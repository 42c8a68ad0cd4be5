/* stream_mutator: another stream of messages, each with its length in front, made of one. A message is changed as
 * message_mutator does, left out, sent twice, or its length is spoiled. One thread. */
#ifndef COLLIDED_TESTS_FUZZ_STREAM_MUTATOR_H
#define COLLIDED_TESTS_FUZZ_STREAM_MUTATOR_H

#include <protobuf-c/protobuf-c.h>
#include <stddef.h>
#include <stdint.h>

/* In place, as LLVMFuzzerCustomMutator. `type_of` says what the message with that number is, counted from 0. */
size_t stream_mutate(const ProtobufCMessageDescriptor *(*type_of)(size_t index), uint8_t *bytes, size_t count, size_t count_max,
                     unsigned mutation);

#endif
