/* Questions on the command line: rows of numbers into columns of a Query. */
#include "client/cli/questions/query_options.h"
#include "support/assert_double.h"

#include <stdlib.h>
#include <string.h>

static char error[200];

static Collide__V1__Query *
filled(const struct question_texts *texts)
{
	Collide__V1__Query *query = malloc(sizeof *query);
	assert_non_null(query);
	collide__v1__query__init(query);
	assert_true(query_options_fill(texts, query, error, sizeof error));
	return query;
}

static void
release(Collide__V1__Query *query)
{
	collide__v1__query__free_unpacked(query, NULL);
}

static void
each_option_is_a_question(void **state)
{
	(void)state;
	const struct question_texts texts = { .cast = "1,2,3,4",
		                                  .at = "5,6,7",
		                                  .box = "-1,-2,1e3,0x2p1",
		                                  .line = "1,2,3,4",
		                                  .nearest = "8,9",
		                                  .move = "1,2,0.5,3,4",
		                                  .all = true,
		                                  .count = 12 };
	Collide__V1__Query *query = filled(&texts);
	assert_int_equal(query->casts->n_x, 1);
	assert_double_same_bits(query->casts->move_y[0], 4);
	assert_int_equal(query->casts->n_radius, 0);
	assert_int_equal(query->casts->n_limit, 1);
	assert_int_equal(query->casts->limit[0], 0);
	assert_double_same_bits(query->in_circles->radius[0], 7);
	assert_double_same_bits(query->in_boxes->x_min[0], -1);
	assert_double_same_bits(query->in_boxes->x_max[0], 1000);
	assert_double_same_bits(query->in_boxes->y_max[0], 4);
	assert_double_same_bits(query->in_segments->y2[0], 4);
	assert_double_same_bits(query->nearest->y[0], 9);
	assert_int_equal(query->nearest->limit[0], 12);
	assert_double_same_bits(query->moves->radius[0], 0.5);
	assert_double_same_bits(query->moves->move_y[0], 4);
	release(query);
}

static void
rows_are_divided_by_semicolons(void **state)
{
	(void)state;
	const struct question_texts texts = { .cast = "1,2,3,4; 5 , 6,7,8,0.5;9,9,9,9;" };
	const struct question_texts spaced = { .cast = "1,2,3,4; 5, 6,7,8,0.5;9,9,9,9;" };
	Collide__V1__Query none = COLLIDE__V1__QUERY__INIT;
	assert_false(query_options_fill(&texts, &none, error, sizeof error)); /* a blank before a comma */
	Collide__V1__Query *query = filled(&spaced);
	assert_int_equal(query->casts->n_x, 3);
	assert_double_same_bits(query->casts->y[1], 6);
	assert_int_equal(query->casts->n_radius, 3);
	assert_double_same_bits(query->casts->radius[0], 0);
	assert_double_same_bits(query->casts->radius[1], 0.5);
	assert_int_equal(query->casts->n_limit, 0);
	release(query);
}

static void
what_the_file_asks_is_replaced(void **state)
{
	(void)state;
	const struct question_texts first = { .move = "1,2,3,4,5;1,2,3,4,5", .cast = "1,1,1,1" }, second = { .move = "7,2,3,4,5" };
	Collide__V1__Query *query = filled(&first);
	assert_true(query_options_fill(&second, query, error, sizeof error));
	assert_int_equal(query->moves->n_x, 1);
	assert_double_same_bits(query->moves->x[0], 7);
	assert_int_equal(query->casts->n_x, 1);
	release(query);
}

static void
what_is_no_question_is_refused(void **state)
{
	(void)state;
	static const char *const wrong[] = { "",          "1,2,3",     "1,2,3,4,5,6", "1,2,3,x",       "1,2,3,4x", "1,2,3,4,",
		                                 "1,2,3,4;;", "1,2,3,4;1", ";1,2,3,4",    "1,2,3,4 5,6,7", ",1,2,3,4" };
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		const struct question_texts texts = { .cast = wrong[i] };
		Collide__V1__Query query = COLLIDE__V1__QUERY__INIT;
		assert_false(query_options_fill(&texts, &query, error, sizeof error));
		assert_non_null(strstr(error, "--cast: must be X,Y,MOVE_X,MOVE_Y[,R]"));
		assert_int_equal(query.optional_casts_case, 0);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_option_is_a_question),
		cmocka_unit_test(rows_are_divided_by_semicolons),
		cmocka_unit_test(what_the_file_asks_is_replaced),
		cmocka_unit_test(what_is_no_question_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
