/* workspace: what a tick or an edit needs and nobody remembers, but for what it tells: lent to worlds that take turns
 * (physics.h). Internal part: how a world gets it and gives it back.
 *
 * All of it are members of struct world, so that whoever uses them does not ask whose they are: a world without a workspace
 * owns them, one with a workspace has them from workspace_enter to workspace_leave. None of them holds anything that the next
 * tick of the same world would need. */
#ifndef COLLIDED_TICK_WORKSPACE_H
#define COLLIDED_TICK_WORKSPACE_H

#include "physics/world/world.h"

/* Before a tick or an edit; has the world's memory come. False without memory. */
STATUS_MUST_USE bool workspace_enter(struct world *world);
void workspace_leave(struct world *world);

/* Those members: frees a world's own, or has its workspace forget the world; and how many bytes a world's own are, or its part
 * of the workspace's: what its last tick told. */
void scratch_finish(struct world *world);
size_t scratch_memory_bytes(const struct world *world);

#endif
