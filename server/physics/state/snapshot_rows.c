/* Happy path: a block of rows at a time, each of its fields in one loop over the rows. What can go wrong: a value out of its
 * range; then all is read again row by row, for the first such field in reading order. */
#include "physics/state/snapshot_rows.h"

#include <string.h>

/* Rows of a block: their structs stay in the first cache while its fields are gone through. */
#define BLOCK 32u
/* Of a block, in units of a pause. */
#define BLOCK_UNITS (8u * BLOCK)
/* Independent sums in a checksum: the groups of eight bytes are dealt to them in turn. */
#define CHECKSUM_LANES 4u

uint64_t
snapshot_number_get(const uint8_t *bytes, size_t size)
{
	uint64_t number = 0;

	for (size_t i = size; i > 0; i--)
		number = number << 8 | bytes[i - 1];
	return number;
}

void
snapshot_number_put(uint8_t *bytes, size_t size, uint64_t number)
{
	for (size_t i = 0; i < size; i++, number >>= 8)
		bytes[i] = (uint8_t)(number & 0xff);
}

static inline uint64_t
number_load(const uint8_t *bytes, size_t size)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint64_t number = 0;

	memcpy(&number, bytes, size);
	return number;
#else
	return snapshot_number_get(bytes, size);
#endif
}

static inline void
number_store(uint8_t *bytes, size_t size, uint64_t number)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	memcpy(bytes, &number, size);
#else
	snapshot_number_put(bytes, size, number);
#endif
}

/* One field of consecutive rows, and the member that it is of as many structs. */
struct field_column {
	uint8_t *rows;
	size_t row_bytes;
	uint8_t *member;
	size_t stride;
	size_t count;
};

/* The bits of a member; `size` and `type` are constant where this is called. */
static inline uint64_t
member_load(const uint8_t *member, enum snapshot_type type)
{
	uint64_t bits;
	uint32_t half;
	size_t whole;

	switch (type) {
	case SNAPSHOT_U8: return *member;
	case SNAPSHOT_BOOL: return *(const bool *)member;
	case SNAPSHOT_U32:
	case SNAPSHOT_I32: memcpy(&half, member, sizeof half); return half;
	case SNAPSHOT_SIZE: memcpy(&whole, member, sizeof whole); return whole;
	case SNAPSHOT_F64:
	case SNAPSHOT_U64: break;
	}
	memcpy(&bits, member, sizeof bits);
	return bits;
}

static inline void
column_put(const struct field_column *column, enum snapshot_type type, size_t size)
{
	uint8_t *to = column->rows;
	const uint8_t *from = column->member;

	for (size_t i = 0; i < column->count; i++, to += column->row_bytes, from += column->stride)
		number_store(to, size, member_load(from, type));
}

/* Whether the bits are within the field's range; not for a NaN. */
static inline bool
bits_fit(uint64_t bits, enum snapshot_type type, double low, double high)
{
	double value = (double)bits;

	if (type == SNAPSHOT_I32)
		return true;
	if (type == SNAPSHOT_F64)
		memcpy(&value, &bits, sizeof value);
	return (value >= low) & (value <= high) && (type != SNAPSHOT_SIZE || (size_t)bits == bits);
}

static inline void
member_store(uint8_t *member, enum snapshot_type type, uint64_t bits)
{
	uint32_t half = (uint32_t)bits;
	size_t whole = (size_t)bits;

	switch (type) {
	case SNAPSHOT_U8: *member = (uint8_t)bits; return;
	case SNAPSHOT_BOOL: *(bool *)member = bits != 0; return;
	case SNAPSHOT_U32:
	case SNAPSHOT_I32: memcpy(member, &half, sizeof half); return;
	case SNAPSHOT_SIZE: memcpy(member, &whole, sizeof whole); return;
	case SNAPSHOT_F64:
	case SNAPSHOT_U64: break;
	}
	memcpy(member, &bits, sizeof bits);
}

static inline bool
column_get(const struct field_column *column, enum snapshot_type type, size_t size, double low, double high)
{
	const uint8_t *from = column->rows;
	uint8_t *to = column->member;
	bool fits = true;

	for (size_t i = 0; i < column->count; i++, from += column->row_bytes, to += column->stride) {
		uint64_t bits = number_load(from, size);

		fits &= bits_fit(bits, type, low, high);
		member_store(to, type, bits);
	}
	return fits;
}

/* A loop for each type. */
static void
field_put(const struct field_column *column, const struct snapshot_field *field)
{
	switch ((enum snapshot_type)field->type) {
	case SNAPSHOT_F64:
	case SNAPSHOT_U64: column_put(column, SNAPSHOT_U64, 8); return;
	case SNAPSHOT_SIZE: column_put(column, SNAPSHOT_SIZE, 8); return;
	case SNAPSHOT_U32:
	case SNAPSHOT_I32: column_put(column, SNAPSHOT_U32, 4); return;
	case SNAPSHOT_U8: column_put(column, SNAPSHOT_U8, 1); return;
	case SNAPSHOT_BOOL: column_put(column, SNAPSHOT_BOOL, 1); return;
	}
}

static bool
field_get(const struct field_column *column, const struct snapshot_field *field)
{
	double low = field->low, high = field->high;

	switch ((enum snapshot_type)field->type) {
	case SNAPSHOT_F64: return column_get(column, SNAPSHOT_F64, 8, low, high);
	case SNAPSHOT_U64: return column_get(column, SNAPSHOT_U64, 8, low, high);
	case SNAPSHOT_SIZE: return column_get(column, SNAPSHOT_SIZE, 8, low, high);
	case SNAPSHOT_U32: return column_get(column, SNAPSHOT_U32, 4, low, high);
	case SNAPSHOT_I32: return column_get(column, SNAPSHOT_I32, 4, low, high);
	case SNAPSHOT_U8: return column_get(column, SNAPSHOT_U8, 1, low, high);
	case SNAPSHOT_BOOL: return column_get(column, SNAPSHOT_BOOL, 1, low, high);
	}
	return false;
}

