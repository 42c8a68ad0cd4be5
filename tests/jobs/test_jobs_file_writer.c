/* The writer of files, against what it must have written: block by block, whatever the disk does. Writes are this test's own
 * (linked with --wrap): they may be short, be interrupted, fail, or wait until they are let go. */
#include "files/file_writer.h"
#include "support/random.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- the disk */

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool held;        /* writes wait */
	unsigned waiting; /* of them */
	uint64_t seed;    /* not 0: writes are short or interrupted, at random */
	uint64_t left;    /* bytes until it is full */
	int fsync_error;
	unsigned wakes;
} disk = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .left = UINT64_MAX };

ssize_t __real_writev(int descriptor, const struct iovec *parts, int count);
ssize_t __wrap_writev(int descriptor, const struct iovec *parts, int count);
int __real_fsync(int descriptor);
int __wrap_fsync(int descriptor);

ssize_t
__wrap_writev(int descriptor, const struct iovec *parts, int count)
{
	pthread_mutex_lock(&disk.lock);
	disk.waiting++;
	pthread_cond_broadcast(&disk.changed);
	while (disk.held)
		pthread_cond_wait(&disk.changed, &disk.lock);
	disk.waiting--;
	bool interrupted = disk.seed != 0 && random_below(&disk.seed, 4) == 0;
	size_t all = 0;
	for (int i = 0; i < count; i++)
		all += parts[i].iov_len;
	size_t most = disk.seed != 0 && all > 0 ? 1 + (size_t)random_below(&disk.seed, all) : all;
	most = most < disk.left ? most : (size_t)disk.left;
	bool full = all > 0 && most == 0;
	if (!interrupted && !full && disk.left != UINT64_MAX)
		disk.left -= most;
	pthread_mutex_unlock(&disk.lock);
	if (interrupted || full) {
		errno = interrupted ? EINTR : ENOSPC;
		return -1;
	}
	/* The first bytes of them. */
	uint8_t *joined = malloc(all + 1);
	size_t at = 0;
	assert_non_null(joined);
	for (int i = 0; i < count; i++) {
		if (parts[i].iov_len > 0)
			memcpy(joined + at, parts[i].iov_base, parts[i].iov_len);
		at += parts[i].iov_len;
	}
	ssize_t written = write(descriptor, joined, most);
	free(joined);
	return written;
}

int
__wrap_fsync(int descriptor)
{
	errno = disk.fsync_error;
	return disk.fsync_error != 0 ? -1 : __real_fsync(descriptor);
}

static void
disk_hold(bool held)
{
	pthread_mutex_lock(&disk.lock);
	disk.held = held;
	pthread_cond_broadcast(&disk.changed);
	pthread_mutex_unlock(&disk.lock);
}

static void
disk_wait_for_write(void)
{
	pthread_mutex_lock(&disk.lock);
	while (disk.waiting == 0)
		pthread_cond_wait(&disk.changed, &disk.lock);
	pthread_mutex_unlock(&disk.lock);
}

/* ---- a writer in a folder of its own */

static struct {
	char folder[64];
	struct file_writer *writer;
} run;

static void
on_wake(void *context)
{
	(void)context;
	pthread_mutex_lock(&disk.lock);
	disk.wakes++;
	pthread_cond_broadcast(&disk.changed);
	pthread_mutex_unlock(&disk.lock);
}

static const struct written_account accounts[2] = { { { 127, 0, 0, 1 } }, { { 127, 0, 0, 2 } } };

static void
run_open_with(struct file_writer_options options)
{
	options.folder = run.folder;
	options.wake = on_wake;
	disk.wakes = 0;
	disk.seed = 0;
	disk.left = UINT64_MAX;
	disk.fsync_error = 0;
	(void)snprintf(run.folder, sizeof run.folder, "/tmp/file_writer.XXXXXX");
	assert_non_null(mkdtemp(run.folder));
	assert_int_equal(file_writer_create(&options, &run.writer), STATUS_OK);
}

