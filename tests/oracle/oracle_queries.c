/* Answers queries from stdin on stdout, for oracle.py: detect.h, the engine's toi.h, and a world stepped once.
 *
 * In: two doubles, 0 for circles or 1 for a circle and a segment, and a count; then columns of doubles, native byte order:
 *   0: ax ay ar avx avy bx by br bvx bvy margin dt      1: ax ay ar avx avy x1 y1 x2 y2 margin dt
 * Out: columns: relation, gap, outcome, time, toi, contact. The toi is of the engine's function (NaN for segments). The contact
 * is the time of the world's first one (INFINITY: none; NaN: not asked, because it is out of the engine's limits). */
#include "physics/detect.h"
#include "physics/geometry/toi.h"
#include "physics/physics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CIRCLE_COLUMNS = 12, SEGMENT_COLUMNS = 11, OUT_COLUMNS = 6 };

static const struct tolerance exact = { 0 };

static void
die(const char *text)
{
	fprintf(stderr, "oracle_queries: %s\n", text);
	exit(2);
}

static double
first_contact(const struct world_def *def, double dt)
{
	struct def_problem problem;
	struct world *world;
	struct tick_report report;
	double time = (double)INFINITY;

	if (!(dt >= PHYSICS_DT_MIN && dt <= PHYSICS_DT_MAX) || world_create(def, &problem, &world) != STATUS_OK)
		return (double)NAN;
	if (world_step(world, dt, &report) != STATUS_OK)
		die("a tick failed");
	if (report.contact_count > 0)
		time = report.contacts[0].time;
	/* It began with a push-out: another query. Or the engine says itself that it was too fast for its skin. */
	for (size_t i = 0; i < report.path_change_count; i++)
		if (report.path_changes[i].kind == PATH_PUSHED)
			time = (double)NAN;
	if (report.shortfall_count > 0)
		time = (double)NAN;
	world_destroy(world);
	return time;
}

static struct circle_def
circle_of(const struct disc *disc, uint32_t id)
{
	struct circle_def def = circle_def_default();

	def.id = id;
	def.x = disc->x;
	def.y = disc->y;
	def.vx = disc->vx;
	def.vy = disc->vy;
	def.radius = disc->radius;
	return def;
}

static void
answer_circles(const double *q[], size_t i, double out[OUT_COLUMNS])
{
	struct disc a = { q[0][i], q[1][i], q[2][i], q[3][i], q[4][i] }, b = { q[5][i], q[6][i], q[7][i], q[8][i], q[9][i] };
	double margin = q[10][i], dt = q[11][i];
	struct shape_distance distance = distance_circles(&a, &b, &exact);
	struct sweep sweep = sweep_circles(&a, &b, margin, dt);
	struct relative r = { a.x - b.x, a.y - b.y, a.vx - b.vx, a.vy - b.vy, 0, 0 };
	const struct circle_def circles[] = { circle_of(&a, 0), circle_of(&b, 1) };
	struct world_def def = world_def_default();

	def.circles = circles;
	def.circle_count = 2;
	out[0] = distance.relation;
	out[1] = distance.gap;
	out[2] = sweep.outcome;
	out[3] = sweep.time;
	out[4] = toi_straight(&r, a.radius + b.radius + margin, dt);
	out[5] = first_contact(&def, dt);
}

static void
answer_segment(const double *q[], size_t i, double out[OUT_COLUMNS])
{
	struct disc a = { q[0][i], q[1][i], q[2][i], q[3][i], q[4][i] };
	/* The same question of a thick segment: half of the radius each. Not where the radius is the largest of the numbers: what
	 * counts as touching would change with it. */
	double size = fmax(fmax(fmax(fabs(q[0][i]), fabs(q[1][i])), fmax(fabs(q[5][i]), fabs(q[6][i]))),
	                   fmax(fabs(q[7][i]), fabs(q[8][i])));
	bool thick = i % 2 != 0 && a.radius <= size;
	struct disc half = { a.x, a.y, a.radius / 2, a.vx, a.vy };
	struct wall wall = { q[5][i], q[6][i], q[7][i], q[8][i], thick ? a.radius / 2 : 0, false, 0, 0 };
	double margin = q[9][i], dt = q[10][i];
	struct shape_distance distance;
	struct sweep sweep;
	const struct circle_def circle = circle_of(&a, 0);
	struct segment_def segment = segment_def_default();
	struct world_def def = world_def_default();

	if (distance_segment(thick ? &half : &a, &wall, READING_FILLED, &exact, &distance) != STATUS_OK ||
	    sweep_segment(thick ? &half : &a, &wall, READING_FILLED, margin, dt, &sweep) != STATUS_OK)
		die("a segment is a point");
	segment.x1 = wall.x1;
	segment.y1 = wall.y1;
	segment.x2 = wall.x2;
	segment.y2 = wall.y2;
	def.circles = &circle;
	def.circle_count = 1;
	def.segments = &segment;
	def.segment_count = 1;
	out[0] = distance.relation;
	out[1] = distance.gap;
	out[2] = sweep.outcome;
	out[3] = sweep.time;
	out[4] = (double)NAN;
	out[5] = first_contact(&def, dt);
}

int
main(void)
{
	double header[2];
	const double *columns[CIRCLE_COLUMNS];

	if (fread(header, sizeof header, 1, stdin) != 1 || !(header[1] >= 0 && header[1] < 1e9))
		die("no header");

	size_t count = (size_t)header[1], column_count = header[0] > 0 ? SEGMENT_COLUMNS : CIRCLE_COLUMNS;
	double *in = malloc((count * column_count + 1) * sizeof *in), *out = malloc((count * OUT_COLUMNS + 1) * sizeof *out);

	if (!in || !out || fread(in, sizeof *in, count * column_count, stdin) != count * column_count)
		die("no memory or no columns");
	for (size_t c = 0; c < column_count; c++)
		columns[c] = in + c * count;
	for (size_t i = 0; i < count; i++) {
		double row[OUT_COLUMNS];

		if (header[0] > 0)
			answer_segment(columns, i, row);
		else
			answer_circles(columns, i, row);
		for (size_t c = 0; c < OUT_COLUMNS; c++)
			out[c * count + i] = row[c];
	}
	if (fwrite(out, sizeof *out, count * OUT_COLUMNS, stdout) != count * OUT_COLUMNS || fflush(stdout) != 0)
		die("cannot write");
	free(in);
	free(out);
	return 0;
}
