/* The scenes of a bench: files with weights, or the gas of the project's benchmarks. */
#include "client/cli/bench/bench_scenes.h"
#include "client/cli/connection/connection.h"
#include "client/cli/gen/gen.h"
#include "client/cli/scene/scene_json.h"
#include "client/cli/terminal/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool
scene_weight_parse(const char *operand, size_t *length, uint64_t *weight)
{
	const char *colon = strrchr(operand, ':');
	*length = strlen(operand);
	*weight = 1;
	if (!colon || colon == operand || colon[1] == '\0' || colon[1 + strspn(colon + 1, "0123456789")] != '\0')
		return true;
	*length = (size_t)(colon - operand);
	return count_parse(colon + 1, 1, MIX_WEIGHT_MAX, weight);
}

static Collide__V1__Scene *
gas_make(char *error, size_t error_size)
{
	const struct gen_options options = {
		.count = 1000, .seed = 1, .fraction = 0.3, .speed = 60, .radius = 0.5, .gap = 0.01, .restitution = 1
	};
	struct scene_build build;
	Collide__V1__Scene *scene = NULL;
	scene_build_init(&build);
	if (gen_gas(&options, &build, error, error_size)) {
		scene = scene_build_message(&build);
		if (!scene)
			snprintf(error, error_size, "no memory for the scene");
	}
	scene_build_finish(&build);
	return scene;
}

/* The length of the longest repeated field. It is the number of rows of a table that does not give the number itself. */
static uint64_t
longest_column(const ProtobufCMessage *columns)
{
	size_t longest = 0;
	for (unsigned i = 0; i < columns->descriptor->n_fields; i++) {
		const ProtobufCFieldDescriptor *field = &columns->descriptor->fields[i];
		size_t length = 0;
		if (field->label == PROTOBUF_C_LABEL_REPEATED)
			memcpy(&length, (const char *)columns + field->quantifier_offset, sizeof length);
		longest = length > longest ? length : longest;
	}
	return longest;
}

static uint64_t
circles_count(const Collide__V1__Scene *scene)
{
	uint64_t count = scene->n_circles;
	if (scene->optional_circle_columns_case == COLLIDE__V1__SCENE__OPTIONAL_CIRCLE_COLUMNS_CIRCLE_COLUMNS)
		count += scene->circle_columns->count > 0 ? scene->circle_columns->count : longest_column(&scene->circle_columns->base);
	return count;
}

static enum exit_status
no_memory_report(void)
{
	return error_report("bench", &(struct collide_error){ .origin = COLLIDE_FROM_LIBRARY, .text = "no memory" });
}

/* Takes ownership of `scene`, and of what `name` points to. */
static enum exit_status
scene_add(struct bench_scenes *out, Collide__V1__Scene *scene, char *name, uint64_t weight)
{
	size_t count = collide__v1__scene__get_packed_size(scene), at = out->count++;
	uint8_t *bytes = malloc(count + 1);
	out->names[at] = name;
	if (bytes)
		collide__v1__scene__pack(scene, bytes);
	out->scenes[at] = (struct collide_scene){ .message = bytes, .message_bytes = count };
	out->weights[at] = weight;
	out->circles[at] = circles_count(scene);
	scene_json_free(scene);
	return bytes && name ? EXIT_STATUS_DONE : no_memory_report();
}

static enum exit_status
operand_load(const char *operand, struct bench_scenes *out)
{
	char error[300];
	size_t length;
	uint64_t weight;
	Collide__V1__Scene *scene = NULL;
	if (!scene_weight_parse(operand, &length, &weight)) {
		fprintf(stderr, "collide bench: %s: a weight is a whole number from 1 to %u\n", operand, MIX_WEIGHT_MAX);
		return EXIT_STATUS_USAGE;
	}
	char *name = strndup(operand, length);
	if (!name)
		return no_memory_report();
	if (!scene_json_load(name, &scene, error, sizeof error)) {
		fprintf(stderr, "collide bench: %s\n", error);
		free(name);
		return EXIT_STATUS_USAGE;
	}
	return scene_add(out, scene, name, weight);
}

enum exit_status
bench_scenes_load(const struct argument_texts *operands, struct bench_scenes *out)
{
	char error[300];
	enum exit_status status = EXIT_STATUS_DONE;
	*out = (struct bench_scenes){ 0 };
	if (operands->count > 0) {
		for (size_t i = 0; i < operands->count && status == EXIT_STATUS_DONE; i++)
			status = operand_load(operands->texts[i], out);
		return status;
	}
	Collide__V1__Scene *scene = gas_make(error, sizeof error);
	if (scene)
		return scene_add(out, scene, strdup("gas of 1,000"), 1);
	fprintf(stderr, "collide bench: %s\n", error);
	return EXIT_STATUS_FAILED;
}

void
bench_scenes_finish(struct bench_scenes *scenes)
{
	for (size_t i = 0; i < scenes->count; i++) {
		free((void *)(uintptr_t)scenes->scenes[i].message);
		free(scenes->names[i]);
	}
	*scenes = (struct bench_scenes){ 0 };
}
