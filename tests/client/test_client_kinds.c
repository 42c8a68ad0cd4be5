/* Every kind of reply that the schema has, taken from the descriptor of ServerMessage, against every kind of request: each
 * reply is an event of the one kind of request that it answers, and ends the conversation for every other. */
#include "client/replies.h"

#include "support/assert_double.h"

#include <stdlib.h>
#include <string.h>

static const ProtobufCMessageDescriptor *const REQUESTS = &collide__v1__client_message__descriptor;
static const ProtobufCMessageDescriptor *const REPLIES = &collide__v1__server_message__descriptor;

/* Makes the request of field `number`; 0: this test does not know how. */
static uint64_t
request_make(struct collide_core *core, uint32_t number)
{
	static const double one = 1;
	static const struct collide_scene scene = { .circles = { .x = COLUMN(one), .radius = COLUMN(one) } };
	const struct collide_simulation simulation = { .scene = &scene, .dt = 1, .ticks = 1 };
	const struct collide_detection detection = { .scene = &scene };
	const struct collide_circles circle = { .radius = COLUMN(one) };
	const struct collide_pairs pairs = { .a = { .radius = COLUMN(one) }, .circles = &circle };
	const struct collide_response response = { .pairs = &pairs };
	const struct collide_casts casts = { .move_x = COLUMN(one) };
	const struct collide_questions questions = { .scene = &scene, .casts = &casts };
	switch (number) {
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_HELLO: return collide_core_hello(core, NULL);
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_PING: return collide_core_ping(core, NULL, 0, NULL);
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_CANCEL: return collide_core_cancel(core, 77, NULL);
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_DESCRIBE: return collide_core_describe(core, NULL);
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SIMULATE: return collide_core_simulate(core, &simulation, NULL);
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_DETECT: return collide_core_detect(core, &detection, NULL);
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_RESPOND: return collide_core_respond(core, &response, NULL);
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_QUERY: return collide_core_query(core, &questions, NULL);
	default: return 0;
	}
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
	memcpy((char *)&envelope + reply->offset, &member, sizeof(member));
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
	if (request_id == 0)
		fail_msg("this test makes no %s", request->name);
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

static bool
is_of_the_oneof(const ProtobufCFieldDescriptor *field)
{
	return (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0;
}

static void
every_reply_answers_one_kind_of_request(void **state)
{
	(void)state;
	unsigned answered[20] = { 0 };
	assert_true(REQUESTS->n_fields <= 20);
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
		else if (is_of_the_oneof(reply) && answers != 1)
			fail_msg("%s answers %u kinds of requests", reply->name, answers);
	}
	for (unsigned k = 0; k < REQUESTS->n_fields; k++)
		if (is_of_the_oneof(&REQUESTS->fields[k]) && answered[k] == 0)
			fail_msg("nothing answers %s", REQUESTS->fields[k].name);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_reply_answers_one_kind_of_request),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
