#include "client/cli/picture/note.h"

#include "physics/physics.h"

#include <inttypes.h>
#include <stdio.h>

void
note_format(const struct run_note *note, char to[NOTE_BYTES])
{
	snprintf(to, NOTE_BYTES,
	         "collide: %zu circles, %zu walls, %" PRIu64 " ticks, %" PRIu64 " contacts, semantics %u, state hash %016" PRIx64,
	         note->circles, note->walls, note->ticks, note->contacts, PHYSICS_SEMANTICS, note->hash);
}

void
note_format_answers(uint64_t casts, uint64_t moves, uint64_t hash, char to[NOTE_BYTES])
{
	snprintf(to, NOTE_BYTES, "collide: %" PRIu64 " casts, %" PRIu64 " moves, semantics %u, answers hash %016" PRIx64, casts,
	         moves, PHYSICS_SEMANTICS, hash);
}
