/* shape_defs: the circles and segments of a Scene message as definitions of the engine: columns first, then those by hand.
 *
 * Any thread; the definitions live in the arena. Lengths, ids and enums are checked here, values by world_create. */
#ifndef COLLIDED_SCENE_DEFINITION_SHAPE_DEFS_H
#define COLLIDED_SCENE_DEFINITION_SHAPE_DEFS_H

#include "scene/fields/diagnostics.h"

/* Writes the circles of a world's definition, how many there are, and how many are known to be alike. */
STATUS_MUST_USE enum status shapes_circles(struct arena *arena, const Collide__V1__Scene *scene, const char *path,
                                           struct world_def *out, struct diagnostics *diagnostics);
/* What the scene's groups are to each other. */
STATUS_MUST_USE enum status shapes_relations(struct arena *arena, const Collide__V1__Scene *scene, const char *path,
                                             const struct relation_def **out, size_t *count, struct diagnostics *diagnostics);
STATUS_MUST_USE enum status shapes_segments(struct arena *arena, const Collide__V1__Scene *scene, const char *path,
                                            const struct segment_def **out, size_t *count, struct diagnostics *diagnostics);

/* Row `row` of the columns; ids are given or counted. false: the row's kind has no name. */
bool shapes_column_circle(const Collide__V1__CircleColumns *columns, size_t row, bool ids_given, struct circle_def *def);
/* The same of columns that need not be a scene's: the table `list` of the message at `path`. Each row has an id.
 * INVALID_ARGUMENT at a number of an enum that has no name. */
STATUS_MUST_USE enum status shapes_circle_row(const Collide__V1__CircleColumns *columns, const char *path, const char *list,
                                              size_t row, struct circle_def *def, struct wire_problem *problem);
struct segment_def shapes_column_segment(const Collide__V1__SegmentColumns *columns, size_t row, bool ids_given);

/* Checks rows + hand_count against the limit; comes before either of the above. */
STATUS_MUST_USE enum status shapes_count_check(const char *path, const char *columns_list, size_t rows, const char *hand_list,
                                               size_t hand_count, uint32_t count_max, struct diagnostics *diagnostics);

#endif
