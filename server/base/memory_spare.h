/* memory_spare: what a thread can do without (memory.h). */
#ifndef COLLIDED_BASE_MEMORY_SPARE_H
#define COLLIDED_BASE_MEMORY_SPARE_H

/* Without release: nothing. */
struct memory_spare {
	void (*release)(void *context); /* frees it */
	void *context;
	const struct memory_spare *next; /* what is released if that was not enough; NULL: nothing */
};

#endif
