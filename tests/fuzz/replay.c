/* Replays a fuzzer's target without libFuzzer: the inputs that it found trouble with, its seeds, and random changes of both.
 * replay FOLDER...: a folder that is not there has no input. */
#include "fuzz/fuzz_target.h"
#include "support/effort.h"
#include "support/random.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { INPUT_BYTES_MAX = 1 << 20, CHANGES_AT_ONCE_MAX = 4 };

/* Of each target under sanitizers, however few its inputs are: they see most of what an input can do wrong. */
enum { RUNS_MIN = 2000 };

static char **folders;
static uint64_t seed = 21;

/* What is run, so that it can be kept if it fails. */
static const uint8_t *running;
static size_t running_count;

size_t __attribute__((weak)) LLVMFuzzerCustomMutator(uint8_t *bytes, size_t count, size_t count_max, unsigned mutation)
{
	(void)mutation;
	return LLVMFuzzerMutate(bytes, count, count_max);
}

/* One change: a bit, a byte, a piece that is left out, told twice or moved. */
size_t
LLVMFuzzerMutate(uint8_t *bytes, size_t count, size_t count_max)
{
	static const uint8_t edges[] = { 0, 1, 0x7f, 0x80, 0xff, ' ', '"', '\n' };
	if (count == 0) {
		bytes[0] = (uint8_t)random_bits(&seed);
		return count_max > 0 ? 1 : 0;
	}
	size_t at = random_below(&seed, count), length = 1 + random_below(&seed, count - at < 16 ? count - at : 16);
	switch (random_below(&seed, 5)) {
	case 0: bytes[at] ^= (uint8_t)(1u << random_below(&seed, 8)); return count;
	case 1: bytes[at] = edges[random_below(&seed, sizeof edges)]; return count;
	case 2: bytes[at] = (uint8_t)(random_bits(&seed) >> 20); return count;
	case 3: memmove(bytes + at, bytes + at + length, count - at - length); return count - length;
	default:
		length = length < count_max - count ? length : count_max - count;
		memmove(bytes + at + length, bytes + at, count - at);
		return count + length;
	}
}

struct input {
	uint8_t *bytes;
	size_t count;
};

static void
input_read(const char *folder, const char *name, struct input *input)
{
	char path[4096];
	(void)snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	input->bytes = malloc(INPUT_BYTES_MAX);
	assert_non_null(input->bytes);
	input->count = fread(input->bytes, 1, INPUT_BYTES_MAX, file);
	assert_true(input->count < INPUT_BYTES_MAX);
	assert_int_equal(fclose(file), 0);
}

/* In a block of its own size, so that a sanitizer sees what reads beyond it. */
static void
input_run(const struct input *input)
{
	uint8_t *copy = malloc(input->count > 0 ? input->count : 1);
	assert_non_null(copy);
	if (input->count > 0)
		memcpy(copy, input->bytes, input->count);
	running = copy;
	running_count = input->count;
	assert_int_equal(LLVMFuzzerTestOneInput(copy, input->count), 0);
	running = NULL;
	free(copy);
}

/* Writes the input into a file before the program ends. */
static void
on_abort(int signal_number)
{
	static const char path[] = "fuzz-failed.input", told[] = "the input is in fuzz-failed.input\n";
	int file = running ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
	if (file >= 0 && write(file, running, running_count) == (ssize_t)running_count && close(file) == 0)
		(void)!write(STDERR_FILENO, told, sizeof told - 1);
	(void)signal(signal_number, SIG_DFL);
	(void)raise(signal_number);
}

static void
input_change(const struct input *input)
{
	struct input changed = { .bytes = malloc(INPUT_BYTES_MAX), .count = input->count };
	assert_non_null(changed.bytes);
	memcpy(changed.bytes, input->bytes, input->count);
	for (uint64_t i = 0; i <= random_below(&seed, CHANGES_AT_ONCE_MAX); i++)
		changed.count = LLVMFuzzerCustomMutator(changed.bytes, changed.count, INPUT_BYTES_MAX,
		                                        (unsigned)random_below(&seed, 1u << 31));
	input_run(&changed);
	free(changed.bytes);
}

static int
is_input(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Calls `file_do` for each file of a folder, always in the same order; returns how many files there were. */
static size_t
folder_walk(const char *folder, void (*file_do)(const char *folder, const char *name, size_t changes), size_t changes)
{
	struct dirent **entries = NULL;
	int found = scandir(folder, &entries, is_input, alphasort); /* the same changes on every file system */
	size_t count = found > 0 ? (size_t)found : 0;
	for (size_t k = 0; k < count; k++) {
		if (file_do)
			file_do(folder, entries[k]->d_name, changes);
		free(entries[k]);
	}
	free(entries);
	return count;
}

/* Runs a file, and `changes` of it. */
static void
file_run(const char *folder, const char *name, size_t changes)
{
	struct input input;
	input_read(folder, name, &input);
	input_run(&input);
	for (size_t i = 0; i < changes; i++)
		input_change(&input);
	free(input.bytes);
}

/* Of each of `count` files. */
static size_t
changes_wanted(size_t count)
{
	const size_t wanted = effort(30, 300);
#ifdef COLLIDED_SANITIZED
	const size_t least = (RUNS_MIN - 1) / count; /* and the file itself */
	return wanted > least ? wanted : least;
#else
	(void)count;
	return wanted;
#endif
}

static void
inputs_and_changes_of_them_break_no_promise(void **state)
{
	(void)state;
	size_t count = 0;
	for (char **folder = folders; *folder; folder++)
		count += folder_walk(*folder, NULL, 0);
	assert_true(count > 0);
	const size_t changes = changes_wanted(count);
	for (char **folder = folders; *folder; folder++)
		(void)folder_walk(*folder, file_run, changes);
	print_message("%zu inputs, %zu runs\n", count, count * (1 + changes));
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(inputs_and_changes_of_them_break_no_promise) };
	folders = argv + (argc > 0 ? 1 : 0);
	/* An assertion that fails is the end, too. */
	(void)setenv("CMOCKA_TEST_ABORT", "1", 1);
	(void)signal(SIGABRT, on_abort);
	return cmocka_run_group_tests_name("fuzz/replay", tests, NULL, NULL);
}
