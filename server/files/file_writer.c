/* Happy path: a file with something to do is in a list. The thread takes it, opens it once, writes the blocks that it has, and
 * looks for the next. */
#include "files/file_writer.h"

#include "base/check.h"
#include "base/thread_name.h"
#include "files/kept_files.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* Blocks of one write. */
#define BLOCKS_AT_ONCE 16

struct file_chunk {
	struct file_chunk *next;
	struct shared_bytes *block; /* held */
	size_t front_count;
	uint8_t front[WRITTEN_FRONT_BYTES_MAX];
};

struct report_node {
	struct report_node *next;
	struct written_file *file;
	struct file_report report;
};

struct written_file {
	/* Immutable. */
	struct file_writer *writer;
	char name[WRITTEN_NAME_BYTES_MAX + 1];
	struct written_account account;

	/* Guarded by the writer's lock. */
	struct written_file *next; /* in the list of those with something to do */
	struct file_chunk *first, **end;
	uint64_t waiting; /* bytes of them, and of what is being written */
	bool busy;        /* in the list, or with the thread */
	bool closing;     /* by its owner */
	bool over;        /* the thread does not know it any more */
	struct report_node begun, ended;

	/* The thread's. */
	int descriptor; /* -1: not yet */
	uint64_t bytes;
	struct kept_file *kept; /* NULL: not yet */
};

struct file_writer {
	/* Immutable. */
	struct file_writer_options options;
	int folder;
	pthread_t thread;

	/* Guarded by the lock. */
	pthread_mutex_t lock;
	pthread_cond_t work, ended;
	struct written_file *first, **end;
	struct report_node *reports, **reports_end;
	size_t open_count; /* files without an end */
	bool stopping, has_ended;

	/* The thread's. */
	struct file_sum in_folder;
	struct kept_files kept;
};

bool
file_name_is_good(const char *name)
{
	size_t count = strlen(name);
	if (count == 0 || count > WRITTEN_NAME_BYTES_MAX || name[0] == '.')
		return false;
	for (size_t i = 0; i < count; i++)
		if (!((name[i] >= 'a' && name[i] <= 'z') || (name[i] >= 'A' && name[i] <= 'Z') || (name[i] >= '0' && name[i] <= '9') ||
		      strchr("-_.", name[i])))
			return false;
	return true;
}

static void
lock(struct file_writer *writer)
{
	CHECK(pthread_mutex_lock(&writer->lock) == 0);
}

static void
unlock(struct file_writer *writer)
{
	CHECK(pthread_mutex_unlock(&writer->lock) == 0);
}

static void
chunks_free(struct file_chunk *chunk)
{
	for (struct file_chunk *next = NULL; chunk; chunk = next) {
		next = chunk->next;
		shared_bytes_release(chunk->block);
		free(chunk);
	}
}

/* ---- on the thread */

static bool
is_over(uint64_t value, uint64_t most)
{
	return most != 0 && value > most;
}

/* Called with the lock held. */
static void
report_push(struct written_file *file, struct report_node *node)
{
	struct file_writer *writer = file->writer;
	node->file = file;
	node->next = NULL;
	*writer->reports_end = node;
	writer->reports_end = &node->next;
}

/* The end: what was not written is forgotten, and what has no block is removed. */
static void
file_end(struct written_file *file, enum file_end end, int error)
{
	struct file_writer *writer = file->writer;
	if (file->descriptor >= 0) {
		if (end == FILE_WHOLE && fsync(file->descriptor) != 0) {
			end = FILE_FAILED;
			error = errno;
		}
		if (close(file->descriptor) != 0 && end == FILE_WHOLE) {
			end = FILE_FAILED;
			error = errno;
		}
		if (file->bytes == 0)
			(void)unlinkat(writer->folder, file->name, 0);
	}
	if (file->kept)
		file->kept->written = false;
	lock(writer);
	struct file_chunk *left = file->first;
	file->first = NULL;
	file->end = &file->first;
	file->waiting = 0;
	file->over = true;
	file->ended.report.ended = true;
	file->ended.report.end = end;
	file->ended.report.error = error;
	file->ended.report.bytes = file->bytes;
	report_push(file, &file->ended);
	writer->open_count--;
	unlock(writer);
	chunks_free(left);
	writer->options.wake(writer->options.context);
}

