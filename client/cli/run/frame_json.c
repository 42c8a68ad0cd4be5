#include "client/cli/run/frame_json.h"

#include "collide/v1/collide.pb-c.h"

#include <inttypes.h>
#include <math.h>

enum { VALUE_NAME_BYTES = 12, NUMBER_BYTES = 32 };

void
frame_json_finish(struct frame_json *json)
{
	text_finish(&json->contacts);
	text_finish(&json->path_changes);
	text_finish(&json->shortfalls);
	text_finish(&json->pair_events);
	text_finish(&json->paths);
	text_finish(&json->ends);
}

/* The name of an enum value in the schema; for a value without a name, its number. */
static const char *
value_name(const ProtobufCEnumDescriptor *type, uint32_t value, char other[VALUE_NAME_BYTES])
{
	const ProtobufCEnumValue *known = protobuf_c_enum_descriptor_get_value(type, (int)value);
	if (known)
		return known->name;
	snprintf(other, VALUE_NAME_BYTES, "%" PRIu32, value);
	return other;
}

static void
value_append(struct text *text, const char *name, const ProtobufCEnumDescriptor *type, uint32_t value)
{
	char other[VALUE_NAME_BYTES];
	text_format(text, ",\"%s\":\"%s\"", name, value_name(type, value, other));
}

/* The names of the bits that are set. */
static void
bits_append(struct text *text, const char *name, const ProtobufCEnumDescriptor *type, uint32_t bits)
{
	const char *before = "";
	text_format(text, ",\"%s\":[", name);
	for (unsigned bit = 0; bit < 32; bit++) {
		char other[VALUE_NAME_BYTES];
		if ((bits >> bit & 1) == 0)
			continue;
		text_format(text, "%s\"%s\"", before, value_name(type, (uint32_t)1 << bit, other));
		before = ",";
	}
	text_append(text, "]");
}

/* As JSON; what has no number there is a string, as in protobuf's form. */
static const char *
number(double value, char to[NUMBER_BYTES])
{
	if (isnan(value))
		return "\"NaN\"";
	if (isinf(value))
		return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
	snprintf(to, NUMBER_BYTES, "%.17g", value);
	return to;
}

static void
double_append(struct text *text, const char *name, double value)
{
	char to[NUMBER_BYTES];
	text_format(text, ",\"%s\":%s", name, number(value, to));
}

static void
double_print(const char *name, double value, FILE *out)
{
	char to[NUMBER_BYTES];
	fprintf(out, ",\"%s\":%s", name, number(value, to));
}

static void
contact_append(struct text *text, const struct collide_contacts *c, size_t i)
{
	text_append(text, text->count > 0 ? "," : "");
	text_format(text, "{\"tick\":%" PRIu64, c->tick[i]);
	double_append(text, "time", c->time[i]);
	text_format(text, ",\"a\":%" PRIu32 ",\"b\":%" PRIu32, c->a[i], c->b[i]);
	value_append(text, "feature", &collide__v1__feature__descriptor, c->feature[i]);
	bits_append(text, "flags", &collide__v1__contact_flag__descriptor, c->flags[i]);
	double_append(text, "pointX", c->point_x[i]);
	double_append(text, "pointY", c->point_y[i]);
	double_append(text, "normalX", c->normal_x[i]);
	double_append(text, "normalY", c->normal_y[i]);
	double_append(text, "approachSpeed", c->approach_speed[i]);
	double_append(text, "impulse", c->impulse[i]);
	double_append(text, "aVxBefore", c->a_vx_before[i]);
	double_append(text, "aVyBefore", c->a_vy_before[i]);
	double_append(text, "aVxAfter", c->a_vx_after[i]);
	double_append(text, "aVyAfter", c->a_vy_after[i]);
	double_append(text, "bVxBefore", c->b_vx_before[i]);
	double_append(text, "bVyBefore", c->b_vy_before[i]);
	double_append(text, "bVxAfter", c->b_vx_after[i]);
	double_append(text, "bVyAfter", c->b_vy_after[i]);
	if (c->friction_impulse) {
		double_append(text, "frictionImpulse", c->friction_impulse[i]);
		double_append(text, "aSpinBefore", c->a_spin_before[i]);
		double_append(text, "aSpinAfter", c->a_spin_after[i]);
		double_append(text, "bSpinBefore", c->b_spin_before[i]);
		double_append(text, "bSpinAfter", c->b_spin_after[i]);
	}
	text_append(text, "}");
}

static void
path_change_append(struct text *text, const struct collide_path_changes *changes, size_t i)
{
	text_append(text, text->count > 0 ? "," : "");
	text_format(text, "{\"tick\":%" PRIu64, changes->tick[i]);
	double_append(text, "time", changes->time[i]);
	text_format(text, ",\"body\":%" PRIu32, changes->body[i]);
	value_append(text, "kind", &collide__v1__path_kind__descriptor, changes->kind[i]);
	double_append(text, "vectorX", changes->vector_x[i]);
	double_append(text, "vectorY", changes->vector_y[i]);
	text_append(text, "}");
}

