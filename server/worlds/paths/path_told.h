/* path_told: lists of rows of a tick: their order, and rows that two kinds of readers are told alike. */
#ifndef COLLIDED_WORLDS_PATHS_PATH_TOLD_H
#define COLLIDED_WORLDS_PATHS_PATH_TOLD_H

#include "worlds/paths/path_tick.h"

/* As they are told: by time, then by circle. */
void path_told_order(const struct path_row_list *list);
/* Appends the rows from `first` on of one list to the other. False without memory. */
bool path_told_repeat(const struct path_row_list *from, size_t first, struct path_row_list *to);

/* When all readers have been told: the memory of few rows is for the next world's tick on this thread. */
void path_told_leave(struct path_told *told);

#endif
