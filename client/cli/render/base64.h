/* base64: bytes as text (RFC 4648), for pages. Any thread. */
#ifndef COLLIDE_CLI_BASE64_H
#define COLLIDE_CLI_BASE64_H

#include <stddef.h>
#include <stdio.h>

/* Writes without line breaks. Errors are left in the stream. */
void base64_write(const void *bytes, size_t count, FILE *out);

#endif
