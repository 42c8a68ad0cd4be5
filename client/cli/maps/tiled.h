/* tiled: a Tiled map in JSON (https://doc.mapeditor.org/en/stable/reference/json-map-format/) as a scene.
 *
 * Objects become shapes: polylines, polygons and rectangles walls, ellipses with equal axes circles, each turned by its
 * rotation and moved by the offsets of its layer and of the groups around it; visible or not. Tiled's y points down, a scene's
 * up: y is negated, velocities and gravity with it. Lengths are pixels times `scale`. Custom properties of an object, else of
 * its layer, a group around it or the map: restitution, category, mask; for circles also vx, vy (pixels/s), mass, kind; of an
 * object alone, id; of the map alone, gravityX, gravityY (pixels/s²).
 *
 * What cannot be a shape of a scene is told, never left out in silence: with an object that should have been one the import
 * fails, unless told to skip them. One thread at a time. */
#ifndef COLLIDE_CLI_TILED_H
#define COLLIDE_CLI_TILED_H

#include "client/cli/scene/scene_build.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct tiled_options {
	double scale;       /* length units per pixel */
	double restitution; /* where no property says otherwise */
	FILE *told;         /* where problems go, one a line */
	FILE *names;        /* gets "circle 3<TAB>ball" for objects with names; NULL: nowhere */
};

struct tiled_counts {
	size_t refused;  /* objects that should have been shapes */
	size_t left_out; /* what is no shape anyway: tile layers, images, points, texts */
};

/* What a file is, by its first bytes. */
enum tiled_kind {
	TILED_JSON,       /* may be a map in JSON */
	TILED_XML,        /* may be a map in Tiled's own form, which has to be exported */
	TILED_OTHER,      /* neither: perhaps a WAD */
	TILED_UNREADABLE, /* and errno says why */
};
/* "-" is stdin, which is JSON if anything. */
enum tiled_kind tiled_kind_of(const char *path);
/* Adds to an empty scene. false: it is no map that can be imported, and `error` says why. */
bool tiled_import(const json_t *map, const struct tiled_options *options, struct scene_build *build,
                  struct tiled_counts *counts, char *error, size_t error_size);

#endif