static void
run_open(uint64_t file_bytes_max, uint64_t folder_bytes_max)
{
	run_open_with((struct file_writer_options){ .file_bytes_max = file_bytes_max, .folder_bytes_max = folder_bytes_max });
}

static void
path_of(const char *name, char path[static 160])
{
	(void)snprintf(path, 160, "%s/%s", run.folder, name);
}

static void
run_close(const char *const *names)
{
	char path[160];
	assert_true(file_writer_stop(run.writer, 60000));
	file_writer_destroy(run.writer);
	for (; *names; names++) {
		path_of(*names, path);
		(void)unlink(path);
	}
	assert_int_equal(rmdir(run.folder), 0);
}

static struct file_report
report_wait(void)
{
	struct file_report report;
	pthread_mutex_lock(&disk.lock);
	while (disk.wakes == 0)
		pthread_cond_wait(&disk.changed, &disk.lock);
	disk.wakes--;
	pthread_mutex_unlock(&disk.lock);
	assert_true(file_writer_report(run.writer, &report));
	return report;
}

static struct shared_bytes *
block_of(const char *text)
{
	size_t count = strlen(text);
	uint8_t *bytes = malloc(count + 1);
	assert_non_null(bytes);
	memcpy(bytes, text, count);
	struct shared_bytes *block = shared_bytes_create(bytes, count);
	assert_non_null(block);
	return block;
}

static void
append(struct written_file *file, const char *front, const char *text)
{
	struct shared_bytes *block = block_of(text);
	assert_true(written_file_append(file, (const uint8_t *)front, strlen(front), block));
	shared_bytes_release(block);
}

static void
file_has(const char *name, const char *bytes, size_t count)
{
	char path[160];
	path_of(name, path);
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	char *got = malloc(count + 2);
	assert_non_null(got);
	assert_int_equal(fread(got, 1, count + 1, file), count);
	assert_memory_equal(got, bytes, count);
	free(got);
	(void)fclose(file);
}

static void
text_is(const char *name, const char *text)
{
	file_has(name, text, strlen(text));
}

static void
report_is(void *owner, bool ended, enum file_end end, int error, uint64_t bytes)
{
	struct file_report report = report_wait();
	assert_ptr_equal(report.owner, owner);
	assert_int_equal(report.ended, ended);
	assert_int_equal(report.end, end);
	assert_int_equal(report.error, error);
	assert_int_equal(report.bytes, bytes);
}

/* ---- tests */

static void
test_names(void **state)
{
	static const char *const good[] = { "a", "A-1_b.rec", "0", "-", "_.." };
	static const char *const bad[] = { "", ".", "..", ".rec", "a/b", "../a", "a b", "a\n", "\xc3\xa4", "a\\b", "a:b", "~" };
	char longest[66] = { 0 };
	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
		assert_true(file_name_is_good(good[i]));
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_false(file_name_is_good(bad[i]));
	memset(longest, 'x', 64);
	assert_true(file_name_is_good(longest));
	longest[64] = 'x';
	assert_false(file_name_is_good(longest));
}

static void
test_a_file_is_what_it_was_given(void **state)
{
	int owner;
	(void)state;
	run_open(1 << 20, 1 << 20);
	struct written_file *file = file_writer_open(run.writer, "one.rec", &accounts[0], &owner);
	append(file, "<", "first");
	report_is(&owner, false, FILE_WHOLE, 0, 6);
	append(file, "", "second");
	append(file, ">", "");
	written_file_close(file);
	report_is(&owner, true, FILE_WHOLE, 0, 13);
	text_is("one.rec", "<firstsecond>");
	run_close((const char *const[]){ "one.rec", NULL });
}

