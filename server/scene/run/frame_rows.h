/* frame_rows: contacts, path changes, shortfalls and the like on their way into a frame, in the columns of the wire.
 *
 * One thread at a time. Owns its columns, which grow to a fixed number of rows and no further, so that what waits for a frame
 * is bounded whatever a tick makes. */
#ifndef COLLIDED_SCENE_RUN_FRAME_ROWS_H
#define COLLIDED_SCENE_RUN_FRAME_ROWS_H

#include "physics/physics.h"
#include "wire/wire.h"

struct frame_rows {
	size_t count;
	size_t capacity;
	size_t count_max;
	size_t row_bytes;
	size_t column_count;
	const uint8_t *widths; /* static: bytes of an element of each, in the order of the proto's fields */
	void *const *columns;  /* NULL: it has no rows, or none of its kind has such a column */
	void *block;           /* them, and what they point to, one behind the other */
};

/* `turns`: with spins. */
struct frame_rows frame_rows_of_contacts(bool turns);
struct frame_rows frame_rows_of_path_changes(void);
struct frame_rows frame_rows_of_shortfalls(void);
struct frame_rows frame_rows_of_pair_events(void);
struct frame_rows frame_rows_of_paths(void);
struct frame_rows frame_rows_of_places(void);
struct frame_rows frame_rows_of_ends(void);
void frame_rows_finish(struct frame_rows *rows);
size_t frame_rows_memory_bytes(const struct frame_rows *rows);
bool frame_rows_full(const struct frame_rows *rows);

/* Adds a row; the rows must not be full. false: no memory, nothing added. */
bool frame_rows_add_contact(struct frame_rows *rows, uint64_t tick, const struct contact *contact);
bool frame_rows_add_path_change(struct frame_rows *rows, uint64_t tick, const struct path_change *change);
bool frame_rows_add_shortfall(struct frame_rows *rows, uint64_t tick, const struct shortfall *shortfall);
bool frame_rows_add_pair_event(struct frame_rows *rows, uint64_t tick, const struct pair_event *event);
bool frame_rows_add_path(struct frame_rows *rows, uint64_t tick, const struct path_piece *piece);
bool frame_rows_add_place(struct frame_rows *rows, const struct segment_place *place);
bool frame_rows_add_end(struct frame_rows *rows, uint64_t tick, const struct body_end *end);

/* Lends the columns to a frame. */
void frame_rows_attach_contacts(const struct frame_rows *rows, struct wire_frame *frame);
void frame_rows_attach_path_changes(const struct frame_rows *rows, struct wire_frame *frame);
void frame_rows_attach_shortfalls(const struct frame_rows *rows, struct wire_frame *frame);
void frame_rows_attach_pair_events(const struct frame_rows *rows, struct wire_frame *frame);
void frame_rows_attach_paths(const struct frame_rows *rows, struct wire_frame *frame);
void frame_rows_attach_places(const struct frame_rows *rows, struct wire_frame *frame);
void frame_rows_attach_ends(const struct frame_rows *rows, struct wire_frame *frame);

#endif
