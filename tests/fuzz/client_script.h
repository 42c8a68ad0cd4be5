/* client_script: what a client of libcollide asks for, one thing of every kind, always the same. One thread. */
#ifndef COLLIDED_TESTS_FUZZ_CLIENT_SCRIPT_H
#define COLLIDED_TESTS_FUZZ_CLIENT_SCRIPT_H

#include "client/lib/collide.h"

#include <stdbool.h>
#include <stddef.h>

/* What is known of the world that it makes, from the replies; zeros are as good for one that reads made-up replies. */
struct client_script {
	uint8_t owner_secret[COLLIDE_SECRET_BYTES];
	uint32_t handle;
};

/* Asks for the next thing. false: there are no more than `step`. */
bool client_script_ask(const struct client_script *script, size_t step, struct collide_core *core);
/* Keeps what it needs of an event. */
void client_script_hear(struct client_script *script, const struct collide_event *event);

#endif
