#include "wire/scan.h"

#include "base/pause.h"
#include "wire/alike.h"
#include "wire/fields.h"
#include "wire/limits.h"
#include "wire/rules.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NO_INDEX SIZE_MAX
/* Of what a struct keeps of a oneof. */
#define CHOICE_BYTES sizeof(uint32_t)

/* What is shared by all levels of one scan. */
struct scan_state {
	const struct wire_limits *limits;
	enum scan_depth depth;
	size_t unknown_fields;
	struct wire_problem *problem;
};

/* One message being read. Levels live on the stack, at most WIRE_DEPTH_MAX: no message type contains itself. */
struct level {
	const struct level *parent; /* NULL: the envelope */
	const ProtobufCMessageDescriptor *message;
	const ProtobufCFieldDescriptor *field;                       /* being read; NULL: none, the message itself is meant */
	size_t index;                                                /* of the element of a repeated field, or NO_INDEX */
	uint64_t seen;                                               /* singular fields met, by their place in the descriptor */
	uint64_t chosen[WIRE_MESSAGE_BYTES_MAX / CHOICE_BYTES / 64]; /* oneofs met, by where the struct keeps which member it is */
	uint32_t counts[WIRE_FIELDS_MAX];                            /* elements met of repeated fields, by the same place */
	const ProtobufCFieldDescriptor *ruled;                       /* the repeated field met last; most come many times */
	uint32_t ruled_max;                                          /* the elements that it may have */
};

/* Appends the path of the level's field: "simulate.scene.circles[3].x". */
static void
path_append(const struct level *level, char *path, size_t path_bytes)
{
	if (level->parent)
		path_append(level->parent, path, path_bytes);
	if (!level->field)
		return;
	size_t used = strlen(path);
	(void)snprintf(path + used, path_bytes - used, "%s%s", used == 0 ? "" : ".", level->field->name);
	if (level->index != NO_INDEX) {
		used = strlen(path);
		(void)snprintf(path + used, path_bytes - used, "[%zu]", level->index);
	}
}

static enum status
refuse(const struct scan_state *scan, const struct level *level, enum status status, const char *reason, const char *text)
{
	char path[sizeof scan->problem->field] = "";

	path_append(level, path, sizeof path);
	return wire_problem_set(scan->problem, status, reason, path, "%s", text);
}

static enum status
refuse_form(const struct scan_state *scan, const struct level *level, const char *text)
{
	return refuse(scan, level, STATUS_INVALID_ARGUMENT, "MALFORMED", text);
}

static enum status
refuse_limit(const struct scan_state *scan, const struct level *level, const char *what, uint64_t count, uint64_t count_max)
{
	char text[sizeof scan->problem->text];

	(void)snprintf(text, sizeof text, "has %" PRIu64 " %s, at most %" PRIu64 " are allowed", count, what, count_max);
	return refuse(scan, level, STATUS_RESOURCE_EXHAUSTED, "LIMIT", text);
}

/* Whether a varint is a value of the field's type: 64 bits for every type, but what would be cut off when kept is refused. */
static const char *
varint_misfit(const ProtobufCFieldDescriptor *field, uint64_t value)
{
	switch (field->type) {
	case PROTOBUF_C_TYPE_BOOL: return value <= 1 ? NULL : "is neither true nor false";
	case PROTOBUF_C_TYPE_UINT32:
	case PROTOBUF_C_TYPE_SINT32: return value <= UINT32_MAX ? NULL : "does not fit 32 bits";
	case PROTOBUF_C_TYPE_INT32:
	case PROTOBUF_C_TYPE_ENUM: /* negative numbers come with 64 bits */
		return value <= INT32_MAX || value >= (uint64_t)INT32_MIN ? NULL : "does not fit 32 bits";
	default: return NULL;
	}
}

