/* freedoom: every map of Debian's freedoom1.wad and freedoom2.wad as a room for fast elastic circles, every tick certified. It
 * prints a row per map. The exit status is 1 if any row has something against it, 77 (skipped, to ctest) if the maps are not
 * installed.
 *
 * Not a cmocka program, because its table is what people want from it (`./dev maps`, docs/freedoom.md); it runs as tests too.
 */
#include "support/freedoom.h"
#include "client/cli/terminal/progress.h"
#include "physics/map/map_row.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	CIRCLES = 200,
	CROWD = 1000,
	EPISODES = 4,
	EPISODE_MAPS = 9,
	FREEDOOM_1_MAPS = EPISODES * EPISODE_MAPS,
	FREEDOOM_2_MAPS = 32
};
enum { MAPS = FREEDOOM_1_MAPS + FREEDOOM_2_MAPS, JITTER_MAX = 64, EXIT_SKIPPED = 77 };
static const char radii_per_tick[] = "5:20", crowd_radii_per_tick[] = "0.5:4";
static const double dt = 1.0 / 60;

/* What makes a crowd of circles: they bounce half, rub on each other and all want the same way, so that they heap up behind
 * walls. */
static const char *const crowd_options[] = {
	"--restitution", "0.5", "--friction", "0.5", "--gravity", "250,-433", "--doors", NULL,
};

struct options {
	double seconds; /* of game time */
	bool crowd;
	unsigned jitter; /* ulp; 0: none */
	uint64_t seed;   /* of the jitter */
	const char *markdown;
	char **names; /* none: all maps */
	size_t name_count;
};

struct table {
	FILE *markdown; /* NULL: not asked for */
	bool crowd;
	struct progress progress;
	uint64_t ticks_before; /* of the maps that are done */
	struct map_row total;
	size_t rows, bad;
};

static void
usage(FILE *out)
{
	(void)fputs(
		"usage: freedoom_maps [--crowd 1] [--seconds S] [--jitter ULPS [--seed S]] [--markdown FILE] [MAP...]\n"
		"Runs 200 circles at 5 to 20 radii per tick through each map (E1M1 to E4M9, MAP01 to MAP32; default all) for S\n"
		"seconds of game time (default 20), certified, and prints a row for each.\n"
		"  --crowd 1        instead: 1,000 circles of restitution and friction 0.5 that all want the same way, sensors in\n"
		"                   the doorways, all events matched\n"
		"  --jitter ULPS    moves each coordinate of each end of a wall by a random number of ulp, up to so many (64 at\n"
		"                   most): no two walls are joined exactly any more\n"
		"  --seed S         other numbers (default 1)\n"
		"  --markdown FILE  writes the table there as well\n",
		out);
}

/* Number 0 to MAPS - 1. */
static void
map_name(int number, char name[9])
{
	if (number < FREEDOOM_1_MAPS)
		(void)snprintf(name, 9, "E%dM%d", (number / EPISODE_MAPS + 1) % 10, number % EPISODE_MAPS + 1);
	else
		(void)snprintf(name, 9, "MAP%02d", (number - FREEDOOM_1_MAPS + 1) % 100);
}

static bool
wanted(const struct options *options, const char *name)
{
	for (size_t i = 0; i < options->name_count; i++)
		if (strcmp(options->names[i], name) == 0)
			return true;
	return options->name_count == 0;
}

/* false: a name that no map has. */
static bool
names_check(const struct options *options)
{
	for (size_t i = 0; i < options->name_count; i++) {
		char name[9] = "";
		int number = 0;
		while (number < MAPS && strcmp(name, options->names[i]) != 0)
			map_name(number++, name);
		if (strcmp(name, options->names[i]) != 0) {
			(void)fprintf(stderr, "freedoom_maps: Freedoom has no map %s\n", options->names[i]);
			return false;
		}
	}
	return true;
}

