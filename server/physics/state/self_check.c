/* Happy path: snapshot, restore, two steps, a return, one step, no difference. What can go wrong: memory; a tick that is
 * stopped, in any of the three; and a difference, which ends the run in which it is found. */
#include "physics/self_check.h"

#include "base/memory.h"
#include "base/pause.h"
#include "physics/keep.h"
#include "physics/state/snapshot.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum value_type { VALUE_DOUBLE, VALUE_U64, VALUE_U32, VALUE_U8 };

/* A member of a row or report. */
struct check_member {
	const char *name;
	size_t offset;
	enum value_type type;
};

#define DOUBLE(type, name)                               \
	{                                                    \
#name, offsetof(struct type, name), VALUE_DOUBLE \
	}
#define NUMBER(type, name, value_type)                 \
	{                                                  \
#name, offsetof(struct type, name), value_type \
	}
/* Units (base/pause.h) of two rows that are compared. */
#define ROW_UNITS 4u
#define COUNT(array) (sizeof array / sizeof((array)[0]))

static const struct check_member report_members[] = {
	NUMBER(tick_report, tick, VALUE_U64),       NUMBER(tick_report, events, VALUE_U64),
	NUMBER(tick_report, collisions, VALUE_U64), NUMBER(tick_report, clusters, VALUE_U64),
	NUMBER(tick_report, asleep, VALUE_U64),     NUMBER(tick_report, clips, VALUE_U64),
	NUMBER(tick_report, work, VALUE_U64),
};

static const struct check_member contact_members[] = {
	DOUBLE(contact, time),
	NUMBER(contact, a, VALUE_U32),
	NUMBER(contact, b, VALUE_U32),
	NUMBER(contact, other, VALUE_U8),
	NUMBER(contact, feature, VALUE_U8),
	NUMBER(contact, flags, VALUE_U8),
	DOUBLE(contact, point[0]),
	DOUBLE(contact, point[1]),
	DOUBLE(contact, normal[0]),
	DOUBLE(contact, normal[1]),
	DOUBLE(contact, approach_speed),
	DOUBLE(contact, impulse),
	DOUBLE(contact, friction_impulse),
	DOUBLE(contact, a_before[0]),
	DOUBLE(contact, a_before[1]),
	DOUBLE(contact, a_after[0]),
	DOUBLE(contact, a_after[1]),
	DOUBLE(contact, b_before[0]),
	DOUBLE(contact, b_before[1]),
	DOUBLE(contact, b_after[0]),
	DOUBLE(contact, b_after[1]),
	DOUBLE(contact, a_spin_before),
	DOUBLE(contact, a_spin_after),
	DOUBLE(contact, b_spin_before),
	DOUBLE(contact, b_spin_after),
};

static const struct check_member path_change_members[] = {
	DOUBLE(path_change, time),      NUMBER(path_change, body, VALUE_U32), NUMBER(path_change, kind, VALUE_U8),
	DOUBLE(path_change, vector[0]), DOUBLE(path_change, vector[1]),
};

static const struct check_member shortfall_members[] = {
	NUMBER(shortfall, body, VALUE_U32),
	NUMBER(shortfall, flag, VALUE_U32),
	DOUBLE(shortfall, amount),
};

static const struct check_member pair_event_members[] = {
	DOUBLE(pair_event, time),           NUMBER(pair_event, a, VALUE_U32),    NUMBER(pair_event, b, VALUE_U32),
	NUMBER(pair_event, kind, VALUE_U8), NUMBER(pair_event, other, VALUE_U8), NUMBER(pair_event, feature, VALUE_U8),
	DOUBLE(pair_event, point[0]),       DOUBLE(pair_event, point[1]),        DOUBLE(pair_event, normal[0]),
	DOUBLE(pair_event, normal[1]),      DOUBLE(pair_event, approach_speed),  DOUBLE(pair_event, impulse),
};

