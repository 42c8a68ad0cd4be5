/* disc_gas: equal elastic discs in a closed square, as the engine moves them, and what is counted while it does.
 *
 * The box has walls, so only its middle is looked at. Everything is counted at places farther than DISC_GAS_MARGIN diameters
 * from every wall (collisions and discs) or corner (hits of walls). What walls and corners do to the order of a fluid fades
 * within about a diameter at these densities, by a factor e each time. At five it is below a hundredth of a percent. The
 * density and the temperature that belong to what is counted are those of the same place, from the discs in it at the end of
 * each tick. Heat crosses the box so slowly that even a long run sees it do so some ten times only.
 *
 * Diameter and mass are 1, the energy per disc is 1 at the start, which is kT in two dimensions. One thread. Owns the world. */
#ifndef COLLIDED_TESTS_PHYSICS_DISC_GAS_H
#define COLLIDED_TESTS_PHYSICS_DISC_GAS_H

#include "physics/physics.h"

#define DISC_GAS_MARGIN 5.0
/* Length of a tick: a disc of mean energy goes one diameter. */
#define DISC_GAS_DT 0.7

/* What the discs really are, for runs that must be refused. */
struct disc_gas_spoil {
	double diameter, restitution; /* 1: as they should be */
};

struct disc_gas {
	struct world *world;
	size_t count;
	double side;       /* of the square */
	double *columns;   /* x, y, vx, vy of all discs at the end of the last tick */
	uint64_t seed;     /* of the generator that places them */
	double shortfalls; /* ever */
};

/* Sums over some time. */
struct disc_gas_sums {
	double time;
	double collisions, impulse;     /* of pairs, in the middle */
	double discs;                   /* in the middle, times time */
	double energy, energy_per_disc; /* of those discs, and per disc of the whole box; times time */
	double wall_hits, wall_impulse; /* on the middles of the four walls */
};

/* `count` discs at this packing fraction, all at the same speed in directions from the seed: as far from Maxwell's distribution
 * as a gas can be. false: no memory, or the engine refused. */
bool disc_gas_init(struct disc_gas *gas, double fraction, size_t count, uint64_t seed, struct disc_gas_spoil spoil);
void disc_gas_finish(struct disc_gas *gas);
/* One tick, added to the sums; NULL: not counted. false: the engine failed. */
bool disc_gas_tick(struct disc_gas *gas, struct disc_gas_sums *sums);
/* The area of the middle, and the length of the middles of all walls. */
double disc_gas_area(const struct disc_gas *gas);
double disc_gas_wall_length(const struct disc_gas *gas);
/* Kinetic energy per disc. */
double disc_gas_energy(const struct disc_gas *gas);

#endif
