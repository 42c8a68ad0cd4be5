#include "files/kept_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* False: there is no file of that name. */
static bool
file_size(int folder, const char *name, uint64_t *bytes)
{
	struct stat status;
	if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode))
		return false;
	*bytes = (uint64_t)status.st_size;
	return true;
}

struct file_sum
folder_sum(int folder)
{
	struct file_sum sum = { 0 };
	int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = again >= 0 ? fdopendir(again) : NULL;
	if (!entries) {
		if (again >= 0)
			(void)close(again);
		return sum;
	}
	for (const struct dirent *entry = NULL; (entry = readdir(entries));) {
		uint64_t bytes = 0;
		if (file_size(folder, entry->d_name, &bytes)) {
			sum.bytes += bytes;
			sum.files++;
		}
	}
	(void)closedir(entries);
	return sum;
}

struct kept_file *
kept_files_add(struct kept_files *files, const char *name, const struct written_account *account)
{
	struct kept_file *kept = calloc(1, sizeof *kept);
	if (!kept)
		return NULL;
	kept->next = files->first;
	kept->account = *account;
	kept->written = true;
	memcpy(kept->name, name, strlen(name) + 1);
	files->first = kept;
	return kept;
}

void
kept_files_look(struct kept_files *files, int folder)
{
	for (struct kept_file **link = &files->first; *link;) {
		struct kept_file *kept = *link;
		if (kept->written || file_size(folder, kept->name, &kept->bytes)) {
			link = &kept->next;
		} else {
			*link = kept->next;
			free(kept);
		}
	}
}

struct file_sum
kept_files_sum(const struct kept_files *files, const struct written_account *account)
{
	struct file_sum sum = { 0 };
	for (const struct kept_file *kept = files->first; kept; kept = kept->next) {
		if (memcmp(&kept->account, account, sizeof *account) == 0) {
			sum.bytes += kept->bytes;
			sum.files++;
		}
	}
	return sum;
}

void
kept_files_finish(struct kept_files *files)
{
	for (struct kept_file *kept = files->first, *next = NULL; kept; kept = next) {
		next = kept->next;
		free(kept);
	}
}
