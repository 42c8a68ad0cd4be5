/* Replays inputs that were, or might have been, trouble: what the fuzzers found, what attackers try, and the fuzzers' seeds.
 * A file's name says whether it is well-formed: ok_* unpacks (what it asks for may still be refused), bad_* does not. */
#include "support/assert_double.h"
#include "support/request_input.h"

#include <dirent.h>
#include <stdio.h>

#define INPUT_BYTES_MAX 65536

static enum status
file_run(const char *folder, const char *name)
{
	static uint8_t bytes[INPUT_BYTES_MAX];
	char path[4096];

	(void)snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	size_t count = fread(bytes, 1, sizeof bytes, file);
	assert_true(count < sizeof bytes);
	assert_int_equal(fclose(file), 0);
	return request_input_run(bytes, count);
}

/* Runs every file, by name; returns how many there were. */
static size_t
folder_run(const char *folder, bool (*is_good)(const char *name))
{
	DIR *directory = opendir(folder);
	size_t count = 0;

	assert_non_null(directory);
	for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
		if (entry->d_name[0] == '.')
			continue;
		if ((file_run(folder, entry->d_name) == STATUS_OK) != is_good(entry->d_name)) {
			print_error("%s/%s is not what its name says\n", folder, entry->d_name);
			fail();
		}
		count++;
	}
	assert_int_equal(closedir(directory), 0);
	return count;
}

static bool
is_named_ok(const char *name)
{
	assert_true(strncmp(name, "ok_", 3) == 0 || strncmp(name, "bad_", 4) == 0);
	return name[0] == 'o';
}

static bool
is_seed(const char *name)
{
	(void)name;
	return true;
}

static void
test_inputs(void **state)
{
	(void)state;
	assert_true(folder_run(INPUTS, is_named_ok) >= 20);
}

static void
test_seeds(void **state)
{
	(void)state;
	assert_true(folder_run(SEEDS, is_seed) >= 7);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inputs),
		cmocka_unit_test(test_seeds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
