#include "scene/run/frame_rows.h"

#include "base/check.h"
#include "base/memory.h"
#include "base/pause.h"
#include "scene/fields/kinds.h"
#include "scene/limits.h"

#include <string.h>

/* First capacity in rows: a quiet scene never needs more. */
#define ROWS_MIN 16
/* Of a column's start: that of a double. */
#define ROWS_ALIGNMENT sizeof(double)
/* No kind of rows has more. */
#define COLUMNS_MAX 25
/* The last columns, which only scenes have in which something can turn. */
#define CONTACT_TURN_COLUMNS 5

static struct frame_rows
rows_of(size_t count_max, size_t column_count, const uint8_t *widths)
{
	static void *const none[COLUMNS_MAX];
	struct frame_rows rows = { .count_max = count_max, .column_count = column_count, .widths = widths, .columns = none };

	for (size_t i = 0; i < column_count; i++)
		rows.row_bytes += widths[i];
	return rows;
}

struct frame_rows
frame_rows_of_contacts(bool turns)
{
	static const uint8_t widths[] = { 8, 8, 4, 4, 1, 1, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8 };

	return rows_of(SCENE_CONTACT_ROWS_MAX, sizeof widths / sizeof widths[0] - (turns ? 0 : CONTACT_TURN_COLUMNS), widths);
}

struct frame_rows
frame_rows_of_path_changes(void)
{
	static const uint8_t widths[] = { 8, 8, 4, 1, 8, 8 };

	return rows_of(SCENE_CONTACT_ROWS_MAX, sizeof widths / sizeof widths[0], widths);
}

struct frame_rows
frame_rows_of_shortfalls(void)
{
	static const uint8_t widths[] = { 8, 4, 1, 8 };

	return rows_of(SCENE_CONTACT_ROWS_MAX, sizeof widths / sizeof widths[0], widths);
}

struct frame_rows
frame_rows_of_pair_events(void)
{
	static const uint8_t widths[] = { 8, 8, 1, 4, 4, 1, 8, 8, 8, 8, 8, 8, 8, 8 };

	return rows_of(SCENE_CONTACT_ROWS_MAX, sizeof widths / sizeof widths[0], widths);
}

struct frame_rows
frame_rows_of_paths(void)
{
	static const uint8_t widths[] = { 8, 8, 4, 8, 8, 8, 8, 8, 8 };

	return rows_of(SCENE_CONTACT_ROWS_MAX, sizeof widths / sizeof widths[0], widths);
}

struct frame_rows
frame_rows_of_places(void)
{
	static const uint8_t widths[] = { 4, 8, 8, 8, 8 };

	return rows_of(SCENE_BODY_ROWS_MAX, sizeof widths / sizeof widths[0], widths);
}

struct frame_rows
frame_rows_of_ends(void)
{
	static const uint8_t widths[] = { 8, 8, 4, 1, 8, 8, 8, 8, 8 };

	return rows_of(SCENE_CONTACT_ROWS_MAX, sizeof widths / sizeof widths[0], widths);
}

void
frame_rows_finish(struct frame_rows *rows)
{
	memory_free(rows->block);
	*rows = (struct frame_rows){ .count = 0 };
}

size_t
frame_rows_memory_bytes(const struct frame_rows *rows)
{
	return rows->capacity * rows->row_bytes;
}

bool
frame_rows_full(const struct frame_rows *rows)
{
	return rows->count == rows->count_max;
}

/* Bytes of a column for `capacity` rows, so that the next one begins where any element may. */
static size_t
column_bytes(const struct frame_rows *rows, size_t column, size_t capacity)
{
	return (capacity * rows->widths[column] + ROWS_ALIGNMENT - 1) / ROWS_ALIGNMENT * ROWS_ALIGNMENT;
}

/* Room for one more row: the columns in a new block, one behind the other, and before them where they are. */
static bool
rows_grow(struct frame_rows *rows)
{
	size_t capacity = rows->capacity == 0 ? ROWS_MIN : rows->capacity * 2, bytes = COLUMNS_MAX * sizeof(void *);

	capacity = capacity > rows->count_max ? rows->count_max : capacity;
	for (size_t i = 0; i < rows->column_count; i++)
		bytes += column_bytes(rows, i, capacity);
	void **columns = memory_alloc(bytes);
	if (!columns)
		return false;
	uint8_t *at = (uint8_t *)(columns + COLUMNS_MAX);
	memset(columns, 0, COLUMNS_MAX * sizeof *columns);
	for (size_t i = 0; i < rows->column_count; at += column_bytes(rows, i, capacity), i++) {
		if (rows->count > 0)
			(void)pause_copy(at, rows->columns[i], rows->count * rows->widths[i]);
		columns[i] = at;
	}
	memory_free(rows->block);
	rows->columns = rows->block = columns;
	rows->capacity = capacity;
	return true;
}

