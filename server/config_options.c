#include "config_options.h"

#include "base/suggest.h"
#include "weights.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(struct config, member)
#define MIB (UINT64_C(1) << 20)
#define ANY UINT64_MAX
#define AT_START false
#define RELOADS true

const struct option config_options[] = {
	{ "config", "FILE", OPTION_PATH, AT(config_file), 0, 0, "settings to read, under the environment and flags", AT_START },
	{ "listen", "HOST:PORT", OPTION_ADDRESS, AT(listen), 0, 0,
	  "where to listen; [::1]:PORT for IPv6, :PORT for every address, port 0 for any", AT_START },
	{ "port-file", "FILE", OPTION_PATH, AT(port_file), 0, 0, "the real port is written here once connections are accepted",
	  AT_START },
	{ "workers", "N", OPTION_U32, AT(workers), 0, 1024,
	  "worker threads; 0: as many as the cores it may use, by affinity and CPU quota", AT_START },
	{ "realtime", "0|1", OPTION_U32, AT(realtime), 0, 1,
	  "1: ticks that are due, and what sends updates, go before all ordinary programs (SCHED_RR), if this process may",
	  AT_START },
	{ "queue-max", "N", OPTION_U32, AT(queue_max), 1, 1000000, "fresh requests that may wait for a worker", AT_START },
	{ "requests-in-flight-max", "N", OPTION_U32, AT(session.requests_in_flight_max), 1, 65536,
	  "requests under way of one connection", AT_START },
	{ "requests-under-way-max", "N", OPTION_U32, AT(session.requests_under_way_max), 1, 1000000,
	  "requests under way of all connections", AT_START },
	{ "requests-per-account-max", "N", OPTION_U32, AT(requests_per_account_max), 0, 1000000,
	  "the same of one address (an IPv4 address or IPv6 /64); never more than are free; 0: half of those of all", RELOADS },
	{ "queue-per-account-max", "N", OPTION_U32, AT(queue_per_account_max), 0, 1000000,
	  "fresh requests of one address that may wait for a worker; 0: half of queue-max", RELOADS },
	{ "memory-per-account-bytes-max", "BYTES", OPTION_U64, AT(memory_per_account_bytes_max), 0, ANY,
	  "messages and requests of one address; 0: half of memory-total-bytes-max", RELOADS },
	{ "account-weights", "ADDRESS=N", OPTION_WEIGHTS, AT(account_weights), 0, 0,
	  "shares of the workers, 1 to 1024 for each address, with blanks between; others have 1", RELOADS },
	{ "message-bytes-max", "BYTES", OPTION_U32, AT(session.message_bytes_max), 4096, UINT32_MAX, "one message from a client",
	  AT_START },
	{ "circles-max", "N", OPTION_U32, AT(session.scene.circles_max), 1, 16000000, "circles of a scene", AT_START },
	{ "segments-max", "N", OPTION_U32, AT(session.scene.segments_max), 1, 16000000, "segments of a scene", AT_START },
	{ "hand-written-max", "N", OPTION_U32, AT(session.scene.hand_written_max), 0, 16000000,
	  "circles, and segments, not in columns", AT_START },
	{ "ticks-max", "N", OPTION_U64, AT(session.scene.ticks_max), 1, ANY, "ticks of a Simulate", AT_START },
	{ "events-per-body-max", "N", OPTION_U32, AT(session.scene.events_per_body_max), 1, 1000000,
	  "the most that a scene may ask for", AT_START },
	{ "work-per-tick-max", "N", OPTION_U64, AT(session.scene.work_per_tick_max), 1, PHYSICS_WORK_PER_TICK_MOST,
	  "counted work of a tick, the most that a scene may ask for", AT_START },
	{ "work-per-body-max", "N", OPTION_U64, AT(session.scene.work_per_body_max), 1, PHYSICS_WORK_PER_BODY_MOST,
	  "the same for each circle", AT_START },
	{ "contacts-per-tick-max", "N", OPTION_U64, AT(session.scene.contacts_per_tick_max), 1, UINT32_MAX, "contacts of one tick",
	  AT_START },
	{ "memory-bytes-max", "BYTES", OPTION_U64, AT(session.scene.memory_bytes_max), MIB, ANY, "scene and world of one request",
	  AT_START },
	{ "memory-total-bytes-max", "BYTES", OPTION_U64, AT(session.memory_total_bytes_max), MIB, ANY,
	  "all messages and requests together, about", AT_START },
	{ "map-cache-bytes-max", "BYTES", OPTION_U64, AT(session.map_cache_bytes_max), 0, ANY,
	  "walls of earlier scenes, kept for others that have the same; 0: none", AT_START },
	{ "worlds-max", "N", OPTION_U32, AT(session.worlds.worlds_max), 1, 1000000, "worlds that live on the server", AT_START },
	{ "worlds-per-address-max", "N", OPTION_U32, AT(session.worlds.worlds_per_account_max), 1, 1000000,
	  "of these, that one IPv4 address or IPv6 /64 may have", AT_START },
	{ "worlds-cpu-percent", "PERCENT", OPTION_U32, AT(session.worlds.cpu_percent_max), 1, 95,
	  "of all workers' time, what the ticks of worlds may reserve", AT_START },
	{ "worlds-per-address-cpu-percent", "PERCENT", OPTION_U32, AT(session.worlds.cpu_percent_per_account_max), 1, 95,
	  "of it, what those of one address may", AT_START },
	{ "world-bytes-max", "BYTES", OPTION_U64, AT(session.worlds.world_bytes_max), MIB, ANY,
	  "of one world with its history; a tick over it fails the world", AT_START },
	{ "world-seats-max", "N", OPTION_U32, AT(session.worlds.seats_per_world_max), 1, 65536,
	  "seats of one world, those without a connection too", AT_START },
	{ "world-subscriptions-max", "N", OPTION_U32, AT(session.worlds.subscriptions_per_world_max), 1, 1000000,
	  "readers of one world", AT_START },
	{ "seat-batches-waiting-max", "N", OPTION_U32, AT(session.worlds.batches_waiting_max), 1, 65536,
	  "batches of one seat that wait for their tick", AT_START },
	{ "seat-batches-per-second-max", "N", OPTION_U32, AT(session.worlds.batches_per_second_max), 1, 1000000,
	  "batches of one seat, with bursts of a second", AT_START },
	{ "seat-bytes-per-second-max", "BYTES", OPTION_U32, AT(session.worlds.bytes_per_second_max), 1024, UINT32_MAX,
	  "the same of their bytes", AT_START },
	{ "world-joins-per-second-max", "N", OPTION_U32, AT(session.worlds.joins_per_second_max), 1, 1000000,
	  "seats and readers that one address may begin in one world by its join secret, with bursts of 16 seconds", AT_START },
	{ "reader-owed-bytes-max", "BYTES", OPTION_U64, AT(session.worlds.owed_bytes_max), MIB, UINT32_MAX,
	  "contacts and events that wait for one slow reader, which ends then", AT_START },
	{ "worlds-self-check", "PERMILLE", OPTION_U32, AT(worlds_self_check), 0, 1000,
	  "worlds of a thousand of which ticks are made again where a worker is idle, and compared", RELOADS },
	{ "record-dir", "DIR", OPTION_PATH, AT(record_dir), 0, 0,
	  "owners of worlds may have them recorded into files there (Record); none: they may not", AT_START },
	{ "record-bytes-max", "BYTES", OPTION_U64, AT(record_bytes_max), MIB, ANY, "of one recording, which ends then", AT_START },
	{ "record-dir-bytes-max", "BYTES", OPTION_U64, AT(record_dir_bytes_max), MIB, ANY, "of all files in record-dir", AT_START },
	{ "record-per-account-bytes-max", "BYTES", OPTION_U64, AT(record_per_account_bytes_max), 0, ANY,
	  "of these, of worlds of one address since the start; 0: half of record-dir-bytes-max", AT_START },
	{ "record-dir-files-max", "N", OPTION_U32, AT(record_dir_files_max), 1, 10000000,
	  "files in record-dir; each new recording looks at all of them", AT_START },
	{ "record-per-account-files-max", "N", OPTION_U32, AT(record_per_account_files_max), 0, 10000000,
	  "of these, of worlds of one address since the start; 0: half of record-dir-files-max", AT_START },
	{ "deadline-ms-max", "MS", OPTION_U32, AT(session.scene.deadline_ms_max), 0, UINT32_MAX,
	  "the longest deadline, and that of requests without; 0: none", AT_START },
	{ "self-check", "0|1", OPTION_U32, AT(session.scene.self_check), 0, 1,
	  "1: make every tick of every Simulate twice, the second time from a snapshot", AT_START },
	{ "connections-max", "N", OPTION_U32, AT(net.connections_max), 1, 1000000, "connections; fewer if descriptors are",
	  AT_START },
	{ "connections-per-address-max", "N", OPTION_U32, AT(net.connections_per_address_max), 0, 1000000,
	  "of one IPv4 address or IPv6 /64; 0: no cap", RELOADS },
	{ "write-queue-bytes-max", "BYTES", OPTION_U64, AT(net.write_queue_bytes_max), MIB, UINT32_MAX,
	  "replies waiting for one client, at worst", AT_START },
	{ "write-timeout-ms", "MS", OPTION_U32, AT(net.write_timeout_ms), 0, UINT32_MAX,
	  "a connection ends if bytes wait and its peer acknowledges none for this long; 0: never", AT_START },
	{ "hello-timeout-ms", "MS", OPTION_U32, AT(session.hello_timeout_ms), 0, UINT32_MAX,
	  "from a connection's start to its Hello; 0: none", AT_START },
	{ "frame-timeout-ms", "MS", OPTION_U32, AT(session.frame_timeout_ms), 0, UINT32_MAX,
	  "from a message's first byte to its last, and 1 s more for each 8 KiB that have come; 0: any time", AT_START },
	{ "ping-interval-ms", "MS", OPTION_U32, AT(session.ping_interval_ms), 0, UINT32_MAX,
	  "a connection silent for three of these is closed; 0: never", AT_START },
	{ "shutdown-grace-ms", "MS", OPTION_U32, AT(shutdown_grace_ms), 0, 86400000,
	  "after SIGTERM, for answering what is under way", AT_START },
	{ "log-level", "LEVEL", OPTION_LEVEL, AT(log_level), 0, 0, "debug, info, warning, error or off", RELOADS },
	{ "log-format", "FORMAT", OPTION_FORMAT, AT(log_format), 0, 0, "logfmt or json", AT_START },
	{ "log-file", "FILE", OPTION_PATH, AT(log_file), 0, 0, "lines are put at its end; none: they go to stderr", AT_START },
};
const size_t config_option_count = sizeof config_options / sizeof config_options[0];
static_assert(sizeof config_options / sizeof config_options[0] <= CONFIG_OPTIONS_MAX, "config_sources is too small");

