/* picture_colour: the colours of pictures. A circle's hue depends on where it started, so a picture shows how far the circles
 * have mixed. */
#ifndef COLLIDE_CLI_PICTURE_COLOUR_H
#define COLLIDE_CLI_PICTURE_COLOUR_H

#include "client/cli/picture/picture_store.h"

/* Steps of the palette from one end of the scene to the other. */
#define PICTURE_HUES 32

struct picture_colour {
	double red, green, blue;
};

struct picture_hues {
	const struct picture *picture;
	double low, high; /* range of start positions along the longer side */
	bool along_y;
	bool by_row; /* few circles: each its own hue */
};

extern const struct picture_colour picture_night, picture_chalk, picture_steel, picture_ember, picture_spark;

void picture_hues_init(struct picture_hues *hues, const struct picture *picture);
/* The hue of a body: as a number in 0..PICTURE_HUES-1, and as a colour. */
int picture_hue_of(const struct picture_hues *hues, size_t row);
struct picture_colour picture_hue_number(int hue);
struct picture_colour picture_hue(const struct picture_hues *hues, size_t row);
/* A mixture: `share` of b, the rest of a. */
struct picture_colour picture_colour_mix(struct picture_colour a, struct picture_colour b, double share);

#endif
