/* descriptors: 0, 1 and 2 are open before anything else is, so that no socket or file becomes what others take for stderr. */
#ifndef COLLIDED_DESCRIPTORS_H
#define COLLIDED_DESCRIPTORS_H

#include <stdbool.h>

/* Opens /dev/null for those of 0 to 2 that are closed. The first thing of main. false: it cannot be opened; errno says why. */
bool descriptors_open(void);

#endif
