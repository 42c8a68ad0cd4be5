#include "base/log.h"

#include "base/check.h"
#include "base/clock.h"
#include "base/log_limit.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

/* Immutable once threads run. */
static enum log_format log_format_used = LOG_FORMAT_LOGFMT;
static int log_fd = STDERR_FILENO;
static bool log_fd_is_file; /* ours, to be replaced */
/* Any thread. */
static _Atomic(enum log_level) log_level_min = LOG_LEVEL_INFO;
static atomic_uint_fast64_t log_dropped;
/* Held for as long as a look at the table takes. */
static atomic_flag log_limit_lock = ATOMIC_FLAG_INIT;
static struct log_limit log_limit;

/* Read and written by its owner, for others to see the file's mode. */
#define LOG_FILE_MODE 0640

void
log_configure(enum log_level level, enum log_format format, int fd)
{
	CHECK(fd >= 0 && fd < FD_SETSIZE);
	log_level_set(level);
	log_format_used = format;
	log_fd = fd;
	log_fd_is_file = false;
}

void
log_level_set(enum log_level level)
{
	atomic_store(&log_level_min, level);
}

/* The number of the descriptor stays the same, so that other threads never see one that is closed. */
bool
log_open_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, LOG_FILE_MODE);
	if (fd < 0)
		return false;
	if (!log_fd_is_file) {
		CHECK(fd < FD_SETSIZE);
		log_fd = fd;
		log_fd_is_file = true;
		return true;
	}
	bool ok = dup2(fd, log_fd) >= 0 && fcntl(log_fd, F_SETFD, FD_CLOEXEC) == 0;
	int error = errno;
	(void)close(fd);
	errno = error;
	return ok;
}

static void
limit_lock(void)
{
	while (atomic_flag_test_and_set(&log_limit_lock)) {
	}
}

static bool
limit_take(const char *event)
{
	limit_lock();
	bool taken = log_limit_take(&log_limit, event, clock_now_ns());
	atomic_flag_clear(&log_limit_lock);
	return taken;
}

const char *
log_level_name(enum log_level level)
{
	switch (level) {
	case LOG_LEVEL_DEBUG: return "debug";
	case LOG_LEVEL_INFO: return "info";
	case LOG_LEVEL_WARNING: return "warning";
	case LOG_LEVEL_ERROR: return "error";
	case LOG_LEVEL_OFF: break;
	}
	return "off";
}

const char *
log_format_name(enum log_format format)
{
	return format == LOG_FORMAT_JSON ? "json" : "logfmt";
}

/* Set by log_put when a field did not fit, until log_commit takes the whole field back. */
static bool
log_is_cut(const struct log_line *line)
{
	return line->count == LOG_LINE_BYTES_MAX;
}

/* Room is kept for the closing brace and the newline. */
static void
log_put(struct log_line *line, const char *bytes, size_t count)
{
	if (log_is_cut(line) || count > LOG_LINE_BYTES_MAX - 4 - line->count) {
		line->count = LOG_LINE_BYTES_MAX;
		return;
	}
	memcpy(line->bytes + line->count, bytes, count);
	line->count += count;
}

/* A whole field or none of it, so that a cut line is still well formed. */
static void
log_commit(struct log_line *line, size_t count_before)
{
	if (log_is_cut(line))
		line->count = count_before;
}

static void
log_put_escaped(struct log_line *line, const char *bytes, size_t count)
{
	static const char digits[] = "0123456789abcdef";
	for (size_t i = 0; i < count && !log_is_cut(line); i++) {
		unsigned char c = (unsigned char)bytes[i];
		if (c == '"' || c == '\\') {
			log_put(line, (char[]){ '\\', (char)c }, 2);
		} else if (c >= 0x20 && c < 0x7f) {
			log_put(line, (char[]){ (char)c }, 1);
		} else {
			/* Anything else as a code point below 256: safe in both formats and on a terminal. */
			log_put(line, (char[]){ '\\', 'u', '0', '0', digits[c >> 4], digits[c & 15] }, 6);
		}
	}
}

static void
log_put_key(struct log_line *line, const char *key)
{
	bool first = line->count == 0 || (line->json && line->count == 1);
	if (line->json) {
		log_put(line, first ? "\"" : ",\"", first ? 1 : 2);
		log_put(line, key, strlen(key));
		log_put(line, "\":", 2);
	} else {
		log_put(line, " ", first ? 0 : 1);
		log_put(line, key, strlen(key));
		log_put(line, "=", 1);
	}
}

