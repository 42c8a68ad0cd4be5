/* collide bench rooms: rooms that live on the daemon, with players and readers. */
#include "client/cli/commands/commands.h"

#include "client/cli/bench/rooms_report.h"
#include "client/cli/connection/connection.h"
#include "client/cli/terminal/colour.h"
#include "client/cli/terminal/interrupt.h"
#include "client/load/floor/floor.h"
#include "client/load/knee.h"

#include <stdlib.h>

/* What has the rooms: the daemon, and what it is compared with. */
enum subject { SUBJECT_DAEMON, SUBJECT_THREADS, SUBJECT_PROCESSES, SUBJECTS };

struct rooms_options {
	struct rooms_plan plan;
	const char *address;
	double knee_late_ms; /* 0: half a tick */
	bool find_knee, json;
	unsigned stream, floor; /* of the choices */
};

static bool
floor_measure(const struct rooms_plan *daemon_plan, enum floor_kind kind, struct rooms_result *result,
              struct collide_error *error)
{
	struct rooms_plan plan = *daemon_plan;
	struct floor *floor = floor_start(kind, plan.realtime, error);
	if (!floor)
		return false;
	const struct rooms_site site = floor_site(floor);
	plan.site = &site;
	plan.address = floor_address(floor);
	bool good = rooms_run(&plan, result, error);
	(void)floor_stop(floor);
	return good;
}

static bool
rooms_measure(const struct rooms_options *options, enum subject subject, uint64_t rooms, struct rooms_result *result,
              struct collide_error *error)
{
	struct rooms_plan plan = options->plan;
	plan.rooms = rooms;
	if (plan.connections > rooms)
		plan.connections = rooms;
	if (options->find_knee)
		plan.seconds = rooms_step_seconds(&plan, rooms);
	if (subject != SUBJECT_DAEMON)
		return floor_measure(&plan, subject == SUBJECT_THREADS ? FLOOR_THREADS : FLOOR_PROCESSES, result, error);
	return rooms_run(&plan, result, error);
}

static enum exit_status
rooms_error(const struct rooms_options *options, const struct collide_error *error)
{
	return error->origin == COLLIDE_FROM_CONNECTION ? connection_error_report("bench rooms", options->plan.address, error)
	                                                : error_report("bench rooms", error);
}

/* `refused`: why there could not be so many rooms; NULL: there were. */
static void
step_keep(struct rooms_search *search, const struct rooms_result *result, bool held, const char *refused)
{
	if (search->step_count == sizeof search->steps / sizeof search->steps[0])
		return;
	struct rooms_step *step = &search->steps[search->step_count++];
	*step = (struct rooms_step){ .rooms = result->rooms,
		                         .late_p99_ns = histogram_quantile(&result->late, 990000),
		                         .lost_ticks = result->lost_ticks,
		                         .updates_missed = result->updates_missed,
		                         .held = held };
	(void)snprintf(step->refused, sizeof step->refused, "%s", refused ? refused : "");
}

/* A daemon that has no room for so many, or servers that do not even let all players in, serve them not well. Anything else is
 * an error: no process, no descriptor. */
static bool
is_refusal(const struct collide_error *error)
{
	return (error->origin == COLLIDE_FROM_SERVER && error->code == COLLIDE_RESOURCE_EXHAUSTED) ||
	       (error->origin == COLLIDE_FROM_CONNECTION && error->code == COLLIDE_DEADLINE_EXCEEDED);
}

/* The most rooms that hold. *best has the result of these, or of the last step. */
static bool
knee_search(const struct rooms_options *options, enum subject subject, struct rooms_search *search, struct rooms_result *best,
            enum exit_status *status)
{
	struct knee knee;
	struct collide_error error;
	struct rooms_result *step = calloc(1, sizeof *step);
	bool go_on = step != NULL, good = go_on;
	knee_init(&knee, (double)options->plan.rooms, 1);
	while (go_on) {
		uint64_t rooms = knee.rate < 1 ? 1 : knee.rate > ROOMS_MAX ? ROOMS_MAX : (uint64_t)knee.rate;
		bool run = rooms_measure(options, subject, rooms, step, &error);
		bool refused = !run && is_refusal(&error);
		if (!run && !refused) {
			*status = rooms_error(options, &error);
			good = search->held > 0;
			break;
		}
		if (step->stopped)
			break;
		bool held = run && rooms_hold(step, search->bound_ns);
		step_keep(search, step, held, refused ? error.reason : NULL);
		if (held && rooms > search->held)
			search->held = rooms;
		if (!held && (search->failed == 0 || rooms < search->failed))
			search->failed = rooms;
		if (run && (held || search->held == 0))
			*best = *step;
		go_on = knee_take(&knee, held) && !(held && rooms == ROOMS_MAX) && !(!held && rooms == 1);
	}
	free(step);
	return good;
}

