#include "session/world_answers.h"

#include "session/session_private.h"
#include "wire/commands_peek.h"

#include <stdio.h>
#include <string.h>

/* A server without worlds knows none of these requests. */
static bool
has_worlds(struct session *session, uint64_t request_id)
{
	struct wire_problem problem = { .status = STATUS_OK };
	if (session->service->worlds)
		return true;
	(void)wire_problem_set(&problem, STATUS_UNIMPLEMENTED, "UNKNOWN_REQUEST", "", "this server has no worlds");
	session_refuse(session, request_id, &problem);
	return false;
}

static void
refuse_unless_ok(struct session *session, uint64_t request_id, enum status status, const struct wire_problem *problem)
{
	if (status != STATUS_OK)
		session_refuse(session, request_id, problem);
}

void
session_answer_attach(struct session *session, uint64_t request_id, const Collide__V1__ClientMessage *message)
{
	struct wire_problem problem = { .status = STATUS_OK };
	if (has_worlds(session, request_id))
		refuse_unless_ok(session, request_id, worlds_attach(&session->worlds, request_id, message->attach, &problem), &problem);
}

void
session_answer_detach(struct session *session, uint64_t request_id, const Collide__V1__ClientMessage *message)
{
	struct wire_problem problem = { .status = STATUS_OK };
	if (has_worlds(session, request_id))
		refuse_unless_ok(session, request_id, worlds_detach(&session->worlds, request_id, message->detach, &problem), &problem);
}

void
session_answer_subscribe(struct session *session, uint64_t request_id, const Collide__V1__ClientMessage *message)
{
	struct wire_problem problem = { .status = STATUS_OK };
	if (has_worlds(session, request_id)) {
		refuse_unless_ok(session, request_id, worlds_subscribe(&session->worlds, request_id, message->subscribe, &problem),
		                 &problem);
	}
}

void
session_answer_steer(struct session *session, uint64_t request_id, const Collide__V1__ClientMessage *message)
{
	struct wire_problem problem = { .status = STATUS_OK };
	if (has_worlds(session, request_id))
		refuse_unless_ok(session, request_id, worlds_steer(&session->worlds, request_id, message->steer, &problem), &problem);
}

void
session_answer_credit(struct session *session, uint64_t request_id, const Collide__V1__ClientMessage *message)
{
	struct wire_problem problem = { .status = STATUS_OK };
	if (!has_worlds(session, request_id))
		return;
	if (request_id != 0) {
		(void)wire_problem_set(&problem, STATUS_INVALID_ARGUMENT, "REQUEST_ID", "request_id", "must be 0: it has no reply");
		session_refuse(session, request_id, &problem);
		return;
	}
	worlds_credit(&session->worlds, message->credit);
}

void
session_answer_step_world(struct session *session, uint64_t request_id, const Collide__V1__ClientMessage *message)
{
	struct wire_problem problem = { .status = STATUS_OK };
	if (has_worlds(session, request_id)) {
		enum status status = session_check_in_flight(session, &problem);
		if (status == STATUS_OK)
			status = worlds_step(&session->worlds, request_id, message->step_world, &problem);
		refuse_unless_ok(session, request_id, status, &problem);
	}
}

void
session_answer_destroy_world(struct session *session, uint64_t request_id, const Collide__V1__ClientMessage *message)
{
	struct wire_problem problem = { .status = STATUS_OK };
	if (has_worlds(session, request_id)) {
		refuse_unless_ok(session, request_id, worlds_end(&session->worlds, request_id, message->destroy_world, &problem),
		                 &problem);
	}
}

void
session_answer_set_world(struct session *session, uint64_t request_id, const Collide__V1__ClientMessage *message)
{
	struct wire_problem problem = { .status = STATUS_OK };
	if (has_worlds(session, request_id)) {
		enum status status = session_check_in_flight(session, &problem);
		if (status == STATUS_OK)
			status = worlds_set(&session->worlds, request_id, message->set_world, &problem);
		refuse_unless_ok(session, request_id, status, &problem);
	}
}

void
session_answer_list_worlds(struct session *session, uint64_t request_id, const Collide__V1__ClientMessage *message)
{
	struct wire_problem problem = { .status = STATUS_OK };
	if (has_worlds(session, request_id)) {
		refuse_unless_ok(session, request_id, worlds_list(&session->worlds, request_id, message->list_worlds, &problem),
		                 &problem);
	}
}

