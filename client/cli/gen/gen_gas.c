/* Many circles in a box: gas and bullets. Positions are drawn at random and taken if they are free. A gas too dense for that is
 * a hexagonal lattice with random displacements smaller than its free space. */
#include "client/cli/gen/gen.h"

#include "client/cli/scene/packing.h"
#include "client/cli/scene/random.h"

#include <math.h>
#include <stdio.h>

/* Above this area fraction, random placement takes too long (it jams at 0.547). */
static const double random_fraction_max = 0.45;
/* Draws per circle before giving up. At a fraction of 0.45 about one draw in thirty fits the last circle. */
enum { DRAWS_MAX = 100000 };

static struct build_circle
circle_moving(const struct gen_options *options, struct random *random, double x, double y)
{
	struct build_circle circle = {
		.x = x,
		.y = y,
		.radius = options->radius,
		.mass = 1,
		.restitution = options->restitution,
	};
	random_direction(random, options->speed, &circle.vx, &circle.vy);
	circle.vx = round_speed(circle.vx);
	circle.vy = round_speed(circle.vy);
	return circle;
}

/* `walls`: also keep clear of the scene's segments. The range of the draw keeps clear of the box itself. */
static bool
circles_scatter(const struct gen_options *options, struct random *random, double side, bool walls, struct scene_build *build,
                char *error, size_t error_size)
{
	double radius = options->radius, gap = options->gap * radius;
	/* Rounding moves a position by at most half of this. */
	double low = radius + gap + 1e-6, high = side - low;
	struct packing *packing = packing_create(0, 0, side, side, radius, options->count);
	if (!packing) {
		snprintf(error, error_size, "no memory");
		return false;
	}
	bool placed = low < high;
	for (uint64_t i = 0; i < options->count && placed; i++) {
		placed = false;
		for (int draw = 0; draw < DRAWS_MAX && !placed; draw++) {
			double x = round_position(random_between(random, low, high));
			double y = round_position(random_between(random, low, high));
			placed = packing_is_free(packing, x, y, radius, gap) && (!walls || scene_build_is_clear(build, x, y, radius + gap));
			if (placed) {
				packing_add(packing, x, y, radius);
				scene_build_circle(build, circle_moving(options, random, x, y));
			}
		}
	}
	packing_destroy(packing);
	if (!placed)
		snprintf(error, error_size, "only %zu of %llu circles fit; try fewer, or a smaller radius or gap", build->circle_count,
		         (unsigned long long)options->count);
	return placed;
}

/* How every second row of a lattice is placed. */
enum lattice_kind {
	LATTICE_SQUARE,  /* like the others */
	LATTICE_SHIFTED, /* shifted by half a pitch */
	LATTICE_BETWEEN, /* between the others' sites, and so one site shorter */
	LATTICE_KINDS,
};

/* Rows of sites across a square of side 1, stretched to fill it. */
struct lattice {
	enum lattice_kind kind;
	uint64_t columns, rows;
	double across, along; /* between sites of a row, and between rows */
	double distance;      /* between nearest neighbours */
};

static const double no_neighbour = 1e6;

/* Sites of two rows. */
static uint64_t
lattice_pair(const struct lattice *lattice)
{
	return 2 * lattice->columns - (lattice->kind == LATTICE_BETWEEN ? 1 : 0);
}

/* The lattice with this many sites in its first row, and as many rows as `count` needs. */
static struct lattice
lattice_make(uint64_t count, uint64_t columns, enum lattice_kind kind)
{
	struct lattice lattice = { .kind = kind, .columns = columns };
	uint64_t pair = lattice_pair(&lattice), rest = count % pair;
	lattice.rows = 2 * (count / pair) + (rest > columns ? 2 : rest > 0 ? 1 : 0);
	double steps = (double)(columns - 1) + (kind == LATTICE_SHIFTED ? 0.5 : 0);
	lattice.across = steps > 0 ? 1 / steps : no_neighbour;
	lattice.along = lattice.rows > 1 ? 1 / (double)(lattice.rows - 1) : no_neighbour;
	double aside = kind == LATTICE_SQUARE ? 0 : lattice.across / 2;
	/* In the same row, in the next, and in the one after it. */
	lattice.distance = fmin(lattice.across, sqrt(aside * aside + lattice.along * lattice.along));
	lattice.distance = fmin(lattice.distance, 2 * lattice.along);
	return lattice;
}