static void
tick_show(void *context, const struct map_row *row)
{
	struct table *table = context;
	progress_update(&table->progress, table->ticks_before + row->ticks, table->total.collisions + row->collisions);
}

static double
rate(const struct map_row *row)
{
	return row->engine_seconds > 0 ? (double)row->events / row->engine_seconds : 0;
}

static void
crowd_row_print(struct table *table, const char *name, const struct map_row *row)
{
	progress_clear(&table->progress);
	printf("%-6s %6zu %6zu %11" PRIu64 " %9" PRIu64 " %8" PRIu64 " %11.0f %9.1e %8" PRIu64 " %9" PRIu64 " %7" PRIu64 "%s%s\n",
	       name, row->walls, row->doors, row->collisions, row->begins, row->enters, rate(row), row->drift,
	       row->escapes + row->strays, row->overlaps, row->event_faults, row->problem[0] != '\0' ? "  FAILED: " : "",
	       row->problem);
	(void)fflush(stdout);
	if (table->markdown)
		(void)fprintf(table->markdown,
		              "| %s | %zu | %zu | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %.1e | %" PRIu64 " | %" PRIu64 " | %" PRIu64
		              " |\n",
		              name, row->walls, row->doors, row->collisions, row->begins, row->enters, row->drift,
		              row->escapes + row->strays, row->overlaps, row->event_faults);
}

static void
row_print(struct table *table, const char *name, const struct map_row *row)
{
	if (table->crowd) {
		crowd_row_print(table, name, row);
		return;
	}
	progress_clear(&table->progress);
	printf("%-6s %6zu %11" PRIu64 " %11.0f %9.1e %8" PRIu64 " %9" PRIu64 "%s%s\n", name, row->walls, row->collisions, rate(row),
	       row->drift, row->escapes + row->strays, row->overlaps, row->problem[0] != '\0' ? "  FAILED: " : "", row->problem);
	(void)fflush(stdout);
	if (table->markdown)
		(void)fprintf(table->markdown, "| %s | %zu | %" PRIu64 " | %.0f | %.1e | %" PRIu64 " | %" PRIu64 " |\n", name,
		              row->walls, row->collisions, 1e3 * floor(rate(row) / 1e3 + 0.5), row->drift, row->escapes + row->strays,
		              row->overlaps);
}

static void
crowd_head_print(struct table *table, uint64_t ticks)
{
	printf("a crowd of %d, restitution and friction 0.5, pulled to the south-east, %g s in %" PRIu64 " ticks, certified\n\n",
	       CROWD, (double)ticks * dt, ticks);
	printf("%-6s %6s %6s %11s %9s %8s %11s %9s %8s %9s %7s\n", "map", "walls", "doors", "collisions", "touches", "entered",
	       "events/s", "ledger", "escapes", "overlaps", "faults");
	if (table->markdown)
		(void)fputs(
			"| map | walls | sensors | collisions | pairs that touched | entered doorways | energy unexplained | escapes | "
			"overlaps | events unmatched |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
			table->markdown);
}

static void
head_print(struct table *table, uint64_t ticks)
{
	if (table->crowd) {
		crowd_head_print(table, ticks);
		return;
	}
	printf("%d circles at 5 to 20 radii per tick, %g s in %" PRIu64 " ticks, restitution 1, certified\n\n", CIRCLES,
	       (double)ticks * dt, ticks);
	printf("%-6s %6s %11s %11s %9s %8s %9s\n", "map", "walls", "collisions", "events/s", "drift", "escapes", "overlaps");
	if (table->markdown)
		(void)fputs("| map | walls | collisions | events per second | energy drift | escapes | overlaps |\n"
		            "|---|--:|--:|--:|--:|--:|--:|\n",
		            table->markdown);
}

