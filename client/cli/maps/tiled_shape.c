/* From objects to walls and circles. */
#include "client/cli/maps/tiled_shape.h"

#include "client/cli/maps/tiled_property.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Axes that differ by less than this part are equal: Tiled writes about seven digits. */
static const double axes_tolerance = 1e-6;

/* From an object's own coordinates to the scene's. */
struct placing {
	double x, y; /* of the object, layers included */
	double cosine, sine;
	double scale;
};

struct point {
	double x, y;
};

static struct placing
placing_of(const struct tiled *tiled, const struct tiled_object *object)
{
	struct placing placing = {
		.x = tiled_number(object->json, "x") + object->layer->offset_x,
		.y = tiled_number(object->json, "y") + object->layer->offset_y,
		.scale = tiled->options->scale,
	};
	/* Quarter turns are exact, even at angles of thousands of degrees. */
	double degrees = remainder(tiled_number(object->json, "rotation"), 360);
	double quarters = nearbyint(degrees / 90), rest = degrees - 90 * quarters;
	double angle = rest * (3.14159265358979323846 / 180), cosine = cos(angle), sine = sin(angle);
	static const double turns[][2] = { { 1, 0 }, { 0, 1 }, { -1, 0 }, { 0, -1 } };
	const double *turn = turns[(int)quarters & 3];
	placing.cosine = turn[0] * cosine - turn[1] * sine;
	placing.sine = turn[0] * sine + turn[1] * cosine;
	return placing;
}

/* Turns clockwise, as on a screen with y down, about the object's own point. Then flips y. */
static struct point
placed(const struct placing *placing, double x, double y)
{
	return (struct point){
		.x = round_position(placing->scale * (placing->x + placing->cosine * x - placing->sine * y)),
		.y = round_position(-placing->scale * (placing->y + placing->sine * x + placing->cosine * y)),
	};
}

static void
name_write(const struct tiled *tiled, const struct tiled_object *object, const char *what, size_t id, size_t count)
{
	FILE *names = tiled->options->names;
	if (!names || object->name[0] == '\0')
		return;
	fprintf(names, count > 1 ? "%s %zu-%zu\t" : "%s %zu\t", what, id, id + count - 1);
	tiled_line_write(names, object->name);
}

/* ---- walls ---- */

static bool
wall_properties_read(struct tiled *tiled, const struct tiled_object *object, struct build_segment *wall)
{
	bool category = false, mask = false, id = false;
	wall->restitution = tiled->options->restitution;
	if (!tiled_property_number(tiled, object, "restitution", true, &tiled_share, &wall->restitution) ||
	    !tiled_property_number(tiled, object, "friction", true, &tiled_not_negative, &wall->friction) ||
	    !tiled_property_number(tiled, object, "rollingResistance", true, &tiled_not_negative, &wall->rolling_resistance) ||
	    !tiled_property_bits(tiled, object, "category", true, &category, &wall->category) ||
	    !tiled_property_bits(tiled, object, "mask", true, &mask, &wall->mask) ||
	    !tiled_property_bits(tiled, object, "id", false, &id, &wall->id))
		return false;
	if (tiled_property_is_own(object, "vx") || tiled_property_is_own(object, "vy"))
		return tiled_refuse(tiled, object, "it has a velocity, and walls do not move");
	wall->given = (category ? BUILD_CATEGORY : 0u) | (mask ? BUILD_MASK : 0u) | (id ? BUILD_ID : 0u);
	return true;
}

/* Walls between points, and back to the first if closed. Sides of no length are left out. */
static bool
walls_add(struct tiled *tiled, const struct tiled_object *object, const struct point *points, size_t count, bool closed)
{
	struct build_segment wall = { 0 };
	size_t first = tiled->build->segment_count;
	if (!wall_properties_read(tiled, object, &wall))
		return false;
	for (size_t i = 0; i + 1 < count || (closed && i < count); i++) {
		struct point from = points[i], to = points[(i + 1) % count];
		if (from.x == to.x && from.y == to.y)
			continue;
		wall.x1 = from.x;
		wall.y1 = from.y;
		wall.x2 = to.x;
		wall.y2 = to.y;
		scene_build_segment(tiled->build, wall);
		wall.id++;
	}
	size_t added = tiled->build->segment_count - first;
	if (added == 0)
		return tiled_refuse(tiled, object, "it has no length");
	name_write(tiled, object, "segment", (wall.given & BUILD_ID) != 0 ? wall.id - added : first, added);
	return true;
}

static bool
points_add(struct tiled *tiled, const struct tiled_object *object, const json_t *list, bool closed)
{
	struct placing placing = placing_of(tiled, object);
	size_t count = json_array_size(list);
	struct point *points = calloc(count + 1, sizeof *points);
	if (!points)
		return tiled_refuse(tiled, object, "no memory for its points");
	bool good = true;
	for (size_t i = 0; i < count && good; i++) {
		const json_t *point = json_array_get(list, i);
		good = json_is_number(json_object_get(point, "x")) && json_is_number(json_object_get(point, "y"));
		points[i] = placed(&placing, tiled_number(point, "x"), tiled_number(point, "y"));
	}
	if (!good) {
		good = tiled_refuse(tiled, object, "one of its points has no x and y");
	} else {
		/* A polygon of two points is one line. */
		good = walls_add(tiled, object, points, count, closed && count > 2);
	}
	free(points);
	return good;
}

