#include "physics/statistics/disc_gas.h"

#include "support/random.h"

#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

/* Sides of the box, in the order of their ids: lower, right, upper, left. */
enum { WALLS = 4 };

/* A direction without cos and sin, since their last bits differ between machines. */
static void
direction_draw(uint64_t *seed, double speed, double *vx, double *vy)
{
	double x, y, square;
	do {
		x = random_between(seed, -1, 1);
		y = random_between(seed, -1, 1);
		square = x * x + y * y;
	} while (square > 1 || square < 0.01);
	*vx = speed * x / sqrt(square);
	*vy = speed * y / sqrt(square);
}

/* On a square lattice, each a little off its place. */
static void
discs_place(struct disc_gas *gas, struct circle_def *discs, struct disc_gas_spoil spoil)
{
	const size_t columns = (size_t)ceil(sqrt((double)gas->count));
	const double pitch = gas->side / (double)columns, play = 0.98 * (pitch - spoil.diameter);
	for (size_t i = 0; i < gas->count; i++) {
		struct circle_def *disc = &discs[i];
		*disc = circle_def_default();
		disc->id = (uint32_t)i;
		disc->radius = spoil.diameter / 2;
		disc->restitution = spoil.restitution;
		disc->x = ((double)(i % columns) + 0.5) * pitch + random_between(&gas->seed, -0.5, 0.5) * play;
		disc->y = ((double)(i / columns) + 0.5) * pitch + random_between(&gas->seed, -0.5, 0.5) * play;
		direction_draw(&gas->seed, sqrt(2), &disc->vx, &disc->vy);
	}
}

static bool
world_make(struct disc_gas *gas, struct circle_def *discs, struct disc_gas_spoil spoil)
{
	const double corner[WALLS + 1][2] = { { 0, 0 }, { gas->side, 0 }, { gas->side, gas->side }, { 0, gas->side }, { 0, 0 } };
	struct segment_def walls[WALLS];
	for (uint32_t i = 0; i < WALLS; i++) {
		walls[i] = segment_def_default();
		walls[i].id = i;
		walls[i].x1 = corner[i][0];
		walls[i].y1 = corner[i][1];
		walls[i].x2 = corner[i + 1][0];
		walls[i].y2 = corner[i + 1][1];
		walls[i].restitution = 1;
	}
	struct world_def def = world_def_default();
	def.restitution_mix = RESTITUTION_MIX_MIN;
	def.circles = discs;
	def.circle_count = gas->count;
	def.segments = walls;
	def.segment_count = WALLS;
	discs_place(gas, discs, spoil);
	struct def_problem problem;
	return world_create(&def, &problem, &gas->world) == STATUS_OK;
}

bool
disc_gas_init(struct disc_gas *gas, double fraction, size_t count, uint64_t seed, struct disc_gas_spoil spoil)
{
	*gas = (struct disc_gas){ .count = count, .side = sqrt((double)count * pi / 4 / fraction), .seed = seed };
	struct circle_def *discs = calloc(count, sizeof *discs);
	gas->columns = calloc(4 * count, sizeof *gas->columns);
	const bool good = discs != NULL && gas->columns != NULL && world_make(gas, discs, spoil);
	free(discs);
	if (!good) {
		disc_gas_finish(gas);
		return false;
	}
	world_copy_bodies(gas->world, NULL, gas->columns, gas->columns + count, gas->columns + 2 * count, gas->columns + 3 * count);
	return true;
}

void
disc_gas_finish(struct disc_gas *gas)
{
	world_destroy(gas->world);
	free(gas->columns);
	*gas = (struct disc_gas){ 0 };
}

static bool
is_middle(const struct disc_gas *gas, double along)
{
	return along > DISC_GAS_MARGIN && along < gas->side - DISC_GAS_MARGIN;
}

static void
contact_count(const struct disc_gas *gas, const struct contact *contact, struct disc_gas_sums *sums)
{
	const bool middle_x = is_middle(gas, contact->point[0]), middle_y = is_middle(gas, contact->point[1]);
	if (contact->other == CONTACT_CIRCLE) {
		sums->collisions += middle_x && middle_y;
		sums->impulse += middle_x && middle_y ? contact->impulse : 0;
		return;
	}
	const bool middle = contact->b % 2 == 0 ? middle_x : middle_y;
	sums->wall_hits += middle;
	sums->wall_impulse += middle ? contact->impulse : 0;
}

/* The discs in the middle now, for as long as a tick. */
static void
middle_count(const struct disc_gas *gas, struct disc_gas_sums *sums)
{
	const size_t n = gas->count;
	const double *x = gas->columns, *y = x + n, *vx = y + n, *vy = vx + n;
	double discs = 0, energy = 0;
	for (size_t i = 0; i < n; i++) {
		if (is_middle(gas, x[i]) && is_middle(gas, y[i])) {
			discs++;
			energy += (vx[i] * vx[i] + vy[i] * vy[i]) / 2;
		}
	}
	sums->discs += discs * DISC_GAS_DT;
	sums->energy += energy * DISC_GAS_DT;
	sums->energy_per_disc += disc_gas_energy(gas) * DISC_GAS_DT;
}

bool
disc_gas_tick(struct disc_gas *gas, struct disc_gas_sums *sums)
{
	const size_t n = gas->count;
	double *x = gas->columns, *y = x + n;
	struct tick_report report;
	if (world_step(gas->world, DISC_GAS_DT, &report) != STATUS_OK)
		return false;
	gas->shortfalls += (double)report.shortfall_count;
	world_copy_bodies(gas->world, NULL, x, y, y + n, y + 2 * n);
	if (!sums)
		return true;
	for (size_t i = 0; i < report.contact_count; i++)
		contact_count(gas, &report.contacts[i], sums);
	middle_count(gas, sums);
	sums->time += DISC_GAS_DT;
	return true;
}

double
disc_gas_area(const struct disc_gas *gas)
{
	const double length = gas->side - 2 * DISC_GAS_MARGIN;
	return length * length;
}

double
disc_gas_wall_length(const struct disc_gas *gas)
{
	return WALLS * (gas->side - 2 * DISC_GAS_MARGIN);
}

double
disc_gas_energy(const struct disc_gas *gas)
{
	const double *vx = gas->columns + 2 * gas->count, *vy = vx + gas->count;
	double energy = 0;
	for (size_t i = 0; i < gas->count; i++)
		energy += (vx[i] * vx[i] + vy[i] * vy[i]) / 2;
	return energy / (double)gas->count;
}
