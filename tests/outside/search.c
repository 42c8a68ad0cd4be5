/* search: looks for scenes that break a promise, with a checker that shares nothing with the engine.
 *
 *     search [--nightly] [--count N] [--seed S] [--kind FAMILY] [--rules] [--only FINDING] [--out FOLDER] [--quiet]
 *            [--no-shrink]
 *     search --scene FILE --dt S --ticks N
 *
 * Makes N scenes (2,000) from the seeds S, S + 1, ... (1; --nightly: the date's, 20261123000000 for the 23rd of November 2026),
 * runs each, and judges every tick. With --rules the scenes have contact rules, lifetimes, ignored circles and bounds too.
 * Prints findings by kind and number, and what shortfall flags excused. With --out each finding is made smaller and written as
 * a scene that `collide run` reads, with the command that shows it. --scene judges such a file. Ends with status 1 if something
 * was found, 2 if it was asked wrongly. */
#include "outside/draft_read.h"
#include "outside/generate.h"
#include "outside/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Of one kind and family: no more scenes than this are written. */
#define WRITTEN_MAX 5u

struct search {
	uint64_t count, seed;
	size_t family; /* or generate_family_count: all */
	int only;      /* finding, or -1 */
	const char *out;
	bool quiet, shrink, rules;
	const char *scene;
	double dt;
	unsigned scene_ticks;
	/* What came of it. */
	uint64_t scenes, refused, failed, ticks, contacts, judged_energy;
	uint64_t found[OUTSIDE_FINDINGS], excused[OUTSIDE_FINDINGS][OUTSIDE_FLAGS], flagged[OUTSIDE_FLAGS];
	uint64_t scenes_of[16], found_of[16][OUTSIDE_FINDINGS];
	double worst[OUTSIDE_FINDINGS], worst_excused[OUTSIDE_FINDINGS];
};

static int
usage(void)
{
	(void)fputs("usage: search [--nightly] [--count N] [--seed S] [--kind FAMILY] [--rules] [--only FINDING] [--out FOLDER] "
	            "[--quiet] [--no-shrink]\n       search --scene FILE --dt S --ticks N\nfamilies:",
	            stderr);
	for (size_t i = 0; i < generate_family_count; i++)
		(void)fprintf(stderr, " %s", generate_families[i].name);
	(void)fputs("\nfindings:", stderr);
	for (unsigned i = 0; i < OUTSIDE_FINDINGS; i++)
		(void)fprintf(stderr, " '%s'", outside_finding_name((enum outside_finding)i));
	(void)fputs("\n", stderr);
	return 2;
}

static void
finding_tell(const struct search *search, struct draft *draft, uint64_t seed, size_t family, unsigned finding,
             const struct trial *trial)
{
	char path[512];

	if (!search->quiet) {
		printf("seed %llu %s: %s, worst %.3g: %s\n", (unsigned long long)seed, generate_families[family].name,
		       outside_finding_name((enum outside_finding)finding), trial->report.worst[finding], trial->report.first[finding]);
		(void)fflush(stdout);
	}
	if (!search->out || search->found_of[family][finding] > WRITTEN_MAX)
		return;
	struct draft smaller;
	draft_copy(&smaller, draft);
	if (search->shrink)
		trial_shrink(&smaller, (enum outside_finding)finding);
	(void)snprintf(path, sizeof path, "%s/%s-%s-%llu.json", search->out, generate_families[family].name,
	               outside_finding_name((enum outside_finding)finding), (unsigned long long)seed);
	for (char *at = path + strlen(search->out); *at; at++)
		*at = *at == ' ' ? '-' : *at;
	if (trial_write(&smaller, path))
		printf("  collide run %s --local --ticks %u --dt %.17g --certify --format none\n", path, smaller.ticks, smaller.dt);
	else
		(void)fprintf(stderr, "search: cannot write %s\n", path);
	draft_finish(&smaller);
}

