/* define: a Scene message as the definition of a world, up to the first problem or with every problem reported.
 *
 * One thread at a time; the definition lives in the arena. */
#ifndef COLLIDED_SCENE_DEFINITION_DEFINE_H
#define COLLIDED_SCENE_DEFINITION_DEFINE_H

#include "scene/fields/diagnostics.h"

/* As scene_world_def (scene.h), with diagnostics, up to the values. */
STATUS_MUST_USE enum status scene_define(struct arena *arena, const Collide__V1__Scene *scene,
                                         const struct scene_limits *limits, const char *path, struct world_def *def,
                                         struct diagnostics *diagnostics);

#endif
