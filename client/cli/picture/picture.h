/* picture: a run on one sheet: walls, paths of the circles, contacts, final positions. Or the answers to questions: the paths
 * of rays and circle casts.
 *
 * One thread at a time. It collects during the run, in memory that depends on the number of circles but not on the length of
 * the run, then draws. SVG and PNG come from the same drawing code. Bodies are rows in ascending order of id, as
 * in Frame.bodies.
 *
 * The folder picture/ is pictures alone. It may use motion/, scene/, terminal/ and drawing/. run/ and the command query call
 * it. */
#ifndef COLLIDE_CLI_PICTURE_H
#define COLLIDE_CLI_PICTURE_H

#include "client/cli/motion/piece.h"
#include "collide/v1/collide.pb-c.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct picture;

/* A picture of this scene, with its circles at their start. Copies what it needs. NULL without memory, or if the scene's
 * columns have unequal lengths (which the engine refuses as well). */
struct picture *picture_create(const Collide__V1__Scene *scene);
void picture_destroy(struct picture *picture);

/* A circle's path goes on along this piece, up to `until`: one circle's pieces in order of time. Drawn as it is, straight or a
 * parabola. */
void picture_piece(struct picture *picture, size_t row, const struct motion_piece *piece, double until);

/* The centres after the last tick, in ascending order of id. `count` must be the number of circles of the scene that have not
 * had their end; otherwise the call does nothing. After the pieces. */
void picture_places(struct picture *picture, const double *x, const double *y, size_t count);

/* How many ticks the run has made, and its collisions; for the caption. */
void picture_counts(struct picture *picture, uint64_t ticks, uint64_t collisions);

/* A text that stands there, on top of all. Copied, as far as there is room; beyond PICTURE_LABELS_MAX they are left out. */
void picture_label(struct picture *picture, double x, double y, const char *text);

/* A contact rule stopped the circle there. The last such place of each is drawn. */
void picture_stop(struct picture *picture, size_t row, double x, double y);

/* The circle with this id has its end there: it is in no later frame. */
void picture_end(struct picture *picture, uint32_t id, double x, double y);

/* The position of the segment with this id after a frame. Without a call it stays where the scene, or the last call, has put
 * it. */
void picture_wall_move(struct picture *picture, uint32_t id, double x1, double y1, double x2, double y2);

/* A contact at this point. */
void picture_contact(struct picture *picture, double x, double y, double approach_speed);

/* A straight path of a question: of a ray, or of a circle of that radius, which is drawn at its end. A faint path found
 * nothing. Paths beyond PICTURE_QUERY_PATHS_MAX are left out. */
void picture_query_path(struct picture *picture, double x1, double y1, double x2, double y2, double radius, bool faint);

/* Text for the caption, instead of the counts of circles, frames and contacts. Copied. */
void picture_caption(struct picture *picture, const char *text);

/* A line that files hold without showing it (note.h). Copied. */
void picture_note(struct picture *picture, const char *text);

/* The width of PNGs in pixels; 0, the initial value: large enough to print. A narrow one is drawn for its size, with lines and
 * letters as thick as in a large one. */
void picture_png_width(struct picture *picture, unsigned pixels);

bool picture_write_svg(const struct picture *picture, const char *path, char *error, size_t error_size);
bool picture_write_png(const struct picture *picture, const char *path, char *error, size_t error_size);

#endif
