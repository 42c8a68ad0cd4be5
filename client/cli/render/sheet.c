#include "client/cli/render/sheet.h"

#include <math.h>

/* Pixels around the scene, as a part of the width. */
static const double margin = 0.03;
/* Neither side is less than this part of the other. */
static const double aspect_min = 0.36, aspect_max = 2;

struct sheet
sheet_fit(const struct run_motion *motion, unsigned width)
{
	struct motion_extent extent = motion_extent(motion);
	double wide = extent.x2 - extent.x1, high = extent.y2 - extent.y1, least = fmax(wide, high) > 0 ? fmax(wide, high) : 1;
	double edge = fmax(margin * width, 2), room = width - 2 * edge;
	wide = fmax(wide, 1e-3 * least);
	high = fmax(high, 1e-3 * least);
	double height = fmin(fmax(room * high / wide, aspect_min * room), aspect_max * room);
	return (struct sheet){
		.width = width,
		.height = (unsigned)ceil(height + 2 * edge),
		.scale = fmin(room / wide, height / high),
		.x = extent.x1 / 2 + extent.x2 / 2,
		.y = extent.y1 / 2 + extent.y2 / 2,
	};
}

double
sheet_trail_seconds(const struct sheet *sheet, const struct run_motion *motion, double line)
{
	size_t moving;
	double speed = motion_speed_mean(motion, &moving), area = (double)sheet->width * sheet->height;
	double pixels = fmin(0.05 * area / (line * fmax((double)moving, 4)), sheet->width);
	return fmin(pixels / (speed * sheet->scale), motion->duration);
}

double
sheet_flash_seconds(const struct run_motion *motion, double speed)
{
	/* A quarter of a second to the eye; where contacts are many, so long that about three hundred are seen at a time. */
	double many = 300 * motion->duration / (double)(motion->contacts + 1);
	return fmin(fmax(many, 0.03 * speed), 0.25 * speed);
}
