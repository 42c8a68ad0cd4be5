/* world_key: which world a command is about, and the secret that it needs. One thread at a time; texts are borrowed from argv.
 *
 * The folder worlds/ is what the commands about worlds on the server share: secrets, what is printed of a world, a seat that is
 * waited for. It may use connection/, scene/, terminal/ and the client library. */
#ifndef COLLIDE_CLI_WORLD_KEY_H
#define COLLIDE_CLI_WORLD_KEY_H

#include "client/cli/terminal/arguments.h"
#include "client/cli/terminal/exit_status.h"
#include "client/lib/collide.h"

/* Digits of a secret as it is printed, with the end. */
enum { SECRET_TEXT_BYTES = 2 * COLLIDE_SECRET_BYTES + 1 };

struct world_key_options {
	const char *address, *name;
	const char *secret, *secret_path; /* one of the two, or neither */
	uint64_t epoch;
};

/* A secret that was read. */
struct secret {
	bool given;
	uint8_t bytes[COLLIDE_SECRET_BYTES];
};

/* From its digits, 32 of base 16 or 24 of base 64. false: it is none. */
bool secret_parse(const char *text, struct secret *out);
void secret_text(const uint8_t bytes[static COLLIDE_SECRET_BYTES], char to[static SECRET_TEXT_BYTES]);
/* From the text, else from the file ("-": stdin); with neither it is not given. Says on stderr what is wrong; `what` is the
 * option without its dashes, such as "secret". */
enum exit_status secret_read(const char *command, const char *what, const char *text, const char *path, struct secret *out);
/* Writes a secret into a file that only its owner may read ("-": to stdout). Says on stderr what is wrong. */
enum exit_status secret_write(const char *command, const char *path, const uint8_t bytes[static COLLIDE_SECRET_BYTES]);

/* The key of options that were read. The secret is required, and borrowed. */
enum exit_status world_key_read(const char *command, const struct world_key_options *options, struct secret *secret,
                                struct collide_world_key *key);

/* "KEY=VALUE" for each; splits into `labels`, with their texts in `keys`. Says on stderr what is wrong. */
struct label_texts {
	size_t count;
	char keys[ARGUMENT_TEXTS_MAX][COLLIDE_NAME_BYTES];
	struct collide_label labels[ARGUMENT_TEXTS_MAX];
};

enum exit_status label_options_read(const char *command, const struct argument_texts *texts, struct label_texts *out);

#define SECRET_FILE_ARGUMENT(options, which)                                                                            \
	{                                                                                                                   \
		.name = "--secret-file", .letter = 'k', .kind = ARGUMENT_FILE, .out = &(options)->secret_path, .value = "FILE", \
		.help = "a file with " which ", as create has printed it\n(\"-\": stdin)"                                       \
	}
#define SECRET_ARGUMENT(options)                                                                                 \
	{                                                                                                            \
		.name = "--secret", .kind = ARGUMENT_TEXT, .out = &(options)->secret, .value = "SECRET",                 \
		.help = "the secret itself. Others on this machine can read it in the\nlist of processes: better a file" \
	}
#define EPOCH_ARGUMENT(options)                                                                                   \
	{                                                                                                             \
		.name = "--epoch", .kind = ARGUMENT_COUNT, .out = &(options)->epoch, .minimum = 1, .maximum = UINT64_MAX, \
		.value = "N", .help = "only if the world still has this epoch (default: any)"                             \
	}

#endif