static void
sums_add(struct search *search, const struct trial *trial)
{
	const struct outside_report *report = &trial->report;

	search->ticks += report->ticks;
	search->contacts += report->contacts;
	search->judged_energy += report->judged_energy;
	for (unsigned f = 0; f < OUTSIDE_FINDINGS; f++) {
		search->worst[f] = report->worst[f] > search->worst[f] ? report->worst[f] : search->worst[f];
		if (report->worst_excused[f] > search->worst_excused[f])
			search->worst_excused[f] = report->worst_excused[f];
		for (unsigned b = 0; b < OUTSIDE_FLAGS; b++)
			search->excused[f][b] += report->excused[f][b];
	}
	for (unsigned b = 0; b < OUTSIDE_FLAGS; b++)
		search->flagged[b] += report->flagged[b];
}

static void
scene_search(struct search *search, uint64_t seed)
{
	struct draft draft;
	const size_t family = generate(&draft, seed, search->family, search->rules);
	const struct trial trial = trial_run(&draft);

	search->scenes++;
	search->scenes_of[family]++;
	search->refused += trial.refused;
	search->failed += trial.failed;
	sums_add(search, &trial);
	for (unsigned f = 0; f < OUTSIDE_FINDINGS; f++) {
		if (!(trial.found >> f & 1) || (search->only >= 0 && (unsigned)search->only != f))
			continue;
		search->found[f]++;
		search->found_of[family][f]++;
		finding_tell(search, &draft, seed, family, f, &trial);
	}
	draft_finish(&draft);
}

static uint64_t
search_tell(const struct search *search)
{
	static const char *const flags[OUTSIDE_FLAGS] = { "BUDGET", "INITIAL_OVERLAP", "CRUSHED", "FAST", "other" };
	uint64_t sum = search->failed;

	printf("%llu scenes, %llu refused, %llu failed; %llu ticks, %llu contacts; energy had to stay in %llu ticks\n",
	       (unsigned long long)search->scenes, (unsigned long long)search->refused, (unsigned long long)search->failed,
	       (unsigned long long)search->ticks, (unsigned long long)search->contacts, (unsigned long long)search->judged_energy);
	printf("%-12s %8s %10s | excused by flags", "finding", "scenes", "worst");
	for (size_t i = 0; i < generate_family_count; i++)
		printf(" %8.8s", generate_families[i].name);
	printf("\n");
	for (unsigned f = 0; f < OUTSIDE_FINDINGS; f++) {
		sum += search->found[f];
		printf("%-12s %8llu %10.3g |", outside_finding_name((enum outside_finding)f), (unsigned long long)search->found[f],
		       search->worst[f]);
		for (size_t i = 0; i < generate_family_count; i++)
			printf(" %8llu", (unsigned long long)search->found_of[i][f]);
		for (unsigned b = 0; b < OUTSIDE_FLAGS; b++)
			if (search->excused[f][b] > 0)
				printf("  %s %llu (worst %.3g)", flags[b], (unsigned long long)search->excused[f][b], search->worst_excused[f]);
		printf("\n");
	}
	printf("flagged rows:");
	for (unsigned b = 0; b < OUTSIDE_FLAGS; b++)
		printf(" %s %llu", flags[b], (unsigned long long)search->flagged[b]);
	printf("\n%s\n", sum > 0 ? "there are findings" : "nothing found");
	return sum;
}

static uint64_t
seed_of_today(void)
{
	const time_t now = time(NULL);
	struct tm today;

	if (!gmtime_r(&now, &today))
		return 1;
	return ((uint64_t)(today.tm_year + 1900) * 10000 + (uint64_t)(today.tm_mon + 1) * 100 + (uint64_t)today.tm_mday) * 1000000;
}

static bool
family_find(struct search *search, const char *name)
{
	for (search->family = 0; search->family < generate_family_count; search->family++)
		if (strcmp(generate_families[search->family].name, name) == 0)
			return true;
	return false;
}

