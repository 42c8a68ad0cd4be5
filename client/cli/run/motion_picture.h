/* motion_picture: a picture of a whole motion, with all its paths: of a world, of which the shapes come and go.
 *
 * One thread at a time. A circle that has gone is a cross, as one that has ended in a run; a wall that has gone is faint. */
#ifndef COLLIDE_CLI_MOTION_PICTURE_H
#define COLLIDE_CLI_MOTION_PICTURE_H

#include "client/cli/motion/motion.h"
#include "client/cli/picture/picture.h"

/* A contact in it. */
struct motion_contact {
	double x, y, approach_speed;
};

/* To be destroyed by the caller. NULL: no memory. */
struct picture *motion_picture(const struct run_motion *motion, const struct motion_contact *contacts, size_t contact_count);

#endif
