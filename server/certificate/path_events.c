#include "certificate/path_events.h"

static void
events_count(struct cert_paths *paths, const struct cert_shapes *shapes, const struct certificate_tick *tick)
{
	size_t *first = paths->event_first;

	for (size_t i = 0; i < shapes->body_count + 2; i++)
		first[i] = 0;
	/* One place ahead, so that filling turns each count into the start of its own group. */
	for (size_t i = 0; i < tick->contact_count; i++) {
		first[cert_body_find(shapes, tick->contacts[i].a) + 2]++;
		if (!tick->contacts[i].with_segment)
			first[cert_body_find(shapes, tick->contacts[i].b) + 2]++;
	}
	for (size_t i = 0; i < tick->path_change_count; i++)
		first[cert_body_find(shapes, tick->path_changes[i].body) + 2]++;
	for (size_t i = 1; i < shapes->body_count + 2; i++)
		first[i] += first[i - 1];
}

static void
event_put(struct cert_paths *paths, size_t body, double time, size_t index, enum event_what what)
{
	paths->events[paths->event_first[body + 1]++] = (struct cert_event){ time, (uint32_t)index, (uint8_t)what };
}

static bool
change_is_first(enum certificate_path_kind kind)
{
	return kind == CERTIFICATE_PUSHED || kind == CERTIFICATE_KICKED || kind == CERTIFICATE_WOKEN;
}

/* At one time damping, pushes and wakings come first, then contacts, then the other changes. */
static bool
change_is_next(const struct certificate_tick *tick, size_t contact, size_t change)
{
	if (change == tick->path_change_count)
		return false;
	const struct certificate_path_change *next = &tick->path_changes[change];
	return contact == tick->contact_count || next->time < tick->contacts[contact].time ||
	       (next->time == tick->contacts[contact].time && change_is_first(next->kind));
}

/* Merges the two streams by time. */
static void
events_fill(struct cert_paths *paths, const struct cert_shapes *shapes, const struct certificate_tick *tick)
{
	size_t c = 0, k = 0;

	while (c < tick->contact_count || k < tick->path_change_count) {
		if (change_is_next(tick, c, k)) {
			const struct certificate_path_change *change = &tick->path_changes[k];
			size_t body = cert_body_find(shapes, change->body);

			event_put(paths, body, change->time, k++, EVENT_CHANGE);
			if (change->kind == CERTIFICATE_PUSHED)
				paths->pushes[paths->push_count++] = (struct cert_push){ (uint32_t)body, cert_vec_from(change->vector) };
		} else {
			const struct certificate_contact *contact = &tick->contacts[c];

			event_put(paths, cert_body_find(shapes, contact->a), contact->time, c, EVENT_CONTACT_A);
			if (!contact->with_segment)
				event_put(paths, cert_body_find(shapes, contact->b), contact->time, c, EVENT_CONTACT_B);
			c++;
		}
	}
}

static void
stops_find(struct cert_paths *paths, const struct cert_shapes *shapes, const struct certificate_tick *tick)
{
	for (size_t i = 0; i < shapes->body_count; i++)
		paths->stopped[i] = HUGE_VAL;
	for (size_t i = 0; i < tick->path_change_count; i++) {
		const struct certificate_path_change *change = &tick->path_changes[i];
		double *stopped = &paths->stopped[cert_body_find(shapes, change->body)];

		if (change->kind == CERTIFICATE_STOPPED)
			*stopped = cert_min(*stopped, change->time);
	}
}

static void
together_fill(struct cert_paths *paths, const struct certificate_tick *tick)
{
	for (size_t i = 0, next; i < tick->contact_count; i = next) {
		double sum = 0;

		for (next = i; next < tick->contact_count && tick->contacts[next].time == tick->contacts[i].time; next++)
			sum += fabs(tick->contacts[next].impulse) + fabs(tick->contacts[next].friction_impulse);
		for (size_t k = i; k < next; k++)
			paths->contact_together[k] = sum;
	}
}

void
cert_path_events_fill(struct cert_paths *paths, const struct cert_shapes *shapes, const struct certificate_tick *tick)
{
	together_fill(paths, tick);
	stops_find(paths, shapes, tick);
	events_count(paths, shapes, tick);
	events_fill(paths, shapes, tick);
}
