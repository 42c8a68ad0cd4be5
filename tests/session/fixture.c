#include "session/fixture.h"

struct conversation conversation;

int
fixture_open(void **state)
{
	(void)state;
	struct session_limits limits = conversation_limits();
	conversation_open(&conversation, &limits);
	return 0;
}

int
fixture_finish(void **state)
{
	(void)state;
	clock_ns_per_reading(0);
	conversation_finish(&conversation);
	return 0;
}
