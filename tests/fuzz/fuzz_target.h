/* fuzz_target: what a program of this folder defines, for libFuzzer (`./dev fuzz`) and for replay.c, which needs no clang.
 *
 * An input is given to the target as bytes. It aborts, or fails an assertion of cmocka, where a promise is broken. */
#ifndef COLLIDED_TESTS_FUZZ_FUZZ_TARGET_H
#define COLLIDED_TESTS_FUZZ_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

/* Always 0. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);
/* Of targets with a structure: makes another input of this one, in place; returns how long it is. */
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t count, size_t count_max, unsigned seed);
/* Given to targets: changes a few bytes, in place; returns how many there are. */
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t count, size_t count_max);

#endif
