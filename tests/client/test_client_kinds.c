/* Every kind of reply that the schema has, taken from the descriptor of ServerMessage, against every kind of request. Each
 * reply is an event of the kinds of requests that it answers, one but for those in SHARED, and ends the conversation for every
 * other. */
#include "client/replies.h"

#include "client/lib/core.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const ProtobufCMessageDescriptor *const REQUESTS = &collide__v1__client_message__descriptor;
static const ProtobufCMessageDescriptor *const REPLIES = &collide__v1__server_message__descriptor;

/* Begins the request of field `number`, with nothing in it. */
static uint64_t
request_make(struct collide_core *core, uint32_t number)
{
	const struct request_body body = { .field = number };
	return core_begin_body(core, &body, NULL);
}

/* A reply of a kind without anything in it. */
static void
reply_append(struct replies *replies, const ProtobufCFieldDescriptor *reply, uint64_t request_id)
{
	const ProtobufCMessageDescriptor *type = reply->descriptor;
	Collide__V1__ServerMessage envelope = COLLIDE__V1__SERVER_MESSAGE__INIT;
	ProtobufCMessage *message = malloc(type->sizeof_message);
	assert_non_null(message);
	protobuf_c_message_init(type, message);
	envelope.request_id = request_id;
	envelope.reply_case = (Collide__V1__ServerMessage__ReplyCase)reply->id;
	const void *member = message;
	memcpy((char *)&envelope + reply->offset, &member, sizeof member);
	replies_append(replies, &envelope);
	free(message);
}

/* Whether an empty reply of the kind is taken for an answer to a request of the kind. */
static bool
is_answer(const ProtobufCFieldDescriptor *reply, const ProtobufCFieldDescriptor *request)
{
	struct collide_core *core = core_new();
	struct replies replies = { 0 };
	struct collide_event event;
	uint64_t request_id = request_make(core, request->id);
	assert_int_not_equal(request_id, 0);
	reply_append(&replies, reply, request_id);
	replies_give(&replies, core);
	bool refused = collide_core_next(core, &event) && event.kind == COLLIDE_EVENT_FAILED &&
	               strstr(event.as.error->text, "a reply of the wrong kind") != NULL;
	assert_true(refused || event.kind == COLLIDE_EVENT_NONE || event.request_id == request_id ||
	            event.kind == COLLIDE_EVENT_FAILED);
	replies_finish(&replies);
	collide_core_destroy(core);
	return !refused;
}

/* Replies that answer more than one kind of request, as the schema says at these. */
static const struct {
	const char *reply;
	unsigned answers;
} SHARED[] = {
	{ "snapshot", 2 },   /* Simulate, SnapshotWorld */
	{ "world_info", 5 }, /* CreateWorld, DestroyWorld, SetWorld, RestoreWorld, ForkWorld */
	{ "draining", 0 },   /* of no request */
	{ "map_info", 2 },   /* CreateMap, DropMap */
	{ "recorded", 2 },   /* Record, EndRecord */
};

static unsigned
answers_wanted(const char *reply)
{
	for (size_t i = 0; i < sizeof SHARED / sizeof SHARED[0]; i++)
		if (strcmp(SHARED[i].reply, reply) == 0)
			return SHARED[i].answers;
	return 1;
}

/* Those that nothing answers: the schema lets them have request_id 0. */
static bool
has_no_reply(const ProtobufCFieldDescriptor *request)
{
	return request->id == COLLIDE__V1__CLIENT_MESSAGE__REQUEST_CREDIT ||
	       request->id == COLLIDE__V1__CLIENT_MESSAGE__REQUEST_MANY_COMMANDS;
}

static bool
is_of_the_oneof(const ProtobufCFieldDescriptor *field)
{
	return (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0;
}

static void
every_reply_answers_one_kind_of_request(void **state)
{
	(void)state;
	unsigned answered[40] = { 0 };
	assert_true(REQUESTS->n_fields <= 40);
	for (unsigned i = 0; i < REPLIES->n_fields; i++) {
		const ProtobufCFieldDescriptor *reply = &REPLIES->fields[i];
		unsigned answers = 0, requests = 0;
		for (unsigned k = 0; k < REQUESTS->n_fields && is_of_the_oneof(reply); k++) {
			if (is_of_the_oneof(&REQUESTS->fields[k])) {
				bool is = is_answer(reply, &REQUESTS->fields[k]);
				requests++;
				answers += is;
				answered[k] += is && reply->id != COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR;
			}
		}
		if (reply->id == COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR)
			assert_int_equal(answers, requests);
		else if (is_of_the_oneof(reply) && answers != answers_wanted(reply->name))
			fail_msg("%s answers %u kinds of requests", reply->name, answers);
	}
	for (unsigned k = 0; k < REQUESTS->n_fields; k++)
		if (is_of_the_oneof(&REQUESTS->fields[k]) && (answered[k] == 0) != has_no_reply(&REQUESTS->fields[k]))
			fail_msg("%u kinds of replies answer %s", answered[k], REQUESTS->fields[k].name);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_reply_answers_one_kind_of_request),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
