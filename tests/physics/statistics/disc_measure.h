/* disc_measure: collision rate and pressure of a gas of discs in equilibrium, with their standard errors, over what is
 * predicted.
 *
 * One thread. Owns nothing. */
#ifndef COLLIDED_TESTS_PHYSICS_DISC_MEASURE_H
#define COLLIDED_TESTS_PHYSICS_DISC_MEASURE_H

#include "physics/statistics/disc_gas.h"

struct disc_plan {
	double fraction; /* packing fraction of the whole box */
	size_t count;
	double collisions; /* of pairs, of the whole box, to be measured, about; as many as 30 per disc come before */
	uint64_t seed;
	struct disc_gas_spoil spoil;
};

/* A measured number and its standard error. */
struct disc_value {
	double value, error;
};

struct disc_result {
	double fraction;   /* in the middle */
	double collisions; /* counted */
	/* g(sigma) as the number of collisions has it; pressure / (n kT) as the momentum exchanged in collisions has it, and as the
	 * walls felt it. */
	struct disc_value contact, pressure, wall_pressure;
	/* The same over Henderson's and over that of the virial series at the measured fraction; `excess` is that of pressure - 1.
	 */
	struct disc_value rate_henderson, rate_series, excess_henderson, excess_series, wall_henderson, wall_series;
	double rate_dilute; /* the rate over Boltzmann's */
	double drift;       /* of the energy, relative */
};

/* false: the engine failed, or fell short in some tick. `on_tick` may be NULL; done goes from 0 to 1. */
bool disc_measure(const struct disc_plan *plan, void (*on_tick)(void *context, double done), void *context,
                  struct disc_result *result);

#endif
