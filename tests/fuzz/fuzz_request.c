/* Everything that a client's bytes reach before the engine, and what is made of its ticks. What is asserted is in
 * support/request_input.h. libFuzzer does not see the engine here. */
#include "fuzz/fuzz_target.h"
#include "fuzz/message_mutator.h"
#include "support/request_input.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	(void)request_input_run(bytes, count);
	return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *bytes, size_t count, size_t count_max, unsigned mutation)
{
	uint64_t seed = mutation;
	return message_mutate(&collide__v1__client_message__descriptor, bytes, count, count_max, &seed);
}
