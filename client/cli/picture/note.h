/* note: what a picture says of the run that it shows, in one line within the file: counts, the engine's semantics, the state
 * hash. With it a picture can be compared with a run of today. Any thread. */
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

#endif
