/* tiled_options: what an import of a Tiled map is asked for, and how many objects it could not take. Plain data. */
#ifndef COLLIDE_CLI_TILED_OPTIONS_H
#define COLLIDE_CLI_TILED_OPTIONS_H

#include <stddef.h>
#include <stdio.h>

struct tiled_options {
	double scale;       /* length units per pixel */
	double restitution; /* where no property gives one */
	FILE *told;         /* where problems are reported, one a line */
	FILE *names;        /* gets "circle 3<TAB>ball" for objects with names; NULL: nowhere */
};

struct tiled_counts {
	size_t refused;  /* objects that should have become shapes */
	size_t left_out; /* what is no shape at all: tile layers, images, points, texts */
};

#endif
