/* bits: the reading side of the coder of WorldUpdate.quantized: Quantized in collide.proto. One thread at a time; no memory. */
#ifndef COLLIDE_LIB_FOLLOW_BITS_H
#define COLLIDE_LIB_FOLLOW_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FOLLOW_NUMBER_CONTEXTS 48

struct follow_context {
	uint16_t fast, slow;
};

struct bit_reader {
	const uint8_t *bytes;
	size_t count, at;
	uint32_t range, code;
};

void bit_reader_begin(struct bit_reader *reader, const uint8_t *bytes, size_t count);
bool bit_read(struct bit_reader *reader, struct follow_context *context);
/* Of which nothing is known; count <= 64. */
uint64_t bits_read(struct bit_reader *reader, unsigned count);
/* 0 .. 3. */
unsigned tree_read(struct bit_reader *reader, struct follow_context tree[3]);
double bits_number_read(struct bit_reader *reader, struct follow_context contexts[FOLLOW_NUMBER_CONTEXTS]);
/* Whether no bytes are left over. */
bool bit_reader_ends(const struct bit_reader *reader);

#endif
