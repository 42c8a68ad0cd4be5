#include "client/cli/check/frame_compare.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* One column of a table, in both frames. */
struct column_pair {
	const char *name;
	const void *there, *here;
	size_t size; /* of an element */
};

#define COLUMN(table, name)                                                      \
	{                                                                            \
#name, there->table.name, here->table.name, sizeof(there->table.name[0]) \
	}

static void
value_format(const struct column_pair *column, const void *elements, size_t row, char to[32])
{
	const char *at = (const char *)elements + row * column->size;
	uint32_t small;
	double wide;
	if (column->size == sizeof small) {
		memcpy(&small, at, sizeof small);
		snprintf(to, 32, "%" PRIu32, small);
	} else {
		memcpy(&wide, at, sizeof wide);
		snprintf(to, 32, "%.17g", wide);
	}
}

/* Both have the same number of rows. */
static bool
columns_compare(const char *table, size_t count, const struct column_pair *columns, size_t column_count, char *text,
                size_t text_size)
{
	for (size_t i = 0; i < column_count; i++) {
		if ((!columns[i].there) != (!columns[i].here)) {
			snprintf(text, text_size, "%s.%s: only %s", table, columns[i].name, !columns[i].here ? "there" : "here");
			return false;
		}
	}
	for (size_t row = 0; row < count; row++) {
		for (size_t i = 0; i < column_count; i++) {
			const struct column_pair *column = &columns[i];
			if (!column->there)
				continue; /* both lack it: no circle turns */
			size_t at = row * column->size;
			if (memcmp((const char *)column->there + at, (const char *)column->here + at, column->size) == 0)
				continue;
			char values[2][32];
			value_format(column, column->there, row, values[0]);
			value_format(column, column->here, row, values[1]);
			snprintf(text, text_size, "%s[%zu].%s: %s there, %s here", table, row, column->name, values[0], values[1]);
			return false;
		}
	}
	return true;
}

static bool
counts_compare(const char *what, uint64_t there, uint64_t here, char *text, size_t text_size)
{
	if (there == here)
		return true;
	snprintf(text, text_size, "the number of %s: %" PRIu64 " there, %" PRIu64 " here", what, there, here);
	return false;
}

static bool
bodies_compare(const struct collide_frame *there, const struct collide_frame *here, char *text, size_t text_size)
{
	const struct column_pair columns[] = { COLUMN(bodies, id),
		                                   COLUMN(bodies, x),
		                                   COLUMN(bodies, y),
		                                   COLUMN(bodies, vx),
		                                   COLUMN(bodies, vy),
		                                   COLUMN(bodies, angle),
		                                   COLUMN(bodies, angular_velocity),
		                                   COLUMN(bodies, tag) };
	return counts_compare("bodies", there->bodies.count, here->bodies.count, text, text_size) &&
	       columns_compare("bodies", there->bodies.count, columns, sizeof columns / sizeof columns[0], text, text_size);
}

static bool
contacts_compare(const struct collide_frame *there, const struct collide_frame *here, char *text, size_t text_size)
{
	/* Ticks are compared below: they are integers of eight bytes, which value_format would print as doubles. */
	const struct column_pair columns[] = {
		COLUMN(contacts, time),
		COLUMN(contacts, a),
		COLUMN(contacts, b),
		COLUMN(contacts, feature),
		COLUMN(contacts, flags),
		COLUMN(contacts, point_x),
		COLUMN(contacts, point_y),
		COLUMN(contacts, normal_x),
		COLUMN(contacts, normal_y),
		COLUMN(contacts, impulse),
		COLUMN(contacts, a_vx_before),
		COLUMN(contacts, approach_speed),
		COLUMN(contacts, a_vy_before),
		COLUMN(contacts, a_vx_after),
		COLUMN(contacts, a_vy_after),
		COLUMN(contacts, b_vx_before),
		COLUMN(contacts, b_vy_before),
		COLUMN(contacts, b_vx_after),
		COLUMN(contacts, b_vy_after),
		COLUMN(contacts, friction_impulse),
		COLUMN(contacts, a_spin_before),
		COLUMN(contacts, a_spin_after),
		COLUMN(contacts, b_spin_before),
		COLUMN(contacts, b_spin_after),
	};
	size_t count = there->contacts.count;
	if (!counts_compare("contacts", count, here->contacts.count, text, text_size) ||
	    !columns_compare("contacts", count, columns, sizeof columns / sizeof columns[0], text, text_size))
		return false;
	bool same = count == 0 || memcmp(there->contacts.tick, here->contacts.tick, count * sizeof(uint64_t)) == 0;
	if (!same)
		snprintf(text, text_size, "the ticks of the contacts");
	return same;
}

