/* view: a motion in the terminal: played, paused, stepped, scrubbed, zoomed.
 *
 * One thread; the motion is borrowed. */
#ifndef COLLIDE_CLI_VIEW_H
#define COLLIDE_CLI_VIEW_H

#include "client/cli/motion/motion.h"

enum view_end {
	VIEW_QUIT,
	VIEW_INTERRUPTED, /* by a signal: interrupt_status() */
	VIEW_FAILED,      /* the terminal cannot be had, or is gone; or no memory: errno */
};

/* Runs until the person quits. `speed`: seconds of the run per second, at first. The terminal is as before afterwards. */
enum view_end view_run(const struct run_motion *motion, const char *title, double speed);

#endif
