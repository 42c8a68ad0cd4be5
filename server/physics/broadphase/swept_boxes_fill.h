/* swept_boxes_fill: the boxes (tables/swept_boxes.h) of all bodies of a world for the tick that begins. */
#ifndef COLLIDED_BROADPHASE_SWEPT_BOXES_FILL_H
#define COLLIDED_BROADPHASE_SWEPT_BOXES_FILL_H

#include "physics/tables/swept_boxes.h"

struct world;

/* Assigns slots to all bodies, by the cells that they are in. False without memory. */
bool swept_boxes_deal_all(struct swept_boxes *swept_boxes, const struct world *world);
/* The same in steps, after swept_boxes_reserve. First slots, from 0 on, for the bodies in the cells first .. end; then the
 * contents of the slots in some rows of a level's cells. */
void swept_boxes_deal_cells(struct swept_boxes *swept_boxes, const struct world *world, uint32_t first, uint32_t end);
void swept_boxes_fill_rows(struct swept_boxes *swept_boxes, const struct world *world, uint32_t level, uint32_t first,
                           uint32_t end);

#endif
