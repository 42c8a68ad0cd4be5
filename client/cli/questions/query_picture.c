#include "client/cli/questions/query_picture.h"

#include "client/cli/picture/note.h"
#include "client/cli/picture/picture.h"
#include "client/cli/recording/start.h"
#include "client/cli/run/start_picture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct query_picture {
	const Collide__V1__Query *query;
	struct picture *picture;
	uint8_t *hit; /* of each cast: whether it hit something */
	size_t cast_count;
	/* the move that the current steps belong to */
	uint32_t move_row;
	bool move_began;
	double x, y;
	uint64_t moves;
	uint64_t hash; /* of what is drawn, FNV-1a */
};

static void
hash_places(struct query_picture *drawing, const double *x, const double *y, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint8_t bytes[2 * sizeof *x];
		memcpy(bytes, &x[i], sizeof *x);
		memcpy(bytes + sizeof *x, &y[i], sizeof *y);
		for (size_t at = 0; at < sizeof bytes; at++)
			drawing->hash = (drawing->hash ^ bytes[at]) * UINT64_C(0x100000001b3);
	}
}

/* A value of a column, by the rule of short columns. */
static double
value_of(const double *values, size_t count, size_t row)
{
	return count == 1 ? values[0] : row < count ? values[row] : 0;
}

static const Collide__V1__Casts *
casts_of(const Collide__V1__Query *query)
{
	return query->optional_casts_case == COLLIDE__V1__QUERY__OPTIONAL_CASTS_CASTS ? query->casts : NULL;
}

struct query_picture *
query_picture_create(const Collide__V1__Query *query)
{
	const Collide__V1__Casts *casts = casts_of(query);
	struct query_picture *drawing = calloc(1, sizeof *drawing);
	if (!drawing)
		return NULL;
	drawing->query = query;
	drawing->hash = UINT64_C(0xcbf29ce484222325);
	if (casts) {
		const size_t counts[] = { casts->count, casts->n_x, casts->n_y, casts->n_move_x, casts->n_move_y, casts->n_radius };
		for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
			drawing->cast_count = counts[i] > drawing->cast_count ? counts[i] : drawing->cast_count;
	}
	switch (query->optional_scene_case) {
	case COLLIDE__V1__QUERY__OPTIONAL_SCENE_SCENE: drawing->picture = picture_create(query->scene); break;
	case COLLIDE__V1__QUERY__OPTIONAL_SCENE_SNAPSHOT:
		drawing->picture = start_picture(
			&(struct start){ .snapshot = query->snapshot.data, .snapshot_bytes = query->snapshot.len });
		break;
	default: break;
	}
	drawing->hit = calloc(drawing->cast_count + 1, 1);
	if (!drawing->picture || !drawing->hit) {
		query_picture_destroy(drawing);
		return NULL;
	}
	return drawing;
}

void
query_picture_destroy(struct query_picture *drawing)
{
	if (!drawing)
		return;
	picture_destroy(drawing->picture);
	free(drawing->hit);
	free(drawing);
}

static void
cast_draw(struct query_picture *drawing, const struct collide_hits *hits, size_t i)
{
	const Collide__V1__Casts *casts = casts_of(drawing->query);
	uint32_t row = hits->row[i];
	if (!casts || row >= drawing->cast_count)
		return;
	drawing->hit[row] = 1;
	picture_query_path(drawing->picture, value_of(casts->x, casts->n_x, row), value_of(casts->y, casts->n_y, row), hits->x[i],
	                   hits->y[i], value_of(casts->radius, casts->n_radius, row), false);
	picture_contact(drawing->picture, hits->point_x[i], hits->point_y[i], 1);
}

static void
hit_draw(struct query_picture *drawing, const struct collide_hits *hits, size_t i)
{
	switch (hits->question[i]) {
	case COLLIDE_CAST: cast_draw(drawing, hits, i); break;
	case COLLIDE_NEAREST:
		picture_query_path(drawing->picture, hits->x[i], hits->y[i], hits->point_x[i], hits->point_y[i], 0, true);
		picture_contact(drawing->picture, hits->point_x[i], hits->point_y[i], 1);
		break;
	case COLLIDE_IN_CIRCLE: picture_contact(drawing->picture, hits->point_x[i], hits->point_y[i], 1); break;
	default: break;
	}
}

static void
leg_draw(struct query_picture *drawing, const struct collide_legs *legs, size_t i)
{
	const Collide__V1__Moves *moves = drawing->query->moves;
	if (drawing->query->optional_moves_case != COLLIDE__V1__QUERY__OPTIONAL_MOVES_MOVES)
		return;
	if (!drawing->move_began || drawing->move_row != legs->row[i]) {
		drawing->move_began = true;
		drawing->move_row = legs->row[i];
		drawing->x = value_of(moves->x, moves->n_x, legs->row[i]);
		drawing->y = value_of(moves->y, moves->n_y, legs->row[i]);
	}
	picture_query_path(drawing->picture, drawing->x, drawing->y, legs->x[i], legs->y[i],
	                   value_of(moves->radius, moves->n_radius, legs->row[i]), false);
	drawing->x = legs->x[i];
	drawing->y = legs->y[i];
}

void
query_picture_part(struct query_picture *drawing, const struct collide_queried *part)
{
	for (size_t i = 0; i < part->hits.count; i++)
		hit_draw(drawing, &part->hits, i);
	for (size_t i = 0; i < part->legs.count; i++)
		leg_draw(drawing, &part->legs, i);
	for (size_t i = 0; i < part->presses.count; i++)
		picture_contact(drawing->picture, part->presses.point_x[i], part->presses.point_y[i], 1);
	drawing->moves += part->moves.count;
	hash_places(drawing, part->hits.x, part->hits.y, part->hits.count);
	hash_places(drawing, part->hits.point_x, part->hits.point_y, part->hits.count);
	hash_places(drawing, part->legs.x, part->legs.y, part->legs.count);
	hash_places(drawing, part->presses.point_x, part->presses.point_y, part->presses.count);
}

/* Draws casts that hit nothing at their full length. */
static uint64_t
misses_draw(struct query_picture *drawing)
{
	const Collide__V1__Casts *casts = casts_of(drawing->query);
	uint64_t misses = 0;
	for (size_t row = 0; casts && row < drawing->cast_count; row++) {
		double x = value_of(casts->x, casts->n_x, row), y = value_of(casts->y, casts->n_y, row);
		if (drawing->hit[row])
			continue;
		misses++;
		picture_query_path(drawing->picture, x, y, x + value_of(casts->move_x, casts->n_move_x, row),
		                   y + value_of(casts->move_y, casts->n_move_y, row), value_of(casts->radius, casts->n_radius, row),
		                   true);
	}
	return misses;
}

bool
query_picture_write(struct query_picture *drawing, const char *svg_path, const char *png_path, char *error, size_t error_size)
{
	char caption[120], note[NOTE_BYTES];
	uint64_t misses = misses_draw(drawing);
	snprintf(caption, sizeof caption, "%zu cast%s, %" PRIu64 " of them without a hit  ·  %" PRIu64 " move%s",
	         drawing->cast_count, drawing->cast_count == 1 ? "" : "s", misses, drawing->moves, drawing->moves == 1 ? "" : "s");
	picture_caption(drawing->picture, caption);
	note_format_answers(drawing->cast_count, drawing->moves, drawing->hash, note);
	picture_note(drawing->picture, note);
	return (!svg_path || picture_write_svg(drawing->picture, svg_path, error, error_size)) &&
	       (!png_path || picture_write_png(drawing->picture, png_path, error, error_size));
}
