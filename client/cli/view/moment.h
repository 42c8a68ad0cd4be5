/* moment: one moment of a motion on a canvas: walls, short trails, circles, sparks at contacts. One thread at a time. */
#ifndef COLLIDE_CLI_MOMENT_H
#define COLLIDE_CLI_MOMENT_H

#include "client/cli/motion/motion.h"
#include "client/cli/view/canvas.h"

/* What part of the plane is shown, and how. */
struct moment {
	const struct run_motion *motion;
	double x, y, scale;  /* in the middle; dots per length unit */
	double trail, flash; /* seconds of the run */
	struct hues hues;
	size_t *hints; /* of each circle */
};

/* false: no memory. */
bool moment_init(struct moment *moment, const struct run_motion *motion);
void moment_finish(struct moment *moment);
/* All of the run on a canvas of that size. */
void moment_fit(struct moment *moment, const struct canvas *canvas);
/* Sets how long trails and sparks are: `speed` is in seconds of the run per second. */
void moment_pace(struct moment *moment, const struct canvas *canvas, double speed);
void moment_draw(const struct moment *moment, double t, struct canvas *canvas);

#endif
