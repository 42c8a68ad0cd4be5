#include "physics/tables/schedule.h"

#include "base/memory.h"

void
schedule_init(struct schedule *schedule)
{
	*schedule = (struct schedule){ 0 };
}

void
schedule_finish(struct schedule *schedule)
{
	memory_free(schedule->eights);
	memory_free(schedule->now);
	schedule_init(schedule);
}

size_t
schedule_memory_bytes(const struct schedule *schedule)
{
	return schedule->body_capacity / 8 * sizeof *schedule->eights +
	       schedule_words(schedule->body_capacity) * sizeof *schedule->now;
}

void
schedule_forget(struct schedule *schedule)
{
	schedule->made = false;
}

void
schedule_begin(struct schedule *schedule, double dt)
{
	if (schedule->dt != dt)
		schedule_forget(schedule);
	schedule->dirty = 0;
}
