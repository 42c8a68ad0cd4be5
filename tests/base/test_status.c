#include "support/assert_double.h"

#include "base/check.h"
#include "base/status.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* The names and numbers are google.rpc.Code's: clients in every language match on them. */
static void
test_names_are_those_of_google_rpc(void **state)
{
	(void)state;
	assert_string_equal(status_name(STATUS_OK), "OK");
	assert_string_equal(status_name(STATUS_CANCELLED), "CANCELLED");
	assert_string_equal(status_name(STATUS_UNKNOWN), "UNKNOWN");
	assert_string_equal(status_name(STATUS_INVALID_ARGUMENT), "INVALID_ARGUMENT");
	assert_string_equal(status_name(STATUS_DEADLINE_EXCEEDED), "DEADLINE_EXCEEDED");
	assert_string_equal(status_name(STATUS_NOT_FOUND), "NOT_FOUND");
	assert_string_equal(status_name(STATUS_ALREADY_EXISTS), "ALREADY_EXISTS");
	assert_string_equal(status_name(STATUS_RESOURCE_EXHAUSTED), "RESOURCE_EXHAUSTED");
	assert_string_equal(status_name(STATUS_FAILED_PRECONDITION), "FAILED_PRECONDITION");
	assert_string_equal(status_name(STATUS_OUT_OF_RANGE), "OUT_OF_RANGE");
	assert_string_equal(status_name(STATUS_UNIMPLEMENTED), "UNIMPLEMENTED");
	assert_string_equal(status_name(STATUS_INTERNAL), "INTERNAL");
	assert_string_equal(status_name(STATUS_UNAVAILABLE), "UNAVAILABLE");
	assert_string_equal(status_name(STATUS_PERMISSION_DENIED), "PERMISSION_DENIED");
	assert_string_equal(status_name((enum status)10), "UNKNOWN");
	assert_string_equal(status_name((enum status) - 1), "UNKNOWN");
}

static void
test_check_passes_and_aborts(void **state)
{
	int wait_status = 0;

	(void)state;
	CHECK(1 + 1 == 2);
	(void)fflush(NULL);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		(void)signal(SIGABRT, SIG_DFL);
		if (!freopen("/dev/null", "w", stderr))
			_exit(1);
		CHECK(1 + 1 == 3);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &wait_status, 0), pid);
	assert_true(WIFSIGNALED(wait_status));
	assert_int_equal(WTERMSIG(wait_status), SIGABRT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_are_those_of_google_rpc),
		cmocka_unit_test(test_check_passes_and_aborts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
