/* libFuzzer over restoring and stepping. Its inputs are the tables of a snapshot. Header, checksum and the hash of the state
 * are made right here, as a forger would, so that the checks behind them are reached. Aborts where a promise is broken: a world
 * that was accepted writes the bytes it was made of, steps the same twice, and gives finite numbers. */
#include "fuzz/fuzz_target.h"

#include "base/check.h"
#include "base/pause.h"
#include "physics/self_check.h"
#include "physics/state/snapshot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TICKS = 3, BODIES_MAX = 60 };

/* After so many questions whether to go on the tick is given up: some made-up worlds are squeezed for ever. */
static bool
stop_at_last(void *context)
{
	unsigned *asked = context;

	return ++*asked > 200;
}

static void
world_use(struct world *world, const uint8_t *bytes, size_t size)
{
	struct selfcheck check = { .before = NULL };
	struct tick_report report;
	struct pause before;
	unsigned asked = 0;
	uint8_t *again = malloc(size);

	CHECK(again && world_snapshot_bytes(world) == size && world_snapshot(world, again, size) == STATUS_OK);
	CHECK(memcmp(again, bytes, size) == 0);
	free(again);
	pause_begin(&before, stop_at_last, &asked);
	for (int i = 0; i < TICKS; i++) {
		enum status status = selfcheck_step(&check, world, 1.0 / 60, &report);

		CHECK(status != STATUS_INTERNAL);
		if (status != STATUS_OK)
			break;
	}
	pause_end(&before);
	selfcheck_finish(&check);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	size_t size = SNAPSHOT_HEADER_BYTES + count + SNAPSHOT_CHECKSUM_BYTES;
	uint8_t *snapshot = malloc(size);
	struct snapshot_problem problem = { .field = "", .text = "" };
	struct world *world = NULL;

	CHECK(snapshot);
	memcpy(snapshot, snapshot_magic, SNAPSHOT_MAGIC_BYTES);
	snapshot_number_put(snapshot + SNAPSHOT_MAGIC_BYTES, 4, SNAPSHOT_FORMAT);
	snapshot_number_put(snapshot + SNAPSHOT_MAGIC_BYTES + 4, 4, PHYSICS_SEMANTICS);
	snapshot_number_put(snapshot + SNAPSHOT_MAGIC_BYTES + 8, 8, size);
	memcpy(snapshot + SNAPSHOT_HEADER_BYTES, bytes, count);
	if (count > 8 && snapshot_number_get(bytes, 8) <= BODIES_MAX) {
		snapshot_forge(snapshot, size);
		enum status status = world_restore(snapshot, size, 0, &problem, &world);

		if (status == STATUS_OK) {
			world_use(world, snapshot, size);
			world_destroy(world);
		} else {
			CHECK(!world && (status == STATUS_RESOURCE_EXHAUSTED || problem.text[0] != '\0'));
			CHECK(status == STATUS_RESOURCE_EXHAUSTED || strcmp(problem.field, "world.hash") != 0);
			CHECK(strcmp(problem.field, "checksum") != 0);
		}
	}
	free(snapshot);
	return 0;
}
