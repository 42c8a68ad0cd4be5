#include "scene/query/query_rows.h"

#include "base/check.h"
#include "scene/query/column_attach.h"

Collide__V1__Feature
query_feature_of(bool segment, enum contact_feature feature)
{
	if (!segment)
		return COLLIDE__V1__FEATURE__FEATURE_CIRCLE;
	switch (feature) {
	case FEATURE_END_1: return COLLIDE__V1__FEATURE__FEATURE_SEGMENT_END_1;
	case FEATURE_END_2: return COLLIDE__V1__FEATURE__FEATURE_SEGMENT_END_2;
	case FEATURE_FACE: break;
	}
	return COLLIDE__V1__FEATURE__FEATURE_SEGMENT_FACE;
}

Collide__V1__Relation
query_relation_of(enum relation relation)
{
	switch (relation) {
	case RELATION_TOUCHING: return COLLIDE__V1__RELATION__RELATION_TOUCHING;
	case RELATION_OVERLAPPING: return COLLIDE__V1__RELATION__RELATION_OVERLAPPING;
	case RELATION_NONE: break;
	}
	return COLLIDE__V1__RELATION__RELATION_NONE;
}

static Collide__V1__Sweep
sweep_of(enum sweep_outcome outcome)
{
	switch (outcome) {
	case SWEEP_HIT: return COLLIDE__V1__SWEEP__SWEEP_HIT;
	case SWEEP_AT_START: return COLLIDE__V1__SWEEP__SWEEP_AT_START;
	case SWEEP_NOT_MOVING: return COLLIDE__V1__SWEEP__SWEEP_NOT_MOVING;
	case SWEEP_OUT_OF_REACH: return COLLIDE__V1__SWEEP__SWEEP_OUT_OF_REACH;
	case SWEEP_MOVING_AWAY: return COLLIDE__V1__SWEEP__SWEEP_MOVING_AWAY;
	case SWEEP_PASSES: return COLLIDE__V1__SWEEP__SWEEP_PASSES;
	case SWEEP_ENDS_BEFORE: return COLLIDE__V1__SWEEP__SWEEP_ENDS_BEFORE;
	case SWEEP_OUTCOMES: break;
	}
	return COLLIDE__V1__SWEEP__SWEEP_UNSPECIFIED;
}

static Collide__V1__BounceOutcome
bounce_of(enum bounce_outcome outcome)
{
	switch (outcome) {
	case BOUNCE_DONE: return COLLIDE__V1__BOUNCE_OUTCOME__BOUNCE_OUTCOME_DONE;
	case BOUNCE_RECEDING: return COLLIDE__V1__BOUNCE_OUTCOME__BOUNCE_OUTCOME_RECEDING;
	case BOUNCE_APART: break;
	}
	return COLLIDE__V1__BOUNCE_OUTCOME__BOUNCE_OUTCOME_APART;
}

/* In the order of the fields of PairColumns. */
enum {
	PAIR_GAP,
	PAIR_NORMAL,
	PAIR_A_POINT = PAIR_NORMAL + 2,
	PAIR_B_POINT = PAIR_A_POINT + 2,
	PAIR_TIME = PAIR_B_POINT + 2,
	PAIR_FRACTION,
	PAIR_A,
	PAIR_B = PAIR_A + 2,
	PAIR_A_MOVE = PAIR_B + 2,
	PAIR_B_MOVE = PAIR_A_MOVE + 2,
	PAIR_HIT = PAIR_B_MOVE + 2,
	PAIR_HIT_NORMAL = PAIR_HIT + 2,
	PAIR_APPROACH_SPEED = PAIR_HIT_NORMAL + 2,
	PAIR_END,
};

_Static_assert(PAIR_END == PAIR_DOUBLES, "one place for each column of doubles");

void
pair_rows_add(struct pair_rows *rows, uint32_t a, uint32_t b, bool segment, const struct shape_distance *distance,
              const struct sweep *sweep)
{
	static const struct sweep none = { .time = 0 };
	size_t row = rows->count++;
	const struct sweep *s = sweep ? sweep : &none;

	CHECK(row < SCENE_QUERY_ROWS_MAX);
	rows->a[row] = a;
	rows->b[row] = b;
	rows->feature[row] = query_feature_of(segment, distance->feature);
	rows->hit_feature[row] = query_feature_of(segment, s->feature);
	rows->relation[row] = query_relation_of(distance->relation);
	rows->sweep[row] = sweep_of(s->outcome);
	rows->values[PAIR_GAP][row] = distance->gap;
	rows->values[PAIR_TIME][row] = s->time;
	rows->values[PAIR_FRACTION][row] = s->fraction;
	rows->values[PAIR_APPROACH_SPEED][row] = s->approach_speed;
	for (size_t k = 0; k < 2; k++) {
		rows->values[PAIR_NORMAL + k][row] = distance->normal[k];
		rows->values[PAIR_A_POINT + k][row] = distance->a_point[k];
		rows->values[PAIR_B_POINT + k][row] = distance->b_point[k];
		rows->values[PAIR_A + k][row] = s->a[k];
		rows->values[PAIR_B + k][row] = s->b[k];
		rows->values[PAIR_A_MOVE + k][row] = s->a_move[k];
		rows->values[PAIR_B_MOVE + k][row] = s->b_move[k];
		rows->values[PAIR_HIT + k][row] = s->point[k];
		rows->values[PAIR_HIT_NORMAL + k][row] = s->normal[k];
	}
}

