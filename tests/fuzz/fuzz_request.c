/* libFuzzer over everything that a client's bytes reach before and inside the engine. */
#include "support/request_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	(void)request_input_run(bytes, count);
	return 0;
}
