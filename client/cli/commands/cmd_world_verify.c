/* collide world verify, collide world diff: recordings of worlds, made again by the engine, tick by tick. */
#include "client/cli/commands/commands.h"

#include "client/cli/terminal/arguments.h"
#include "client/cli/terminal/colour.h"
#include "client/cli/terminal/output.h"
#include "client/cli/terminal/progress.h"
#include "client/cli/worlds/world_recording.h"
#include "jobs/pool.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum exit_status
play_failed(const char *command, const struct world_play *play)
{
	problem_begin(command);
	fprintf(stderr, "%s: %s\n", play->recording->path, play->error.text);
	return EXIT_STATUS_FAILED;
}

/* ---- verify */

struct verify_options {
	const char *path, *state_path;
	uint64_t at, workers;
	bool at_given;
};

/* They are idle when the last tick is made. */
static const uint64_t HELPERS_PATIENCE_MS = 10000;

/* Threads that share the ticks of a large world. */
struct helpers {
	unsigned count;    /* with this one */
	struct pool *pool; /* NULL: there is no other */
};

static unsigned
helpers_count(void *context)
{
	return ((struct helpers *)context)->count;
}

static void
helpers_run(void *context, unsigned count, void (*piece)(void *argument, unsigned index), void *argument)
{
	pool_share(((struct helpers *)context)->pool, count, piece, argument);
}

static enum exit_status
state_write(const struct verify_options *options, const struct world_play *play)
{
	size_t count = 0;
	void *bytes = collide_mirror_snapshot(play->mirror, &count);
	FILE *file = bytes ? output_open(options->state_path) : NULL;
	bool good = file && fwrite(bytes, 1, count, file) == count;
	if (file && !output_close(file))
		good = false;
	free(bytes);
	if (good)
		return EXIT_STATUS_DONE;
	problem_begin("world verify");
	fprintf(stderr, "%s: %s\n", options->state_path, strerror(errno));
	return EXIT_STATUS_FAILED;
}

static enum exit_status
verify_play(const struct verify_options *options, struct world_play *play)
{
	const struct world_recording *recording = play->recording;
	uint64_t end = options->at_given ? options->at : recording->end;
	struct progress progress;
	bool good = true;
	progress_start(&progress, end - recording->begin);
	while (good && world_play_now(play) < end) {
		good = world_play_tick(play);
		progress_update(&progress, world_play_now(play) - recording->begin, 0);
	}
	progress_stop(&progress);
	if (!good)
		return play_failed("world verify", play);
	struct collide_mirrored told = collide_mirror_state(play->mirror);
	printf("ticks            %" PRIu64 " to %" PRIu64 "\n", recording->begin, world_play_now(play));
	printf("batches          %" PRIu64 "%s\n", told.batches,
	       recording->undone_count > 0 ? ", without those that were undone" : "");
	printf("hashes           %" PRIu64 ", all as recorded\n", told.hashes);
	printf("state hash       %016" PRIx64 "\n", world_hash(mirror_world(play->mirror)));
	return options->state_path ? state_write(options, play) : EXIT_STATUS_DONE;
}

/* The same bits with any number of threads. */
static enum exit_status
verify_open(const struct verify_options *options, const struct world_recording *recording)
{
	struct helpers helpers = { .count = (unsigned)options->workers };
	const struct workers workers = { .count = helpers_count, .run = helpers_run, .context = &helpers };
	struct world_play play;
	if (helpers.count > 1 && pool_create_helpers(helpers.count - 1, &helpers.pool) != STATUS_OK) {
		problem_begin("world verify");
		fprintf(stderr, "--workers: no memory or no thread\n");
		return EXIT_STATUS_FAILED;
	}
	bool opened = world_play_open(&play, recording);
	if (opened && helpers.pool)
		mirror_workers_set(play.mirror, &workers);
	enum exit_status status = opened ? verify_play(options, &play) : play_failed("world verify", &play);
	world_play_close(&play);
	if (helpers.pool && pool_stop(helpers.pool, HELPERS_PATIENCE_MS))
		pool_destroy(helpers.pool, NULL);
	return status;
}

static enum exit_status
verify_run(const struct verify_options *options)
{
	struct world_recording recording;
	enum exit_status status = EXIT_STATUS_FAILED;
	if (world_recording_load(&recording, "world verify", options->path)) {
		if (options->at_given && (options->at < recording.begin || options->at > recording.end)) {
			problem_begin("world verify");
			fprintf(stderr, "--at %" PRIu64 ": the recording has the ticks %" PRIu64 " to %" PRIu64 "\n", options->at,
			        recording.begin, recording.end);
			status = EXIT_STATUS_USAGE;
		} else {
			status = verify_open(options, &recording);
			status = recording.cut && status == EXIT_STATUS_DONE ? EXIT_STATUS_FAILED : status;
		}
	}
	world_recording_free(&recording);
	return status;
}

