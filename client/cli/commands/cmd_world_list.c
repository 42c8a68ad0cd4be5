/* collide world list, collide top: the worlds of the daemon that are this client's; once, or live by what they cost. */
#include "client/cli/commands/commands.h"

#include "client/cli/connection/connection.h"
#include "client/cli/terminal/interrupt.h"
#include "client/cli/worlds/world_key.h"
#include "client/cli/worlds/world_print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Worlds in one reply: the most that the daemon gives. */
enum { PAGE_WORLDS = 1000 };

struct world_list {
	struct collide_world_info *infos; /* owned */
	size_t count, capacity;
};

static bool
list_add(struct world_list *list, const struct collide_worlds *worlds)
{
	if (list->count + worlds->count > list->capacity) {
		size_t capacity = 2 * list->capacity + worlds->count;
		struct collide_world_info *infos = realloc(list->infos, capacity * sizeof *infos);
		if (!infos)
			return false;
		list->infos = infos;
		list->capacity = capacity;
	}
	memcpy(list->infos + list->count, worlds->infos, worlds->count * sizeof *worlds->infos);
	list->count += worlds->count;
	return true;
}

/* All worlds that the filter lets through, page by page. */
static enum exit_status
list_load(const char *command, struct collide_client *client, const struct collide_world_filter *filter,
          struct world_list *list)
{
	struct collide_world_filter page = *filter;
	struct collide_worlds worlds = { .more = true };
	struct collide_error error;
	char after[COLLIDE_NAME_BYTES];
	list->count = 0;
	while (worlds.more && (filter->limit == 0 || list->count < filter->limit)) {
		uint64_t left = filter->limit == 0 ? PAGE_WORLDS : filter->limit - list->count;
		page.limit = left < PAGE_WORLDS ? (uint32_t)left : PAGE_WORLDS;
		if (!collide_list_worlds(client, &page, &worlds, &error))
			return error_report(command, &error);
		if (worlds.count == 0)
			break;
		if (!list_add(list, &worlds)) {
			fprintf(stderr, "collide %s: no memory\n", command);
			return EXIT_STATUS_FAILED;
		}
		memcpy(after, worlds.infos[worlds.count - 1].name, sizeof after);
		page.after = after;
	}
	return EXIT_STATUS_DONE;
}

struct list_options {
	const char *address, *prefix;
	struct argument_texts texts;
	struct label_texts labels;
	uint64_t limit;
	bool json;
};

#define LIST_ARGUMENTS(options)                                               \
	{ .name = "--prefix",                                                     \
	  .kind = ARGUMENT_TEXT,                                                  \
	  .out = &(options)->prefix,                                              \
	  .value = "TEXT",                                                        \
	  .help = "only those with a name that begins so" },                      \
		{ .name = "--label",                                                  \
		  .kind = ARGUMENT_TEXTS,                                             \
		  .out = &(options)->texts,                                           \
		  .value = "KEY=VALUE",                                               \
		  .help = "only those with this label; may be given several times" }, \
		CONNECTION_ARGUMENT(&(options)->address)

static struct collide_world_filter
filter_of(const struct list_options *options)
{
	return (struct collide_world_filter){ .prefix = options->prefix,
		                                  .labels = options->labels.labels,
		                                  .label_count = options->labels.count,
		                                  .limit = (uint32_t)options->limit };
}

static enum exit_status
worlds_list(const struct list_options *options)
{
	struct world_list list = { 0 };
	struct world_json printer = { 0 };
	const struct collide_world_filter filter = filter_of(options);
	enum exit_status status = EXIT_STATUS_DONE;
	struct collide_client *client = connection_open("world list", options->address, &status);
	if (!client)
		return status;
	if (options->json)
		world_json_begin(&printer, collide_client_core(client));
	status = list_load("world list", client, &filter, &list);
	if (status == EXIT_STATUS_DONE && !options->json) {
		worlds_head_print();
		for (size_t i = 0; i < list.count; i++)
			worlds_row_print(&list.infos[i]);
	}
	free(list.infos);
	collide_close(client);
	return printer.failed ? EXIT_STATUS_FAILED : status;
}

