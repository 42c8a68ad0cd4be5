#include "client/lib/merge.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 25, ROWS_FIRST = 64 };

/* Columns from one place on that come together or not at all. */
enum { GROUPS = 2 };

/* One table: a message type with packed columns only, in the order of field numbers. */
struct merged_table {
	const ProtobufCMessageDescriptor *descriptor;
	unsigned groups[GROUPS]; /* where they begin, ascending; columns before the first always come */
	bool here[GROUPS];       /* they come in this frame */
	bool fills;              /* those of the first group come in the parts that have some; in others they are 0 */
	size_t count, capacity;  /* rows */
	void *columns[COLUMNS_MAX];
};

/* Angles and spins come only if something turns, tags only if some circle has one. */
enum { BODY_TURN_COLUMNS = 5, BODY_TAG_COLUMN = 7, CONTACT_TURN_COLUMNS = 20, EVENT_TAG_COLUMNS = 12 };

enum {
	TABLE_BODIES,
	TABLE_CONTACTS,
	TABLE_PATH_CHANGES,
	TABLE_SHORTFALLS,
	TABLE_PAIR_EVENTS,
	TABLE_PATHS,
	TABLE_MOVING,
	TABLE_ENDS,
	TABLE_COUNT
};

struct merge {
	size_t bytes_max;
	bool partial;
	struct merged_table tables[TABLE_COUNT];
	struct collide_frame frame;
};

static size_t
element_bytes(const ProtobufCFieldDescriptor *field)
{
	switch (field->type) {
	case PROTOBUF_C_TYPE_FIXED32:
	case PROTOBUF_C_TYPE_UINT32:
	case PROTOBUF_C_TYPE_ENUM: return 4;
	default: return 8;
	}
}

/* Whether the column comes in this frame. */
static bool
column_is_here(const struct merged_table *table, unsigned column)
{
	bool here = true;
	for (unsigned g = 0; g < GROUPS; g++)
		here = column >= table->groups[g] ? table->here[g] : here;
	return here;
}

static size_t
row_bytes(const struct merged_table *table)
{
	size_t sum = 0;
	for (unsigned i = 0; i < table->descriptor->n_fields; i++)
		sum += column_is_here(table, i) ? element_bytes(&table->descriptor->fields[i]) : 0;
	return sum;
}

static void
table_set(struct merged_table *table, const ProtobufCMessageDescriptor *descriptor, unsigned first, unsigned second)
{
	assert(descriptor->n_fields <= COLUMNS_MAX);
	table->descriptor = descriptor;
	table->groups[0] = first;
	table->groups[1] = second;
}

struct merge *
merge_create(size_t bytes_max)
{
	struct merge *merge = calloc(1, sizeof *merge);
	if (!merge)
		return NULL;
	merge->bytes_max = bytes_max;
	table_set(&merge->tables[TABLE_BODIES], &collide__v1__body_columns__descriptor, BODY_TURN_COLUMNS, BODY_TAG_COLUMN);
	table_set(&merge->tables[TABLE_CONTACTS], &collide__v1__contact_columns__descriptor, CONTACT_TURN_COLUMNS, COLUMNS_MAX);
	table_set(&merge->tables[TABLE_PATH_CHANGES], &collide__v1__path_change_columns__descriptor, COLUMNS_MAX, COLUMNS_MAX);
	table_set(&merge->tables[TABLE_SHORTFALLS], &collide__v1__shortfall_columns__descriptor, COLUMNS_MAX, COLUMNS_MAX);
	table_set(&merge->tables[TABLE_PAIR_EVENTS], &collide__v1__pair_event_columns__descriptor, EVENT_TAG_COLUMNS, COLUMNS_MAX);
	merge->tables[TABLE_PAIR_EVENTS].fills = true;
	table_set(&merge->tables[TABLE_PATHS], &collide__v1__path_columns__descriptor, COLUMNS_MAX, COLUMNS_MAX);
	table_set(&merge->tables[TABLE_MOVING], &collide__v1__moving_segment_columns__descriptor, COLUMNS_MAX, COLUMNS_MAX);
	table_set(&merge->tables[TABLE_ENDS], &collide__v1__end_columns__descriptor, COLUMNS_MAX, COLUMNS_MAX);
	return merge;
}

