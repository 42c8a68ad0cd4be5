/* skin: the distance at which contact is made, for the events and for the rest solver. */
#ifndef COLLIDED_GEOMETRY_SKIN_H
#define COLLIDED_GEOMETRY_SKIN_H

/* The skin is the distance between the shapes at which contact is made. It is 64 ulp of the larger coordinate (the end of a
 * path is rounded by a few ulp), or this fraction of the smaller radius. A larger skin is visible; with a smaller one rounding
 * appears as overlap. */
#define SKIN_PER_COORDINATE 0x1p-46
#define SKIN_PER_RADIUS 1e-9

#endif
