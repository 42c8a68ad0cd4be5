/* tiled: a Tiled map in JSON (https://doc.mapeditor.org/en/stable/reference/json-map-format/) as a scene.
 *
 * Objects become shapes, visible or not. Polylines, polygons and rectangles become walls; ellipses with equal axes become
 * circles. Each is turned by its rotation, and moved by the offsets of its layer and of the groups around it. Tiled's y points
 * down, a scene's up: y is negated, and so are velocities and gravity. Lengths are pixels times `scale`.
 *
 * Custom properties come from an object, else from its layer, a group around it or the map: restitution, category, mask.
 * Circles also have vx, vy (pixels/s), mass and kind. An id belongs to an object alone; gravityX and gravityY (pixels/s²) to
 * the map alone.
 *
 * What cannot become a shape is reported, never left out silently. If an object should have become one, the import fails,
 * unless such objects are to be skipped. One thread at a time. */
#ifndef COLLIDE_CLI_TILED_H
#define COLLIDE_CLI_TILED_H

#include "client/cli/maps/tiled_options.h"
#include "client/cli/scene/scene_build.h"

#include <jansson.h>
#include <stdbool.h>

/* What a file is, by its first bytes. */
enum tiled_kind {
	TILED_JSON,       /* may be a map in JSON */
	TILED_XML,        /* may be a map in Tiled's own form, which must be exported first */
	TILED_OTHER,      /* neither: perhaps a WAD */
	TILED_UNREADABLE, /* errno says why */
};
/* "-" is stdin, which must be JSON. */
enum tiled_kind tiled_kind_of(const char *path);
/* Adds to an empty scene. false: the map cannot be imported, and `error` says why. */
bool tiled_import(const json_t *map, const struct tiled_options *options, struct scene_build *build,
                  struct tiled_counts *counts, char *error, size_t error_size);

#endif
