/* run_sink: takes the frames of a simulation, and prints, checks, draws and sums them up. One thread.
 *
 * The folder run/ is what becomes of the frames of a simulation: a table or JSON, sums, pictures, the certificate's findings.
 * It may use check/, motion/, picture/, recording/, scene/ and terminal/. The commands run, replay and query call it. */
#ifndef COLLIDE_CLI_RUN_SINK_H
#define COLLIDE_CLI_RUN_SINK_H

#include "client/cli/check/audit.h"
#include "client/cli/motion/rebuild.h"
#include "client/cli/picture/picture.h"
#include "client/cli/recording/start.h"
#include "client/cli/run/frame_json.h"
#include "client/cli/run/run_table.h"
#include "client/cli/run/tally.h"
#include "client/cli/terminal/arguments.h"
#include "client/cli/terminal/exit_status.h"
#include "client/cli/terminal/progress.h"
#include "client/cli/terminal/text.h"
#include "collide/v1/collide.pb-c.h"

#include <stdbool.h>
#include <stdint.h>

enum run_format { RUN_TABLE, RUN_JSON, RUN_NONE };

struct run_options {
	const char *command; /* "run" or "replay", for messages */
	const char *scene_path, *address, *svg_path, *png_path, *record_path;
	const char *save_path;            /* for snapshots; NULL: none is kept */
	uint64_t ticks, every, png_width; /* every: 0: not given */
	uint64_t save_every;              /* 0: only the last */
	uint64_t threads;                 /* with `local`; 0: not given, so one */
	double dt;
	unsigned format; /* enum run_format */
	unsigned table;  /* enum run_table_kind */
	bool local, certify, self_check;
	unsigned events; /* index of run_events */
	bool paths;
	struct argument_texts labels; /* of the picture: "X,Y,TEXT" */
};

/* The outputs of a run. */
struct run_sink {
	const struct run_options *options;
	const struct start *start; /* borrowed, as `options` */
	uint64_t last_tick;
	struct tally tally;
	struct frame_sums sums; /* since the last frame printed */
	uint64_t every;         /* what options->every comes to */
	struct run_table table;
	struct frame_json json;
	struct text events;      /* lines for the table */
	struct audit *audit;     /* NULL before the first frame or if not asked for */
	struct picture *picture; /* NULL if not asked for */
	struct motion_scene shapes;
	size_t circle_count, wall_count; /* for the picture's note */
	struct rebuild *rebuild;         /* of the picture's paths; NULL without one */
	struct progress progress;
	uint64_t saved_tick; /* of the snapshot that is in options->save_path */
	size_t saved_bytes;  /* 0: none is */
	char problem[200];   /* why run_sink_frame returned false */
};

/* `options` and `start` are borrowed until run_sink_finish. */
void run_sink_init(struct run_sink *sink, const struct run_options *options, const struct start *start);
void run_sink_finish(struct run_sink *sink);
/* The picture of a run that began with neither a scene nor a snapshot here: taken, and written by run_sink_end. */
void run_sink_picture(struct run_sink *sink, struct picture *picture, size_t circle_count, size_t wall_count);
/* A collide_frame_fn; `sink` is a struct run_sink. */
bool run_sink_frame(void *sink, const struct collide_frame *frame);
/* A collide_snapshot_fn: keeps the latest in options->save_path. */
bool run_sink_snapshot(void *sink, const struct collide_snapshot *snapshot);
/* After the last frame: writes the pictures asked for, prints the summary, reports on stderr what is wrong. `done` is NULL if
 * the run ended early; then it covers the frames so far, if there were any. */
enum exit_status run_sink_end(struct run_sink *sink, const struct collide_done *done, double wall_seconds);

/* Whether the files asked for can be written. At most one may be stdout ("-"), and then nothing else is printed there. Reports
 * on stderr what is wrong. */
enum exit_status run_options_check(const struct run_options *options);
/* Whether a picture is asked for: then every tick needs its frame and its contacts, so that paths are drawn as they are. */
bool run_options_draw(const struct run_options *options);

/* The arguments of run that concern frames rather than their source; in the tables of run and replay. */
extern const char *const run_formats[];
extern const char *const run_tables[];
extern const char *const run_events[];
enum collide_events run_events_asked(const struct run_options *options);
#define RUN_FORMAT_ARGUMENT(options)                                                                                   \
	{                                                                                                                  \
		.name = "--format", .letter = 'f', .kind = ARGUMENT_CHOICE, .out = &(options)->format, .choices = run_formats, \
		.value = "table|json|none",                                                                                    \
		.help = "json: a Frame of the schema a line, in protobuf's JSON form;\n"                                       \
				"the summary is on stderr"                                                                             \
	}
#define RUN_TABLE_ARGUMENT(options)                                                                  \
	{                                                                                                \
		.name = "--table", .kind = ARGUMENT_CHOICE, .out = &(options)->table, .choices = run_tables, \
		.value = "bodies|ticks|none",                                                                \
		.help = "bodies: where each circle is; ticks: a line each; none: the\n"                      \
				"summary alone. If not given: ticks, if there are few or --every\n"                  \
				"is given; and of few circles the state at the end"                                  \
	}
#define RUN_EVERY_ARGUMENT(options)                                                                       \
	{                                                                                                     \
		.name = "--every", .letter = 'e', .kind = ARGUMENT_COUNT, .out = &(options)->every, .minimum = 1, \
		.maximum = UINT64_MAX, .value = "K",                                                              \
		.help = "show every K-th tick and the last (default 1);\n"                                        \
				"contacts of the ticks between come with it"                                              \
	}
#define RUN_SVG_ARGUMENT(options)                                                                                  \
	{                                                                                                              \
		.name = "--svg", .kind = ARGUMENT_FILE, .extension = ".svg", .out = &(options)->svg_path, .value = "FILE", \
		.help = "draw walls, paths and contacts (\"-\": stdout, with --format none)"                               \
	}
#define RUN_PNG_ARGUMENT(options)                                                                                  \
	{                                                                                                              \
		.name = "--png", .kind = ARGUMENT_FILE, .extension = ".png", .out = &(options)->png_path, .value = "FILE", \
		.help = "the same as pixels"                                                                               \
	}
#define RUN_PNG_WIDTH_ARGUMENT(options)                                                                                \
	{                                                                                                                  \
		.name = "--png-width", .kind = ARGUMENT_COUNT, .out = &(options)->png_width, .minimum = 100, .maximum = 10000, \
		.value = "PIXELS", .help = "how wide the PNG is (default: about 2,400 on its longer side)"                     \
	}
#define RUN_LABEL_ARGUMENT(options)                                                                \
	{                                                                                              \
		.name = "--label", .kind = ARGUMENT_TEXTS, .out = &(options)->labels, .value = "X,Y,TEXT", \
		.help = "a text that stands there in the picture; may be given several times"              \
	}
#define RUN_CERTIFY_ARGUMENT(options)                                              \
	{                                                                              \
		.name = "--certify", .kind = ARGUMENT_SWITCH, .out = &(options)->certify,  \
		.help = "check every path for overlaps, escapes and jumps by other code\n" \
				"than the engine's; exit status 1 if there is any"                 \
	}

#endif
