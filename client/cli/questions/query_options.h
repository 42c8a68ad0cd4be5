/* query_options: questions from the command line into a Query.
 *
 * One thread at a time. */
#ifndef COLLIDE_CLI_QUERY_OPTIONS_H
#define COLLIDE_CLI_QUERY_OPTIONS_H

#include "collide/v1/collide.pb-c.h"

#include <stdbool.h>
#include <stddef.h>

/* Each is NULL, or rows separated by ";", of numbers separated by ",". */
struct question_texts {
	const char *cast;    /* X,Y,MOVE_X,MOVE_Y[,R] */
	const char *at;      /* X,Y[,R] */
	const char *box;     /* X_MIN,Y_MIN,X_MAX,Y_MAX */
	const char *line;    /* X1,Y1,X2,Y2 */
	const char *nearest; /* X,Y[,R] */
	const char *move;    /* X,Y,R,MOVE_X,MOVE_Y */
	bool all;            /* every hit of a cast */
	unsigned long count; /* of nearest; 0: not given */
};

/* Puts the questions into a message made by malloc; they replace those of the same kind. false: `error` says which option is
 * wrong, or that there is no memory. */
bool query_options_fill(const struct question_texts *texts, Collide__V1__Query *query, char *error, size_t error_size);

#endif
