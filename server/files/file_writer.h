/* file_writer: files that grow, in one folder, written by a thread of their own. A disk may take a second for a write, and
 * neither a loop nor a worker's permit can wait for that.
 *
 * The thread has no permit and hardly computes. It is not of the background class: that rests while cores are busy, and what is
 * given to a file must be written nevertheless, or it would pile up.
 *
 * One thread, the loop, opens files, gives them blocks, and closes them; none of that waits for a disk. How much waits in
 * memory is the caller's to bound (written_file_waiting). The writer says what becomes of a file by reports: once that its
 * first block is written (`begun`), and at last how it ended. Every file that was opened has an end.
 *
 * A file is new: one that is there is never opened, links are not followed, and a name has no folder in it. It ends with a
 * whole block: what was written of another is cut off. What can go wrong: the file exists; it, those of its account, or all in
 * the folder, would be larger or more than they may. Or the disk is full or broken. A file without a block that was written is
 * removed again. */
#ifndef COLLIDED_FILES_FILE_WRITER_H
#define COLLIDED_FILES_FILE_WRITER_H

#include "base/shared_bytes.h"
#include "base/status.h"
#include "files/written_account.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that may be in front of a block. */
#define WRITTEN_FRONT_BYTES_MAX 32

struct file_writer_options {
	const char *folder;
	uint64_t file_bytes_max;
	uint64_t folder_bytes_max; /* of all files in it, others' too, as they are when one is opened, and what is written since */
	uint64_t folder_files_max; /* of these; 0: any number */
	/* Of those that were opened for one account by this writer, and are there still; 0: any. */
	uint64_t account_bytes_max, account_files_max;
	void (*wake)(void *context); /* there are reports; the writer's thread, up to file_writer_stop */
	void *context;
};

struct file_writer;
struct written_file;

/* STATUS_RESOURCE_EXHAUSTED: no memory or no thread. STATUS_NOT_FOUND: the folder cannot be opened or not be written to, with
 * errno. The folder's name is not used any more. */
STATUS_MUST_USE enum status file_writer_create(const struct file_writer_options *options, struct file_writer **out);

/* A file of that name, which is to be a good one (file_name_is_good). `owner` is given back in reports. NULL without memory. */
struct written_file *file_writer_open(struct file_writer *writer, const char *name, const struct written_account *account,
                                      void *owner);
/* Letters, digits, "-", "_" and ".", which is not the first; at most 64. */
bool file_name_is_good(const char *name);

/* At the file's end: `front`, then the block, of which a hold is taken. Of a file that has ended by itself nothing happens.
 * False: no memory. */
STATUS_MUST_USE bool written_file_append(struct written_file *file, const uint8_t *front, size_t front_count,
                                         struct shared_bytes *block);
/* Bytes that it was given and that are not written. */
uint64_t written_file_waiting(struct written_file *file);
/* Once all is written, the file is: on the disk (fsync). Not to be used any more. */
void written_file_close(struct written_file *file);

enum file_end {
	FILE_WHOLE,  /* closed by its owner */
	FILE_EXISTS, /* already; or a folder or something else has that name */
	FILE_LARGE,  /* it would be larger than it may */
	FILE_FULL,   /* the folder would have more bytes than it may */
	FILE_SHARE,  /* its account would */
	FILE_MANY,   /* the folder has as many files as it may */
	FILE_MANY_OF_ACCOUNT,
	FILE_FAILED, /* by `error` */
};

struct file_report {
	void *owner;
	bool ended; /* else it has begun */
	enum file_end end;
	int error;      /* errno; 0: none */
	uint64_t bytes; /* in the file */
};

/* The next one. After that of its end a file is freed, and is not to be used. False: there is none. */
bool file_writer_report(struct file_writer *writer, struct file_report *out);

/* All files have been closed by their owners; waits until they are written. False: something still is after `patience_ms`, and
 * the writer must be left alone until the process ends. */
STATUS_MUST_USE bool file_writer_stop(struct file_writer *writer, uint64_t patience_ms);
/* After file_writer_stop returned true, or NULL. Reports that were not taken are lost. */
void file_writer_destroy(struct file_writer *writer);

#endif