static bool
rows_reserve(struct frame_rows *rows)
{
	CHECK(!frame_rows_full(rows));
	return rows->count < rows->capacity || rows_grow(rows);
}

static void
set_double(struct frame_rows *rows, size_t column, double value)
{
	((double *)rows->columns[column])[rows->count] = value;
}

static void
set_vector(struct frame_rows *rows, size_t column, const double value[static 2])
{
	set_double(rows, column, value[0]);
	set_double(rows, column + 1, value[1]);
}

static void
set_uint64(struct frame_rows *rows, size_t column, uint64_t value)
{
	((uint64_t *)rows->columns[column])[rows->count] = value;
}

static void
set_uint32(struct frame_rows *rows, size_t column, uint32_t value)
{
	((uint32_t *)rows->columns[column])[rows->count] = value;
}

static void
set_uint8(struct frame_rows *rows, size_t column, uint8_t value)
{
	((uint8_t *)rows->columns[column])[rows->count] = value;
}

bool
frame_rows_add_contact(struct frame_rows *rows, uint64_t tick, const struct contact *contact)
{
	if (!rows_reserve(rows))
		return false;
	set_uint64(rows, 0, tick);
	set_double(rows, 1, contact->time);
	set_uint32(rows, 2, contact->a);
	set_uint32(rows, 3, contact->b);
	set_uint8(rows, 4, kind_contact_feature(contact));
	set_uint8(rows, 5, kind_contact_flags(contact));
	set_vector(rows, 6, contact->point);
	set_vector(rows, 8, contact->normal);
	set_double(rows, 10, contact->approach_speed);
	set_double(rows, 11, contact->impulse);
	set_vector(rows, 12, contact->a_before);
	set_vector(rows, 14, contact->a_after);
	set_vector(rows, 16, contact->b_before);
	set_vector(rows, 18, contact->b_after);
	if (rows->column_count > 20) {
		set_double(rows, 20, contact->friction_impulse);
		set_double(rows, 21, contact->a_spin_before);
		set_double(rows, 22, contact->a_spin_after);
		set_double(rows, 23, contact->b_spin_before);
		set_double(rows, 24, contact->b_spin_after);
	}
	rows->count++;
	return true;
}

bool
frame_rows_add_path_change(struct frame_rows *rows, uint64_t tick, const struct path_change *change)
{
	if (!rows_reserve(rows))
		return false;
	set_uint64(rows, 0, tick);
	set_double(rows, 1, change->time);
	set_uint32(rows, 2, change->body);
	set_uint8(rows, 3, kind_path_change(change));
	set_vector(rows, 4, change->vector);
	rows->count++;
	return true;
}

bool
frame_rows_add_shortfall(struct frame_rows *rows, uint64_t tick, const struct shortfall *shortfall)
{
	if (!rows_reserve(rows))
		return false;
	set_uint64(rows, 0, tick);
	set_uint32(rows, 1, shortfall->body);
	set_uint8(rows, 2, kind_shortfall(shortfall));
	set_double(rows, 3, shortfall->amount);
	rows->count++;
	return true;
}

bool
frame_rows_add_pair_event(struct frame_rows *rows, uint64_t tick, const struct pair_event *event)
{
	if (!rows_reserve(rows))
		return false;
	set_uint64(rows, 0, tick);
	set_double(rows, 1, event->time);
	set_uint8(rows, 2, kind_pair_event(event));
	set_uint32(rows, 3, event->a);
	set_uint32(rows, 4, event->b);
	set_uint8(rows, 5, kind_pair_event_feature(event));
	set_double(rows, 6, event->approach_speed);
	set_double(rows, 7, event->impulse);
	set_vector(rows, 8, event->normal);
	set_vector(rows, 10, event->point);
	set_uint64(rows, 12, event->a_tag);
	set_uint64(rows, 13, event->b_tag);
	rows->count++;
	return true;
}

bool
frame_rows_add_path(struct frame_rows *rows, uint64_t tick, const struct path_piece *piece)
{
	if (!rows_reserve(rows))
		return false;
	set_uint64(rows, 0, tick);
	set_double(rows, 1, piece->time);
	set_uint32(rows, 2, piece->body);
	set_vector(rows, 3, piece->position);
	set_vector(rows, 5, piece->velocity);
	set_vector(rows, 7, piece->acceleration);
	rows->count++;
	return true;
}

