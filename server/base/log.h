/* log: structured lines on stderr or in a file, as logfmt or JSON.
 *
 * Any thread once log_configure has returned. A line is built on the caller's stack and written with one write(2), so
 * lines never mix. A reader of stderr that stopped reading costs lines, never time. A line that cannot be
 * written at once is dropped, and the next that can be says how many were ("dropped"). Lines of one kind are limited
 * (log_limit.h), and how many were left out is told. Text from clients is escaped. */
#ifndef COLLIDED_BASE_LOG_H
#define COLLIDED_BASE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum log_level { LOG_LEVEL_DEBUG, LOG_LEVEL_INFO, LOG_LEVEL_WARNING, LOG_LEVEL_ERROR, LOG_LEVEL_OFF };
enum log_format { LOG_FORMAT_LOGFMT, LOG_FORMAT_JSON };

/* Bytes of one line, newline included; the rest of a longer one is cut. Below PIPE_BUF (4096), so that it is written whole. */
#define LOG_LINE_BYTES_MAX 2048

/* Before any thread is started. `fd` is borrowed: 2, or a test's pipe. */
void log_configure(enum log_level level, enum log_format format, int fd);
/* Any thread, at any time. */
void log_level_set(enum log_level level);
/* From now on lines go to the end of this file, which is made if need be. Called again, it opens what has the name by then, in
 * the place of the file before. Not two threads at once. false: errno says why, and nothing has changed. */
bool log_open_file(const char *path);
const char *log_level_name(enum log_level level);
const char *log_format_name(enum log_format format);

struct log_line {
	bool wanted; /* its level is logged at all */
	bool json;
	size_t count;
	uint64_t dropped; /* lines lost before this one */
	char bytes[LOG_LINE_BYTES_MAX];
};

/* Starts a line; `event` is what happened, in a few words of our own: static text. Fields follow, log_end writes it. */
void log_begin(struct log_line *line, enum log_level level, const char *event);
/* The same for lines that the operator has asked for: they are not limited. */
void log_begin_asked(struct log_line *line, enum log_level level, const char *event);
void log_text(struct log_line *line, const char *key, const char *value);
void log_bytes(struct log_line *line, const char *key, const void *value, size_t count);
void log_number(struct log_line *line, const char *key, uint64_t value);
void log_end(struct log_line *line);

/* Says which lines were left out in seconds that are over. To be called now and then. */
void log_tell_left_out(void);

/* A line without fields. */
void log_event(enum log_level level, const char *event);

#endif
