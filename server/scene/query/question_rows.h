/* question_rows: rows of a Queried on their way into a part, in the columns of the wire.
 *
 * One thread at a time. A fixed number of rows; a part is packed straight from them. */
#ifndef COLLIDED_SCENE_QUERY_QUESTION_ROWS_H
#define COLLIDED_SCENE_QUERY_QUESTION_ROWS_H

#include "physics/mover.h"
#include "scene/limits.h"
#include "wire/wire.h"

/* Doubles in each of the tables. */
#define HIT_DOUBLES 8
#define MOVE_DOUBLES 7
#define LEG_DOUBLES 3
#define PRESS_DOUBLES 5

struct question_rows {
	size_t hits, moves, legs, presses; /* rows of each table */

	Collide__V1__Question hit_question[SCENE_QUERY_ROWS_MAX];
	uint32_t hit_row[SCENE_QUERY_ROWS_MAX], hit_id[SCENE_QUERY_ROWS_MAX];
	Collide__V1__Feature hit_feature[SCENE_QUERY_ROWS_MAX];
	Collide__V1__Relation hit_relation[SCENE_QUERY_ROWS_MAX];
	double hit_values[HIT_DOUBLES][SCENE_QUERY_ROWS_MAX];

	uint32_t move_row[SCENE_QUERY_ROWS_MAX], move_legs[SCENE_QUERY_ROWS_MAX];
	Collide__V1__MoveEnd move_end[SCENE_QUERY_ROWS_MAX];
	double move_values[MOVE_DOUBLES][SCENE_QUERY_ROWS_MAX];

	uint32_t leg_row[SCENE_QUERY_ROWS_MAX];
	double leg_values[LEG_DOUBLES][SCENE_QUERY_ROWS_MAX];

	uint32_t press_row[SCENE_QUERY_ROWS_MAX], press_leg[SCENE_QUERY_ROWS_MAX], press_id[SCENE_QUERY_ROWS_MAX];
	Collide__V1__Feature press_feature[SCENE_QUERY_ROWS_MAX];
	double press_values[PRESS_DOUBLES][SCENE_QUERY_ROWS_MAX];
};

/* Whether a table has no room for another row. */
static inline bool
question_rows_full(const struct question_rows *rows)
{
	return rows->hits == SCENE_QUERY_ROWS_MAX || rows->moves == SCENE_QUERY_ROWS_MAX || rows->legs == SCENE_QUERY_ROWS_MAX ||
	       rows->presses == SCENE_QUERY_ROWS_MAX;
}

void question_rows_clear(struct question_rows *rows);
/* Each adds a row; there must be room. */
void question_rows_hit(struct question_rows *rows, Collide__V1__Question question, uint32_t row, const struct space_hit *hit);
void question_rows_move(struct question_rows *rows, uint32_t row, const struct mover_path *path);
void question_rows_leg(struct question_rows *rows, uint32_t row, const struct mover_leg *leg);
void question_rows_press(struct question_rows *rows, uint32_t row, const struct mover_contact *contact);

/* Tables that point at the rows, which must outlive them. */
struct question_tables {
	Collide__V1__HitColumns hits;
	Collide__V1__MoveColumns moves;
	Collide__V1__LegColumns legs;
	Collide__V1__PressColumns presses;
};

/* Points *out at the tables that have rows. */
void question_rows_attach(const struct question_rows *rows, struct question_tables *tables, Collide__V1__Queried *out);

#endif
