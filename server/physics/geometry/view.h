/* view: a pair in exact relative coordinates, shared by distance.c and sweep.c. */
#ifndef COLLIDED_GEOMETRY_VIEW_H
#define COLLIDED_GEOMETRY_VIEW_H

#include "physics/detect.h"
#include "physics/math/double_double.h"
#include "physics/math/larger.h"

static inline double
view_wall_size(const struct wall *wall)
{
	return larger(larger(larger(fabs(wall->x1), fabs(wall->y1)), larger(fabs(wall->x2), fabs(wall->y2))), wall->radius);
}

/* A circle's centre relative to a wall. Heights and places along it are scaled by the wall's length. */
struct wall_view {
	struct dd2 along;          /* from the first point to the second */
	struct dd2 from_1, from_2; /* from the points to the centre */
	struct dd2 movement;       /* velocity */
	struct dd square, length;  /* of the wall */
	struct dd foot;            /* place along the wall: 0 at the first point, `square` at the second */
	struct dd turn, rate;      /* height over the wall, > 0 left of its direction, and its rate */
	double side;               /* +1 left, -1 right; on the line itself the side that the centre comes from, or left */
	enum contact_feature feature;
};

struct wall_view wall_view_of(const struct disc *a, const struct wall *wall);
/* The face's unit normal towards the centre's side. */
void wall_view_normal(const struct wall_view *view, double normal[2]);

/* The largest of its numbers. */
double view_disc_size(const struct disc *disc);
/* The relation that a gap stands for. */
enum relation view_relation(double gap, double radii, double size, const struct tolerance *tolerance);
/* (x, y) - (from_x, from_y), exact. */
struct dd2 view_offset(double x, double y, double from_x, double from_y);
/* The vector's direction to an ulp; false for the zero vector, which leaves `unit` unchanged. */
bool view_unit(struct dd2 vector, double unit[2]);

#endif
