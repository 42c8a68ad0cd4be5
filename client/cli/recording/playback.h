/* playback: a recording of a simulation, frame by frame, as `collide run` received it.
 *
 * One thread at a time. Owns the request and the latest frame. */
#ifndef COLLIDE_CLI_PLAYBACK_H
#define COLLIDE_CLI_PLAYBACK_H

#include "client/cli/recording/recording.h"
#include "client/cli/recording/start.h"
#include "client/lib/collide.h"
#include "collide/v1/collide.pb-c.h"

struct merge;

struct playback {
	struct recording recording;
	Collide__V1__ClientMessage *message;
	const Collide__V1__Simulate *request; /* in `message` */
	struct start start;                   /* the request's */
	struct merge *merge;
	uint64_t tick;              /* of the latest frame */
	struct collide_done done;   /* with PLAYBACK_DONE */
	struct collide_error error; /* with PLAYBACK_REFUSED */
	char problem[400];          /* with PLAYBACK_BROKEN, and when opening failed */
};

enum playback_step {
	PLAYBACK_FRAME,
	PLAYBACK_DONE,    /* the simulation ended normally */
	PLAYBACK_REFUSED, /* its last reply is an Error */
	PLAYBACK_BROKEN,  /* the recording is cut off or damaged */
};

/* Reads the request. false: `problem` says why. To be closed in either case. `path` is borrowed. */
bool playback_open(struct playback *playback, const char *path);
/* The same of a recording that is open and that nothing was read of yet but its kind. It is taken. */
bool playback_begin(struct playback *playback, const struct recording *recording);
void playback_close(struct playback *playback);
/* *frame is valid until the next call. After any other result than PLAYBACK_FRAME nothing follows. */
enum playback_step playback_next(struct playback *playback, const struct collide_frame **frame);

#endif
