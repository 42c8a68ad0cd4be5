/* world_replies: what worlds say, as replies of sessions: the table that worlds_options.upward is.
 *
 * Loop only. */
#ifndef COLLIDED_SESSION_WORLD_REPLIES_H
#define COLLIDED_SESSION_WORLD_REPLIES_H

#include "worlds/registry/worlds.h"

/* Clients are sessions, accounts are struct account. What is said is sent by session_settle_returned. */
extern const struct worlds_upward session_worlds_upward;

#endif
