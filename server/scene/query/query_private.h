/* query_private: what query_read.c makes and query.c works through. */
#ifndef COLLIDED_SCENE_QUERY_QUERY_PRIVATE_H
#define COLLIDED_SCENE_QUERY_QUERY_PRIVATE_H

#include "physics/all_pairs.h"
#include "scene/query/pair_shapes.h"
#include "scene/query/query.h"
#include "scene/query/query_rows.h"
#include "scene/query/questions.h"

enum query_kind { QUERY_PAIRS, QUERY_SCENE, QUERY_RESPOND, QUERY_SPACE };

/* A column of numbers of one's own: the message's, copied. */
struct numbers {
	double *values; /* NULL: the default 1 for all rows */
	size_t count;
};

struct query {
	enum query_kind kind;
	uint64_t request_id;
	uint64_t memory_bytes_max;
	struct all_pairs_settings settings;

	/* Of what is asked. */
	struct all_pairs *all_pairs; /* QUERY_SCENE */
	struct questions questions;  /* QUERY_SPACE */
	struct pairs pairs;          /* the others */
	bool push_out, bounce;       /* QUERY_RESPOND */
	struct numbers weight_a, weight_b, elasticity;

	/* How far it is. */
	size_t next; /* row of the pairs */
	struct all_pairs_counts counts;
	Collide__V1__RespondCounts responses;
	struct pair_rows *pair_rows;         /* or */
	struct response_rows *response_rows; /* or */
	struct question_rows *question_rows;
};

/* Whether it holds no more than it may: RESOURCE_EXHAUSTED (MEMORY). */
enum status query_memory_check(const struct query *query, const char *path, struct wire_problem *problem);

/* Of a row; the default of all of these is 1. */
double query_number(const struct numbers *numbers, size_t row);
/* A weight, or INFINITY for what never yields. */
double query_weight_a(const struct query *query, size_t row);
double query_weight_b(const struct query *query, size_t row);

#endif