/* Whether it is one of those to be measured. */
static bool
is_wanted(const struct rooms_options *options, enum subject subject)
{
	return subject == SUBJECT_DAEMON || options->floor == (unsigned)subject || options->floor == SUBJECTS;
}

static enum exit_status
rooms_bench(struct rooms_options *options)
{
	static const char *const names[SUBJECTS] = { "daemon", "a thread per room", "a process per room" };
	struct rooms_report reports[SUBJECTS];
	struct rooms_result *results = calloc(SUBJECTS, sizeof *results);
	struct rooms_search *searches = calloc(SUBJECTS, sizeof *searches);
	enum exit_status status = EXIT_STATUS_DONE;
	struct collide_error error;
	size_t count = 0;
	double bound_ms = options->knee_late_ms > 0 ? options->knee_late_ms : 500 / (double)options->plan.tick_hz;
	bool good = results && searches;
	if (!good)
		fprintf(stderr, "collide bench rooms: no memory\n");
	interrupt_watch();
	for (enum subject subject = SUBJECT_DAEMON; good && subject < SUBJECTS && status == EXIT_STATUS_DONE; subject++) {
		if (!is_wanted(options, subject) || (count > 0 && results[count - 1].stopped))
			continue;
		struct rooms_result *result = &results[count];
		struct rooms_search *search = &searches[count];
		*search = (struct rooms_search){ .sought = options->find_knee, .bound_ns = (uint64_t)(bound_ms * 1e6) };
		bool run = options->find_knee ? knee_search(options, subject, search, result, &status)
		                              : rooms_measure(options, subject, options->plan.rooms, result, &error);
		if (!run && !options->find_knee)
			status = rooms_error(options, &error);
		if (!run || result->seconds <= 0)
			continue;
		reports[count] = (struct rooms_report){ names[subject], result, search };
		const struct rooms_plan told = rooms_plan_told(&options->plan, &reports[count++], subject != SUBJECT_DAEMON);
		if (!options->json)
			rooms_report_print(&told, &reports[count - 1], options->floor != 0, stdout);
	}
	if (count > 0 && options->json)
		good = rooms_json_print(&options->plan, reports, count, stdout);
	else if (options->find_knee)
		rooms_knees_print(reports, count, stdout);
	free(results);
	free(searches);
	return status != EXIT_STATUS_DONE ? status : good ? EXIT_STATUS_DONE : EXIT_STATUS_FAILED;
}

static const char ABOUT[] =
	"Makes rooms that live on the daemon, all in one map; lets players in, which send inputs, and a reader into each; measures.\n"
	"\n"
	"late: from a tick's due time to its begin, as updates tell. due to received: to the arrival of the update, but for the\n"
	"shortest way, which cannot be told from the clocks' difference. bare wait: a thread of this program that only waits for\n"
	"as many due times, in the same run; no daemon can be better on this machine. margin of inputs: how long they waited for\n"
	"their tick. An update is missed if it was due to a reader and did not come.\n"
	"\n"
	"--floor measures the same rooms afterwards without a daemon: this program makes servers of the same engine, worlds and\n"
	"messages, with a room and a thread each, in one process or as many. Each has one epoll, one timer and a connection.";

static const char *const streams[] = { "states", "paths", NULL };
/* In the order of enum subject. */
static const char *const floors[] = { "none", "thread", "process", "both", NULL };

