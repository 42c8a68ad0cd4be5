/* energy: whether elastic contacts leave the energy that there was.
 *
 * Contacts of one time that share circles which can move are one cluster; its circles have one velocity before it and one
 * after. If all its contacts have restitution 1, and none has friction, weights or a surface that moves, it keeps its energy.
 * That is measured relative to what stands in it, or to the centre of mass.
 *
 * Not judged are clusters of several contacts while something moves that never yields, and contacts so slow that the threshold
 * or gravity may make them stay.
 *
 * One thread. Keeps its arrays from tick to tick. */
#ifndef COLLIDED_CERTIFICATE_ENERGY_H
#define COLLIDED_CERTIFICATE_ENERGY_H

#include "certificate/path.h"
#include "certificate/shapes.h"

/* Scratch. */
struct cert_energies {
	struct cert_blow *blows; /* one per contact; that of a cluster is at its first contact */
	size_t blow_capacity;
	size_t *latest; /* of each body: 1 + the index of its latest contact */
};

bool cert_energies_init(struct cert_energies *energies, size_t body_count);
void cert_energies_finish(struct cert_energies *energies);
/* Counts what is not so. Needs paths->fastest. False: no memory. */
bool cert_energies_check(struct cert_energies *energies, const struct cert_shapes *shapes, const struct cert_paths *paths,
                         const struct certificate_tick *tick, struct certificate_report *report);

#endif
