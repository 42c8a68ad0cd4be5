/* The file of settings. One that is read is printed as --print-config does, and that reads as the same settings. One that is
 * refused is told with its path, and with a line that it has. */
#include "fuzz/fuzz_target.h"
#include "fuzz/input_file.h"

#include "base/check.h"
#include "config_file.h"
#include "config_options.h"

#include <stdlib.h>
#include <string.h>

static void
difference_is_a_fault(void *context, const char *name, bool reloads)
{
	(void)context;
	(void)reloads;
	(void)fprintf(stderr, "%s is read otherwise from what was printed\n", name);
	abort();
}

static void
error_check(const char *error, const char *path, const uint8_t *bytes, size_t count)
{
	size_t lines = 1, length = strlen(path);
	for (size_t i = 0; i < count; i++)
		lines += bytes[i] == '\n';
	CHECK(memchr(error, '\0', CONFIG_ERROR_BYTES) && strncmp(error, path, length) == 0 && error[length] == ':');
	CHECK(strlen(error) > length + 2);
	if (error[length + 1] == ' ')
		return; /* about the whole file */
	char *end;
	unsigned long line = strtoul(error + length + 1, &end, 10);
	CHECK(line >= 1 && line <= lines && end[0] == ':' && end[1] == ' ' && end[2] != '\0');
}

static void
print_and_read_again(const struct config *config, const struct config_sources *sources)
{
	char *text = NULL, error[CONFIG_ERROR_BYTES];
	size_t size = 0;
	struct config again = config_default();
	struct config_sources again_sources = { .of = { CONFIG_DEFAULT } };
	FILE *out = open_memstream(&text, &size);
	CHECK(out);
	config_print(config, sources, out);
	CHECK(fclose(out) == 0);
	if (!config_file_load(&again, &again_sources, input_file((const uint8_t *)text, size), error)) {
		(void)fprintf(stderr, "what was printed is refused: %s\n", error);
		abort();
	}
	config_changes(config, &again, difference_is_a_fault, NULL);
	config_finish(&again);
	free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	const char *path = input_file(bytes, count);
	char error[CONFIG_ERROR_BYTES] = "";
	struct config config = config_default();
	struct config_sources sources = { .of = { CONFIG_DEFAULT } };
	if (config_file_load(&config, &sources, path, error))
		print_and_read_again(&config, &sources);
	else
		error_check(error, path, bytes, count);
	config_finish(&config);
	return 0;
}
