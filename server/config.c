#include "config.h"

#include "base/suggest.h"
#include "base/variables.h"
#include "config_file.h"
#include "config_options.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MIB (UINT64_C(1) << 20)

struct config
config_default(void)
{
	return (struct config){
		.listen = "127.0.0.1:7878",
		.port_file = "",
		.config_file = "",
		.log_file = "",
		.account_weights = "",
		.record_dir = "",
		.record_bytes_max = 1024 * MIB,
		.record_dir_bytes_max = 10240 * MIB,
		.record_dir_files_max = 10000, /* each that is opened costs a look at all: some 10 ms */
		.workers = 0,
		.realtime = 0,
		.queue_max = 256, /* half of the requests under way */
		.session = session_limits_default(),
		.net = {
			.connections_max = 1024,
			.connections_per_address_max = 512,
			.write_queue_bytes_max = 64 * MIB,
			/* A kernel says that it has room again in steps of up to its whole buffer, usually 128 KiB. At 1 KiB/s that is
			 * every 128 s. */
			.write_timeout_ms = 180000,
		},
		.shutdown_grace_ms = 10000,
		.log_level = LOG_LEVEL_INFO,
		.log_format = LOG_FORMAT_LOGFMT,
	};
}

static bool
load_environment(struct config *config, struct config_sources *sources, char *(*environment)(const char *), char *error)
{
	for (size_t i = 0; i < config_option_count; i++) {
		char name[VARIABLE_BYTES];
		option_variable(&config_options[i], name);
		const char *text = environment(name);
		if (!text)
			continue;
		if (!option_set(&config_options[i], config, name, text, error))
			return false;
		sources->of[i] = CONFIG_ENVIRONMENT;
	}
	return true;
}

/* A variable's name in `context`, for variable_unknown. */
static const char *
variable_at(void *context, size_t index)
{
	if (index >= config_option_count)
		return NULL;
	option_variable(&config_options[index], context);
	return context;
}

bool
config_environment_check(char *const environment[], char error[static CONFIG_ERROR_BYTES])
{
	char name[VARIABLE_BYTES], problem[VARIABLE_PROBLEM_BYTES];
	if (!variable_unknown(environment, VARIABLE_PREFIX, variable_at, name, problem))
		return true;
	snprintf(error, CONFIG_ERROR_BYTES, "%s", problem);
	return false;
}

/* Always CONFIG_BAD's reason: the flag, and the one that was probably meant; or that it is one without a value. */
static bool
flag_refuse(const char *flag, size_t count, char *error)
{
	static const char *const others[] = { "--print-config", "--version", "--help" };
	char name[VARIABLE_BYTES], told[SUGGEST_TEXT_BYTES];
	struct suggest suggest;
	snprintf(name, sizeof name, "%.*s", (int)(count < sizeof name ? count : sizeof name - 1), flag);
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (strcmp(name, others[i]) == 0) {
			snprintf(error, CONFIG_ERROR_BYTES, "%s takes no value", name);
			return false;
		}
	suggest_begin(&suggest, name);
	for (size_t i = 0; i < config_option_count; i++) {
		char known[VARIABLE_BYTES];
		snprintf(known, sizeof known, "--%s", config_options[i].name);
		suggest_add(&suggest, known);
	}
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		suggest_add(&suggest, others[i]);
	snprintf(error, CONFIG_ERROR_BYTES, "unknown flag \"%.60s\"%s%s", name, suggest_text(&suggest, told),
	         suggest_nearest(&suggest) ? "" : "; --help lists all");
	return false;
}

/* "--name VALUE" or "--name=VALUE"; *at moves over what was used. */
static bool
load_flag(struct config *config, struct config_sources *sources, int argc, char *const argv[], int *at, char *error)
{
	const char *flag = argv[*at];
	const char *equals = strchr(flag, '=');
	size_t count = equals ? (size_t)(equals - flag) : strlen(flag);
	const struct option *option = count > 2 && strncmp(flag, "--", 2) == 0 ? option_find(flag + 2, count - 2) : NULL;
	if (!option)
		return flag_refuse(flag, count, error);
	if (!equals && *at + 1 == argc) {
		snprintf(error, CONFIG_ERROR_BYTES, "--%s: a value is missing (%s)", option->name, option->unit);
		return false;
	}
	char source[VARIABLE_BYTES];
	snprintf(source, sizeof source, "--%s", option->name);
	const char *text = equals ? equals + 1 : argv[++*at];
	sources->of[option - config_options] = CONFIG_FLAG;
	return option_set(option, config, source, text, error);
}

static bool
is_flag(const char *argument, const char *name)
{
	return strcmp(argument, name) == 0;
}

/* The file that is named by a flag, else by the environment; "": none. Of a flag given twice the last counts. */
static const char *
find_file(int argc, char *const argv[], char *(*environment)(const char *))
{
	const char *path = environment(VARIABLE_PREFIX "CONFIG");
	for (int i = 1; i < argc; i++)
		if (is_flag(argv[i], "--config") && i + 1 < argc)
			path = argv[++i];
		else if (strncmp(argv[i], "--config=", strlen("--config=")) == 0)
			path = argv[i] + strlen("--config=");
		else if (strncmp(argv[i], "--", 2) == 0 && !strchr(argv[i], '=') && !is_flag(argv[i], "--print-config"))
			i++; /* its value */
	return path ? path : "";
}

