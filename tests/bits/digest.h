/* digest: one number of all that a tick says, the same on every machine. It is made of numbers, not of memory: the order of
 * bytes in memory is the machine's.
 *
 * Any thread; no state but the caller's digest, which begins as 0. */
#ifndef COLLIDED_TESTS_BITS_DIGEST_H
#define COLLIDED_TESTS_BITS_DIGEST_H

#include "physics/physics.h"

#include <string.h>

static inline void
digest_number(uint64_t *digest, uint64_t number)
{
	uint64_t bits = *digest ^ number;
	bits = (bits ^ (bits >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	bits = (bits ^ (bits >> 27)) * UINT64_C(0x94d049bb133111eb);
	*digest = (bits ^ (bits >> 31)) + UINT64_C(0x9e3779b97f4a7c15);
}

static inline void
digest_doubles(uint64_t *digest, const double *values, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t bits;
		memcpy(&bits, &values[i], sizeof bits);
		digest_number(digest, bits);
	}
}

static inline void
digest_contact(uint64_t *digest, const struct contact *c)
{
	const double values[] = { c->time,         c->point[0],     c->point[1],      c->normal[0],     c->normal[1],
		                      c->a_before[0],  c->a_before[1],  c->a_after[0],    c->a_after[1],    c->b_before[0],
		                      c->b_before[1],  c->b_after[0],   c->b_after[1],    c->impulse,       c->friction_impulse,
		                      c->a_spin_after, c->b_spin_after, c->a_spin_before, c->b_spin_before, c->approach_speed };
	digest_number(digest, (uint64_t)c->a << 32 | c->b);
	digest_number(digest, (uint64_t)c->other << 16 | (uint64_t)c->feature << 8 | c->flags);
	digest_doubles(digest, values, sizeof values / sizeof values[0]);
}

static inline void
digest_report(uint64_t *digest, uint64_t hash, const struct tick_report *report)
{
	const uint64_t counts[] = {
		report->tick,   hash,          report->events,        report->collisions,       report->clusters,
		report->asleep, report->clips, report->contact_count, report->path_change_count
	};
	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
		digest_number(digest, counts[i]);
	/* Ledgers are structs of doubles. */
	digest_doubles(digest, (const double *)(const void *)&report->energy, sizeof report->energy / sizeof(double));
	digest_doubles(digest, (const double *)(const void *)&report->momentum, sizeof report->momentum / sizeof(double));
	for (size_t i = 0; i < report->contact_count; i++)
		digest_contact(digest, &report->contacts[i]);
	for (size_t i = 0; i < report->path_change_count; i++) {
		const struct path_change *change = &report->path_changes[i];
		digest_number(digest, (uint64_t)change->body << 8 | change->kind);
		digest_doubles(digest, &change->time, 1);
		digest_doubles(digest, change->vector, 2);
	}
	for (size_t i = 0; i < report->pair_event_count; i++) {
		const struct pair_event *event = &report->pair_events[i];
		digest_number(digest, (uint64_t)event->a << 32 | event->b);
		digest_number(digest, (uint64_t)event->kind << 16 | (uint64_t)event->other << 8 | event->feature);
		digest_doubles(digest, (const double[]){ event->time, event->approach_speed, event->impulse }, 3);
		digest_doubles(digest, event->point, 2);
		digest_doubles(digest, event->normal, 2);
		if (event->a_tag != 0 || event->b_tag != 0) {
			digest_number(digest, event->a_tag);
			digest_number(digest, event->b_tag);
		}
	}
	for (size_t i = 0; i < report->path_count; i++) {
		const struct path_piece *piece = &report->paths[i];
		digest_number(digest, piece->body);
		digest_doubles(digest, &piece->time, 1);
		digest_doubles(digest, piece->position, 2);
		digest_doubles(digest, piece->velocity, 2);
		digest_doubles(digest, piece->acceleration, 2);
	}
	for (size_t i = 0; i < report->shortfall_count; i++) {
		digest_number(digest, (uint64_t)report->shortfalls[i].body << 32 | report->shortfalls[i].flag);
		digest_doubles(digest, &report->shortfalls[i].amount, 1);
	}
	for (size_t i = 0; i < report->end_count; i++) {
		const struct body_end *end = &report->ends[i];
		digest_number(digest, (uint64_t)end->body << 8 | end->reason);
		digest_number(digest, end->tag);
		digest_doubles(digest, &end->time, 1);
		digest_doubles(digest, end->position, 2);
		digest_doubles(digest, end->velocity, 2);
	}
}

#endif
