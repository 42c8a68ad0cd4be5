#include "daemon_trim.h"

#include "base/clock.h"
#include "base/memory.h"
#include "jobs/pool.h"

/* It looks so often: what is used again within a second is not worth giving back. */
#define TRIM_LOOK_NS CLOCK_NS_PER_S
/* Less than this is not: pages that are taken anew cost more than giving them back. */
#define TRIM_BYTES_MIN ((uint64_t)4 << 20)
/* No tick may be due before it is over: half of the speed that was measured, and some more. */
#define TRIM_BYTES_PER_NS 4
#define TRIM_QUIET_NS (5 * CLOCK_NS_PER_MS)

/* Resident, but not allocated: code and stacks, and what was freed. By what is resident alone, nothing would tell of what is
 * freed after a trim: malloc keeps it, and no byte comes or goes. */
static uint64_t
unused_bytes(void)
{
	uint64_t resident = memory_resident(), used = memory_used();

	return resident > used ? resident - used : 0;
}

void
trim_look(struct trim *trim, struct pool *pool, bool active, uint64_t now_ns)
{
	if (active)
		trim->settled = false;
	if (trim->settled || now_ns - trim->looked_ns < TRIM_LOOK_NS)
		return;
	uint64_t unused = unused_bytes();
	if (trim->looked_ns == 0 || unused < trim->left_bytes)
		trim->left_bytes = unused;
	trim->looked_ns = now_ns;
	uint64_t more = unused - trim->left_bytes;
	bool wanted = more >= TRIM_BYTES_MIN;
	if (wanted && pool_is_quiet(pool, now_ns + TRIM_QUIET_NS + more / TRIM_BYTES_PER_NS)) {
		memory_trim();
		trim->left_bytes = unused_bytes();
		wanted = false;
	}
	trim->settled = !active && !wanted;
}
