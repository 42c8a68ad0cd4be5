/* predictions: batches that were sent and that the server has told nothing of, each with the tick in which it is taken to have
 * effect. A pure structure of one thread; owns its memory. All 0 at the start. */
#ifndef COLLIDE_MIRROR_PREDICTIONS_H
#define COLLIDE_MIRROR_PREDICTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct prediction {
	struct prediction *next;
	uint32_t seat;
	uint64_t sequence;
	uint64_t tick;  /* in which it is taken to have effect, */
	uint64_t first; /* and was at first */
	size_t count;
	uint8_t bytes[]; /* a serialized Commands without handle, sequence, tick and acked */
};

struct predictions {
	struct prediction *first; /* in the order in which they came */
};

void predictions_finish(struct predictions *predictions);
/* NULL without memory. */
struct prediction *prediction_add(struct predictions *predictions, uint32_t seat, uint64_t sequence, uint64_t tick,
                                  const void *bytes, size_t count);
/* NULL: there is none. */
struct prediction *prediction_find(const struct predictions *predictions, uint32_t seat, uint64_t sequence);
void prediction_remove(struct predictions *predictions, struct prediction *prediction);
/* The least tick of them; UINT64_MAX: there are none. */
uint64_t predictions_tick(const struct predictions *predictions);
/* The greatest of one seat; 0: there are none. */
uint64_t predictions_seat_tick(const struct predictions *predictions, uint32_t seat);

#endif
