/* rows: contacts, path changes, shortfalls and the like on their way into a frame, in the columns of the wire.
 *
 * One thread at a time. Owns its columns, which grow to a fixed number of rows and no further, so that what waits for a frame
 * is bounded whatever a tick makes. */
#ifndef COLLIDED_SCENE_ROWS_H
#define COLLIDED_SCENE_ROWS_H

#include "physics/physics.h"
#include "wire/wire.h"

#define ROWS_COLUMNS_MAX 25

struct rows {
	size_t count;
	size_t capacity;
	size_t count_max;
	size_t row_bytes;
	size_t column_count;
	const uint8_t *widths;           /* static: bytes of an element of each, in the order of the proto's fields */
	void *columns[ROWS_COLUMNS_MAX]; /* one behind the other in a block; NULL before the first row */
	void *block;
};

/* `turns`: with spins. */
struct rows rows_of_contacts(bool turns);
struct rows rows_of_path_changes(void);
struct rows rows_of_shortfalls(void);
struct rows rows_of_pair_events(void);
struct rows rows_of_paths(void);
struct rows rows_of_places(void);
void rows_finish(struct rows *rows);
size_t rows_memory_bytes(const struct rows *rows);
bool rows_full(const struct rows *rows);

/* Adds a row; the rows must not be full. false: no memory, nothing added. */
bool rows_add_contact(struct rows *rows, uint64_t tick, const struct contact *contact);
bool rows_add_path_change(struct rows *rows, uint64_t tick, const struct path_change *change);
bool rows_add_shortfall(struct rows *rows, uint64_t tick, const struct shortfall *shortfall);
bool rows_add_pair_event(struct rows *rows, uint64_t tick, const struct pair_event *event);
bool rows_add_path(struct rows *rows, uint64_t tick, const struct path_piece *piece);
bool rows_add_place(struct rows *rows, const struct segment_place *place);

/* Lends the columns to a frame. */
void rows_lend_contacts(const struct rows *rows, struct wire_frame *frame);
void rows_lend_path_changes(const struct rows *rows, struct wire_frame *frame);
void rows_lend_shortfalls(const struct rows *rows, struct wire_frame *frame);
void rows_lend_pair_events(const struct rows *rows, struct wire_frame *frame);
void rows_lend_paths(const struct rows *rows, struct wire_frame *frame);
void rows_lend_places(const struct rows *rows, struct wire_frame *frame);

#endif
