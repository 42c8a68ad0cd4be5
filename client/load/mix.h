/* mix: which scene comes next, so that each has its share over every cycle and none comes in bursts (smooth weighted round
 * robin). One thread at a time. */
#ifndef COLLIDE_LOAD_MIX_H
#define COLLIDE_LOAD_MIX_H

#include <stddef.h>
#include <stdint.h>

#define MIX_SCENES_MAX 16     /* files of one command line; each has its own histograms */
#define MIX_WEIGHT_MAX 10000u /* so that sums are far from overflow */

struct mix {
	size_t count;
	int64_t weight[MIX_SCENES_MAX]; /* 1..MIX_WEIGHT_MAX */
	int64_t credit[MIX_SCENES_MAX]; /* starts at 0 */
};

/* The index of the next scene. Over as many calls as the sum of the weights, each comes exactly as often as its weight says. */
size_t mix_next(struct mix *mix);

#endif
