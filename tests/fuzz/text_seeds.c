/* Seeds of what people write: the file of settings, and what is wrong in one. */
#include "fuzz/fuzz_seeds.h"

#include "config.h"
#include "config_options.h"

#include "base/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOST_BYTES_TOO_MANY = 300 };

/* Of a file that is refused, the first line that is wrong ends the reading: so each has one, or is good to its end. */
static const char *const files[] = {
	"log-format = json\nlog-level = off\nlog-file = a # b\n",
	"log-format = logfmt\nlog-level = info\r\nlog-level = info",
	"log-level = loud\n",
	"log-level = debug-and-all-that-is-told-besides-that-level\n",
	"log-level = warnin\n",
	"log-format = xml\n",
	"\t # only a comment",
	"config = another\n",
	"workers 3\n",
	"worker = 3\n",
	"work-per-bock-max = 3\n",
	"work-per-body-max-and-all-that-is-told-besides = 3\n",
	"nothing-like-it = 3\n",
	"= 3\n",
	"workers = \n",
	"workers = # 3\n",
	"workers = 3x\n",
	"workers = 1025\n",
	"workers = 99999999999999999999999\n",
	"queue-max = 0\n",
	"ticks-max = 18446744073709551615\n",
	"ticks-max = 0\n",
	"memory-bytes-max = 1048576\nmap-cache-bytes-max = 2KiB\nrecord-bytes-max = 3MiB\nrecord-dir-bytes-max = 1GiB\n",
	"memory-bytes-max = 1TiB\n",
	"memory-bytes-max = 17179869184GiB\n",
	"memory-bytes-max = 1KiB\n",
	"workers = 1KiB\n",
	"listen = :0\n",
	"listen = localhost:65535\n",
	"listen = localhost:65536\n",
	"listen = localhost:123456\n",
	"listen = localhost:http\n",
	"listen = localhost:\n",
	"listen = localhost\n",
	"listen = ::1:80\n",
	"listen = []:80\n",
	"listen = [host:80\n",
	"account-weights = 10.0.0.1=4 ::1=2  fe80::1=1024\n",
	"account-weights = 10.0.0.1=1025\n",
	"account-weights = 10.0.0.1=0\n",
	"account-weights = 10.0.0.1=4x\n",
	"account-weights = 10.0.0.1 = 4\n",
	"account-weights = 10.0.0=4\n",
	"account-weights = =4\n",
	"account-weights = 10.0.0.1=x\n",
};

static void
config_seed(const char *name, const char *text)
{
	seed_write("config", name, text, strlen(text));
}

static void
seeds_of_files(void)
{
	char name[20], text[HOST_BYTES_TOO_MANY + 40];
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		(void)snprintf(name, sizeof name, "file%zu", i);
		config_seed(name, files[i]);
	}
	(void)snprintf(text, sizeof text, "listen = %0*d:80\n", HOST_BYTES_TOO_MANY, 1);
	config_seed("long_host", text);
	(void)snprintf(text, sizeof text, "account-weights = %0*d=1\n", HOST_BYTES_TOO_MANY, 1);
	config_seed("long_address", text);
	static const char zero[] = "workers = 3\0\n";
	seed_write("config", "zero", zero, sizeof zero);
}

/* All settings, as they are printed. */
static void
seed_of_defaults(void)
{
	char *text = NULL;
	size_t size = 0;
	const struct config config = config_default();
	const struct config_sources sources = { .of = { CONFIG_DEFAULT } };
	FILE *out = open_memstream(&text, &size);
	CHECK(out);
	config_print(&config, &sources, out);
	CHECK(fclose(out) == 0);
	config_seed("printed", text);
	free(text);
}

void
seeds_of_config(void)
{
	seed_of_defaults();
	seeds_of_files();
	FILE *out = dictionary_open("config");
	for (size_t i = 0; i < config_option_count; i++) {
		const struct option *option = &config_options[i];
		const char *const *choices = option_choices(option->type);
		(void)fprintf(out, "\"%s = \"\n", option->name);
		for (; choices && *choices; choices++)
			(void)fprintf(out, "\"%s\"\n", *choices);
	}
	(void)fputs("\"KiB\"\n\"MiB\"\n\"GiB\"\n\"18446744073709551616\"\n\"[::1]:80\"\n\"10.0.0.1=4\"\n", out);
	CHECK(fclose(out) == 0);
}
