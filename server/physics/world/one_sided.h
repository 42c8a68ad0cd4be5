/* one_sided: walls that stop circles from the left of their direction only.
 *
 * There is no memory of who came from where: the position says it. A circle that is deeper in a one-sided segment than a skin
 * passes, and nothing of that segment stops it, wherever it turns, until it is out of it; for what the segment stops is never
 * that deep. One that is not makes contact as with any other wall where its centre is left of the segment's line, and nowhere
 * else: with the face from above it, with an end from the half of its cap on the left.
 *
 * Where segments share an end, each has a contact of its own with it (an end "is exposed" in a direction). A one-sided segment
 * hides the ends of other one-sided ones that go on from it in the same direction as two-sided ones do: a chain is one thing,
 * and a circle that passes one link is not stopped at the edge of the next. All other ends it hides only from circles that it
 * stops, and only where its own face is. */
#ifndef COLLIDED_WORLD_ONE_SIDED_H
#define COLLIDED_WORLD_ONE_SIDED_H

#include "physics/world/world.h"

/* Whether a one-sided segment stops a circle with its centre there: it is left of the line, and no deeper than a skin.
 * `radii`: of both. */
bool one_sided_stops(const struct segment *segment, double x, double y, double radii, double skin);

#endif
