/* done: SimulateDone as callers see it. */
#ifndef COLLIDE_CLIENT_LIB_DONE_H
#define COLLIDE_CLIENT_LIB_DONE_H

#include "client/lib/collide.h"
#include "collide/v1/collide.pb-c.h"

/* Fields that the message lacks are 0. */
struct collide_done done_of(const Collide__V1__SimulateDone *done);

#endif
