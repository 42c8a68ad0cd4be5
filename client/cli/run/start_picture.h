/* start_picture: the picture of what a run begins with, a scene or a snapshot. One thread at a time. */
#ifndef COLLIDE_CLI_START_PICTURE_H
#define COLLIDE_CLI_START_PICTURE_H

#include "client/cli/picture/picture.h"
#include "client/cli/recording/start.h"

/* As picture_create; NULL also if the snapshot is invalid. */
struct picture *start_picture(const struct start *start);

#endif