static void
shortfall_append(struct text *text, const struct collide_shortfalls *shortfalls, size_t i)
{
	text_append(text, text->count > 0 ? "," : "");
	text_format(text, "{\"tick\":%" PRIu64 ",\"body\":%" PRIu32, shortfalls->tick[i], shortfalls->body[i]);
	value_append(text, "flag", &collide__v1__body_flag__descriptor, shortfalls->flag[i]);
	double_append(text, "amount", shortfalls->amount[i]);
	text_append(text, "}");
}

static void
pair_event_append(struct text *text, const struct collide_pair_events *events, size_t i)
{
	text_append(text, text->count > 0 ? "," : "");
	text_format(text, "{\"tick\":%" PRIu64, events->tick[i]);
	double_append(text, "time", events->time[i]);
	value_append(text, "kind", &collide__v1__pair_event_kind__descriptor, events->kind[i]);
	text_format(text, ",\"a\":%" PRIu32 ",\"b\":%" PRIu32, events->a[i], events->b[i]);
	value_append(text, "feature", &collide__v1__feature__descriptor, events->feature[i]);
	double_append(text, "approachSpeed", events->approach_speed[i]);
	double_append(text, "impulse", events->impulse[i]);
	double_append(text, "normalX", events->normal_x[i]);
	double_append(text, "normalY", events->normal_y[i]);
	double_append(text, "pointX", events->point_x[i]);
	double_append(text, "pointY", events->point_y[i]);
	text_append(text, "}");
}

static void
path_append(struct text *text, const struct collide_paths *paths, size_t i)
{
	text_append(text, text->count > 0 ? "," : "");
	text_format(text, "{\"tick\":%" PRIu64, paths->tick[i]);
	double_append(text, "time", paths->time[i]);
	text_format(text, ",\"body\":%" PRIu32, paths->body[i]);
	double_append(text, "x", paths->x[i]);
	double_append(text, "y", paths->y[i]);
	double_append(text, "vx", paths->vx[i]);
	double_append(text, "vy", paths->vy[i]);
	double_append(text, "ax", paths->ax[i]);
	double_append(text, "ay", paths->ay[i]);
	text_append(text, "}");
}

static void
end_append(struct text *text, const struct collide_ends *ends, size_t i)
{
	text_append(text, text->count > 0 ? "," : "");
	text_format(text, "{\"tick\":%" PRIu64, ends->tick[i]);
	double_append(text, "time", ends->time[i]);
	text_format(text, ",\"body\":%" PRIu32, ends->body[i]);
	value_append(text, "reason", &collide__v1__end_reason__descriptor, ends->reason[i]);
	text_format(text, ",\"tag\":\"%" PRIu64 "\"", ends->tag[i]);
	double_append(text, "x", ends->x[i]);
	double_append(text, "y", ends->y[i]);
	double_append(text, "vx", ends->vx[i]);
	double_append(text, "vy", ends->vy[i]);
	text_append(text, "}");
}

void
frame_json_collect(struct frame_json *json, const struct collide_frame *frame)
{
	for (size_t i = 0; i < frame->contacts.count; i++)
		contact_append(&json->contacts, &frame->contacts, i);
	for (size_t i = 0; i < frame->path_changes.count; i++)
		path_change_append(&json->path_changes, &frame->path_changes, i);
	for (size_t i = 0; i < frame->shortfalls.count; i++)
		shortfall_append(&json->shortfalls, &frame->shortfalls, i);
	for (size_t i = 0; i < frame->pair_events.count; i++)
		pair_event_append(&json->pair_events, &frame->pair_events, i);
	for (size_t i = 0; i < frame->paths.count; i++)
		path_append(&json->paths, &frame->paths, i);
	for (size_t i = 0; i < frame->ends.count; i++)
		end_append(&json->ends, &frame->ends, i);
}

static void
doubles_print(const char *name, const double *values, size_t count, FILE *out)
{
	char to[NUMBER_BYTES];
	fprintf(out, ",\"%s\":[", name);
	for (size_t i = 0; i < count; i++)
		fprintf(out, i > 0 ? ",%s" : "%s", number(values[i], to));
	fputc(']', out);
}

