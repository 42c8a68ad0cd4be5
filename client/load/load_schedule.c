#include "client/load/load_schedule.h"

int64_t
load_schedule_time(const struct load_schedule *schedule, uint64_t index)
{
	return schedule->start_ns + (int64_t)((double)index * (1e9 / schedule->rate));
}

uint64_t
load_schedule_due(const struct load_schedule *schedule, int64_t now_ns)
{
	if (now_ns < schedule->start_ns)
		return 0;
	uint64_t count = (uint64_t)((double)(now_ns - schedule->start_ns) * (schedule->rate * 1e-9));
	/* Rounding may be off by one in either direction: load_schedule_time decides. */
	while (count > 0 && load_schedule_time(schedule, count - 1) > now_ns)
		count--;
	while (load_schedule_time(schedule, count) <= now_ns)
		count++;
	return count;
}

uint64_t
load_schedule_index(const struct load_schedule *schedule, uint64_t connection, uint64_t turn)
{
	return connection + turn * schedule->connections;
}
