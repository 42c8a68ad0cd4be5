/* workspace: the scratch memory of a tick or an edit, and its reports, lent to worlds that take turns (physics.h). Internal
 * part: how a world takes it and gives it back.
 *
 * All of it are members of struct world, so that the code which uses them need not know their owner. A world without a
 * workspace owns them; a world with one has them from workspace_enter to workspace_leave. The next tick of the same world needs
 * none of their contents.
 *
 * The room tick/: the coordinator: one tick from begin to report (step.c); scratch that worlds share. It uses partition and
 * all below. It is called by state and the program that uses the engine. */
#ifndef COLLIDED_TICK_WORKSPACE_H
#define COLLIDED_TICK_WORKSPACE_H

#include "physics/world/world.h"

/* To be called before a tick or an edit; also prefetches the world's memory. False without memory. */
STATUS_MUST_USE bool workspace_enter(struct world *world);
void workspace_leave(struct world *world);

/* For those members. The first frees a world's own, or lets its workspace forget the world. The second counts a world's own
 * bytes, or its share of the workspace's: the reports of its last tick. */
void scratch_finish(struct world *world);
size_t scratch_memory_bytes(const struct world *world);

#endif
