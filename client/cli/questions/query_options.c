#include "client/cli/questions/query_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBERS_MAX 5

/* Numbers as they are read: a column for each position in a row. */
struct option_rows {
	size_t count, columns; /* columns: as many as the longest row has */
	double *values[NUMBERS_MAX];
};

static void
rows_free(struct option_rows *rows)
{
	for (size_t i = 0; i < NUMBERS_MAX; i++) {
		free(rows->values[i]);
		rows->values[i] = NULL;
	}
}

static bool
refused(const char *option, const char *form, char *error, size_t error_size)
{
	snprintf(error, error_size, "%s: must be %s, rows divided by \";\"", option, form);
	return false;
}

/* Reads one row and leaves *text at its end. */
static bool
row_read(const char **text, struct option_rows *rows, size_t least, size_t most)
{
	size_t columns = 0;
	for (;; (*text)++) {
		char *end;
		if (columns == most)
			return false;
		rows->values[columns][rows->count] = strtod(*text, &end);
		if (end == *text)
			return false;
		columns++;
		*text = end;
		if (**text != ',')
			break;
	}
	for (size_t i = columns; i < most; i++)
		rows->values[i][rows->count] = 0;
	rows->columns = columns > rows->columns ? columns : rows->columns;
	rows->count++;
	return columns >= least;
}

static bool
rows_read(const char *option, const char *form, const char *text, size_t least, size_t most, struct option_rows *out,
          char *error, size_t error_size)
{
	size_t count = 1;
	for (const char *c = text; *c != '\0'; c++)
		count += *c == ';';
	*out = (struct option_rows){ .count = 0 };
	for (size_t i = 0; i < most; i++) {
		out->values[i] = malloc(count * sizeof(double));
		if (!out->values[i]) {
			rows_free(out);
			snprintf(error, error_size, "%s: no memory", option);
			return false;
		}
	}
	while (row_read(&text, out, least, most)) {
		if (*text == '\0' || (*text == ';' && text[1] == '\0'))
			return true;
		if (*text++ != ';')
			break;
	}
	rows_free(out);
	return refused(option, form, error, error_size);
}

/* Gives a column to a message, which then owns it. A column that no row has is left out. */
static void
column_give(struct option_rows *rows, size_t place, size_t *count, double **column)
{
	if (place >= rows->columns)
		return;
	*count = rows->count;
	*column = rows->values[place];
	rows->values[place] = NULL;
}

/* A column of one value for all rows. */
static bool
limit_give(uint32_t limit, size_t *count, uint32_t **column)
{
	*column = malloc(sizeof **column);
	if (!*column)
		return false;
	**column = limit;
	*count = 1;
	return true;
}

/* A message of its type's size, initialized; NULL without memory. */
static void *
message_new(const ProtobufCMessageDescriptor *type)
{
	ProtobufCMessage *message = malloc(type->sizeof_message);
	if (message)
		protobuf_c_message_init(type, message);
	return message;
}

static void
message_drop(void *message)
{
	if (message)
		protobuf_c_message_free_unpacked(message, NULL);
}

static bool
cast_fill(const struct question_texts *texts, Collide__V1__Query *query, struct option_rows *rows)
{
	Collide__V1__Casts *m = message_new(&collide__v1__casts__descriptor);
	if (!m)
		return false;
	if (query->optional_casts_case == COLLIDE__V1__QUERY__OPTIONAL_CASTS_CASTS)
		message_drop(query->casts);
	query->optional_casts_case = COLLIDE__V1__QUERY__OPTIONAL_CASTS_CASTS;
	query->casts = m;
	column_give(rows, 0, &m->n_x, &m->x);
	column_give(rows, 1, &m->n_y, &m->y);
	column_give(rows, 2, &m->n_move_x, &m->move_x);
	column_give(rows, 3, &m->n_move_y, &m->move_y);
	column_give(rows, 4, &m->n_radius, &m->radius);
	return !texts->all || limit_give(0, &m->n_limit, &m->limit);
}

static bool
at_fill(const struct question_texts *texts, Collide__V1__Query *query, struct option_rows *rows)
{
	Collide__V1__InCircles *m = message_new(&collide__v1__in_circles__descriptor);
	(void)texts;
	if (!m)
		return false;
	if (query->optional_in_circles_case == COLLIDE__V1__QUERY__OPTIONAL_IN_CIRCLES_IN_CIRCLES)
		message_drop(query->in_circles);
	query->optional_in_circles_case = COLLIDE__V1__QUERY__OPTIONAL_IN_CIRCLES_IN_CIRCLES;
	query->in_circles = m;
	column_give(rows, 0, &m->n_x, &m->x);
	column_give(rows, 1, &m->n_y, &m->y);
	column_give(rows, 2, &m->n_radius, &m->radius);
	return true;
}