/* Whether there may be one more; else why not. */
static enum file_end
file_may_be_one_more(const struct written_file *file)
{
	const struct file_writer *writer = file->writer;
	if (is_over(writer->in_folder.files + 1, writer->options.folder_files_max))
		return FILE_MANY;
	if (is_over(kept_files_sum(&writer->kept, &file->account).files + 1, writer->options.account_files_max))
		return FILE_MANY_OF_ACCOUNT;
	return FILE_WHOLE;
}

/* False: it has ended. */
static bool
file_open(struct written_file *file)
{
	struct file_writer *writer = file->writer;
	if (file->descriptor >= 0)
		return true;
	writer->in_folder = folder_sum(writer->folder);
	kept_files_look(&writer->kept, writer->folder);
	enum file_end end = file_may_be_one_more(file);
	if (end != FILE_WHOLE) {
		file_end(file, end, 0);
		return false;
	}
	file->descriptor = openat(writer->folder, file->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0640);
	if (file->descriptor < 0) {
		file_end(file, errno == EEXIST ? FILE_EXISTS : FILE_FAILED, errno);
		return false;
	}
	writer->in_folder.files++;
	file->kept = kept_files_add(&writer->kept, file->name, &file->account);
	if (!file->kept) {
		file_end(file, FILE_FAILED, ENOMEM);
		return false;
	}
	return true;
}

/* All of it. 0, or errno. */
static int
write_all(int descriptor, struct iovec *parts, int count)
{
	while (count > 0) {
		ssize_t written = writev(descriptor, parts, count);
		if (written < 0 && errno != EINTR)
			return errno;
		size_t done = written > 0 ? (size_t)written : 0;
		for (; count > 0 && done >= parts->iov_len; parts++, count--)
			done -= parts->iov_len;
		if (count > 0) {
			parts->iov_base = (char *)parts->iov_base + done;
			parts->iov_len -= done;
		}
	}
	return 0;
}

static uint64_t
chunk_bytes(const struct file_chunk *chunk)
{
	return chunk->front_count + chunk->block->count;
}

/* Some blocks from *chunk on. False: the file has ended. */
static bool
chunks_write(struct written_file *file, const struct file_chunk **chunk)
{
	struct file_writer *writer = file->writer;
	struct iovec parts[2 * BLOCKS_AT_ONCE];
	int count = 0;
	uint64_t bytes = 0, of_account = kept_files_sum(&writer->kept, &file->account).bytes;
	enum file_end end = FILE_WHOLE;
	for (; *chunk && count < 2 * BLOCKS_AT_ONCE && end == FILE_WHOLE; *chunk = (*chunk)->next) {
		/* Of the writer nothing is changed through it. */
		union {
			const void *in;
			void *out;
		} front = { (*chunk)->front }, block = { (*chunk)->block->bytes };
		uint64_t more = bytes + chunk_bytes(*chunk);
		if (file->bytes + more > writer->options.file_bytes_max)
			end = FILE_LARGE;
		else if (writer->in_folder.bytes + more > writer->options.folder_bytes_max)
			end = FILE_FULL;
		else if (is_over(of_account + more, writer->options.account_bytes_max))
			end = FILE_SHARE;
		if (end != FILE_WHOLE)
			break;
		parts[count++] = (struct iovec){ front.out, (*chunk)->front_count };
		parts[count++] = (struct iovec){ block.out, (*chunk)->block->count };
		bytes = more;
	}
	int error = write_all(file->descriptor, parts, count);
	if (error != 0) {
		/* To the end of the last whole block. If not even that can be done, readers find a cut. */
		if (ftruncate(file->descriptor, (off_t)file->bytes) != 0)
			error = errno;
		file_end(file, FILE_FAILED, error);
		return false;
	}
	bool begins = file->bytes == 0 && bytes > 0;
	file->bytes += bytes;
	file->kept->bytes = file->bytes;
	writer->in_folder.bytes += bytes;
	lock(writer);
	file->waiting -= bytes;
	if (begins) {
		file->begun.report.bytes = file->bytes;
		report_push(file, &file->begun);
	}
	unlock(writer);
	if (begins)
		writer->options.wake(writer->options.context);
	if (end != FILE_WHOLE)
		file_end(file, end, 0);
	return end == FILE_WHOLE;
}

