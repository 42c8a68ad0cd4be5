/* plot: curves as SVG inside a page: axes with round numbers, lines, a legend. It writes to a file as it goes, and owns
 * nothing. One thread at a time. Styles are attributes of the elements, so that a drawing cut out of the page looks the
 * same. */
#ifndef COLLIDE_CLI_PLOT_H
#define COLLIDE_CLI_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define PLOT_LINES_MAX 4

enum plot_scale {
	PLOT_LINEAR, /* from 0 */
	PLOT_LOG,    /* of positive values */
	PLOT_NINES,  /* of shares below 1: 0, 0.9, 0.99 ... have equal distances, as in HdrHistogram's plots */
};

struct plot_axis {
	const char *title;
	enum plot_scale scale;
	double least, most; /* `least` is 0 for PLOT_LINEAR */
};

struct plot {
	FILE *out;
	struct plot_axis x, y;
	size_t lines;
};

/* An axis that holds these values. `most` is rounded up; on a logarithmic axis `least` is rounded down. */
struct plot_axis plot_axis_for(const char *title, enum plot_scale scale, double least, double most);

/* Opens the drawing and draws the axes. */
void plot_begin(struct plot *plot, FILE *out, const char *title, struct plot_axis x, struct plot_axis y);
/* A line through the points. Points outside the axes are left out. `name` goes into the legend. */
void plot_line(struct plot *plot, const char *name, const double *xs, const double *ys, size_t count);
void plot_end(struct plot *plot);

/* Text as XML: & < > and quotes are escaped, and what is not printable ASCII becomes a question mark. */
void xml_print(FILE *out, const char *text);

#endif
