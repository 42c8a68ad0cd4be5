/* frame: one moment of a motion, drawn as pictures are: walls, the trails of circles, sparks at contacts, circles.
 *
 * One thread at a time. */
#ifndef COLLIDE_CLI_FRAME_H
#define COLLIDE_CLI_FRAME_H

#include "client/cli/drawing/drawing.h"
#include "client/cli/motion/motion.h"
#include "client/cli/picture/hue.h"
#include "client/cli/render/sheet.h"

/* What stays the same from frame to frame. */
struct frame_style {
	const struct run_motion *motion;
	const struct sheet *sheet;
	struct hues hues;
	double trail, flash; /* seconds of the run */
	double line;         /* width of trails, pixels */
	size_t *hints;       /* of each circle, for motion_piece_near */
};

/* false: no memory. `speed`: seconds of the run per second. */
bool frame_style_init(struct frame_style *style, const struct run_motion *motion, const struct sheet *sheet, double speed);
void frame_style_finish(struct frame_style *style);
void frame_draw(const struct frame_style *style, double t, struct drawing *drawing);

#endif