/* Called with the lock held, and returns with it. */
static void
file_work(struct written_file *file)
{
	struct file_writer *writer = file->writer;
	struct file_chunk *first = file->first;
	const struct file_chunk *chunk = first;
	bool closing = file->closing, goes_on;
	file->first = NULL;
	file->end = &file->first;
	unlock(writer);
	goes_on = file_open(file);
	while (goes_on && chunk)
		goes_on = chunks_write(file, &chunk);
	chunks_free(first);
	if (goes_on && closing)
		file_end(file, FILE_WHOLE, 0);
	lock(writer);
	if (!goes_on || closing)
		return;
	file->busy = file->first || file->closing;
	if (file->busy) {
		file->next = NULL;
		*writer->end = file;
		writer->end = &file->next;
	}
}

static void *
writer_run(void *argument)
{
	struct file_writer *writer = argument;
	thread_name_set(THREAD_NAME_DISK);
	lock(writer);
	while (!writer->stopping || writer->open_count > 0) {
		struct written_file *file = writer->first;
		if (!file) {
			CHECK(pthread_cond_wait(&writer->work, &writer->lock) == 0);
			continue;
		}
		writer->first = file->next;
		if (!writer->first)
			writer->end = &writer->first;
		file_work(file);
	}
	writer->has_ended = true;
	CHECK(pthread_cond_signal(&writer->ended) == 0);
	unlock(writer);
	return NULL;
}

/* ---- on the loop */

/* Called with the lock held. */
static void
file_want(struct written_file *file)
{
	struct file_writer *writer = file->writer;
	if (file->busy)
		return;
	file->busy = true;
	file->next = NULL;
	*writer->end = file;
	writer->end = &file->next;
	CHECK(pthread_cond_signal(&writer->work) == 0);
}

struct written_file *
file_writer_open(struct file_writer *writer, const char *name, const struct written_account *account, void *owner)
{
	struct written_file *file = calloc(1, sizeof *file);
	CHECK(file_name_is_good(name));
	if (!file)
		return NULL;
	file->writer = writer;
	file->account = *account;
	memcpy(file->name, name, strlen(name) + 1);
	file->end = &file->first;
	file->descriptor = -1;
	file->begun.report.owner = file->ended.report.owner = owner;
	lock(writer);
	writer->open_count++;
	file_want(file);
	unlock(writer);
	return file;
}

bool
written_file_append(struct written_file *file, const uint8_t *front, size_t front_count, struct shared_bytes *block)
{
	struct file_writer *writer = file->writer;
	struct file_chunk *chunk = malloc(sizeof *chunk);
	CHECK(front_count <= WRITTEN_FRONT_BYTES_MAX);
	if (!chunk)
		return false;
	chunk->next = NULL;
	chunk->block = shared_bytes_hold(block);
	chunk->front_count = front_count;
	if (front_count > 0)
		memcpy(chunk->front, front, front_count);
	lock(writer);
	bool over = file->over;
	if (!over) {
		*file->end = chunk;
		file->end = &chunk->next;
		file->waiting += chunk_bytes(chunk);
		file_want(file);
	}
	unlock(writer);
	if (over)
		chunks_free(chunk);
	return true;
}

