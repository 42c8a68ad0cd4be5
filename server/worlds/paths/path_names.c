#include "worlds/paths/path_names.h"

#include "base/memory.h"

/* The last places with the hash of a number. */
static uint32_t *
last_of(struct path_names *names, uint64_t bits)
{
	uint32_t *last = (uint32_t *)(void *)&names->bits[names->capacity], hashes = names->capacity / PATH_NAMES_OF_HASH;

	return &last[(bits * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (hashes - 1)];
}

bool
path_names_find(struct path_names *names, uint64_t bits, uint8_t *place)
{
	uint32_t last = *last_of(names, bits);

	for (unsigned i = 0; i < 4; i++, last >>= 8) {
		*place = (uint8_t)last;
		/* Of places that have the same in turn, the last one comes first. */
		if (names->bits[*place % names->capacity] == bits) {
			names->found = true;
			return true;
		}
	}
	return false;
}

static void
number_put(struct path_names *names, uint32_t count, uint64_t bits)
{
	uint32_t *last = last_of(names, bits);

	names->bits[count % names->capacity] = bits;
	*last = *last << 8 | count % PATH_NAMES;
}

/* Room for so many, with those that there are. NULL without memory. */
static struct path_names *
names_create(struct path_names *from, uint32_t count, uint32_t capacity)
{
	size_t last_bytes = capacity / PATH_NAMES_OF_HASH * sizeof(uint32_t);
	struct path_names *names = memory_zeroed(1, sizeof *names + capacity * sizeof names->bits[0] + last_bytes);

	if (!names)
		return NULL;
	names->capacity = capacity;
	for (uint32_t i = count - (from ? from->capacity : 0); i != count; i++)
		if (from->bits[i % from->capacity] != 0)
			number_put(names, i, from->bits[i % from->capacity]);
	return names;
}

void
path_names_put(struct path_names **names, uint32_t count, uint64_t bits)
{
	struct path_names *before = *names;

	if (!before || (count % before->capacity == 0 && before->found && before->capacity < PATH_NAMES)) {
		struct path_names *wide = names_create(before, count, before ? 2 * before->capacity : PATH_NAMES_FIRST);

		if (wide) {
			memory_free(before);
			*names = wide;
		}
	}
	if (!*names)
		return;
	if (count % (*names)->capacity == 0)
		(*names)->found = false;
	number_put(*names, count, bits);
}
