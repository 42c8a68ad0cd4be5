#include "worlds/registry/regions.h"

#include <math.h>
#include <stdio.h>

/* As coordinates of a scene. */
#define REGION_COORDINATE_MAX 1e12
/* Cells of the grid of classes are no smaller: one of a point has a size, too. */
#define REGION_CELL_MIN 0x1p-10

static bool
good_coordinate(double value)
{
	return value >= -REGION_COORDINATE_MAX && value <= REGION_COORDINATE_MAX;
}

static enum status
bad_region(struct wire_problem *problem, const char *field, const char *of, const char *text)
{
	char path[80];
	(void)snprintf(path, sizeof path, "%s%s", field, of);
	return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", path, "%s", text);
}

static enum status
box_read(const Collide__V1__Bounds *box, const char *field, struct region *out, struct wire_problem *problem)
{
	if (!good_coordinate(box->x_min) || !good_coordinate(box->y_min) || !good_coordinate(box->x_max) ||
	    !good_coordinate(box->y_max))
		return bad_region(problem, field, ".box", "must have numbers of magnitude at most 1e12");
	if (box->x_max < box->x_min || box->y_max < box->y_min)
		return bad_region(problem, field, ".box", "must not have a maximum below its minimum");
	*out = (struct region){ .kind = REGION_BOX, .x0 = box->x_min, .y0 = box->y_min, .x1 = box->x_max, .y1 = box->y_max };
	return STATUS_OK;
}

enum status
region_read(const Collide__V1__Region *message, const char *field, struct region *out, struct wire_problem *problem)
{
	*out = (struct region){ .kind = REGION_ALL };
	switch (message->what_case) {
	case COLLIDE__V1__REGION__WHAT_BOX: return box_read(message->box, field, out, problem);
	case COLLIDE__V1__REGION__WHAT_AROUND:
		if (!(message->around->radius > 0.0 && message->around->radius <= REGION_COORDINATE_MAX))
			return bad_region(problem, field, ".around.radius", "must be greater than 0 and at most 1e12");
		*out = (struct region){ .kind = REGION_AROUND, .circle = message->around->circle, .radius = message->around->radius };
		return STATUS_OK;
	default: return bad_region(problem, field, "", "must be a box, or around a circle");
	}
}

Collide__V1__Region *
region_tell(const struct region *region, struct region_message *room)
{
	collide__v1__region__init(&room->region);
	collide__v1__bounds__init(&room->box);
	collide__v1__around__init(&room->around);
	room->box.x_min = region->x0, room->box.x_max = region->x1;
	room->box.y_min = region->y0, room->box.y_max = region->y1;
	room->around.circle = region->circle;
	room->around.radius = region->radius;
	room->region.what_case = region->kind == REGION_BOX ? COLLIDE__V1__REGION__WHAT_BOX : COLLIDE__V1__REGION__WHAT_AROUND;
	if (region->kind == REGION_BOX)
		room->region.box = &room->box;
	else
		room->region.around = &room->around;
	return region->kind == REGION_ALL ? NULL : &room->region;
}

static double
power_of_two_above(double value)
{
	int exponent;
	double part = frexp(value, &exponent);
	return part == 0.5 ? value : ldexp(1.0, exponent);
}

struct region
region_class(const struct region *region, unsigned level)
{
	struct region out = *region;
	double longer = fmax(region->x1 - region->x0, region->y1 - region->y0);
	if (region->kind == REGION_AROUND) {
		out.radius = power_of_two_above(region->radius);
	} else if (region->kind == REGION_BOX) {
		double cell = ldexp(power_of_two_above(fmax(0.5 * longer, REGION_CELL_MIN)), (int)level);
		out.level = level;
		out.x0 = floor(region->x0 / cell) * cell, out.x1 = ceil(region->x1 / cell) * cell;
		out.y0 = floor(region->y0 / cell) * cell, out.y1 = ceil(region->y1 / cell) * cell;
	}
	return out;
}

bool
region_equal(const struct region *a, const struct region *b)
{
	if (a->kind != b->kind || a->kind == REGION_ALL)
		return a->kind == b->kind;
	if (a->kind == REGION_AROUND)
		return a->circle == b->circle && a->radius == b->radius;
	return a->x0 == b->x0 && a->y0 == b->y0 && a->x1 == b->x1 && a->y1 == b->y1;
}

bool
region_holds(const struct region *outer, const struct region *inner)
{
	if (outer->kind == REGION_ALL || inner->kind != outer->kind)
		return outer->kind == REGION_ALL;
	if (outer->kind == REGION_AROUND)
		return outer->circle == inner->circle && outer->radius >= inner->radius;
	return outer->x0 <= inner->x0 && outer->y0 <= inner->y0 && outer->x1 >= inner->x1 && outer->y1 >= inner->y1;
}

double
region_area(const struct region *region)
{
	if (region->kind == REGION_ALL)
		return (double)INFINITY;
	return region->kind == REGION_AROUND ? 4.0 * region->radius * region->radius
	                                     : (region->x1 - region->x0) * (region->y1 - region->y0);
}
