/* sheet: how the plane lies on a moving picture of so many pixels. Any thread. */
#ifndef COLLIDE_CLI_SHEET_H
#define COLLIDE_CLI_SHEET_H

#include "client/cli/motion/motion.h"

struct sheet {
	unsigned width, height; /* pixels */
	double scale;           /* pixels per length unit */
	double x, y;            /* of the plane, in the middle */
};

/* The whole run. At most twice as high as it is wide. */
struct sheet sheet_fit(const struct run_motion *motion, unsigned width);

static inline double
sheet_x(const struct sheet *sheet, double x)
{
	return sheet->width / 2.0 + (x - sheet->x) * sheet->scale;
}

static inline double
sheet_y(const struct sheet *sheet, double y)
{
	return sheet->height / 2.0 - (y - sheet->y) * sheet->scale;
}

/* How long the trails of moving circles are and their contacts glow, in seconds of the run: few circles have long ones. So the
 * sheet is neither empty nor crowded. */
double sheet_trail_seconds(const struct sheet *sheet, const struct run_motion *motion, double line);
double sheet_flash_seconds(const struct run_motion *motion, double speed);

#endif
