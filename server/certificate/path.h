/* path: every body's path through one tick, rebuilt from its state at the start, its contacts and its path changes.
 *
 * One thread. Owns its arrays and keeps them from tick to tick. Needs: finite numbers and known ids (certificate.c checks
 * both first). What does not fit is counted as a jump and the rebuilding goes on from what was streamed. */
#ifndef COLLIDED_CERTIFICATE_PATH_H
#define COLLIDED_CERTIFICATE_PATH_H

#include "certificate/certificate.h"
#include "certificate/motion.h"
#include "certificate/shapes.h"

/* x(t) = p + v (t - t0) + a (t - t0)^2 / 2 for t0 <= t <= t1. Pieces of one body follow each other without a gap. */
struct cert_piece {
	double t0, t1;
	struct cert_vec p, v, a;
	uint32_t body; /* index */
};

/* A straight move at time 0, in stream order. */
struct cert_push {
	uint32_t body; /* index */
	struct cert_vec move;
};

/* One thing that happens to one body. */
struct cert_event {
	double time;
	uint32_t index; /* in the stream */
	uint8_t what;   /* enum event_what: path_events.h */
};

struct cert_paths {
	struct cert_piece *pieces;
	size_t piece_count, piece_capacity;
	size_t *first;              /* of each body; body_count + 1 */
	struct cert_vec *p, *v;     /* of each body: state at the tick's start, then at its end as rebuilt */
	double *spin;               /* of each body: at the tick's start, then at its end */
	bool *spin_known;           /* of each body: the spin at its end is; the resting solver's changes are not told */
	double fastest;             /* largest component of any velocity of the tick */
	double *slop;               /* of each body: how far rounding may have moved its path */
	double *velocity_slop;      /* of each body: the same of its velocity at the end */
	double *parked;             /* of each body: from when on it stands still; HUGE_VAL if it does not */
	double *crushed;            /* the same for being crushed */
	bool *asleep;               /* at the tick's end */
	double *ended;              /* of each body: when it ends; HUGE_VAL if it does not, or did before. Set by the caller */
	double *stopped;            /* of each body: from when on it is, by a rule; HUGE_VAL if it is not */
	bool *contact_held;         /* two per contact, of a and b: it is stopped, and immovable */
	struct cert_vec *contact_p; /* two per contact: where a and b are at its time; b's is unused for a segment */
	double *contact_together;   /* the impulses of all contacts at the same time, added up */
	bool *contact_shared;       /* whether one of its bodies has another contact at the same time */
	size_t contact_capacity, together_capacity, shared_capacity, held_capacity;
	struct cert_push *pushes;
	size_t push_count, push_capacity;
	struct cert_event *events; /* scratch: grouped by body, by time within a body */
	size_t event_capacity;
	size_t *event_first; /* scratch: body_count + 2 */
};

bool cert_paths_init(struct cert_paths *paths, size_t body_count);
void cert_paths_finish(struct cert_paths *paths);
/* Rebuilds from paths->p and paths->v, leaving the ends there. False: no memory. */
bool cert_paths_build(struct cert_paths *paths, const struct cert_shapes *shapes, const struct certificate_tick *tick,
                      struct certificate_report *report);

/* The piece's motion from `time` on, t0 <= time <= t1. */
static inline struct cert_motion
cert_piece_motion(const struct cert_piece *piece, double time)
{
	struct cert_motion whole = { piece->p, piece->v, piece->a };
	double s = time - piece->t0;

	return (struct cert_motion){ cert_motion_at(&whole, s), cert_along(piece->v, s, piece->a), piece->a };
}

#endif
