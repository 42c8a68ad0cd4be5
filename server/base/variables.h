/* variables: those of the environment that begin like ours but are no setting. Any thread, while the environment stands still.
 */
#ifndef COLLIDED_BASE_VARIABLES_H
#define COLLIDED_BASE_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of what variable_unknown says. */
#define VARIABLE_PROBLEM_BYTES 256

/* Looks for a variable of `environment` (NAME=VALUE, as environ) that begins with `prefix` ("COLLIDED_") and is not known.
 * `name_at` gives the index-th known name, in static memory or in that of `context`, and NULL after the last. true: there is
 * such a variable; `problem` names it, and the one that was probably meant. What Kubernetes and Docker set for a service of
 * that name is left alone (COLLIDED_SERVICE_HOST, COLLIDED_PORT_7878_TCP_ADDR). */
bool variable_unknown(char *const environment[], const char *prefix, const char *(*name_at)(void *context, size_t index),
                      void *context, char problem[static VARIABLE_PROBLEM_BYTES]);

#endif
