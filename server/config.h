/* config: everything that can be set about the daemon: flag over environment over default, from one table.
 *
 * Once, before anything else runs. Texts are borrowed from argv, the environment, or are static. */
#ifndef COLLIDED_CONFIG_H
#define COLLIDED_CONFIG_H

#include "base/log.h"
#include "net/net.h"
#include "session/service.h"

#include <stdio.h>

struct config {
	const char *listen;    /* "host:port" */
	const char *port_file; /* "": none */
	uint32_t workers;      /* 0: one per core */
	uint32_t queue_max;    /* fresh requests waiting for a worker */
	struct session_limits session;
	struct net_options net;
	uint32_t shutdown_grace_ms;
	enum log_level log_level;
	enum log_format log_format;
};

enum config_action {
	CONFIG_RUN,
	CONFIG_HELP,
	CONFIG_PRINT,
	CONFIG_VERSION,
	CONFIG_BAD, /* `error` says what about which flag or variable */
};

/* Where a value came from. */
enum config_source { CONFIG_DEFAULT, CONFIG_ENVIRONMENT, CONFIG_FLAG };

/* More than there are options; the table is checked against it when it is compiled. */
#define CONFIG_OPTIONS_MAX 48
#define CONFIG_ERROR_BYTES 256
/* Bytes of a host name, after which the port comes. */
#define CONFIG_HOST_BYTES 256

struct config_sources {
	enum config_source of[CONFIG_OPTIONS_MAX];
};

struct config config_default(void);
/* `environment` is getenv or a test's. */
enum config_action config_load(struct config *config, struct config_sources *sources, int argc, char *const argv[],
                               char *(*environment)(const char *name), char error[static CONFIG_ERROR_BYTES]);
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
