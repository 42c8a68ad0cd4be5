/* skin: the distance at which contact is made, for the events and for the resting solver. */
#ifndef COLLIDED_GEOMETRY_SKIN_H
#define COLLIDED_GEOMETRY_SKIN_H

/* Skin, the distance at which contact is made before the shapes would touch: 64 ulp of the larger coordinate (a path's end is
 * rounded by a few), or this part of the smaller radius. Larger shows; smaller lets rounding appear as overlap. */
#define SKIN_PER_COORDINATE 0x1p-46
#define SKIN_PER_RADIUS 1e-9

#endif
