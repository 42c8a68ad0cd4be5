#include "session/messages.h"

#include "proto/frame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void
pack_message(struct buffer *out, const Collide__V1__ClientMessage *message)
{
	uint8_t header[FRAME_HEADER_BYTES_MAX];
	size_t count = collide__v1__client_message__get_packed_size(message);
	buffer_append(out, header, frame_header_write(header, (uint32_t)count));
	uint8_t *room = buffer_extend(out, count);
	assert_non_null(room);
	assert_int_equal(collide__v1__client_message__pack(message, room), count);
}

void
pack_hello(struct buffer *out, uint64_t id, uint32_t version_min, uint32_t version_max)
{
	Collide__V1__Hello hello = COLLIDE__V1__HELLO__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	char name[] = "test";
	hello.version_min = version_min;
	hello.version_max = version_max;
	hello.client_name = (ProtobufCBinaryData){ .len = 4, .data = (uint8_t *)name };
	message.request_id = id;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_HELLO;
	message.hello = &hello;
	pack_message(out, &message);
}

void
pack_ping(struct buffer *out, uint64_t id, const char *payload)
{
	Collide__V1__Ping ping = COLLIDE__V1__PING__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	ping.payload = (ProtobufCBinaryData){ .len = strlen(payload), .data = (uint8_t *)(uintptr_t)payload };
	message.request_id = id;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_PING;
	message.ping = &ping;
	pack_message(out, &message);
}

void
pack_cancel(struct buffer *out, uint64_t id, uint64_t target)
{
	Collide__V1__Cancel cancel = COLLIDE__V1__CANCEL__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	cancel.target_request_id = target;
	message.request_id = id;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_CANCEL;
	message.cancel = &cancel;
	pack_message(out, &message);
}

void
pack_describe(struct buffer *out, uint64_t id)
{
	Collide__V1__Describe describe = COLLIDE__V1__DESCRIBE__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	message.request_id = id;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_DESCRIBE;
	message.describe = &describe;
	pack_message(out, &message);
}

static void
pack(struct buffer *out, uint64_t id, uint32_t count, uint64_t ticks, uint64_t every, uint32_t deadline_ms)
{
	Collide__V1__CircleColumns columns = COLLIDE__V1__CIRCLE_COLUMNS__INIT;
	Collide__V1__Scene scene = COLLIDE__V1__SCENE__INIT;
	Collide__V1__Simulate simulate = COLLIDE__V1__SIMULATE__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	double *x = calloc(count, sizeof *x);
	double *vx = calloc(count, sizeof *vx);
	double radius = 0.25;
	assert_non_null(x);
	assert_non_null(vx);
	for (uint32_t i = 0; i < count; i++) {
		x[i] = i;
		vx[i] = i < 100 ? i : 100;
	}
	columns.n_x = count;
	columns.x = x;
	columns.n_vx = count;
	columns.vx = vx;
	columns.n_radius = 1;
	columns.radius = &radius;
	scene.optional_circle_columns_case = COLLIDE__V1__SCENE__OPTIONAL_CIRCLE_COLUMNS_CIRCLE_COLUMNS;
	scene.circle_columns = &columns;
	simulate.optional_scene_case = COLLIDE__V1__SIMULATE__OPTIONAL_SCENE_SCENE;
	simulate.scene = &scene;
	simulate.dt = 0.01;
	simulate.ticks = ticks;
	simulate.every = every;
	simulate.deadline_ms = deadline_ms;
	message.request_id = id;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SIMULATE;
	message.simulate = &simulate;
	pack_message(out, &message);
	free(x);
	free(vx);
}

void
pack_simulate(struct buffer *out, uint64_t id, uint32_t count, uint64_t ticks, uint32_t deadline_ms)
{
	pack(out, id, count, ticks, 1, deadline_ms);
}

void
pack_simulate_every(struct buffer *out, uint64_t id, uint32_t count, uint64_t ticks, uint64_t every)
{
	pack(out, id, count, ticks, every, 0);
}
