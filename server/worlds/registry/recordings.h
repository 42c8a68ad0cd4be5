/* recordings: worlds that the server writes into files (Record), as a reader of STREAM_COMMANDS would.
 *
 * Loop only. A recording is a reader of its world's encoder without a connection: what comes is given to a file of the host
 * (struct worlds_files), which writes it elsewhere. It outlives its world until the host says that the file has ended. */
#ifndef COLLIDED_WORLDS_REGISTRY_RECORDINGS_H
#define COLLIDED_WORLDS_REGISTRY_RECORDINGS_H

#include "worlds/registry/registry_private.h"

/* An update of the encoder. */
void recording_update(struct hosted *world, const struct encoder_use *encoder, const struct update *update);
/* That encoder is no more. */
void recording_lose(struct hosted *world, const struct encoder_use *encoder);
/* The world has no recording from now on, for this reason (static); if it had one. */
void recording_end(struct hosted *world, const char *reason);
/* The world is over; recording_end was before that. */
void recording_drop(struct hosted *world);
/* What is told of the world's recording, in *out; texts are borrowed. False: there was none. */
bool recording_tell(const struct hosted *world, Collide__V1__Recorded *out);

/* Requests of a client that wait for a file. */
bool recordings_have_request(const struct worlds_client *client, uint64_t request_id);
/* Without a reply. */
void recordings_forget(struct worlds_client *client, uint64_t request_id);
void recordings_forget_client(struct worlds_client *client);
/* All, without a word: nothing is told any more. */
void recordings_free(struct worlds *worlds);

#endif
