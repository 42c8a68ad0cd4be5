/* tiled_shape: objects of a Tiled map as walls and circles. One thread at a time. */
#ifndef COLLIDE_CLI_TILED_SHAPE_H
#define COLLIDE_CLI_TILED_SHAPE_H

#include "client/cli/maps/tiled_object.h"

/* Adds the object's shape; false: refused. */
bool tiled_shape_add(struct tiled *tiled, const struct tiled_object *object);

#endif
