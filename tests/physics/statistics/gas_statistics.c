/* gas_statistics: the engine against statistical mechanics, which knows nothing of it: how often discs collide, what pressure
 * they make, and how their speeds come to be distributed (docs/statistics.md). Exit status 1 if anything is off.
 *
 * What it would notice, and does (--spoil, which ctest runs): discs 2 % larger than they are said to be. They change the rate
 * by 2.4 % at a packing fraction of 0.05 and 6.7 % at 0.4, the excess pressure by 2 to 7 %, and the pressure on the walls by
 * 0.4 to 6 %. So the walls alone would miss it at 0.05. Collisions that lose a thousandth of their speed of approach cool the
 * gas by a tenth. A prediction without g(sigma) is off by 8 % at 0.05 and by 130 % at 0.4; that it is refused is part of the
 * verdict. */
#include "client/cli/terminal/progress.h"
#include "physics/statistics/disc_measure.h"
#include "physics/statistics/disc_speeds.h"
#include "physics/statistics/disc_theory.h"
#include "physics/statistics/statistics_page.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Discs in a box: so many that the closed box itself (a disc here is one less elsewhere) changes less than 0.04 %. */
enum { DISCS = 2500 };
static const double fractions[] = { 0.05, 0.1, 0.2, 0.3, 0.4 };
enum { FRACTIONS = sizeof fractions / sizeof *fractions };

/* Allowed difference from Henderson and Enskog. */
static const double HENDERSON_MAX = 0.01;
/* Allowed difference from the virial series: errors, and what the series and the box are not known to. */
static const double SERIES_ERRORS_MAX = 4, SERIES_FLOOR = 5e-4;
/* A standard error must fit so often into the one per cent, or the run says nothing. Those of the walls are told too large. */
static const double ERRORS_IN_HENDERSON = 1.5;
static const double DRIFT_MAX = 1e-9;

/* Of the velocities: where; how far apart the looks are, in collisions of a disc. The chance at which they are refused, from
 * above and from below (a significance of 0.1 % in all). */
static const double SPEED_FRACTION = 0.3, LOOKS_APART = 10, CHANCE_MIN = 0.0005;
/* The same velocities must not fit a gas that is hotter by this. */
static const double HOTTER = 1.03;
/* Ticks of looks at the very start, each on its own. */
static const uint64_t first_looks[] = { 0, 1, 3, 7 };
enum { FIRST_LOOKS = sizeof first_looks / sizeof *first_looks };

struct options {
	double collisions; /* per fraction, and in all for the velocities */
	uint64_t seed;
	struct disc_gas_spoil spoil;
	const char *markdown;
};

struct show {
	struct progress progress;
	int step; /* a fraction, then the velocities */
	int failed;
	struct disc_result results[FRACTIONS];
	struct velocities_row rows[FIRST_LOOKS + 1];
	size_t row_count;
};

static void
tick_show(void *context, double done)
{
	struct show *show = context;
	progress_update(&show->progress, (uint64_t)(1000 * (show->step + done)), 0);
}

/* Prints what is wrong, if it is. */
static void
require(struct show *show, bool good, const char *what, double value)
{
	if (good)
		return;
	progress_clear(&show->progress);
	printf("FAILED: %s: %.6g\n", what, value);
	show->failed++;
}

static bool
near(const struct disc_value *ratio)
{
	return fabs(ratio->value - 1) <= HENDERSON_MAX;
}

static bool
nearer(const struct disc_value *ratio)
{
	return fabs(ratio->value - 1) <= SERIES_ERRORS_MAX * ratio->error + SERIES_FLOOR;
}

static void
result_judge(struct show *show, const struct disc_result *r)
{
	require(show, near(&r->rate_henderson), "collision rate over Enskog's", r->rate_henderson.value);
	require(show, nearer(&r->rate_series), "collision rate over that of the virial series", r->rate_series.value);
	require(show, fabs(r->rate_dilute - 1) > 5 * HENDERSON_MAX, "collision rate over that without g", r->rate_dilute);
	require(show, near(&r->excess_henderson), "excess pressure over Henderson's", r->excess_henderson.value);
	require(show, nearer(&r->excess_series), "excess pressure over that of the virial series", r->excess_series.value);
	require(show, near(&r->wall_henderson), "pressure on the walls over Henderson's", r->wall_henderson.value);
	require(show, nearer(&r->wall_series), "pressure on the walls over that of the virial series", r->wall_series.value);
	const double error = fmax(r->rate_henderson.error, fmax(r->excess_henderson.error, r->wall_henderson.error));
	require(show, error * ERRORS_IN_HENDERSON <= HENDERSON_MAX, "too few collisions: the largest standard error", error);
	require(show, fabs(r->drift) <= DRIFT_MAX, "energy drift", r->drift);
}

