/* certified: hands the engine's ticks to the certificate, which has input types of its own.
 *
 * One thread. Owns the certificate and scratch columns. Shared by all tests of the engine. */
#ifndef COLLIDED_TESTS_PHYSICS_CERTIFIED_H
#define COLLIDED_TESTS_PHYSICS_CERTIFIED_H

#include "certificate/certificate.h"
#include "physics/physics.h"

struct certified;

/* From the definition that the world was made of. NULL without memory. */
struct certified *certified_create(const struct world_def *def);
/* In the midst of a run, after an edit. The definition is the world as it is, asleep[] says by row of it which bodies were told
 * to have fallen asleep. */
struct certified *certified_resume(const struct world_def *def, const bool *asleep);
void certified_destroy(struct certified *certified);
/* Gives the certificate the tick that `report` is about; call it right after world_step. The certificate's own status. */
STATUS_MUST_USE enum status certified_tick(struct certified *certified, const struct world *world, double dt,
                                           const struct tick_report *report);
const struct certificate_report *certified_report(const struct certified *certified);
/* The largest part of a tick's energies, and of its momenta, that its ledgers do not explain. */
double certified_energy_error(const struct certified *certified);
double certified_momentum_error(const struct certified *certified);
/* No overlap beyond rounding, no escape, no jump, and ledgers that close to 1e-9. */
bool certified_clean(const struct certified *certified);

#endif
