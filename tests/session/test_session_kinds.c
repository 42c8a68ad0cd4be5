/* Every kind of request that the schema has, taken from the descriptor of ClientMessage: each has a row, and is served by it.
 */
#include "session/fixture.h"

#include "session/request_kind.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DEADLINE_MS 77

static const ProtobufCMessageDescriptor *const ENVELOPE = &collide__v1__client_message__descriptor;

/* Field `i` of the envelope, if it is a request; else NULL. */
static const ProtobufCFieldDescriptor *
request_field(unsigned i)
{
	const ProtobufCFieldDescriptor *field = &ENVELOPE->fields[i];
	return field->quantifier_offset == offsetof(Collide__V1__ClientMessage, request_case) ? field : NULL;
}

/* Of its message, the deadline's field; NULL: it has none. */
static const ProtobufCFieldDescriptor *
deadline_field(const ProtobufCFieldDescriptor *request)
{
	return protobuf_c_message_descriptor_get_field_by_name(request->descriptor, "deadline_ms");
}

/* A message of a kind that nothing is set in but, if it has one, the deadline. Freed with free(message). */
static ProtobufCMessage *
empty_request(const ProtobufCFieldDescriptor *request, uint32_t deadline_ms)
{
	const ProtobufCMessageDescriptor *type = request->descriptor;
	ProtobufCMessage *message = malloc(type->sizeof_message);
	assert_non_null(message);
	protobuf_c_message_init(type, message);
	if (deadline_field(request))
		memcpy((char *)message + deadline_field(request)->offset, &deadline_ms, sizeof deadline_ms);
	return message;
}

static Collide__V1__ClientMessage
envelope_of(const ProtobufCFieldDescriptor *request, ProtobufCMessage *message, uint64_t id)
{
	Collide__V1__ClientMessage envelope = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	envelope.request_id = id;
	envelope.request_case = (Collide__V1__ClientMessage__RequestCase)request->id;
	const void *member = message;
	memcpy((char *)&envelope + request->offset, &member, sizeof member);
	return envelope;
}

static const struct request_kind *
row_of(const ProtobufCFieldDescriptor *request)
{
	const struct request_kind *kind = request_kind_find(request->id);
	if (!kind)
		fail_msg("the request %s has no row in session/request_kind.c", request->name);
	return kind;
}

static void
every_request_has_a_row(void **state)
{
	(void)state;
	unsigned found = 0;
	for (unsigned i = 0; i < ENVELOPE->n_fields; i++) {
		const ProtobufCFieldDescriptor *request = request_field(i);
		if (!request)
			continue;
		const struct request_kind *kind = row_of(request);
		assert_int_equal(strlen(kind->name), strlen(request->name));
		for (size_t at = 0; kind->name[at] != '\0'; at++)
			assert_int_equal(kind->name[at], toupper((unsigned char)request->name[at]));
		/* The loop answers it, or a worker does in one step or slice by slice; work that is made is given back and counted. */
		assert_int_equal((kind->answer != NULL) + (kind->receive != NULL) + (kind->reply != NULL) + (kind->run != NULL), 1);
		assert_int_equal(kind->create != NULL, kind->run != NULL);
		assert_int_equal(kind->release != NULL, kind->create != NULL);
		assert_int_equal(kind->memory_bytes != NULL, kind->create != NULL);
		found++;
	}
	assert_true(found >= 8);
	/* And what is no request has none. */
	for (uint32_t number = 0; number < 1000; number++) {
		assert_int_equal(request_kind_find(number) != NULL, wire_request_is_known(number));
		found -= request_kind_find(number) != NULL;
	}
	assert_int_equal(found, 0);
	assert_null(request_kind_find(UINT32_MAX));
}

/* A deadline that the schema has and the row lacks would be one that is silently not kept. */
static void
every_deadline_is_read_from_its_own_message(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ENVELOPE->n_fields; i++) {
		const ProtobufCFieldDescriptor *request = request_field(i);
		if (!request)
			continue;
		const struct request_kind *kind = row_of(request);
		assert_int_equal(kind->deadline_ms != NULL, deadline_field(request) != NULL);
		assert_int_equal(kind->deadline_field != NULL, deadline_field(request) != NULL);
		if (!kind->deadline_ms)
			continue;
		char path[100];
		snprintf(path, sizeof path, "%s.deadline_ms", request->name);
		assert_string_equal(kind->deadline_field, path);
		ProtobufCMessage *message = empty_request(request, DEADLINE_MS);
		const Collide__V1__ClientMessage envelope = envelope_of(request, message, 1);
		assert_int_equal(kind->deadline_ms(&envelope), DEADLINE_MS);
		free(message);
	}
}

