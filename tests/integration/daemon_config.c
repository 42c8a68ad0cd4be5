/* The daemon's settings: flag over environment over file over default, and errors that name what they are about. */
#include "config.h"

#include "weights.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
	const struct config_inputs inputs = { count, (char *const *)(uintptr_t)arguments, environment };
	config_finish(&config);
	return config_load(&config, &sources, &inputs, error);
}

static char file_path[] = "/tmp/collided-config-XXXXXX";

static int
setup(void **state)
{
	(void)state;
	variable_name = variable_value = NULL;
	strcpy(file_path + strlen(file_path) - 6, "XXXXXX");
	int fd = mkstemp(file_path);
	return fd < 0 ? -1 : close(fd);
}

static int
teardown(void **state)
{
	(void)state;
	config_finish(&config);
	return unlink(file_path);
}

static void
write_file(const char *text, size_t count)
{
	FILE *file = fopen(file_path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, count, file), count);
	assert_int_equal(fclose(file), 0);
}

static void
defaults(void **state)
{
	(void)state;
	assert_int_equal(load(NULL, NULL), CONFIG_RUN);
	assert_string_equal(config.listen, "127.0.0.1:7878");
	assert_int_equal(config.session.frame_timeout_ms, 10000);
	assert_int_equal(config.net.write_timeout_ms, 180000);
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
	expect_bad("--quest-max", "1", "did you mean \"--queue-max\"?");
	expect_bad("--config", NULL, "--config: a value is missing");
	expect_bad("--config", "/nonexistent", "/nonexistent: No such file or directory");
	expect_bad("--account-weights", "127.0.0.1", "--account-weights: \"127.0.0.1\"");
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
file_is_under_environment_and_flags(void **state)
{
	(void)state;
	static const char text[] = "# settings\n"
							   "\n"
							   "  queue-max=7 # of a comment\r\n"
							   "message-bytes-max\t=\t1MiB\n"
							   "port-file = a#b\n"
							   "log-file =\n"
							   "log-level = error";
	write_file(text, strlen(text));
	variable_name = "COLLIDED_MESSAGE_BYTES_MAX";
	variable_value = "2MiB";
	assert_int_equal(load("--config", file_path), CONFIG_RUN);
	assert_int_equal(config.queue_max, 7);
	assert_int_equal(config.session.message_bytes_max, 2 << 20);
	assert_string_equal(config.port_file, "a#b");
	assert_string_equal(config.log_file, "");
	assert_int_equal(config.log_level, LOG_LEVEL_ERROR);
	variable_name = "COLLIDED_CONFIG";
	variable_value = file_path;
	assert_int_equal(load("--queue-max", "8"), CONFIG_RUN);
	assert_int_equal(config.queue_max, 8);
	assert_int_equal(config.session.message_bytes_max, 1 << 20);
	assert_int_equal(load("--config=", NULL), CONFIG_RUN); /* none, whatever the environment says */
	assert_int_equal(config.queue_max, config_default().queue_max);
}

/* "FILE:LINE: ", then what is wrong. */
static void
expect_bad_file(const char *text, size_t count, const char *wrong)
{
	char culprit[CONFIG_ERROR_BYTES];
	write_file(text, count);
	snprintf(culprit, sizeof culprit, "%s:%s", file_path, wrong);
	expect_bad("--config", file_path, culprit);
}

static void
file_errors_name_the_line(void **state)
{
	(void)state;
	static char long_one[70000];
	static const struct {
		const char *text, *wrong;
	} cases[] = {
		{ "queue-max = 7\nqueue-mx = 7\n", "2: unknown setting \"queue-mx\"; did you mean \"queue-max\"?" },
		{ "entirely-different = 1", "1: unknown setting \"entirely-different\"" },
		{ "\n\nworkers = many", "3: workers: \"many\" is not a whole number" },
		{ "workers 7", "1: \"workers 7\" is not NAME = VALUE" },
		{ "workers = 1\nworkers = 2", "2: workers is given in line 1, too" },
		{ "config = other", "1: a file cannot name another" },
		{ "listen = 7878", "1: listen: \"7878\" is not HOST:PORT" },
		{ "= 7", "1: unknown setting \"\"" },
		{ "account-weights = 10.0.0.1=0", "1: account-weights: \"10.0.0.1=0\"" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		expect_bad_file(cases[i].text, strlen(cases[i].text), cases[i].wrong);
	expect_bad_file("workers = 1\0", 12, " a byte of 0 is in it");
	memset(long_one, '\n', sizeof long_one);
	expect_bad_file(long_one, sizeof long_one, " longer than 64 KiB");
}

static void
what_is_printed_can_be_read_again(void **state)
{
	(void)state;
	static const char text[] = "queue-max = 7\naccount-weights = 10.0.0.7=4 ::1=2\n";
	char printed[16384] = "", again[16384] = "";
	write_file(text, strlen(text));
	assert_int_equal(load("--config", file_path), CONFIG_RUN);
	FILE *out = fmemopen(printed, sizeof printed, "w");
	config_print(&config, &sources, out);
	assert_int_equal(fclose(out), 0);
	assert_non_null(strstr(printed, "queue-max = 7  # file, line 1\n"));
	assert_non_null(strstr(printed, "account-weights = 10.0.0.7=4 ::1=2  # file, line 2; SIGHUP reads it again\n"));
	assert_non_null(strstr(printed, "log-level = info  # default; SIGHUP reads it again\n"));
	write_file(printed, strlen(printed));
	assert_int_equal(load("--config", file_path), CONFIG_RUN);
	out = fmemopen(again, sizeof again, "w");
	config_print(&config, &sources, out);
	assert_int_equal(fclose(out), 0);
	/* The values are the same; where they are from is not. */
	for (const char *a = printed, *b = again; *a != '\0'; a = strchr(a, '\n') + 1, b = strchr(b, '\n') + 1)
		assert_memory_equal(a, b, (size_t)(strstr(a, "  # ") - a));
}

static unsigned change_count;

static void
change_seen(void *context, const char *name, bool reloads)
{
	(void)context;
	change_count++;
	assert_int_equal(reloads, strcmp(name, "workers") != 0);
}

static void
changes_are_found(void **state)
{
	(void)state;
	struct config before = config_default(), after = config_default();
	change_count = 0;
	config_changes(&before, &after, change_seen, NULL);
	assert_int_equal(change_count, 0);
	after.workers = 9;
	after.log_level = LOG_LEVEL_OFF;
	after.account_weights = "::1=2";
	after.memory_per_account_bytes_max = 1;
	config_changes(&before, &after, change_seen, NULL);
	assert_int_equal(change_count, 4);
}

static void
quotas_are_half_unless_set(void **state)
{
	(void)state;
	struct config some = config_default();
	struct account_quotas quotas = config_quotas(&some);
	assert_int_equal(quotas.requests_max, some.session.requests_under_way_max / 2);
	assert_int_equal(quotas.queued_max, some.queue_max / 2);
	assert_int_equal(quotas.memory_bytes_max, some.session.memory_total_bytes_max / 2);
	some.requests_per_account_max = 5;
	some.queue_per_account_max = 6;
	some.memory_per_account_bytes_max = 7;
	quotas = config_quotas(&some);
	assert_int_equal(quotas.requests_max, 5);
	assert_int_equal(quotas.queued_max, 6);
	assert_int_equal(quotas.memory_bytes_max, 7);
	some = config_default();
	some.session.requests_under_way_max = some.queue_max = 1;
	assert_int_equal(config_quotas(&some).requests_max, 1);
	assert_int_equal(config_quotas(&some).queued_max, 1);
}

static void
weights_are_of_addresses(void **state)
{
	(void)state;
	static const char text[] = " 10.0.0.7=4  2001:db8::1=1024 ";
	struct address_key key;
	assert_true(weights_are_valid(text));
	assert_true(weights_are_valid(""));
	assert_true(address_key_parse("10.0.0.7", &key));
	assert_int_equal(weights_of(text, &key), 4);
	assert_true(address_key_parse("2001:db8::ffff", &key)); /* of the same /64 */
	assert_int_equal(weights_of(text, &key), 1024);
	assert_true(address_key_parse("10.0.0.8", &key));
	assert_int_equal(weights_of(text, &key), 1);
	static const char *const wrong[] = { "10.0.0.7", "10.0.0.7=", "10.0.0.7=0",   "10.0.0.7=1025", "10.0.0.7=2,::1=2",
		                                 "host=2",   "=2",        "10.0.0.7 = 2", "10.0.0.7=-1",   "10.0.0.7=2x" };
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
		assert_false(weights_are_valid(wrong[i]));
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

#define CONFIG_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		CONFIG_TEST(defaults),
		CONFIG_TEST(flag_wins_over_environment),
		CONFIG_TEST(every_action),
		CONFIG_TEST(errors_name_the_culprit),
		CONFIG_TEST(file_is_under_environment_and_flags),
		CONFIG_TEST(file_errors_name_the_line),
		CONFIG_TEST(what_is_printed_can_be_read_again),
		CONFIG_TEST(changes_are_found),
		CONFIG_TEST(quotas_are_half_unless_set),
		CONFIG_TEST(weights_are_of_addresses),
		CONFIG_TEST(addresses),
		CONFIG_TEST(variables_that_are_no_settings_are_found),
	};
	return cmocka_run_group_tests_name("daemon/config", tests, NULL, NULL);
}
