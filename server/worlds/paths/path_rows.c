#include "worlds/paths/path_rows.h"

#include "base/memory.h"

/* Fields of the schema, all of wire type 2, but for the last. */
enum { FIELD_UPDATE_PATHS = 11, FIELD_CHANGES = 1, FIELD_ROWS, FIELD_BODY, FIELD_WHAT, FIELD_CODES, FIELD_VALUES, FIELD_ANEW };

#define VARINT_BYTES_MAX 10

static size_t
varint_put(uint8_t *at, uint64_t value)
{
	size_t count = 0;

	for (; value >= 0x80; value >>= 7)
		at[count++] = (uint8_t)(value | 0x80);
	at[count++] = (uint8_t)value;
	return count;
}

static void
varint_append(struct buffer *buffer, uint64_t value)
{
	uint8_t bytes[VARINT_BYTES_MAX];

	if (value < 0x80 && buffer->count < buffer->capacity && !buffer->failed)
		buffer->bytes[buffer->count++] = (uint8_t)value;
	else
		buffer_append(buffer, bytes, varint_put(bytes, value));
}

static void
head_append(struct buffer *buffer, unsigned field, size_t count)
{
	varint_append(buffer, field << 3 | 2u);
	varint_append(buffer, count);
}

static size_t
head_bytes(unsigned field, size_t count)
{
	uint8_t bytes[VARINT_BYTES_MAX];

	return varint_put(bytes, field << 3 | 2u) + varint_put(bytes, count);
}

void
path_rows_finish(struct path_rows *rows)
{
	buffer_finish(&rows->changes);
	buffer_finish(&rows->rows_in_tick);
	buffer_finish(&rows->body);
	buffer_finish(&rows->what);
	buffer_finish(&rows->codes);
	buffer_finish(&rows->values);
	memory_free(rows->names);
	*rows = (struct path_rows){ .told = 0 };
}

bool
path_rows_copy(struct path_rows *to, const struct path_rows *from)
{
	*to = (struct path_rows){ .told = from->told, .row_count = from->row_count, .names_anew = from->names_anew };
	buffer_append(&to->changes, from->changes.bytes, from->changes.count);
	buffer_append(&to->rows_in_tick, from->rows_in_tick.bytes, from->rows_in_tick.count);
	buffer_append(&to->body, from->body.bytes, from->body.count);
	buffer_append(&to->what, from->what.bytes, from->what.count);
	buffer_append(&to->codes, from->codes.bytes, from->codes.count);
	buffer_append(&to->values, from->values.bytes, from->values.count);
	return !path_rows_failed(to);
}

void
path_rows_forget_names(struct path_rows *rows)
{
	memory_free(rows->names);
	rows->names = NULL;
	rows->name_next = 0;
	rows->names_anew = true;
}

void
path_rows_add_change(struct path_rows *rows, const uint8_t *bytes, size_t count)
{
	head_append(&rows->changes, FIELD_CHANGES, count);
	buffer_append(&rows->changes, bytes, count);
}

/* A number that takes some bytes: named if it was told before. Else a reader puts it into its table, and so does this. */
static void
number_name(struct path_rows *rows, double number, uint8_t *code, uint8_t bytes[PATH_CODE_BYTES_MAX], size_t *count)
{
	uint8_t place;

	if (rows->names && path_names_find(rows->names, double_bits(number), &place)) {
		*code = PATH_CODE_NAME;
		bytes[0] = place;
		*count = 1;
		return;
	}
	/* Without memory it will not be named. */
	path_names_put(&rows->names, rows->name_next, double_bits(number));
	rows->name_next++;
}

/* `named`: one of those that may be told by their names. */
static void
number_append(struct path_rows *rows, double number, double base, bool named)
{
	uint8_t bytes[PATH_CODE_BYTES_MAX];
	size_t count;
	uint8_t code = path_code(number, base, bytes, &count);

	if (named && count >= 2)
		number_name(rows, number, &code, bytes, &count);
	buffer_append(&rows->codes, &code, 1);
	buffer_append(&rows->values, bytes, count);
}

/* Where a number of a row is; the row has it. */
static size_t
number_place(const struct path_row *row, uint32_t bit)
{
	return bit == PATH_BIT_VY && (row->what & PATH_BIT_VX) ? 1 : 0;
}

/* What a reader takes a velocity for after a row of another circle at the same time: as if these two had hit each other, and no
 * momentum were lost. */
static double
velocity_base(const struct path_row *row, const struct path_row *before, uint32_t bit)
{
	size_t at = number_place(row, bit), other = number_place(before, bit);

	return row->bases[at] + before->mass / row->mass * (before->bases[other] - before->numbers[other]);
}

/* `before`: the row before, if it is at the same time, within the tick. NULL: none. `begins`: it is at the tick's begin, where
 * commands are. */
