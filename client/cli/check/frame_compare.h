/* frame_compare: whether two frames are the same, bit for bit. Any thread. */
#ifndef COLLIDE_CLI_FRAME_COMPARE_H
#define COLLIDE_CLI_FRAME_COMPARE_H

#include "client/lib/collide.h"

#include <stdbool.h>
#include <stddef.h>

/* false: `text` names the first difference: "the state hash: 0123... there, 4567... here". */
bool frame_compare(const struct collide_frame *there, const struct collide_frame *here, char *text, size_t text_size);

#endif
