/* def_field: a problem that the engine found in a definition, at the field of the message that the definition was made of.
 *
 * Any thread; writes into the caller's problem. */
#ifndef COLLIDED_SCENE_DEFINITION_DEF_FIELD_H
#define COLLIDED_SCENE_DEFINITION_DEF_FIELD_H

#include "physics/physics.h"
#include "wire/wire.h"

/* The proto's name of a definition's field. */
const char *def_field_name(enum def_field field);

/* Translates what world_create found, for a definition that scene_world_def made of `scene`. */
enum status def_field_problem(struct wire_problem *problem, const char *path, const Collide__V1__Scene *scene,
                              const struct def_problem *found);

#endif
