#include "config.h"

#include "base/suggest.h"
#include "base/variables.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum option_type { OPTION_TEXT, OPTION_U32, OPTION_U64, OPTION_LEVEL, OPTION_FORMAT };

struct option {
	const char *name; /* of the flag, without its dashes */
	const char *unit; /* as --help shows the value */
	enum option_type type;
	size_t offset;
	uint64_t min, max;
	const char *help;
};

#define AT(member) offsetof(struct config, member)
#define MIB (UINT64_C(1) << 20)
#define ANY UINT64_MAX

static const struct option options[] = {
	{ "listen", "HOST:PORT", OPTION_TEXT, AT(listen), 0, 0,
	  "where to listen; [::1]:PORT for IPv6, :PORT for every address, port 0 for any" },
	{ "port-file", "FILE", OPTION_TEXT, AT(port_file), 0, 0, "the real port is written here once connections are accepted" },
	{ "workers", "N", OPTION_U32, AT(workers), 0, 1024,
	  "worker threads; 0: as many as the cores it may use, by affinity and CPU quota" },
	{ "queue-max", "N", OPTION_U32, AT(queue_max), 1, 1000000, "fresh requests that may wait for a worker" },
	{ "requests-in-flight-max", "N", OPTION_U32, AT(session.requests_in_flight_max), 1, 65536,
	  "requests under way of one connection" },
	{ "requests-under-way-max", "N", OPTION_U32, AT(session.requests_under_way_max), 1, 1000000,
	  "requests under way of all connections" },
	{ "message-bytes-max", "BYTES", OPTION_U32, AT(session.message_bytes_max), 4096, UINT32_MAX, "one message from a client" },
	{ "circles-max", "N", OPTION_U32, AT(session.scene.circles_max), 1, 16000000, "circles of a scene" },
	{ "segments-max", "N", OPTION_U32, AT(session.scene.segments_max), 1, 16000000, "segments of a scene" },
	{ "hand-written-max", "N", OPTION_U32, AT(session.scene.hand_written_max), 0, 16000000,
	  "circles, and segments, not in columns" },
	{ "ticks-max", "N", OPTION_U64, AT(session.scene.ticks_max), 1, ANY, "ticks of a Simulate" },
	{ "events-per-body-max", "N", OPTION_U32, AT(session.scene.events_per_body_max), 1, 1000000,
	  "the most that a scene may ask for" },
	{ "work-per-tick-max", "N", OPTION_U64, AT(session.scene.work_per_tick_max), 1, PHYSICS_WORK_PER_TICK_MOST,
	  "counted work of a tick, the most that a scene may ask for" },
	{ "work-per-body-max", "N", OPTION_U64, AT(session.scene.work_per_body_max), 1, PHYSICS_WORK_PER_BODY_MOST,
	  "the same for each circle" },
	{ "contacts-per-tick-max", "N", OPTION_U64, AT(session.scene.contacts_per_tick_max), 1, UINT32_MAX,
	  "contacts of one tick" },
	{ "memory-bytes-max", "BYTES", OPTION_U64, AT(session.scene.memory_bytes_max), MIB, ANY, "scene and world of one request" },
	{ "memory-total-bytes-max", "BYTES", OPTION_U64, AT(session.memory_total_bytes_max), MIB, ANY,
	  "all messages and requests together, about" },
	{ "map-cache-bytes-max", "BYTES", OPTION_U64, AT(session.map_cache_bytes_max), 0, ANY,
	  "walls of earlier scenes, kept for others that have the same; 0: none" },
	{ "deadline-ms-max", "MS", OPTION_U32, AT(session.scene.deadline_ms_max), 0, UINT32_MAX,
	  "the longest deadline, and that of requests without; 0: none" },
	{ "self-check", "0|1", OPTION_U32, AT(session.scene.self_check), 0, 1,
	  "1: make every tick of every Simulate twice, the second time from a snapshot" },
	{ "connections-max", "N", OPTION_U32, AT(net.connections_max), 1, 1000000, "connections; fewer if descriptors are" },
	{ "connections-per-address-max", "N", OPTION_U32, AT(net.connections_per_address_max), 0, 1000000,
	  "of one IPv4 address or IPv6 /64; 0: no cap" },
	{ "write-queue-bytes-max", "BYTES", OPTION_U64, AT(net.write_queue_bytes_max), MIB, UINT32_MAX,
	  "replies waiting for one client, at worst" },
	{ "write-timeout-ms", "MS", OPTION_U32, AT(net.write_timeout_ms), 0, UINT32_MAX,
	  "a client that reads nothing for this long is gone; 0: never" },
	{ "hello-timeout-ms", "MS", OPTION_U32, AT(session.hello_timeout_ms), 0, UINT32_MAX,
	  "from a connection's start to its Hello; 0: none" },
	{ "frame-timeout-ms", "MS", OPTION_U32, AT(session.frame_timeout_ms), 0, UINT32_MAX,
	  "from a message's first byte to its last; 0: none" },
	{ "ping-interval-ms", "MS", OPTION_U32, AT(session.ping_interval_ms), 0, UINT32_MAX,
	  "a connection silent for three of these is closed; 0: never" },
	{ "shutdown-grace-ms", "MS", OPTION_U32, AT(shutdown_grace_ms), 0, 86400000,
	  "after SIGTERM, for answering what is under way" },
	{ "log-level", "LEVEL", OPTION_LEVEL, AT(log_level), 0, 0, "debug, info, warning, error or off" },
	{ "log-format", "FORMAT", OPTION_FORMAT, AT(log_format), 0, 0, "logfmt or json, one line each on stderr" },
};
#define OPTION_COUNT (sizeof options / sizeof options[0])
static_assert(OPTION_COUNT <= CONFIG_OPTIONS_MAX, "config_sources is too small");

