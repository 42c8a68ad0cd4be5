/* schedule_result: what became of a schedule: the hash of each tick, and what was told of each batch. */
#ifndef COLLIDED_TESTS_SESSION_SCHEDULE_RESULT_H
#define COLLIDED_TESTS_SESSION_SCHEDULE_RESULT_H

#include "session/schedule.h"

struct outcome_told {
	bool is_told;
	uint64_t tick;
	int code;
	uint32_t missing;
	char reason[24], field[64];
};

struct schedule_result {
	uint64_t hash[SCHEDULE_TICKS];
	bool failed;        /* the world, after the last tick with a hash */
	uint64_t effective; /* batches, as the world says */
	struct outcome_told told[SCHEDULE_SEATS][SCHEDULE_BATCHES];
};

/* Makes of the schedule one of which the same batches are refused, at the same places, though there is memory for them. */
void schedule_refuse_again(struct seat_schedule *schedule, const struct schedule_result *result);
/* Of that one `other`, and `first` without memory: all others have the same outcomes, and all ticks the same hashes. Without
 * memory to go back, a late batch takes effect at the next tick, or one is undone. That is told, and may be so in worlds that
 * go back only. False: it was so. Adds to *refused those that there was no memory for. */
bool schedule_results_alike(const struct seat_schedule *schedule, const struct schedule_result *first,
                            const struct schedule_result *other, uint64_t *refused);

#endif