static inline size_t
field_bytes(const struct snapshot_field *field)
{
	static const uint8_t sizes[] = { [SNAPSHOT_F64] = 8, [SNAPSHOT_U64] = 8,  [SNAPSHOT_SIZE] = 8, [SNAPSHOT_U32] = 4,
		                             [SNAPSHOT_U8] = 1,  [SNAPSHOT_BOOL] = 1, [SNAPSHOT_I32] = 4 };

	return sizes[field->type];
}

size_t
snapshot_row_bytes(const struct snapshot_table *table)
{
	size_t sum = 0;

	for (size_t i = 0; i < table->field_count; i++)
		sum += field_bytes(&table->fields[i]);
	return sum;
}

void
snapshot_row_put(uint8_t *at, const struct snapshot_table *table, const void *const bases[])
{
	for (size_t i = 0; i < table->field_count; i++) {
		const struct snapshot_field *field = &table->fields[i];
		const struct field_column column = { .rows = at,
			                                 .member = (uint8_t *)(uintptr_t)bases[field->base] + field->offset,
			                                 .count = 1 };

		field_put(&column, field);
		at += field_bytes(field);
	}
}

void
snapshot_rows_put(uint8_t *rows, const struct snapshot_table *table, size_t count, const struct snapshot_source sources[])
{
	size_t row_bytes = snapshot_row_bytes(table);

	for (size_t first = 0; first < count && !pause_after(BLOCK_UNITS); first += BLOCK) {
		uint8_t *at = rows + first * row_bytes;

		for (size_t i = 0; i < table->field_count; i++) {
			const struct snapshot_field *field = &table->fields[i];
			const struct snapshot_source *source = &sources[field->base];
			const struct field_column column = {
				.rows = at,
				.row_bytes = row_bytes,
				/* It is only read. */
				.member = (uint8_t *)(uintptr_t)source->at + first * source->stride + field->offset,
				.stride = source->stride,
				.count = count - first < BLOCK ? count - first : BLOCK,
			};

			field_put(&column, field);
			at += field_bytes(field);
		}
	}
}

/* One block of rows. */
static bool
block_get(const uint8_t *rows, size_t row_bytes, const struct snapshot_table *table, size_t first, size_t count,
          const struct snapshot_target targets[])
{
	bool fits = true;

	for (size_t i = 0; i < table->field_count; i++) {
		const struct snapshot_field *field = &table->fields[i];
		const struct snapshot_target *target = &targets[field->base];
		const struct field_column column = {
			.rows = (uint8_t *)(uintptr_t)rows, /* they are only read */
			.row_bytes = row_bytes,
			.member = (uint8_t *)target->at + first * target->stride + field->offset,
			.stride = target->stride,
			.count = count,
		};

		fits &= field_get(&column, field);
		rows += field_bytes(field);
	}
	return fits;
}

bool
snapshot_rows_get(const uint8_t *rows, const struct snapshot_table *table, size_t count, const struct snapshot_target targets[])
{
	size_t row_bytes = snapshot_row_bytes(table);
	bool fits = true;

	for (size_t first = 0; first < count && fits && !pause_after(BLOCK_UNITS); first += BLOCK)
		fits = block_get(rows + first * row_bytes, row_bytes, table, first, count - first < BLOCK ? count - first : BLOCK,
		                 targets);
	return fits;
}

const struct snapshot_field *
snapshot_row_get(const uint8_t *rows, size_t index, const struct snapshot_table *table, void *const bases[])
{
	const uint8_t *at = rows + index * snapshot_row_bytes(table);

	for (size_t i = 0; i < table->field_count; i++) {
		const struct snapshot_field *field = &table->fields[i];
		const struct field_column column = { .rows = (uint8_t *)(uintptr_t)at,
			                                 .member = (uint8_t *)bases[field->base] + field->offset,
			                                 .count = 1 };

		if (!field_get(&column, field))
			return field;
		at += field_bytes(field);
	}
	return NULL;
}

/* Each step is a bijection of the sum for a given group of eight bytes, and of the group for a given sum. */
static inline uint64_t
sum_step(uint64_t sum, uint64_t group)
{
	sum ^= group;
	sum = (sum ^ (sum >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	sum = (sum ^ (sum >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (sum ^ (sum >> 31)) + UINT64_C(0x9e3779b97f4a7c15);
}

uint64_t
snapshot_checksum(const uint8_t *bytes, size_t size)
{
	uint64_t lanes[CHECKSUM_LANES], sum = size;
	size_t at = 0;

	/* A step waits for the one before it; those of other lanes need not. */
	for (unsigned k = 0; k < CHECKSUM_LANES; k++)
		lanes[k] = k;
	for (; size - at >= 8 * CHECKSUM_LANES && !pause_after(1); at += 8 * CHECKSUM_LANES)
		for (unsigned k = 0; k < CHECKSUM_LANES; k++)
			lanes[k] = sum_step(lanes[k], number_load(bytes + at + 8 * (size_t)k, 8));
	if (pause_stopped())
		return 0;
	for (unsigned k = 0; at < size; at += 8, k++)
		lanes[k] = sum_step(lanes[k], snapshot_number_get(bytes + at, size - at < 8 ? size - at : 8));
	for (unsigned k = 0; k < CHECKSUM_LANES; k++)
		sum = sum_step(sum, lanes[k]);
	return sum;
}
