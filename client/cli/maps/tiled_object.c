#include "client/cli/maps/tiled_object.h"

#include <stdarg.h>
#include <string.h>

enum { PLACE_BYTES = 200 };

double
tiled_number(const json_t *json, const char *key)
{
	return json_number_value(json_object_get(json, key));
}

const char *
tiled_name(const json_t *json)
{
	const char *name = json_string_value(json_object_get(json, "name"));
	return name ? name : "";
}

/* "castle/walls": a layer with its groups. */
static void
layer_path(const struct tiled_layer *layer, char *path, size_t size)
{
	path[0] = '\0';
	if (layer->parent && layer->parent->parent) {
		layer_path(layer->parent, path, size);
		size_t used = strlen(path);
		snprintf(path + used, size - used, "/");
	}
	size_t used = strlen(path);
	snprintf(path + used, size - used, "%s", tiled_name(layer->json));
}

/* Names come from the map: none of their control characters may reach a terminal or break a line. */
void
tiled_line_write(FILE *to, const char *line)
{
	for (const char *c = line; *c != '\0'; c++)
		fputc((unsigned char)*c < 0x20 || *c == 0x7f ? '?' : *c, to);
	fputc('\n', to);
}

bool
tiled_refuse(struct tiled *tiled, const struct tiled_object *object, const char *format, ...)
{
	char place[PLACE_BYTES], what[400], line[800];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(what, sizeof what, format, arguments);
	va_end(arguments);
	layer_path(object->layer, place, sizeof place);
	snprintf(line, sizeof line, "layer \"%s\", object %.0f%s%.100s%s: %s", place, tiled_number(object->json, "id"),
	         object->name[0] != '\0' ? " \"" : "", object->name, object->name[0] != '\0' ? "\"" : "", what);
	tiled_line_write(tiled->options->told, line);
	tiled->counts->refused++;
	return false;
}

void
tiled_leave_out(struct tiled *tiled, const struct tiled_layer *layer, const char *format, ...)
{
	char place[PLACE_BYTES], what[300], line[600];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(what, sizeof what, format, arguments);
	va_end(arguments);
	layer_path(layer, place, sizeof place);
	snprintf(line, sizeof line, "layer \"%s\": %s: left out", place, what);
	tiled_line_write(tiled->options->told, line);
	tiled->counts->left_out++;
}