void
session_answer_snapshot_world(struct session *session, uint64_t request_id, const Collide__V1__ClientMessage *message)
{
	struct wire_problem problem = { .status = STATUS_OK };
	if (has_worlds(session, request_id)) {
		enum status status = session_check_in_flight(session, &problem);
		if (status == STATUS_OK)
			status = worlds_snapshot(&session->worlds, request_id, message->snapshot_world, &problem);
		refuse_unless_ok(session, request_id, status, &problem);
	}
}

void
session_answer_record(struct session *session, uint64_t request_id, const Collide__V1__ClientMessage *message)
{
	struct wire_problem problem = { .status = STATUS_OK };
	if (has_worlds(session, request_id)) {
		enum status status = session_check_in_flight(session, &problem);
		if (status == STATUS_OK)
			status = worlds_record(&session->worlds, request_id, message->record, &problem);
		refuse_unless_ok(session, request_id, status, &problem);
	}
}

void
session_answer_end_record(struct session *session, uint64_t request_id, const Collide__V1__ClientMessage *message)
{
	struct wire_problem problem = { .status = STATUS_OK };
	if (has_worlds(session, request_id)) {
		enum status status = session_check_in_flight(session, &problem);
		if (status == STATUS_OK)
			status = worlds_end_record(&session->worlds, request_id, message->end_record, &problem);
		refuse_unless_ok(session, request_id, status, &problem);
	}
}

void
session_answer_drop_map(struct session *session, uint64_t request_id, const Collide__V1__ClientMessage *message)
{
	struct wire_problem problem = { .status = STATUS_OK };
	if (has_worlds(session, request_id)) {
		refuse_unless_ok(session, request_id, worlds_drop_map(&session->worlds, request_id, message->drop_map, &problem),
		                 &problem);
	}
}

static void
refuse_malformed(struct session *session, uint64_t request_id)
{
	struct wire_problem problem = { .status = STATUS_OK };
	(void)wire_problem_set(&problem, STATUS_INVALID_ARGUMENT, "MALFORMED", "", "is not a batch of commands");
	session_refuse(session, request_id, &problem);
}

void
session_receive_commands(struct session *session, uint64_t request_id, const uint8_t *bytes, size_t count)
{
	struct wire_problem problem = { .status = STATUS_OK };
	struct commands_peek batch;
	if (!has_worlds(session, request_id))
		return;
	if (!wire_commands_peek(bytes, count, &batch))
		refuse_malformed(session, request_id);
	else
		refuse_unless_ok(session, request_id, worlds_batch(&session->worlds, request_id, &batch, &problem), &problem);
}

/* One of many in a message: a problem names its field from there. */
static enum status
batch_of_many(struct session *session, unsigned index, const struct commands_peek *batch, struct wire_problem *problem)
{
	static const char path[] = "commands.";
	enum status status = worlds_batch(&session->worlds, 0, batch, problem);
	if (status != STATUS_OK && strncmp(problem->field, path, sizeof path - 1) == 0) {
		char field[sizeof problem->field];
		(void)snprintf(field, sizeof field, "many_commands.batches[%u].%.100s", index, problem->field + sizeof path - 1);
		memcpy(problem->field, field, sizeof field);
	}
	return status;
}

void
session_receive_many_commands(struct session *session, uint64_t request_id, const uint8_t *bytes, size_t count)
{
	struct wire_problem problem = { .status = STATUS_OK };
	struct many_commands many;
	struct commands_peek batch;
	if (!has_worlds(session, request_id))
		return;
	if (request_id != 0) {
		(void)wire_problem_set(&problem, STATUS_INVALID_ARGUMENT, "REQUEST_ID", "request_id",
		                       "must be 0: each seat's Acks tell");
		session_refuse(session, request_id, &problem);
		return;
	}
	if (!wire_many_commands_begin(bytes, count, &many)) {
		refuse_malformed(session, 0);
		return;
	}
	for (unsigned i = 0; wire_many_commands_next(&many, &batch); i++) {
		enum status status = STATUS_RESOURCE_EXHAUSTED;
		if (i < WORLDS_MANY_COMMANDS_MAX)
			status = batch_of_many(session, i, &batch, &problem);
		else
			(void)wire_problem_set(&problem, status, "LIMIT", "many_commands.batches", "are more than %d",
			                       WORLDS_MANY_COMMANDS_MAX);
		refuse_unless_ok(session, 0, status, &problem);
		if (i == WORLDS_MANY_COMMANDS_MAX)
			return;
	}
	if (many.malformed)
		refuse_malformed(session, 0);
}