struct config
config_default(void)
{
	return (struct config){
		.listen = "127.0.0.1:7878",
		.port_file = "",
		.workers = 0,
		.queue_max = 128,
		.session = session_limits_default(),
		.net = {
			.connections_max = 1024,
			.connections_per_address_max = 512,
			.write_queue_bytes_max = 64 * MIB,
			.write_timeout_ms = 10000,
		},
		.shutdown_grace_ms = 10000,
		.log_level = LOG_LEVEL_INFO,
		.log_format = LOG_FORMAT_LOGFMT,
	};
}

#define VARIABLE_BYTES 64
#define VARIABLE_PREFIX "COLLIDED_"

/* "COLLIDED_QUEUE_MAX" of "queue-max". */
static void
option_variable(const struct option *option, char name[static VARIABLE_BYTES])
{
	int count = snprintf(name, VARIABLE_BYTES, VARIABLE_PREFIX "%s", option->name);
	for (int i = 0; i < count && i < VARIABLE_BYTES; i++)
		name[i] = (char)(name[i] == '-' ? '_' : toupper((unsigned char)name[i]));
}

static const struct option *
option_find(const char *name, size_t count)
{
	for (size_t i = 0; i < OPTION_COUNT; i++)
		if (strlen(options[i].name) == count && memcmp(options[i].name, name, count) == 0)
			return &options[i];
	return NULL;
}

/* A whole number, with KiB, MiB or GiB after it if it counts bytes. */
static bool
parse_number(const struct option *option, const char *text, uint64_t *out)
{
	char *end = NULL;
	errno = 0;
	if (!isdigit((unsigned char)text[0]))
		return false;
	unsigned long long number = strtoull(text, &end, 10);
	unsigned shift = 0;
	if (strcmp(option->unit, "BYTES") == 0 && *end != '\0') {
		shift = strcmp(end, "KiB") == 0 ? 10 : strcmp(end, "MiB") == 0 ? 20 : strcmp(end, "GiB") == 0 ? 30 : 0;
		end += shift != 0 ? 3 : 0;
	}
	if (errno != 0 || *end != '\0' || number > (UINT64_MAX >> shift))
		return false;
	*out = (uint64_t)number << shift;
	return true;
}

static void *
option_place(const struct option *option, struct config *config)
{
	return (char *)config + option->offset;
}

static bool
set_number(const struct option *option, struct config *config, const char *source, const char *text, char *error)
{
	uint64_t number = 0;
	if (!parse_number(option, text, &number) || number < option->min || number > option->max) {
		char most[24] = "2^64 - 1";
		if (option->max != ANY)
			snprintf(most, sizeof most, "%" PRIu64, option->max);
		snprintf(error, CONFIG_ERROR_BYTES, "%s: \"%.60s\" is not a whole number from %" PRIu64 " to %s%s", source, text,
		         option->min, most, strcmp(option->unit, "BYTES") == 0 ? " (KiB, MiB and GiB may follow)" : "");
		return false;
	}
	if (option->type == OPTION_U32)
		*(uint32_t *)option_place(option, config) = (uint32_t)number;
	else
		*(uint64_t *)option_place(option, config) = number;
	return true;
}

