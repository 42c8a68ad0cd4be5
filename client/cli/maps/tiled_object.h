/* tiled_object: layers and objects of a Tiled map, and reports of problems with them. One thread at a time. */
#ifndef COLLIDE_CLI_TILED_OBJECT_H
#define COLLIDE_CLI_TILED_OBJECT_H

#include "client/cli/maps/tiled_options.h"
#include "client/cli/scene/scene_build.h"

#include <jansson.h>
#include <stdbool.h>

/* A layer, within its groups; the outermost is the map. */
struct tiled_layer {
	const struct tiled_layer *parent;
	const json_t *json;
	double offset_x, offset_y; /* the sum over the groups, pixels */
};

struct tiled {
	const struct tiled_options *options;
	struct scene_build *build;
	struct tiled_counts *counts;
};

/* An object, as far as every kind of shape needs it. */
struct tiled_object {
	const struct tiled_layer *layer;
	const json_t *json;
	const char *name; /* never NULL */
};

/* Reports what is wrong with the object, by its place, id and name, and counts it as refused. Always false. */
bool tiled_refuse(struct tiled *tiled, const struct tiled_object *object, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Reports what was left out of a layer. */
void tiled_leave_out(struct tiled *tiled, const struct tiled_layer *layer, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Writes a line, with question marks for control characters. */
void tiled_line_write(FILE *to, const char *line);

/* A number that every map has; 0 if it is missing. */
double tiled_number(const json_t *json, const char *key);
/* The name of a layer or an object; "" without one. */
const char *tiled_name(const json_t *json);

#endif
