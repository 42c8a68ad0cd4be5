/* tiled_private: what the files of tiled.h share. */
#ifndef COLLIDE_CLI_TILED_PRIVATE_H
#define COLLIDE_CLI_TILED_PRIVATE_H

#include "client/cli/tiled.h"

/* A layer, in the groups around it; the outermost is the map. */
struct tiled_layer {
	const struct tiled_layer *parent;
	const json_t *json;
	double offset_x, offset_y; /* in all, pixels */
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

/* Tells what is wrong with the object, by its place, id and name, and counts it as refused. Always false. */
bool tiled_refuse(struct tiled *tiled, const struct tiled_object *object, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Tells what was left out of a layer. */
void tiled_leave_out(struct tiled *tiled, const struct tiled_layer *layer, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Writes it, with question marks for control characters, and ends the line. */
void tiled_line_write(FILE *to, const char *line);

/* A number that every map has, 0 if it is missing. */
double tiled_number(const json_t *json, const char *key);

/* What a scene takes as the value of a property. */
struct tiled_range {
	double minimum, maximum;
	const char *told; /* "from 0 to 1" */
};
extern const struct tiled_range tiled_any, tiled_share, tiled_not_negative, tiled_positive;

/* Custom properties, the nearest that has the name: true and *out unchanged if none has. false: it has another type, or is out
 * of range, which has been told. `inherited`: also of layers and the map. */
bool tiled_property_number(struct tiled *tiled, const struct tiled_object *object, const char *name, bool inherited,
                           const struct tiled_range *range, double *out);
bool tiled_property_bits(struct tiled *tiled, const struct tiled_object *object, const char *name, bool inherited, bool *given,
                         uint32_t *out);
bool tiled_property_kind(struct tiled *tiled, const struct tiled_object *object, Collide__V1__BodyKind *out);
/* Whether the object itself has the property. */
bool tiled_property_is_own(const struct tiled_object *object, const char *name);

/* Adds the object's shape; false: refused. */
bool tiled_shape_add(struct tiled *tiled, const struct tiled_object *object);

#endif
