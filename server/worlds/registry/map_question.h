/* map_question: what a GetMap asks for: read by a worker, looked up by the loop. */
#ifndef COLLIDED_WORLDS_REGISTRY_MAP_QUESTION_H
#define COLLIDED_WORLDS_REGISTRY_MAP_QUESTION_H

#include "wire/wire.h"
#include "worlds/limits.h"
#include "worlds/registry/map_store.h"

struct worlds_client;

enum map_of {
	MAP_OF_NAME,
	MAP_OF_HANDLE,
	MAP_OF_WORLD,
};

struct map_question {
	enum map_of of;
	char name[WORLDS_NAME_BYTES_MAX + 1]; /* of the map, or of the world */
	uint32_t handle;
	uint64_t epoch;
	uint8_t secret[WORLDS_SECRET_BYTES];
	size_t secret_count;
};

/* Copies what the message asks for. BAD_FIELD with the field. */
STATUS_MUST_USE enum status map_question_read(const Collide__V1__GetMap *message, struct map_question *question,
                                              struct wire_problem *problem);
/* On the loop: holds the map. NO_SUCH_MAP, HANDLE, NO_SUCH_WORLD, EPOCH, SECRET. */
STATUS_MUST_USE enum status map_question_find(const struct worlds_client *client, const struct map_question *question,
                                              struct named_map **out, struct wire_problem *problem);

#endif