static void
bodies_print(const struct collide_bodies *bodies, FILE *out)
{
	fprintf(out, ",\"bodies\":{\"id\":[");
	for (size_t i = 0; i < bodies->count; i++)
		fprintf(out, i > 0 ? ",%" PRIu32 : "%" PRIu32, bodies->id[i]);
	fputc(']', out);
	doubles_print("x", bodies->x, bodies->count, out);
	doubles_print("y", bodies->y, bodies->count, out);
	doubles_print("vx", bodies->vx, bodies->count, out);
	doubles_print("vy", bodies->vy, bodies->count, out);
	if (bodies->angle) {
		doubles_print("angle", bodies->angle, bodies->count, out);
		doubles_print("angularVelocity", bodies->angular_velocity, bodies->count, out);
	}
	if (bodies->tag) {
		fprintf(out, ",\"tag\":[");
		for (size_t i = 0; i < bodies->count; i++)
			fprintf(out, i > 0 ? ",\"%" PRIu64 "\"" : "\"%" PRIu64 "\"", bodies->tag[i]);
		fputc(']', out);
	}
	fputc('}', out);
}

static void
moving_print(const struct collide_moving_segments *moving, FILE *out)
{
	fprintf(out, ",\"movingSegments\":{\"id\":[");
	for (size_t i = 0; i < moving->count; i++)
		fprintf(out, i > 0 ? ",%" PRIu32 : "%" PRIu32, moving->id[i]);
	fputc(']', out);
	doubles_print("x1", moving->x1, moving->count, out);
	doubles_print("y1", moving->y1, moving->count, out);
	doubles_print("x2", moving->x2, moving->count, out);
	doubles_print("y2", moving->y2, moving->count, out);
	fputc('}', out);
}

static void
energy_print(const struct collide_energy *energy, FILE *out)
{
	char to[NUMBER_BYTES];
	fprintf(out, ",\"energy\":{\"kineticBefore\":%s", number(energy->kinetic_before, to));
	double_print("kineticAfter", energy->kinetic_after, out);
	double_print("potentialBefore", energy->potential_before, out);
	double_print("potentialAfter", energy->potential_after, out);
	double_print("contact", energy->contact, out);
	double_print("work", energy->work, out);
	double_print("push", energy->push, out);
	double_print("support", energy->support, out);
	double_print("friction", energy->friction, out);
	double_print("clip", energy->clip, out);
	double_print("sleep", energy->sleep, out);
	double_print("damping", energy->damping, out);
	double_print("removed", energy->removed, out);
	fputc('}', out);
}

static void
momentum_print(const struct collide_momentum *momentum, FILE *out)
{
	char to[NUMBER_BYTES];
	fprintf(out, ",\"momentum\":{\"beforeX\":%s", number(momentum->before_x, to));
	double_print("beforeY", momentum->before_y, out);
	double_print("afterX", momentum->after_x, out);
	double_print("afterY", momentum->after_y, out);
	double_print("gravityX", momentum->gravity_x, out);
	double_print("gravityY", momentum->gravity_y, out);
	double_print("outsideX", momentum->outside_x, out);
	double_print("outsideY", momentum->outside_y, out);
	fputc('}', out);
}

static void
rows_print(const char *name, struct text *rows, FILE *out)
{
	fprintf(out, ",\"%s\":[", name);
	if (rows->count > 0)
		fwrite(rows->characters, 1, rows->count, out);
	fputc(']', out);
	rows->count = 0;
}

bool
frame_json_print(struct frame_json *json, const struct collide_frame *frame, const struct frame_sums *sums, FILE *out)
{
	if (json->contacts.failed || json->path_changes.failed || json->shortfalls.failed || json->pair_events.failed ||
	    json->paths.failed || json->ends.failed)
		return false;
	fprintf(out, "{\"tick\":%" PRIu64, frame->tick);
	double_print("time", frame->time, out);
	fprintf(out, ",\"hash\":\"%016" PRIx64 "\"", frame->hash);
	fprintf(out, ",\"events\":%" PRIu64 ",\"collisions\":%" PRIu64 ",\"clusters\":%" PRIu64 ",\"clips\":%" PRIu64, sums->events,
	        sums->collisions, sums->clusters, sums->clips);
	if (sums->has_energy)
		energy_print(&sums->energy, out);
	if (sums->has_momentum)
		momentum_print(&sums->momentum, out);
	fprintf(out, ",\"asleep\":%" PRIu64, frame->asleep);
	bodies_print(&frame->bodies, out);
	rows_print("contacts", &json->contacts, out);
	rows_print("pathChanges", &json->path_changes, out);
	rows_print("shortfalls", &json->shortfalls, out);
	/* Only where there are any: most runs do not request them. */
	if (json->pair_events.count > 0)
		rows_print("pairEvents", &json->pair_events, out);
	if (json->paths.count > 0)
		rows_print("paths", &json->paths, out);
	if (json->ends.count > 0)
		rows_print("ends", &json->ends, out);
	if (frame->moving_segments.count > 0)
		moving_print(&frame->moving_segments, out);
	fputs("}\n", out);
	return true;
}
