/* zstd_frame: frames of zstd, from and to memory; what packed_file knows of libzstd. One thread at a time.
 *
 * A program that was built without it (-DCOLLIDED_ZSTD=OFF) creates neither, and says so. */
#ifndef COLLIDE_CLI_ZSTD_FRAME_H
#define COLLIDE_CLI_ZSTD_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Enough for any block, with its header. */
#define FRAME_BLOCK_BYTES ((size_t)131075 + 512)

struct zstd_unpacker;
struct zstd_packer;

/* Why one is not created: no memory, or it was built without. */
extern const char zstd_frame_missing[];

/* NULL: see zstd_frame_missing. */
struct zstd_unpacker *zstd_unpacker_create(void);
void zstd_unpacker_destroy(struct zstd_unpacker *unpacker); /* NULL is fine */

struct zstd_step {
	const uint8_t *input;
	size_t input_count, input_used; /* used: moved on by each step */
	uint8_t *output;
	size_t output_count, output_used;
	size_t wanted;       /* bytes of input that the next steps need; 0: a frame has ended */
	const char *problem; /* static; NULL: none */
};

/* As much as input and output allow. false: `problem` says what is wrong with the input. */
bool zstd_unpack(struct zstd_unpacker *unpacker, struct zstd_step *step);

/* At that level (1 .. 19), with a checksum. NULL: see zstd_frame_missing. */
struct zstd_packer *zstd_packer_create(int level);
void zstd_packer_destroy(struct zstd_packer *packer); /* NULL is fine */

enum pack_how { PACK_GO_ON, PACK_FLUSH, PACK_END };

/* The same for what is to be packed; `wanted` is what waits to be written. false: no memory. */
bool zstd_pack(struct zstd_packer *packer, struct zstd_step *step, enum pack_how how);

#endif
