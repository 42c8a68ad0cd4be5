/* local_client: a client with its server in this process (client/cli/connection/local.h), as a test begins with one. */
#ifndef COLLIDED_TESTS_CLIENT_LOCAL_CLIENT_H
#define COLLIDED_TESTS_CLIENT_LOCAL_CLIENT_H

#include "client/cli/connection/local.h"

#include "support/assert_double.h"

/* To be closed with collide_close. */
static inline struct collide_client *
local_client(void)
{
	struct collide_client *client = local_open(1, NULL, NULL);
	assert_non_null(client);
	return client;
}

#endif