static const struct check_member path_members[] = {
	DOUBLE(path_piece, time),
	NUMBER(path_piece, body, VALUE_U32),
	DOUBLE(path_piece, position[0]),
	DOUBLE(path_piece, position[1]),
	DOUBLE(path_piece, velocity[0]),
	DOUBLE(path_piece, velocity[1]),
	DOUBLE(path_piece, acceleration[0]),
	DOUBLE(path_piece, acceleration[1]),
	DOUBLE(path_piece, angle),
	DOUBLE(path_piece, spin),
	NUMBER(path_piece, kind, VALUE_U8),
};

static const struct check_member end_members[] = {
	DOUBLE(body_end, time),           NUMBER(body_end, body, VALUE_U32), NUMBER(body_end, reason, VALUE_U8),
	NUMBER(body_end, tag, VALUE_U64), DOUBLE(body_end, position[0]),     DOUBLE(body_end, position[1]),
	DOUBLE(body_end, velocity[0]),    DOUBLE(body_end, velocity[1]),
};

static const struct check_member place_members[] = {
	NUMBER(segment_place, id, VALUE_U32),
	DOUBLE(segment_place, x1),
	DOUBLE(segment_place, y1),
	DOUBLE(segment_place, x2),
	DOUBLE(segment_place, y2),
};

/* Rows of structs, or one struct: `name` is the prefix of its members' names. */
struct check_rows {
	const char *name;
	const struct check_member *members;
	size_t member_count;
	size_t row_bytes;
};

static const struct check_rows report_rows = { "report", report_members, COUNT(report_members), sizeof(struct tick_report) };
static const struct check_rows contact_rows = { "contacts", contact_members, COUNT(contact_members), sizeof(struct contact) };
static const struct check_rows path_change_rows = { "path_changes", path_change_members, COUNT(path_change_members),
	                                                sizeof(struct path_change) };
static const struct check_rows shortfall_rows = { "shortfalls", shortfall_members, COUNT(shortfall_members),
	                                              sizeof(struct shortfall) };
static const struct check_rows pair_event_rows = { "pair_events", pair_event_members, COUNT(pair_event_members),
	                                               sizeof(struct pair_event) };
static const struct check_rows path_rows = { "paths", path_members, COUNT(path_members), sizeof(struct path_piece) };
static const struct check_rows place_rows = { "places", place_members, COUNT(place_members), sizeof(struct segment_place) };
static const struct check_rows end_rows = { "ends", end_members, COUNT(end_members), sizeof(struct body_end) };

static uint64_t
member_bits(const struct check_member *member, const void *row)
{
	const uint8_t *at = (const uint8_t *)row + member->offset;
	uint64_t wide;
	uint32_t half;

	switch (member->type) {
	case VALUE_U32: memcpy(&half, at, sizeof half); return half;
	case VALUE_U8: return *at;
	case VALUE_DOUBLE:
	case VALUE_U64: break;
	}
	memcpy(&wide, at, sizeof wide);
	return wide;
}

static void
value_format(bool is_double, uint64_t bits, char to[32])
{
	double value;

	memcpy(&value, &bits, sizeof value);
	if (is_double)
		(void)snprintf(to, 32, "%.17g", value);
	else
		(void)snprintf(to, 32, "%" PRIu64, bits);
}

/* Returns false and sets the text: `name`, and the row's index if there is one. */
static bool
difference_set(struct difference *difference, const char *table, const char *name, size_t index, bool is_double, uint64_t run,
               uint64_t restored)
{
	char values[2][32], row[24] = "";

	value_format(is_double, run, values[0]);
	value_format(is_double, restored, values[1]);
	difference->body = SIZE_MAX;
	if (index != SIZE_MAX)
		(void)snprintf(row, sizeof row, "[%zu]", index);
	(void)snprintf(difference->text, sizeof difference->text, "%s%s%s%s is %s in the run, %s restored", table,
	               table[0] != '\0' ? "." : "", name, row, values[0], values[1]);
	return false;
}

