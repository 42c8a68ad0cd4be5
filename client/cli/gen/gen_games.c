/* Boards under gravity: galton and pinball. Lengths are in ball radii until the shapes are added. */
#include "client/cli/gen/gen.h"

#include "client/cli/gen/gen_place.h"

#include <math.h>

static struct build_circle
static_circle(const struct gen_options *options, double x, double y, double radius)
{
	return (struct build_circle){
		.x = round_position(options->radius * x),
		.y = round_position(options->radius * y),
		.radius = round_position(options->radius * radius),
		.mass = 1,
		.restitution = options->restitution,
		.kind = COLLIDE__V1__BODY_KIND__BODY_KIND_STATIC,
	};
}

static void
wall(const struct gen_options *options, struct scene_build *build, double x1, double y1, double x2, double y2)
{
	double r = options->radius;
	scene_build_segment(build, segment_rounded(segment_between(r * x1, r * y1, r * x2, r * y2, options->restitution)));
}

/* Walls from point to point. */
static void
walls(const struct gen_options *options, struct scene_build *build, const double (*points)[2], size_t count)
{
	for (size_t i = 0; i + 1 < count; i++)
		wall(options, build, points[i][0], points[i][1], points[i + 1][0], points[i + 1][1]);
}

/* ---- galton ---- */

/* Distance between pegs and between rows; radius of a peg; half the width of the inlet. */
static const double peg_pitch = 5, row_pitch = 4.4, peg_radius = 1.35, mouth_half = 2.2;

struct galton {
	uint64_t rows;
	double half_width, floor, bins_top, pegs_top;
};

static void
galton_board(const struct gen_options *options, const struct galton *board, struct scene_build *build)
{
	double side = board->half_width;
	const double frame[][2] = { { -mouth_half, board->pegs_top + 3 },
		                        { -side, board->pegs_top },
		                        { -side, board->floor },
		                        { side, board->floor },
		                        { side, board->pegs_top },
		                        { mouth_half, board->pegs_top + 3 } };
	walls(options, build, frame, sizeof frame / sizeof frame[0]);
	/* Down to the first peg, so that no ball runs along the top. */
	wall(options, build, -mouth_half, board->pegs_top + 3, -mouth_half, board->pegs_top - 0.7);
	wall(options, build, mouth_half, board->pegs_top - 0.7, mouth_half, board->pegs_top + 3);
	for (uint64_t row = 0; row < board->rows; row++) {
		double y = board->pegs_top - row_pitch * (double)(row + 1);
		/* As many pegs as fit; every other row is shifted by half a pitch. */
		for (double x = row % 2 == 0 ? 0 : peg_pitch / 2; x < side - peg_radius - 2.05; x += peg_pitch) {
			scene_build_circle(build, static_circle(options, x, y, peg_radius));
			if (x > 0)
				scene_build_circle(build, static_circle(options, -x, y, peg_radius));
		}
	}
	/* Bins one pitch wide, their walls under the gaps of the last row but one. */
	for (double x = board->rows % 2 == 0 ? 0 : peg_pitch / 2; x < side - 1e-9; x += peg_pitch) {
		wall(options, build, x, board->floor, x, board->bins_top);
		if (x > 0)
			wall(options, build, -x, board->floor, -x, board->bins_top);
	}
}

struct funnel {
	double half, bottom; /* of the opening */
};

static bool
funnel_holds(const void *context, double x, double y)
{
	const struct funnel *funnel = context;
	return fabs(x) < funnel->half + (y - funnel->bottom) / 1.5;
}

/* The smaller restitution of a contact counts. Balls and hopper are perfectly elastic: a gas that leaks out ball by ball and
 * never comes to rest in the hopper. Pegs and bins slow the balls down. */
static bool
galton_hopper(const struct gen_options *options, const struct galton *board, struct scene_build *build, char *error,
              size_t error_size)
{
	struct random random;
	struct gen_placer placer;
	double bottom = board->pegs_top + 3, half = fmin(board->half_width, mouth_half + 14), r = options->radius;
	double shoulder = bottom + 1.5 * (half - mouth_half), top = shoulder + 6 + 10 * (double)options->count / (2 * half);
	const double sides[][2] = { { mouth_half, bottom }, { half, shoulder },  { half, top },
		                        { -half, top },         { -half, shoulder }, { -mouth_half, bottom } };
	struct gen_options elastic = *options;
	elastic.restitution = 1;
	walls(&elastic, build, sides, 6);
	random_init(&random, options->seed);
	struct gen_area area = { -half * r, bottom * r, half * r, top * r };
	if (!gen_placer_init(&placer, build, &random, area, r, 0.02 * r, options->count, error, error_size))
		return false;
	area.y1 = (bottom + 4) * r;
	const struct funnel funnel = { .half = mouth_half * r, .bottom = bottom * r };
	placer.inside = funnel_holds;
	placer.context = &funnel;
	struct build_circle ball = { .radius = r, .mass = 1, .restitution = 1 };
	bool placed = true;
	for (uint64_t i = 0; i < options->count && placed; i++)
		placed = gen_placer_put(&placer, area, ball, error, error_size);
	gen_placer_finish(&placer);
	return placed;
}

