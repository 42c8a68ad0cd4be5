/* The bits of disabled walls. What can go wrong: memory. */
#include "physics/world/wall_switch.h"

#include "base/memory.h"
#include "base/pause.h"

#include <string.h>

bool
walls_off_copy(struct walls *walls)
{
	uint64_t *off = memory_zeroed(walls_off_words(walls), sizeof *off);

	if (!off)
		return false;
	if (walls->off)
		memcpy(off, walls->off, walls_off_words(walls) * sizeof *off);
	walls->off = off;
	return true;
}

bool
walls_off_find(struct walls *walls)
{
	for (uint32_t i = 0; i < walls->segment_count && !pause_after(1); i++) {
		if (!walls->segments[i].disabled)
			continue;
		if (!walls->off && !walls_off_copy(walls))
			return false;
		walls->off[i / 64] |= UINT64_C(1) << i % 64;
	}
	return true;
}

void
wall_off_set(struct walls *walls, uint32_t segment, bool off)
{
	const uint64_t bit = UINT64_C(1) << segment % 64;

	walls->off[segment / 64] = off ? walls->off[segment / 64] | bit : walls->off[segment / 64] & ~bit;
	if (walls->map)
		return;
	walls->segments[segment].disabled = off;
	walls->segments[segment].loose = true;
}