void
merge_destroy(struct merge *merge)
{
	if (!merge)
		return;
	for (size_t t = 0; t < TABLE_COUNT; t++)
		for (size_t i = 0; i < COLUMNS_MAX; i++)
			free(merge->tables[t].columns[i]);
	free(merge);
}

static enum merge_result
table_reserve(struct merge *merge, struct merged_table *table, size_t more)
{
	size_t bytes = 0;
	for (size_t t = 0; t < TABLE_COUNT; t++)
		bytes += merge->tables[t].count * row_bytes(&merge->tables[t]);
	/* Columns that come late make the rows before longer. */
	if (bytes > merge->bytes_max || more > (merge->bytes_max - bytes) / row_bytes(table))
		return MERGE_TOO_LARGE;
	if (table->capacity - table->count >= more)
		return MERGE_MORE;
	size_t capacity = 2 * table->capacity > table->count + more ? 2 * table->capacity : table->count + more;
	if (capacity < ROWS_FIRST)
		capacity = ROWS_FIRST;
	for (unsigned i = 0; i < table->descriptor->n_fields; i++) {
		if (!column_is_here(table, i))
			continue;
		void *grown = realloc(table->columns[i], capacity * element_bytes(&table->descriptor->fields[i]));
		if (!grown)
			return MERGE_NO_MEMORY; /* columns that have grown already are merely longer than needed */
		table->columns[i] = grown;
	}
	table->capacity = capacity;
	return MERGE_MORE;
}

/* A column of a message, by its descriptor: all these messages have the same layout. */
static const void *
message_column(const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field, size_t *count)
{
	const void *values;
	memcpy(count, (const char *)message + field->quantifier_offset, sizeof *count);
	memcpy(&values, (const char *)message + field->offset, sizeof values);
	return values;
}

/* Whether the group's columns come in this part. */
static bool
group_comes(const struct merged_table *table, const ProtobufCMessage *message, unsigned group)
{
	size_t count = 0;
	if (table->groups[group] < table->descriptor->n_fields)
		message_column(message, &table->descriptor->fields[table->groups[group]], &count);
	return count > 0;
}

/* The group's columns, which come in this part or not: as in all parts of the frame, unless it fills. */
static bool
group_look(struct merged_table *table, unsigned group, bool comes)
{
	bool fills = table->fills && group == 0, here = comes;
	if (table->count > 0 && fills)
		here = comes || table->here[group];
	else if (table->count > 0 && comes != table->here[group])
		return false;
	if (here && !table->here[group])
		table->capacity = table->count; /* some columns are shorter */
	table->here[group] = here;
	return true;
}

/* `rows` zeros in the first group's columns. */
static void
group_fill(struct merged_table *table, size_t first, size_t rows)
{
	for (unsigned i = table->groups[0]; i < table->descriptor->n_fields; i++) {
		size_t bytes = element_bytes(&table->descriptor->fields[i]);
		memset((char *)table->columns[i] + first * bytes, 0, rows * bytes);
	}
}

static enum merge_result
table_add(struct merge *merge, struct merged_table *table, const ProtobufCMessage *message)
{
	if (!message)
		return MERGE_MORE;
	const ProtobufCMessageDescriptor *descriptor = table->descriptor;
	size_t rows;
	message_column(message, &descriptor->fields[0], &rows);
	bool comes = group_comes(table, message, 0), fills = table->fills && table->count > 0 && comes && !table->here[0];
	if (rows > 0 && (!group_look(table, 0, comes) || !group_look(table, 1, group_comes(table, message, 1))))
		return MERGE_MALFORMED; /* not like the part before */
	for (unsigned i = 1; i < descriptor->n_fields; i++) {
		size_t count;
		message_column(message, &descriptor->fields[i], &count);
		bool left_out = table->fills && !comes && i >= table->groups[0];
		if (count != (column_is_here(table, i) && !left_out ? rows : 0))
			return MERGE_MALFORMED;
	}
	if (rows == 0)
		return MERGE_MORE;
	enum merge_result result = table_reserve(merge, table, rows);
	if (result != MERGE_MORE)
		return result;
	if (fills)
		group_fill(table, 0, table->count);
	if (table->fills && !comes && table->here[0])
		group_fill(table, table->count, rows);
	for (unsigned i = 0; i < descriptor->n_fields; i++) {
		if (!column_is_here(table, i) || (table->fills && !comes && i >= table->groups[0]))
			continue;
		size_t bytes = element_bytes(&descriptor->fields[i]);
		const void *values = message_column(message, &descriptor->fields[i], &rows);
		memcpy((char *)table->columns[i] + table->count * bytes, values, rows * bytes);
	}
	table->count += rows;
	return MERGE_MORE;
}

