#include "certificate/path.h"
#include "certificate/cert_damping.h"
#include "certificate/cert_problem.h"
#include "certificate/memory.h"
#include "certificate/path_events.h"

#include <inttypes.h>
#include <stdlib.h>

/* Where the rebuilding of one body's path has come to. */
struct path_walk {
	const struct cert_shapes *shapes;
	const struct certificate_tick *tick;
	struct certificate_report *report;
	struct cert_paths *paths;
	const struct cert_body *body;
	size_t index;
	double t;                /* start of the piece under way */
	struct cert_vec p, v, a; /* at t; v is what the body has, even when it is parked */
	double spin;
	bool spin_known;
	struct cert_damped damped; /* by damping and the greatest speed, at the start of the tick */
	bool damping_told;         /* as a path change */
	bool parked;
	bool stopped;      /* by a rule: as parked, and immovable */
	bool release_told; /* a release of this time has been made before its contacts */
	bool led;          /* by the resting solver: v is its path's, not its own */
	double roundings;  /* of v since the stream last told it */
	double speed_max, acceleration_max, reach_max;
	/* Contacts at time t, summed. */
	bool touching;
	size_t touch_first;                            /* index of the first of them */
	struct cert_vec touch_before;                  /* the velocity before the first of them */
	struct cert_vec cluster_before, cluster_after; /* of the latest */
	struct cert_vec impulse;
	double impulse_size;
	double touch_contacts; /* how many */
};

bool
cert_paths_init(struct cert_paths *paths, size_t body_count)
{
	size_t room = body_count + 2;

	*paths = (struct cert_paths){ .first = calloc(room, sizeof *paths->first),
		                          .p = calloc(room, sizeof *paths->p),
		                          .v = calloc(room, sizeof *paths->v),
		                          .spin = calloc(room, sizeof *paths->spin),
		                          .spin_known = calloc(room, sizeof *paths->spin_known),
		                          .slop = calloc(room, sizeof *paths->slop),
		                          .velocity_slop = calloc(room, sizeof *paths->velocity_slop),
		                          .parked = calloc(room, sizeof *paths->parked),
		                          .crushed = calloc(room, sizeof *paths->crushed),
		                          .asleep = calloc(room, sizeof *paths->asleep),
		                          .ended = calloc(room, sizeof *paths->ended),
		                          .stopped = calloc(room, sizeof *paths->stopped),
		                          .event_first = calloc(room, sizeof *paths->event_first) };
	if (paths->first && paths->p && paths->v && paths->spin && paths->spin_known && paths->slop && paths->velocity_slop &&
	    paths->parked && paths->crushed && paths->asleep && paths->ended && paths->stopped && paths->event_first)
		return true;
	cert_paths_finish(paths);
	return false;
}

void
cert_paths_finish(struct cert_paths *paths)
{
	free(paths->pieces);
	free(paths->first);
	free(paths->p);
	free(paths->v);
	free(paths->spin);
	free(paths->spin_known);
	free(paths->slop);
	free(paths->velocity_slop);
	free(paths->parked);
	free(paths->crushed);
	free(paths->asleep);
	free(paths->ended);
	free(paths->stopped);
	free(paths->contact_held);
	free(paths->contact_p);
	free(paths->contact_shared);
	free(paths->contact_together);
	free(paths->pushes);
	free(paths->events);
	free(paths->event_first);
	*paths = (struct cert_paths){ 0 };
}

/* Velocities are told to the last bit; each piece with an acceleration adds the rounding of a product and a sum. Contacts that
 * rest take away what they still approach by, if it is rounding. That may be rounding of the fastest body or surface of a
 * cluster, or of the speed that a tick of gravity gives. It is not told, so it counts for the body's place as well, for at
 * most a tick. */
static double
walk_velocity_slop(const struct path_walk *walk)
{
	return 0x1p-51 * (16 + walk->roundings) * (walk->paths->fastest + walk->acceleration_max * walk->tick->dt);
}

static void
walk_note_speed(struct path_walk *walk)
{
	walk->speed_max = cert_max(walk->speed_max, cert_reach(walk->v));
	walk->acceleration_max = cert_max(walk->acceleration_max, cert_reach(walk->a));
	walk->reach_max = cert_max(walk->reach_max, cert_reach(walk->p));
}

