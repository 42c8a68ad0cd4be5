/* Happy path: every event, one after the other, against what is open and where both are then. After the last, every pair of a
 * sensor and a body that comes near it is followed between its events. All that is open must still be near. */
#include "certificate/pair_events.h"

#include "certificate/cert_problem.h"
#include "certificate/memory.h"
#include "certificate/wall_motion.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* physics.h: a touch ends when the gap is more than two cushions, of .01 of the smaller radius, and a skin. Without a contact
 * it begins at no more than that. */
#define PART_PER_RADIUS 0.02
/* Between two events a pair that is inside is looked at so often in each piece. */
#define LOOKS 8

struct cert_told {
	struct cert_pair_key key;
	double time;
	uint32_t index; /* in the stream */
};

void
cert_pair_events_finish(struct cert_pair_events *events)
{
	free(events->open);
	free(events->told);
	free(events->reach);
	free(events->extent);
	*events = (struct cert_pair_events){ 0 };
}

static int
key_compare(const struct cert_pair_key *left, const struct cert_pair_key *right)
{
	if (left->sensed != right->sensed)
		return left->sensed ? 1 : -1;
	if (left->a != right->a)
		return left->a < right->a ? -1 : 1;
	return left->b < right->b ? -1 : left->b > right->b;
}

static int
told_compare(const void *left, const void *right)
{
	const struct cert_told *a = left, *b = right;
	int order = key_compare(&a->key, &b->key);

	return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

/* The place of the key among those that are open, or where it would be. */
static size_t
open_find(const struct cert_pair_events *events, const struct cert_pair_key *key, bool *found)
{
	size_t low = 0, high = events->open_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (key_compare(&events->open[middle], key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	*found = low < events->open_count && key_compare(&events->open[low], key) == 0;
	return low;
}

static bool
open_set(struct cert_pair_events *events, const struct cert_pair_key *key, size_t at, bool open)
{
	if (open && !CERT_RESERVE(&events->open, &events->open_capacity, events->open_count + 1))
		return false;
	struct cert_pair_key *place = events->open + at;
	if (open) {
		memmove(place + 1, place, (events->open_count - at) * sizeof *place);
		*place = *key;
		events->open_count++;
	} else {
		memmove(place, place + 1, (events->open_count - at - 1) * sizeof *place);
		events->open_count--;
	}
	return true;
}

bool
cert_pair_events_open(struct cert_pair_events *events, const struct cert_shapes *shapes, const struct certificate_pair *pair)
{
	size_t a = cert_body_find(shapes, pair->a);
	size_t b = pair->with_segment ? cert_wall_find(shapes, pair->b) : cert_body_find(shapes, pair->b);
	struct cert_pair_key key = { .a = (uint32_t)a, .sensed = pair->inside };
	bool found;

	if (a == SIZE_MAX || b == SIZE_MAX)
		return true;
	key.b = (uint32_t)b + (pair->with_segment ? CERT_PAIR_WALL : 0);
	size_t at = open_find(events, &key, &found);
	return found || open_set(events, &key, at, true);
}

/* What all the checks of a tick need. */
struct look {
	const struct cert_shapes *shapes;
	const struct cert_paths *paths;
	const struct certificate_tick *tick;
	struct certificate_report *report;
	const double *extent; /* of each body: the largest coordinate that it could have in the tick */
};

static struct cert_vec
body_at(const struct look *look, uint32_t body, double time)
{
	const struct cert_paths *paths = look->paths;
	size_t i = paths->first[body];

	while (i + 1 < paths->first[body + 1] && paths->pieces[i].t1 < time)
		i++;
	return cert_piece_motion(&paths->pieces[i], cert_max(paths->pieces[i].t0, cert_min(time, paths->pieces[i].t1))).d;
}

/* A pair at a time: its gap without any skin, the smaller radius, what rounding may do to the gap. `leave`: the gap at which it
 * has left a sensor at the latest. */
struct pair_stand {
	double gap, radius, skin, room, leave;
};

/* physics.h leaves at 2^-46 of this: the largest coordinate that either could have in a tick along its path. Which piece of the
 * path is meant depends on when it leaves; this is the largest of all. */
static double
pair_extent(const struct look *look, const struct cert_pair_key *key)
{
	double extent = look->extent[key->a];

	return cert_max(extent,
	                key->b >= CERT_PAIR_WALL ? look->shapes->walls[key->b - CERT_PAIR_WALL].reach : look->extent[key->b]);
}

static struct pair_stand
pair_stand(const struct look *look, const struct cert_pair_key *key, double time)
{
	const struct cert_body *a = &look->shapes->bodies[key->a];
	struct cert_vec p = body_at(look, key->a, time);
	struct pair_stand stand = { .radius = a->radius };
	double reach = cert_reach(p), slop = look->paths->slop[key->a];

	if (key->b >= CERT_PAIR_WALL) {
		const struct cert_wall *wall = &look->shapes->walls[key->b - CERT_PAIR_WALL];

		stand.gap = cert_wall_distance(wall, cert_point_seen(wall, p, time), NULL) - a->radius - wall->radius;
		reach = cert_max(reach, wall->reach);
		slop += wall->slop;
	} else {
		const struct cert_body *b = &look->shapes->bodies[key->b];
		struct cert_vec q = body_at(look, key->b, time);

		stand.gap = cert_length(cert_sub(p, q)) - a->radius - b->radius;
		stand.radius = cert_min(a->radius, b->radius);
		reach = cert_max(reach, cert_reach(q));
		slop += look->paths->slop[key->b];
	}
	stand.skin = cert_skin(reach, stand.radius);
	stand.room = 16 * slop + 0x1p-45 * reach;
	stand.leave = 0x1p-46 * pair_extent(look, key) + stand.room;
	return stand;
}

/* When one of the two ends; HUGE_VAL: none does. */
static double
pair_end(const struct look *look, const struct cert_pair_key *key)
{
	double end = look->paths->ended[key->a];

	return key->b >= CERT_PAIR_WALL ? end : cert_min(end, look->paths->ended[key->b]);
}

static void
fault(const struct look *look, const struct cert_pair_key *key, double time, const char *what)
{
	bool wall = key->b >= CERT_PAIR_WALL;

	cert_problem_event(look->report, "%s of circle %" PRIu32 " and %s %" PRIu32 " at time %.9g: %s",
	                   key->sensed ? "sensing" : "touch", look->shapes->bodies[key->a].id, wall ? "segment" : "circle",
	                   wall ? look->shapes->walls[key->b - CERT_PAIR_WALL].id : look->shapes->bodies[key->b].id, time, what);
}

/* Whether b sees a. */
static bool
pair_sees(const struct look *look, const struct cert_pair_key *key)
{
	const struct cert_shapes *shapes = look->shapes;
	const struct cert_body *a = &shapes->bodies[key->a];

	return key->b >= CERT_PAIR_WALL ? cert_wall_sees(shapes, &shapes->walls[key->b - CERT_PAIR_WALL], a)
	                                : cert_body_sees(shapes, &shapes->bodies[key->b], a);
}

static bool
pair_collides(const struct look *look, const struct cert_pair_key *key)
{
	const struct cert_body *a = &look->shapes->bodies[key->a];

	if (key->b >= CERT_PAIR_WALL)
		return cert_body_meets_wall(look->shapes, a, &look->shapes->walls[key->b - CERT_PAIR_WALL]);
	return key->a < key->b && cert_bodies_may_meet(look->shapes, a, &look->shapes->bodies[key->b]);
}

static bool
is_contact_of(const struct certificate_contact *contact, const struct certificate_pair_event *event)
{
	return contact->time == event->time && contact->a == event->a && contact->b == event->b &&
	       contact->with_segment == event->with_segment;
}

static bool
has_contact(const struct look *look, const struct certificate_pair_event *event)
{
	const struct certificate_tick *tick = look->tick;
	size_t low = 0, high = tick->contact_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (tick->contacts[middle].time < event->time)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < tick->contact_count && tick->contacts[low].time == event->time; low++)
		if (is_contact_of(&tick->contacts[low], event))
			return true;
	return false;
}

/* At time 0 a body may have been pushed there, so that its gap passed a bound at once. */
static void
place_check(const struct look *look, const struct cert_pair_key *key, const struct certificate_pair_event *event)
{
	struct pair_stand stand = pair_stand(look, key, event->time);
	double part = PART_PER_RADIUS * stand.radius, room = stand.room;

	switch (event->kind) {
	case CERTIFICATE_BEGIN:
		if (!(stand.gap <= part + 3 * stand.skin + room))
			fault(look, key, event->time, "it begins apart");
		break;
	case CERTIFICATE_END:
		if (!has_contact(look, event) && event->time != pair_end(look, key) &&
		    !(stand.gap >= part - room && (event->time == 0 || stand.gap <= part + 3 * stand.skin + room)))
			fault(look, key, event->time, "it does not part there");
		break;
	case CERTIFICATE_ENTER:
		if (!(stand.gap <= room && (event->time == 0 || stand.gap >= -room)))
			fault(look, key, event->time, "it does not enter there");
		break;
	case CERTIFICATE_EXIT:
		if (event->time != pair_end(look, key) && !(stand.gap >= -room && (event->time == 0 || stand.gap <= stand.leave)))
			fault(look, key, event->time, "it does not exit there");
		break;
	case CERTIFICATE_HIT:
	case CERTIFICATE_PERSIST: break;
	}
}

static bool
event_valid(const struct look *look, const struct certificate_pair_event *event, struct cert_pair_key *key)
{
	size_t a = cert_body_find(look->shapes, event->a);
	size_t b = event->with_segment ? cert_wall_find(look->shapes, event->b) : cert_body_find(look->shapes, event->b);

	if (a == SIZE_MAX || b == SIZE_MAX || !isfinite(event->time) || (unsigned int)event->kind > CERTIFICATE_EXIT) {
		cert_problem_event(look->report, "an event is not finite or names an unknown id or kind");
		return false;
	}
	*key = (struct cert_pair_key){ .a = (uint32_t)a,
		                           .b = (uint32_t)b + (event->with_segment ? CERT_PAIR_WALL : 0),
		                           .sensed = event->kind >= CERTIFICATE_ENTER };
	return true;
}

/* One event against what is open. False: no memory. */
static bool
event_check(struct cert_pair_events *events, const struct look *look, uint32_t index)
{
	const struct certificate_pair_event *event = &look->tick->pair_events[index];
	bool begins = event->kind == CERTIFICATE_BEGIN || event->kind == CERTIFICATE_ENTER;
	bool ends = event->kind == CERTIFICATE_END || event->kind == CERTIFICATE_EXIT, open;
	struct cert_pair_key key;

	if (!event_valid(look, event, &key))
		return true;
	if (!(key.sensed ? pair_sees(look, &key) : pair_collides(look, &key))) {
		fault(look, &key, event->time, "the two do not meet so by kind, sensor, category, mask and group");
		return true;
	}
	size_t at = open_find(events, &key, &open);
	if (open == begins) {
		fault(look, &key, event->time, begins ? "it has begun before" : "it has not begun");
		return true;
	}
	place_check(look, &key, event);
	events->told[events->told_count++] = (struct cert_told){ .key = key, .time = event->time, .index = index };
	return (!begins && !ends) || open_set(events, &key, at, begins);
}

/* Hits are the contacts that are fast enough, in their order. */
static void
hits_check(const struct look *look)
{
	const struct certificate_tick *tick = look->tick;
	size_t contact = 0;

	for (size_t i = 0; i < tick->pair_event_count; i++) {
		const struct certificate_pair_event *event = &tick->pair_events[i];

		if (event->kind != CERTIFICATE_HIT)
			continue;
		while (contact < tick->contact_count && tick->contacts[contact].approach_speed < tick->hit_speed)
			contact++;
		if (contact >= tick->contact_count || !is_contact_of(&tick->contacts[contact], event) ||
		    tick->contacts[contact].impulse != event->impulse) {
			cert_problem_event(look->report, "hit of circle %" PRIu32 " at time %.9g: not the contact that comes next",
			                   event->a, event->time);
			return;
		}
		contact++;
	}
	for (; contact < tick->contact_count; contact++) {
		if (tick->contacts[contact].approach_speed >= tick->hit_speed) {
			cert_problem_event(look->report, "contact of circle %" PRIu32 " at time %.9g: no hit tells it",
			                   tick->contacts[contact].a, tick->contacts[contact].time);
			return;
		}
	}
}

/* What is open at the end is near, and has persisted. */
static void
open_check(const struct cert_pair_events *events, const struct look *look)
{
	const struct certificate_tick *tick = look->tick;
	size_t persists = 0, touches = 0;

	for (size_t i = 0; i < tick->pair_event_count; i++) {
		persists += tick->pair_events[i].kind == CERTIFICATE_PERSIST;
		if (tick->pair_events[i].kind == CERTIFICATE_PERSIST && tick->pair_events[i].time != tick->dt) {
			cert_problem_event(look->report, "persist of circle %" PRIu32 " at time %.9g, not the tick's end",
			                   tick->pair_events[i].a, tick->pair_events[i].time);
		}
	}
	for (size_t i = 0; i < events->open_count; i++) {
		const struct cert_pair_key *key = &events->open[i];
		struct pair_stand stand = pair_stand(look, key, tick->dt);

		touches += !key->sensed;
		if (pair_end(look, key) < HUGE_VAL) {
			fault(look, key, tick->dt, "one of the two has ended, and it has not");
			continue;
		}
		if (!key->sensed && !(stand.gap <= PART_PER_RADIUS * stand.radius + 3 * stand.skin + stand.room))
			fault(look, key, tick->dt, "it has parted untold");
	}
	if ((tick->told & CERTIFICATE_TOLD_PERSIST) && persists != touches)
		cert_problem_event(look->report, "%zu pairs persist, %zu touch", persists, touches);
}

/* Whether a pair is on the right side of the sensor's edge all through a stretch of time. */
static bool
stretch_fits(const struct look *look, const struct cert_pair_key *key, double from, double until, bool inside)
{
	const struct cert_paths *paths = look->paths;
	const struct cert_body *a = &look->shapes->bodies[key->a];
	const struct cert_wall *wall = key->b >= CERT_PAIR_WALL ? &look->shapes->walls[key->b - CERT_PAIR_WALL] : NULL;
	double radii = a->radius + (wall ? wall->radius : look->shapes->bodies[key->b].radius);
	size_t i = paths->first[key->a], j = wall ? 0 : paths->first[key->b];

	while (from < until) {
		while (i + 1 < paths->first[key->a + 1] && paths->pieces[i].t1 <= from)
			i++;
		while (!wall && j + 1 < paths->first[key->b + 1] && paths->pieces[j].t1 <= from)
			j++;

		double end = cert_min(until, wall ? paths->pieces[i].t1 : cert_min(paths->pieces[i].t1, paths->pieces[j].t1));
		struct cert_motion motion = cert_piece_motion(&paths->pieces[i], from);
		struct pair_stand stand = pair_stand(look, key, from);

		if (wall) {
			motion = cert_motion_seen(wall, &motion, from);
		} else {
			struct cert_motion other = cert_piece_motion(&paths->pieces[j], from);

			motion = (struct cert_motion){ cert_sub(motion.d, other.d), cert_sub(motion.w, other.w),
				                           cert_sub(motion.q, other.q) };
		}
		/* Pieces that end before the tick does, by rounding. */
		end = end > from ? end : until;
		if (!inside) {
			double nearest = wall ? cert_motion_nearest_wall(&motion, end - from, wall)
			                      : cert_motion_nearest(&motion, end - from);

			if (nearest < radii - stand.room)
				return false;
		}
		for (int k = 0; inside && k <= LOOKS; k++) {
			struct cert_vec p = cert_motion_at(&motion, (end - from) * k / LOOKS);

			if ((wall ? cert_wall_distance(wall, p, NULL) : cert_length(p)) > radii + stand.leave)
				return false;
		}
		from = end;
	}
	return true;
}

/* Follows a pair of a sensor and what it sees; `told` are its events of this tick. */
static void
pair_follow(const struct cert_pair_events *events, const struct look *look, const struct cert_pair_key *key,
            const struct cert_told *told, size_t count)
{
	double from = 0;
	bool inside;

	(void)open_find(events, key, &inside);
	inside ^= count % 2 != 0; /* at the tick's start */
	for (size_t i = 0; i <= count; i++) {
		double until = i < count ? told[i].time : cert_min(look->tick->dt, pair_end(look, key));

		if (from < until && !stretch_fits(look, key, from, until, inside)) {
			fault(look, key, from, inside ? "it leaves untold" : "it comes in untold");
			return;
		}
		from = until;
		inside = !inside;
	}
}

/* The events of a pair among those of the tick, which are sorted; how many. */
static size_t
told_find(const struct cert_pair_events *events, const struct cert_pair_key *key, const struct cert_told **first)
{
	size_t low = 0, high = events->told_count, count = 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (key_compare(&events->told[middle].key, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	*first = events->told + low;
	while (low + count < events->told_count && key_compare(&events->told[low + count].key, key) == 0)
		count++;
	return count;
}

static double
other_reach(const struct cert_pair_events *events, const struct look *look, const struct cert_pair_key *key)
{
	return key->b >= CERT_PAIR_WALL ? look->tick->dt * cert_length(look->shapes->walls[key->b - CERT_PAIR_WALL].v)
	                                : events->reach[key->b];
}

/* A sensor and a body: far apart all through the tick, or followed. */
static void
sensor_check(const struct cert_pair_events *events, const struct look *look, const struct cert_pair_key *key)
{
	const struct cert_told *told;
	bool open;

	if (!pair_sees(look, key))
		return;
	struct pair_stand stand = pair_stand(look, key, look->tick->dt);
	double reach = events->reach[key->a] + other_reach(events, look, key) + stand.room;
	size_t count = told_find(events, key, &told);
	(void)open_find(events, key, &open);
	if (count == 0 && !open && stand.gap > reach)
		return;
	pair_follow(events, look, key, told, count);
}

static void
sensors_check(const struct cert_pair_events *events, const struct look *look)
{
	const struct cert_shapes *shapes = look->shapes;

	for (size_t s = 0; s < shapes->body_count; s++) {
		bool senses = shapes->bodies[s].sensor || shapes->bodies[s].report_groups != 0 ||
		              cert_group_senses(shapes, shapes->bodies[s].group);

		for (size_t i = 0; senses && i < shapes->body_count; i++)
			sensor_check(events, look, &(struct cert_pair_key){ (uint32_t)i, (uint32_t)s, true });
	}
	for (size_t s = 0; s < shapes->wall_count; s++) {
		bool senses = shapes->walls[s].sensor || cert_group_senses(shapes, shapes->walls[s].group);

		for (size_t i = 0; senses && i < shapes->body_count; i++)
			sensor_check(events, look, &(struct cert_pair_key){ (uint32_t)i, (uint32_t)s + CERT_PAIR_WALL, true });
	}
}

static double
sum_of_sizes(struct cert_vec v)
{
	return fabs(v.x) + fabs(v.y);
}

/* Of every body: the length of its way in the tick, or more, and its extent. */
static bool
reach_fill(struct cert_pair_events *events, const struct cert_shapes *shapes, const struct cert_paths *paths, double dt)
{
	if (!CERT_RESERVE(&events->reach, &events->reach_capacity, shapes->body_count + 1) ||
	    !CERT_RESERVE(&events->extent, &events->extent_capacity, shapes->body_count + 1))
		return false;
	for (size_t i = 0; i < shapes->body_count; i++) {
		events->reach[i] = events->extent[i] = 0;
		for (size_t k = paths->first[i]; k < paths->first[i + 1]; k++) {
			const struct cert_piece *piece = &paths->pieces[k];
			double h = piece->t1 - piece->t0;

			events->reach[i] += h * (cert_length(piece->v) + h * cert_length(piece->a));
			events->extent[i] = cert_max(events->extent[i],
			                             cert_reach(piece->p) + dt * (sum_of_sizes(piece->v) + dt * sum_of_sizes(piece->a)));
		}
	}
	return true;
}

bool
cert_pair_events_check(struct cert_pair_events *events, const struct cert_shapes *shapes, const struct cert_paths *paths,
                       const struct certificate_tick *tick, struct certificate_report *report)
{
	double last = 0;

	report->pair_events += tick->pair_event_count;
	events->told_count = 0;
	if (!CERT_RESERVE(&events->told, &events->told_capacity, tick->pair_event_count + 1) ||
	    !reach_fill(events, shapes, paths, tick->dt))
		return false;

	const struct look look = { shapes, paths, tick, report, events->extent };

	for (uint32_t i = 0; i < tick->pair_event_count; i++) {
		if (!(tick->pair_events[i].time >= last && tick->pair_events[i].time <= tick->dt))
			cert_problem_event(report, "event %" PRIu32 " at time %.17g is out of order", i, tick->pair_events[i].time);
		last = tick->pair_events[i].time;
		if (!event_check(events, &look, i))
			return false;
	}
	if (tick->told & CERTIFICATE_TOLD_TOUCHES) {
		hits_check(&look);
		open_check(events, &look);
	}
	if (tick->told & CERTIFICATE_TOLD_SENSORS) {
		qsort(events->told, events->told_count, sizeof *events->told, told_compare);
		sensors_check(events, &look);
	}
	return true;
}
