/* interrupt: Ctrl-C (SIGINT) and SIGTERM as a wish to end soon and tidily.
 *
 * The first one is only noted; whoever works asks for it. From then on both do again what they did before, so a second one ends
 * the process at once. A signal that was ignored when the process began stays ignored. Global, as signals are. */
#ifndef COLLIDE_CLI_INTERRUPT_H
#define COLLIDE_CLI_INTERRUPT_H

#include "client/cli/terminal/exit_status.h"

#include <stdbool.h>

/* Begins to note them; without this they end the process. Waiting system calls return early, output does not suffer. */
void interrupt_watch(void);
/* Whether one came. The context is not used: it has the form of a callback. */
bool interrupt_came(void *context);
/* The exit status that says so to a shell: 128 and the signal's number. Only after one came. */
enum exit_status interrupt_status(void);

#endif