/* None of these is touched. */
static void
test_what_is_there_stays(void **state)
{
	char path[160], target[160];
	(void)state;
	run_open(1 << 20, 1 << 20);
	path_of("there", path);
	FILE *there = fopen(path, "w");
	assert_non_null(there);
	(void)fputs("mine", there);
	(void)fclose(there);
	path_of("link", path);
	path_of("nowhere", target);
	assert_int_equal(symlink(target, path), 0);
	path_of("folder", path);
	assert_int_equal(mkdir(path, 0700), 0);
	static const char *const names[] = { "there", "link", "folder" };
	for (size_t i = 0; i < 3; i++) {
		struct written_file *file = file_writer_open(run.writer, names[i], &accounts[0], NULL);
		append(file, "", "theirs");
		report_is(NULL, true, FILE_EXISTS, EEXIST, 0);
	}
	text_is("there", "mine");
	assert_int_equal(access(target, F_OK), -1);
	assert_int_equal(rmdir(path), 0);
	run_close((const char *const[]){ "there", "link", NULL });
}

/* The first block that does not fit ends it, before its first byte; what it was given later is forgotten. */
static void
test_a_file_is_no_larger_than_it_may(void **state)
{
	(void)state;
	run_open(10, 1 << 20);
	struct written_file *file = file_writer_open(run.writer, "large", &accounts[0], NULL);
	append(file, "", "12345");
	report_is(NULL, false, FILE_WHOLE, 0, 5);
	append(file, "", "12345");
	append(file, "x", "");
	append(file, "", "y");
	report_is(NULL, true, FILE_LARGE, 0, 10);
	text_is("large", "1234512345");
	/* Of nothing that fits there is no file. */
	file = file_writer_open(run.writer, "none", &accounts[0], NULL);
	append(file, "", "12345678901");
	report_is(NULL, true, FILE_LARGE, 0, 0);
	char path[160];
	path_of("none", path);
	assert_int_equal(access(path, F_OK), -1);
	run_close((const char *const[]){ "large", NULL });
}

static void
test_all_files_of_the_folder_count(void **state)
{
	char path[160];
	(void)state;
	run_open(1 << 20, 20);
	path_of("others", path);
	FILE *others = fopen(path, "w");
	assert_non_null(others);
	(void)fputs("12345678", others);
	(void)fclose(others);
	struct written_file *one = file_writer_open(run.writer, "one", &accounts[0], &one);
	append(one, "", "123456");
	report_is(&one, false, FILE_WHOLE, 0, 6);
	struct written_file *two = file_writer_open(run.writer, "two", &accounts[0], &two);
	append(two, "", "123456");
	report_is(&two, false, FILE_WHOLE, 0, 6);
	append(one, "", "x");
	report_is(&one, true, FILE_FULL, 0, 6);
	/* Once there is room again, there is. */
	assert_int_equal(unlink(path), 0);
	written_file_close(two);
	report_is(&two, true, FILE_WHOLE, 0, 6);
	struct written_file *three = file_writer_open(run.writer, "three", &accounts[0], NULL);
	append(three, "", "12345678");
	written_file_close(three);
	report_is(NULL, false, FILE_WHOLE, 0, 8);
	report_is(NULL, true, FILE_WHOLE, 0, 8);
	run_close((const char *const[]){ "one", "two", "three", NULL });
}

/* A file with a text, which is closed; with what it ends. */
static void
write_whole(const char *name, unsigned account, const char *text, enum file_end end)
{
	struct written_file *file = file_writer_open(run.writer, name, &accounts[account], NULL);
	append(file, "", text);
	written_file_close(file);
	if (end == FILE_WHOLE)
		report_is(NULL, false, FILE_WHOLE, 0, strlen(text));
	report_is(NULL, true, end, 0, end == FILE_WHOLE ? strlen(text) : 0);
}

static void
remove_file(const char *name)
{
	char path[160];
	path_of(name, path);
	assert_int_equal(unlink(path), 0);
}