/* The names that an option of this type may have; NULL for others. */
static const char *const *
option_choices(enum option_type type)
{
	static const char *levels[LOG_LEVEL_OFF + 2], *formats[LOG_FORMAT_JSON + 2];
	for (enum log_level level = LOG_LEVEL_DEBUG; level <= LOG_LEVEL_OFF; level++)
		levels[level] = log_level_name(level);
	for (enum log_format format = LOG_FORMAT_LOGFMT; format <= LOG_FORMAT_JSON; format++)
		formats[format] = log_format_name(format);
	return type == OPTION_LEVEL ? levels : type == OPTION_FORMAT ? formats : NULL;
}

static bool
set_level(struct config *config, const char *text)
{
	for (enum log_level level = LOG_LEVEL_DEBUG; level <= LOG_LEVEL_OFF; level++) {
		if (strcmp(text, log_level_name(level)) == 0) {
			config->log_level = level;
			return true;
		}
	}
	return false;
}

static bool
set_format(struct config *config, const char *text)
{
	for (enum log_format format = LOG_FORMAT_LOGFMT; format <= LOG_FORMAT_JSON; format++) {
		if (strcmp(text, log_format_name(format)) == 0) {
			config->log_format = format;
			return true;
		}
	}
	return false;
}

/* `source` is the flag or the variable, for the error. */
static bool
option_set(const struct option *option, struct config *config, const char *source, const char *text, char *error)
{
	char host[CONFIG_HOST_BYTES];
	const char *port = NULL;
	switch (option->type) {
	case OPTION_U32:
	case OPTION_U64: return set_number(option, config, source, text, error);
	case OPTION_TEXT:
		if (option->offset == AT(listen) && !config_split_address(text, host, &port)) {
			snprintf(error, CONFIG_ERROR_BYTES, "%s: \"%.60s\" is not HOST:PORT", source, text);
			return false;
		}
		*(const char **)option_place(option, config) = text;
		return true;
	case OPTION_LEVEL:
		if (set_level(config, text))
			return true;
		break;
	case OPTION_FORMAT:
		if (set_format(config, text))
			return true;
		break;
	}
	const char *const *choices = option_choices(option->type);
	struct suggest suggest;
	char told[SUGGEST_TEXT_BYTES];
	suggest_begin(&suggest, text);
	for (size_t i = 0; choices && choices[i]; i++)
		suggest_add(&suggest, choices[i]);
	snprintf(error, CONFIG_ERROR_BYTES, "%s: \"%.60s\" is not one of: %s%s", source, text, option->help,
	         suggest_text(&suggest, told));
	return false;
}

static bool
load_environment(struct config *config, struct config_sources *sources, char *(*environment)(const char *), char *error)
{
	for (size_t i = 0; i < OPTION_COUNT; i++) {
		char name[VARIABLE_BYTES];
		option_variable(&options[i], name);
		const char *text = environment(name);
		if (!text)
			continue;
		if (!option_set(&options[i], config, name, text, error))
			return false;
		sources->of[i] = CONFIG_ENVIRONMENT;
	}
	return true;
}

