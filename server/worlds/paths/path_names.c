#include "worlds/paths/path_names.h"

static size_t
hash_of(uint64_t bits)
{
	return (size_t)(bits * UINT64_C(0x9e3779b97f4a7c15) >> (64 - PATH_NAMES_HASH_BITS));
}

bool
path_names_find(const struct path_names *names, uint64_t bits, uint8_t *place)
{
	uint32_t last = names->last[hash_of(bits)];

	for (unsigned i = 0; i < 4; i++, last >>= 8) {
		*place = (uint8_t)last;
		if (names->bits[*place] == bits)
			return true;
	}
	return false;
}

void
path_names_put(struct path_names *names, uint8_t place, uint64_t bits)
{
	uint32_t *last = &names->last[hash_of(bits)];

	names->bits[place] = bits;
	*last = *last << 8 | place;
}