enum exit_status
cmd_world_list(int argc, char **argv)
{
	struct list_options options = { 0 };
	const struct argument arguments[] = {
		LIST_ARGUMENTS(&options),
		{ .name = "--limit",
		  .kind = ARGUMENT_COUNT,
		  .out = &options.limit,
		  .minimum = 1,
		  .maximum = UINT32_MAX,
		  .value = "N",
		  .help = "at most so many (default: all)" },
		JSON_ARGUMENT(&options.json, "the schema's Worlds, a line for each 1,000"),
	};
	const struct command_line line = {
		.command = "world list",
		.about = "Lists the worlds that were made from this machine's address, by their names.",
		.example = "collide gen break | collide world create - --label mode=duel && collide world list --label mode=duel",
		.arguments = arguments,
		.count = sizeof arguments / sizeof arguments[0],
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	enum exit_status status = label_options_read("world list", &options.texts, &options.labels);
	return status == EXIT_STATUS_DONE ? worlds_list(&options) : status;
}

/* ---- top */

struct top_options {
	struct list_options list;
	double interval_s;
	bool once;
};

/* The dearest first; equal ones by name. */
static int
by_cost(const void *left, const void *right)
{
	const struct collide_world_info *a = left, *b = right;
	double cost_a = world_cost(a), cost_b = world_cost(b);
	return cost_a > cost_b ? -1 : cost_a < cost_b ? 1 : strcmp(a->name, b->name);
}

static void
top_print(struct world_list *list, uint64_t most, bool clear)
{
	double cost = 0;
	size_t failed = 0;
	uint64_t lost = 0;
	for (size_t i = 0; i < list->count; i++) {
		cost += world_cost(&list->infos[i]);
		failed += list->infos[i].failed[0] != '\0';
		lost += list->infos[i].lost_ticks;
	}
	if (list->count > 0)
		qsort(list->infos, list->count, sizeof *list->infos, by_cost);
	if (clear)
		fputs("\x1b[H\x1b[J", stdout);
	printf("%zu worlds, %.1f %% of a core, %llu ticks lost, %zu failed\n\n", list->count, cost * 100, (unsigned long long)lost,
	       failed);
	worlds_head_print();
	for (size_t i = 0; i < list->count && i < most; i++)
		worlds_row_print(&list->infos[i]);
	fflush(stdout);
}

static void
pause_s(double seconds)
{
	struct timespec time = { .tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9) };
	while (!interrupt_came(NULL) && nanosleep(&time, &time) != 0)
		continue;
}

static enum exit_status
top_run(struct top_options *options)
{
	struct world_list list = { 0 };
	struct world_json printer = { 0 };
	uint64_t most = options->list.limit > 0 ? options->list.limit : 20;
	options->list.limit = 0; /* all count for the sums */
	const struct collide_world_filter filter = filter_of(&options->list);
	enum exit_status status = EXIT_STATUS_DONE;
	struct collide_client *client = connection_open("top", options->list.address, &status);
	if (!client)
		return status;
	bool live = !options->once && !options->list.json && isatty(STDOUT_FILENO);
	interrupt_watch();
	if (options->list.json)
		world_json_begin(&printer, collide_client_core(client));
	for (;;) {
		status = list_load("top", client, &filter, &list);
		if (status != EXIT_STATUS_DONE)
			break;
		if (!options->list.json)
			top_print(&list, most, live);
		if (options->once || printer.failed || ferror(stdout))
			break;
		pause_s(options->interval_s);
		if (interrupt_came(NULL))
			break;
	}
	free(list.infos);
	collide_close(client);
	return printer.failed ? EXIT_STATUS_FAILED : status;
}

enum exit_status
cmd_top(int argc, char **argv)
{
	struct top_options options = { .interval_s = 1 };
	const struct argument arguments[] = {
		{ .name = "--once", .letter = '1', .kind = ARGUMENT_SWITCH, .out = &options.once, .help = "print it once, and end" },
		{ .name = "--interval",
		  .kind = ARGUMENT_SECONDS,
		  .out = &options.interval_s,
		  .least = 0.1,
		  .most = 3600,
		  .value = "S",
		  .help = "seconds between two looks (default 1)" },
		{ .name = "--limit",
		  .kind = ARGUMENT_COUNT,
		  .out = &options.list.limit,
		  .minimum = 1,
		  .maximum = UINT32_MAX,
		  .value = "N",
		  .help = "how many worlds have a line (default 20)" },
		LIST_ARGUMENTS(&options.list),
		JSON_ARGUMENT(&options.list.json, "the schema's Worlds, by name, a line for each look"),
	};
	const struct command_line line = {
		.command = "top",
		.about =
			"Shows the worlds that were made from this machine's address, those first that cost the daemon most CPU time: what\n"
			"a tick takes times the ticks of a second, in percent of a core. Ctrl-C ends it.",
		.example = "collide gen break | collide world create - && collide top --once",
		.arguments = arguments,
		.count = sizeof arguments / sizeof arguments[0],
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	enum exit_status status = label_options_read("top", &options.list.texts, &options.list.labels);
	return status == EXIT_STATUS_DONE ? top_run(&options) : status;
}
