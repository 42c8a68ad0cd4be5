#include "client/cli/picture/picture_colour.h"

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
picture_hues_init(struct picture_hues *hues, const struct picture *picture)
{
	double x1 = HUGE_VAL, y1 = HUGE_VAL, x2 = -HUGE_VAL, y2 = -HUGE_VAL;
	for (size_t i = 0; i < picture->body_count; i++) {
		const struct picture_body *body = &picture->bodies[i];
		x1 = fmin(x1, body->start_x);
		x2 = fmax(x2, body->start_x);
		y1 = fmin(y1, body->start_y);
		y2 = fmax(y2, body->start_y);
	}
	bool along_y = y2 - y1 > x2 - x1;
	*hues = (struct picture_hues){
		.picture = picture,
		.along_y = along_y,
		.low = along_y ? y1 : x1,
		.high = along_y ? y2 : x2,
		.by_row = picture->body_count <= ROWS_MAX,
	};
}

int
picture_hue_of(const struct picture_hues *hues, size_t row)
{
	const struct picture_body *body = &hues->picture->bodies[row];
	double share = ((hues->along_y ? body->start_y : body->start_x) - hues->low) / (hues->high - hues->low);
	if (hues->by_row)
		share = (double)row / fmax((double)hues->picture->body_count - 1, 1);
	return share > 0 ? (int)fmin(share * PICTURE_HUES, PICTURE_HUES - 1) : 0;
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

struct picture_colour
picture_hue_number(int hue)
{
	double at = (double)hue / (PICTURE_HUES - 1) * (STOPS - 1);
	int stop = at < STOPS - 1 ? (int)at : STOPS - 2;
	return picture_colour_mix(stops[stop], stops[stop + 1], at - stop);
}

struct picture_colour
picture_hue(const struct picture_hues *hues, size_t row)
{
	return picture_hue_number(picture_hue_of(hues, row));
}