/* What an account has counts as long as it is in the folder, and takes nothing from another's. */
static void
test_an_account_has_its_share_of_bytes(void **state)
{
	(void)state;
	run_open_with((struct file_writer_options){ .file_bytes_max = 100, .folder_bytes_max = 100, .account_bytes_max = 10 });
	write_whole("a", 0, "123456", FILE_WHOLE);
	write_whole("b", 0, "12345", FILE_SHARE);
	write_whole("c", 1, "1234567890", FILE_WHOLE);
	write_whole("d", 0, "1234", FILE_WHOLE);
	write_whole("e", 1, "1", FILE_SHARE);
	/* Of two that are written at once the second ends, with what was in it. */
	remove_file("d");
	struct written_file *one = file_writer_open(run.writer, "d", &accounts[0], &one);
	append(one, "", "123");
	report_is(&one, false, FILE_WHOLE, 0, 3);
	struct written_file *two = file_writer_open(run.writer, "f", &accounts[0], &two);
	append(two, "", "1");
	report_is(&two, false, FILE_WHOLE, 0, 1);
	append(two, "", "2");
	report_is(&two, true, FILE_SHARE, 0, 1);
	text_is("f", "1");
	written_file_close(one);
	report_is(&one, true, FILE_WHOLE, 0, 3);
	run_close((const char *const[]){ "a", "c", "d", "f", NULL });
}

static void
test_files_are_counted(void **state)
{
	(void)state;
	run_open_with((struct file_writer_options){
		.file_bytes_max = 100, .folder_bytes_max = 100, .folder_files_max = 3, .account_files_max = 2 });
	write_whole("a", 0, "1", FILE_WHOLE);
	write_whole("b", 0, "1", FILE_WHOLE);
	write_whole("c", 0, "1", FILE_MANY_OF_ACCOUNT);
	remove_file("b");
	write_whole("c", 0, "1", FILE_WHOLE);
	write_whole("d", 1, "1", FILE_WHOLE);
	write_whole("e", 1, "1", FILE_MANY);
	/* What leaves no file takes no place. */
	remove_file("d");
	struct written_file *none = file_writer_open(run.writer, "none", &accounts[1], NULL);
	written_file_close(none);
	report_is(NULL, true, FILE_WHOLE, 0, 0);
	write_whole("e", 1, "1", FILE_WHOLE);
	run_close((const char *const[]){ "a", "c", "e", NULL });
}

/* What was written of a block is cut off again. */
static void
test_a_full_disk_leaves_whole_blocks(void **state)
{
	(void)state;
	run_open(1 << 20, 1 << 20);
	struct written_file *file = file_writer_open(run.writer, "full", &accounts[0], NULL);
	append(file, "", "whole");
	report_is(NULL, false, FILE_WHOLE, 0, 5);
	pthread_mutex_lock(&disk.lock);
	disk.left = 3;
	pthread_mutex_unlock(&disk.lock);
	append(file, "", "half");
	report_is(NULL, true, FILE_FAILED, ENOSPC, 5);
	text_is("full", "whole");
	run_close((const char *const[]){ "full", NULL });
}

static void
test_what_does_not_reach_the_disk_is_told(void **state)
{
	(void)state;
	run_open(1 << 20, 1 << 20);
	disk.fsync_error = EIO;
	struct written_file *file = file_writer_open(run.writer, "lost", &accounts[0], NULL);
	append(file, "", "bytes");
	written_file_close(file);
	report_is(NULL, false, FILE_WHOLE, 0, 5);
	report_is(NULL, true, FILE_FAILED, EIO, 5);
	run_close((const char *const[]){ "lost", NULL });
}

/* The caller goes on, and is told how much waits. The writer ends only once that is written. */
static void
test_a_disk_that_stands_still(void **state)
{
	(void)state;
	run_open(1 << 20, 1 << 20);
	disk_hold(true);
	struct written_file *file = file_writer_open(run.writer, "slow", &accounts[0], NULL);
	append(file, "", "0123456789");
	disk_wait_for_write();
	for (size_t i = 0; i < 100; i++)
		append(file, "", "0123456789");
	assert_int_equal(written_file_waiting(file), 1010);
	written_file_close(file);
	assert_false(file_writer_stop(run.writer, 20));
	disk_hold(false);
	report_is(NULL, false, FILE_WHOLE, 0, 10);
	report_is(NULL, true, FILE_WHOLE, 0, 1010);
	run_close((const char *const[]){ "slow", NULL });
}

