/* change_log: what commands have made of definitions, for the encoders, each of which has told a part of it.
 *
 * The worker that has the world. Entries are numbered from the world's first. */
#ifndef COLLIDED_WORLDS_COMMANDS_CHANGE_LOG_H
#define COLLIDED_WORLDS_COMMANDS_CHANGE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum change_kind { CHANGE_CIRCLE, CHANGE_CIRCLE_REMOVED, CHANGE_SEGMENT, CHANGE_SEGMENT_REMOVED, CHANGE_GRAVITY };

struct change_entry {
	uint32_t id;   /* of gravity 0 */
	uint32_t kind; /* enum change_kind */
};

struct change_log {
	struct change_entry *entries;
	size_t count, capacity;
	uint64_t first; /* number of entries[0] */
	bool kept;      /* there is an encoder: else nothing is noted */
};

void change_log_finish(struct change_log *log);
/* Room for so many more. False without memory. */
bool change_log_reserve(struct change_log *log, size_t count);
/* There must be room. */
void change_log_add(struct change_log *log, enum change_kind kind, uint32_t id);
/* The number of the next entry. */
uint64_t change_log_end(const struct change_log *log);
/* Forgets entries before that number. */
void change_log_trim(struct change_log *log, uint64_t number);
/* Gives back what an empty one has. */
void change_log_release(struct change_log *log);

#endif
