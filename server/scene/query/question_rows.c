#include "scene/query/question_rows.h"

#include "base/check.h"
#include "scene/query/column_attach.h"
#include "scene/query/query_rows.h"

void
question_rows_clear(struct question_rows *rows)
{
	rows->hits = rows->moves = rows->legs = rows->presses = 0;
}

void
question_rows_hit(struct question_rows *rows, Collide__V1__Question question, uint32_t number, const struct space_hit *hit)
{
	size_t row = rows->hits++;
	const double values[HIT_DOUBLES] = { hit->fraction, hit->gap,      hit->x,         hit->y,
		                                 hit->point[0], hit->point[1], hit->normal[0], hit->normal[1] };

	CHECK(row < SCENE_QUERY_ROWS_MAX);
	rows->hit_question[row] = question;
	rows->hit_row[row] = number;
	rows->hit_id[row] = hit->id;
	rows->hit_feature[row] = query_feature_of(hit->segment, hit->feature);
	rows->hit_relation[row] = query_relation_of(hit->relation);
	for (size_t k = 0; k < HIT_DOUBLES; k++)
		rows->hit_values[k][row] = values[k];
}

static Collide__V1__MoveEnd
end_of(enum mover_end end)
{
	switch (end) {
	case MOVER_DONE: return COLLIDE__V1__MOVE_END__MOVE_END_DONE;
	case MOVER_BLOCKED: return COLLIDE__V1__MOVE_END__MOVE_END_BLOCKED;
	case MOVER_LEGS: break;
	}
	return COLLIDE__V1__MOVE_END__MOVE_END_LEGS;
}

void
question_rows_move(struct question_rows *rows, uint32_t number, const struct mover_path *path)
{
	size_t row = rows->moves++;
	const double values[MOVE_DOUBLES] = { path->x,           path->y,    path->fraction, path->remaining_x,
		                                  path->remaining_y, path->skin, path->depth };

	CHECK(row < SCENE_QUERY_ROWS_MAX);
	rows->move_row[row] = number;
	rows->move_end[row] = end_of(path->end);
	rows->move_legs[row] = (uint32_t)path->leg_count;
	for (size_t k = 0; k < MOVE_DOUBLES; k++)
		rows->move_values[k][row] = values[k];
}

void
question_rows_leg(struct question_rows *rows, uint32_t number, const struct mover_leg *leg)
{
	size_t row = rows->legs++;

	CHECK(row < SCENE_QUERY_ROWS_MAX);
	rows->leg_row[row] = number;
	rows->leg_values[0][row] = leg->x;
	rows->leg_values[1][row] = leg->y;
	rows->leg_values[2][row] = leg->fraction;
}

void
question_rows_press(struct question_rows *rows, uint32_t number, const struct mover_contact *contact)
{
	size_t row = rows->presses++;
	const double values[PRESS_DOUBLES] = { contact->gap, contact->point[0], contact->point[1], contact->normal[0],
		                                   contact->normal[1] };

	CHECK(row < SCENE_QUERY_ROWS_MAX);
	rows->press_row[row] = number;
	rows->press_leg[row] = contact->leg;
	rows->press_id[row] = contact->id;
	rows->press_feature[row] = query_feature_of(contact->segment, contact->feature);
	for (size_t k = 0; k < PRESS_DOUBLES; k++)
		rows->press_values[k][row] = values[k];
}

/* Doubles that have the fields from `first` on. */
static void
values_attach(ProtobufCMessage *message, unsigned first, const double (*values)[SCENE_QUERY_ROWS_MAX], size_t columns,
              size_t count)
{
	for (size_t k = 0; k < columns; k++)
		column_attach(message, first + (unsigned)k, values[k], count);
}

/* Field numbers below are those of collide.proto. */
static void
hits_attach(const struct question_rows *rows, Collide__V1__HitColumns *out)
{
	collide__v1__hit_columns__init(out);
	column_attach(&out->base, 1, rows->hit_question, rows->hits);
	column_attach(&out->base, 2, rows->hit_row, rows->hits);
	column_attach(&out->base, 3, rows->hit_id, rows->hits);
	column_attach(&out->base, 4, rows->hit_feature, rows->hits);
	column_attach(&out->base, 5, rows->hit_relation, rows->hits);
	values_attach(&out->base, 6, rows->hit_values, HIT_DOUBLES, rows->hits);
}

static void
moves_attach(const struct question_rows *rows, Collide__V1__MoveColumns *out)
{
	collide__v1__move_columns__init(out);
	column_attach(&out->base, 1, rows->move_row, rows->moves);
	column_attach(&out->base, 2, rows->move_end, rows->moves);
	values_attach(&out->base, 3, rows->move_values, MOVE_DOUBLES, rows->moves);
	column_attach(&out->base, 10, rows->move_legs, rows->moves);
}

static void
legs_attach(const struct question_rows *rows, Collide__V1__LegColumns *out)
{
	collide__v1__leg_columns__init(out);
	column_attach(&out->base, 1, rows->leg_row, rows->legs);
	values_attach(&out->base, 2, rows->leg_values, LEG_DOUBLES, rows->legs);
}

static void
presses_attach(const struct question_rows *rows, Collide__V1__PressColumns *out)
{
	collide__v1__press_columns__init(out);
	column_attach(&out->base, 1, rows->press_row, rows->presses);
	column_attach(&out->base, 2, rows->press_leg, rows->presses);
	column_attach(&out->base, 3, rows->press_id, rows->presses);
	column_attach(&out->base, 4, rows->press_feature, rows->presses);
	values_attach(&out->base, 5, rows->press_values, PRESS_DOUBLES, rows->presses);
}

void
question_rows_attach(const struct question_rows *rows, struct question_tables *tables, Collide__V1__Queried *out)
{
	if (rows->hits > 0) {
		hits_attach(rows, &tables->hits);
		out->optional_hits_case = COLLIDE__V1__QUERIED__OPTIONAL_HITS_HITS;
		out->hits = &tables->hits;
	}
	if (rows->moves > 0) {
		moves_attach(rows, &tables->moves);
		out->optional_moves_case = COLLIDE__V1__QUERIED__OPTIONAL_MOVES_MOVES;
		out->moves = &tables->moves;
	}
	if (rows->legs > 0) {
		legs_attach(rows, &tables->legs);
		out->optional_legs_case = COLLIDE__V1__QUERIED__OPTIONAL_LEGS_LEGS;
		out->legs = &tables->legs;
	}
	if (rows->presses > 0) {
		presses_attach(rows, &tables->presses);
		out->optional_presses_case = COLLIDE__V1__QUERIED__OPTIONAL_PRESSES_PRESSES;
		out->presses = &tables->presses;
	}
}