static void
total_add(struct map_row *total, const struct map_row *row)
{
	total->walls += row->walls;
	total->doors += row->doors;
	total->begins += row->begins;
	total->enters += row->enters;
	total->event_faults += row->event_faults;
	total->events += row->events;
	total->collisions += row->collisions;
	total->engine_seconds += row->engine_seconds;
	total->drift = fmax(total->drift, row->drift);
	total->escapes += row->escapes;
	total->strays += row->strays;
	total->overlaps += row->overlaps;
}

static void
table_run(struct table *table, const struct options *options)
{
	const uint64_t ticks = (uint64_t)(options->seconds / dt + 0.5);
	if (options->jitter > 0)
		printf("each coordinate of each wall's ends moved by up to %u ulp, seed %" PRIu64 "\n", options->jitter, options->seed);
	head_print(table, ticks);
	progress_start(&table->progress, ticks * (options->name_count > 0 ? options->name_count : MAPS));
	for (int number = 0; number < MAPS; number++) {
		char name[9];
		map_name(number, name);
		if (!wanted(options, name))
			continue;
		const struct map_order order = {
			.wad = freedoom_path(number < FREEDOOM_1_MAPS ? 1 : 2),
			.map = name,
			.radii_per_tick = options->crowd ? crowd_radii_per_tick : radii_per_tick,
			.circles = options->crowd ? CROWD : CIRCLES,
			.options = options->crowd ? crowd_options : NULL,
			.events = options->crowd ? WORLD_EVENTS_TOUCH : 0,
			.seed = 1,
			.dt = dt,
			.jitter_ulps = options->jitter,
			/* Each map has numbers of its own. */
			.jitter_seed = 1000 * options->seed + (uint64_t)number,
		};
		struct map_row row;
		map_row_measure(&order, ticks, tick_show, table, &row);
		row_print(table, name, &row);
		total_add(&table->total, &row);
		table->ticks_before += ticks;
		table->rows++;
		table->bad += row.problem[0] != '\0';
	}
	progress_stop(&table->progress);
	row_print(table, "all", &table->total);
}

static bool
options_read(int argc, char **argv, struct options *options)
{
	int i = 1;
	for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
		char *end = NULL;
		if (strcmp(argv[i], "--markdown") == 0)
			options->markdown = argv[i + 1];
		else if (strcmp(argv[i], "--crowd") == 0 && strcmp(argv[i + 1], "1") == 0)
			options->crowd = true;
		else if (strcmp(argv[i], "--seconds") == 0)
			options->seconds = strtod(argv[i + 1], &end);
		else if (strcmp(argv[i], "--jitter") == 0)
			options->jitter = (unsigned)strtoul(argv[i + 1], &end, 10);
		else if (strcmp(argv[i], "--seed") == 0)
			options->seed = strtoull(argv[i + 1], &end, 10);
		else
			return false;
		if (end && (*end != '\0' || !(options->seconds >= dt && options->seconds <= 1e6) || options->jitter > JITTER_MAX))
			return false;
	}
	options->names = argv + i;
	options->name_count = (size_t)(argc - i);
	return i == argc || argv[i][0] != '-';
}

int
main(int argc, char **argv)
{
	struct options options = { .seconds = 20, .seed = 1 };
	if (!options_read(argc, argv, &options)) {
		usage(stderr);
		return 2;
	}
	if (!names_check(&options))
		return 2;
	if (!maps_available()) {
		(void)fprintf(stderr, "freedoom_maps: %s and freedoom2.wad are not there (Debian's package freedoom)\n",
		              freedoom_path(1));
		return EXIT_SKIPPED;
	}
	struct table table = { .crowd = options.crowd };
	if (options.markdown && !(table.markdown = fopen(options.markdown, "w"))) {
		(void)fprintf(stderr, "freedoom_maps: %s: %s\n", options.markdown, strerror(errno));
		return 2;
	}
	table_run(&table, &options);
	bool written = !table.markdown || fclose(table.markdown) == 0;
	printf("\n%zu maps, %zu of them failed\n", table.rows, table.bad);
	return table.bad > 0 || !written;
}