/* logfmt leaves plain words bare. */
static bool
log_is_plain(const char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (bytes[i] <= ' ' || bytes[i] == '"' || bytes[i] == '=' || bytes[i] == '\\' || bytes[i] >= 0x7f)
			return false;
	return count > 0;
}

void
log_bytes(struct log_line *line, const char *key, const void *value, size_t count)
{
	size_t before = line->count;
	if (!line->wanted)
		return;
	log_put_key(line, key);
	if (!log_is_cut(line) && !line->json && log_is_plain(value, count)) {
		log_put(line, value, count);
	} else if (!log_is_cut(line)) {
		log_put(line, "\"", 1);
		log_put_escaped(line, value, count);
		if (!log_is_cut(line))
			log_put(line, "\"", 1);
	}
	log_commit(line, before);
}

void
log_text(struct log_line *line, const char *key, const char *value)
{
	log_bytes(line, key, value, strlen(value));
}

void
log_number(struct log_line *line, const char *key, uint64_t value)
{
	size_t before = line->count;
	char digits[24];
	if (!line->wanted)
		return;
	int count = snprintf(digits, sizeof digits, "%" PRIu64, value);
	log_put_key(line, key);
	if (!log_is_cut(line))
		log_put(line, digits, (size_t)count);
	log_commit(line, before);
}

/* Wall-clock time, for people only. */
static void
log_put_time(struct log_line *line)
{
	struct timespec now = { 0 };
	struct tm parts = { 0 };
	char text[40];
	char whole[48];
	if (clock_gettime(CLOCK_REALTIME, &now) != 0 || !gmtime_r(&now.tv_sec, &parts))
		return;
	strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
	snprintf(whole, sizeof whole, "%s.%03dZ", text, (int)(now.tv_nsec / 1000000));
	log_text(line, "time", whole);
}

static bool
level_is_wanted(enum log_level level)
{
	return level >= atomic_load(&log_level_min) && level < LOG_LEVEL_OFF;
}

static void
line_begin(struct log_line *line, bool wanted, enum log_level level, const char *event)
{
	line->wanted = wanted;
	line->json = log_format_used == LOG_FORMAT_JSON;
	line->count = 0;
	if (!line->wanted)
		return;
	if (line->json)
		log_put(line, "{", 1);
	log_put_time(line);
	log_text(line, "level", log_level_name(level));
	log_text(line, "event", event);
	line->dropped = atomic_exchange(&log_dropped, 0);
	if (line->dropped != 0)
		log_number(line, "dropped", line->dropped);
}

void
log_begin(struct log_line *line, enum log_level level, const char *event)
{
	line_begin(line, level_is_wanted(level) && limit_take(event), level, event);
}

void
log_begin_asked(struct log_line *line, enum log_level level, const char *event)
{
	line_begin(line, level_is_wanted(level), level, event);
}

void
log_end(struct log_line *line)
{
	if (!line->wanted)
		return;
	if (line->json)
		line->bytes[line->count++] = '}';
	line->bytes[line->count++] = '\n';
	/* A pipe that is ready takes a line of this length whole. */
	fd_set writable;
	struct timeval now = { 0 };
	FD_ZERO(&writable);
	FD_SET(log_fd, &writable);
	if (select(log_fd + 1, NULL, &writable, NULL, &now) != 1 || write(log_fd, line->bytes, line->count) != (ssize_t)line->count)
		atomic_fetch_add(&log_dropped, line->dropped + 1);
}

void
log_tell_left_out(void)
{
	struct log_line line;
	const char *event = NULL;
	do {
		uint64_t count = 0;
		limit_lock();
		event = log_limit_left_out(&log_limit, clock_now_ns(), &count);
		atomic_flag_clear(&log_limit_lock);
		if (event) {
			log_begin_asked(&line, LOG_LEVEL_INFO, "lines left out");
			log_text(&line, "of", event);
			log_number(&line, "count", count);
			log_end(&line);
		}
	} while (event);
}

void
log_event(enum log_level level, const char *event)
{
	struct log_line line;
	log_begin(&line, level, event);
	log_end(&line);
}
