#include "client/cli/worlds/world_key.h"

#include "client/cli/scene/scalar_json.h"
#include "client/cli/terminal/colour.h"
#include "client/cli/terminal/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int
hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c == '\0' ? NULL : strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
	return at ? (int)(at - digits) : -1;
}

static bool
hex_parse(const char *text, struct secret *out)
{
	for (size_t i = 0; i < COLLIDE_SECRET_BYTES; i++) {
		int high = hex_digit(text[2 * i]), low = high < 0 ? -1 : hex_digit(text[2 * i + 1]);
		if (low < 0)
			return false;
		out->bytes[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

/* As protobuf's JSON has bytes. */
static bool
base64_parse(const char *text, struct secret *out)
{
	ProtobufCBinaryData data = { 0, NULL };
	json_t *string = json_string(text);
	bool good = string && !scalar_json_read(string, PROTOBUF_C_TYPE_BYTES, &data) && data.len == COLLIDE_SECRET_BYTES;
	if (good)
		memcpy(out->bytes, data.data, COLLIDE_SECRET_BYTES);
	free(data.data);
	json_decref(string);
	return good;
}

bool
secret_parse(const char *text, struct secret *out)
{
	out->given = (strlen(text) == 2 * COLLIDE_SECRET_BYTES && hex_parse(text, out)) || base64_parse(text, out);
	return out->given;
}

void
secret_text(const uint8_t bytes[static COLLIDE_SECRET_BYTES], char to[static SECRET_TEXT_BYTES])
{
	for (size_t i = 0; i < COLLIDE_SECRET_BYTES; i++)
		snprintf(to + 2 * i, 3, "%02x", bytes[i]);
}

/* The first line of a file. */
static bool
line_read(const char *path, char *to, size_t size)
{
	FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
	if (!file)
		return false;
	errno = 0;
	bool good = fgets(to, (int)size, file) != NULL || !ferror(file);
	if (file != stdin)
		fclose(file);
	to[strcspn(to, "\r\n")] = '\0';
	return good;
}

enum exit_status
secret_read(const char *command, const char *what, const char *text, const char *path, struct secret *out)
{
	char line[128] = "";
	out->given = false;
	if (!text && !path)
		return EXIT_STATUS_DONE;
	if (text && path) {
		problem_begin(command);
		fprintf(stderr, "--%s and --%s-file are both given: one is meant\n", what, what);
		return EXIT_STATUS_USAGE;
	}
	if (path && !line_read(path, line, sizeof line)) {
		problem_begin(command);
		fprintf(stderr, "--%s-file %s: %s\n", what, path, strerror(errno));
		return EXIT_STATUS_USAGE;
	}
	if (secret_parse(text ? text : line, out))
		return EXIT_STATUS_DONE;
	/* The text itself is not repeated: it may be a secret with one digit wrong. */
	problem_begin(command);
	fprintf(stderr, "--%s%s%s%s: must be 16 bytes, as 32 hexadecimal digits or in base64\n", what, path ? "-file" : "",
	        path ? " " : "", path ? path : "");
	return EXIT_STATUS_USAGE;
}

enum exit_status
secret_write(const char *command, const char *path, const uint8_t bytes[static COLLIDE_SECRET_BYTES])
{
	char text[SECRET_TEXT_BYTES];
	FILE *file = output_open_private(path);
	secret_text(bytes, text);
	if (file)
		fprintf(file, "%s\n", text);
	if (file && output_close(file))
		return EXIT_STATUS_DONE;
	problem_begin(command);
	fprintf(stderr, "%s: %s\n", path, strerror(errno));
	return EXIT_STATUS_FAILED;
}

enum exit_status
world_key_read(const char *command, const struct world_key_options *options, struct secret *secret,
               struct collide_world_key *key)
{
	enum exit_status status = secret_read(command, "secret", options->secret, options->secret_path, secret);
	if (status != EXIT_STATUS_DONE)
		return status;
	if (!secret->given) {
		problem_begin(command);
		fprintf(stderr, "a secret of %s is needed: --secret-file FILE\n", options->name);
		return EXIT_STATUS_USAGE;
	}
	*key = (struct collide_world_key){
		.name = options->name, .epoch = options->epoch, .secret = secret->bytes, .secret_bytes = sizeof secret->bytes
	};
	return EXIT_STATUS_DONE;
}

enum exit_status
label_options_read(const char *command, const struct argument_texts *texts, struct label_texts *out)
{
	out->count = texts->count;
	for (size_t i = 0; i < texts->count; i++) {
		const char *equals = strchr(texts->texts[i], '=');
		size_t length = equals ? (size_t)(equals - texts->texts[i]) : 0;
		if (length == 0 || length >= COLLIDE_NAME_BYTES) {
			problem_begin(command);
			fprintf(stderr, "--label %s: must be KEY=VALUE, with a key of 1 to 64 bytes\n", texts->texts[i]);
			return EXIT_STATUS_USAGE;
		}
		memcpy(out->keys[i], texts->texts[i], length);
		out->keys[i][length] = '\0';
		out->labels[i] = (struct collide_label){ .key = out->keys[i], .value = equals + 1 };
	}
	return EXIT_STATUS_DONE;
}
