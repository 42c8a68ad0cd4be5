/* bits: steps a fixed set of scenes and prints one hash for each. The hash is of all that the engine says: every tick's state
 * hash, counters, ledgers, contacts, path changes, shortfalls, events of pairs and paths, and the bytes of snapshots. The same
 * lines come from every compiler, every level of optimisation and every machine; bits.sh compares them.
 *
 * Each scene runs twice: as it is, and defined in another order and restored from its own snapshot every few ticks. Exit
 * status 1 if the two differ. An argument: only the scene of that name. Two, `pinned FILE`: all scenes, and exit status 1 too
 * if a line is not that of the file; the unit run then makes each scene once. */
#include "bits/bits_scenes.h"
#include "bits/digest.h"
#include "support/effort.h"

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

static void
scene_act(const struct bits_scene *scene, struct world *world, uint64_t tick, const char *name)
{
	struct edit edits[BITS_EDITS_MAX];
	struct def_problem problem = { .text = "" };
	if (world_edit(world, edits, scene->act(edits, tick), &problem) != STATUS_OK)
		fail(name, problem.text);
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
		if (scene->act)
			scene_act(scene, world, tick, name);
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

/* Whether each scene runs twice: with pinned hashes the unit run makes each once. */
static bool
are_twice(const FILE *pinned)
{
#ifdef COLLIDED_SANITIZED
	(void)pinned;
	return true;
#else
	return !pinned || effort(0, 1) > 0;
#endif
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
	const uint64_t again = are_twice(pinned) ? scene_run(&scene, name, true) : plain;
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
