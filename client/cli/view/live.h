/* live: a world that is watched, in the terminal: its walls, its circles where they are now, short trails to where they were
 * before.
 *
 * One thread; owns its memory. What it is told are updates of a subscription, in their order, and beside them the walls of the
 * map that the world is in, which no update has. */
#ifndef COLLIDE_CLI_LIVE_H
#define COLLIDE_CLI_LIVE_H

#include "client/cli/view/canvas.h"
#include "client/lib/collide.h"

#include <stdbool.h>

struct live;

/* NULL without memory. */
struct live *live_create(void);
void live_destroy(struct live *live);

/* Takes an update. false: no memory. */
bool live_take(struct live *live, const struct collide_world_update *update);
/* The walls of the map from now on: begun without any, then part by part. false: no memory. */
void live_map_begin(struct live *live);
bool live_map_take(struct live *live, const struct collide_segments *rows);
/* Instead, after an update: all that a follower has. */
bool live_follow(struct live *live, const struct collide_follower *follower);
/* What the canvas shows, and as much again around it in the directions in which it may be moved. false: nothing yet. */
bool live_region(const struct live *live, const struct canvas *canvas, struct collide_region *region);
/* Zoom and movement, as in view.h. */
void live_key(struct live *live, int key);
/* What is known now, on a canvas. The first time, and after '0', all of it is made to fit. */
void live_draw(struct live *live, struct canvas *canvas);
/* Circles that are there. */
size_t live_count(const struct live *live);

#endif
