/* port_file: the real port, in a file for a script that waits for it. Once, when the daemon listens. */
#ifndef COLLIDED_PORT_FILE_H
#define COLLIDED_PORT_FILE_H

#include <stdbool.h>

/* Complete or not there at all. "": none is wanted. false: errno says why. */
bool port_file_write(const char *path, unsigned port);

#endif