enum exit_status
cmd_world_verify(int argc, char **argv)
{
	struct verify_options options = { .workers = 1 };
	const struct argument arguments[] = {
		{ .name = "--at",
		  .kind = ARGUMENT_COUNT,
		  .out = &options.at,
		  .given = &options.at_given,
		  .minimum = 0,
		  .maximum = UINT64_MAX,
		  .value = "TICK",
		  .help = "only up to this tick" },
		{ .name = "--workers",
		  .kind = ARGUMENT_COUNT,
		  .out = &options.workers,
		  .minimum = 1,
		  .maximum = 64,
		  .value = "N",
		  .help = "threads for the ticks of a large world (default 1)" },
		{ .name = "--output",
		  .letter = 'o',
		  .kind = ARGUMENT_FILE,
		  .out = &options.state_path,
		  .value = "FILE",
		  .help = "write the state that it comes to, for collide world create:\na fork of the world" },
	};
	const struct command_line line = {
		.command = "world verify",
		.about = "Makes every tick of a recording of collide world record again, and compares the hashes that it has.",
		.example =
			"collide gen break | collide world create - --name made -k s >out && collide world record made -k s -o made.rec -n 30 &&\n"
			"  collide world verify made.rec",
		.operand = "RECORDING",
		.operand_required = true,
		.operand_out = &options.path,
		.arguments = arguments,
		.count = sizeof arguments / sizeof arguments[0],
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	return verify_run(&options);
}

/* ---- diff */

/* One number of a circle, if it differs. */
static bool
number_differs(const char *name, uint32_t id, double a, double b)
{
	if (memcmp(&a, &b, sizeof a) == 0)
		return false;
	printf("circle %" PRIu32 ": %s %.17g, %.17g\n", id, name, a, b);
	return true;
}

static bool
bodies_differ(const struct body_state *a, const struct body_state *b)
{
	if (a->id != b->id) {
		printf("circle %" PRIu32 " is only in the %s\n", a->id < b->id ? a->id : b->id, a->id < b->id ? "first" : "second");
		return true;
	}
	return number_differs("x", a->id, a->x, b->x) || number_differs("y", a->id, a->y, b->y) ||
	       number_differs("vx", a->id, a->vx, b->vx) || number_differs("vy", a->id, a->vy, b->vy) ||
	       number_differs("angle", a->id, a->angle, b->angle) ||
	       number_differs("angular_velocity", a->id, a->angular_velocity, b->angular_velocity);
}

/* The first body and field. */
static void
difference_print(const struct world *a, const struct world *b, uint64_t tick)
{
	size_t count_a = world_body_count(a), count_b = world_body_count(b), count = count_a < count_b ? count_a : count_b;
	printf("after tick %" PRIu64 ":\n", tick);
	for (size_t i = 0; i < count; i++) {
		const struct body_state one = world_body(a, i), other = world_body(b, i);
		if (bodies_differ(&one, &other))
			return;
	}
	if (count_a != count_b)
		printf("circle %" PRIu32 " is only in the %s\n", world_body(count_a > count_b ? a : b, count).id,
		       count_a > count_b ? "first" : "second");
	else
		printf("what is in no circle's state: segments, definitions, or what the next tick needs\n");
}

/* Both from the tick of the later one on. *differ: they do. */
static enum exit_status
diff_play(struct world_play *a, struct world_play *b, bool *differ)
{
	uint64_t end = a->recording->end < b->recording->end ? a->recording->end : b->recording->end;
	uint64_t begin = a->recording->begin > b->recording->begin ? a->recording->begin : b->recording->begin;
	while (world_play_now(a) < begin || world_play_now(b) < begin) {
		struct world_play *behind = world_play_now(a) < begin ? a : b;
		if (behind->recording->end < begin) {
			problem_begin("world diff");
			fprintf(stderr, "they have no tick in common\n");
			return EXIT_STATUS_FAILED;
		}
		if (!world_play_tick(behind))
			return play_failed("world diff", behind);
	}
	for (;;) {
		if (world_hash(mirror_world(a->mirror)) != world_hash(mirror_world(b->mirror))) {
			*differ = true;
			difference_print(mirror_world(a->mirror), mirror_world(b->mirror), world_play_now(a));
			return EXIT_STATUS_DONE;
		}
		if (world_play_now(a) == end)
			break;
		if (!world_play_tick(a))
			return play_failed("world diff", a);
		if (!world_play_tick(b))
			return play_failed("world diff", b);
	}
	printf("the same states from tick %" PRIu64 " to %" PRIu64 "\n", begin, end);
	return EXIT_STATUS_DONE;
}

/* Hashes that were recorded say which of the two is not as it was: here both are only compared with each other. */
static void
hashes_forget(struct world_recording *recording)
{
	recording->hash_count = 0;
}

static enum exit_status
diff_run(const char *first, const char *second)
{
	struct world_recording recordings[2] = { { .path = first }, { .path = second } };
	struct world_play plays[2];
	enum exit_status status = EXIT_STATUS_FAILED;
	bool differ = false;
	if (world_recording_load(&recordings[0], "world diff", first) &&
	    world_recording_load(&recordings[1], "world diff", second)) {
		hashes_forget(&recordings[0]);
		hashes_forget(&recordings[1]);
		bool opened = world_play_open(&plays[0], &recordings[0]);
		bool both = world_play_open(&plays[1], &recordings[1]) && opened;
		status = both ? diff_play(&plays[0], &plays[1], &differ) : play_failed("world diff", &plays[opened ? 1 : 0]);
		world_play_close(&plays[0]);
		world_play_close(&plays[1]);
	}
	world_recording_free(&recordings[0]);
	world_recording_free(&recordings[1]);
	return status == EXIT_STATUS_DONE && differ ? EXIT_STATUS_FAILED : status;
}

enum exit_status
cmd_world_diff(int argc, char **argv)
{
	struct argument_texts files = { .count = 0 };
	const struct command_line line = {
		.command = "world diff",
		.about =
			"Makes the ticks of two recordings of a world, and prints the first tick, circle and field in which they differ.\n"
			"Exit status 0: they do not; 1: they do.",
		.example =
			"collide gen break | collide world create - --name two -k s >out && collide world record two -k s -o two.rec -n 30 &&\n"
			"  collide world diff two.rec two.rec",
		.operand = "RECORDING",
		.operands_out = &files,
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	if (files.count != 2) {
		problem_begin("world diff");
		fprintf(stderr, "two recordings are required\n");
		return EXIT_STATUS_USAGE;
	}
	return diff_run(files.texts[0], files.texts[1]);
}
