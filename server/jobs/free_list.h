/* free_list: items that a worker needs for a while and leaves for the next. The last one given is the first one taken, while
 * its memory is still in a cache.
 *
 * An item is opaque. It belongs to the list, or to the thread that took it. Any thread, but for its begin and end. */
#ifndef COLLIDED_JOBS_FREE_LIST_H
#define COLLIDED_JOBS_FREE_LIST_H

#include <stdbool.h>
#include <stddef.h>

/* Things on the list. More workers than this at once make some anew each time. */
#define FREE_LIST_ITEMS_MAX 64

struct free_list;

/* NULL without memory. */
struct free_list *free_list_create(void);
/* NULL: nothing happens. Things that are left go to `discard`. */
void free_list_destroy(struct free_list *list, void (*discard)(void *item));
/* NULL: it is empty. */
void *free_list_take(struct free_list *list);
/* False: it is full, and the item is the caller's still. */
bool free_list_give(struct free_list *list, void *item);
/* Of those that were not taken since it said NULL last, one, as long as more than so many stay on the list; or NULL. What many
 * needed at once is no longer needed when few do. */
void *free_list_take_unused(struct free_list *list, size_t kept);
size_t free_list_count(struct free_list *list);

#endif
