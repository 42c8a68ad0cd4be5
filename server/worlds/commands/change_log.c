#include "worlds/commands/change_log.h"

#include "base/check.h"
#include "base/memory.h"
#include "worlds/commands/room.h"

#include <string.h>

void
change_log_finish(struct change_log *log)
{
	memory_free(log->entries);
	*log = (struct change_log){ .count = 0 };
}

void
change_log_release(struct change_log *log)
{
	memory_free(log->entries);
	log->entries = NULL;
	log->capacity = 0;
}

bool
change_log_reserve(struct change_log *log, size_t count)
{
	return !log->kept || room_reserve(&log->entries, &log->capacity, log->count + count, sizeof *log->entries);
}

void
change_log_add(struct change_log *log, enum change_kind kind, uint32_t id)
{
	if (!log->kept)
		return;
	CHECK(log->count < log->capacity);
	log->entries[log->count++] = (struct change_entry){ .id = id, .kind = (uint32_t)kind };
}

uint64_t
change_log_end(const struct change_log *log)
{
	return log->first + log->count;
}

void
change_log_trim(struct change_log *log, uint64_t number)
{
	size_t told = (size_t)(number - log->first);

	CHECK(number >= log->first && told <= log->count);
	log->count -= told;
	log->first = number;
	if (log->count > 0)
		memmove(log->entries, log->entries + told, log->count * sizeof *log->entries);
}