/* Momentum: mass times the change of velocity over all contacts at this time is the sum of their impulses. Each contact's
 * impulse is added to the velocity with a rounding of the speed and of the impulse. A jammed cluster does so some hundreds of
 * times for each before it settles. A cluster's impulses are found together, so that each has the rounding of the largest: of a
 * circle jammed beside it, say. What a cluster takes away of rounding is not told; each contact may be of another one. */
static void
walk_close_touch(struct path_walk *walk)
{
	struct cert_vec change = cert_sub(walk->cluster_after, walk->touch_before), off;
	double mass = walk->body->mass, size;

	if (!walk->touching)
		return;
	walk->touching = false;
	if (walk->body->kind != CERTIFICATE_DYNAMIC)
		return;
	off = (struct cert_vec){ mass * change.x - walk->impulse.x, mass * change.y - walk->impulse.y };
	size = mass * (cert_reach(walk->v) + cert_reach(walk->touch_before)) + walk->impulse_size;
	if (!(cert_reach(off) <= 0x1p-43 * size + 0x1p-50 * walk->paths->contact_together[walk->touch_first] +
	                             mass * (1 + walk->touch_contacts) * walk_velocity_slop(walk))) {
		cert_problem_jump(walk->report, cert_reach(off) / size,
		                  "circle %" PRIu32 " at time %.9g: impulses are off the change of momentum by %.3g", walk->body->id,
		                  walk->t, cert_reach(off));
	}
}

static void
walk_emit(struct path_walk *walk, double until)
{
	bool still = walk->parked;
	struct cert_vec none = { 0, 0 };
	struct cert_piece piece = {
		walk->t, until, walk->p, still ? none : walk->v, still ? none : walk->a, (uint32_t)walk->index
	};
	struct cert_motion end = cert_piece_motion(&piece, until);

	walk->paths->pieces[walk->paths->piece_count++] = piece;
	walk->p = end.d;
	if (!still) {
		walk->v = end.w;
		walk->roundings += walk->a.x != 0 || walk->a.y != 0;
	}
	walk_note_speed(walk);
}

/* Moves on to `time`, the end of the piece under way. */
static void
walk_advance(struct path_walk *walk, double time)
{
	if (time < walk->t) {
		cert_problem_jump(walk->report, 0, "circle %" PRIu32 ": an event at time %.17g after one at %.17g", walk->body->id,
		                  time, walk->t);
		return;
	}
	if (time > walk->t) {
		walk_close_touch(walk);
		walk_emit(walk, time);
		walk->t = time;
	}
}

static void
walk_check_before(struct path_walk *walk, struct cert_vec before)
{
	double off = cert_reach(cert_sub(before, walk->v));

	if (!(off <= walk_velocity_slop(walk))) {
		cert_problem_jump(walk->report, off / walk->paths->fastest,
		                  "circle %" PRIu32 " at time %.9g: a contact's velocity before is off by %.3g", walk->body->id,
		                  walk->t, off);
	}
}

static void
walk_check_spin(struct path_walk *walk, double before)
{
	if (walk->tick->spin && walk->spin_known && !cert_spin_same(before, walk->spin)) {
		cert_problem_jump(walk->report, 1, "circle %" PRIu32 " at time %.9g: a contact's spin before is %.17g, not %.17g",
		                  walk->body->id, walk->t, before, walk->spin);
	}
}

/* Whether the resting solver takes hold of the circle, or lets it go, at the time of an event: contacts at that time may come
 * after it. */
static bool
walk_led_now(const struct path_walk *walk, const struct cert_event *event)
{
	const struct cert_paths *paths = walk->paths;
	const struct cert_event *end = &paths->events[paths->event_first[walk->index + 1]];

	for (; event < end && event->time == walk->t; event++) {
		if (event->what != EVENT_CHANGE)
			continue;
		enum certificate_path_kind kind = walk->tick->path_changes[event->index].kind;
		if (kind == CERTIFICATE_LED || kind == CERTIFICATE_RELEASED || kind == CERTIFICATE_WOKEN)
			return true;
	}
	return false;
}

