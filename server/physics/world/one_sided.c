#include "physics/world/one_sided.h"

#include "physics/geometry/toi.h"

#include <math.h>

bool
one_sided_stops(const struct segment *segment, double x, double y, double radii, double skin)
{
	double px = x - segment->x1, py = y - segment->y1;
	double s = px * segment->ux + py * segment->uy;
	double height = cross_exact(segment->ux, segment->uy, px, py) / segment->length, distance = height;

	if (!(height > 0.0))
		return false;
	if (s < 0.0) {
		distance = sqrt(px * px + py * py);
	} else if (s > segment->length * segment->length) {
		double qx = x - segment->x2, qy = y - segment->y2;

		distance = sqrt(qx * qx + qy * qy);
	}
	return distance >= radii - skin;
}