static enum config_action
load_flags(struct config *config, struct config_sources *sources, int argc, char *const argv[], char *error)
{
	enum config_action action = CONFIG_RUN;
	for (int i = 1; i < argc; i++)
		if (is_flag(argv[i], "--print-config"))
			action = CONFIG_PRINT;
		else if (!load_flag(config, sources, argc, argv, &i, error))
			return CONFIG_BAD;
	return action;
}

enum config_action
config_load(struct config *config, struct config_sources *sources, const struct config_inputs *inputs,
            char error[static CONFIG_ERROR_BYTES])
{
	*config = config_default();
	*sources = (struct config_sources){ .of = { CONFIG_DEFAULT } };
	for (int i = 1; i < inputs->argc; i++) {
		if (is_flag(inputs->argv[i], "--help") || is_flag(inputs->argv[i], "-h"))
			return CONFIG_HELP;
		if (is_flag(inputs->argv[i], "--version"))
			return CONFIG_VERSION;
	}
	const char *path = find_file(inputs->argc, inputs->argv, inputs->environment);
	enum config_action action = CONFIG_BAD;
	if ((path[0] == '\0' || config_file_load(config, sources, path, error)) &&
	    load_environment(config, sources, inputs->environment, error))
		action = load_flags(config, sources, inputs->argc, inputs->argv, error);
	if (action == CONFIG_BAD)
		config_finish(config);
	return action;
}

void
config_finish(struct config *config)
{
	free(config->file_text);
	config->file_text = NULL;
}

void
config_changes(const struct config *before, const struct config *after,
               void (*change)(void *context, const char *name, bool reloads), void *context)
{
	for (size_t i = 0; i < config_option_count; i++)
		if (!option_equal(&config_options[i], before, after))
			change(context, config_options[i].name, config_options[i].reloads);
}

struct account_quotas
config_quotas(const struct config *config)
{
	struct account_quotas quotas = account_quotas_half(&config->session);
	quotas.queued_max = config->queue_max - config->queue_max / 2;
	if (config->requests_per_account_max != 0)
		quotas.requests_max = config->requests_per_account_max;
	if (config->queue_per_account_max != 0)
		quotas.queued_max = config->queue_per_account_max;
	if (config->memory_per_account_bytes_max != 0)
		quotas.memory_bytes_max = config->memory_per_account_bytes_max;
	return quotas;
}

bool
config_describe(size_t index, struct config_option *out)
{
	const struct config config = config_default();
	if (index >= config_option_count)
		return false;
	const struct option *option = &config_options[index];
	*out = (struct config_option){ .choices = option_choices(option->type), .is_file = option->type == OPTION_PATH };
	snprintf(out->flag, sizeof out->flag, "--%s", option->name);
	snprintf(out->unit, sizeof out->unit, "%s", option->unit);
	FILE *text = fmemopen(out->help, sizeof out->help, "w");
	if (!text)
		return false;
	fprintf(text, "%s (default: ", option->help);
	long before = ftell(text);
	option_print_value(option, &config, text);
	if (ftell(text) == before)
		fputs("none", text);
	fputs(option->reloads ? "; SIGHUP reads it again)" : ")", text);
	return fclose(text) == 0;
}

const char config_about[] =
	"Each flag can also be given in the environment, --queue-max as COLLIDED_QUEUE_MAX, and in the file that --config names,\n"
	"as a line \"queue-max = 7\"; # begins a comment. A flag wins over the environment, and that over the file. A variable that\n"
	"begins so and is no setting is refused. BYTES may end in KiB, MiB or GiB.";
const char config_ends[] = "SIGTERM and SIGINT end it with status 0 once what is under way is answered; a second one hurries.\n"
						   "SIGUSR1 logs the counters. SIGHUP opens the log file again, and reads the settings again.\n"
						   "Status 1: cannot listen; 2: a setting is wrong.";

void
config_print_help(FILE *out)
{
	struct config_option option;
	fprintf(out, "collided: exact 2D physics over TCP (protocol collide.v1)\n\nusage: collided [--FLAG VALUE]...\n\n%s\n\n",
	        config_about);
	for (size_t i = 0; config_describe(i, &option); i++)
		fprintf(out, "  %s %s\n      %s\n", option.flag, option.unit, option.help);
	fprintf(out,
	        "  --print-config\n      print every setting, where it came from and whether SIGHUP reads it again, and end\n"
	        "  --version\n  --help\n\n%s\n",
	        config_ends);
}

void
config_print(const struct config *config, const struct config_sources *sources, FILE *out)
{
	static const char *const names[] = {
		[CONFIG_DEFAULT] = "default",
		[CONFIG_FILE] = "file",
		[CONFIG_ENVIRONMENT] = "environment",
		[CONFIG_FLAG] = "flag",
	};
	for (size_t i = 0; i < config_option_count; i++) {
		const struct option *option = &config_options[i];
		/* What is printed can be read as a file, which cannot name another. */
		fprintf(out, "%s%s = ", option_names_file(option) ? "# " : "", option->name);
		option_print_value(option, config, out);
		fprintf(out, "  # %s", names[sources->of[i]]);
		if (sources->of[i] == CONFIG_FILE)
			fprintf(out, ", line %u", sources->line[i]);
		fputs(option->reloads ? "; SIGHUP reads it again\n" : "\n", out);
	}
}
