/* bench_worst: looks for a scene of at most 64 bodies that makes one tick take long, and tells the worst that it found.
 *
 *     bench_worst [SCENES [SEED [FILE]]]
 *     bench_worst again FILE...
 *
 * An evolution: scenes are changed and crossed, those that took longest are kept. What is told of the worst is measured anew,
 * the least of nine times: what others do on the machine is not the scene's. The scene goes to FILE, for `collide run`. The
 * genes of the worst go to FILE.0, FILE.1 and so on. `again` measures these: a change of the engine is judged by the same
 * scenes. The worst so far is told, and written with its genes, whenever there is a new one: a search that is cut off has found
 * something. */
#include "bench/worst_scene.h"

#include "support/random.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KEPT = 64, TICKS = 3, TRIES = 4, REPEATS = 9, TOLD_EVERY = 100 };

struct measured {
	struct worst_gene gene;
	uint64_t ns, work, work_max, events;
	int tick;
};

static uint64_t
now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* The tick of the first few that takes longest; after one that took all the work that there is no other is looked at. A scene
 * that is no world takes none. */
static void
measure(struct measured *m)
{
	struct scenario scenario;
	struct def_problem problem;
	struct tick_report report;
	struct world *world;
	double dt = worst_scene(&m->gene, &scenario);

	m->ns = m->work = m->work_max = m->events = 0;
	if (world_create(scenario_def(&scenario), &problem, &world) != STATUS_OK) {
		scenario_finish(&scenario);
		return;
	}
	for (int tick = 0; tick < TICKS; tick++) {
		uint64_t before = now_ns();
		if (world_step(world, dt, &report) != STATUS_OK)
			break;
		uint64_t ns = now_ns() - before;
		if (ns > m->ns) {
			m->ns = ns;
			m->work = report.work;
			m->work_max = report.work_max;
			m->events = report.events;
			m->tick = tick;
		}
		if (report.work >= report.work_max - report.work_max / 64)
			break;
	}
	world_destroy(world);
	scenario_finish(&scenario);
}

/* The same again, the least of some times. */
static void
measure_well(struct measured *m)
{
	struct measured least = *m;

	for (int k = 0; k < REPEATS; k++) {
		struct measured again = { .gene = m->gene };
		measure(&again);
		if (k == 0 || again.ns < least.ns)
			least = again;
	}
	*m = least;
}

static int
longer_first(const void *left, const void *right)
{
	const struct measured *a = left, *b = right;
	return a->ns > b->ns ? -1 : a->ns < b->ns;
}

static void
tell(const char *name, const struct measured *m)
{
	printf("%s: %.2f ms, work %" PRIu64 " of %" PRIu64 " (%.0f %%), %.2f ns a unit, %" PRIu64 " events, tick %d\n", name,
	       (double)m->ns * 1e-6, m->work, m->work_max, 100. * (double)m->work / (double)m->work_max,
	       (double)m->ns / (double)(m->work + 1), m->events, m->tick + 1);
}

/* The next scene to be looked at: in the first tenth any. */
static struct worst_gene
next_gene(const struct measured *kept, size_t count, bool first, uint64_t *random)
{
	if (first || count < 2 || random_below(random, 10) == 0)
		return worst_gene_random(random);
	struct worst_gene gene = kept[random_below(random, count)].gene;
	if (random_below(random, 3) == 0)
		gene = worst_gene_cross(&gene, &kept[random_below(random, count)].gene, random);
	return worst_gene_change(&gene, random);
}

/* The scene to a file, for `collide run`. No name: to none. */
static bool
scene_write(const char *name, const struct measured *m)
{
	struct scenario scenario;
	FILE *out = name ? fopen(name, "w") : NULL;

	if (!out)
		return !name;
	double dt = worst_scene(&m->gene, &scenario);
	worst_scene_write(&scenario, out);
	scenario_finish(&scenario);
	printf("written to %s: collide run %s --local --dt %.17g --ticks %d\n", name, name, dt, m->tick + 1);
	return fclose(out) == 0;
}

/* What is kept of the scenes, the longest first. Whether this one is a new worst. */
static bool
keep(struct measured *kept, size_t *count, const struct measured *found)
{
	uint64_t worst = *count > 0 ? kept[0].ns : 0;

	kept[(*count)++] = *found;
	qsort(kept, *count, sizeof kept[0], longer_first);
	*count = *count > KEPT ? KEPT : *count;
	return kept[0].ns > worst;
}

/* The genes of the worst to FILE.0, FILE.1, ... */
static bool
genes_write(const char *name, const struct measured *kept, size_t count)
{
	for (size_t k = 0; name && k < count; k++) {
		char path[4096];
		(void)snprintf(path, sizeof path, "%s.%zu", name, k);
		FILE *out = fopen(path, "w");
		if (!out)
			return false;
		worst_gene_write(&kept[k].gene, out);
		if (fclose(out) != 0)
			return false;
	}
	return true;
}

/* Scenes of a search once more. */
static int
measure_again(char **names)
{
	for (; *names; names++) {
		struct measured m = { 0 };
		FILE *in = fopen(*names, "r");
		bool good = in && worst_gene_read(&m.gene, in);
		if (in)
			(void)fclose(in);
		if (!good) {
			fprintf(stderr, "%s: no gene\n", *names);
			return 1;
		}
		measure_well(&m);
		tell(*names, &m);
	}
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "again") == 0)
		return measure_again(argv + 2);

	uint64_t scenes = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000, random = argc > 2 ? strtoull(argv[2], NULL, 10) : 17;
	const char *file = argc > 3 ? argv[3] : NULL;
	static struct measured kept[KEPT + 1];
	size_t count = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (uint64_t looked = 0; looked < scenes; looked++) {
		struct measured found = { .gene = next_gene(kept, count, looked < scenes / 10, &random) };
		measure(&found);
		/* What other programs took of the machine does not come four times. */
		for (int k = 1; k < TRIES && (count == 0 || found.ns > kept[0].ns); k++) {
			struct measured again = { .gene = found.gene };
			measure(&again);
			if (again.ns < found.ns)
				found = again;
		}
		bool worse = keep(kept, &count, &found);
		if (worse || (looked + 1) % TOLD_EVERY == 0) {
			printf("%" PRIu64 " of %" PRIu64 ": ", looked + 1, scenes);
			tell("worst so far", &kept[0]);
		}
		if (worse && !(scene_write(file, &kept[0]) && genes_write(file, kept, 1)))
			return 1;
	}
	size_t best = count < 16 ? count : 16;
	for (size_t k = 0; k < best; k++)
		measure_well(&kept[k]);
	qsort(kept, best, sizeof kept[0], longer_first);
	printf("worst tick of %" PRIu64 " scenes of at most %d bodies\n", scenes, WORST_BODIES_MAX);
	tell("worst", &kept[0]);
	for (size_t k = 1; k < best; k++)
		tell("next", &kept[k]);
	return best > 0 && scene_write(file, &kept[0]) && genes_write(file, kept, best) ? 0 : 1;
}