static bool
box_fill(const struct question_texts *texts, Collide__V1__Query *query, struct option_rows *rows)
{
	Collide__V1__InBoxes *m = message_new(&collide__v1__in_boxes__descriptor);
	(void)texts;
	if (!m)
		return false;
	if (query->optional_in_boxes_case == COLLIDE__V1__QUERY__OPTIONAL_IN_BOXES_IN_BOXES)
		message_drop(query->in_boxes);
	query->optional_in_boxes_case = COLLIDE__V1__QUERY__OPTIONAL_IN_BOXES_IN_BOXES;
	query->in_boxes = m;
	column_give(rows, 0, &m->n_x_min, &m->x_min);
	column_give(rows, 1, &m->n_y_min, &m->y_min);
	column_give(rows, 2, &m->n_x_max, &m->x_max);
	column_give(rows, 3, &m->n_y_max, &m->y_max);
	return true;
}

static bool
line_fill(const struct question_texts *texts, Collide__V1__Query *query, struct option_rows *rows)
{
	Collide__V1__InSegments *m = message_new(&collide__v1__in_segments__descriptor);
	(void)texts;
	if (!m)
		return false;
	if (query->optional_in_segments_case == COLLIDE__V1__QUERY__OPTIONAL_IN_SEGMENTS_IN_SEGMENTS)
		message_drop(query->in_segments);
	query->optional_in_segments_case = COLLIDE__V1__QUERY__OPTIONAL_IN_SEGMENTS_IN_SEGMENTS;
	query->in_segments = m;
	column_give(rows, 0, &m->n_x1, &m->x1);
	column_give(rows, 1, &m->n_y1, &m->y1);
	column_give(rows, 2, &m->n_x2, &m->x2);
	column_give(rows, 3, &m->n_y2, &m->y2);
	return true;
}

static bool
nearest_fill(const struct question_texts *texts, Collide__V1__Query *query, struct option_rows *rows)
{
	Collide__V1__Nearest *m = message_new(&collide__v1__nearest__descriptor);
	if (!m)
		return false;
	if (query->optional_nearest_case == COLLIDE__V1__QUERY__OPTIONAL_NEAREST_NEAREST)
		message_drop(query->nearest);
	query->optional_nearest_case = COLLIDE__V1__QUERY__OPTIONAL_NEAREST_NEAREST;
	query->nearest = m;
	column_give(rows, 0, &m->n_x, &m->x);
	column_give(rows, 1, &m->n_y, &m->y);
	column_give(rows, 2, &m->n_radius, &m->radius);
	return texts->count == 0 || limit_give((uint32_t)texts->count, &m->n_limit, &m->limit);
}

static bool
move_fill(const struct question_texts *texts, Collide__V1__Query *query, struct option_rows *rows)
{
	Collide__V1__Moves *m = message_new(&collide__v1__moves__descriptor);
	(void)texts;
	if (!m)
		return false;
	if (query->optional_moves_case == COLLIDE__V1__QUERY__OPTIONAL_MOVES_MOVES)
		message_drop(query->moves);
	query->optional_moves_case = COLLIDE__V1__QUERY__OPTIONAL_MOVES_MOVES;
	query->moves = m;
	column_give(rows, 0, &m->n_x, &m->x);
	column_give(rows, 1, &m->n_y, &m->y);
	column_give(rows, 2, &m->n_radius, &m->radius);
	column_give(rows, 3, &m->n_move_x, &m->move_x);
	column_give(rows, 4, &m->n_move_y, &m->move_y);
	return true;
}

bool
query_options_fill(const struct question_texts *texts, Collide__V1__Query *query, char *error, size_t error_size)
{
	const struct {
		const char *option, *form, *text;
		size_t least, most;
		bool (*fill)(const struct question_texts *texts, Collide__V1__Query *query, struct option_rows *rows);
	} kinds[] = {
		{ "--cast", "X,Y,MOVE_X,MOVE_Y[,R]", texts->cast, 4, 5, cast_fill },
		{ "--at", "X,Y[,R]", texts->at, 2, 3, at_fill },
		{ "--box", "X_MIN,Y_MIN,X_MAX,Y_MAX", texts->box, 4, 4, box_fill },
		{ "--line", "X1,Y1,X2,Y2", texts->line, 4, 4, line_fill },
		{ "--nearest", "X,Y[,R]", texts->nearest, 2, 3, nearest_fill },
		{ "--move", "X,Y,R,MOVE_X,MOVE_Y", texts->move, 5, 5, move_fill },
	};
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		struct option_rows rows;
		if (!kinds[i].text)
			continue;
		if (!rows_read(kinds[i].option, kinds[i].form, kinds[i].text, kinds[i].least, kinds[i].most, &rows, error, error_size))
			return false;
		bool good = kinds[i].fill(texts, query, &rows);
		rows_free(&rows);
		if (!good) {
			snprintf(error, error_size, "%s: no memory", kinds[i].option);
			return false;
		}
	}
	return true;
}
