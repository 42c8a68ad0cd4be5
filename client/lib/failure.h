/* failure: fills a struct collide_error. Any thread; owns nothing. */
#ifndef COLLIDE_CLIENT_LIB_FAILURE_H
#define COLLIDE_CLIENT_LIB_FAILURE_H

#include "client/lib/collide.h"
#include "collide/v1/collide.pb-c.h"

/* Replaces *error (NULL: nothing happens). Always false, so that a function may return it. */
bool failure_set(struct collide_error *error, enum collide_origin origin, enum collide_code code, const char *reason,
                 const char *text_format, ...) __attribute__((format(printf, 5, 6)));
/* No memory. Always false. */
bool failure_memory(struct collide_error *error);
/* From the server's message. Control characters, which could confuse a terminal, become '?'. */
void failure_from_message(struct collide_error *error, const Collide__V1__Error *message);
/* Copies text, cut at size - 1 bytes, without control characters. */
void failure_copy_text(char *to, size_t size, const char *from);

#endif
