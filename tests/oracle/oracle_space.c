/* Answers questions about space from stdin on stdout, for space.py. Lines of words; doubles as %a.
 *
 *   scene CIRCLES SEGMENTS, then lines: id x y radius; id x1 y1 x2 y2
 *   cast x y move_x move_y radius start limit        circle x y radius        box x0 y0 x1 y1        segment x1 y1 x2 y2
 *   nearest x y radius gap_max limit                 move x y radius move_x move_y skin legs_max
 *
 * Each question is answered by a count and, for each hit: segment id feature relation fraction gap. A move is answered by end
 * skin fraction, a count and, for each leg: x y fraction. */
#include "physics/mover.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct tolerance none = { 0, 0 };

static void
die(const char *text)
{
	fprintf(stderr, "oracle_space: %s\n", text);
	exit(2);
}

/* The next word as a number. */
static double
number(void)
{
	char *word = strtok(NULL, " \n"), *end;

	if (!word)
		die("a number is missing");
	double value = strtod(word, &end);
	if (*end)
		die("not a number");
	return value;
}

/* NULL at the end. */
static char *
line_next(void)
{
	static char line[1024];

	return fgets(line, sizeof line, stdin) ? strtok(line, " \n") : NULL;
}

static uint32_t
id_next(void)
{
	char *word = line_next();

	if (!word)
		die("the scene ends early");
	return (uint32_t)strtoul(word, NULL, 10);
}

static struct space *
scene_read(void)
{
	struct world_def def = world_def_default();
	struct def_problem problem;
	struct space *space;

	def.circle_count = (size_t)number();
	def.segment_count = (size_t)number();

	struct circle_def *circles = calloc(def.circle_count + 1, sizeof *circles);
	struct segment_def *segments = calloc(def.segment_count + 1, sizeof *segments);

	if (!circles || !segments)
		die("no memory");
	for (size_t i = 0; i < def.circle_count; i++) {
		circles[i] = circle_def_default();
		circles[i].id = id_next();
		circles[i].x = number();
		circles[i].y = number();
		circles[i].radius = number();
	}
	for (size_t i = 0; i < def.segment_count; i++) {
		segments[i] = segment_def_default();
		segments[i].id = id_next();
		segments[i].x1 = number();
		segments[i].y1 = number();
		segments[i].x2 = number();
		segments[i].y2 = number();
		segments[i].radius = number();
		segments[i].one_sided = number() > 0.0;
	}
	def.circles = circles;
	def.segments = segments;
	if (space_create(&def, &problem, &space) != STATUS_OK)
		die(problem.text);
	free(circles);
	free(segments);
	return space;
}

static void
hits_write(enum status status, const struct space_hits *hits)
{
	if (status != STATUS_OK)
		die("a question is refused");
	printf("%zu", hits->count);
	for (size_t i = 0; i < hits->count; i++) {
		const struct space_hit *hit = &hits->hits[i];

		printf(" %d %" PRIu32 " %d %d %a %a", hit->segment, hit->id, (int)hit->feature, (int)hit->relation, hit->fraction,
		       hit->gap);
	}
	printf("\n");
}

static void
move_answer(const struct space *space, const struct space_filter *filter)
{
	static struct mover_path path;
	struct mover mover = { .x = number() };

	mover.y = number();
	mover.radius = number();
	mover.move_x = number();
	mover.move_y = number();
	mover.skin = number();
	mover.legs_max = (uint32_t)number();
	if (space_move(space, &mover, filter, &path) != STATUS_OK)
		die("a move is refused");
	printf("%d %a %a %zu", (int)path.end, path.skin, path.fraction, path.leg_count);
	for (size_t i = 0; i < path.leg_count; i++)
		printf(" %a %a %a", path.legs[i].x, path.legs[i].y, path.legs[i].fraction);
	printf("\n");
}

static size_t
limit_next(void)
{
	double limit = number();

	return limit < 0 ? SIZE_MAX : (size_t)limit;
}

static void
answer(const struct space *space, const char *word)
{
	static struct space_hits hits;
	const struct space_filter filter = space_filter_default();
	double values[4];

	if (!strcmp(word, "move")) {
		move_answer(space, &filter);
		return;
	}
	for (int i = 0; i < (strcmp(word, "circle") && strcmp(word, "nearest") ? 4 : 3); i++)
		values[i] = number();
	if (!strcmp(word, "cast")) {
		struct space_cast cast = { values[0], values[1], values[2], values[3], number(), START_HITS };

		cast.start = (enum space_start)number();
		hits_write(space_cast(space, &cast, &filter, limit_next(), &hits), &hits);
	} else if (!strcmp(word, "circle")) {
		const struct space_circle circle = { values[0], values[1], values[2] };

		hits_write(space_overlap_circle(space, &circle, &none, &filter, SIZE_MAX, &hits), &hits);
	} else if (!strcmp(word, "box")) {
		const struct space_box box = { values[0], values[1], values[2], values[3] };

		hits_write(space_overlap_box(space, &box, &none, &filter, SIZE_MAX, &hits), &hits);
	} else if (!strcmp(word, "segment")) {
		const struct wall wall = { values[0], values[1], values[2], values[3], 0, false, 0, 0 };

		hits_write(space_overlap_segment(space, &wall, &none, &filter, SIZE_MAX, &hits), &hits);
	} else if (!strcmp(word, "nearest")) {
		const struct space_circle circle = { values[0], values[1], values[2] };
		double gap_max = number();

		hits_write(space_nearest(space, &circle, gap_max, &none, &filter, limit_next(), &hits), &hits);
	} else {
		die("an unknown question");
	}
}

int
main(void)
{
	struct space *space = NULL;
	const char *word;

	while ((word = line_next())) {
		if (!strcmp(word, "scene")) {
			space_destroy(space);
			space = scene_read();
		} else if (space) {
			answer(space, word);
		}
	}
	space_destroy(space);
	return 0;
}
