/* Lines as people and programs read them, whatever a client put into them. */
#include "base/log.h"

#include "base/log_limit.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static int ends[2];

static int
setup(void **state)
{
	(void)state;
	return pipe(ends);
}

static int
teardown(void **state)
{
	(void)state;
	log_configure(LOG_LEVEL_INFO, LOG_FORMAT_LOGFMT, STDERR_FILENO);
	close(ends[0]);
	close(ends[1]);
	return 0;
}

/* What was written since, terminated. */
static const char *
written(void)
{
	static char text[65536 + 1];
	ssize_t count = read(ends[0], text, sizeof text - 1);
	assert_true(count > 0);
	text[count] = '\0';
	return text;
}

static void
write_nasty_line(void)
{
	struct log_line line;
	log_begin(&line, LOG_LEVEL_WARNING, "two words");
	log_text(&line, "plain", "1.2.3.4:5");
	log_bytes(&line, "nasty", "a\"b\\c\n\x1b[31m\xff\0z", 14);
	log_text(&line, "empty", "");
	log_number(&line, "number", UINT64_MAX);
	log_end(&line);
}

static void
logfmt_quotes_what_is_not_plain(void **state)
{
	(void)state;
	log_configure(LOG_LEVEL_INFO, LOG_FORMAT_LOGFMT, ends[1]);
	write_nasty_line();
	const char *text = written();
	assert_memory_equal(text, "time=2", 6);
	assert_non_null(strstr(text,
	                       " level=warning event=\"two words\" plain=1.2.3.4:5 nasty=\"a\\\"b\\\\c\\u000a\\u001b[31m\\u00ff"
	                       "\\u0000z\" empty=\"\" number=18446744073709551615\n"));
}

static void
json_is_json(void **state)
{
	(void)state;
	json_error_t error;
	log_configure(LOG_LEVEL_INFO, LOG_FORMAT_JSON, ends[1]);
	struct log_line line;
	log_begin(&line, LOG_LEVEL_ERROR, "x");
	log_bytes(&line, "nasty", "a\"b\\c\n\x1b[31m\xffz", 13);
	log_number(&line, "number", 7);
	log_end(&line);
	json_t *object = json_loads(written(), 0, &error);
	assert_non_null(object);
	assert_string_equal(json_string_value(json_object_get(object, "level")), "error");
	assert_string_equal(json_string_value(json_object_get(object, "nasty")), "a\"b\\c\n\x1b[31m\xc3\xbfz");
	assert_int_equal(json_integer_value(json_object_get(object, "number")), 7);
	json_decref(object);
}

static void
level_is_respected(void **state)
{
	(void)state;
	log_configure(LOG_LEVEL_WARNING, LOG_FORMAT_LOGFMT, ends[1]);
	log_event(LOG_LEVEL_INFO, "quiet");
	log_event(LOG_LEVEL_ERROR, "loud");
	const char *text = written();
	assert_null(strstr(text, "quiet"));
	assert_non_null(strstr(text, "loud"));
	log_configure(LOG_LEVEL_OFF, LOG_FORMAT_LOGFMT, ends[1]);
	log_event(LOG_LEVEL_ERROR, "nothing");
	log_configure(LOG_LEVEL_DEBUG, LOG_FORMAT_LOGFMT, ends[1]);
	log_event(LOG_LEVEL_DEBUG, "something");
	assert_null(strstr(written(), "nothing"));
}

static void
field_that_does_not_fit_is_left_out_whole(void **state)
{
	(void)state;
	char much[3 * LOG_LINE_BYTES_MAX];
	json_error_t error;
	struct log_line line;
	memset(much, '"', sizeof much);
	log_configure(LOG_LEVEL_INFO, LOG_FORMAT_JSON, ends[1]);
	for (size_t count = LOG_LINE_BYTES_MAX / 2 - 100; count < LOG_LINE_BYTES_MAX / 2 + 10; count++) {
		log_begin_asked(&line, LOG_LEVEL_INFO, "x");
		log_bytes(&line, "much", much, count);
		log_number(&line, "after", 5);
		log_end(&line);
		json_t *object = json_loads(written(), 0, &error);
		assert_non_null(object);
		assert_true(json_object_get(object, "much") != NULL || json_integer_value(json_object_get(object, "after")) == 5);
		json_decref(object);
	}
}

