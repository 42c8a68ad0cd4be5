/* collide-scene(5): every field of a scene from the schema's descriptor, what it means from the schema's comments. */
#include "client/cli/manual/page.h"

#include "client/cli/manual/roff.h"
#include "client/cli/manual/schema_comment.h"
#include "client/cli/scene/scene_json_name.h"
#include "client/cli/terminal/text.h"
#include "collide/v1/collide.pb-c.h"

#include <string.h>

static const char example[] = "{\n"
							  "  \"gravityY\": -9.81,\n"
							  "  \"circles\": [\n"
							  "    { \"x\": -3, \"y\": 4, \"vx\": 2, \"radius\": 0.5 },\n"
							  "    { \"x\": 3, \"y\": 1, \"radius\": 0.7, \"kind\": \"BODY_KIND_STATIC\" }\n"
							  "  ],\n"
							  "  \"segments\": [ { \"x1\": -6, \"y1\": 0, \"x2\": 6, \"y2\": 0 } ]\n"
							  "}\n";

/* How JSON has a value of this type. */
static const char *
type_name(const ProtobufCFieldDescriptor *field)
{
	switch (field->type) {
	case PROTOBUF_C_TYPE_DOUBLE: return "number";
	case PROTOBUF_C_TYPE_BOOL: return "true or false";
	case PROTOBUF_C_TYPE_STRING: return "text";
	case PROTOBUF_C_TYPE_BYTES: return "base64";
	case PROTOBUF_C_TYPE_ENUM: return ((const ProtobufCEnumDescriptor *)field->descriptor)->short_name;
	case PROTOBUF_C_TYPE_MESSAGE: return ((const ProtobufCMessageDescriptor *)field->descriptor)->short_name;
	case PROTOBUF_C_TYPE_UINT64:
	case PROTOBUF_C_TYPE_FIXED64: return "whole number of 64 bits, in quotes from 2^53 on";
	default: return "whole number";
	}
}

/* The comment as a string that ends with a zero. */
static const char *
comment_of(struct text *text, const char *definition, const char *member)
{
	text->count = 0;
	schema_comment(definition, member, text);
	text_append_bytes(text, "", 1);
	return text->failed ? "" : text->characters;
}

static void
message_print(const ProtobufCMessageDescriptor *type, FILE *out)
{
	char definition[80], name[SCENE_JSON_NAME_BYTES_MAX], term[200];
	struct text text = { 0 };
	snprintf(definition, sizeof definition, "message %s", type->short_name);
	roff_subheading(out, type->short_name);
	roff_paragraph(out, comment_of(&text, definition, NULL));
	for (unsigned i = 0; i < type->n_fields; i++) {
		const ProtobufCFieldDescriptor *field = &type->fields[i];
		scene_json_name(field->name, name, sizeof name);
		snprintf(term, sizeof term, "%s (%s%s)", name, field->label == PROTOBUF_C_LABEL_REPEATED ? "list of: " : "",
		         type_name(field));
		roff_term(out, term, comment_of(&text, definition, field->name));
	}
	text_finish(&text);
}

static void
enum_print(const ProtobufCEnumDescriptor *type, FILE *out)
{
	char definition[80];
	struct text text = { 0 };
	snprintf(definition, sizeof definition, "enum %s", type->short_name);
	roff_subheading(out, type->short_name);
	const char *about = comment_of(&text, definition, NULL);
	if (about[0] != '\0')
		roff_paragraph(out, about);
	for (unsigned i = 0; i < type->n_values; i++)
		roff_term(out, type->values[i].name, comment_of(&text, definition, type->values[i].name));
	text_finish(&text);
}

void
page_scene_print(const char *version, FILE *out)
{
	static const ProtobufCMessageDescriptor *const messages[] = {
		&collide__v1__scene__descriptor,           &collide__v1__circle__descriptor, &collide__v1__segment__descriptor,
		&collide__v1__group_relation__descriptor,  &collide__v1__bounds__descriptor, &collide__v1__circle_columns__descriptor,
		&collide__v1__segment_columns__descriptor,
	};
	static const ProtobufCEnumDescriptor *const enums[] = {
		&collide__v1__body_kind__descriptor,         &collide__v1__restitution_mix__descriptor,
		&collide__v1__friction_mix__descriptor,      &collide__v1__relation_kind__descriptor,
		&collide__v1__movement_response__descriptor, &collide__v1__ignore__descriptor,
	};
	roff_head(out, "collide-scene", "5", version, "scene files of collide");
	roff_heading(out, "DESCRIPTION");
	roff_paragraph(
		out, "A scene file is JSON, as protobuf's JSON form of the message collide.v1.Scene. Names are lowerCamelCase, enums "
			 "are given by name, and what is left out has its default. Names of the schema itself (gravity_y) are read as "
			 "well, numbers may be in quotes, and null is as if left out. Unknown names, names given twice and values of "
			 "another type are refused. collide check tells every problem of a file with its line and column.");
	roff_paragraph(out, "This is a whole one:");
	roff_verbatim(out, example);
	roff_heading(out, "OBJECTS");
	for (size_t i = 0; i < sizeof messages / sizeof messages[0]; i++)
		message_print(messages[i], out);
	roff_heading(out, "NAMES OF VALUES");
	for (size_t i = 0; i < sizeof enums / sizeof enums[0]; i++)
		enum_print(enums[i], out);
	roff_heading(out, "SEE ALSO");
	roff_paragraph(out, "collide(1), collided(8); collide schema prints the whole schema.");
}
