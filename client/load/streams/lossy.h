/* lossy: what games send instead of exact states, to compare with. Places on a grid are told as differences to a straight
 * continuation of the two before, in a Rice code. These are real bits, and can be decoded.
 *
 * The x of all circles come first, then the y. Of such a column the first four bits are the parameter of the code. No memory is
 * allocated; one thread at a time. */
#ifndef COLLIDE_LOAD_STREAMS_LOSSY_H
#define COLLIDE_LOAD_STREAMS_LOSSY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LOSSY_CIRCLES_MAX = 256 };
/* Of an update besides the columns: a tick and a count, as little as such a format can do with. */
#define LOSSY_HEAD_BYTES 8
/* Of an update at most: each number has up to 32 bits of ones and as many of itself. */
#define LOSSY_BYTES_MAX (2 * LOSSY_CIRCLES_MAX * 9 + 2)

struct lossy {
	size_t count;
	double x, y, quantum;                     /* the grid: its corner, and its lines' distance */
	int64_t before[2][2 * LOSSY_CIRCLES_MAX]; /* the last two, as the reader has them */
	size_t known;                             /* 0, 1 or 2 of them */
};

/* `quantum`: the side of the field / 65536, say. */
void lossy_init(struct lossy *lossy, size_t count, double x, double y, double quantum);
/* Places x and y of all circles, one after the other. Returns how many bytes. */
size_t lossy_encode(struct lossy *lossy, const double *x, const double *y, uint8_t out[static LOSSY_BYTES_MAX]);
/* The other side: *lossy is its own. false: these bytes are no update. */
bool lossy_decode(struct lossy *lossy, const uint8_t *bytes, size_t count, double *x, double *y);

#endif
