/* Custom properties: an array of {name, type, value} since Tiled 1.2. The object of values that older versions write is read as
 * well. */
#include "client/cli/maps/tiled_property.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static const json_t *
property_of(const json_t *json, const char *name)
{
	const json_t *properties = json_object_get(json, "properties");
	if (json_is_object(properties))
		return json_object_get(properties, name);
	for (size_t i = 0; i < json_array_size(properties); i++) {
		const json_t *property = json_array_get(properties, i);
		const char *own = json_string_value(json_object_get(property, "name"));
		if (own && strcmp(own, name) == 0)
			return json_object_get(property, "value");
	}
	return NULL;
}

static const json_t *
property_find(const struct tiled_object *object, const char *name, bool inherited)
{
	const json_t *value = property_of(object->json, name);
	for (const struct tiled_layer *layer = object->layer; !value && inherited && layer; layer = layer->parent)
		value = property_of(layer->json, name);
	return value;
}

bool
tiled_property_is_own(const struct tiled_object *object, const char *name)
{
	return property_of(object->json, name) != NULL;
}

/* The scene's own bounds (collide.proto), so that a report names the object at fault and not a row of the scene. */
const struct tiled_range tiled_any = { -1e12, 1e12, "of magnitude at most 1e12" };
const struct tiled_range tiled_share = { 0, 1, "from 0 to 1" };
const struct tiled_range tiled_not_negative = { 0, 1e6, "from 0 to 1e6" };
const struct tiled_range tiled_positive = { 1e-15, 1e15, "from 1e-15 to 1e15" };

bool
tiled_property_number(struct tiled *tiled, const struct tiled_object *object, const char *name, bool inherited,
                      const struct tiled_range *range, double *out)
{
	const json_t *value = property_find(object, name, inherited);
	if (!value)
		return true;
	if (!json_is_number(value))
		return tiled_refuse(tiled, object, "its property \"%s\" must be a float or an int", name);
	double number = json_number_value(value);
	if (!(number >= range->minimum && number <= range->maximum))
		return tiled_refuse(tiled, object, "its property \"%s\" is %g and must be %s", name, number, range->told);
	*out = number;
	return true;
}

/* Tiled's ints are signed: -1 stands for all bits. */
bool
tiled_property_bits(struct tiled *tiled, const struct tiled_object *object, const char *name, bool inherited, bool *given,
                    uint32_t *out)
{
	double number = (double)NAN;
	if (!tiled_property_number(tiled, object, name, inherited, &tiled_any, &number))
		return false;
	if (isnan(number))
		return true;
	if (!(number >= -2147483648.0 && number <= 4294967295.0) || number != floor(number))
		return tiled_refuse(tiled, object, "its property \"%s\" must be an int of 32 bits", name);
	*given = true;
	*out = (uint32_t)(int64_t)number;
	return true;
}

bool
tiled_property_kind(struct tiled *tiled, const struct tiled_object *object, Collide__V1__BodyKind *out)
{
	static const char prefix[] = "BODY_KIND_";
	const json_t *value = property_find(object, "kind", true);
	const char *word = json_string_value(value);
	if (!value)
		return true;
	if (word && strncasecmp(word, prefix, sizeof prefix - 1) == 0)
		word += sizeof prefix - 1;
	static const struct {
		const char *word;
		Collide__V1__BodyKind kind;
	} kinds[] = {
		{ "dynamic", COLLIDE__V1__BODY_KIND__BODY_KIND_UNSPECIFIED },
		{ "kinematic", COLLIDE__V1__BODY_KIND__BODY_KIND_KINEMATIC },
		{ "static", COLLIDE__V1__BODY_KIND__BODY_KIND_STATIC },
	};
	for (size_t i = 0; word && i < sizeof kinds / sizeof kinds[0]; i++) {
		if (strcasecmp(word, kinds[i].word) == 0) {
			*out = kinds[i].kind;
			return true;
		}
	}
	return tiled_refuse(tiled, object, "its property \"kind\" must be \"dynamic\", \"kinematic\" or \"static\"");
}