bool
gen_galton(const struct gen_options *options, struct scene_build *build, char *error, size_t error_size)
{
	/* The fullest of n + 1 bins gets a share of about 0.8 / sqrt(n), in layers of about two balls. */
	double share = 0.8 / sqrt((double)options->segments), deepest = share * (double)options->count * 0.95 + 8;
	struct galton board = { .rows = options->segments, .half_width = peg_pitch * (floor((double)options->segments / 2) + 1) };
	board.bins_top = fmin(fmax(deepest, 10), 120);
	board.pegs_top = board.bins_top + row_pitch * (double)(board.rows + 1);
	build->gravity_y = -round_speed(20 * options->radius);
	galton_board(options, &board, build);
	build->restitution_mix = COLLIDE__V1__RESTITUTION_MIX__RESTITUTION_MIX_MIN;
	return galton_hopper(options, &board, build, error, error_size);
}

/* ---- pinball ---- */

/* The round top: a half circle by rational points, so that it is exact on every machine. */
enum { ARC_STEPS = 24 };

static void
pinball_arc(const struct gen_options *options, struct scene_build *build, double x, double y, double radius)
{
	double last_x = x + radius, last_y = y;
	for (int i = 1; i <= ARC_STEPS; i++) {
		/* t runs from 0 to 1 over a quarter: (1 - t²)/(1 + t²), 2t/(1 + t²). */
		double t = (i <= ARC_STEPS / 2 ? i : ARC_STEPS - i) / (ARC_STEPS / 2.0);
		double cosine = (1 - t * t) / (1 + t * t), sine = 2 * t / (1 + t * t);
		double next_x = x + radius * (i <= ARC_STEPS / 2 ? cosine : -cosine), next_y = y + radius * sine;
		wall(options, build, last_x, last_y, next_x, next_y);
		last_x = next_x;
		last_y = next_y;
	}
}

static void
pinball_table(const struct gen_options *options, struct scene_build *build)
{
	/* Left wall, tray, right wall; the launch lane on the right; a slope above the tray. */
	const double frame[][2] = { { -26, 62 }, { -26, 0 }, { 26, 0 }, { 26, 62 } };
	const double lane[][2] = { { 22.5, 0 }, { 22.5, 58 } };
	const double left_flipper[][2] = { { -26, 20 }, { -19, 15 }, { -6, 9 } };
	const double right_flipper[][2] = { { 22.5, 20 }, { 15.5, 15 }, { 2.5, 9 } };
	const double left_sling[][2] = { { -19, 28 }, { -11, 20 }, { -19, 21 }, { -19, 28 } };
	const double right_sling[][2] = { { 15.5, 28 }, { 15.5, 21 }, { 7.5, 20 }, { 15.5, 28 } };
	const double left_guide[][2] = { { -22, 34 }, { -22, 24 } };
	const double right_guide[][2] = { { 18.5, 34 }, { 18.5, 24 } };
	walls(options, build, frame, 4);
	pinball_arc(options, build, 0, 62, 26);
	walls(options, build, lane, 2);
	walls(options, build, left_flipper, 3);
	walls(options, build, right_flipper, 3);
	walls(options, build, left_sling, 4);
	walls(options, build, right_sling, 4);
	walls(options, build, left_guide, 2);
	walls(options, build, right_guide, 2);
	/* Bumpers, and pegs above them. */
	static const double bumpers[][3] = {
		{ -10, 60, 4 }, { 7, 60, 4 }, { -1.5, 48, 4 }, { -15, 42, 2 }, { 12, 42, 2 },     { -12, 74, 1 },
		{ -6, 76, 1 },  { 0, 77, 1 }, { 6, 76, 1 },    { 12, 74, 1 },  { -1.5, 34, 1.5 },
	};
	for (size_t i = 0; i < sizeof bumpers / sizeof bumpers[0]; i++)
		scene_build_circle(build, static_circle(options, bumpers[i][0], bumpers[i][1], bumpers[i][2]));
}

bool
gen_pinball(const struct gen_options *options, struct scene_build *build, char *error, size_t error_size)
{
	struct random random;
	(void)error;
	(void)error_size;
	random_init(&random, options->seed);
	build->gravity_y = -round_speed(12 * options->radius);
	pinball_table(options, build);
	/* Above each other in the lane, the lowest slowest, so that they stay apart. */
	for (uint64_t i = 0; i < options->count; i++) {
		double boost = 1 + 0.02 * (double)i + random_between(&random, 0, 0.01);
		scene_build_circle(build, (struct build_circle){
									  .x = round_position(24.25 * options->radius),
									  .y = round_position((2 + 2.5 * (double)i) * options->radius),
									  .vy = round_speed(options->speed * boost),
									  .radius = options->radius,
									  .mass = 1,
									  .restitution = options->restitution,
								  });
	}
	return true;
}
