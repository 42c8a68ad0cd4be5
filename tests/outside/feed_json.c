#include "outside/feed_json.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct feed_json {
	double *columns[5];
	struct outside_contact *contacts;
	struct outside_change *changes;
	struct outside_event *events;
	struct outside_shortfall *shortfalls;
	struct outside_place *places;
	struct outside_end *ends;
	uint64_t *tags;
	struct outside_tick tick;
};

struct feed_json *
feed_json_create(void)
{
	return calloc(1, sizeof(struct feed_json));
}

static void
tick_free(struct feed_json *feed)
{
	for (size_t i = 0; i < 5; i++)
		free(feed->columns[i]);
	free(feed->contacts);
	free(feed->changes);
	free(feed->events);
	free(feed->shortfalls);
	free(feed->places);
	free(feed->ends);
	free(feed->tags);
	memset(feed, 0, sizeof *feed);
}

void
feed_json_destroy(struct feed_json *feed)
{
	if (!feed)
		return;
	tick_free(feed);
	free(feed);
}

static void *
rows_of(const json_t *rows, size_t size)
{
	void *made = calloc(json_array_size(rows) + 1, size);

	if (!made)
		abort();
	return made;
}

static double
number_of(const json_t *row, const char *name)
{
	return json_number_value(json_object_get(row, name));
}

static uint32_t
id_of(const json_t *row, const char *name)
{
	return (uint32_t)json_integer_value(json_object_get(row, name));
}

/* The index of the row's text among the names, or how many these are. */
static unsigned
name_of(const json_t *row, const char *key, const char *const *names, unsigned count)
{
	const char *text = json_string_value(json_object_get(row, key));

	for (unsigned i = 0; i < count; i++)
		if (text && strcmp(text, names[i]) == 0)
			return i;
	return count;
}

#define NAMES(...) (const char *const[]){ __VA_ARGS__ }, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *)

/* The bits of ContactFlag in the schema. */
static uint8_t
contact_flags_of(const json_t *row)
{
	const json_int_t flags = json_integer_value(json_object_get(row, "flags"));
	uint8_t bits = 0;

	bits |= (flags & 1) != 0 ? OUTSIDE_CONTACT_RESTING : 0;
	bits |= (flags & 2) != 0 ? OUTSIDE_CONTACT_SECONDARY : 0;
	bits |= (flags & 4) != 0 ? OUTSIDE_CONTACT_BY_MASS : 0;
	bits |= (flags & 8) != 0 ? OUTSIDE_CONTACT_A_STOPPED : 0;
	bits |= (flags & 16) != 0 ? OUTSIDE_CONTACT_B_STOPPED : 0;
	return bits;
}

static struct outside_contact
contact_of(const json_t *row)
{
	const unsigned feature = name_of(
		row, "feature", NAMES("FEATURE_CIRCLE", "FEATURE_SEGMENT_FACE", "FEATURE_SEGMENT_END_1", "FEATURE_SEGMENT_END_2"));

	return (struct outside_contact){
		.time = number_of(row, "time"),
		.a = id_of(row, "a"),
		.b = id_of(row, "b"),
		.with_wall = feature > 0,
		.feature = (uint8_t)(feature > 0 ? feature - 1 : 0),
		.flags = contact_flags_of(row),
		.point = { number_of(row, "pointX"), number_of(row, "pointY") },
		.normal = { number_of(row, "normalX"), number_of(row, "normalY") },
		.approach = number_of(row, "approachSpeed"),
		.impulse = number_of(row, "impulse"),
		.friction_impulse = number_of(row, "frictionImpulse"),
		.a_before = { number_of(row, "aVxBefore"), number_of(row, "aVyBefore") },
		.a_after = { number_of(row, "aVxAfter"), number_of(row, "aVyAfter") },
		.b_before = { number_of(row, "bVxBefore"), number_of(row, "bVyBefore") },
		.b_after = { number_of(row, "bVxAfter"), number_of(row, "bVyAfter") },
		.a_spin_before = number_of(row, "aSpinBefore"),
		.a_spin_after = number_of(row, "aSpinAfter"),
		.b_spin_before = number_of(row, "bSpinBefore"),
		.b_spin_after = number_of(row, "bSpinAfter"),
	};
}

