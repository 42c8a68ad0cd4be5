/* query_picture: the answers to questions, on a picture of their scene: paths of casts and moves, hits, distances to the
 * nearest shape.
 *
 * One thread at a time. */
#ifndef COLLIDE_CLI_QUERY_PICTURE_H
#define COLLIDE_CLI_QUERY_PICTURE_H

#include "client/lib/collide.h"
#include "collide/v1/collide.pb-c.h"

struct query_picture;

/* For the questions and their scene or snapshot, which are borrowed. NULL: no memory, or the scene is wrong. */
struct query_picture *query_picture_create(const Collide__V1__Query *query);
void query_picture_destroy(struct query_picture *drawing);

/* Takes the answer, part by part. */
void query_picture_part(struct query_picture *drawing, const struct collide_queried *part);

/* Writes the files; a NULL path is skipped. false: *error says what is wrong. */
bool query_picture_write(struct query_picture *drawing, const char *svg_path, const char *png_path, char *error,
                         size_t error_size);

#endif
