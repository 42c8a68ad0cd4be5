/* note: what a picture says of the run or the answers that it shows, in one line within the file: counts, the engine's
 * semantics, a hash. With it a picture can be compared with one of today. Any thread. */
#ifndef COLLIDE_CLI_NOTE_H
#define COLLIDE_CLI_NOTE_H

#include <stddef.h>
#include <stdint.h>

enum { NOTE_BYTES = 200 };

struct run_note {
	size_t circles, walls;
	uint64_t ticks, contacts; /* collisions, as frames count them */
	uint64_t hash;
};

/* "collide: 500 circles, 390 walls, 600 ticks, 162230 contacts, semantics 11, state hash 0de65d6cbc711035" */
void note_format(const struct run_note *note, char to[NOTE_BYTES]);

/* "collide: 720 casts, 24 moves, semantics 14, answers hash 0de65d6cbc711035" */
void note_format_answers(uint64_t casts, uint64_t moves, uint64_t hash, char to[NOTE_BYTES]);

#endif