static bool
finding_find(struct search *search, const char *name)
{
	for (search->only = 0; search->only < OUTSIDE_FINDINGS; search->only++)
		if (strcmp(outside_finding_name((enum outside_finding)search->only), name) == 0)
			return true;
	return false;
}

/* A number or a fraction, as `collide run` takes it; 0 if it is neither. */
static double
seconds_read(const char *text)
{
	char *end;
	const double upper = strtod(text, &end);

	return *end == '/' ? upper / strtod(end + 1, NULL) : upper;
}

static bool
arguments_read(struct search *search, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : NULL;
		if (strcmp(argv[i], "--nightly") == 0) {
			search->seed = seed_of_today();
			search->count = 20000;
		} else if (strcmp(argv[i], "--quiet") == 0) {
			search->quiet = true;
		} else if (strcmp(argv[i], "--rules") == 0) {
			search->rules = true;
		} else if (strcmp(argv[i], "--no-shrink") == 0) {
			search->shrink = false;
		} else if (!value) {
			return false;
		} else if (strcmp(argv[i], "--count") == 0) {
			search->count = strtoull(argv[++i], NULL, 10);
		} else if (strcmp(argv[i], "--seed") == 0) {
			search->seed = strtoull(argv[++i], NULL, 10);
		} else if (strcmp(argv[i], "--scene") == 0) {
			search->scene = argv[++i];
		} else if (strcmp(argv[i], "--dt") == 0) {
			search->dt = seconds_read(argv[++i]);
		} else if (strcmp(argv[i], "--ticks") == 0) {
			search->scene_ticks = (unsigned)strtoul(argv[++i], NULL, 10);
		} else if (strcmp(argv[i], "--out") == 0) {
			search->out = argv[++i];
		} else if (strcmp(argv[i], "--kind") == 0) {
			if (!family_find(search, argv[++i]))
				return false;
		} else if (strcmp(argv[i], "--only") == 0) {
			if (!finding_find(search, argv[++i]))
				return false;
		} else {
			return false;
		}
	}
	return search->count > 0 && (!search->scene || (search->dt > 0 && search->scene_ticks > 0));
}

/* Judges one file; the status to end with. */
static int
file_judge(const struct search *search)
{
	struct draft draft;

	if (!draft_read(&draft, search->scene)) {
		(void)fprintf(stderr, "search: %s is no scene\n", search->scene);
		draft_finish(&draft);
		return 2;
	}
	draft.dt = search->dt;
	draft.ticks = search->scene_ticks;
	const struct trial trial = trial_run(&draft);
	draft_finish(&draft);
	if (trial.refused || trial.failed)
		printf("%s\n", trial.refused ? "the engine refuses the scene" : "a tick failed");
	for (unsigned f = 0; f < OUTSIDE_FINDINGS; f++)
		if (trial.found >> f & 1)
			printf("%s, worst %.3g: %s\n", outside_finding_name((enum outside_finding)f), trial.report.worst[f],
			       trial.report.first[f]);
	printf("%u ticks, %llu contacts: %s\n", trial.ticks, (unsigned long long)trial.report.contacts,
	       trial.found ? "there are findings" : "nothing found");
	return trial.refused || trial.failed || trial.found != 0;
}

int
main(int argc, char **argv)
{
	struct search search = { .count = 2000, .seed = 1, .family = generate_family_count, .only = -1, .shrink = true };

	if (!arguments_read(&search, argc, argv))
		return usage();
	if (search.scene)
		return file_judge(&search);
	printf("seeds %llu and on, %llu scenes\n", (unsigned long long)search.seed, (unsigned long long)search.count);
	for (uint64_t i = 0; i < search.count; i++) {
		scene_search(&search, search.seed + i);
		if ((i + 1) % 5000 == 0) {
			printf("%llu scenes\n", (unsigned long long)(i + 1));
			(void)fflush(stdout);
		}
	}
	return search_tell(&search) > 0;
}