static void walk_change(struct path_walk *walk, const struct certificate_path_change *change);

/* The momentum that a contact gives to the body. */
static void
walk_add_impulse(struct path_walk *walk, const struct certificate_contact *contact, bool is_a)
{
	double yield = is_a ? 1 : -1;

	if (!contact->with_segment && !contact->by_mass) {
		size_t other = cert_body_find(walk->shapes, is_a ? contact->b : contact->a);

		/* What is stopped by a rule has no weight. */
		yield *= (is_a ? contact->b_stopped : contact->a_stopped)
		             ? 1
		             : cert_yield(walk->shapes, walk->body, &walk->shapes->bodies[other]);
	}
	walk->impulse = cert_along(walk->impulse, yield * contact->impulse, cert_vec_from(contact->normal));
	walk->impulse = cert_along(walk->impulse, yield * contact->friction_impulse,
	                           (struct cert_vec){ -contact->normal[1], contact->normal[0] });
	walk->impulse_size += fabs(yield) * (fabs(contact->impulse) + fabs(contact->friction_impulse));
}

/* What is stopped may be released before a contact of that time. Whether it is. */
static bool
walk_release(struct path_walk *walk, const struct cert_event *event)
{
	const struct cert_paths *paths = walk->paths;
	const struct cert_event *end = &paths->events[paths->event_first[walk->index + 1]];

	for (; event < end && event->time == walk->t; event++) {
		const struct certificate_path_change *change = &walk->tick->path_changes[event->index];

		if (event->what != EVENT_CHANGE || change->kind != CERTIFICATE_RELEASED)
			continue;
		walk_change(walk, change);
		walk->release_told = true;
		return true;
	}
	return false;
}

/* Whether a rule stops the circle at the time of the walk. */
static bool
walk_stops_now(const struct path_walk *walk, const struct cert_event *event)
{
	const struct cert_paths *paths = walk->paths;
	const struct cert_event *end = &paths->events[paths->event_first[walk->index + 1]];

	for (; event < end && event->time == walk->t; event++)
		if (event->what == EVENT_CHANGE && walk->tick->path_changes[event->index].kind == CERTIFICATE_STOPPED)
			return true;
	return false;
}

/* A contact with something that a rule has stopped: it does not move, whatever it was given. */
static void
walk_held(struct path_walk *walk, const struct cert_event *event, bool is_a)
{
	const struct certificate_contact *contact = &walk->tick->contacts[event->index];
	struct cert_vec before = cert_vec_from(is_a ? contact->a_before : contact->b_before);
	struct cert_vec after = cert_vec_from(is_a ? contact->a_after : contact->b_after);

	walk->paths->contact_p[2 * event->index + !is_a] = walk->p;
	walk->paths->contact_held[2 * event->index + !is_a] = true;
	if (cert_reach(before) != 0 || cert_reach(after) != 0)
		cert_problem_jump(walk->report, 0, "circle %" PRIu32 " at time %.9g: a contact moves what is stopped", walk->body->id,
		                  walk->t);
	if (!walk->stopped && !walk_stops_now(walk, event))
		cert_problem_jump(walk->report, 0, "circle %" PRIu32 " at time %.9g: a contact has it stopped, and no rule does",
		                  walk->body->id, walk->t);
}

