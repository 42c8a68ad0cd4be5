/* What the daemon tells the supervisor that started it: ready once it listens, stopping at SIGTERM. The supervisor is a
 * datagram socket of this test, by a path and by a name in Linux's abstract space. */
#include "integration/daemon_client.h"
#include "integration/daemon_process.h"
#include "net/supervisor.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

/* Binds a socket to `name`, in which '@' stands for the abstract space. */
static int
supervisor_open(const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t length = strlen(name);
	int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	assert_true(descriptor >= 0 && length < sizeof address.sun_path);
	memcpy(address.sun_path, name, length);
	if (name[0] == '@')
		address.sun_path[0] = '\0';
	assert_int_equal(
		bind(descriptor, (struct sockaddr *)&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length)), 0);
	return descriptor;
}

/* Waits for the next datagram. */
static void
supervisor_expect(int descriptor, const char *state)
{
	char text[256] = "";
	ssize_t count = recv(descriptor, text, sizeof text - 1, 0);
	assert_true(count > 0);
	assert_string_equal(text, state);
}

static void
life_is_told(const char *name)
{
	struct daemon_process daemon;
	struct daemon_client client;
	char more[16];
	int supervisor = supervisor_open(name);
	assert_int_equal(setenv("NOTIFY_SOCKET", name, 1), 0);
	daemon_start(&daemon, NULL);
	supervisor_expect(supervisor, "READY=1");
	client_open(&client, daemon.port);
	client_close(&client);
	assert_int_equal(recv(supervisor, more, sizeof more, MSG_DONTWAIT), -1);
	daemon_stop(&daemon);
	supervisor_expect(supervisor, "STOPPING=1");
	assert_int_equal(recv(supervisor, more, sizeof more, MSG_DONTWAIT), -1);
	unsetenv("NOTIFY_SOCKET");
	close(supervisor);
}

static void
a_supervisor_is_told_by_path_and_by_name(void **state)
{
	(void)state;
	char folder[] = "/tmp/collided-test-XXXXXX", path[64], name[64];
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/notify", folder);
	life_is_told(path);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(folder), 0);
	snprintf(name, sizeof name, "@collided-test-%ld", (long)getpid());
	life_is_told(name);
}

static void
a_supervisor_that_is_gone_is_logged(void **state)
{
	(void)state;
	struct daemon_process daemon;
	assert_int_equal(setenv("NOTIFY_SOCKET", "/nonexistent/notify", 1), 0);
	daemon_start(&daemon, NULL);
	daemon_terminate(&daemon);
	while (!strstr(daemon_log(&daemon), "state=STOPPING=1") && !strstr(daemon_log(&daemon), "state=\"STOPPING=1\""))
		continue;
	assert_non_null(strstr(daemon_log(&daemon), "the supervisor cannot be told"));
	assert_int_equal(daemon_wait(&daemon), 0);
	unsetenv("NOTIFY_SOCKET");
}

static void
wrong_names_are_refused(void **state)
{
	(void)state;
	char long_name[200];
	memset(long_name, 'a', sizeof long_name);
	long_name[0] = '/';
	long_name[sizeof long_name - 1] = '\0';
	assert_true(supervisor_tell(NULL, "READY=1"));
	assert_true(supervisor_tell("", "READY=1"));
	assert_false(supervisor_tell("relative", "READY=1"));
	assert_int_equal(errno, EINVAL);
	assert_false(supervisor_tell(long_name, "READY=1"));
	assert_int_equal(errno, EINVAL);
	assert_false(supervisor_tell("/nonexistent/notify", "READY=1"));
	assert_int_equal(errno, ENOENT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_supervisor_is_told_by_path_and_by_name),
		cmocka_unit_test(a_supervisor_that_is_gone_is_logged),
		cmocka_unit_test(wrong_names_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