/* "COLLIDED_QUEUE_MAX" of "queue-max". */
void
option_variable(const struct option *option, char name[static VARIABLE_BYTES])
{
	int count = snprintf(name, VARIABLE_BYTES, VARIABLE_PREFIX "%s", option->name);
	for (int i = 0; i < count && i < VARIABLE_BYTES; i++)
		name[i] = (char)(name[i] == '-' ? '_' : toupper((unsigned char)name[i]));
}

const struct option *
option_find(const char *name, size_t count)
{
	for (size_t i = 0; i < config_option_count; i++)
		if (strlen(config_options[i].name) == count && memcmp(config_options[i].name, name, count) == 0)
			return &config_options[i];
	return NULL;
}

bool
option_names_file(const struct option *option)
{
	return option->offset == AT(config_file);
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
set_number(const struct option *option, struct config *config, const char *source, const char *text,
           char error[static CONFIG_ERROR_BYTES])
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

const char *const *
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

static bool
set_text(const struct option *option, struct config *config, const char *text)
{
	*(const char **)option_place(option, config) = text;
	return true;
}

static bool
address_is_valid(const char *text)
{
	char host[CONFIG_HOST_BYTES];
	const char *port = NULL;
	return config_split_address(text, host, &port);
}

bool
option_set(const struct option *option, struct config *config, const char *source, const char *text,
           char error[static CONFIG_ERROR_BYTES])
{
	const char *wanted = option->help;
	switch (option->type) {
	case OPTION_U32:
	case OPTION_U64: return set_number(option, config, source, text, error);
	case OPTION_PATH: return set_text(option, config, text);
	case OPTION_ADDRESS:
		if (address_is_valid(text))
			return set_text(option, config, text);
		wanted = "HOST:PORT";
		break;
	case OPTION_WEIGHTS:
		if (weights_are_valid(text))
			return set_text(option, config, text);
		wanted = "ADDRESS=N with N from 1 to 1024, and blanks between several";
		break;
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
	snprintf(error, CONFIG_ERROR_BYTES, "%s: \"%.60s\" is not %s%s%s", source, text, choices ? "one of: " : "", wanted,
	         suggest_text(&suggest, told));
	return false;
}

void
option_print_value(const struct option *option, const struct config *config, FILE *out)
{
	const char *place = (const char *)config + option->offset;
	switch (option->type) {
	case OPTION_PATH:
	case OPTION_ADDRESS:
	case OPTION_WEIGHTS: fputs(*(const char *const *)(const void *)place, out); break;
	case OPTION_U32: fprintf(out, "%" PRIu32, *(const uint32_t *)(const void *)place); break;
	case OPTION_U64: fprintf(out, "%" PRIu64, *(const uint64_t *)(const void *)place); break;
	case OPTION_LEVEL: fputs(log_level_name(config->log_level), out); break;
	case OPTION_FORMAT: fputs(log_format_name(config->log_format), out); break;
	}
}

bool
option_equal(const struct option *option, const struct config *a, const struct config *b)
{
	const void *first = (const char *)a + option->offset, *second = (const char *)b + option->offset;
	switch (option->type) {
	case OPTION_PATH:
	case OPTION_ADDRESS:
	case OPTION_WEIGHTS: return strcmp(*(const char *const *)first, *(const char *const *)second) == 0;
	case OPTION_U32: return *(const uint32_t *)first == *(const uint32_t *)second;
	case OPTION_U64: return *(const uint64_t *)first == *(const uint64_t *)second;
	case OPTION_LEVEL: return a->log_level == b->log_level;
	case OPTION_FORMAT: return a->log_format == b->log_format;
	}
	return false;
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
