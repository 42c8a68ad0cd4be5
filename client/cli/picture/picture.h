/* picture: what a run looked like. Walls, the paths of the circles, where they touched, and where they ended, on one sheet; or
 * what questions came to: the ways of rays and circles.
 *
 * One thread at a time. Collects while the run goes on, in memory that depends on the number of circles but not on the
 * length of the run, then draws with cairo. SVG and PNG come from the same drawing code. Bodies are rows in ascending order
 * of id, as in Frame.bodies.
 *
 * The folder picture/ is pictures alone. It may use scene/, terminal/ and cairo. run/ and the command query call it. */
#ifndef COLLIDE_CLI_PICTURE_H
#define COLLIDE_CLI_PICTURE_H

#include "collide/v1/collide.pb-c.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct picture;

/* A picture of this scene, with its circles at their start. Copies what it needs. NULL without memory, or if the scene's
 * columns have unequal lengths (which the engine would refuse as well). */
struct picture *picture_create(const Collide__V1__Scene *scene);
void picture_destroy(struct picture *picture);

/* The centres after a frame, in ascending order of id; count must be the number of circles of the scene, else the call does
 * nothing. Call it for every frame, after the contacts that came with it. */
void picture_frame(struct picture *picture, const double *x, const double *y, size_t count);

/* Where the segment of this id is after a frame. Segments stay where the scene has them, or where they were put last. */
void picture_wall_move(struct picture *picture, uint32_t id, double x1, double y1, double x2, double y2);

/* A contact at this point. */
void picture_contact(struct picture *picture, double x, double y, double approach_speed);
/* The same, and bends the paths of those who touched there, so that a path does not cut the corner between two frames.
 * normal: unit, from b to a. a and b are ids of circles; b_is_circle false: b was a segment. In order of time. */
void picture_collision(struct picture *picture, double x, double y, double normal_x, double normal_y, double approach_speed,
                       uint32_t a, bool b_is_circle, uint32_t b);

/* A straight way of a question: a ray, or of a circle of that radius, which is shown at its end. A faint one found nothing. Of
 * more than the picture can show the rest is left out. */
void picture_query_path(struct picture *picture, double x1, double y1, double x2, double y2, double radius, bool faint);

/* Text for the caption, instead of the counts of circles, frames and contacts that picture knows itself. Copied. */
void picture_caption(struct picture *picture, const char *text);

/* How wide PNGs are, in pixels; 0, as at the start: large enough to print. A narrow one is drawn for its size, with lines and
 * letters as thick as in a large one. */
void picture_png_width(struct picture *picture, unsigned pixels);

bool picture_write_svg(const struct picture *picture, const char *path, char *error, size_t error_size);
bool picture_write_png(const struct picture *picture, const char *path, char *error, size_t error_size);

#endif