static void
result_print(struct show *show, const struct disc_result *r)
{
	const struct disc_value *ratios[] = { &r->rate_henderson, &r->rate_series,    &r->excess_henderson,
		                                  &r->excess_series,  &r->wall_henderson, &r->wall_series };
	progress_clear(&show->progress);
	printf("%.4f %10.0f  %.4f  %.4f  %.4f", r->fraction, r->collisions, r->contact.value, r->pressure.value,
	       r->wall_pressure.value);
	for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++)
		printf("  %+5.2f +- %4.2f", 100 * (ratios[i]->value - 1), 100 * ratios[i]->error);
	printf("\n");
	(void)fflush(stdout);
}

static void
results_head_print(void)
{
	printf("Measured, and by how many per cent it differs from Henderson's equation and from the virial series.\n\n"
	       "%41s  %-30s%-30s%-30s\n%-6s %10s  %-6s  %-6s  %-6s",
	       "", "collision rate", "P/nkT - 1 from collisions", "P/nkT on the walls", "eta", "collisions", "g", "P/nkT", "walls");
	for (int i = 0; i < 3; i++)
		printf("  %-13s  %-13s", "Henderson", "series");
	printf("\n");
}

static void
results_measure(struct show *show, const struct options *options)
{
	results_head_print();
	for (int i = 0; i < FRACTIONS; i++, show->step++) {
		const struct disc_plan plan = {
			.fraction = fractions[i],
			.count = DISCS,
			.collisions = options->collisions,
			.seed = options->seed + (uint64_t)i,
			.spoil = options->spoil,
		};
		struct disc_result *result = &show->results[i];
		if (!disc_measure(&plan, tick_show, show, result)) {
			require(show, false, "the engine failed or fell short at a fraction of", fractions[i]);
			continue;
		}
		result_print(show, result);
		result_judge(show, result);
	}
}

static struct velocities_row
row_make(const struct disc_velocities *velocities, double collisions)
{
	return (struct velocities_row){
		.collisions = collisions,
		.velocities = velocities->total,
		.energy = disc_chi_square(velocities->energy, DISC_SPEED_CELLS),
		.component = disc_chi_square(velocities->component, DISC_SPEED_CELLS),
		.direction = disc_chi_square(velocities->direction, DISC_DIRECTION_CELLS),
	};
}

static void
row_add(struct show *show, const struct disc_velocities *velocities, double collisions)
{
	struct velocities_row *row = &show->rows[show->row_count++];
	*row = row_make(velocities, collisions);
	const struct disc_chi_square *chi[] = { &row->energy, &row->component, &row->direction };
	progress_clear(&show->progress);
	printf("%10.4g %11llu", row->collisions, (unsigned long long)row->velocities);
	for (int i = 0; i < 3; i++)
		printf("  %9.4g %9.2g", chi[i]->per_degree, chi[i]->chance);
	printf("\n");
	(void)fflush(stdout);
}

static bool
ticks_run(struct disc_gas *gas, uint64_t ticks)
{
	bool good = true;
	for (uint64_t tick = 0; tick < ticks && good; tick++)
		good = disc_gas_tick(gas, NULL);
	return good;
}

/* From equal speeds on, a look at a time; then many looks, far apart, added up: as they are, and as if the gas were hotter. */
static bool
looks_take(struct show *show, const struct options *options, struct disc_gas *gas, struct disc_velocities *own,
           struct disc_velocities *hotter)
{
	const double rate = disc_own_collision_rate(SPEED_FRACTION, disc_contact_henderson) * DISC_GAS_DT;
	const uint64_t apart = (uint64_t)ceil(LOOKS_APART / rate);
	const int looks = (int)ceil(options->collisions * 2 / DISCS / LOOKS_APART);
	uint64_t ticks = 0;
	for (int i = 0; i < FIRST_LOOKS; i++) {
		struct disc_velocities velocities = { 0 };
		if (!ticks_run(gas, first_looks[i] - ticks))
			return false;
		ticks = first_looks[i];
		disc_velocities_add(&velocities, gas, 1);
		row_add(show, &velocities, (double)ticks * rate);
	}
	for (int look = 0; look < looks; look++, ticks += apart) {
		/* The first after three times as long. */
		if (!ticks_run(gas, look == 0 ? 3 * apart : apart))
			return false;
		disc_velocities_add(own, gas, 1);
		disc_velocities_add(hotter, gas, HOTTER);
		tick_show(show, (look + 1.0) / looks);
	}
	row_add(show, own, (double)(ticks + 2 * apart) * rate);
	return gas->shortfalls == 0;
}

