/* daemon: puts the layers together and runs them: net's connections hold sessions, sessions' requests go through the pool.
 *
 * The loop is the calling thread. */
#ifndef COLLIDED_DAEMON_H
#define COLLIDED_DAEMON_H

#include "config.h"

enum daemon_result {
	DAEMON_ENDED,  /* by a signal, everything given back */
	DAEMON_STUCK,  /* by a signal, but a worker is still inside a tick: the process must end without looking back */
	DAEMON_FAILED, /* never ran; the log says why */
};

enum daemon_result daemon_run(const struct config *config, const struct config_inputs *inputs);

#endif
