/* page_parts: the files of page/ as bytes, put into the program when it is built. Constant; any thread. */
#ifndef COLLIDE_CLI_PAGE_PARTS_H
#define COLLIDE_CLI_PAGE_PARTS_H

#include <stddef.h>
#include <stdint.h>

extern const uint8_t page_head[], page_motion[], page_player[];
extern const size_t page_head_bytes, page_motion_bytes, page_player_bytes;

#endif