static void
velocities_judge(struct show *show, const struct disc_velocities *own, const struct disc_velocities *hotter)
{
	static const char *const names[] = { "chance of such energies", "chance of such components", "chance of such directions" };
	const struct velocities_row row = row_make(own, 0), hot = row_make(hotter, 0);
	const double chances[] = { row.energy.chance, row.component.chance, row.direction.chance };
	for (int i = 0; i < 3; i++)
		require(show, chances[i] >= CHANCE_MIN && chances[i] <= 1 - CHANCE_MIN, names[i], chances[i]);
	printf("\nHeld against a gas hotter by %.0f %%: %.4g (%.2g) for the energy.\n", 100 * (HOTTER - 1), hot.energy.per_degree,
	       hot.energy.chance);
	require(show, hot.energy.chance < CHANCE_MIN, "a hotter gas would pass at a chance of", hot.energy.chance);
	require(show, show->rows[0].energy.chance < CHANCE_MIN, "equal speeds pass for Maxwell's at a chance of",
	        show->rows[0].energy.chance);
}

static void
velocities_measure(struct show *show, const struct options *options)
{
	struct disc_gas gas;
	struct disc_velocities own = { 0 }, hotter = { 0 };
	printf(
		"\nVelocities at a packing fraction of %g, from equal speeds on: chi-square over its degrees of freedom, and the chance of\n"
		"one as large, for %d cells of the energy, %d of a component, %d of the direction. The last line adds up looks that are\n"
		"%g collisions of a disc apart.\n\n%10s %11s  %19s  %19s  %19s\n",
		SPEED_FRACTION, DISC_SPEED_CELLS, DISC_SPEED_CELLS, DISC_DIRECTION_CELLS, LOOKS_APART, "collisions", "velocities",
		"energy", "component", "direction");
	if (!disc_gas_init(&gas, SPEED_FRACTION, DISCS, options->seed, options->spoil)) {
		require(show, false, "no gas could be made at a fraction of", SPEED_FRACTION);
		return;
	}
	const bool good = looks_take(show, options, &gas, &own, &hotter);
	disc_gas_finish(&gas);
	progress_stop(&show->progress);
	require(show, good, "the engine failed or fell short at a fraction of", SPEED_FRACTION);
	if (good)
		velocities_judge(show, &own, &hotter);
}

static bool
page_write(const struct show *show, const char *path)
{
	FILE *page = fopen(path, "w");
	if (page) {
		page_results_write(page, show->results, FRACTIONS);
		page_velocities_write(page, show->rows, show->row_count);
		if (fclose(page) == 0)
			return true;
	}
	(void)fprintf(stderr, "gas_statistics: %s: %s\n", path, strerror(errno));
	return false;
}

static bool
options_read(int argc, char **argv, struct options *options)
{
	int i = 1;
	for (; i + 1 < argc; i += 2) {
		char *end = NULL;
		if (strcmp(argv[i], "--markdown") == 0)
			options->markdown = argv[i + 1];
		else if (strcmp(argv[i], "--collisions") == 0)
			options->collisions = strtod(argv[i + 1], &end);
		else if (strcmp(argv[i], "--seed") == 0)
			options->seed = strtoull(argv[i + 1], &end, 10);
		else if (strcmp(argv[i], "--spoil") == 0 && strcmp(argv[i + 1], "diameter") == 0)
			options->spoil.diameter = 1.02;
		else if (strcmp(argv[i], "--spoil") == 0 && strcmp(argv[i + 1], "restitution") == 0)
			options->spoil.restitution = 0.999;
		else
			return false;
		if (end && *end != '\0')
			return false;
	}
	return i == argc && options->collisions >= 1e4 && options->collisions <= 1e9;
}

int
main(int argc, char **argv)
{
	struct options options = { .collisions = 8e5, .seed = 2, .spoil = { 1, 1 } };
	struct show show = { 0 };
	if (!options_read(argc, argv, &options)) {
		(void)fputs("usage: gas_statistics [--collisions N] [--seed S] [--markdown FILE] [--spoil diameter|restitution]\n"
		            "N pair collisions (default 8e5) at each packing fraction.\n",
		            stderr);
		return 2;
	}
	progress_start(&show.progress, 1000 * (FRACTIONS + 1));
	results_measure(&show, &options);
	velocities_measure(&show, &options);
	progress_stop(&show.progress);
	const bool written = !options.markdown || page_write(&show, options.markdown);
	printf("\n%d failed\n", show.failed);
	return show.failed > 0 || !written;
}
