#include "worlds/kept_spoil.h"

#include "physics/state/kept.h"

void
kept_spoil(struct world_kept *kept, size_t body, enum kept_field field)
{
	uint8_t *infos = kept->block + kept->places.bodies;
	struct body *paths = (struct body *)(void *)(infos + kept_bytes(kept->head.body_count * sizeof(struct body_info)));
	uint8_t *number = (uint8_t *)(field == KEPT_X ? &paths[body].x : &paths[body].vy);

	*number ^= 1;
}