static bool
rest_compare(const struct collide_frame *there, const struct collide_frame *here, char *text, size_t text_size)
{
	const struct column_pair changes[] = { COLUMN(path_changes, time), COLUMN(path_changes, body), COLUMN(path_changes, kind),
		                                   COLUMN(path_changes, vector_x), COLUMN(path_changes, vector_y) };
	const struct column_pair shortfalls[] = { COLUMN(shortfalls, body), COLUMN(shortfalls, flag), COLUMN(shortfalls, amount) };
	size_t change_count = there->path_changes.count, shortfall_count = there->shortfalls.count;
	return counts_compare("path changes", change_count, here->path_changes.count, text, text_size) &&
	       columns_compare("path_changes", change_count, changes, sizeof changes / sizeof changes[0], text, text_size) &&
	       counts_compare("shortfalls", shortfall_count, here->shortfalls.count, text, text_size) &&
	       columns_compare("shortfalls", shortfall_count, shortfalls, sizeof shortfalls / sizeof shortfalls[0], text,
	                       text_size) &&
	       counts_compare("events", there->events, here->events, text, text_size) &&
	       counts_compare("collisions", there->collisions, here->collisions, text, text_size) &&
	       counts_compare("clusters", there->clusters, here->clusters, text, text_size) &&
	       counts_compare("clips", there->clips, here->clips, text, text_size) &&
	       counts_compare("asleep", there->asleep, here->asleep, text, text_size);
}

static bool
events_compare(const struct collide_frame *there, const struct collide_frame *here, char *text, size_t text_size)
{
	const struct column_pair events[] = { COLUMN(pair_events, time),     COLUMN(pair_events, kind),
		                                  COLUMN(pair_events, a),        COLUMN(pair_events, b),
		                                  COLUMN(pair_events, feature),  COLUMN(pair_events, approach_speed),
		                                  COLUMN(pair_events, impulse),  COLUMN(pair_events, normal_x),
		                                  COLUMN(pair_events, normal_y), COLUMN(pair_events, point_x),
		                                  COLUMN(pair_events, point_y),  COLUMN(pair_events, a_tag),
		                                  COLUMN(pair_events, b_tag) };
	const struct column_pair paths[] = { COLUMN(paths, time), COLUMN(paths, body), COLUMN(paths, x),  COLUMN(paths, y),
		                                 COLUMN(paths, vx),   COLUMN(paths, vy),   COLUMN(paths, ax), COLUMN(paths, ay) };
	const struct column_pair moving[] = { COLUMN(moving_segments, id), COLUMN(moving_segments, x1), COLUMN(moving_segments, y1),
		                                  COLUMN(moving_segments, x2), COLUMN(moving_segments, y2) };
	const struct column_pair ends[] = { COLUMN(ends, time), COLUMN(ends, body), COLUMN(ends, reason), COLUMN(ends, tag),
		                                COLUMN(ends, x),    COLUMN(ends, y),    COLUMN(ends, vx),     COLUMN(ends, vy) };
	return counts_compare("ends", there->ends.count, here->ends.count, text, text_size) &&
	       columns_compare("ends", there->ends.count, ends, sizeof ends / sizeof ends[0], text, text_size) &&
	       counts_compare("moving segments", there->moving_segments.count, here->moving_segments.count, text, text_size) &&
	       columns_compare("moving_segments", there->moving_segments.count, moving, sizeof moving / sizeof moving[0], text,
	                       text_size) &&
	       counts_compare("pair events", there->pair_events.count, here->pair_events.count, text, text_size) &&
	       columns_compare("pair_events", there->pair_events.count, events, sizeof events / sizeof events[0], text,
	                       text_size) &&
	       counts_compare("paths", there->paths.count, here->paths.count, text, text_size) &&
	       columns_compare("paths", there->paths.count, paths, sizeof paths / sizeof paths[0], text, text_size);
}

bool
frame_compare(const struct collide_frame *there, const struct collide_frame *here, char *text, size_t text_size)
{
	if (there->hash != here->hash) {
		snprintf(text, text_size, "the state hash: %016" PRIx64 " there, %016" PRIx64 " here", there->hash, here->hash);
		return false;
	}
	return bodies_compare(there, here, text, text_size) && contacts_compare(there, here, text, text_size) &&
	       events_compare(there, here, text, text_size) && rest_compare(there, here, text, text_size);
}
