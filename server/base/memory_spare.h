/* memory_spare: what a thread can do without (memory.h). */
#ifndef COLLIDED_BASE_MEMORY_SPARE_H
#define COLLIDED_BASE_MEMORY_SPARE_H

/* Without release: nothing. */
struct memory_spare {
	void (*release)(void *context); /* frees it */
	void *context;
};

#endif