/* The lattice with the largest distance between nearest neighbours. */
static struct lattice
lattice_best(uint64_t count)
{
	/* Twice as many sites across as along is never the best. */
	uint64_t columns_max = (uint64_t)(2 * sqrt((double)count)) + 2;
	struct lattice best = lattice_make(count, 1, LATTICE_SQUARE);
	for (uint64_t columns = 1; columns <= columns_max; columns++) {
		for (enum lattice_kind kind = LATTICE_SQUARE; kind < LATTICE_KINDS; kind++) {
			if (columns == 1 && kind == LATTICE_BETWEEN)
				continue; /* a single site has none between */
			struct lattice lattice = lattice_make(count, columns, kind);
			if (lattice.distance > best.distance)
				best = lattice;
		}
	}
	return best;
}

static void
lattice_place(const struct lattice *lattice, uint64_t index, double *x, double *y)
{
	uint64_t pair = lattice_pair(lattice), row = 2 * (index / pair), column = index % pair;
	bool second = column >= lattice->columns;
	column -= second ? lattice->columns : 0;
	*x = lattice->across * ((double)column + (second && lattice->kind != LATTICE_SQUARE ? 0.5 : 0));
	*y = lattice->along * (double)(row + (second ? 1 : 0));
}

/* Sites of a lattice, each displaced so little that no two circles can meet. */
static bool
circles_lattice(const struct gen_options *options, struct random *random, double side, struct scene_build *build, char *error,
                size_t error_size)
{
	/* Rounding moves each of two positions by at most half of 1e-6 in each direction. */
	double radius = options->radius, gap = options->gap * radius, low = radius + gap + 1e-6, near = 2 * radius + gap + 4e-6;
	double inner = side - 2 * low, area = options->fraction * side * side;
	const struct lattice lattice = lattice_best(options->count);
	if (inner * lattice.distance < near) {
		double least = near / lattice.distance + 2 * low;
		snprintf(error, error_size, "%llu circles with gaps of %g radii cover at most %.4f of a square, not %g",
		         (unsigned long long)options->count, options->gap, floor(area / (least * least) * 1e4) / 1e4,
		         options->fraction);
		return false;
	}
	double shake = fmax(0, (inner * lattice.distance - near) / 2 * 0.7);
	for (uint64_t i = 0; i < options->count; i++) {
		double x, y;
		lattice_place(&lattice, i, &x, &y);
		/* In separate statements: compilers differ in which argument they evaluate first. */
		double dx = random_between(random, -shake, shake);
		double dy = random_between(random, -shake, shake);
		x = fmin(fmax(low + inner * x + dx, low), side - low);
		y = fmin(fmax(low + inner * y + dy, low), side - low);
		scene_build_circle(build, circle_moving(options, random, round_position(x), round_position(y)));
	}
	return true;
}

bool
gen_gas(const struct gen_options *options, struct scene_build *build, char *error, size_t error_size)
{
	struct random random;
	random_init(&random, options->seed);
	double area = (double)options->count * 3.141592653589793 * options->radius * options->radius;
	double side = round_position(sqrt(area / options->fraction));
	scene_build_box(build, 0, 0, side, side, options->restitution);
	if (options->fraction <= random_fraction_max) {
		if (circles_scatter(options, &random, side, false, build, error, error_size))
			return true;
		build->circle_count = 0; /* a few circles can block the room that the last one needs */
	}
	return circles_lattice(options, &random, side, build, error, error_size);
}

bool
gen_bullets(const struct gen_options *options, struct scene_build *build, char *error, size_t error_size)
{
	/* 20 by 20 for the usual 1,000 circles of radius 0.05; it scales with the radius. */
	double side = round_position(400 * options->radius);
	struct random random;
	random_init(&random, options->seed);
	scene_build_box(build, 0, 0, side, side, options->restitution);
	for (uint64_t i = 0; i < options->segments; i++) {
		double dx, dy;
		random_direction(&random, random_between(&random, 0.05, 0.2) * side, &dx, &dy);
		double x = random_between(&random, 0.12, 0.88) * side, y = random_between(&random, 0.12, 0.88) * side;
		struct build_segment wall = segment_between(x - dx / 2, y - dy / 2, x + dx / 2, y + dy / 2, options->restitution);
		scene_build_segment(build, segment_rounded(wall));
	}
	return circles_scatter(options, &random, side, true, build, error, error_size);
}