uint64_t
written_file_waiting(struct written_file *file)
{
	lock(file->writer);
	uint64_t waiting = file->waiting;
	unlock(file->writer);
	return waiting;
}

void
written_file_close(struct written_file *file)
{
	struct file_writer *writer = file->writer;
	lock(writer);
	file->closing = true;
	if (!file->over)
		file_want(file);
	unlock(writer);
}

bool
file_writer_report(struct file_writer *writer, struct file_report *out)
{
	lock(writer);
	struct report_node *node = writer->reports;
	if (node) {
		writer->reports = node->next;
		if (!writer->reports)
			writer->reports_end = &writer->reports;
	}
	unlock(writer);
	if (!node)
		return false;
	*out = node->report;
	if (node->report.ended)
		free(node->file);
	return true;
}

/* ---- life */

static enum status
folder_open(struct file_writer *writer)
{
	writer->folder = open(writer->options.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (writer->folder < 0)
		return STATUS_NOT_FOUND;
	if (faccessat(writer->folder, ".", W_OK | X_OK, AT_EACCESS) == 0)
		return STATUS_OK;
	int error = errno;
	(void)close(writer->folder);
	errno = error;
	return STATUS_NOT_FOUND;
}

static bool
thread_start(struct file_writer *writer)
{
	pthread_condattr_t attributes;
	sigset_t all, before;
	CHECK(pthread_mutex_init(&writer->lock, NULL) == 0 && pthread_cond_init(&writer->work, NULL) == 0);
	CHECK(pthread_condattr_init(&attributes) == 0 && pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0);
	CHECK(pthread_cond_init(&writer->ended, &attributes) == 0 && pthread_condattr_destroy(&attributes) == 0);
	/* Signals are the loop's. */
	CHECK(sigfillset(&all) == 0 && pthread_sigmask(SIG_SETMASK, &all, &before) == 0);
	bool started = pthread_create(&writer->thread, NULL, writer_run, writer) == 0;
	CHECK(pthread_sigmask(SIG_SETMASK, &before, NULL) == 0);
	return started;
}

static void
writer_free(struct file_writer *writer)
{
	(void)pthread_mutex_destroy(&writer->lock);
	(void)pthread_cond_destroy(&writer->work);
	(void)pthread_cond_destroy(&writer->ended);
	(void)close(writer->folder);
	free(writer);
}

enum status
file_writer_create(const struct file_writer_options *options, struct file_writer **out)
{
	struct file_writer *writer = calloc(1, sizeof *writer);
	if (!writer)
		return STATUS_RESOURCE_EXHAUSTED;
	writer->options = *options;
	writer->end = &writer->first;
	writer->reports_end = &writer->reports;
	enum status status = folder_open(writer);
	writer->options.folder = NULL;
	if (status != STATUS_OK) {
		int error = errno;
		free(writer);
		errno = error;
		return status;
	}
	if (!thread_start(writer)) {
		writer_free(writer);
		return STATUS_RESOURCE_EXHAUSTED;
	}
	*out = writer;
	return STATUS_OK;
}

bool
file_writer_stop(struct file_writer *writer, uint64_t patience_ms)
{
	struct timespec until;
	CHECK(clock_gettime(CLOCK_MONOTONIC, &until) == 0);
	until.tv_sec += (time_t)(patience_ms / 1000);
	until.tv_nsec += (long)(patience_ms % 1000) * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	lock(writer);
	writer->stopping = true;
	CHECK(pthread_cond_signal(&writer->work) == 0);
	while (!writer->has_ended && pthread_cond_timedwait(&writer->ended, &writer->lock, &until) != ETIMEDOUT)
		;
	bool ended = writer->has_ended;
	unlock(writer);
	return ended;
}

void
file_writer_destroy(struct file_writer *writer)
{
	struct file_report report;
	if (!writer)
		return;
	CHECK(pthread_join(writer->thread, NULL) == 0);
	while (file_writer_report(writer, &report))
		;
	kept_files_finish(&writer->kept);
	writer_free(writer);
}
