#include "worlds/history/finals.h"

#include "base/memory.h"
#include "base/pause.h"
#include "worlds/commands/room.h"

static void
rows_free(struct final_rows *rows)
{
	memory_free(rows->contacts);
	memory_free(rows->path_changes);
	memory_free(rows->pair_events);
}

bool
finals_begin(struct finals *finals, uint64_t tick, uint32_t history_ticks)
{
	finals_finish(finals);
	finals->ring = memory_zeroed((size_t)history_ticks + 2, sizeof *finals->ring);
	if (!finals->ring)
		return false;
	finals->capacity = (size_t)history_ticks + 2;
	finals->told = tick;
	finals->kept = true;
	return true;
}

void
finals_finish(struct finals *finals)
{
	for (size_t i = 0; i < finals->capacity; i++)
		rows_free(&finals->ring[i]);
	memory_free(finals->ring);
	*finals = (struct finals){ .kept = false };
}

bool
finals_note(struct finals *finals, const struct tick_report *report)
{
	if (!finals->kept)
		return true;

	struct final_rows *rows = &finals->ring[report->tick % finals->capacity];

	rows->contact_count = rows->path_change_count = rows->pair_event_count = 0;
	if (!room_reserve(&rows->contacts, &rows->contact_capacity, report->contact_count, sizeof *rows->contacts) ||
	    !room_reserve(&rows->path_changes, &rows->path_change_capacity, report->path_change_count,
	                  sizeof *rows->path_changes) ||
	    !room_reserve(&rows->pair_events, &rows->pair_event_capacity, report->pair_event_count, sizeof *rows->pair_events))
		return false;
	rows->tick = report->tick;
	rows->contact_count = report->contact_count;
	rows->path_change_count = report->path_change_count;
	rows->pair_event_count = report->pair_event_count;
	(void)pause_copy(rows->contacts, report->contacts, report->contact_count * sizeof *rows->contacts);
	(void)pause_copy(rows->path_changes, report->path_changes, report->path_change_count * sizeof *rows->path_changes);
	(void)pause_copy(rows->pair_events, report->pair_events, report->pair_event_count * sizeof *rows->pair_events);
	return true;
}

bool
finals_next(struct finals *finals, uint64_t final, struct tick_report *out)
{
	while (finals->kept && finals->told < final) {
		const struct final_rows *rows = &finals->ring[++finals->told % finals->capacity];

		if (rows->tick != finals->told)
			continue;
		*out = (struct tick_report){ .tick = rows->tick,
			                         .contacts = rows->contacts,
			                         .contact_count = rows->contact_count,
			                         .path_changes = rows->path_changes,
			                         .path_change_count = rows->path_change_count,
			                         .pair_events = rows->pair_events,
			                         .pair_event_count = rows->pair_event_count };
		return true;
	}
	return false;
}
