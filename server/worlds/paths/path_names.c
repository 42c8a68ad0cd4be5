#include "worlds/paths/path_names.h"

static size_t
slot_of(uint64_t bits)
{
	return (size_t)(bits * UINT64_C(0x9e3779b97f4a7c15) >> (64 - PATH_NAMES_INDEX_BITS));
}

bool
path_names_find(const struct path_names *names, uint64_t bits, uint8_t *place)
{
	*place = names->index[slot_of(bits)];
	return names->bits[*place] == bits;
}

void
path_names_put(struct path_names *names, uint8_t place, uint64_t bits)
{
	names->bits[place] = bits;
	names->index[slot_of(bits)] = place;
}
