/* kept_files: which files of a folder this process has written, and for which accounts.
 *
 * The writer's thread only. What an operator has removed is found out by looking. */
#ifndef COLLIDED_FILES_KEPT_FILES_H
#define COLLIDED_FILES_KEPT_FILES_H

#include "files/written_account.h"

#include <stdbool.h>

/* Bytes of a name. */
#define WRITTEN_NAME_BYTES_MAX 64

/* As long as it is in the folder or is written. */
struct kept_file {
	struct kept_file *next;
	struct written_account account;
	bool written; /* still; by its writer */
	uint64_t bytes;
	char name[WRITTEN_NAME_BYTES_MAX + 1];
};

/* All NULL at first. */
struct kept_files {
	struct kept_file *first;
};

struct file_sum {
	uint64_t bytes, files;
};

/* What is in the folder of that descriptor, others' files too. What cannot be looked at does not count. */
struct file_sum folder_sum(int folder);

/* A file that is written from now on. NULL without memory. */
struct kept_file *kept_files_add(struct kept_files *files, const char *name, const struct written_account *account);
/* Forgets those that are not there any more. */
void kept_files_look(struct kept_files *files, int folder);
/* Of one account. */
struct file_sum kept_files_sum(const struct kept_files *files, const struct written_account *account);
void kept_files_finish(struct kept_files *files);

#endif
