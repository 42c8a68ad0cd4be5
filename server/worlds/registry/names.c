#include "worlds/registry/names.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

static bool
name_has(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("-_.:/", c) != NULL;
}

enum status
text_read(const char *text, size_t bytes_min, const char *field, char out[WORLDS_NAME_BYTES_MAX + 1],
          struct wire_problem *problem)
{
	size_t count = strnlen(text, WORLDS_NAME_BYTES_MAX + 1);
	if (count > WORLDS_NAME_BYTES_MAX) {
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "LIMIT", field, "has more than %d bytes",
		                        WORLDS_NAME_BYTES_MAX);
	}
	if (count < bytes_min)
		return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", field, "must not be empty");
	memcpy(out, text, count + 1);
	return STATUS_OK;
}

enum status
name_read(const char *text, const char *field, char out[WORLDS_NAME_BYTES_MAX + 1], struct wire_problem *problem)
{
	enum status status = text_read(text, 0, field, out, problem);
	for (const char *at = out; status == STATUS_OK && *at != '\0'; at++) {
		if (!name_has(*at)) {
			return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", field,
			                        "may have letters, digits and \"-_.:/\" only");
		}
	}
	return status;
}

static enum status
label_read(const struct labels *before, const Collide__V1__Label *message, const char *path, size_t index, struct label *out,
           struct wire_problem *problem)
{
	char field[160];
	(void)snprintf(field, sizeof field, "%s[%zu].key", path, index);
	enum status status = text_read(message->key, 1, field, out->key, problem);
	for (size_t i = 0; status == STATUS_OK && i < before->count; i++)
		if (strcmp(before->rows[i].key, out->key) == 0)
			return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", field, "comes twice");
	(void)snprintf(field, sizeof field, "%s[%zu].value", path, index);
	return status == STATUS_OK ? text_read(message->value, 0, field, out->value, problem) : status;
}

enum status
labels_read(Collide__V1__Label *const *messages, size_t count, const char *path, struct labels *out,
            struct wire_problem *problem)
{
	*out = (struct labels){ 0 };
	if (count == 0)
		return STATUS_OK;
	if (count > WORLDS_LABELS_MAX)
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "LIMIT", path, "are more than %d", WORLDS_LABELS_MAX);
	out->rows = memory_zeroed(count, sizeof *out->rows);
	if (!out->rows)
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", path, "no memory for labels");
	for (; out->count < count; out->count++) {
		enum status status = label_read(out, messages[out->count], path, out->count, &out->rows[out->count], problem);
		if (status != STATUS_OK) {
			labels_finish(out);
			return status;
		}
	}
	return STATUS_OK;
}

void
labels_finish(struct labels *labels)
{
	memory_free(labels->rows);
	*labels = (struct labels){ 0 };
}

static bool
labels_have_one(const struct labels *labels, const Collide__V1__Label *wanted)
{
	for (size_t i = 0; i < labels->count; i++)
		if (strcmp(labels->rows[i].key, wanted->key) == 0)
			return strcmp(labels->rows[i].value, wanted->value) == 0;
	return false;
}

bool
labels_have(const struct labels *labels, Collide__V1__Label *const *wanted, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!labels_have_one(labels, wanted[i]))
			return false;
	return true;
}

bool
secret_is(const uint8_t secret[WORLDS_SECRET_BYTES], const ProtobufCBinaryData *given)
{
	uint8_t difference = 0;
	if (given->len != WORLDS_SECRET_BYTES)
		return false;
	for (size_t i = 0; i < WORLDS_SECRET_BYTES; i++)
		difference |= (uint8_t)(secret[i] ^ given->data[i]);
	return difference == 0;
}
