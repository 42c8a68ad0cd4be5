/* query_picture: what questions came to, on a picture of their scene: the ways of casts and moves, what they hit, how far the
 * nearest is.
 *
 * One thread at a time. */
#ifndef COLLIDE_CLI_QUERY_PICTURE_H
#define COLLIDE_CLI_QUERY_PICTURE_H

#include "client/lib/collide.h"
#include "collide/v1/collide.pb-c.h"

struct query_picture;

/* Of the questions and their scene or snapshot, which must stay. NULL without memory, or if that is wrong. */
struct query_picture *query_picture_create(const Collide__V1__Query *query);
void query_picture_destroy(struct query_picture *drawing);

/* What came, part by part. */
void query_picture_part(struct query_picture *drawing, const struct collide_queried *part);

/* Writes the files whose paths are not NULL; false: *error says what is wrong. */
bool query_picture_write(struct query_picture *drawing, const char *svg_path, const char *png_path, char *error,
                         size_t error_size);

#endif