/* Contacts of one cluster share the velocities before and after; the next cluster at the same time starts where it ended. */
static void
walk_contact(struct path_walk *walk, const struct cert_event *event, bool is_a)
{
	size_t index = event->index;
	const struct certificate_contact *contact = &walk->tick->contacts[index];
	struct cert_vec before = cert_vec_from(is_a ? contact->a_before : contact->b_before);
	struct cert_vec after = cert_vec_from(is_a ? contact->a_after : contact->b_after);

	if (is_a ? contact->a_stopped : contact->b_stopped) {
		walk_held(walk, event, is_a);
		return;
	}
	if (walk->stopped && !walk_release(walk, event))
		cert_problem_jump(walk->report, 0, "circle %" PRIu32 " at time %.9g: a contact has it go on, that a rule has stopped",
		                  walk->body->id, walk->t);

	bool same = walk->touching && cert_same(before, walk->cluster_before) && cert_same(after, walk->cluster_after);

	if (!same) {
		if (!walk->led && !walk_led_now(walk, event)) {
			walk_check_before(walk, before);
			walk_check_spin(walk, is_a ? contact->a_spin_before : contact->b_spin_before);
		}
		if ((walk->body->kind != CERTIFICATE_DYNAMIC || walk->parked) && !cert_same(before, after)) {
			cert_problem_jump(walk->report, 0, "circle %" PRIu32 " at time %.9g: a contact moves what it cannot move",
			                  walk->body->id, walk->t);
		}
	}
	walk->paths->contact_p[2 * index + !is_a] = walk->p;
	if (walk->touching) {
		walk->paths->contact_shared[walk->touch_first] = walk->paths->contact_shared[index] = true;
	} else {
		walk->touching = true;
		walk->touch_first = index;
		walk->touch_before = before;
		walk->impulse = (struct cert_vec){ 0, 0 };
		walk->impulse_size = walk->touch_contacts = 0;
	}
	walk->touch_contacts++;
	walk->cluster_before = before;
	walk->cluster_after = after;
	walk_add_impulse(walk, contact, is_a);
	walk->v = after;
	walk->spin = is_a ? contact->a_spin_after : contact->b_spin_after;
	walk->spin_known = true;
	walk->roundings = 0;
	walk_note_speed(walk);
}

static void
walk_kick(struct path_walk *walk, const struct certificate_path_change *change)
{
	struct cert_vec to = cert_vec_from(change->vector);

	if (walk->damping_told || walk->body->kind != CERTIFICATE_DYNAMIC || change->time != 0 ||
	    !cert_velocity_same(to, walk->damped.v)) {
		cert_problem_jump(walk->report, 1,
		                  "circle %" PRIu32 " at time %.9g: it is kicked to (%.17g, %.17g), not as it should be",
		                  walk->body->id, change->time, to.x, to.y);
	}
	walk->damping_told = true;
	walk->v = to;
}

static void
walk_push(struct path_walk *walk, const struct certificate_path_change *change)
{
	walk->p = cert_add(walk->p, cert_vec_from(change->vector));
	if (change->time != 0 || walk->body->kind != CERTIFICATE_DYNAMIC) {
		cert_problem_jump(walk->report, cert_length(cert_vec_from(change->vector)) / walk->body->radius,
		                  "circle %" PRIu32 " is pushed at time %.9g, or should not be pushed", walk->body->id, change->time);
	}
}

/* It falls asleep at a tick's end, whatever little it moved by. It wakes as it was, at rest, or as an edit has it; then it is
 * driven by the rest solver, and what spin that gives it is not told. */
static void
walk_sleep(struct path_walk *walk, const struct certificate_path_change *change)
{
	bool falls = change->kind == CERTIFICATE_ASLEEP;

	if (walk->body->kind != CERTIFICATE_DYNAMIC || walk->paths->asleep[walk->index] == falls ||
	    (falls && change->time != walk->tick->dt)) {
		cert_problem_jump(walk->report, 0, "circle %" PRIu32 " at time %.9g: it cannot fall asleep, or wake, now",
		                  walk->body->id, walk->t);
		return;
	}
	walk->paths->asleep[walk->index] = falls;
	walk->led = !falls;
	walk->a = (struct cert_vec){ 0, 0 };
	if (falls) {
		walk->v = walk->a;
		walk->spin = 0;
	}
	walk->spin_known = falls;
	walk->roundings = 0;
}

