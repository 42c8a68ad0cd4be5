#include "session/schedule_result.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static bool
is_for_memory(const struct outcome_told *told)
{
	return strcmp(told->reason, "SERVER_MEMORY") == 0 || strcmp(told->reason, "MEMORY") == 0;
}

/* Its turn had come: what its seat sent later does not take effect before that tick. */
static bool
had_its_turn(const struct outcome_told *told)
{
	return strcmp(told->reason, "MEMORY") == 0 && told->field[0] != '\0';
}

/* Those for which there was no memory are refused for another reason, at the same place. Those that are refused for the order
 * of their ticks are, too: that order is another one now. */
void
schedule_refuse_again(struct seat_schedule *schedule, const struct schedule_result *result)
{
	for (size_t i = 0; i < SCHEDULE_SEATS; i++) {
		for (size_t k = 0; k < schedule->count[i]; k++) {
			const struct outcome_told *told = &result->told[i][k];
			struct scheduled_batch *batch = &schedule->batches[i][k];
			if (had_its_turn(told)) {
				batch->kind = SCHEDULED_NOT_A_NUMBER;
				batch->skip_missing = false;
			} else if (is_for_memory(told) || strcmp(told->reason, "TICK_ORDER") == 0) {
				batch->tick = UINT64_C(1) << 40;
			}
		}
	}
}

/* Whether all others have the same outcome. */
static bool
told_alike(const struct seat_schedule *schedule, const struct schedule_result *first, const struct schedule_result *other,
           uint64_t *refused)
{
	bool alike = true;
	for (size_t i = 0; i < SCHEDULE_SEATS; i++) {
		for (size_t k = 0; k < schedule->count[i]; k++) {
			const struct outcome_told *told = &first->told[i][k], *must = &other->told[i][k];
			*refused += is_for_memory(told);
			if (is_for_memory(told) || schedule->batches[i][k].tick > SCHEDULE_TICKS)
				assert_string_not_equal(must->reason, "");
			else
				alike = alike && memcmp(told, must, sizeof *told) == 0;
		}
	}
	return alike;
}

bool
schedule_results_alike(const struct seat_schedule *schedule, const struct schedule_result *first,
                       const struct schedule_result *other, uint64_t *refused)
{
	bool goes_back = schedule->late == COLLIDE__V1__LATE__LATE_RESIMULATE;
	bool alike = told_alike(schedule, first, other, refused);
	assert_true(alike || goes_back);
	if (alike)
		assert_memory_equal(first->hash, other->hash, sizeof first->hash);
	if (!goes_back)
		assert_int_equal(first->effective, other->effective);
	return alike;
}
