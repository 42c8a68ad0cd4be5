#include "worlds/paths/path_names.h"

#include "base/memory.h"

#include <string.h>

static size_t
hash_of(uint64_t bits)
{
	return (size_t)(bits * UINT64_C(0x9e3779b97f4a7c15) >> (64 - PATH_NAMES_HASH_BITS));
}

bool
path_names_find(struct path_names *names, uint64_t bits, uint8_t *place)
{
	uint32_t last = names->last[hash_of(bits)];

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

/* Room for so many, with those that there are. NULL without memory. */
static struct path_names *
names_create(struct path_names *from, uint32_t count, uint32_t capacity)
{
	struct path_names *names = memory_zeroed(1, sizeof *names + capacity * sizeof names->bits[0]);

	if (!names)
		return NULL;
	names->capacity = capacity;
	if (!from)
		return names;
	memcpy(names->last, from->last, sizeof names->last);
	for (uint32_t place = count - from->capacity; place != count; place++)
		names->bits[place % capacity] = from->bits[place % from->capacity];
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

	uint32_t *last = &(*names)->last[hash_of(bits)];

	(*names)->bits[count % (*names)->capacity] = bits;
	*last = *last << 8 | count % PATH_NAMES;
}
