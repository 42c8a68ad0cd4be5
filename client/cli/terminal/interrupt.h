/* interrupt: Ctrl-C (SIGINT) and SIGTERM as a request to end soon and cleanly.
 *
 * The first signal is only noted; the code at work polls interrupt_came. From then on both signals have their former effect
 * again, so a second one ends the process at once. A signal that was ignored when the process began stays ignored. Global, as
 * signals are. */
#ifndef COLLIDE_CLI_INTERRUPT_H
#define COLLIDE_CLI_INTERRUPT_H

#include "client/cli/terminal/exit_status.h"

#include <stdbool.h>

/* Begins to note signals; without this they end the process. System calls that wait return early; output is unaffected. */
void interrupt_watch(void);
/* Notes one that another handler took. Safe in signal handlers. */
void interrupt_note(int number);
/* Whether a signal came. The context is unused: the function has the form of a callback. */
bool interrupt_came(void *context);
/* The exit status for the shell: INTERRUPTED after SIGINT, else TERMINATED. Only after a signal came. */
enum exit_status interrupt_status(void);

#endif
