#include "daemon_trim.h"

#include "base/clock.h"
#include "base/memory.h"
#include "jobs/pool.h"

/* It looks so often: what is used again within a second is not worth giving back. */
#define TRIM_LOOK_NS CLOCK_NS_PER_S
/* Less than this is not: pages that are taken anew cost more than giving them back. */
#define TRIM_BYTES_MIN ((uint64_t)4 << 20)
/* Unless it was long ago: under a steady load what malloc keeps would creep up to that. */
#define TRIM_LATER_NS (60 * CLOCK_NS_PER_S)
#define TRIM_LATER_BYTES_MIN ((uint64_t)256 << 10)
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
	if (trim->looked_ns == 0) {
		trim->left_bytes = unused;
		trim->trimmed_ns = now_ns;
	}
	if (unused < trim->left_bytes)
		trim->left_bytes = unused;
	trim->looked_ns = now_ns;
	uint64_t more = unused - trim->left_bytes;
	bool later = now_ns - trim->trimmed_ns >= TRIM_LATER_NS;
	bool wanted = more >= (later ? TRIM_LATER_BYTES_MIN : TRIM_BYTES_MIN);
	if (wanted && pool_is_quiet(pool, now_ns + TRIM_QUIET_NS + more / TRIM_BYTES_PER_NS)) {
		memory_trim();
		trim->trimmed_ns = now_ns;
		trim->left_bytes = unused_bytes();
		wanted = false;
	}
	trim->settled = !active && !wanted;
}