static bool
row_compare(const struct check_rows *rows, size_t index, const void *run, const void *restored, struct difference *difference)
{
	for (size_t i = 0; i < rows->member_count; i++) {
		const struct check_member *member = &rows->members[i];
		uint64_t a = member_bits(member, run), b = member_bits(member, restored);

		if (a != b)
			return difference_set(difference, rows->name, member->name, index, member->type == VALUE_DOUBLE, a, b);
	}
	return true;
}

static bool
rows_compare(const struct check_rows *rows, const void *run, size_t run_count, const void *restored, size_t restored_count,
             struct difference *difference)
{
	const uint8_t *a = run, *b = restored;

	for (size_t i = 0; i < run_count && i < restored_count && !pause_after(ROW_UNITS); i++)
		if (!row_compare(rows, i, a + i * rows->row_bytes, b + i * rows->row_bytes, difference))
			return false;
	return run_count == restored_count ||
	       difference_set(difference, rows->name, "count", SIZE_MAX, false, run_count, restored_count);
}

/* Ledgers have doubles only, so an index names a member well enough. */
static bool
ledger_compare(const char *name, const void *run, const void *restored, size_t bytes, struct difference *difference)
{
	for (size_t i = 0; i < bytes / sizeof(double); i++) {
		uint64_t a, b;

		memcpy(&a, (const uint8_t *)run + i * sizeof a, sizeof a);
		memcpy(&b, (const uint8_t *)restored + i * sizeof b, sizeof b);
		if (a != b)
			return difference_set(difference, "", name, i, true, a, b);
	}
	return true;
}

/* Everything except the counters, which the states themselves show better. */
static bool
ticks_compare(const struct tick_report *run, const struct tick_report *restored, struct difference *difference)
{
	static_assert(sizeof(struct energy_ledger) % sizeof(double) == 0 && sizeof(struct momentum_ledger) % sizeof(double) == 0,
	              "ledgers are compared as doubles");

	return rows_compare(&contact_rows, run->contacts, run->contact_count, restored->contacts, restored->contact_count,
	                    difference) &&
	       rows_compare(&path_change_rows, run->path_changes, run->path_change_count, restored->path_changes,
	                    restored->path_change_count, difference) &&
	       rows_compare(&shortfall_rows, run->shortfalls, run->shortfall_count, restored->shortfalls, restored->shortfall_count,
	                    difference) &&
	       rows_compare(&pair_event_rows, run->pair_events, run->pair_event_count, restored->pair_events,
	                    restored->pair_event_count, difference) &&
	       rows_compare(&path_rows, run->paths, run->path_count, restored->paths, restored->path_count, difference) &&
	       rows_compare(&place_rows, run->places, run->place_count, restored->places, restored->place_count, difference) &&
	       rows_compare(&end_rows, run->ends, run->end_count, restored->ends, restored->end_count, difference) &&
	       ledger_compare("energy", &run->energy, &restored->energy, sizeof run->energy, difference) &&
	       ledger_compare("momentum", &run->momentum, &restored->momentum, sizeof run->momentum, difference);
}

bool
reports_compare(const struct tick_report *run, const struct tick_report *restored, struct difference *difference)
{
	return ticks_compare(run, restored, difference) && row_compare(&report_rows, SIZE_MAX, run, restored, difference);
}

/* The tables of a snapshot after its header, in order, with the places where they begin. */
static const struct {
	const struct snapshot_table *table;
	size_t place;
	bool one_row;
} tables[] = {
	{ &snapshot_counts_table, offsetof(struct snapshot_places, counts), true },
	{ &snapshot_world_table, offsetof(struct snapshot_places, world), true },
	{ &snapshot_body_table, offsetof(struct snapshot_places, bodies), false },
	{ &snapshot_segment_table, offsetof(struct snapshot_places, segments), false },
	{ &snapshot_relation_table, offsetof(struct snapshot_places, relations), false },
	{ &snapshot_listing_table, offsetof(struct snapshot_places, listings), false },
	{ &snapshot_pair_table, offsetof(struct snapshot_places, pairs), false },
	{ &snapshot_calm_table, offsetof(struct snapshot_places, calms), false },
	{ &snapshot_dormant_table, offsetof(struct snapshot_places, dormant), false },
	{ &snapshot_tie_table, offsetof(struct snapshot_places, ties), false },
	{ &snapshot_drop_table, offsetof(struct snapshot_places, drops), false },
	{ &snapshot_rule_table, offsetof(struct snapshot_places, rules), false },
	{ &snapshot_tag_table, offsetof(struct snapshot_places, tags), false },
	{ &snapshot_switch_table, offsetof(struct snapshot_places, switches), false },
};
static_assert(sizeof(struct snapshot_places) == (COUNT(tables) + 2) * sizeof(size_t), "a table more: name it above");

