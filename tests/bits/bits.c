/* bits: steps a fixed set of scenes and prints one hash for each. The hash is of all that the engine says: every tick's state
 * hash, counters, ledgers, contacts, path changes, shortfalls, events of pairs and paths, and the bytes of snapshots. The same
 * lines come from every compiler, every level of optimisation and every machine; bits.sh compares them.
 *
 * Each scene runs twice: as it is, and defined in another order and restored from its own snapshot every few ticks. Exit
 * status 1 if the two differ. An argument: only the scene of that name. Two, `pinned FILE`: all scenes, and exit status 1 too
 * if a line is not that of the file. */
#include "bits/bits_scenes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ticks between two snapshots. */
enum { SNAPSHOT_EVERY = 7 };

static void
fail(const char *name, const char *what)
{
	fprintf(stderr, "bits: %s: %s\n", name, what);
	exit(2);
}

/* Numbers, not memory: the order of bytes within them is the machine's. */
static void
digest_number(uint64_t *digest, uint64_t number)
{
	uint64_t bits = *digest ^ number;
	bits = (bits ^ (bits >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	bits = (bits ^ (bits >> 27)) * UINT64_C(0x94d049bb133111eb);
	*digest = (bits ^ (bits >> 31)) + UINT64_C(0x9e3779b97f4a7c15);
}

static void
digest_doubles(uint64_t *digest, const double *values, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t bits;
		memcpy(&bits, &values[i], sizeof bits);
		digest_number(digest, bits);
	}
}

static void
digest_contact(uint64_t *digest, const struct contact *c)
{
	const double values[] = { c->time,         c->point[0],     c->point[1],      c->normal[0],     c->normal[1],
		                      c->a_before[0],  c->a_before[1],  c->a_after[0],    c->a_after[1],    c->b_before[0],
		                      c->b_before[1],  c->b_after[0],   c->b_after[1],    c->impulse,       c->friction_impulse,
		                      c->a_spin_after, c->b_spin_after, c->a_spin_before, c->b_spin_before, c->approach_speed };
	digest_number(digest, (uint64_t)c->a << 32 | c->b);
	digest_number(digest, (uint64_t)c->other << 16 | (uint64_t)c->feature << 8 | c->flags);
	digest_doubles(digest, values, sizeof values / sizeof values[0]);
}

static void
digest_report(uint64_t *digest, uint64_t hash, const struct tick_report *report)
{
	const uint64_t counts[] = {
		report->tick,   hash,          report->events,        report->collisions,       report->clusters,
		report->asleep, report->clips, report->contact_count, report->path_change_count
	};
	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
		digest_number(digest, counts[i]);
	/* Ledgers are structs of doubles. */
	digest_doubles(digest, (const double *)(const void *)&report->energy, sizeof report->energy / sizeof(double));
	digest_doubles(digest, (const double *)(const void *)&report->momentum, sizeof report->momentum / sizeof(double));
	for (size_t i = 0; i < report->contact_count; i++)
		digest_contact(digest, &report->contacts[i]);
	for (size_t i = 0; i < report->path_change_count; i++) {
		const struct path_change *change = &report->path_changes[i];
		digest_number(digest, (uint64_t)change->body << 8 | change->kind);
		digest_doubles(digest, &change->time, 1);
		digest_doubles(digest, change->vector, 2);
	}
	for (size_t i = 0; i < report->pair_event_count; i++) {
		const struct pair_event *event = &report->pair_events[i];
		digest_number(digest, (uint64_t)event->a << 32 | event->b);
		digest_number(digest, (uint64_t)event->kind << 16 | (uint64_t)event->other << 8 | event->feature);
		digest_doubles(digest, (const double[]){ event->time, event->approach_speed, event->impulse }, 3);
		digest_doubles(digest, event->point, 2);
		digest_doubles(digest, event->normal, 2);
	}
	for (size_t i = 0; i < report->path_count; i++) {
		const struct path_piece *piece = &report->paths[i];
		digest_number(digest, piece->body);
		digest_doubles(digest, &piece->time, 1);
		digest_doubles(digest, piece->position, 2);
		digest_doubles(digest, piece->velocity, 2);
		digest_doubles(digest, piece->acceleration, 2);
	}
	for (size_t i = 0; i < report->shortfall_count; i++) {
		digest_number(digest, (uint64_t)report->shortfalls[i].body << 32 | report->shortfalls[i].flag);
		digest_doubles(digest, &report->shortfalls[i].amount, 1);
	}
}

/* Adds a snapshot to the digest; the world is another thereafter if `restore`. */
static void
digest_snapshot(uint64_t *digest, struct world **world, bool restore, const char *name)
{
	const size_t size = world_snapshot_bytes(*world);
	uint8_t *bytes = malloc(size);
	if (!bytes || world_snapshot(*world, bytes, size) != STATUS_OK)
		fail(name, "no snapshot");
	for (size_t i = 0; i < size; i++)
		digest_number(digest, bytes[i]);
	if (restore) {
		struct snapshot_problem problem;
		struct world *restored;
		if (world_restore(bytes, size, 0, &problem, &restored) != STATUS_OK)
			fail(name, problem.text);
		world_destroy(*world);
		*world = restored;
	}
	free(bytes);
}

static uint64_t
scene_run(const struct bits_scene *scene, const char *name, bool restore)
{
	struct def_problem problem;
	struct world *world;
	uint64_t digest = 0;
	if (world_create(&scene->def, &problem, &world) != STATUS_OK)
		fail(name, "not created");
	for (uint64_t tick = 1; tick <= scene->ticks; tick++) {
		struct tick_report report;
		if (world_step(world, scene->dt, &report) != STATUS_OK)
			fail(name, "not stepped");
		digest_report(&digest, world_hash(world), &report);
		if (tick % SNAPSHOT_EVERY == 0)
			digest_snapshot(&digest, &world, restore, name);
	}
	world_destroy(world);
	return digest;
}

/* Whether the next line of the file is this. */
static bool
line_is(FILE *pinned, const char *line)
{
	char wanted[64] = "";
	if (fgets(wanted, sizeof wanted, pinned) && strcmp(wanted, line) == 0)
		return true;
	fprintf(stderr, "bits: pinned is: %s\n", wanted);
	return false;
}

/* pinned: of a file at this scene's line, or NULL. */
static bool
scene_print(size_t index, FILE *pinned)
{
	char line[64];
	struct bits_scene scene;
	const char *name = bits_scene_name(index);
	bits_scene_make(index, &scene);
	const uint64_t plain = scene_run(&scene, name, false);
	bits_scene_shuffle(&scene, 99);
	const uint64_t again = scene_run(&scene, name, true);
	bits_scene_finish(&scene);
	(void)snprintf(line, sizeof line, "%-16s %016" PRIx64 "\n", name, plain);
	fputs(line, stdout);
	if (plain != again)
		fprintf(stderr, "bits: %s: %016" PRIx64 " if shuffled and restored every %d ticks\n", name, again, SNAPSHOT_EVERY);
	return (!pinned || line_is(pinned, line)) && plain == again;
}

int
main(int argc, char **argv)
{
	bool same = true, any = false;
	FILE *pinned = argc > 2 ? fopen(argv[2], "r") : NULL;
	if (argc > 2 && (!pinned || strcmp(argv[1], "pinned") != 0))
		fail(argv[2], "not a file of hashes");
	for (size_t i = 0; i < bits_scene_count(); i++) {
		if (argc == 2 && strcmp(argv[1], bits_scene_name(i)) != 0)
			continue;
		any = true;
		same = scene_print(i, pinned) && same;
	}
	if (!any)
		fail(argc > 1 ? argv[1] : "", "there is no such scene");
	/* No line too many. */
	same = (!pinned || fgetc(pinned) == EOF) && same;
	if (pinned)
		(void)fclose(pinned);
	return same ? 0 : 1;
}
