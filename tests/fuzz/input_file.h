/* input_file: an input as a file without a name, for what reads files by their path. One thread. */
#ifndef COLLIDED_TESTS_FUZZ_INPUT_FILE_H
#define COLLIDED_TESTS_FUZZ_INPUT_FILE_H

#include <stddef.h>
#include <stdint.h>

/* The path of a file with these bytes, until the next call. */
const char *input_file(const uint8_t *bytes, size_t count);

#endif
