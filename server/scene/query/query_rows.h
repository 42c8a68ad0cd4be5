/* query_rows: rows of a Detected or Responded on their way into a part, in the columns of the wire.
 *
 * One thread at a time. A fixed number of rows; a part is packed straight from them. */
#ifndef COLLIDED_SCENE_QUERY_QUERY_ROWS_H
#define COLLIDED_SCENE_QUERY_QUERY_ROWS_H

#include "physics/respond.h"
#include "scene/limits.h"
#include "wire/wire.h"

/* Doubles in PairColumns and ResponseColumns. */
#define PAIR_DOUBLES 22
#define RESPONSE_DOUBLES 13

/* What the engine found as the wire says it; `segment`: of a segment. */
Collide__V1__Feature query_feature_of(bool segment, enum contact_feature feature);
Collide__V1__Relation query_relation_of(enum relation relation);

struct pair_rows {
	size_t count;
	uint32_t a[SCENE_QUERY_ROWS_MAX], b[SCENE_QUERY_ROWS_MAX];
	Collide__V1__Feature feature[SCENE_QUERY_ROWS_MAX], hit_feature[SCENE_QUERY_ROWS_MAX];
	Collide__V1__Relation relation[SCENE_QUERY_ROWS_MAX];
	Collide__V1__Sweep sweep[SCENE_QUERY_ROWS_MAX];
	double values[PAIR_DOUBLES][SCENE_QUERY_ROWS_MAX];
};

struct response_rows {
	size_t count;
	uint32_t row[SCENE_QUERY_ROWS_MAX];
	Collide__V1__Relation relation[SCENE_QUERY_ROWS_MAX];
	Collide__V1__BounceOutcome bounce[SCENE_QUERY_ROWS_MAX];
	protobuf_c_boolean pushed[SCENE_QUERY_ROWS_MAX];
	double values[RESPONSE_DOUBLES][SCENE_QUERY_ROWS_MAX];
};

/* Adds a row; there must be room. `segment`: b is no circle. `sweep` may be NULL. */
void pair_rows_add(struct pair_rows *rows, uint32_t a, uint32_t b, bool segment, const struct shape_distance *distance,
                   const struct sweep *sweep);

/* What a response came to. */
struct response {
	struct shape_distance distance;
	double a[2], b[2]; /* positions after */
	bool pushed;
	bool bounce_asked;
	struct bounce bounce; /* velocities after, also if none was asked for */
};

void response_rows_add(struct response_rows *rows, uint32_t row, const struct response *response);

/* Points a message at the rows, which must outlive it. Without rows the table is to be left out. */
void pair_rows_attach(const struct pair_rows *rows, bool swept, Collide__V1__PairColumns *out);
void response_rows_attach(const struct response_rows *rows, Collide__V1__ResponseColumns *out);

#endif