bool
frame_rows_add_place(struct frame_rows *rows, const struct segment_place *place)
{
	if (!rows_reserve(rows))
		return false;
	set_uint32(rows, 0, place->id);
	set_double(rows, 1, place->x1);
	set_double(rows, 2, place->y1);
	set_double(rows, 3, place->x2);
	set_double(rows, 4, place->y2);
	rows->count++;
	return true;
}

bool
frame_rows_add_end(struct frame_rows *rows, uint64_t tick, const struct body_end *end)
{
	if (!rows_reserve(rows))
		return false;
	set_uint64(rows, 0, tick);
	set_double(rows, 1, end->time);
	set_uint32(rows, 2, end->body);
	set_uint8(rows, 3, kind_end(end));
	set_uint64(rows, 4, end->tag);
	set_vector(rows, 5, end->position);
	set_vector(rows, 7, end->velocity);
	rows->count++;
	return true;
}

void
frame_rows_attach_contacts(const struct frame_rows *rows, struct wire_frame *frame)
{
	frame->contact_count = rows->count;
	frame->contact_tick = rows->columns[0];
	frame->contact_time = rows->columns[1];
	frame->contact_a = rows->columns[2];
	frame->contact_b = rows->columns[3];
	frame->contact_feature = rows->columns[4];
	frame->contact_flags = rows->columns[5];
	for (size_t i = 0; i < sizeof frame->contact_values / sizeof frame->contact_values[0]; i++)
		frame->contact_values[i] = rows->columns[6 + i];
}

void
frame_rows_attach_path_changes(const struct frame_rows *rows, struct wire_frame *frame)
{
	frame->path_change_count = rows->count;
	frame->path_tick = rows->columns[0];
	frame->path_time = rows->columns[1];
	frame->path_body = rows->columns[2];
	frame->path_kind = rows->columns[3];
	frame->path_vector_x = rows->columns[4];
	frame->path_vector_y = rows->columns[5];
}

void
frame_rows_attach_shortfalls(const struct frame_rows *rows, struct wire_frame *frame)
{
	frame->shortfall_count = rows->count;
	frame->shortfall_tick = rows->columns[0];
	frame->shortfall_body = rows->columns[1];
	frame->shortfall_flag = rows->columns[2];
	frame->shortfall_amount = rows->columns[3];
}

/* Whether a column of numbers is 0 throughout. */
static bool
column_is_zero(const struct frame_rows *rows, size_t column)
{
	const uint64_t *values = rows->columns[column];
	size_t i = 0;

	while (i < rows->count && !pause_after(1) && values[i] == 0)
		i++;
	return i == rows->count;
}

void
frame_rows_attach_pair_events(const struct frame_rows *rows, struct wire_frame *frame)
{
	frame->pair_event_count = rows->count;
	frame->pair_event_tick = rows->columns[0];
	frame->pair_event_time = rows->columns[1];
	frame->pair_event_kind = rows->columns[2];
	frame->pair_event_a = rows->columns[3];
	frame->pair_event_b = rows->columns[4];
	frame->pair_event_feature = rows->columns[5];
	for (size_t i = 0; i < sizeof frame->pair_event_values / sizeof frame->pair_event_values[0]; i++)
		frame->pair_event_values[i] = rows->columns[6 + i];

	const bool tagged = !column_is_zero(rows, 12) || !column_is_zero(rows, 13);

	frame->pair_event_tags[0] = tagged ? rows->columns[12] : NULL;
	frame->pair_event_tags[1] = tagged ? rows->columns[13] : NULL;
}

void
frame_rows_attach_paths(const struct frame_rows *rows, struct wire_frame *frame)
{
	frame->piece_count = rows->count;
	frame->piece_tick = rows->columns[0];
	frame->piece_time = rows->columns[1];
	frame->piece_body = rows->columns[2];
	for (size_t i = 0; i < sizeof frame->piece_values / sizeof frame->piece_values[0]; i++)
		frame->piece_values[i] = rows->columns[3 + i];
}

void
frame_rows_attach_places(const struct frame_rows *rows, struct wire_frame *frame)
{
	frame->moving_count = rows->count;
	frame->moving_id = rows->columns[0];
	for (size_t i = 0; i < sizeof frame->moving_values / sizeof frame->moving_values[0]; i++)
		frame->moving_values[i] = rows->columns[1 + i];
}

void
frame_rows_attach_ends(const struct frame_rows *rows, struct wire_frame *frame)
{
	frame->end_count = rows->count;
	frame->end_tick = rows->columns[0];
	frame->end_time = rows->columns[1];
	frame->end_body = rows->columns[2];
	frame->end_reason = rows->columns[3];
	frame->end_tag = rows->columns[4];
	for (size_t i = 0; i < sizeof frame->end_values / sizeof frame->end_values[0]; i++)
		frame->end_values[i] = rows->columns[5 + i];
}