static size_t
table_place(const struct snapshot_places *places, size_t index)
{
	size_t place;

	memcpy(&place, (const uint8_t *)places + tables[index].place, sizeof place);
	return place;
}

/* Names the field that contains the differing byte. Up to it both snapshots have the same counts. */
static bool
field_difference(const struct snapshot_places *places, size_t offset, const uint8_t *run, const uint8_t *restored,
                 struct difference *difference)
{
	size_t index = COUNT(tables) - 1;

	while (index > 0 && table_place(places, index) > offset)
		index--;

	const struct snapshot_table *table = tables[index].table;
	size_t start = table_place(places, index), row = (offset - start) / snapshot_row_bytes(table);
	size_t at = start + row * snapshot_row_bytes(table);

	for (size_t i = 0; i < table->field_count; i++) {
		const struct snapshot_field *field = &table->fields[i];
		size_t bytes = snapshot_row_bytes(&(struct snapshot_table){ .fields = field, .field_count = 1 });

		if (offset < at + bytes) {
			(void)difference_set(difference, "", field->name, tables[index].one_row ? SIZE_MAX : row,
			                     field->type == SNAPSHOT_F64, snapshot_number_get(run + at, bytes),
			                     snapshot_number_get(restored + at, bytes));
			difference->body = table == &snapshot_body_table ? row : SIZE_MAX;
			return false;
		}
		at += bytes;
	}
	return false;
}

bool
snapshots_compare(const void *run, size_t run_size, const void *restored, size_t restored_size, struct difference *difference)
{
	const uint8_t *a = run, *b = restored;
	size_t shorter = run_size < restored_size ? run_size : restored_size, offset = SNAPSHOT_HEADER_BYTES;
	uint64_t numbers[COUNT(tables) - 2];
	struct snapshot_counts counts;
	struct snapshot_places places;

	if (run_size == restored_size && pause_equal(a, b, run_size))
		return true;
	static_assert(sizeof counts == sizeof numbers, "a count for each table with rows");
	for (size_t i = 0; i < COUNT(numbers); i++)
		numbers[i] = snapshot_number_get(a + SNAPSHOT_HEADER_BYTES + 8 * i, 8);
	memcpy(&counts, numbers, sizeof counts);
	if (!snapshot_places_find(&counts, false, &places))
		return difference_set(difference, "snapshot", "bytes", SIZE_MAX, false, run_size, restored_size);

	/* Snapshots of different sizes differ in the counts, which come first. The hash follows from the rest. */
	size_t hash = places.world + 8;

	while (offset < shorter && (a[offset] == b[offset] || (offset >= hash && offset < hash + 8)))
		offset++;
	if (offset >= places.checksum && shorter > hash + 8 && memcmp(a + hash, b + hash, 8) != 0)
		offset = hash;
	if (offset >= places.checksum)
		return difference_set(difference, "snapshot", "bytes", SIZE_MAX, false, run_size, restored_size);
	return field_difference(&places, offset, a, b, difference);
}

void
selfcheck_finish(struct selfcheck *check)
{
	memory_free(check->before);
	memory_free(check->after);
	memory_free(check->again);
	world_kept_destroy(check->kept);
	*check = (struct selfcheck){ .before = NULL };
}

size_t
selfcheck_memory_bytes(const struct selfcheck *check)
{
	return check->before_capacity + check->after_capacity + check->again_capacity + check->world_bytes +
	       (check->kept ? world_kept_memory_bytes(check->kept) : 0);
}

