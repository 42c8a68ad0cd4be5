/* questions: those of a Query, checked, and put to the scene's shapes one after another.
 *
 * One thread at a time. Owns the space, a copy of the questions, and the answers to the present one; keeps nothing of the
 * request or the arena. */
#ifndef COLLIDED_SCENE_QUERY_QUESTIONS_H
#define COLLIDED_SCENE_QUERY_QUESTIONS_H

#include "physics/mover.h"
#include "scene/query/question_rows.h"
#include "scene/scene.h"
#include "scene/shared_space.h"

/* In the order in which they are answered. */
enum question_kind {
	QUESTION_CASTS,
	QUESTION_IN_CIRCLES,
	QUESTION_IN_BOXES,
	QUESTION_IN_SEGMENTS,
	QUESTION_NEAREST,
	QUESTION_MOVES,
	QUESTION_KINDS,
};

struct questions {
	/* Immutable. */
	struct space *space;         /* NULL: that of the moment of a world, which is still to come */
	struct shared_space *shared; /* holds it; NULL: it is one's own */
	Collide__V1__Query *request; /* a copy of one's own, without the scene or snapshot */
	size_t rows[QUESTION_KINDS];
	struct tolerance tolerance;
	size_t questions_bytes;

	/* How far they are: the next to be put. */
	enum question_kind kind;
	size_t row;
	/* What of the present answer is still to be told. */
	struct space_hits hits;
	struct mover_path path;
	bool move_waits;
	size_t hit_next, leg_next, press_next, leg_count, press_count;
	uint32_t answer_row;
	Collide__V1__Question answer_question;
	Collide__V1__QueryCounts counts;
};

/* Checks every field. On failure *out holds nothing. */
STATUS_MUST_USE enum status questions_read(const Collide__V1__Query *request, const struct scene_limits *limits,
                                           struct arena *arena, struct questions *out, struct wire_problem *problem);
void questions_finish(struct questions *questions);
size_t questions_memory_bytes(const struct questions *questions);

enum questions_progress {
	QUESTIONS_ROW,   /* one more row is in *rows */
	QUESTIONS_ASKED, /* a question was put; its rows come with the next calls */
	QUESTIONS_DONE,
	QUESTIONS_FAILED, /* *problem: no memory for the answer to one question */
};

/* The next row, or the next question; there must be room for a row in each table. */
enum questions_progress questions_next(struct questions *questions, struct question_rows *rows, struct wire_problem *problem);

/* The questions of one kind, and their Asker; NULL: none. For questions_read and questions_next. */
const ProtobufCMessage *question_message(const Collide__V1__Query *request, enum question_kind kind);
const Collide__V1__Asker *question_asker(const Collide__V1__Query *request, enum question_kind kind);

#endif
