#include "client/cli/frame_json.h"

#include <inttypes.h>

void
frame_json_finish(struct frame_json *json)
{
	text_finish(&json->contacts);
	text_finish(&json->path_changes);
	text_finish(&json->shortfalls);
}

static const char *
feature_name(uint32_t feature)
{
	switch (feature) {
	case COLLIDE_CIRCLE: return "circle";
	case COLLIDE_SEGMENT_FACE: return "segment_face";
	case COLLIDE_SEGMENT_END_1: return "segment_end_1";
	case COLLIDE_SEGMENT_END_2: return "segment_end_2";
	default: return "unknown";
	}
}

static const char *
path_kind_name(uint32_t kind)
{
	switch (kind) {
	case COLLIDE_PATH_PUSHED: return "pushed";
	case COLLIDE_PATH_SUPPORTED: return "supported";
	case COLLIDE_PATH_FREE: return "free";
	case COLLIDE_PATH_PARKED: return "parked";
	case COLLIDE_PATH_CRUSHED: return "crushed";
	default: return "unknown";
	}
}

static const char *
shortfall_flag_name(uint32_t flag)
{
	for (size_t kind = 0; kind < SHORTFALL_KINDS; kind++)
		if (flag == 1u << kind)
			return shortfall_name(kind);
	return "UNKNOWN";
}

static void
pair_append(struct text *text, const char *name, double x, double y)
{
	text_format(text, ",\"%s\":[%.17g,%.17g]", name, x, y);
}

static void
contact_append(struct text *text, const struct collide_contacts *c, size_t i)
{
	text_append(text, text->count > 0 ? "," : "");
	text_format(text, "{\"tick\":%" PRIu64 ",\"time\":%.17g,\"a\":%" PRIu32 ",\"b\":%" PRIu32, c->tick[i], c->time[i], c->a[i],
	            c->b[i]);
	text_format(text, ",\"feature\":\"%s\",\"resting\":%s,\"secondary\":%s", feature_name(c->feature[i]),
	            c->flags[i] & COLLIDE_CONTACT_RESTING ? "true" : "false",
	            c->flags[i] & COLLIDE_CONTACT_SECONDARY ? "true" : "false");
	pair_append(text, "point", c->point_x[i], c->point_y[i]);
	pair_append(text, "normal", c->normal_x[i], c->normal_y[i]);
	text_format(text, ",\"approach_speed\":%.17g,\"impulse\":%.17g", c->approach_speed[i], c->impulse[i]);
	pair_append(text, "a_before", c->a_vx_before[i], c->a_vy_before[i]);
	pair_append(text, "a_after", c->a_vx_after[i], c->a_vy_after[i]);
	pair_append(text, "b_before", c->b_vx_before[i], c->b_vy_before[i]);
	pair_append(text, "b_after", c->b_vx_after[i], c->b_vy_after[i]);
	text_append(text, "}");
}

void
frame_json_collect(struct frame_json *json, const struct collide_frame *frame)
{
	for (size_t i = 0; i < frame->contacts.count; i++)
		contact_append(&json->contacts, &frame->contacts, i);
	const struct collide_path_changes *changes = &frame->path_changes;
	for (size_t i = 0; i < changes->count; i++) {
		struct text *text = &json->path_changes;
		text_append(text, text->count > 0 ? "," : "");
		text_format(text, "{\"tick\":%" PRIu64 ",\"time\":%.17g,\"body\":%" PRIu32 ",\"kind\":\"%s\"", changes->tick[i],
		            changes->time[i], changes->body[i], path_kind_name(changes->kind[i]));
		pair_append(text, "vector", changes->vector_x[i], changes->vector_y[i]);
		text_append(text, "}");
	}
	const struct collide_shortfalls *shortfalls = &frame->shortfalls;
	for (size_t i = 0; i < shortfalls->count; i++)
		text_format(&json->shortfalls, "%s{\"tick\":%" PRIu64 ",\"body\":%" PRIu32 ",\"flag\":\"%s\",\"amount\":%.17g}",
		            json->shortfalls.count > 0 ? "," : "", shortfalls->tick[i], shortfalls->body[i],
		            shortfall_flag_name(shortfalls->flag[i]), shortfalls->amount[i]);
}

static void
doubles_print(const char *name, const double *values, size_t count, FILE *out)
{
	fprintf(out, ",\"%s\":[", name);
	for (size_t i = 0; i < count; i++)
		fprintf(out, i > 0 ? ",%.17g" : "%.17g", values[i]);
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
	fputc('}', out);
}

static void
energy_print(const struct collide_energy *energy, FILE *out)
{
	fprintf(out, ",\"energy\":{\"kinetic_before\":%.17g,\"kinetic_after\":%.17g", energy->kinetic_before,
	        energy->kinetic_after);
	fprintf(out, ",\"potential_before\":%.17g,\"potential_after\":%.17g", energy->potential_before, energy->potential_after);
	fprintf(out, ",\"contact\":%.17g,\"work\":%.17g,\"push\":%.17g,\"support\":%.17g}", energy->contact, energy->work,
	        energy->push, energy->support);
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
frame_json_print(struct frame_json *json, const struct collide_frame *frame, const struct span *span, FILE *out)
{
	if (json->contacts.failed || json->path_changes.failed || json->shortfalls.failed)
		return false;
	fprintf(out, "{\"tick\":%" PRIu64 ",\"time\":%.17g,\"hash\":\"%016" PRIx64 "\"", frame->tick, frame->time, frame->hash);
	fprintf(out, ",\"events\":%" PRIu64 ",\"collisions\":%" PRIu64 ",\"clusters\":%" PRIu64, span->events, span->collisions,
	        span->clusters);
	if (span->has_energy)
		energy_print(&span->energy, out);
	bodies_print(&frame->bodies, out);
	rows_print("contacts", &json->contacts, out);
	rows_print("path_changes", &json->path_changes, out);
	rows_print("shortfalls", &json->shortfalls, out);
	fputs("}\n", out);
	return true;
}
