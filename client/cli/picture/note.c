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