/* Whatever the answer to a request without content, it is one of that request: no other member of the union is read. */
static void
every_request_is_answered(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ENVELOPE->n_fields; i++) {
		const ProtobufCFieldDescriptor *request = request_field(i);
		if (!request)
			continue;
		uint64_t id = 100 + i, counted = counters_value(&conversation.service.counters, "request", row_of(request)->name);
		ProtobufCMessage *message = empty_request(request, 0);
		const Collide__V1__ClientMessage envelope = envelope_of(request, message, id);
		say_message(&conversation, &envelope);
		free(message);
		run_all(&conversation);
		counted = counters_value(&conversation.service.counters, "request", row_of(request)->name) - counted;
		assert_int_equal(counted, !row_of(request)->answer && !row_of(request)->receive);
		Collide__V1__ServerMessage *reply = next_reply(&conversation);
		assert_non_null(reply);
		assert_int_equal(reply->request_id, id);
		if (reply->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR) {
			assert_string_not_equal(reply->error->reason, "UNKNOWN_REQUEST");
			/* A field that is named is one of this request. */
			for (size_t k = 0; k < reply->error->n_violations; k++) {
				const char *field = reply->error->violations[k]->field;
				/* Or it is one that is to have no id. */
				if (!row_of(request)->may_lack_id || strcmp(field, "request_id") != 0)
					assert_memory_equal(field, request->name, strlen(request->name));
			}
		}
		release_reply(reply);
		assert_null(next_reply(&conversation));
	}
}

/* Every other request is of worlds or maps. */
static const char *const worldless[] = { "hello", "ping", "cancel", "describe", "simulate", "detect", "respond", "query" };

static bool
needs_worlds(const ProtobufCFieldDescriptor *request)
{
	for (size_t i = 0; i < sizeof worldless / sizeof *worldless; i++)
		if (strcmp(request->name, worldless[i]) == 0)
			return false;
	return true;
}

/* A server that holds no worlds says so to each request of them, and to nothing else. */
static void
requests_of_worlds_are_unknown_without_worlds(void **state)
{
	(void)state;
	struct worlds *worlds = conversation.service.worlds;
	conversation.service.worlds = NULL;
	for (unsigned i = 0; i < ENVELOPE->n_fields; i++) {
		const ProtobufCFieldDescriptor *request = request_field(i);
		if (!request)
			continue;
		uint64_t id = 100 + i;
		ProtobufCMessage *message = empty_request(request, 0);
		const Collide__V1__ClientMessage envelope = envelope_of(request, message, id);
		say_message(&conversation, &envelope);
		free(message);
		run_all(&conversation);
		Collide__V1__ServerMessage *reply = next_reply(&conversation);
		assert_non_null(reply);
		assert_int_equal(reply->request_id, id);
		bool is_unknown = reply->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR &&
		                  strcmp(reply->error->reason, "UNKNOWN_REQUEST") == 0;
		assert_int_equal(is_unknown, needs_worlds(request));
		release_reply(reply);
		assert_null(next_reply(&conversation));
	}
	conversation.service.worlds = worlds;
}

/* Many batches are refused as a whole: none of them is looked at, which would be refused for itself. */
static void
many_commands_with_an_id_are_refused_once(void **state)
{
	(void)state;
	Collide__V1__Commands batch = COLLIDE__V1__COMMANDS__INIT, *batches[] = { &batch, &batch };
	Collide__V1__ManyCommands many = COLLIDE__V1__MANY_COMMANDS__INIT;
	Collide__V1__ClientMessage envelope = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	many.n_batches = 2;
	many.batches = batches;
	envelope.request_id = 5;
	envelope.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_MANY_COMMANDS;
	envelope.many_commands = &many;
	say_message(&conversation, &envelope);
	expect_error(&conversation, 5, STATUS_INVALID_ARGUMENT, "REQUEST_ID");
	expect_silence(&conversation);
	envelope.request_id = 0;
	say_message(&conversation, &envelope);
	expect_error(&conversation, 0, STATUS_NOT_FOUND, "HANDLE");
	expect_error(&conversation, 0, STATUS_NOT_FOUND, "HANDLE");
	expect_silence(&conversation);
}

/* Of its message, the Scene; NULL: it has none. */
static const ProtobufCFieldDescriptor *
scene_field(const ProtobufCFieldDescriptor *request)
{
	const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field_by_name(request->descriptor, "scene");
	return field && field->descriptor == &collide__v1__scene__descriptor ? field : NULL;
}