/* Counts `count` more elements of a repeated field against its rule. */
static enum status
elements_count(const struct scan_state *scan, struct level *level, size_t count)
{
	uint32_t *counted = &level->counts[level->field - level->message->fields];

	if (level->ruled != level->field) {
		level->ruled = level->field;
		level->ruled_max = wire_rule_of(level->message, level->field, scan->limits).count_max;
	}
	if (count > level->ruled_max - *counted) {
		level->index = NO_INDEX;
		return refuse_limit(scan, level, "elements", *counted + (uint64_t)count, level->ruled_max);
	}
	*counted += (uint32_t)count;
	return STATUS_OK;
}

/* Remembers a singular field. false: it has been met, or another member of its oneof. */
static inline bool
singular_is_new(struct level *level, const ProtobufCFieldDescriptor *field)
{
	bool of_oneof = (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0;
	size_t bit = of_oneof ? field->quantifier_offset / CHOICE_BYTES : (size_t)(field - level->message->fields);
	uint64_t *seen = of_oneof ? &level->chosen[bit / 64] : &level->seen;
	uint64_t mask = UINT64_C(1) << bit % 64;

	if ((*seen & mask) != 0)
		return false;
	*seen |= mask;
	return true;
}

static enum status
singular_note(const struct scan_state *scan, struct level *level)
{
	if (!singular_is_new(level, level->field)) {
		return refuse(scan, level, STATUS_INVALID_ARGUMENT, "FIELD_TWICE",
		              "is given twice, or with another of which only one may be given");
	}
	return STATUS_OK;
}

static enum status
packed_scan(const struct scan_state *scan, struct level *level, struct reader value)
{
	size_t first = level->counts[level->field - level->message->fields];
	enum wire_type type = wire_type_of(level->field);
	size_t width = type == WIRE_FIXED64 ? 8 : 4;
	size_t count = 0;

	if (type != WIRE_VARINT) {
		if (reader_left(&value) % width != 0)
			return refuse_form(scan, level, "does not hold a whole number of elements");
		return elements_count(scan, level, reader_left(&value) / width);
	}
	while (!reader_at_end(&value) && !pause_after(1)) {
		uint64_t element;
		const char *wrong = reader_varint(&value, &element);

		level->index = first + count++;
		wrong = wrong ? wrong : varint_misfit(level->field, element);
		if (wrong)
			return refuse_form(scan, level, wrong);
	}
	return elements_count(scan, level, count);
}

static enum status message_scan(struct scan_state *scan, struct level *level, struct reader bytes);

/* A value with a tag and wire type that fit the field. */
static enum status
value_scan(struct scan_state *scan, struct level *level, const struct wire_field *value)
{
	const ProtobufCFieldDescriptor *field = level->field;
	struct wire_rule rule;
	const char *wrong;

	switch (field->type) {
	case PROTOBUF_C_TYPE_MESSAGE:
		if (scan->depth == SCAN_ENVELOPE)
			return STATUS_OK;
		struct level inner = { .parent = level, .message = field->descriptor, .index = NO_INDEX };
		return message_scan(scan, &inner, value->value);
	case PROTOBUF_C_TYPE_STRING:
	case PROTOBUF_C_TYPE_BYTES:
		rule = wire_rule_of(level->message, field, scan->limits);
		if (reader_left(&value->value) > rule.bytes_max)
			return refuse_limit(scan, level, "bytes", reader_left(&value->value), rule.bytes_max);
		if ((rule.text || field->type == PROTOBUF_C_TYPE_STRING) &&
		    !wire_text_is_valid(value->value.at, reader_left(&value->value)))
			return refuse(scan, level, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "must be UTF-8 without control characters");
		return STATUS_OK;
	default:
		wrong = value->type == WIRE_VARINT ? varint_misfit(field, value->varint) : NULL;
		return wrong ? refuse_form(scan, level, wrong) : STATUS_OK;
	}
}

static enum status
known_scan(struct scan_state *scan, struct level *level, const struct wire_field *value)
{
	const ProtobufCFieldDescriptor *field = level->field;
	bool repeated = field->label == PROTOBUF_C_LABEL_REPEATED;
	enum wire_type type = wire_type_of(field);

	if (wire_is_packed(field, value))
		return packed_scan(scan, level, value->value);
	if (repeated)
		level->index = level->counts[field - level->message->fields];
	if (value->type != type)
		return refuse(scan, level, STATUS_INVALID_ARGUMENT, "WRONG_TYPE", "comes with the wrong wire type");
	enum status status = repeated ? elements_count(scan, level, 1) : singular_note(scan, level);
	return status != STATUS_OK ? status : value_scan(scan, level, value);
}

static enum status
unknown_count(struct scan_state *scan, const struct level *level, uint32_t number)
{
	char text[sizeof scan->problem->text];

	if (++scan->unknown_fields <= WIRE_UNKNOWN_FIELDS_MAX)
		return STATUS_OK;
	(void)snprintf(text, sizeof text, "has the unknown field %" PRIu32 "; more than %d unknown fields are refused", number,
	               WIRE_UNKNOWN_FIELDS_MAX);
	return refuse(scan, level, STATUS_INVALID_ARGUMENT, "UNKNOWN_FIELD", text);
}

/* Any field. */
static enum status
field_scan(struct scan_state *scan, struct level *level, struct reader *bytes)
{
	struct wire_field value = { .number = 0 };
	const char *wrong = reader_tag(bytes, &value.number, &value.type);

	level->field = wrong ? NULL : wire_field_of(level->message, value.number);
	level->index = NO_INDEX;
	wrong = wrong ? wrong : reader_value(bytes, &value);
	if (wrong)
		return refuse_form(scan, level, wrong);
	return !level->field ? unknown_count(scan, level, value.number) : known_scan(scan, level, &value);
}

/* Skips singular doubles that come for the first time; the rest is field_scan's. */
static const uint8_t *
doubles_scan(struct level *level, const uint8_t *at, const uint8_t *end)
{
	for (;; at += READER_DOUBLE_BYTES) {
		const ProtobufCFieldDescriptor *field = wire_double_next(level->message, at, end);

		if (!field || !singular_is_new(level, field))
			return at;
	}
}

/* Skips elements that are alike the one before, which is good; returns where they end. Those that are too many are
 * field_scan's. */
static const uint8_t *
alike_scan(struct level *level, const uint8_t *before, const uint8_t *at, const uint8_t *end)
{
	struct alike alike;

	if (!level->field || !alike_begin(&alike, level->field, before, at, end) || !alike_has_next(&alike, end) ||
	    !alike_is_doubles(&alike, level->field->descriptor))
		return at;
	uint32_t *counted = &level->counts[level->field - level->message->fields];
	size_t same;
	do {
		same = alike_count_same(&alike, end, level->ruled_max - *counted);
		alike.before += same * alike.bytes;
		*counted += (uint32_t)same;
	} while (same == ALIKE_AT_ONCE && !pause_after(ALIKE_AT_ONCE));
	return alike.before + alike.bytes;
}

static enum status
message_scan(struct scan_state *scan, struct level *level, struct reader bytes)
{
	struct reader rest = { .end = bytes.end };
	enum status status = STATUS_OK;

	rest.at = doubles_scan(level, bytes.at, bytes.end);
	while (status == STATUS_OK && rest.at != rest.end && !pause_after(8)) {
		const uint8_t *before = rest.at;

		status = field_scan(scan, level, &rest);
		if (status == STATUS_OK)
			rest.at = doubles_scan(level, alike_scan(level, before, rest.at, rest.end), rest.end);
	}
	return status;
}

enum status
wire_scan(const ProtobufCMessageDescriptor *message, const struct wire_limits *limits, enum scan_depth depth,
          const uint8_t *bytes, size_t count, struct wire_problem *problem)
{
	struct scan_state scan = { .limits = limits, .depth = depth, .problem = problem };
	struct level level = { .message = message, .index = NO_INDEX };

	return message_scan(&scan, &level, reader_of(bytes, count));
}
