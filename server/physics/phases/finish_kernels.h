/* finish_kernels: the loop over bodies at a tick's end, compiled for different CPUs (finish_pairs.h). Internal; for the thread
 * that finishes these bodies. */
#ifndef COLLIDED_PHASES_FINISH_KERNELS_H
#define COLLIDED_PHASES_FINISH_KERNELS_H

#include "physics/world/awake_set.h"

struct ledger_sums;
struct world;

/* Whether this build is for a CPU that may have AVX2. */
#if defined(__x86_64__) && defined(__GNUC__)
#define FINISH_WIDE
#endif

/* Moves the bodies of a span, all of them awake, and adds their energy and momentum to the sums, in their order. Returns
 * whether one of them was crushed. */
typedef bool finish_span_fn(struct world *world, struct span span, struct ledger_sums *sums);

finish_span_fn finish_span_plain;
#ifdef FINISH_WIDE
/* With AVX2. */
finish_span_fn finish_span_wide;
#endif
/* The fastest that this CPU supports. */
finish_span_fn *finish_span_best(void);

#endif
