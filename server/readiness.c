#include "readiness.h"

#include "base/log.h"
#include "net/supervisor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void
readiness_tell(const char *state)
{
	struct log_line line;
	if (supervisor_tell(getenv("NOTIFY_SOCKET"), state))
		return;
	log_begin(&line, LOG_LEVEL_WARNING, "the supervisor cannot be told");
	log_text(&line, "state", state);
	log_text(&line, "reason", strerror(errno));
	log_end(&line);
}
