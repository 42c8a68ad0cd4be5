/* one_sided: walls that stop circles from the left of their direction only.
 *
 * There is no memory of the side that a circle came from: its position decides. A circle that is deeper than a skin in a
 * one-sided segment passes. Nothing of that segment stops it, wherever it turns, until it is outside again; for a circle that
 * the segment stops is never that deep. Any other circle makes contact as with a two-sided wall, but only while its centre is
 * left of the segment's line. It meets the face from above, and an end from the left half of the cap.
 *
 * Where segments share an end, each has a contact of its own with it (an end "is exposed" in a direction). A one-sided segment
 * hides the ends of other one-sided segments that continue it in the same direction, as two-sided segments do. So a chain acts
 * as one wall: a circle that passes one link is not stopped at the end of the next. Other ends it hides only from circles that
 * it stops, and only where its own face is. */
#ifndef COLLIDED_WORLD_ONE_SIDED_H
#define COLLIDED_WORLD_ONE_SIDED_H

#include "physics/world/world.h"

/* Whether a one-sided segment stops a circle with its centre there: the centre is left of the line, and the circle no deeper
 * than a skin. `radii`: the sum of both. */
bool one_sided_stops(const struct segment *segment, double x, double y, double radii, double skin);

#endif
