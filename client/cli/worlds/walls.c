#include "client/cli/worlds/walls.h"

#include <stdlib.h>
#include <string.h>

static size_t
element_bytes(const ProtobufCFieldDescriptor *field)
{
	return field->type == PROTOBUF_C_TYPE_DOUBLE ? sizeof(double) : sizeof(uint32_t);
}

/* What a wall has where the file gives nothing, if that is not 0: the schema's defaults. */
static void
default_write(const char *name, size_t row, void *to)
{
	const double one = 1;
	const uint32_t first = 1, all = UINT32_MAX, id = (uint32_t)row;
	if (strcmp(name, "restitution") == 0)
		memcpy(to, &one, sizeof one);
	else if (strcmp(name, "category") == 0)
		memcpy(to, &first, sizeof first);
	else if (strcmp(name, "mask") == 0)
		memcpy(to, &all, sizeof all);
	else if (strcmp(name, "id") == 0)
		memcpy(to, &id, sizeof id);
}

/* One column: the field of the same name of each wall. false: no memory, or a wall has no such field. */
static bool
column_fill(const Collide__V1__Scene *scene, const ProtobufCFieldDescriptor *column, Collide__V1__SegmentColumns *columns)
{
	const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field_by_name(&collide__v1__segment__descriptor,
	                                                                                        column->name);
	size_t size = element_bytes(column), count = scene->n_segments;
	char *elements = calloc(count, size);
	if (!elements || !field || element_bytes(field) != size) {
		free(elements);
		return false;
	}
	for (size_t i = 0; i < count; i++) {
		const char *wall = (const char *)scene->segments[i];
		int chosen = (int)field->id;
		if ((field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0)
			memcpy(&chosen, wall + field->quantifier_offset, sizeof chosen);
		if (chosen == (int)field->id)
			memcpy(elements + i * size, wall + field->offset, size);
		else
			default_write(column->name, i, elements + i * size);
	}
	memcpy((char *)columns + column->offset, &elements, sizeof elements);
	memcpy((char *)columns + column->quantifier_offset, &count, sizeof count);
	return true;
}

static uint8_t *
columns_pack(const Collide__V1__SegmentColumns *columns, size_t *count)
{
	*count = collide__v1__segment_columns__get_packed_size(columns);
	uint8_t *bytes = malloc(*count + 1); /* never of size 0 */
	if (bytes)
		collide__v1__segment_columns__pack(columns, bytes);
	return bytes;
}

static uint8_t *
rows_pack(const Collide__V1__Scene *scene, size_t *count)
{
	Collide__V1__SegmentColumns *columns = malloc(sizeof *columns);
	uint8_t *bytes = NULL;
	bool good = columns != NULL;
	if (!good)
		return NULL;
	collide__v1__segment_columns__init(columns);
	const ProtobufCMessageDescriptor *type = columns->base.descriptor;
	for (unsigned i = 0; good && i < type->n_fields; i++)
		if (type->fields[i].label == PROTOBUF_C_LABEL_REPEATED)
			good = column_fill(scene, &type->fields[i], columns);
	if (good)
		bytes = columns_pack(columns, count);
	collide__v1__segment_columns__free_unpacked(columns, NULL);
	return bytes;
}

uint8_t *
walls_pack(const Collide__V1__Scene *scene, size_t *count, const char **problem)
{
	bool in_columns = scene->optional_segment_columns_case == COLLIDE__V1__SCENE__OPTIONAL_SEGMENT_COLUMNS_SEGMENT_COLUMNS;
	*problem = NULL;
	if (in_columns && scene->n_segments > 0)
		*problem = "walls both in columns and one by one: a map takes either";
	else if (!in_columns && scene->n_segments == 0)
		*problem = "the scene has no walls";
	if (*problem)
		return NULL;
	uint8_t *bytes = in_columns ? columns_pack(scene->segment_columns, count) : rows_pack(scene, count);
	if (!bytes)
		*problem = "no memory";
	return bytes;
}
