/* tiled_property: custom properties of objects and layers. One thread at a time. */
#ifndef COLLIDE_CLI_TILED_PROPERTY_H
#define COLLIDE_CLI_TILED_PROPERTY_H

#include "client/cli/maps/tiled_object.h"

/* The values that a scene allows for a property. */
struct tiled_range {
	double minimum, maximum;
	const char *told; /* "from 0 to 1" */
};
extern const struct tiled_range tiled_any, tiled_share, tiled_not_negative, tiled_positive;

/* The nearest custom property of this name. true and *out unchanged: there is none. false: it has another type or is out of
 * range, which has been reported. `inherited`: layers and the map count as well. */
bool tiled_property_number(struct tiled *tiled, const struct tiled_object *object, const char *name, bool inherited,
                           const struct tiled_range *range, double *out);
bool tiled_property_bits(struct tiled *tiled, const struct tiled_object *object, const char *name, bool inherited, bool *given,
                         uint32_t *out);
bool tiled_property_kind(struct tiled *tiled, const struct tiled_object *object, Collide__V1__BodyKind *out);
/* Whether the object itself has the property. */
bool tiled_property_is_own(const struct tiled_object *object, const char *name);

#endif
