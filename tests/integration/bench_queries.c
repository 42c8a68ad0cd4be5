/* bench_queries: pairs per second of Detect and Respond: the engine's functions alone, through the daemon, and beside both what
 * moving the same bytes costs. Not a test: prints figures (`./dev bench`).
 *
 * Usage: bench_queries HOST:PORT [seconds per figure, default 1]. The daemon must be running. Of the repetitions in that time
 * the fastest counts: whatever else the machine does only adds. */
#include "client/lib/collide.h"
#include "physics/detect.h"
#include "physics/respond.h"
#include "support/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PAIRS = 10000, CIRCLE_COLUMNS = 5, WALL_COLUMNS = 4 };

/* Columns: x, y, radius, vx, vy of a and of b; x1, y1, x2, y2. */
struct workload {
	double a[CIRCLE_COLUMNS][PAIRS], b[CIRCLE_COLUMNS][PAIRS], walls[WALL_COLUMNS][PAIRS];
};

static double
now_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Circles and walls in a box, so that a third touches, a third hits within a second, and the rest ends early. */
static void
workload_fill(struct workload *work)
{
	uint64_t random = 1;

	for (size_t i = 0; i < PAIRS; i++) {
		for (int c = 0; c < CIRCLE_COLUMNS; c++) {
			double low = c == 2 ? 0.1 : -3, high = c == 2 ? 1 : 3;

			work->a[c][i] = random_between(&random, low, high);
			work->b[c][i] = random_between(&random, low, high);
		}
		for (int c = 0; c < WALL_COLUMNS; c++)
			work->walls[c][i] = random_between(&random, -3, 3);
	}
}

static struct disc
disc_at(const double (*columns)[PAIRS], size_t i)
{
	return (struct disc){ columns[0][i], columns[1][i], columns[2][i], columns[3][i], columns[4][i] };
}

/* ---- The engine's functions ---- */

static const struct tolerance exact = { 0 };

static double
engine_circles(const struct workload *work, size_t i)
{
	struct disc a = disc_at(work->a, i), b = disc_at(work->b, i);

	return distance_circles(&a, &b, &exact).gap;
}

static double
engine_circles_swept(const struct workload *work, size_t i)
{
	struct disc a = disc_at(work->a, i), b = disc_at(work->b, i);

	return distance_circles(&a, &b, &exact).gap + sweep_circles(&a, &b, 0, 1).time;
}

static double
engine_segments_swept(const struct workload *work, size_t i)
{
	struct disc a = disc_at(work->a, i);
	struct wall wall = { work->walls[0][i], work->walls[1][i], work->walls[2][i], work->walls[3][i], 0, false, 0, 0 };
	struct shape_distance distance;
	struct sweep sweep;

	if (distance_segment(&a, &wall, READING_FILLED, &exact, &distance) != STATUS_OK ||
	    sweep_segment(&a, &wall, READING_FILLED, 0, 1, &sweep) != STATUS_OK)
		exit(1);
	return distance.gap + sweep.time;
}

static double
engine_response(const struct workload *work, size_t i)
{
	struct disc a = disc_at(work->a, i), b = disc_at(work->b, i);
	const double a_velocity[2] = { a.vx, a.vy }, b_velocity[2] = { b.vx, b.vy }, mass[2] = { 1, 1 };
	struct shape_distance distance = distance_circles(&a, &b, &exact);
	struct push_out push;
	struct bounce bounce;

	if (respond_push_out(&distance, 1, 1, &push) != STATUS_OK ||
	    respond_bounce(&distance, a_velocity, b_velocity, mass, 1, &bounce) != STATUS_OK)
		exit(1);
	return push.a_move[0] + bounce.impulse;
}

/* The least seconds that one call took, of those that fit into `seconds`. */
static double
fastest(void (*once)(void *context), void *context, double seconds)
{
	double end = now_seconds() + seconds, least = (double)INFINITY, begin = now_seconds();

	do {
		once(context);

		double now = now_seconds();

		least = fmin(least, now - begin);
		begin = now;
	} while (begin < end);
	return least;
}

/* ---- The daemon ---- */

static struct collide_client *client;
static struct collide_error error;

static void
die(void)
{
	fprintf(stderr, "bench_queries: %s: %s\n", error.reason, error.text);
	exit(1);
}

static struct collide_circles
circles_of(const double (*columns)[PAIRS], size_t rows)
{
	return (struct collide_circles){
		.x = { columns[0], rows },
		.y = { columns[1], rows },
		.radius = { columns[2], rows },
		.vx = { columns[3], rows },
		.vy = { columns[4], rows },
	};
}

static bool
count_detected(void *context, const struct collide_detected *part)
{
	*(uint64_t *)context += part->count;
	return true;
}

static bool
count_responded(void *context, const struct collide_responded *part)
{
	*(uint64_t *)context += part->count;
	return true;
}