/* The member of a oneof with one member, as its base type; NULL if it is unset. */
#define MEMBER(part, name) ((part)->optional_##name##_case != 0 ? &(part)->name->base : NULL)

static enum merge_result
tables_add(struct merge *merge, const Collide__V1__Frame *part)
{
	const ProtobufCMessage *messages[TABLE_COUNT] = {
		[TABLE_BODIES] = MEMBER(part, bodies),
		[TABLE_CONTACTS] = MEMBER(part, contacts),
		[TABLE_PATH_CHANGES] = MEMBER(part, path_changes),
		[TABLE_SHORTFALLS] = MEMBER(part, shortfalls),
		[TABLE_PAIR_EVENTS] = MEMBER(part, pair_events),
		[TABLE_PATHS] = MEMBER(part, paths),
		[TABLE_MOVING] = MEMBER(part, moving_segments),
		[TABLE_ENDS] = MEMBER(part, ends),
	};
	for (size_t t = 0; t < TABLE_COUNT; t++) {
		enum merge_result result = table_add(merge, &merge->tables[t], messages[t]);
		if (result != MERGE_MORE)
			return result;
	}
	return MERGE_MORE;
}

static void
frame_point_bodies(struct collide_bodies *out, const struct merged_table *table)
{
	void *const *c = table->columns;
	*out = (struct collide_bodies){ .count = table->count, .id = c[0], .x = c[1], .y = c[2], .vx = c[3], .vy = c[4] };
	if (table->here[0]) {
		out->angle = c[5];
		out->angular_velocity = c[6];
	}
	if (table->here[1])
		out->tag = c[BODY_TAG_COLUMN];
}

static void
frame_point_contacts(struct collide_contacts *out, const struct merged_table *table)
{
	void *const *c = table->columns;
	*out = (struct collide_contacts){
		.count = table->count,
		.tick = c[0],
		.time = c[1],
		.a = c[2],
		.b = c[3],
		.feature = c[4],
		.flags = c[5],
		.point_x = c[6],
		.point_y = c[7],
		.normal_x = c[8],
		.normal_y = c[9],
		.approach_speed = c[10],
		.impulse = c[11],
		.a_vx_before = c[12],
		.a_vy_before = c[13],
		.a_vx_after = c[14],
		.a_vy_after = c[15],
		.b_vx_before = c[16],
		.b_vy_before = c[17],
		.b_vx_after = c[18],
		.b_vy_after = c[19],
	};
	if (table->here[0]) {
		out->friction_impulse = c[20];
		out->a_spin_before = c[21];
		out->a_spin_after = c[22];
		out->b_spin_before = c[23];
		out->b_spin_after = c[24];
	}
}

static void
frame_point_events(struct collide_pair_events *out, const struct merged_table *table)
{
	void *const *c = table->columns;
	*out = (struct collide_pair_events){
		.count = table->count,
		.tick = c[0],
		.time = c[1],
		.kind = c[2],
		.a = c[3],
		.b = c[4],
		.feature = c[5],
		.approach_speed = c[6],
		.impulse = c[7],
		.normal_x = c[8],
		.normal_y = c[9],
		.point_x = c[10],
		.point_y = c[11],
	};
	if (table->count > 0 && table->here[0]) {
		out->a_tag = c[12];
		out->b_tag = c[13];
	}
}

static void
frame_point_paths(struct collide_paths *out, const struct merged_table *table)
{
	void *const *c = table->columns;
	*out = (struct collide_paths){
		.count = table->count,
		.tick = c[0],
		.time = c[1],
		.body = c[2],
		.x = c[3],
		.y = c[4],
		.vx = c[5],
		.vy = c[6],
		.ax = c[7],
		.ay = c[8],
	};
}

