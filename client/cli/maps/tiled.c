/* The map: its layers, in groups, and what becomes a shape. */
#include "client/cli/maps/tiled.h"

#include "client/cli/maps/tiled_property.h"
#include "client/cli/maps/tiled_shape.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Nested groups. jansson allows about a thousand levels; real maps have fewer than ten. */
enum { NESTING_MAX = 100 };

static void
objects_import(struct tiled *tiled, const struct tiled_layer *layer)
{
	const json_t *objects = json_object_get(layer->json, "objects");
	for (size_t i = 0; i < json_array_size(objects); i++) {
		const json_t *json = json_array_get(objects, i);
		const struct tiled_object object = { .layer = layer, .json = json, .name = tiled_name(json) };
		if (json_is_true(json_object_get(json, "point")))
			tiled_leave_out(tiled, layer, "the point %.0f \"%.100s\"", tiled_number(json, "id"), object.name);
		else if (json_object_get(json, "text"))
			tiled_leave_out(tiled, layer, "the text %.0f \"%.100s\"", tiled_number(json, "id"), object.name);
		else
			(void)tiled_shape_add(tiled, &object); /* refused objects are counted */
	}
}

static void
layers_import(struct tiled *tiled, const struct tiled_layer *parent, unsigned nesting)
{
	const json_t *layers = json_object_get(parent->json, "layers");
	for (size_t i = 0; i < json_array_size(layers); i++) {
		const json_t *json = json_array_get(layers, i);
		const struct tiled_layer layer = {
			.parent = parent,
			.json = json,
			.offset_x = parent->offset_x + tiled_number(json, "offsetx"),
			.offset_y = parent->offset_y + tiled_number(json, "offsety"),
		};
		const char *type = json_string_value(json_object_get(json, "type"));
		type = type ? type : "";
		if (strcmp(type, "objectgroup") == 0)
			objects_import(tiled, &layer);
		else if (strcmp(type, "group") == 0 && nesting < NESTING_MAX)
			layers_import(tiled, &layer, nesting + 1);
		else if (strcmp(type, "tilelayer") == 0)
			tiled_leave_out(tiled, &layer, "its tiles, which are pictures");
		else if (strcmp(type, "imagelayer") == 0)
			tiled_leave_out(tiled, &layer, "its picture");
		else
			tiled_leave_out(tiled, &layer, "a layer of the type \"%.40s\"", type);
	}
}

static int
id_compare(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	return (a > b) - (a < b);
}

/* If some rows have ids, the others get the lowest free ones. false: an id is given twice, or no memory. */
static bool
ids_complete(size_t count, size_t size, void *rows, size_t given_offset, size_t id_offset, uint32_t *twice)
{
	char *row = rows;
	size_t used_count = 0, next = 0;
	uint32_t *used = calloc(count + 1, sizeof *used), free_id = 0;
	if (!used) {
		*twice = 0;
		return false;
	}
	for (size_t i = 0; i < count; i++)
		if ((*(unsigned *)(void *)(row + i * size + given_offset) & BUILD_ID) != 0)
			used[used_count++] = *(uint32_t *)(void *)(row + i * size + id_offset);
	qsort(used, used_count, sizeof *used, id_compare);
	bool good = true;
	for (size_t i = 1; i < used_count && good; i++) {
		*twice = used[i];
		good = used[i] != used[i - 1];
	}
	for (size_t i = 0; i < count && used_count > 0 && good; i++) {
		unsigned *given = (unsigned *)(void *)(row + i * size + given_offset);
		if ((*given & BUILD_ID) != 0)
			continue;
		while (next < used_count && used[next] == free_id) {
			next++;
			free_id++;
		}
		*given |= BUILD_ID;
		*(uint32_t *)(void *)(row + i * size + id_offset) = free_id++;
	}
	free(used);
	return good;
}

#define IDS_COMPLETE(build, rows, count, type, twice)                                                                         \
	ids_complete((build)->count, sizeof(struct type), (build)->rows, offsetof(struct type, given), offsetof(struct type, id), \
	             twice)

/* The map's own properties. */
static bool
world_import(struct tiled *tiled, const struct tiled_layer *map)
{
	const struct tiled_object object = { .layer = map, .json = map->json, .name = "the map" };
	double gravity_x = 0, gravity_y = 0;
	if (!tiled_property_number(tiled, &object, "gravityX", false, &tiled_any, &gravity_x) ||
	    !tiled_property_number(tiled, &object, "gravityY", false, &tiled_any, &gravity_y))
		return false;
	tiled->build->gravity_x = round_speed(tiled->options->scale * gravity_x);
	tiled->build->gravity_y = round_speed(-tiled->options->scale * gravity_y);
	return true;
}

static bool
map_check(const json_t *map, char *error, size_t error_size)
{
	const char *type = json_string_value(json_object_get(map, "type"));
	const char *orientation = json_string_value(json_object_get(map, "orientation"));
	const char *wrong = NULL;
	if (!json_is_array(json_object_get(map, "layers")))
		wrong = "it is no Tiled map: it has no layers";
	else if (type && strcmp(type, "map") != 0)
		wrong = "it is another file of Tiled than a map";
	else if (orientation && strcmp(orientation, "orthogonal") != 0)
		wrong = "only orthogonal maps can be imported: in others, pixels are no plane";
	if (wrong)
		snprintf(error, error_size, "%s", wrong);
	return !wrong;
}

bool
tiled_import(const json_t *map, const struct tiled_options *options, struct scene_build *build, struct tiled_counts *counts,
             char *error, size_t error_size)
{
	*counts = (struct tiled_counts){ 0 };
	struct tiled tiled = { .options = options, .build = build, .counts = counts };
	const struct tiled_layer whole = { .json = map };
	uint32_t twice = 0;
	if (!map_check(map, error, error_size))
		return false;
	(void)world_import(&tiled, &whole); /* refused properties are counted */
	layers_import(&tiled, &whole, 0);
	if (!IDS_COMPLETE(build, circles, circle_count, build_circle, &twice) ||
	    !IDS_COMPLETE(build, segments, segment_count, build_segment, &twice)) {
		snprintf(error, error_size, "the id %u is given twice, or there is no memory", twice);
		return false;
	}
	return true;
}

enum tiled_kind
tiled_kind_of(const char *path)
{
	if (strcmp(path, "-") == 0)
		return TILED_JSON;
	FILE *file = fopen(path, "rb");
	if (!file)
		return TILED_UNREADABLE;
	int c = fgetc(file);
	while (c == ' ' || c == '\t' || c == '\r' || c == '\n')
		c = fgetc(file);
	int problem = ferror(file) ? errno : 0;
	fclose(file);
	errno = problem;
	return problem != 0 ? TILED_UNREADABLE : c == '{' ? TILED_JSON : c == '<' ? TILED_XML : TILED_OTHER;
}