/* Into memory that grows as needed; STATUS_RESOURCE_EXHAUSTED without it. */
static enum status
snapshot_take(const struct world *world, uint8_t **bytes, size_t *capacity, size_t *size)
{
	*size = world_snapshot_bytes(world);
	if (!array_reserve(bytes, capacity, *size, 1))
		return STATUS_RESOURCE_EXHAUSTED;
	return world_snapshot(world, *bytes, *size);
}

static enum status
after_compare(struct selfcheck *check, const struct world *world, const struct world *twin)
{
	size_t after, again;
	enum status status = snapshot_take(world, &check->after, &check->after_capacity, &after);

	if (status == STATUS_OK)
		status = snapshot_take(twin, &check->again, &check->again_capacity, &again);
	if (status != STATUS_OK)
		return status;
	return snapshots_compare(check->after, after, check->again, again, &check->difference) ? STATUS_OK : STATUS_INTERNAL;
}

/* Says that a difference is one after a return. */
static enum status
returned_tell(struct selfcheck *check)
{
	struct difference told = check->difference;

	(void)snprintf(check->difference.text, sizeof check->difference.text, "after a return: %.*s",
	               (int)(sizeof told.text - sizeof "after a return: "), told.text);
	return STATUS_INTERNAL;
}

/* Returns the world to the state before the tick, and steps it again. `expected` is the twin's report: that of the world's
 * first step is gone with the second. */
static enum status
return_step(struct selfcheck *check, struct world *world, const struct world *twin, double dt,
            const struct tick_report *expected, struct tick_report *report)
{
	enum status status = world_return(world, check->kept);

	if (status == STATUS_OK)
		status = world_step(world, dt, report);
	if (status != STATUS_OK)
		return status;
	if (!ticks_compare(expected, report, &check->difference))
		return returned_tell(check);
	status = after_compare(check, twin, world);
	if (status == STATUS_INTERNAL || (status == STATUS_OK && !reports_compare(expected, report, &check->difference)))
		return returned_tell(check);
	return status;
}

/* Steps both worlds; `twin` is the restored one. Then the first again. */
static enum status
all_step(struct selfcheck *check, struct world *world, struct world *twin, double dt, struct tick_report *report)
{
	struct tick_report own;
	enum status status = world_step(world, dt, report), second;

	if (status != STATUS_OK)
		return status;
	second = world_step(twin, dt, &own);
	check->world_bytes = world_memory_bytes(twin);
	if (second != STATUS_OK)
		return second;
	if (!ticks_compare(report, &own, &check->difference))
		return STATUS_INTERNAL;
	status = after_compare(check, world, twin);
	if (status != STATUS_OK)
		return status;
	if (!reports_compare(report, &own, &check->difference))
		return STATUS_INTERNAL;
	return return_step(check, world, twin, dt, &own, report);
}

static enum status
state_keep(struct selfcheck *check, struct world *world)
{
	if (!check->kept && world_kept_create(&check->kept) != STATUS_OK)
		return STATUS_RESOURCE_EXHAUSTED;
	return world_keep(world, check->kept);
}

enum status
selfcheck_step(struct selfcheck *check, struct world *world, double dt, struct tick_report *report)
{
	struct snapshot_problem problem;
	struct world *twin = NULL;
	size_t size;
	enum status status = snapshot_take(world, &check->before, &check->before_capacity, &size);

	if (status == STATUS_OK)
		status = state_keep(check, world);
	if (status != STATUS_OK)
		return status;
	status = world_restore(check->before, size, 0, &problem, &twin);
	if (status == STATUS_INVALID_ARGUMENT) {
		(void)snprintf(check->difference.text, sizeof check->difference.text, "not restored: %s[%zu] %s", problem.field,
		               problem.index, problem.text);
		return STATUS_INTERNAL;
	}
	if (status != STATUS_OK)
		return status;
	status = all_step(check, world, twin, dt, report);
	world_destroy(twin);
	/* What was compared may have been broken off. */
	return pause_stopped() ? STATUS_CANCELLED : status;
}