static void
walk_change(struct path_walk *walk, const struct certificate_path_change *change)
{
	switch (change->kind) {
	case CERTIFICATE_PUSHED: walk_push(walk, change); break;
	case CERTIFICATE_SUPPORTED:
	case CERTIFICATE_FREE:
		if (walk->body->kind != CERTIFICATE_DYNAMIC) {
			cert_problem_jump(walk->report, 0, "circle %" PRIu32 " is not dynamic but has an acceleration", walk->body->id);
			break;
		}
		walk->a = change->kind == CERTIFICATE_FREE ? walk->body->gravity : cert_vec_from(change->vector);
		break;
	case CERTIFICATE_LED:
	case CERTIFICATE_RELEASED:
		if (walk->body->kind != CERTIFICATE_DYNAMIC) {
			cert_problem_jump(walk->report, 0, "circle %" PRIu32 " is not dynamic but in a path of the resting solver",
			                  walk->body->id);
			break;
		}
		if (walk->release_told && change->kind == CERTIFICATE_RELEASED) {
			walk->release_told = false;
			break;
		}
		if (walk->stopped && !cert_velocity_same(walk->v, cert_vec_from(change->vector)))
			cert_problem_jump(walk->report, 1, "circle %" PRIu32 " at time %.9g: it is released with another velocity",
			                  walk->body->id, walk->t);
		walk->parked = walk->parked && !walk->stopped;
		walk->stopped = false;
		walk->led = change->kind == CERTIFICATE_LED;
		walk->spin_known = walk->spin_known && !walk->led;
		walk->v = cert_vec_from(change->vector);
		walk->a = walk->led ? (struct cert_vec){ 0, 0 } : walk->body->gravity;
		walk->roundings = 0;
		break;
	case CERTIFICATE_ASLEEP:
	case CERTIFICATE_WOKEN: walk_sleep(walk, change); break;
	case CERTIFICATE_KICKED: walk_kick(walk, change); break;
	case CERTIFICATE_STOPPED: walk->stopped = walk->parked = true; break;
	case CERTIFICATE_CRUSHED:
		walk->paths->crushed[walk->index] = cert_min(walk->paths->crushed[walk->index], walk->t);
		__attribute__((fallthrough)); /* it stands still as well */
	case CERTIFICATE_PARKED:
		walk->paths->parked[walk->index] = cert_min(walk->paths->parked[walk->index], walk->t);
		walk->parked = true;
		break;
	}
	walk_note_speed(walk);
}

static void
walk_body(struct path_walk *walk)
{
	struct cert_paths *paths = walk->paths;
	size_t first = paths->event_first[walk->index], last = paths->event_first[walk->index + 1], pieces;
	double end = cert_min(walk->tick->dt, paths->ended[walk->index]);

	paths->first[walk->index] = paths->piece_count;
	paths->parked[walk->index] = paths->crushed[walk->index] = HUGE_VAL;
	if (walk->body->gone) {
		paths->slop[walk->index] = paths->velocity_slop[walk->index] = 0;
		if (first < last)
			cert_problem_jump(walk->report, 0, "circle %" PRIu32 " has ended before, but something happens to it",
			                  walk->body->id);
		return;
	}
	walk_note_speed(walk);
	walk->spin = paths->spin[walk->index];
	walk->spin_known = true;
	walk->damped = (struct cert_damped){ walk->v, walk->spin };
	if (walk->body->kind == CERTIFICATE_DYNAMIC && !paths->asleep[walk->index]) {
		walk->damped = cert_damped_of(walk->shapes, walk->body, walk->tick->dt, walk->v, walk->spin);
		walk->spin = walk->damped.spin;
	}
	for (size_t i = first; i < last; i++) {
		const struct cert_event *event = &paths->events[i];

		if (event->time > end)
			cert_problem_jump(walk->report, 0, "circle %" PRIu32 " at time %.9g: something happens after its end",
			                  walk->body->id, event->time);
		walk_advance(walk, event->time);
		if (event->what == EVENT_CHANGE)
			walk_change(walk, &walk->tick->path_changes[event->index]);
		else
			walk_contact(walk, event, event->what == EVENT_CONTACT_A);
	}
	walk_close_touch(walk);
	if (walk->t < end || paths->piece_count == paths->first[walk->index])
		walk_emit(walk, end);
	if (!walk->damping_told && !cert_velocity_same(walk->damped.v, paths->v[walk->index])) {
		cert_problem_jump(walk->report, 1, "circle %" PRIu32 ": its damping, or the greatest speed, was not told",
		                  walk->body->id);
	}
	pieces = paths->piece_count - paths->first[walk->index];
	paths->spin[walk->index] = walk->spin;
	paths->spin_known[walk->index] = walk->spin_known;
	paths->p[walk->index] = walk->p;
	paths->v[walk->index] = walk->v;
	/* The solver's impulses are not told one by one: the final velocity of a solver-driven circle cannot be known
	 * here. */
	paths->velocity_slop[walk->index] = walk->led ? HUGE_VAL : walk_velocity_slop(walk);
	/* Each piece's end is rounded a few times at the coordinates' size, by the engine and by us. Its time is rounded to 2^-53
	 * of dt, which moves the end by so much of the travel in a whole tick. And so much of the velocity may be taken untold. */
	paths->slop[walk->index] = 0x1p-52 * (4 + (double)pieces) *
	                               (walk->reach_max +
	                                walk->tick->dt * (walk->speed_max + walk->tick->dt * walk->acceleration_max)) +
	                           walk->tick->dt * walk_velocity_slop(walk);
}