/* A variable's name in `context`, for variable_unknown. */
static const char *
variable_at(void *context, size_t index)
{
	if (index >= OPTION_COUNT)
		return NULL;
	option_variable(&options[index], context);
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

/* Always CONFIG_BAD's reason: the flag, and the one that was probably meant. */
static bool
flag_refuse(const char *flag, size_t count, char *error)
{
	static const char *const others[] = { "--print-config", "--version", "--help" };
	char name[VARIABLE_BYTES], told[SUGGEST_TEXT_BYTES];
	struct suggest suggest;
	snprintf(name, sizeof name, "%.*s", (int)(count < sizeof name ? count : sizeof name - 1), flag);
	suggest_begin(&suggest, name);
	for (size_t i = 0; i < OPTION_COUNT; i++) {
		char known[VARIABLE_BYTES];
		snprintf(known, sizeof known, "--%s", options[i].name);
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
	sources->of[option - options] = CONFIG_FLAG;
	return option_set(option, config, source, text, error);
}

enum config_action
config_load(struct config *config, struct config_sources *sources, int argc, char *const argv[],
            char *(*environment)(const char *name), char error[static CONFIG_ERROR_BYTES])
{
	enum config_action action = CONFIG_RUN;
	*config = config_default();
	*sources = (struct config_sources){ { CONFIG_DEFAULT } };
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return CONFIG_HELP;
		if (strcmp(argv[i], "--version") == 0)
			return CONFIG_VERSION;
	}
	if (!load_environment(config, sources, environment, error))
		return CONFIG_BAD;
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--print-config") == 0)
			action = CONFIG_PRINT;
		else if (!load_flag(config, sources, argc, argv, &i, error))
			return CONFIG_BAD;
	return action;
}

bool
config_split_address(const char *text, char host[static CONFIG_HOST_BYTES], const char **port)
{
	const char *colon = strrchr(text, ':');
	if (!colon || colon[1] == '\0')
		return false;
	for (const char *digit = colon + 1; *digit != '\0'; digit++)
		if (!isdigit((unsigned char)*digit) || digit - colon > 5)
			return false;
	size_t count = (size_t)(colon - text);
	bool bracketed = count >= 2 && text[0] == '[' && text[count - 1] == ']';
	const char *from = bracketed ? text + 1 : text;
	count -= bracketed ? 2 : 0;
	if (count >= CONFIG_HOST_BYTES || (!bracketed && memchr(text, ':', count)) || strtoul(colon + 1, NULL, 10) > 65535)
		return false;
	snprintf(host, CONFIG_HOST_BYTES, "%.*s", (int)count, count > 0 ? from : "");
	if (count == 0)
		snprintf(host, CONFIG_HOST_BYTES, "::");
	*port = colon + 1;
	return true;
}

static void
option_print_value(const struct option *option, const struct config *config, FILE *out)
{
	const char *place = (const char *)config + option->offset;
	switch (option->type) {
	case OPTION_TEXT: fputs(*(const char *const *)(const void *)place, out); break;
	case OPTION_U32: fprintf(out, "%" PRIu32, *(const uint32_t *)(const void *)place); break;
	case OPTION_U64: fprintf(out, "%" PRIu64, *(const uint64_t *)(const void *)place); break;
	case OPTION_LEVEL: fputs(log_level_name(config->log_level), out); break;
	case OPTION_FORMAT: fputs(log_format_name(config->log_format), out); break;
	}
}

bool
config_describe(size_t index, struct config_option *out)
{
	const struct config config = config_default();
	if (index >= OPTION_COUNT)
		return false;
	const struct option *option = &options[index];
	*out = (struct config_option){ .choices = option_choices(option->type), .is_file = option->offset == AT(port_file) };
	snprintf(out->flag, sizeof out->flag, "--%s", option->name);
	snprintf(out->unit, sizeof out->unit, "%s", option->unit);
	FILE *text = fmemopen(out->help, sizeof out->help, "w");
	if (!text)
		return false;
	fprintf(text, "%s (default: ", option->help);
	option_print_value(option, &config, text);
	fputc(')', text);
	return fclose(text) == 0;
}

const char config_about[] =
	"Each flag can also be given in the environment: --queue-max as COLLIDED_QUEUE_MAX. A flag wins. A variable that begins so\n"
	"and is no setting is refused. BYTES may end in KiB, MiB or GiB.";
const char config_ends[] = "SIGTERM and SIGINT end it with status 0 once what is under way is answered; a second one hurries.\n"
						   "SIGUSR1 logs the counters. Status 1: cannot listen; 2: a setting is wrong.";

void
config_print_help(FILE *out)
{
	const struct config config = config_default();
	fprintf(out, "collided: exact 2D physics over TCP (protocol collide.v1)\n\nusage: collided [--FLAG VALUE]...\n\n%s\n\n",
	        config_about);
	for (size_t i = 0; i < OPTION_COUNT; i++) {
		fprintf(out, "  --%s %s\n      %s (default: ", options[i].name, options[i].unit, options[i].help);
		option_print_value(&options[i], &config, out);
		fputs(")\n", out);
	}
	fprintf(out,
	        "  --print-config\n      print every setting and where it came from, and end\n"
	        "  --version\n  --help\n\n%s\n",
	        config_ends);
}

void
config_print(const struct config *config, const struct config_sources *sources, FILE *out)
{
	static const char *const names[] = {
		[CONFIG_DEFAULT] = "default",
		[CONFIG_ENVIRONMENT] = "environment",
		[CONFIG_FLAG] = "flag",
	};
	for (size_t i = 0; i < OPTION_COUNT; i++) {
		fprintf(out, "%s = ", options[i].name);
		option_print_value(&options[i], config, out);
		fprintf(out, "  # %s\n", names[sources->of[i]]);
	}
}
