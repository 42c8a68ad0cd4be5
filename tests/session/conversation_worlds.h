/* conversation_worlds: worlds that live on a conversation's server, given their turns by the test. One thread. */
#ifndef COLLIDED_TESTS_SESSION_CONVERSATION_WORLDS_H
#define COLLIDED_TESTS_SESSION_CONVERSATION_WORLDS_H

#include "session/service.h"
#include "worlds/registry/worlds.h"

enum { CONVERSATION_WORLDS = 8 };

/* A live world and its turns. */
struct conversation_world {
	struct live_world *live; /* NULL: none */
	bool wanted;
	uint64_t due_ns; /* 0: it rests */
	/* What a turn of it is said to cost, 0: nothing is said; and what was reserved for a second of its turns. */
	uint64_t turn_ns, reserved_ns;
};

struct conversation_worlds {
	struct service *service;
	struct map_store *maps;
	struct workspace *workspace; /* the worker's, lent to each turn; NULL: none */
	struct conversation_world worlds[CONVERSATION_WORLDS];
};

/* What worlds take for CPU time goes on by so much at each look; 0 after a start. */
extern uint64_t conversation_worlds_cpu_step_ns;

/* Gives the service worlds. */
void conversation_worlds_start(struct conversation_worlds *worlds, struct service *service);
/* Turns for all that want one or are due, and their news to the sessions, until there are none. */
void conversation_worlds_run(struct conversation_worlds *worlds);
/* A turn for each that wants one or is due, and then the news of all at once, as the loop takes what came while it was busy. */
void conversation_worlds_run_together(struct conversation_worlds *worlds);
/* The same in two steps: what the loop does between them comes before the news. */
struct news *conversation_worlds_turns(struct conversation_worlds *worlds);
void conversation_worlds_hear(struct conversation_worlds *worlds, struct news *news);
/* All worlds end. Before service_finish. */
void conversation_worlds_finish(struct conversation_worlds *worlds);

#endif
