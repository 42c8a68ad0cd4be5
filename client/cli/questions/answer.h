/* answer: what detect, respond and query share: sending the question, printing replies, and some options.
 *
 * One thread at a time.
 *
 * The folder questions/: besides this the options of query (query_options.h) and what it draws (query_picture.h). It uses run
 * and connection, and is used by commands. */
#ifndef COLLIDE_CLI_ANSWER_H
#define COLLIDE_CLI_ANSWER_H

#include "client/cli/terminal/exit_status.h"
#include "client/lib/collide.h"

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ANSWER_TABLE, ANSWER_JSON };
extern const char *const answer_formats[];

/* What is printed besides the rows. */
struct printer {
	unsigned format;
	bool headed;
	bool failed;       /* a part could not be printed */
	const char *table; /* of a query: the table with the head that was printed last */
};

/* A message, the server that gets it, and how. `ask` makes the request with the message's bytes and waits for its answer; it is
 * called once, or never where no server answers. */
struct question {
	const char *command; /* in front of what is wrong, on stderr */
	const char *address; /* of the daemon, NULL: connection_address */
	bool local;          /* this process answers, without a daemon */
	const ProtobufCMessage *message;
	bool (*ask)(struct collide_client *client, const void *bytes, size_t count, void *context, struct collide_error *error);
	void *context;
};

/* Reports on stderr what is wrong; returns the exit status that fits. */
enum exit_status question_put(const struct question *question);

/* "touching" and so on; "?" for a number without a name. */
const char *answer_relation(uint32_t relation);
const char *answer_feature(uint32_t feature);

/* A collide_record_fn with a struct printer: prints the replies as JSON, one part a line. */
void answer_print_json(void *context, bool sent, const void *bytes, size_t count);

#define TOLERANCE_ARGUMENT(options)                                                                      \
	{                                                                                                    \
		.name = "--tolerance", .kind = ARGUMENT_NUMBER, .out = &(options)->tolerance, .value = "LENGTH", \
		.help = "a gap up to this, on either side of 0, still is touching"                               \
	}
#define TOLERANCE_RELATIVE_ARGUMENT(options)                                                                             \
	{                                                                                                                    \
		.name = "--tolerance-relative", .kind = ARGUMENT_NUMBER, .out = &(options)->tolerance_relative, .value = "PART", \
		.help = "the same in parts of the sum of the radii"                                                              \
	}
#define QUERY_FORMAT_ARGUMENT(options)                                                                                    \
	{                                                                                                                     \
		.name = "--format", .letter = 'f', .kind = ARGUMENT_CHOICE, .out = &(options)->format, .choices = answer_formats, \
		.value = "table|json", .help = "json: the reply's parts, one a line (default table)"                              \
	}
#define LOCAL_ARGUMENT(options)                                                              \
	{                                                                                        \
		.name = "--local", .letter = 'l', .kind = ARGUMENT_SWITCH, .out = &(options)->local, \
		.help = "answer in this process, without a daemon"                                   \
	}

#endif
