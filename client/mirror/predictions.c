#include "client/mirror/predictions.h"

#include "base/memory.h"

#include <string.h>

void
predictions_finish(struct predictions *predictions)
{
	while (predictions->first)
		prediction_remove(predictions, predictions->first);
}

struct prediction *
prediction_add(struct predictions *predictions, uint32_t seat, uint64_t sequence, uint64_t tick, const void *bytes,
               size_t count)
{
	struct prediction *prediction = memory_alloc(sizeof *prediction + count);
	struct prediction **end = &predictions->first;
	if (!prediction)
		return NULL;
	*prediction = (struct prediction){ .seat = seat, .sequence = sequence, .tick = tick, .first = tick, .count = count };
	memcpy(prediction->bytes, bytes, count);
	while (*end)
		end = &(*end)->next;
	*end = prediction;
	return prediction;
}

struct prediction *
prediction_find(const struct predictions *predictions, uint32_t seat, uint64_t sequence)
{
	struct prediction *prediction = predictions->first;
	while (prediction && (prediction->seat != seat || prediction->sequence != sequence))
		prediction = prediction->next;
	return prediction;
}

void
prediction_remove(struct predictions *predictions, struct prediction *prediction)
{
	struct prediction **link = &predictions->first;
	while (*link != prediction)
		link = &(*link)->next;
	*link = prediction->next;
	memory_free(prediction);
}

uint64_t
predictions_tick(const struct predictions *predictions)
{
	uint64_t tick = UINT64_MAX;
	for (const struct prediction *each = predictions->first; each; each = each->next)
		tick = each->tick < tick ? each->tick : tick;
	return tick;
}

uint64_t
predictions_seat_tick(const struct predictions *predictions, uint32_t seat)
{
	uint64_t tick = 0;
	for (const struct prediction *each = predictions->first; each; each = each->next)
		tick = each->seat == seat && each->tick > tick ? each->tick : tick;
	return tick;
}
