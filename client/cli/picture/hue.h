/* hue: the colours of circles. A circle's hue depends on where it started, so a picture shows how far the circles have mixed.
 *
 * Any thread. Still pictures and moving ones use it. */
#ifndef COLLIDE_CLI_HUE_H
#define COLLIDE_CLI_HUE_H

#include "client/cli/motion/motion_scene.h"

#include <stdbool.h>
#include <stddef.h>

/* Steps of the palette from one end of the scene to the other. */
#define PICTURE_HUES 32

struct picture_colour {
	double red, green, blue; /* 0..1 */
};

extern const struct picture_colour picture_night, picture_chalk, picture_steel, picture_ember, picture_spark;

/* Where the circles of a scene start: to be filled by hues_begin, then hues_add for each. */
struct hues {
	double x1, y1, x2, y2;
	size_t count;
};

void hues_begin(struct hues *hues);
void hues_add(struct hues *hues, double x, double y);
/* The hue of the circle in this row that started there, in 0..PICTURE_HUES-1; and its colour. */
int hue_of(const struct hues *hues, size_t row, double x, double y);
/* The same of a motion's row: that of the circle's first row. */
int hue_of_circle(const struct hues *hues, const struct motion_scene *scene, size_t row);
struct picture_colour hue_colour(int hue);
/* A mixture: `share` of b, the rest of a. */
struct picture_colour picture_colour_mix(struct picture_colour a, struct picture_colour b, double share);

#endif