static struct outside_change
change_of(const json_t *row)
{
	const unsigned kind = name_of(row, "kind",
	                              NAMES("PATH_KIND_PUSHED", "PATH_KIND_SUPPORTED", "PATH_KIND_FREE", "PATH_KIND_PARKED",
	                                    "PATH_KIND_CRUSHED", "PATH_KIND_LED", "PATH_KIND_RELEASED", "PATH_KIND_ASLEEP",
	                                    "PATH_KIND_WOKEN", "PATH_KIND_KICKED", "PATH_KIND_STOPPED"));

	return (struct outside_change){ number_of(row, "time"),
		                            id_of(row, "body"),
		                            (enum outside_change_kind)kind,
		                            { number_of(row, "vectorX"), number_of(row, "vectorY") } };
}

static struct outside_event
event_of(const json_t *row)
{
	const unsigned kind = name_of(row, "kind",
	                              NAMES("PAIR_EVENT_KIND_BEGIN", "PAIR_EVENT_KIND_HIT", "PAIR_EVENT_KIND_PERSIST",
	                                    "PAIR_EVENT_KIND_END", "PAIR_EVENT_KIND_ENTER", "PAIR_EVENT_KIND_EXIT"));
	const char *feature = json_string_value(json_object_get(row, "feature"));

	return (struct outside_event){ number_of(row, "time"), id_of(row, "a"), id_of(row, "b"),
		                           feature && strstr(feature, "SEGMENT"), (enum outside_event_kind)kind };
}

static struct outside_shortfall
shortfall_of(const json_t *row)
{
	const unsigned flag = name_of(
		row, "flag", NAMES("BODY_FLAG_BUDGET", "BODY_FLAG_INITIAL_OVERLAP", "BODY_FLAG_CRUSHED", "BODY_FLAG_FAST"));

	return (struct outside_shortfall){ id_of(row, "body"), 1u << flag, number_of(row, "amount") };
}

/* JSON has such numbers as text. */
static uint64_t
fixed64_of(const json_t *value)
{
	return json_is_string(value) ? strtoull(json_string_value(value), NULL, 10) : (uint64_t)json_integer_value(value);
}

static struct outside_end
end_of(const json_t *row)
{
	const unsigned reason = name_of(row, "reason", NAMES("END_REASON_CONTACT", "END_REASON_LIFETIME", "END_REASON_BOUNDS"));

	return (struct outside_end){ number_of(row, "time"),
		                         id_of(row, "body"),
		                         (enum outside_reason)reason,
		                         fixed64_of(json_object_get(row, "tag")),
		                         { number_of(row, "x"), number_of(row, "y") },
		                         { number_of(row, "vx"), number_of(row, "vy") } };
}

static void
bodies_read(struct feed_json *feed, const json_t *bodies)
{
	static const char *const names[5] = { "x", "y", "vx", "vy", "angularVelocity" };

	for (size_t i = 0; i < 5; i++) {
		const json_t *column = json_object_get(bodies, names[i]);
		feed->columns[i] = rows_of(column, sizeof(double));
		for (size_t k = 0; k < json_array_size(column); k++)
			feed->columns[i][k] = json_number_value(json_array_get(column, k));
	}
	const json_t *tags = json_object_get(bodies, "tag");
	feed->tags = rows_of(tags, sizeof *feed->tags);
	for (size_t i = 0; i < json_array_size(tags); i++)
		feed->tags[i] = fixed64_of(json_array_get(tags, i));
	feed->tick.tag = tags ? feed->tags : NULL;
	feed->tick.state_count = json_array_size(json_object_get(bodies, names[0]));
	feed->tick.x = feed->columns[0];
	feed->tick.y = feed->columns[1];
	feed->tick.vx = feed->columns[2];
	feed->tick.vy = feed->columns[3];
	feed->tick.spin = json_object_get(bodies, names[4]) ? feed->columns[4] : NULL;
}