struct question {
	const char *name;
	bool segments, respond;
	double dt;
	size_t rows;
	double (*engine)(const struct workload *, size_t);
	size_t bytes; /* of a row's columns, both ways, on the wire */
};

/* Asks once; the rows answered. */
static uint64_t
ask(const struct workload *work, const struct question *question)
{
	size_t rows = question->rows;
	struct collide_circles b = circles_of(work->b, rows);
	struct collide_segments walls = {
		.x1 = { work->walls[0], rows },
		.y1 = { work->walls[1], rows },
		.x2 = { work->walls[2], rows },
		.y2 = { work->walls[3], rows },
	};
	struct collide_pairs pairs = { .a = circles_of(work->a, rows),
		                           .circles = question->segments ? NULL : &b,
		                           .segments = question->segments ? &walls : NULL };
	struct collide_detection detection = { .pairs = &pairs, .dt = question->dt };
	struct collide_response response = { .pairs = &pairs, .push_out = true, .bounce = true };
	uint64_t answered = 0;

	if (!(question->respond ? collide_respond(client, &response, count_responded, &answered, &error)
	                        : collide_detect(client, &detection, count_detected, &answered, &error)))
		die();
	return answered;
}

/* What `fastest` measures. */
struct job {
	const struct workload *work;
	const struct question *question;
	char *from, *to; /* to copy */
	double sink;
};

static void
engine_once(void *context)
{
	struct job *job = context;

	for (size_t i = 0; i < PAIRS; i++)
		job->sink += job->question->engine(job->work, i);
}

static void
daemon_once(void *context)
{
	const struct job *job = context;

	if (ask(job->work, job->question) != job->question->rows) {
		fprintf(stderr, "bench_queries: not all rows were answered\n");
		exit(1);
	}
}

static void
ping_once(void *context)
{
	(void)context;
	if (!collide_ping(client, NULL, &error))
		die();
}

/* A row's bytes, once. */
static void
copy_once(void *context)
{
	struct job *job = context;
	size_t count = job->question->bytes * PAIRS;

	memcpy(job->to, job->from, count);
	job->sink += job->to[(size_t)job->from[0] % count];
}

static void
question_measure(const struct workload *work, const struct question *question, double seconds)
{
	size_t count = question->bytes * PAIRS;
	struct job job = { .work = work, .question = question, .from = malloc(count), .to = malloc(count) };

	if (!job.from || !job.to)
		exit(1);
	memset(job.from, 1, count);
	memset(job.to, 2, count);
	printf("%-32s %14.2f %14.2f %14.1f %8zu\n", question->name, 1e-6 * PAIRS / fastest(engine_once, &job, seconds),
	       1e-6 * PAIRS / fastest(daemon_once, &job, seconds), 1e-6 * PAIRS / fastest(copy_once, &job, seconds),
	       question->bytes);
	fflush(stdout);
	/* So that the work was not for nothing. */
	if (job.sink == (double)INFINITY)
		puts("all is infinite");
	free(job.from);
	free(job.to);
}

/* A pair alone: what a request costs, against the smallest there is. */
static void
single_measure(const struct workload *work, double seconds)
{
	const struct question one = { .dt = 1, .rows = 1 };
	struct job job = { .work = work, .question = &one };

	printf("\none pair a request, one after another: %.1f us; a ping: %.1f us\n", 1e6 * fastest(daemon_once, &job, seconds),
	       1e6 * fastest(ping_once, NULL, seconds));
}

int
main(int argc, char **argv)
{
	/* Columns of doubles both ways, two of 4 bytes and the enums of 1 in the reply. */
	static const struct question questions[] = {
		{ "Detect, circles, as they stand", false, false, 0, PAIRS, engine_circles, 8 * (10 + 7) + 10 },
		{ "Detect, circles, one second", false, false, 1, PAIRS, engine_circles_swept, 8 * (10 + 22) + 12 },
		{ "Detect, segments, one second", true, false, 1, PAIRS, engine_segments_swept, 8 * (9 + 22) + 12 },
		{ "Respond, push out and bounce", false, true, 0, PAIRS, engine_response, 8 * (10 + 13) + 7 },
	};
	double seconds = argc > 2 ? strtod(argv[2], NULL) : 1;
	struct workload *work = malloc(sizeof *work);

	if (argc < 2 || !(seconds > 0) || !work) {
		fprintf(stderr, "usage: bench_queries HOST:PORT [seconds per figure]\n");
		return 2;
	}
	client = collide_connect(argv[1], NULL, &error);
	if (!client)
		die();
	workload_fill(work);
	printf("%-32s %14s %14s %14s %8s\n", "million pairs a second", "engine, 1 core", "daemon, 1 conn", "one memcpy", "B/pair");
	for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
		question_measure(work, &questions[i], seconds);
	single_measure(work, seconds);
	collide_close(client);
	free(work);
	return 0;
}