static void
row_add(struct path_rows *rows, const struct path_row *row, const struct path_row *before, uint32_t place, bool begins)
{
	bool pair = before && row->mass > 0.0 && before->mass > 0.0 && !(row->what & PATH_BIT_END);

	varint_append(&rows->body, place);
	for (uint32_t bit = PATH_BIT_VX, at = 0; at < row->number_count; bit <<= 1) {
		if (!(row->what & bit & PATH_NUMBER_BITS))
			continue;
		if (pair && bit <= PATH_BIT_VY && (before->what & bit))
			number_append(rows, row->numbers[at], velocity_base(row, before, bit), false);
		else
			number_append(rows, row->numbers[at], row->bases[at], begins && !row->leg && bit <= PATH_BIT_VY);
		at++;
	}
}

/* Returns how many. */
static size_t
rows_add(struct path_rows *rows, const struct path_row_list *list, const uint32_t *places)
{
	const struct path_row *before = NULL;
	double time = 0.0;
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct path_row *row = &list->rows[i];
		uint32_t what = row->what, place = places ? places[row->body] : row->body;

		if (place == PATH_NO_PLACE)
			continue;
		if (!(what & PATH_BIT_END) && !bits_equal(row->time, time)) {
			what |= PATH_BIT_TIME;
			number_append(rows, row->time, time, false);
			time = row->time;
			before = NULL;
		}
		varint_append(&rows->what, what);
		row_add(rows, row, time > 0.0 ? before : NULL, place, time == 0.0 && !(what & PATH_BIT_END));
		before = row;
		count++;
	}
	return count;
}

/* What a small world tells between two updates takes little: a thousand rooms have a thousand of each. */
static void
rows_begin(struct path_rows *rows)
{
	buffer_begin(&rows->rows_in_tick, 24);
	buffer_begin(&rows->body, 24);
	buffer_begin(&rows->what, 24);
	buffer_begin(&rows->codes, 56);
	buffer_begin(&rows->values, 56);
}

void
path_rows_add_tick(struct path_rows *rows, const struct path_told *told, const uint32_t *places, const uint32_t *leaves,
                   size_t leave_count)
{
	if (rows->rows_in_tick.capacity == 0)
		rows_begin(rows);

	size_t count = rows_add(rows, &told->rows, places);

	count += rows_add(rows, &told->end_rows, places) + leave_count;
	for (size_t i = 0; i < leave_count; i++) {
		varint_append(&rows->what, PATH_BIT_END | PATH_BIT_REMOVED);
		varint_append(&rows->body, places[leaves[i]]);
	}
	varint_append(&rows->rows_in_tick, count);
	rows->row_count += count;
	if (count > 0)
		rows->told = rows->rows_in_tick.count;
}

size_t
path_rows_bytes(const struct path_rows *rows)
{
	return rows->changes.count + rows->body.count + rows->what.count + rows->codes.count / 2 + rows->values.count;
}

bool
path_rows_failed(const struct path_rows *rows)
{
	return rows->changes.failed || rows->rows_in_tick.failed || rows->body.failed || rows->what.failed || rows->codes.failed ||
	       rows->values.failed;
}

static void
field_append(struct buffer *out, unsigned field, const struct buffer *content, size_t count)
{
	if (count == 0)
		return;
	head_append(out, field, count);
	buffer_append(out, content->bytes, count);
}

static size_t
field_bytes(unsigned field, size_t count)
{
	return count == 0 ? 0 : head_bytes(field, count) + count;
}

/* Two codes become a byte. */
static size_t
codes_pack(struct buffer *codes)
{
	size_t count = (codes->count + 1) / 2;

	for (size_t i = 0; i < count; i++) {
		uint8_t high = 2 * i + 1 < codes->count ? codes->bytes[2 * i + 1] : 0;

		codes->bytes[i] = (uint8_t)(codes->bytes[2 * i] | high << 4);
	}
	return count;
}

static void
rows_forget(struct path_rows *rows)
{
	rows->changes.count = rows->rows_in_tick.count = rows->body.count = 0;
	rows->what.count = rows->codes.count = rows->values.count = 0;
	rows->told = rows->row_count = 0;
}

void
path_rows_take(struct path_rows *rows, struct buffer *out)
{
	static const uint8_t anew[] = { FIELD_ANEW << 3, 1 };
	size_t code_bytes = codes_pack(&rows->codes), anew_bytes = rows->names_anew && code_bytes > 0 ? sizeof anew : 0;
	size_t count = rows->changes.count + field_bytes(FIELD_ROWS, rows->told) + field_bytes(FIELD_BODY, rows->body.count) +
	               field_bytes(FIELD_WHAT, rows->what.count) + field_bytes(FIELD_CODES, code_bytes) +
	               field_bytes(FIELD_VALUES, rows->values.count) + anew_bytes;

	if (count > 0) {
		head_append(out, FIELD_UPDATE_PATHS, count);
		if (rows->changes.count > 0)
			buffer_append(out, rows->changes.bytes, rows->changes.count);
		field_append(out, FIELD_ROWS, &rows->rows_in_tick, rows->told);
		field_append(out, FIELD_BODY, &rows->body, rows->body.count);
		field_append(out, FIELD_WHAT, &rows->what, rows->what.count);
		field_append(out, FIELD_CODES, &rows->codes, code_bytes);
		field_append(out, FIELD_VALUES, &rows->values, rows->values.count);
		buffer_append(out, anew, anew_bytes);
		rows->names_anew = rows->names_anew && anew_bytes == 0;
	}
	rows_forget(rows);
}