/* In the order of the fields of ResponseColumns. */
enum {
	RESPONSE_GAP,
	RESPONSE_NORMAL,
	RESPONSE_A = RESPONSE_NORMAL + 2,
	RESPONSE_B = RESPONSE_A + 2,
	RESPONSE_A_VELOCITY = RESPONSE_B + 2,
	RESPONSE_B_VELOCITY = RESPONSE_A_VELOCITY + 2,
	RESPONSE_IMPULSE = RESPONSE_B_VELOCITY + 2,
	RESPONSE_APPROACH_SPEED,
	RESPONSE_END,
};

_Static_assert(RESPONSE_END == RESPONSE_DOUBLES, "one place for each column of doubles");

void
response_rows_add(struct response_rows *rows, uint32_t number, const struct response *response)
{
	size_t row = rows->count++;

	CHECK(row < SCENE_QUERY_ROWS_MAX);
	rows->row[row] = number;
	rows->relation[row] = query_relation_of(response->distance.relation);
	rows->bounce[row] = response->bounce_asked ? bounce_of(response->bounce.outcome)
	                                           : COLLIDE__V1__BOUNCE_OUTCOME__BOUNCE_OUTCOME_UNSPECIFIED;
	rows->pushed[row] = response->pushed;
	rows->values[RESPONSE_GAP][row] = response->distance.gap;
	rows->values[RESPONSE_IMPULSE][row] = response->bounce.impulse;
	rows->values[RESPONSE_APPROACH_SPEED][row] = response->bounce.approach_speed;
	for (size_t k = 0; k < 2; k++) {
		rows->values[RESPONSE_NORMAL + k][row] = response->distance.normal[k];
		rows->values[RESPONSE_A + k][row] = response->a[k];
		rows->values[RESPONSE_B + k][row] = response->b[k];
		rows->values[RESPONSE_A_VELOCITY + k][row] = response->bounce.a_velocity[k];
		rows->values[RESPONSE_B_VELOCITY + k][row] = response->bounce.b_velocity[k];
	}
}

/* Field numbers below are those of collide.proto. */
void
pair_rows_attach(const struct pair_rows *rows, bool swept, Collide__V1__PairColumns *out)
{
	/* The doubles' fields, in order; those from 13 on are the sweep's. */
	static const unsigned fields[PAIR_DOUBLES] = { 5,  6,  7,  8,  9,  10, 11, 13, 14, 16, 17,
		                                           18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28 };

	collide__v1__pair_columns__init(out);
	column_attach(&out->base, 1, rows->a, rows->count);
	column_attach(&out->base, 2, rows->b, rows->count);
	column_attach(&out->base, 3, rows->feature, rows->count);
	column_attach(&out->base, 4, rows->relation, rows->count);
	for (size_t i = 0; i < PAIR_DOUBLES; i++)
		if (swept || fields[i] < 12)
			column_attach(&out->base, fields[i], rows->values[i], rows->count);
	if (swept) {
		column_attach(&out->base, 12, rows->sweep, rows->count);
		column_attach(&out->base, 15, rows->hit_feature, rows->count);
	}
}

void
response_rows_attach(const struct response_rows *rows, Collide__V1__ResponseColumns *out)
{
	static const unsigned fields[RESPONSE_DOUBLES] = { 3, 4, 5, 7, 8, 9, 10, 12, 13, 14, 15, 16, 17 };

	collide__v1__response_columns__init(out);
	column_attach(&out->base, 1, rows->row, rows->count);
	column_attach(&out->base, 2, rows->relation, rows->count);
	column_attach(&out->base, 6, rows->pushed, rows->count);
	column_attach(&out->base, 11, rows->bounce, rows->count);
	for (size_t i = 0; i < RESPONSE_DOUBLES; i++)
		column_attach(&out->base, fields[i], rows->values[i], rows->count);
}
