#include "session/link.h"

#include "base/job.h"
#include "base/shared_bytes.h"
#include "proto/frame.h"
#include "session/messages.h"
#include "support/failing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static size_t
link_send(void *context, struct shared_bytes *const *blocks, size_t count)
{
	struct memory_link *link = context;
	fail_paused = true;
	for (size_t i = 0; i < count; i++) {
		buffer_append(&link->arrived, blocks[i]->bytes, blocks[i]->count);
		shared_bytes_release(blocks[i]);
	}
	fail_paused = false;
	return 0;
}

static void
link_set_reading(void *context, bool reading)
{
	(void)context;
	(void)reading;
}

static enum status
link_submit(void *context, struct job *job, bool started)
{
	struct memory_link *link = context;
	(void)started;
	assert_null(link->job);
	link->job = job;
	return STATUS_OK;
}

static void
link_call_later(void *context)
{
	((struct memory_link *)context)->later = true;
}

static void
link_close(void *context, const char *reason, bool flush)
{
	(void)flush;
	assert_true(strcmp(reason, "NO_MEMORY") == 0 || strcmp(reason, "SERVER_MEMORY") == 0);
	((struct memory_link *)context)->closed = true;
}

static const struct session_host host = {
	.send = link_send,
	.set_reading = link_set_reading,
	.submit = link_submit,
	.call_later = link_call_later,
	.close = link_close,
};

void
link_say_bytes(struct memory_link *link, const uint8_t *bytes, size_t count)
{
	session_on_bytes(link->session, bytes, count);
	while (link->later && !link->closed) {
		link->later = false;
		session_on_later(link->session);
	}
	while (link->job) {
		struct job *job = link->job;
		link->job = NULL;
		job->run(job);
		session_on_chunks(link->service);
		job->done(job);
		session_settle_returned(link->service);
	}
}

void
link_say(struct memory_link *link, const Collide__V1__ClientMessage *message)
{
	struct buffer bytes;
	buffer_init(&bytes);
	pack_message(&bytes, message);
	link_say_bytes(link, bytes.bytes, bytes.count);
	buffer_finish(&bytes);
}

Collide__V1__ServerMessage *
link_next(struct memory_link *link)
{
	size_t count = link->arrived.count - link->read, header = 0;
	uint32_t body = 0;
	const uint8_t *bytes = link->arrived.bytes + link->read;
	if (count == 0) {
		/* Bytes that were read are not counted as the server's. */
		buffer_finish(&link->arrived);
		link->read = 0;
		return NULL;
	}
	assert_int_equal(frame_header_read(bytes, count, UINT32_MAX, &header, &body), FRAME_OK);
	assert_true(count - header >= body);
	link->read += header + body;
	Collide__V1__ServerMessage *message = collide__v1__server_message__unpack(NULL, body, bytes + header);
	assert_non_null(message);
	return message;
}

void
link_open(struct memory_link *link, struct service *service)
{
	link_open_for(link, service, NULL);
}

void
link_open_for(struct memory_link *link, struct service *service, struct account *account)
{
	struct buffer hello;
	*link = (struct memory_link){ .service = service };
	buffer_init(&link->arrived);
	link->session = session_create(service, account, &host, link);
	assert_non_null(link->session);
	buffer_init(&hello);
	pack_hello(&hello, 1, 1, 1);
	link_say_bytes(link, hello.bytes, hello.count);
	buffer_finish(&hello);
	Collide__V1__ServerMessage *welcome = link_next(link);
	assert_int_equal(welcome->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_WELCOME);
	collide__v1__server_message__free_unpacked(welcome, NULL);
}

void
link_cut(struct memory_link *link)
{
	session_destroy(link->session);
	link->session = NULL;
	buffer_finish(&link->arrived);
}
