#include "client/cli/picture/hue.h"

#include <math.h>

const struct picture_colour picture_night = { 0.047, 0.055, 0.082 };
const struct picture_colour picture_chalk = { 0.925, 0.914, 0.874 };
const struct picture_colour picture_steel = { 0.42, 0.58, 0.86 };
const struct picture_colour picture_ember = { 1.0, 0.60, 0.22 };
const struct picture_colour picture_spark = { 1.0, 0.93, 0.76 };

/* Colour stops of about equal lightness on a dark ground: rose, coral, amber, lime, teal, sky, violet. */
static const struct picture_colour stops[] = {
	{ 0.98, 0.36, 0.56 }, { 1.00, 0.48, 0.36 }, { 1.00, 0.72, 0.33 }, { 0.68, 0.85, 0.41 },
	{ 0.22, 0.82, 0.70 }, { 0.29, 0.67, 0.98 }, { 0.67, 0.52, 0.98 },
};
enum { STOPS = sizeof stops / sizeof stops[0] };
/* Up to this many circles, hues depend on the row instead of the position. */
enum { ROWS_MAX = 16 };

void
hues_begin(struct hues *hues)
{
	*hues = (struct hues){ HUGE_VAL, HUGE_VAL, -HUGE_VAL, -HUGE_VAL, 0 };
}

void
hues_add(struct hues *hues, double x, double y)
{
	hues->x1 = fmin(hues->x1, x);
	hues->x2 = fmax(hues->x2, x);
	hues->y1 = fmin(hues->y1, y);
	hues->y2 = fmax(hues->y2, y);
	hues->count++;
}

int
hue_of(const struct hues *hues, size_t row, double x, double y)
{
	/* Along the longer side. */
	bool along_y = hues->y2 - hues->y1 > hues->x2 - hues->x1;
	double share = along_y ? (y - hues->y1) / (hues->y2 - hues->y1) : (x - hues->x1) / (hues->x2 - hues->x1);
	if (hues->count <= ROWS_MAX)
		share = (double)row / fmax((double)hues->count - 1, 1);
	return share > 0 ? (int)fmin(share * PICTURE_HUES, PICTURE_HUES - 1) : 0;
}

int
hue_of_circle(const struct hues *hues, const struct motion_scene *scene, size_t row)
{
	size_t first = scene->circles[row].first;
	return hue_of(hues, first, scene->circles[first].x, scene->circles[first].y);
}

struct picture_colour
hue_colour(int hue)
{
	double at = (double)hue / (PICTURE_HUES - 1) * (STOPS - 1);
	int stop = at < STOPS - 1 ? (int)at : STOPS - 2;
	return picture_colour_mix(stops[stop], stops[stop + 1], at - stop);
}

struct picture_colour
picture_colour_mix(struct picture_colour a, struct picture_colour b, double share)
{
	return (struct picture_colour){
		a.red + (b.red - a.red) * share,
		a.green + (b.green - a.green) * share,
		a.blue + (b.blue - a.blue) * share,
	};
}
