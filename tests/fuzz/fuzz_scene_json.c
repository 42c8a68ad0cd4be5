/* A scene file. One that is read is written, and that is read as the same message, bit by bit. `collide check`, which has code
 * of its own for what is wrong, finds something in each file that is refused. Its places are in the text, in order. */
#include "fuzz/fuzz_target.h"

#include "base/check.h"
#include "client/cli/check/scene_check.h"
#include "client/cli/scene/scene_json.h"

#include <stdlib.h>
#include <string.h>

static const char NAME[] = "input";

static uint8_t *
packed(const Collide__V1__Scene *scene, size_t *count)
{
	*count = collide__v1__scene__get_packed_size(scene);
	uint8_t *bytes = malloc(*count + 1);
	CHECK(bytes && collide__v1__scene__pack(scene, bytes) == *count);
	return bytes;
}

static void
write_and_read_again(const Collide__V1__Scene *scene)
{
	char *text = NULL, error[400];
	size_t size = 0, count, again_count;
	Collide__V1__Scene *again = NULL;
	FILE *out = open_memstream(&text, &size);
	CHECK(out && scene_json_write(out, scene) && fclose(out) == 0);
	if (!scene_json_parse(NAME, text, size, &again, error, sizeof error)) {
		(void)fprintf(stderr, "what was written is refused: %s\n%s\n", error, text);
		abort();
	}
	uint8_t *bytes = packed(scene, &count), *again_bytes = packed(again, &again_count);
	CHECK(count == again_count && memcmp(bytes, again_bytes, count) == 0);
	scene_json_free(again);
	free(again_bytes);
	free(bytes);
	free(text);
}

static void
problems_check(const struct scene_problems *problems, size_t count)
{
	size_t errors = 0;
	for (size_t i = 0; i < problems->count; i++) {
		const struct scene_problem *problem = &problems->list[i];
		errors += !problem->warning;
		CHECK(problem->offset <= count && problem->line >= 1 && problem->column >= 1 && problem->text[0] != '\0');
		CHECK(i == 0 || problem->offset >= problem[-1].offset);
	}
	CHECK(errors == problems->errors && problems->count - errors == problems->warnings && !problems->out_of_memory);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	const char *text = (const char *)bytes;
	char error[400] = "";
	struct scene_problems problems;
	Collide__V1__Scene *scene = NULL;
	bool read = scene_json_parse(NAME, text, count, &scene, error, sizeof error);
	scene_check_text(text, count, &problems);
	problems_check(&problems, count);
	if (read)
		write_and_read_again(scene);
	else
		CHECK(!scene && strncmp(error, "input:", 6) == 0 && strlen(error) > 7 && problems.errors > 0);
	scene_problems_finish(&problems);
	scene_json_free(scene);
	return 0;
}