static bool
paths_reserve(struct cert_paths *paths, const struct cert_shapes *shapes, const struct certificate_tick *tick)
{
	size_t events = 2 * tick->contact_count + tick->path_change_count;

	return CERT_RESERVE(&paths->events, &paths->event_capacity, events) &&
	       CERT_RESERVE(&paths->pieces, &paths->piece_capacity, events + shapes->body_count) &&
	       CERT_RESERVE(&paths->contact_p, &paths->contact_capacity, 2 * tick->contact_count) &&
	       CERT_RESERVE(&paths->contact_held, &paths->held_capacity, 2 * tick->contact_count) &&
	       CERT_RESERVE(&paths->contact_shared, &paths->shared_capacity, tick->contact_count) &&
	       CERT_RESERVE(&paths->contact_together, &paths->together_capacity, tick->contact_count) &&
	       CERT_RESERVE(&paths->pushes, &paths->push_capacity, tick->path_change_count);
}

/* The speeds that rounding is measured by: those of circles and walls, and those at which surfaces move past each other. */
static double
fastest_find(const struct cert_paths *paths, const struct cert_shapes *shapes, const struct certificate_tick *tick)
{
	double fastest = 0, of_circles = 0, of_walls = 0;

	for (size_t i = 0; i < shapes->body_count; i++) {
		fastest = cert_max(fastest, cert_reach(paths->v[i]));
		of_circles = cert_max(of_circles, fabs(shapes->bodies[i].surface_speed));
	}
	for (size_t i = 0; i < shapes->wall_count; i++) {
		fastest = cert_max(fastest, cert_reach(shapes->walls[i].v));
		of_walls = cert_max(of_walls, fabs(shapes->walls[i].surface_speed));
	}
	for (size_t i = 0; i < tick->contact_count; i++) {
		fastest = cert_max(fastest, cert_max(cert_reach(cert_vec_from(tick->contacts[i].a_before)),
		                                     cert_reach(cert_vec_from(tick->contacts[i].b_before))));
	}
	return cert_max(fastest, of_circles + cert_max(of_circles, of_walls));
}

bool
cert_paths_build(struct cert_paths *paths, const struct cert_shapes *shapes, const struct certificate_tick *tick,
                 struct certificate_report *report)
{
	if (!paths_reserve(paths, shapes, tick))
		return false;
	paths->piece_count = paths->push_count = 0;
	for (size_t i = 0; i < tick->contact_count; i++)
		paths->contact_shared[i] = paths->contact_held[2 * i] = paths->contact_held[2 * i + 1] = false;
	paths->fastest = fastest_find(paths, shapes, tick);
	cert_path_events_fill(paths, shapes, tick);
	for (size_t i = 0; i < shapes->body_count; i++) {
		const struct cert_body *body = &shapes->bodies[i];
		struct path_walk walk = { .shapes = shapes,
			                      .tick = tick,
			                      .report = report,
			                      .paths = paths,
			                      .body = body,
			                      .index = i,
			                      .p = paths->p[i],
			                      .v = paths->v[i] };

		if (body->kind == CERTIFICATE_DYNAMIC && !paths->asleep[i])
			walk.a = body->gravity;
		walk_body(&walk);
	}
	paths->first[shapes->body_count] = paths->piece_count;
	return true;
}
