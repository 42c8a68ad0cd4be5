/* answer_digest: digest.h of what a tick costs, of the places of walls, and of answers about shapes.
 *
 * Any thread; no state but the caller's digest. */
#ifndef COLLIDED_TESTS_PHYSICS_ANSWER_DIGEST_H
#define COLLIDED_TESTS_PHYSICS_ANSWER_DIGEST_H

#include "bits/digest.h"
#include "physics/all_pairs.h"
#include "physics/detect.h"
#include "physics/mover.h"
#include "physics/space.h"

static inline void
digest_text(uint64_t *digest, const char *text)
{
	for (; *text; text++)
		digest_number(digest, (uint64_t)(unsigned char)*text);
}

static inline void
places_digest(uint64_t *digest, const struct tick_report *report)
{
	for (size_t i = 0; i < report->place_count; i++) {
		digest_number(digest, report->places[i].id);
		digest_doubles(digest, &report->places[i].x1, 4);
	}
}

static inline void
cost_digest(uint64_t *digest, const struct tick_report *report)
{
	const struct tick_cost *cost = &report->cost;
	const uint64_t counts[] = { report->work,    report->work_max, cost->looks,     cost->foreseen,
		                        cost->transfers, cost->sweeps,     cost->partition, cost->again };
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		digest_number(digest, counts[i]);
}

static inline void
hit_digest(uint64_t *digest, const struct space_hit *hit)
{
	digest_number(digest, (uint64_t)hit->id << 32 | (uint64_t)hit->segment << 16 | (uint64_t)hit->feature << 8 | hit->relation);
	digest_doubles(digest, (const double[]){ hit->fraction, hit->gap, hit->x, hit->y }, 4);
	digest_doubles(digest, hit->point, 2);
	digest_doubles(digest, hit->normal, 2);
}

static inline void
path_digest(uint64_t *digest, const struct mover_path *path)
{
	digest_number(digest, (uint64_t)path->end);
	digest_doubles(
		digest,
		(const double[]){ path->x, path->y, path->fraction, path->remaining_x, path->remaining_y, path->skin, path->depth }, 7);
	for (size_t i = 0; i < path->leg_count; i++)
		digest_doubles(digest, (const double[]){ path->legs[i].x, path->legs[i].y, path->legs[i].fraction }, 3);
	for (size_t i = 0; i < path->contact_count; i++) {
		const struct mover_contact *contact = &path->contacts[i];
		digest_number(digest, (uint64_t)contact->id << 32 | contact->leg << 8 | (uint64_t)contact->segment << 4 |
		                          (uint64_t)contact->feature);
		digest_doubles(digest, &contact->gap, 1);
		digest_doubles(digest, contact->point, 2);
		digest_doubles(digest, contact->normal, 2);
	}
}

static inline void
distance_digest(uint64_t *digest, const struct shape_distance *d)
{
	digest_number(digest, (uint64_t)d->relation << 8 | (uint64_t)d->feature);
	digest_doubles(
		digest,
		(const double[]){ d->gap, d->normal[0], d->normal[1], d->a_point[0], d->a_point[1], d->b_point[0], d->b_point[1] }, 7);
}

static inline void
sweep_digest(uint64_t *digest, const struct sweep *s)
{
	digest_number(digest, (uint64_t)s->outcome << 8 | (uint64_t)s->feature);
	digest_doubles(digest,
	               (const double[]){ s->time, s->fraction, s->a[0], s->a[1], s->b[0], s->b[1], s->a_move[0], s->a_move[1],
	                                 s->b_move[0], s->b_move[1], s->point[0], s->point[1], s->normal[0], s->normal[1],
	                                 s->approach_speed },
	               15);
}

#endif
