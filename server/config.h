/* config: everything that can be set about the daemon: flag over environment over file over default, from one table
 * (config_options.h).
 *
 * Before anything else runs, and again on the loop at SIGHUP. Texts are borrowed from argv, the environment, the file's text
 * that the config owns, or are static. */
#ifndef COLLIDED_CONFIG_H
#define COLLIDED_CONFIG_H

#include "base/log.h"
#include "net/net.h"
#include "session/service.h"

#include <stdio.h>

struct config {
	const char *listen;    /* "host:port" */
	const char *port_file; /* "": none */
	const char *config_file, *log_file;
	const char *account_weights;                     /* weights.h */
	uint32_t workers;                                /* 0: one per core */
	const char *record_dir;                          /* for recordings of worlds; "": there are none */
	uint64_t record_bytes_max, record_dir_bytes_max; /* of one, and of all in there */
	uint64_t record_per_account_bytes_max;           /* 0: half of those of all; as the next */
	uint32_t record_dir_files_max, record_per_account_files_max;
	uint32_t worlds_self_check;                               /* worlds of a thousand that are under self-check */
	uint32_t realtime;                                        /* 1: for ticks that are due */
	uint32_t queue_max;                                       /* fresh requests waiting for a worker */
	uint32_t requests_per_account_max, queue_per_account_max; /* 0: half of those of all; as the next */
	uint64_t memory_per_account_bytes_max;
	struct session_limits session;
	struct net_options net;
	uint32_t shutdown_grace_ms;
	enum log_level log_level;
	enum log_format log_format;
	char *file_text; /* owned */
};

enum config_action {
	CONFIG_RUN,
	CONFIG_HELP,
	CONFIG_PRINT,
	CONFIG_VERSION,
	CONFIG_BAD, /* `error` says what about which flag or variable */
};

/* Where a value came from. */
enum config_source { CONFIG_DEFAULT, CONFIG_FILE, CONFIG_ENVIRONMENT, CONFIG_FLAG };

/* More than there are options; the table is checked against it when it is compiled. */
#define CONFIG_OPTIONS_MAX 64
#define CONFIG_ERROR_BYTES 512
/* Bytes of a host name, after which the port comes. */
#define CONFIG_HOST_BYTES 256

struct config_sources {
	enum config_source of[CONFIG_OPTIONS_MAX];
	unsigned line[CONFIG_OPTIONS_MAX]; /* of the file, from 1; 0: not in it */
};

/* What settings are read from, again at each SIGHUP. */
struct config_inputs {
	int argc;
	char *const *argv;
	char *(*environment)(const char *name); /* getenv or a test's */
};

struct config config_default(void);
/* After all but CONFIG_BAD, config_finish. */
enum config_action config_load(struct config *config, struct config_sources *sources, const struct config_inputs *inputs,
                               char error[static CONFIG_ERROR_BYTES]);
void config_finish(struct config *config);
/* Calls back for each setting that differs. */
void config_changes(const struct config *before, const struct config *after,
                    void (*change)(void *context, const char *name, bool reloads), void *context);
struct account_quotas config_quotas(const struct config *config);
/* Whether every COLLIDED_... variable of `environment` (NAME=VALUE, as environ) is a setting. Else `error` names one, which may
 * be misspelt. What an orchestrator puts there for a service of this name does not count (base/variables.h). */
bool config_environment_check(char *const environment[], char error[static CONFIG_ERROR_BYTES]);

/* A setting as --help tells it, for its manual page. */
struct config_option {
	char flag[64]; /* "--queue-max" */
	char unit[24];
	char help[200];
	const char *const *choices; /* ends with NULL; or NULL */
	bool is_file;
};

/* false: there are no more. */
bool config_describe(size_t index, struct config_option *out);
extern const char config_about[], config_ends[]; /* what --help says before and after them */
void config_print_help(FILE *out);
void config_print(const struct config *config, const struct config_sources *sources, FILE *out);

/* Splits "host:port", "[::1]:port", ":port" (every address) into its two; false if it is not of this form. */
bool config_split_address(const char *text, char host[static CONFIG_HOST_BYTES], const char **port);

#endif