/* A line that is not limited. */
static void
log_asked(const char *event)
{
	struct log_line line;
	log_begin_asked(&line, LOG_LEVEL_INFO, event);
	log_end(&line);
}

static void
reader_that_stopped_costs_lines_not_time(void **state)
{
	(void)state;
	log_configure(LOG_LEVEL_INFO, LOG_FORMAT_LOGFMT, ends[1]);
	/* A pipe holds 64 KiB: the rest of these is dropped, and the next line that can be written says so. */
	for (unsigned i = 0; i < 5000; i++)
		log_asked("x");
	while (strlen(written()) == 65536) {
	}
	log_asked("after");
	const char *text = written();
	assert_non_null(strstr(text, "dropped="));
	log_asked("again");
	assert_null(strstr(written(), "dropped="));
}

/* How many lines of that kind were left out, as is told in a text. */
static size_t
told_left_out(const char *text)
{
	static const char told[] = "event=\"lines left out\" of=same count=";
	size_t sum = 0;
	for (const char *at = text; (at = strstr(at, told)); at++)
		sum += strtoul(at + strlen(told), NULL, 10);
	return sum;
}

/* Of a thousand lines of one kind, some are written; how many were not is told once their second is over. A slow machine needs
 * more than a second for them. */
static void
lines_of_one_kind_are_limited(void **state)
{
	(void)state;
	log_configure(LOG_LEVEL_INFO, LOG_FORMAT_LOGFMT, ends[1]);
	for (unsigned i = 0; i < 1000; i++)
		log_event(LOG_LEVEL_INFO, "same");
	log_event(LOG_LEVEL_INFO, "other");
	size_t lines = 0;
	const char *text = written();
	for (const char *at = text; (at = strstr(at, "event=same")); at++)
		lines++;
	assert_true(lines >= LOG_LINES_PER_S_MAX);
	assert_non_null(strstr(text, "event=other"));
	size_t told = told_left_out(text);
	assert_true(lines < 1000);
	nanosleep(&(struct timespec){ .tv_sec = 1, .tv_nsec = 10000000 }, NULL);
	log_tell_left_out();
	log_asked("end"); /* all of them may have been told before */
	assert_int_equal(lines + told + told_left_out(written()), 1000);
}

/* Moved away and opened again, as logrotate does it. */
static void
file_is_opened_again_under_its_name(void **state)
{
	(void)state;
	char folder[] = "/tmp/collided-log-XXXXXX", path[64], old[64], text[256] = "";
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/log", folder);
	snprintf(old, sizeof old, "%s/log.1", folder);
	assert_false(log_open_file("/nonexistent/log"));
	assert_true(log_open_file(path));
	log_asked("first");
	assert_int_equal(rename(path, old), 0);
	log_asked("second");
	assert_true(log_open_file(path));
	log_asked("third");
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	assert_non_null(fgets(text, sizeof text, file));
	assert_non_null(strstr(text, "third"));
	assert_null(fgets(text, sizeof text, file));
	fclose(file);
	file = fopen(old, "r");
	assert_non_null(file);
	assert_non_null(fgets(text, sizeof text, file));
	assert_non_null(fgets(text, sizeof text, file));
	assert_non_null(strstr(text, "second"));
	fclose(file);
	assert_int_equal(unlink(path) | unlink(old) | rmdir(folder), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(logfmt_quotes_what_is_not_plain, setup, teardown),
		cmocka_unit_test_setup_teardown(json_is_json, setup, teardown),
		cmocka_unit_test_setup_teardown(level_is_respected, setup, teardown),
		cmocka_unit_test_setup_teardown(field_that_does_not_fit_is_left_out_whole, setup, teardown),
		cmocka_unit_test_setup_teardown(reader_that_stopped_costs_lines_not_time, setup, teardown),
		cmocka_unit_test_setup_teardown(lines_of_one_kind_are_limited, setup, teardown),
		cmocka_unit_test_setup_teardown(file_is_opened_again_under_its_name, setup, teardown),
	};
	return cmocka_run_group_tests_name("base/log", tests, NULL, NULL);
}
