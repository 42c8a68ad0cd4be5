/* prepared: a request made once and sent many times with new ids. One thread at a time; owns its bytes. */
#ifndef COLLIDE_LOAD_PREPARED_H
#define COLLIDE_LOAD_PREPARED_H

#include "client/lib/bytes.h"
#include "client/lib/collide.h"

struct prepared {
	uint8_t *rest; /* of the ClientMessage, after the field request_id */
	size_t count;
};

/* false: *error says why; *out is unwritten. */
bool prepared_make(const struct collide_simulation *simulation, struct prepared *out, struct collide_error *error);
void prepared_finish(struct prepared *prepared);

/* Appends it, framed, with this id. false: no memory. */
bool prepared_append(const struct prepared *prepared, uint64_t request_id, struct bytes *to);

#endif