static void
frame_point(struct merge *merge)
{
	struct collide_frame *frame = &merge->frame;
	frame_point_bodies(&frame->bodies, &merge->tables[TABLE_BODIES]);
	frame_point_contacts(&frame->contacts, &merge->tables[TABLE_CONTACTS]);
	frame_point_events(&frame->pair_events, &merge->tables[TABLE_PAIR_EVENTS]);
	frame_point_paths(&frame->paths, &merge->tables[TABLE_PATHS]);
	const struct merged_table *moving = &merge->tables[TABLE_MOVING];
	void *const *m = moving->columns;
	frame->moving_segments = (struct collide_moving_segments){
		.count = moving->count, .id = m[0], .x1 = m[1], .y1 = m[2], .x2 = m[3], .y2 = m[4]
	};
	const struct merged_table *changes = &merge->tables[TABLE_PATH_CHANGES];
	void *const *c = changes->columns;
	frame->path_changes = (struct collide_path_changes){
		.count = changes->count, .tick = c[0], .time = c[1], .body = c[2], .kind = c[3], .vector_x = c[4], .vector_y = c[5]
	};
	const struct merged_table *ends = &merge->tables[TABLE_ENDS];
	void *const *e = ends->columns;
	frame->ends = (struct collide_ends){ .count = ends->count,
		                                 .tick = e[0],
		                                 .time = e[1],
		                                 .body = e[2],
		                                 .reason = e[3],
		                                 .tag = e[4],
		                                 .x = e[5],
		                                 .y = e[6],
		                                 .vx = e[7],
		                                 .vy = e[8] };
	const struct merged_table *shortfalls = &merge->tables[TABLE_SHORTFALLS];
	void *const *s = shortfalls->columns;
	frame->shortfalls = (struct collide_shortfalls){
		.count = shortfalls->count, .tick = s[0], .body = s[1], .flag = s[2], .amount = s[3]
	};
}

static void
frame_scalars(struct collide_frame *frame, const Collide__V1__Frame *part)
{
	frame->time = part->time;
	frame->hash = part->hash;
	frame->events = part->events;
	frame->collisions = part->collisions;
	frame->clusters = part->clusters;
	frame->clips = part->clips;
	frame->asleep = part->asleep;
	frame->has_momentum = part->optional_momentum_case != 0;
	if (frame->has_momentum) {
		const Collide__V1__Momentum *momentum = part->momentum;
		frame->momentum = (struct collide_momentum){ momentum->before_x,  momentum->before_y,  momentum->after_x,
			                                         momentum->after_y,   momentum->gravity_x, momentum->gravity_y,
			                                         momentum->outside_x, momentum->outside_y };
	}
	frame->has_energy = part->optional_energy_case != 0;
	if (!frame->has_energy)
		return;
	const Collide__V1__Energy *energy = part->energy;
	frame->energy = (struct collide_energy){
		energy->kinetic_before, energy->kinetic_after, energy->potential_before, energy->potential_after, energy->contact,
		energy->work,           energy->push,          energy->support,          energy->friction,        energy->clip,
		energy->sleep,          energy->damping,       energy->removed
	};
}

enum merge_result
merge_add(struct merge *merge, const Collide__V1__Frame *part)
{
	if (!merge->partial) {
		for (size_t t = 0; t < TABLE_COUNT; t++)
			merge->tables[t].count = 0;
		merge->frame = (struct collide_frame){ .tick = part->tick };
	}
	if (part->tick != merge->frame.tick)
		return MERGE_MALFORMED;
	enum merge_result result = tables_add(merge, part);
	if (result != MERGE_MORE)
		return result;
	merge->partial = part->more;
	if (part->more)
		return MERGE_MORE;
	frame_scalars(&merge->frame, part);
	frame_point(merge);
	return MERGE_WHOLE;
}

bool
merge_is_partial(const struct merge *merge)
{
	return merge->partial;
}

const struct collide_frame *
merge_frame(const struct merge *merge)
{
	return &merge->frame;
}
