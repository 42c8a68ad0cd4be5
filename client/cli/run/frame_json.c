/* The library's structs have the columns of the schema's messages, in the order of their fields. So a frame becomes a message
 * by pointing at its columns, and the writer of messages prints it. */
#include "client/cli/run/frame_json.h"

#include "client/cli/scene/message_json.h"
#include "collide/v1/collide.pb-c.h"

#include <assert.h>
#include <stdalign.h>
#include <stddef.h>
#include <string.h>

/* A table of a frame: a struct of a count and pointers to columns. */
struct table_kind {
	const char *member; /* of collide.v1.Frame */
	const ProtobufCMessageDescriptor *type;
	size_t offset;  /* in struct collide_frame */
	size_t columns; /* that the struct has */
	bool state;     /* of the frame printed, not of all ticks since the one before */
};

#define TABLE(member, message, state)                                                           \
	{                                                                                           \
#member, &collide__v1__##message##__descriptor, offsetof(struct collide_frame, member), \
			sizeof(((struct collide_frame *)NULL)->member) / sizeof(void *) - 1, state          \
	}
static const struct table_kind kinds[FRAME_TABLES] = {
	TABLE(bodies, body_columns, true),
	TABLE(contacts, contact_columns, false),
	TABLE(path_changes, path_change_columns, false),
	TABLE(shortfalls, shortfall_columns, false),
	TABLE(pair_events, pair_event_columns, false),
	TABLE(paths, path_columns, false),
	TABLE(moving_segments, moving_segment_columns, true),
	TABLE(ends, end_columns, false),
};
#undef TABLE
static_assert(sizeof(size_t) == sizeof(void *), "the pointers of a table follow its count at once");

/* Memory for a message of any of these types: a base, and of each column a count and a pointer. */
struct columns_message {
	alignas(max_align_t) unsigned char bytes[sizeof(ProtobufCMessage) + FRAME_COLUMNS_MAX * (sizeof(size_t) + sizeof(void *))];
};
static_assert(sizeof(Collide__V1__ContactColumns) <= sizeof(struct columns_message), "the largest of them");

void
frame_json_finish(struct frame_json *json)
{
	for (size_t i = 0; i < FRAME_TABLES; i++)
		row_table_finish(&json->tables[i]);
}

/* The columns of a frame's table; returns the number of rows. */
static size_t
columns_of(const struct collide_frame *frame, const struct table_kind *kind, const void *columns[static FRAME_COLUMNS_MAX])
{
	const char *table = (const char *)frame + kind->offset;
	size_t rows;
	memcpy(&rows, table, sizeof rows);
	memcpy(columns, table + sizeof rows, kind->columns * sizeof(void *));
	return rows;
}

void
frame_json_collect(struct frame_json *json, const struct collide_frame *frame)
{
	for (size_t i = 0; i < FRAME_TABLES; i++) {
		const void *columns[FRAME_COLUMNS_MAX];
		if (kinds[i].state)
			continue;
		size_t rows = columns_of(frame, &kinds[i], columns);
		json->failed = !row_table_add(&json->tables[i], kinds[i].type, columns, rows) || json->failed;
	}
}

/* Sets a message of the frame, which makes it present. */
static void
member_set(Collide__V1__Frame *frame, const char *name, void *message)
{
	const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field_by_name(frame->base.descriptor, name);
	int chosen = (int)field->id;
	memcpy((char *)frame + field->quantifier_offset, &chosen, sizeof chosen);
	memcpy((char *)frame + field->offset, &message, sizeof message);
}

/* Bodies are always there, other tables if they have rows. */
static void
table_set(Collide__V1__Frame *to, const struct table_kind *kind, struct row_table *collected, const struct collide_frame *frame,
          struct columns_message *memory)
{
	ProtobufCMessage *message = (ProtobufCMessage *)(void *)memory->bytes;
	const void *columns[FRAME_COLUMNS_MAX];
	size_t rows = collected->count;
	if (kind->state)
		rows = columns_of(frame, kind, columns);
	else
		memcpy(columns, collected->columns, sizeof columns);
	protobuf_c_message_init(kind->type, message);
	frame_columns_set(message, columns, rows);
	if (rows > 0 || kind == &kinds[0])
		member_set(to, kind->member, message);
	collected->count = 0;
}

static void
energy_set(Collide__V1__Energy *message, const struct collide_energy *energy)
{
	message->kinetic_before = energy->kinetic_before;
	message->kinetic_after = energy->kinetic_after;
	message->potential_before = energy->potential_before;
	message->potential_after = energy->potential_after;
	message->contact = energy->contact;
	message->work = energy->work;
	message->push = energy->push;
	message->support = energy->support;
	message->clip = energy->clip;
	message->sleep = energy->sleep;
	message->damping = energy->damping;
	message->friction = energy->friction;
	message->removed = energy->removed;
}

static void
momentum_set(Collide__V1__Momentum *message, const struct collide_momentum *momentum)
{
	message->before_x = momentum->before_x;
	message->before_y = momentum->before_y;
	message->after_x = momentum->after_x;
	message->after_y = momentum->after_y;
	message->gravity_x = momentum->gravity_x;
	message->gravity_y = momentum->gravity_y;
	message->outside_x = momentum->outside_x;
	message->outside_y = momentum->outside_y;
}

bool
frame_json_print(struct frame_json *json, const struct collide_frame *frame, const struct frame_sums *sums, FILE *out)
{
	Collide__V1__Frame message = COLLIDE__V1__FRAME__INIT;
	Collide__V1__Energy energy = COLLIDE__V1__ENERGY__INIT;
	Collide__V1__Momentum momentum = COLLIDE__V1__MOMENTUM__INIT;
	struct columns_message tables[FRAME_TABLES];
	if (json->failed)
		return false;
	message.tick = frame->tick;
	message.time = frame->time;
	message.hash = frame->hash;
	message.events = sums->events;
	message.collisions = sums->collisions;
	message.clusters = sums->clusters;
	message.clips = sums->clips;
	message.asleep = frame->asleep;
	energy_set(&energy, &sums->energy);
	momentum_set(&momentum, &sums->momentum);
	if (sums->has_energy)
		member_set(&message, "energy", &energy);
	if (sums->has_momentum)
		member_set(&message, "momentum", &momentum);
	for (size_t i = 0; i < FRAME_TABLES; i++)
		table_set(&message, &kinds[i], &json->tables[i], frame, &tables[i]);
	(void)message_json_write(out, &message.base, MESSAGE_JSON_LINE);
	return true;
}
