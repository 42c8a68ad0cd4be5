/* One plane after the other: if the optimum so far violates the next plane, the new optimum is on that plane's line, within
 * what the planes before leave of it. This is Seidel's incremental programming, in two dimensions; it applies to the distance
 * because that is convex. */
#include "physics/queries/slide.h"

#include "base/pause.h"

#include <math.h>

/* What counts as rounding, as a fraction of the largest number. */
#define ROUNDING 0x1p-46

/* The optimum on the line of plane `i`, subject to the planes before it. */
static bool
line_best(const struct slide_plane *planes, size_t i, const double wanted[2], double slack, double v[2])
{
	const double *n = planes[i].normal;
	const double along[2] = { -n[1], n[0] };
	double base[2] = { n[0] * planes[i].least, n[1] * planes[i].least };
	double low = -(double)INFINITY, high = (double)INFINITY, place = along[0] * wanted[0] + along[1] * wanted[1];

	for (size_t k = 0; k < i && !pause_after(1); k++) {
		const double *m = planes[k].normal;
		double slope = m[0] * along[0] + m[1] * along[1];
		double need = planes[k].least - (m[0] * base[0] + m[1] * base[1]);

		if (fabs(slope) <= ROUNDING) {
			if (need > slack)
				return false;
		} else if (slope > 0.0) {
			low = fmax(low, need / slope);
		} else {
			high = fmin(high, need / slope);
		}
	}
	if (low > high && low - high > slack)
		return false;
	if (place < low)
		place = low;
	else if (place > high)
		place = high;
	v[0] = base[0] + along[0] * place;
	v[1] = base[1] + along[1] * place;
	return true;
}

bool
slide_velocity(const struct slide_plane *planes, size_t count, const double wanted[2], double v[2])
{
	double best[2] = { wanted[0], wanted[1] }, size = fmax(fabs(wanted[0]), fabs(wanted[1]));

	for (size_t i = 0; i < count && !pause_after(1); i++)
		size = fmax(size, fabs(planes[i].least));

	double slack = size * ROUNDING;

	for (size_t i = 0; i < count && !pause_after(2); i++) {
		const double *n = planes[i].normal;

		if (n[0] * best[0] + n[1] * best[1] >= planes[i].least - (planes[i].least > 0.0 ? slack : 0.0))
			continue;
		if (!line_best(planes, i, wanted, slack, best))
			return false;
	}
	v[0] = best[0];
	v[1] = best[1];
	return true;
}