static void
rows_read(struct feed_json *feed, const json_t *frame)
{
	const json_t *contacts = json_object_get(frame, "contacts"), *changes = json_object_get(frame, "pathChanges");
	const json_t *events = json_object_get(frame, "pairEvents"), *shortfalls = json_object_get(frame, "shortfalls");
	const json_t *places = json_object_get(frame, "movingSegments"), *ids = json_object_get(places, "id");

	feed->contacts = rows_of(contacts, sizeof *feed->contacts);
	feed->changes = rows_of(changes, sizeof *feed->changes);
	feed->events = rows_of(events, sizeof *feed->events);
	feed->shortfalls = rows_of(shortfalls, sizeof *feed->shortfalls);
	feed->places = rows_of(ids, sizeof *feed->places);
	for (size_t i = 0; i < json_array_size(contacts); i++)
		feed->contacts[i] = contact_of(json_array_get(contacts, i));
	for (size_t i = 0; i < json_array_size(changes); i++)
		feed->changes[i] = change_of(json_array_get(changes, i));
	for (size_t i = 0; i < json_array_size(events); i++)
		feed->events[i] = event_of(json_array_get(events, i));
	for (size_t i = 0; i < json_array_size(shortfalls); i++)
		feed->shortfalls[i] = shortfall_of(json_array_get(shortfalls, i));
	for (size_t i = 0; i < json_array_size(ids); i++)
		feed->places[i] = (struct outside_place){ (uint32_t)json_integer_value(json_array_get(ids, i)),
			                                      json_number_value(json_array_get(json_object_get(places, "x1"), i)),
			                                      json_number_value(json_array_get(json_object_get(places, "y1"), i)),
			                                      json_number_value(json_array_get(json_object_get(places, "x2"), i)),
			                                      json_number_value(json_array_get(json_object_get(places, "y2"), i)) };
	const json_t *ends = json_object_get(frame, "ends");
	feed->ends = rows_of(ends, sizeof *feed->ends);
	for (size_t i = 0; i < json_array_size(ends); i++)
		feed->ends[i] = end_of(json_array_get(ends, i));
	feed->tick.ends = feed->ends;
	feed->tick.end_count = json_array_size(ends);
	feed->tick.resolved = fixed64_of(json_object_get(frame, "events"));
	feed->tick.contacts = feed->contacts;
	feed->tick.contact_count = json_array_size(contacts);
	feed->tick.changes = feed->changes;
	feed->tick.change_count = json_array_size(changes);
	feed->tick.events = feed->events;
	feed->tick.event_count = json_array_size(events);
	feed->tick.shortfalls = feed->shortfalls;
	feed->tick.shortfall_count = json_array_size(shortfalls);
	feed->tick.places = feed->places;
	feed->tick.place_count = json_array_size(ids);
}

static void
ledgers_read(struct outside_tick *tick, const json_t *energy, const json_t *momentum)
{
	static const char *const parts[] = { "contact", "work", "push", "clip", "support", "sleep", "damping", "removed" };

	tick->has_ledger = energy != NULL && momentum != NULL;
	tick->energy_parts = tick->energy_gross = 0;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		const double part = number_of(energy, parts[i]);
		tick->energy_parts += part;
		tick->energy_gross += fabs(part);
	}
	tick->energy_removed = number_of(energy, "removed");
	tick->kinetic_before = number_of(energy, "kineticBefore");
	tick->kinetic_after = number_of(energy, "kineticAfter");
	tick->potential_before = number_of(energy, "potentialBefore");
	tick->potential_after = number_of(energy, "potentialAfter");
	tick->momentum_before[0] = number_of(momentum, "beforeX");
	tick->momentum_before[1] = number_of(momentum, "beforeY");
	tick->momentum_after[0] = number_of(momentum, "afterX");
	tick->momentum_after[1] = number_of(momentum, "afterY");
	tick->momentum_gravity[0] = number_of(momentum, "gravityX");
	tick->momentum_gravity[1] = number_of(momentum, "gravityY");
	tick->momentum_outside[0] = number_of(momentum, "outsideX");
	tick->momentum_outside[1] = number_of(momentum, "outsideY");
}

/* A table in columns becomes a list of rows. */
static void
table_turn(json_t *frame, const char *name)
{
	json_t *columns = json_object_get(frame, name), *rows = json_array(), *column;
	const char *key;

	json_object_foreach(columns, key, column)
	{
		for (size_t i = 0; i < json_array_size(column); i++) {
			if (i == json_array_size(rows))
				(void)json_array_append_new(rows, json_object());
			(void)json_object_set(json_array_get(rows, i), key, json_array_get(column, i));
		}
	}
	(void)json_object_set_new(frame, name, rows);
}

const struct outside_tick *
feed_json_tick(struct feed_json *feed, const char *line, double dt)
{
	json_error_t error;
	json_t *frame = json_loads(line, 0, &error);

	tick_free(feed);
	if (!frame || !json_object_get(frame, "bodies")) {
		json_decref(frame);
		return NULL;
	}
	static const char *const tables[] = { "contacts", "pathChanges", "shortfalls", "pairEvents", "ends" };
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		table_turn(frame, tables[i]);
	feed->tick.dt = dt;
	bodies_read(feed, json_object_get(frame, "bodies"));
	rows_read(feed, frame);
	ledgers_read(&feed->tick, json_object_get(frame, "energy"), json_object_get(frame, "momentum"));
	json_decref(frame);
	return &feed->tick;
}
