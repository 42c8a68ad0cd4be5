/* Happy path: blocks go to the writer's thread, and what became of a file comes back as a report. What can go wrong is the
 * disk's: it is told to the registry by a reason, and logged with what the system says. */
#include "daemon_files.h"

#include "base/log.h"
#include "daemon_private.h"
#include "files/file_writer.h"

#include <errno.h>
#include <string.h>

static_assert(WORLDS_FILE_FRONT_BYTES_MAX <= WRITTEN_FRONT_BYTES_MAX, "a front does not fit");

static void
on_report(void *context)
{
	net_wake(((struct daemon *)context)->net);
}

/* Of one account: half of all unless it is set, as of everything that accounts share. */
static uint64_t
share_of(uint64_t set, uint64_t all)
{
	return set != 0 ? set : all - all / 2;
}

bool
daemon_start_files(struct daemon *daemon)
{
	const struct config *config = daemon->config;
	const struct file_writer_options options = {
		.folder = config->record_dir,
		.file_bytes_max = config->record_bytes_max,
		.folder_bytes_max = config->record_dir_bytes_max,
		.folder_files_max = config->record_dir_files_max,
		.account_bytes_max = share_of(config->record_per_account_bytes_max, config->record_dir_bytes_max),
		.account_files_max = share_of(config->record_per_account_files_max, config->record_dir_files_max),
		.wake = on_report,
		.context = daemon,
	};
	if (config->record_dir[0] == '\0')
		return true;
	enum status status = file_writer_create(&options, &daemon->files);
	if (status == STATUS_OK)
		return true;
	const char *reason = status == STATUS_NOT_FOUND ? strerror(errno) : "no memory or no thread";
	struct log_line line;
	log_begin(&line, LOG_LEVEL_ERROR, "cannot keep recordings");
	log_text(&line, "folder", config->record_dir);
	log_text(&line, "reason", reason);
	log_end(&line);
	return false;
}

/* ---- lent to worlds */

/* `account` is a client_account, of which struct account is the first member. */
static void *
files_open(void *context, const char *name, const void *account, void *recording)
{
	const struct address_key *key = &((const struct client_account *)account)->key;
	struct written_account written;
	static_assert(sizeof written.bytes == sizeof key->bytes + 1, "the kind of address does not fit");
	memcpy(written.bytes, key->bytes, sizeof key->bytes);
	written.bytes[sizeof key->bytes] = key->is_ipv6;
	return file_writer_open(((struct daemon *)context)->files, name, &written, recording);
}

static bool
files_append(void *file, const uint8_t *front, size_t front_count, struct shared_bytes *block)
{
	return written_file_append(file, front, front_count, block);
}

static uint64_t
files_waiting(void *file)
{
	return written_file_waiting(file);
}

static void
files_close(void *file)
{
	written_file_close(file);
}

/* Only what the disk is to blame for is a warning. */
static void
files_tell(void *context, const struct recording_line *recording)
{
	struct log_line line;
	bool ended = recording->ended != NULL;
	bool bad = ended && (strcmp(recording->ended, "DISK") == 0 || strcmp(recording->ended, "DISK_SLOW") == 0 ||
	                     strncmp(recording->ended, "RECORD_", 7) == 0);
	(void)context;
	log_begin(&line, bad ? LOG_LEVEL_WARNING : LOG_LEVEL_INFO, ended ? "a recording has ended" : "a recording has begun");
	log_text(&line, "file", recording->file);
	if (recording->world[0] != '\0')
		log_text(&line, "world", recording->world);
	log_number(&line, "epoch", recording->epoch);
	log_number(&line, "first_tick", recording->first_tick);
	if (ended) {
		log_number(&line, "tick", recording->tick);
		log_number(&line, "bytes", recording->bytes);
		log_text(&line, "reason", recording->ended);
		if (recording->text[0] != '\0')
			log_text(&line, "text", recording->text);
	}
	log_end(&line);
}

struct worlds_files
daemon_files(struct daemon *daemon)
{
	if (!daemon->files)
		return (struct worlds_files){ .open = NULL };
	return (struct worlds_files){
		.open = files_open,
		.append = files_append,
		.waiting = files_waiting,
		.close = files_close,
		.tell = files_tell,
		.context = daemon,
	};
}

/* ---- reports */

void
daemon_take_files(struct daemon *daemon)
{
	static const char *const reasons[] = {
		[FILE_WHOLE] = NULL,
		[FILE_EXISTS] = "NAME_TAKEN",
		[FILE_LARGE] = "RECORD_BYTES",
		[FILE_FULL] = "RECORD_BYTES",
		[FILE_SHARE] = "RECORD_BYTES",
		[FILE_MANY] = "RECORD_FILES",
		[FILE_MANY_OF_ACCOUNT] = "RECORD_FILES",
		[FILE_FAILED] = "DISK",
	};
	static const char *const texts[] = {
		[FILE_WHOLE] = "",
		[FILE_EXISTS] = "",
		[FILE_LARGE] = "the file is as large as one may be",
		[FILE_FULL] = "the folder has as many bytes as it may",
		[FILE_SHARE] = "this address has its share of the folder's bytes",
		[FILE_MANY] = "the folder has as many files as it may",
		[FILE_MANY_OF_ACCOUNT] = "this address has its share of the folder's files",
		[FILE_FAILED] = "",
	};
	struct file_report report;
	while (daemon->files && file_writer_report(daemon->files, &report)) {
		const struct worlds_file_news news = {
			.ended = report.ended,
			.reason = reasons[report.end],
			.text = report.end == FILE_FAILED ? strerror(report.error) : texts[report.end],
			.bytes = report.bytes,
		};
		worlds_on_file(report.owner, &news);
	}
}

/* ---- the end */

void
daemon_close_files(struct daemon *daemon)
{
	if (daemon->files)
		worlds_close_files(daemon->service.worlds);
}

bool
daemon_finish_files(struct daemon *daemon, uint64_t patience_ms)
{
	if (!daemon->files)
		return true;
	if (!file_writer_stop(daemon->files, patience_ms))
		return false;
	daemon_take_files(daemon);
	file_writer_destroy(daemon->files);
	daemon->files = NULL;
	return true;
}