static void
number_set(ProtobufCMessage *message, const char *name, const void *value, size_t size)
{
	const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field_by_name(message->descriptor, name);
	if (field)
		memcpy((char *)message + field->offset, value, size);
}

/* A request with this scene. It asks for a tick of a second if it is about time, and for what is nearest if it has questions.
 * Freed with free(message). */
static ProtobufCMessage *
scene_request(const ProtobufCFieldDescriptor *request, const Collide__V1__Scene *scene)
{
	static Collide__V1__Nearest nearest;
	const ProtobufCFieldDescriptor *field = scene_field(request);
	ProtobufCMessage *message = empty_request(request, 0);
	if (request->id == COLLIDE__V1__CLIENT_MESSAGE__REQUEST_QUERY) {
		Collide__V1__Query *query = (Collide__V1__Query *)(void *)message;
		collide__v1__nearest__init(&nearest);
		nearest.count = 1;
		query->optional_nearest_case = COLLIDE__V1__QUERY__OPTIONAL_NEAREST_NEAREST;
		query->nearest = &nearest;
	}
	const double dt = 1;
	const uint64_t ticks = 1;
	number_set(message, "dt", &dt, sizeof dt);
	number_set(message, "ticks", &ticks, sizeof ticks);
	memcpy((char *)message + field->offset, &scene, sizeof scene);
	memcpy((char *)message + field->quantifier_offset, &field->id, sizeof field->id);
	return message;
}

/* A value that cannot be right is refused by every kind that has a scene, with its path. */
static void
every_scene_is_checked(void **state)
{
	(void)state;
	Collide__V1__Circle circle = COLLIDE__V1__CIRCLE__INIT, *circles[] = { &circle };
	Collide__V1__Scene scene = COLLIDE__V1__SCENE__INIT;
	circle.radius = 1;
	circle.optional_mass_case = COLLIDE__V1__CIRCLE__OPTIONAL_MASS_MASS;
	circle.mass = -1;
	scene.circles = circles;
	scene.n_circles = 1;
	unsigned found = 0;
	for (unsigned i = 0; i < ENVELOPE->n_fields; i++) {
		const ProtobufCFieldDescriptor *request = request_field(i);
		if (!request || !scene_field(request))
			continue;
		char path[100];
		snprintf(path, sizeof path, "%s.scene.circles[0].mass", request->name);
		ProtobufCMessage *message = scene_request(request, &scene);
		const Collide__V1__ClientMessage envelope = envelope_of(request, message, 100 + i);
		say_message(&conversation, &envelope);
		free(message);
		run_all(&conversation);
		Collide__V1__ServerMessage *reply = next_reply(&conversation);
		assert_non_null(reply);
		assert_int_equal(reply->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR);
		assert_string_equal(reply->error->reason, "BAD_FIELD");
		assert_int_equal(reply->error->n_violations, 1);
		assert_string_equal(reply->error->violations[0]->field, path);
		release_reply(reply);
		found++;
	}
	assert_true(found >= 4);
}

/* In the words of its own field, not of another's. */
static void
every_deadline_that_passes_is_named(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ENVELOPE->n_fields; i++) {
		const ProtobufCFieldDescriptor *request = request_field(i);
		if (!request || !deadline_field(request))
			continue;
		char path[100];
		snprintf(path, sizeof path, "%s.deadline_ms", request->name);
		ProtobufCMessage *message = empty_request(request, 1);
		const Collide__V1__ClientMessage envelope = envelope_of(request, message, 100 + i);
		clock_ns_per_reading(2 * MS);
		say_message(&conversation, &envelope);
		free(message);
		run_all(&conversation);
		clock_ns_per_reading(0);
		Collide__V1__ServerMessage *reply = next_reply(&conversation);
		assert_non_null(reply);
		assert_int_equal(reply->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR);
		assert_string_equal(reply->error->reason, "DEADLINE");
		assert_int_equal(reply->error->n_violations, 1);
		assert_string_equal(reply->error->violations[0]->field, path);
		release_reply(reply);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_request_has_a_row),
		cmocka_unit_test(every_deadline_is_read_from_its_own_message),
		TEST(requests_of_worlds_are_unknown_without_worlds),
		TEST(many_commands_with_an_id_are_refused_once),
		TEST(every_request_is_answered),
		TEST(every_scene_is_checked),
		TEST(every_deadline_that_passes_is_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
