/* What a client gets is enough: random scenes go as files to the command, as requests to a daemon, and what it prints goes to
 * the checker. It finds there exactly what it finds in a world of this process: the same bits, so the same report.
 *
 * argv: the command, and host:port of a daemon, or nothing: --local. */
#define _POSIX_C_SOURCE 200809L
#include "outside/feed.h"
#include "outside/feed_json.h"
#include "outside/generate.h"
#include "outside/trial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define SCENES 40u
#define TICKS_MAX 6u

static const char *command, *server;

static void
lines_judge(FILE *lines, struct feed_json *json, struct outside *outside, double dt)
{
	char *line = NULL;
	size_t capacity = 0;

	while (getline(&line, &capacity, lines) > 0) {
		const struct outside_tick *tick = feed_json_tick(json, line, dt);
		assert_non_null(tick);
		outside_tick(outside, tick);
	}
	free(line);
}

static void
scene_compare(uint64_t seed, const char *path)
{
	struct draft draft;
	char order[1024];

	(void)generate(&draft, seed, generate_family_count, seed % 2 == 0);
	draft.ticks = draft.ticks < TICKS_MAX ? draft.ticks : TICKS_MAX;
	const struct trial trial = trial_run(&draft);
	struct feed *feed = feed_create(draft_def(&draft));
	struct feed_json *json = feed_json_create();
	assert_true(feed && json && trial_write(&draft, path));
	(void)snprintf(order, sizeof order, "'%s' run '%s' %s %s --ticks %u --dt %.17g --events touches --format json 2>/dev/null",
	               command, path, server ? "--connect" : "--local", server ? server : "", trial.ticks, draft.dt);
	/* A scene that is refused prints nothing. */
	FILE *lines = trial.ticks > 0 ? popen(order, "r") : NULL;
	if (lines) {
		lines_judge(lines, json, feed_outside(feed), draft.dt);
		assert_int_equal(pclose(lines), 0);
	}
	const struct outside_report *report = outside_report(feed_outside(feed));
	assert_int_equal(report->ticks, trial.report.ticks);
	assert_int_equal(report->contacts, trial.report.contacts);
	assert_int_equal(outside_found(feed_outside(feed)), trial.found);
	assert_memory_equal(report->found, trial.report.found, sizeof report->found);
	assert_memory_equal(report->excused, trial.report.excused, sizeof report->excused);
	assert_memory_equal(report->flagged, trial.report.flagged, sizeof report->flagged);
	feed_json_destroy(json);
	feed_destroy(feed);
	draft_finish(&draft);
}

static void
test_the_wire_tells_all_that_the_checker_asks(void **state)
{
	char path[] = "/tmp/outside-wire-XXXXXX";
	const int file = mkstemp(path);

	(void)state;
	assert_true(file >= 0);
	(void)close(file);
	for (uint64_t seed = 1; seed <= SCENES; seed++)
		scene_compare(seed, path);
	(void)unlink(path);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_the_wire_tells_all_that_the_checker_asks) };

	if (argc < 2)
		return 2;
	command = argv[1];
	server = argc > 2 ? argv[2] : NULL;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
