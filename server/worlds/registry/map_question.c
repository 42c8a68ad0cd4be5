#include "worlds/registry/map_question.h"

#include "worlds/registry/names.h"
#include "worlds/registry/registry_private.h"

#include <string.h>

enum status
map_question_read(const Collide__V1__GetMap *message, struct map_question *question, struct wire_problem *problem)
{
	*question = (struct map_question){ 0 };
	switch (message->of_case) {
	case COLLIDE__V1__GET_MAP__OF_NAME:
		question->of = MAP_OF_NAME;
		return name_read(message->name, "get_map.name", question->name, problem);
	case COLLIDE__V1__GET_MAP__OF_HANDLE:
		question->of = MAP_OF_HANDLE;
		question->handle = message->handle;
		return STATUS_OK;
	case COLLIDE__V1__GET_MAP__OF_SPECTATOR: {
		const Collide__V1__SpectatorOf *spectator = message->spectator;
		question->of = MAP_OF_WORLD;
		question->epoch = spectator->epoch;
		/* One of another length is none, and is refused as such. */
		if (spectator->secret.len == WORLDS_SECRET_BYTES) {
			question->secret_count = WORLDS_SECRET_BYTES;
			memcpy(question->secret, spectator->secret.data, WORLDS_SECRET_BYTES);
		}
		return name_read(spectator->world, "get_map.spectator.world", question->name, problem);
	}
	case COLLIDE__V1__GET_MAP__OF__NOT_SET:
	case _COLLIDE__V1__GET_MAP__OF__CASE_IS_INT_SIZE: break;
	}
	return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "get_map.name",
	                        "is missing, and so are handle and spectator");
}

static enum status
no_map(const char *field, const char *text, struct wire_problem *problem)
{
	return wire_problem_set(problem, STATUS_NOT_FOUND, "NO_SUCH_MAP", field, "%s", text);
}

/* The map of a world. */
static enum status
world_map_hold(const struct worlds_client *client, const struct map_question *question, struct named_map **out,
               struct wire_problem *problem)
{
	struct hosted *world = NULL;
	enum secret_kind kind = SECRET_NONE;
	if (question->of == MAP_OF_HANDLE) {
		const struct seat *seat = seat_of_handle(client, question->handle);
		if (!seat)
			return wire_problem_set(problem, STATUS_NOT_FOUND, "HANDLE", "get_map.handle",
			                        "this connection has no such handle");
		world = seat->world;
	} else {
		const ProtobufCBinaryData secret = { question->secret_count, (uint8_t *)(uintptr_t)question->secret };
		enum status status = entry_open(client->worlds, question->name, question->epoch, &secret, SECRET_JOIN,
		                                "get_map.spectator", &world, &kind, problem);
		if (status != STATUS_OK)
			return status;
	}
	if (!world->map)
		return no_map(question->of == MAP_OF_HANDLE ? "get_map.handle" : "get_map.spectator.world", "its world is in no map",
		              problem);
	*out = named_map_hold(world->map);
	return STATUS_OK;
}

enum status
map_question_find(const struct worlds_client *client, const struct map_question *question, struct named_map **out,
                  struct wire_problem *problem)
{
	if (question->of != MAP_OF_NAME)
		return world_map_hold(client, question, out, problem);
	*out = map_store_hold(client->worlds->options.maps, question->name);
	return *out ? STATUS_OK : no_map("get_map.name", "no map has this name", problem);
}
