/* give_way: what ends in a full world, so that one of an address that has less finds a place.
 *
 * Loop only. It is of the address that has most by the join secret, and more than the one that comes will have. Nothing of the
 * owner's ends, nothing of a seat that came with a handover, and no seat in use. */
#ifndef COLLIDED_WORLDS_REGISTRY_GIVE_WAY_H
#define COLLIDED_WORLDS_REGISTRY_GIVE_WAY_H

#include "worlds/registry/guests.h"

/* The seat that has been without a connection for longest. Else the one that has been silent for longest: no shorter than one
 * without a connection is kept. NULL: there is none. */
struct seat *seat_to_give_way(const struct hosted *world, const struct guest *guest, uint64_t now_ns);
/* The newest reader. NULL: there is none. */
struct subscription *reader_to_give_way(const struct hosted *world, const struct guest *guest);

#endif
