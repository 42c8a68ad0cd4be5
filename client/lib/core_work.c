/* Requests that take a server's work. Each has a large part, which is packed straight into the output. */
#include "client/lib/core.h"

#include "client/lib/failure.h"

/* Whether exactly one of a scene and a snapshot is given. */
static bool
start_is_given(const struct collide_scene *scene, const void *snapshot, struct collide_error *error)
{
	if (!scene && !snapshot)
		return failure_set(error, COLLIDE_FROM_LIBRARY, COLLIDE_INVALID_ARGUMENT, "NO_SCENE",
		                   "no scene and no snapshot was given");
	return !scene || !snapshot || request_bad_argument(error, "a scene and a snapshot were given: one is meant");
}

uint64_t
collide_core_simulate(struct collide_core *core, const struct collide_simulation *simulation, struct collide_error *error)
{
	/* On the wire a snapshot is like a serialized scene: bytes in a field. */
	const struct collide_scene snapshot = { .message = simulation->snapshot, .message_bytes = simulation->snapshot_bytes };
	Collide__V1__Simulate settings;
	if (!start_is_given(simulation->scene, simulation->snapshot, error))
		return 0;
	request_simulate_fill(simulation, &settings);
	const struct request_body body = { .field = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SIMULATE,
		                               .scene = simulation->scene ? simulation->scene : &snapshot,
		                               .scene_field = simulation->scene ? COLLIDE__V1__SIMULATE__OPTIONAL_SCENE_SCENE
		                                                                : COLLIDE__V1__SIMULATE__OPTIONAL_SCENE_SNAPSHOT,
		                               .rest = &settings.base };
	return core_begin_body(core, &body, error);
}

uint64_t
collide_core_detect(struct collide_core *core, const struct collide_detection *detection, struct collide_error *error)
{
	struct request_detect request;
	struct request_body body = { .field = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_DETECT,
		                         .message = detection->message,
		                         .message_bytes = !detection->message ? 0 : detection->message_bytes };
	if (!detection->message) {
		if (!request_detect_fill(detection, &request, error))
			return 0;
		body.scene = detection->scene;
		body.scene_field = COLLIDE__V1__DETECT__WHAT_SCENE;
		body.rest = &request.detect.base;
	}
	return core_begin_body(core, &body, error);
}

uint64_t
collide_core_respond(struct collide_core *core, const struct collide_response *response, struct collide_error *error)
{
	struct request_respond request;
	struct request_body body = { .field = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_RESPOND,
		                         .message = response->message,
		                         .message_bytes = !response->message ? 0 : response->message_bytes };
	if (!response->message) {
		if (!request_respond_fill(response, &request, error))
			return 0;
		body.rest = &request.respond.base;
	}
	return core_begin_body(core, &body, error);
}

uint64_t
collide_core_query(struct collide_core *core, const struct collide_questions *questions, struct collide_error *error)
{
	const struct collide_scene snapshot = { .message = questions->snapshot, .message_bytes = questions->snapshot_bytes };
	struct request_query request;
	struct request_body body = { .field = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_QUERY,
		                         .message = questions->message,
		                         .message_bytes = !questions->message ? 0 : questions->message_bytes };
	if (!questions->message) {
		int given = (questions->scene != NULL) + (questions->snapshot != NULL) + (questions->moment != NULL);
		if (given != 1)
			return request_bad_argument(error, "questions need one of a scene, a snapshot and a moment");
		if (!request_query_fill(questions, &request, error))
			return 0;
		if (!questions->moment) {
			body.scene = questions->scene ? questions->scene : &snapshot;
			body.scene_field = questions->scene ? COLLIDE__V1__QUERY__OPTIONAL_SCENE_SCENE
			                                    : COLLIDE__V1__QUERY__OPTIONAL_SCENE_SNAPSHOT;
		}
		body.rest = &request.query.base;
	}
	return core_begin_body(core, &body, error);
}