/* A folder that is none, or that cannot be written to. */
static void
test_a_folder_must_be_there(void **state)
{
	struct file_writer_options options = { .folder = "/nowhere/at/all", .wake = on_wake };
	struct file_writer *writer = NULL;
	(void)state;
	assert_int_equal(file_writer_create(&options, &writer), STATUS_NOT_FOUND);
	assert_int_equal(errno, ENOENT);
	options.folder = "/proc/self/stat";
	assert_int_equal(file_writer_create(&options, &writer), STATUS_NOT_FOUND);
	assert_int_equal(errno, ENOTDIR);
	options.folder = "/proc/self";
	if (file_writer_create(&options, &writer) == STATUS_OK) { /* as root one may all, and sees it later */
		struct written_file *file = file_writer_open(writer, "x", &accounts[0], NULL);
		run.writer = writer;
		disk.wakes = 0;
		append(file, "", "x");
		struct file_report report = report_wait();
		assert_true(report.ended && report.end == FILE_FAILED && report.error != 0);
		assert_true(file_writer_stop(writer, 60000));
		file_writer_destroy(writer);
	}
}

/* Many files at once, over a disk of short and interrupted writes: each has its own bytes, in order. */
static void
test_many_files_at_random(void **state)
{
	enum { FILES = 6, APPENDS = 400, BYTES_MAX = 1 << 17 };
	static const char *const names[] = { "0", "1", "2", "3", "4", "5", NULL };
	static char wanted[FILES][BYTES_MAX];
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct written_file *file[FILES];
		size_t count[FILES] = { 0 };
		uint64_t random = seed * 7919;
		run_open(1 << 20, 1 << 24);
		disk.seed = seed;
		for (size_t i = 0; i < FILES; i++)
			file[i] = file_writer_open(run.writer, names[i], &accounts[0], &wanted[i]);
		for (size_t k = 0; k < APPENDS; k++) {
			size_t i = (size_t)random_below(&random, FILES), front = (size_t)random_below(&random, 9);
			size_t length = (size_t)random_below(&random, 200);
			char text[256] = { 0 }, head[16] = { 0 };
			for (size_t c = 0; c < front; c++)
				head[c] = (char)('A' + random_below(&random, 26));
			for (size_t c = 0; c < length; c++)
				text[c] = (char)('a' + random_below(&random, 26));
			append(file[i], head, text);
			memcpy(wanted[i] + count[i], head, front);
			memcpy(wanted[i] + count[i] + front, text, length);
			count[i] += front + length;
			assert_true(count[i] < BYTES_MAX);
		}
		for (size_t i = 0; i < FILES; i++)
			written_file_close(file[i]);
		for (size_t ended = 0; ended < FILES;) {
			struct file_report report = report_wait();
			size_t i = (size_t)((char(*)[BYTES_MAX])report.owner - wanted);
			assert_int_equal(report.end, FILE_WHOLE);
			if (!report.ended)
				continue;
			ended++;
			assert_int_equal(report.bytes, count[i]);
			file_has(names[i], wanted[i], count[i]);
		}
		run_close(names);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_a_file_is_what_it_was_given),
		cmocka_unit_test(test_what_is_there_stays),
		cmocka_unit_test(test_a_file_is_no_larger_than_it_may),
		cmocka_unit_test(test_all_files_of_the_folder_count),
		cmocka_unit_test(test_an_account_has_its_share_of_bytes),
		cmocka_unit_test(test_files_are_counted),
		cmocka_unit_test(test_a_full_disk_leaves_whole_blocks),
		cmocka_unit_test(test_what_does_not_reach_the_disk_is_told),
		cmocka_unit_test(test_a_disk_that_stands_still),
		cmocka_unit_test(test_a_folder_must_be_there),
		cmocka_unit_test(test_many_files_at_random),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