enum exit_status
cmd_bench_rooms(int argc, char **argv)
{
	struct rooms_options options = { .plan = { .rooms = 100,
		                                       .circles = 64,
		                                       .walls = 390,
		                                       .tick_hz = 60,
		                                       .players = 4,
		                                       .inputs_hz = 4,
		                                       .every = 3,
		                                       .connections = 4,
		                                       .warm_up_seconds = 1,
		                                       .seconds = 5,
		                                       .stop = interrupt_came } };
	struct rooms_plan *plan = &options.plan;
	const struct argument arguments[] = {
		{ .name = "--rooms",
		  .letter = 'r',
		  .kind = ARGUMENT_COUNT,
		  .out = &plan->rooms,
		  .minimum = 1,
		  .maximum = ROOMS_MAX,
		  .value = "N",
		  .help = "how many (default 100); with --find-knee the first step" },
		{ .name = "--circles",
		  .kind = ARGUMENT_COUNT,
		  .out = &plan->circles,
		  .minimum = 1,
		  .maximum = ROOMS_CIRCLES_MAX,
		  .value = "N",
		  .help = "in each (default 64)" },
		{ .name = "--walls",
		  .kind = ARGUMENT_COUNT,
		  .out = &plan->walls,
		  .minimum = 4,
		  .maximum = ROOMS_WALLS_MAX,
		  .value = "N",
		  .help = "of the map (default 390)" },
		{ .name = "--hz",
		  .kind = ARGUMENT_COUNT,
		  .out = &plan->tick_hz,
		  .minimum = 1,
		  .maximum = 1000,
		  .value = "N",
		  .help = "ticks a second (default 60)" },
		{ .name = "--players",
		  .kind = ARGUMENT_COUNT,
		  .out = &plan->players,
		  .minimum = 0,
		  .maximum = ROOMS_PLAYERS_MAX,
		  .value = "N",
		  .help = "of each room, with a seat each (default 4)" },
		{ .name = "--inputs",
		  .kind = ARGUMENT_NUMBER,
		  .out = &plan->inputs_hz,
		  .value = "R",
		  .help = "inputs a second of each player (default 4)" },
		{ .name = "--late",
		  .kind = ARGUMENT_COUNT,
		  .out = &plan->late_percent,
		  .minimum = 1,
		  .maximum = 100,
		  .value = "PERCENT",
		  .help = "of inputs name a tick that is over, and rooms make their\nticks again for them (default 0)" },
		{ .name = "--every",
		  .letter = 'e',
		  .kind = ARGUMENT_COUNT,
		  .out = &plan->every,
		  .minimum = 1,
		  .maximum = 1000,
		  .value = "K",
		  .help = "readers get the state at every K-th tick (default 3)" },
		{ .name = "--stream",
		  .kind = ARGUMENT_CHOICE,
		  .out = &options.stream,
		  .choices = streams,
		  .value = "states|paths",
		  .help = "what readers are sent (default states)" },
		{ .name = "--history",
		  .kind = ARGUMENT_COUNT,
		  .out = &plan->history_ticks,
		  .minimum = 0,
		  .maximum = 600,
		  .value = "TICKS",
		  .help = "that each room keeps of its past (default 0)" },
		{ .name = "--connections",
		  .letter = 'c',
		  .kind = ARGUMENT_COUNT,
		  .out = &plan->connections,
		  .minimum = 1,
		  .maximum = ROOMS_MAX,
		  .value = "N",
		  .help = "that the rooms are spread over (default 4)" },
		{ .name = "--duration",
		  .letter = 'd',
		  .kind = ARGUMENT_SECONDS,
		  .out = &plan->seconds,
		  .value = "S",
		  .help = "seconds that are measured (default 5)" },
		{ .name = "--warm-up",
		  .kind = ARGUMENT_NUMBER,
		  .out = &plan->warm_up_seconds,
		  .value = "S",
		  .help = "seconds before, which are not (default 1)" },
		{ .name = "--realtime",
		  .kind = ARGUMENT_SWITCH,
		  .out = &plan->realtime,
		  .help =
		      "the bare wait takes a real-time priority, as the workers of a\ndaemon with --realtime; so do the threads of --floor" },
		{ .name = "--pid",
		  .kind = ARGUMENT_COUNT,
		  .out = &plan->server_pid,
		  .minimum = 1,
		  .maximum = UINT32_MAX,
		  .value = "PID",
		  .help = "of the daemon, if it is on this machine: its CPU time and\nmemory are measured too" },
		{ .name = "--floor",
		  .kind = ARGUMENT_CHOICE,
		  .out = &options.floor,
		  .choices = floors,
		  .value = "none|thread|process|both",
		  .help = "measure beside the daemon a thread for each room, a process\nfor each, or both (default none)" },
		{ .name = "--find-knee",
		  .kind = ARGUMENT_SWITCH,
		  .out = &options.find_knee,
		  .help =
		      "search for the most rooms that are served well, --duration for\neach step: no tick lost, no update missed, p99 of lateness\nwithin the bound. A step lasts until 20 updates are due, ten\n--durations at most" },
		{ .name = "--knee-late",
		  .kind = ARGUMENT_NUMBER,
		  .out = &options.knee_late_ms,
		  .value = "MS",
		  .help = "that bound in milliseconds (default: half a tick)" },
		CONNECTION_ARGUMENT(&options.address),
		JSON_ARGUMENT(&options.json, "print one JSON object instead of a table"),
	};
	const struct command_line line = {
		.command = "bench rooms",
		.about = ABOUT,
		.example = "collide bench rooms --rooms 20 --duration 2",
		.arguments = arguments,
		.count = sizeof arguments / sizeof arguments[0],
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	plan->address = connection_address(options.address);
	plan->paths = options.stream == 1;
	if (plan->players > plan->circles) {
		problem_begin("bench rooms");
		fprintf(stderr, "--players %llu: each moves a circle of its own, and there are %llu\n",
		        (unsigned long long)plan->players, (unsigned long long)plan->circles);
		return EXIT_STATUS_USAGE;
	}
	if (options.find_knee && rooms_update_seconds(plan) > KNEE_STEP_LONGER * plan->seconds) {
		problem_begin("bench rooms");
		fprintf(stderr,
		        "--duration %g: a room has an update every %g s, and a step of the search lasts ten --durations at most\n",
		        plan->seconds, rooms_update_seconds(plan));
		return EXIT_STATUS_USAGE;
	}
	return rooms_bench(&options);
}
