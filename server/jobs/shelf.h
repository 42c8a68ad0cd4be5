/* shelf: what a worker needs for a while and leaves for the next: the last one given is the first one taken, being warm.
 *
 * A thing is opaque and belongs to the shelf or to whoever took it. shelf_take and shelf_give: any thread. */
#ifndef COLLIDED_JOBS_SHELF_H
#define COLLIDED_JOBS_SHELF_H

#include <stdbool.h>
#include <stddef.h>

/* Things on the shelf. More workers than this at once make some anew each time. */
#define SHELF_THINGS_MAX 64

struct shelf;

/* NULL without memory. */
struct shelf *shelf_create(void);
/* NULL: nothing happens. Things that are left go to `discard`. */
void shelf_destroy(struct shelf *shelf, void (*discard)(void *thing));
/* NULL: it is empty. */
void *shelf_take(struct shelf *shelf);
/* False: it is full, and the thing is the caller's still. */
bool shelf_give(struct shelf *shelf, void *thing);

#endif
