/* draft_read: a draft from a scene file, of those fields that trial_write writes.
 *
 * One thread. */
#ifndef COLLIDED_TESTS_OUTSIDE_DRAFT_READ_H
#define COLLIDED_TESTS_OUTSIDE_DRAFT_READ_H

#include "outside/draft.h"

/* Fills a draft that draft_finish frees; false: the file cannot be read. */
bool draft_read(struct draft *draft, const char *path);

#endif
