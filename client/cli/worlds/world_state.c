#include "client/cli/worlds/world_state.h"

#include "collide/v1/collide.pb-c.h"

#include <string.h>

/* WorldState.magic, as it stands in front: its tag, and 0x31535743. */
static const unsigned char begin[] = { 0x0d, 'C', 'W', 'S', '1' };

bool
world_state_is_one(const void *bytes, size_t count)
{
	return count >= sizeof begin && memcmp(bytes, begin, sizeof begin) == 0;
}

double
world_state_dt(const void *bytes, size_t count)
{
	if (!bytes || !world_state_is_one(bytes, count))
		return 0;
	Collide__V1__WorldState *state = collide__v1__world_state__unpack(NULL, count, bytes);
	double dt = state ? state->dt : 0;
	if (state)
		collide__v1__world_state__free_unpacked(state, NULL);
	return dt > 0 ? dt : 0;
}
