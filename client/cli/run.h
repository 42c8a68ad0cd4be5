/* run: a simulation from a scene file to everything that is made of its frames. One thread. */
#ifndef COLLIDE_CLI_RUN_H
#define COLLIDE_CLI_RUN_H

#include "client/cli/audit.h"
#include "client/cli/commands.h"
#include "client/cli/frame_json.h"
#include "client/cli/picture.h"
#include "client/cli/progress.h"
#include "client/cli/tally.h"
#include "collide/v1/collide.pb-c.h"

#include <stdbool.h>
#include <stdint.h>

enum run_format { RUN_TABLE, RUN_JSON, RUN_NONE };

struct run_options {
	const char *scene_path, *address, *svg_path, *png_path;
	uint64_t ticks, every;
	double dt;
	unsigned format; /* enum run_format */
	bool local, certify;
};

/* What becomes of frames. */
struct run_sink {
	const struct run_options *options;
	const Collide__V1__Scene *scene; /* borrowed */
	struct tally tally;
	struct span span; /* since the last frame printed */
	uint64_t frames_printed;
	struct frame_json json;
	struct audit *audit;     /* NULL before the first frame or if not asked for */
	struct picture *picture; /* NULL if not asked for */
	struct progress progress;
	char problem[200]; /* why run_sink_frame returned false */
};

/* `options` and `scene` are borrowed as long as the sink. */
void run_sink_init(struct run_sink *sink, const struct run_options *options, const Collide__V1__Scene *scene);
void run_sink_finish(struct run_sink *sink);
/* A collide_frame_fn; `sink` is a struct run_sink. */
bool run_sink_frame(void *sink, const struct collide_frame *frame);
/* Writes the pictures asked for; tells on stderr what went wrong. */
bool run_sink_write_pictures(struct run_sink *sink);

#endif