static bool
rectangle_add(struct tiled *tiled, const struct tiled_object *object)
{
	struct placing placing = placing_of(tiled, object);
	double width = tiled_number(object->json, "width"), height = tiled_number(object->json, "height");
	if (!(width > 0 && height > 0))
		return tiled_refuse(tiled, object, "a rectangle of %g by %g: draw a polyline instead", width, height);
	const struct point corners[] = { placed(&placing, 0, 0), placed(&placing, width, 0), placed(&placing, width, height),
		                             placed(&placing, 0, height) };
	return walls_add(tiled, object, corners, 4, true);
}

/* ---- circles ---- */

static bool
circle_properties_read(struct tiled *tiled, const struct tiled_object *object, struct build_circle *circle)
{
	bool category = false, mask = false, id = false;
	circle->mass = 1;
	circle->restitution = tiled->options->restitution;
	if (!tiled_property_number(tiled, object, "vx", true, &tiled_any, &circle->vx) ||
	    !tiled_property_number(tiled, object, "vy", true, &tiled_any, &circle->vy) ||
	    !tiled_property_number(tiled, object, "mass", true, &tiled_positive, &circle->mass) ||
	    !tiled_property_number(tiled, object, "restitution", true, &tiled_share, &circle->restitution) ||
	    !tiled_property_number(tiled, object, "friction", true, &tiled_not_negative, &circle->friction) ||
	    !tiled_property_number(tiled, object, "rollingResistance", true, &tiled_not_negative, &circle->rolling_resistance) ||
	    !tiled_property_number(tiled, object, "angularVelocity", true, &tiled_any, &circle->angular_velocity) ||
	    !tiled_property_kind(tiled, object, &circle->kind) ||
	    !tiled_property_bits(tiled, object, "category", true, &category, &circle->category) ||
	    !tiled_property_bits(tiled, object, "mask", true, &mask, &circle->mask) ||
	    !tiled_property_bits(tiled, object, "id", false, &id, &circle->id))
		return false;
	circle->vx = round_speed(tiled->options->scale * circle->vx);
	circle->vy = round_speed(-tiled->options->scale * circle->vy);
	circle->angular_velocity = circle->angular_velocity == 0 ? 0 : -circle->angular_velocity; /* Tiled turns clockwise */
	circle->given = (category ? BUILD_CATEGORY : 0u) | (mask ? BUILD_MASK : 0u) | (id ? BUILD_ID : 0u);
	return true;
}

static bool
circle_add(struct tiled *tiled, const struct tiled_object *object)
{
	struct placing placing = placing_of(tiled, object);
	struct build_circle circle = { 0 };
	double width = tiled_number(object->json, "width"), height = tiled_number(object->json, "height");
	if (!(width > 0 && height > 0))
		return tiled_refuse(tiled, object, "an ellipse of %g by %g has no size", width, height);
	if (fabs(width - height) > axes_tolerance * width)
		return tiled_refuse(tiled, object, "an ellipse of %g by %g: only circles can be had", width, height);
	if (!circle_properties_read(tiled, object, &circle))
		return false;
	if (circle.kind == COLLIDE__V1__BODY_KIND__BODY_KIND_STATIC) {
		if (tiled_property_is_own(object, "vx") || tiled_property_is_own(object, "vy") ||
		    tiled_property_is_own(object, "angularVelocity"))
			return tiled_refuse(tiled, object, "it has a velocity, and is static");
		circle.vx = circle.vy = circle.angular_velocity = 0; /* a layer's velocity is for those objects that move */
	}
	struct point centre = placed(&placing, width / 2, height / 2);
	circle.x = centre.x;
	circle.y = centre.y;
	circle.radius = round_position(placing.scale * width / 2);
	name_write(tiled, object, "circle", (circle.given & BUILD_ID) != 0 ? circle.id : tiled->build->circle_count, 1);
	scene_build_circle(tiled->build, circle);
	return true;
}

bool
tiled_shape_add(struct tiled *tiled, const struct tiled_object *object)
{
	const json_t *json = object->json, *points;
	if (json_is_string(json_object_get(json, "template")))
		return tiled_refuse(tiled, object, "its shape is in the template %s: detach it from there in Tiled",
		                    json_string_value(json_object_get(json, "template")));
	if (json_object_get(json, "gid"))
		return tiled_refuse(tiled, object, "a tile is a picture: give it a shape of its own");
	if (json_is_true(json_object_get(json, "capsule")))
		return tiled_refuse(tiled, object, "a capsule: only circles can be had");
	if (json_is_true(json_object_get(json, "ellipse")))
		return circle_add(tiled, object);
	if ((points = json_object_get(json, "polygon")))
		return points_add(tiled, object, points, true);
	if ((points = json_object_get(json, "polyline")))
		return points_add(tiled, object, points, false);
	return rectangle_add(tiled, object);
}
