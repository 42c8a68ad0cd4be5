/* The daemon's settings: flag over environment over default, and errors that name what they are about. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *variable_name, *variable_value;

static char *
environment(const char *name)
{
	return variable_name && strcmp(name, variable_name) == 0 ? (char *)(uintptr_t)variable_value : NULL;
}

static struct config config;
static struct config_sources sources;
static char error[CONFIG_ERROR_BYTES];

static enum config_action
load(const char *first, const char *second)
{
	const char *arguments[] = { "collided", first, second, NULL };
	int count = !first ? 1 : !second ? 2 : 3;
	error[0] = '\0';
	return config_load(&config, &sources, count, (char *const *)(uintptr_t)arguments, environment, error);
}

static int
setup(void **state)
{
	(void)state;
	variable_name = variable_value = NULL;
	return 0;
}

static void
defaults(void **state)
{
	(void)state;
	assert_int_equal(load(NULL, NULL), CONFIG_RUN);
	assert_string_equal(config.listen, "127.0.0.1:7878");
	assert_int_equal(config.session.frame_timeout_ms, 10000);
	assert_int_equal(config.net.write_timeout_ms, 10000);
}

static void
flag_wins_over_environment(void **state)
{
	(void)state;
	variable_name = "COLLIDED_MESSAGE_BYTES_MAX";
	variable_value = "1MiB";
	assert_int_equal(load(NULL, NULL), CONFIG_RUN);
	assert_int_equal(config.session.message_bytes_max, 1 << 20);
	assert_int_equal(load("--message-bytes-max", "64KiB"), CONFIG_RUN);
	assert_int_equal(config.session.message_bytes_max, 65536);
	assert_int_equal(load("--message-bytes-max=70000", NULL), CONFIG_RUN);
	assert_int_equal(config.session.message_bytes_max, 70000);
}

static void
every_action(void **state)
{
	(void)state;
	assert_int_equal(load("--help", NULL), CONFIG_HELP);
	assert_int_equal(load("--version", NULL), CONFIG_VERSION);
	assert_int_equal(load("--print-config", NULL), CONFIG_PRINT);
	variable_name = "COLLIDED_WORKERS";
	variable_value = "nonsense";
	assert_int_equal(load("--help", NULL), CONFIG_HELP);
}

static void
expect_bad(const char *first, const char *second, const char *culprit)
{
	assert_int_equal(load(first, second), CONFIG_BAD);
	if (!strstr(error, culprit))
		fail_msg("\"%s\" is not in \"%s\"", culprit, error);
}

static void
errors_name_the_culprit(void **state)
{
	(void)state;
	expect_bad("--workers", "1025", "--workers: \"1025\"");
	expect_bad("--workers", "-1", "--workers");
	expect_bad("--workers", "", "--workers");
	expect_bad("--workers", "3x", "--workers");
	expect_bad("--workers", "3KiB", "--workers");
	expect_bad("--workers", NULL, "--workers: a value is missing");
	expect_bad("--message-bytes-max", "5GiB", "--message-bytes-max");
	expect_bad("--memory-bytes-max", "99999999999999999999", "--memory-bytes-max");
	expect_bad("--memory-bytes-max", "18446744073709551615GiB", "--memory-bytes-max");
	expect_bad("--log-level", "loud", "--log-level: \"loud\"");
	expect_bad("--log-format", "xml", "--log-format");
	expect_bad("--listen", "7878", "--listen");
	expect_bad("workers", NULL, "\"workers\"");
	expect_bad("--", NULL, "\"--\"");
	expect_bad("--nothing=1", NULL, "--nothing");
	variable_name = "COLLIDED_LOG_FORMAT";
	variable_value = "xml";
	expect_bad(NULL, NULL, "COLLIDED_LOG_FORMAT: \"xml\"");
}

static void
addresses(void **state)
{
	(void)state;
	static const struct {
		const char *text, *host, *port; /* host NULL: not an address */
	} cases[] = {
		{ "127.0.0.1:7878", "127.0.0.1", "7878" },
		{ "[::1]:0", "::1", "0" },
		{ ":80", "::", "80" },
		{ "[]:80", "::", "80" },
		{ "localhost:65535", "localhost", "65535" },
		{ "::1:80", NULL, NULL },
		{ "127.0.0.1", NULL, NULL },
		{ "127.0.0.1:", NULL, NULL },
		{ "127.0.0.1:65536", NULL, NULL },
		{ "127.0.0.1:http", NULL, NULL },
		{ "127.0.0.1:000000", NULL, NULL },
		{ "", NULL, NULL },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char host[CONFIG_HOST_BYTES];
		const char *port = NULL;
		assert_int_equal(config_split_address(cases[i].text, host, &port), cases[i].host != NULL);
		if (cases[i].host) {
			assert_string_equal(host, cases[i].host);
			assert_string_equal(port, cases[i].port);
		}
	}
}

static void
variables_that_are_no_settings_are_found(void **state)
{
	(void)state;
	char setting[] = "COLLIDED_QUEUE_MAX=7", other[] = "PATH=/bin", slip[] = "COLLIDED_QUEUEMAX=7",
		 client[] = "COLLIDE_CONNECT=:1";
	/* What Kubernetes and Docker set for a service called collided is none of ours. */
	char host[] = "COLLIDED_SERVICE_HOST=10.0.0.1", port[] = "COLLIDED_PORT=tcp://10.0.0.1:7878",
		 part[] = "COLLIDED_PORT_7878_TCP_ADDR=10.0.0.1", named[] = "COLLIDED_SERVICE_PORT_PHYSICS=7878",
		 near[] = "COLLIDED_PORT_FILES=x";
	char *const variables[] = { setting, other, slip, client, NULL },
				*const good[] = { setting, host, port, part, named, NULL }, *const bad[] = { near, NULL };
	assert_true(config_environment_check(good, error));
	assert_false(config_environment_check(variables, error));
	assert_string_equal(error, "COLLIDED_QUEUEMAX: no such variable is read; did you mean \"COLLIDED_QUEUE_MAX\"?");
	assert_false(config_environment_check(bad, error));
	assert_non_null(strstr(error, "\"COLLIDED_PORT_FILE\""));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(defaults, setup),     cmocka_unit_test_setup(flag_wins_over_environment, setup),
		cmocka_unit_test_setup(every_action, setup), cmocka_unit_test_setup(errors_name_the_culprit, setup),
		cmocka_unit_test_setup(addresses, setup),    cmocka_unit_test(variables_that_are_no_settings_are_found),
	};
	return cmocka_run_group_tests_name("daemon/config", tests, NULL, NULL);
}
