/* fuzz_seeds FOLDER: what the fuzzers begin with, as FOLDER/TARGET/NAME. */
#include "fuzz/fuzz_seeds.h"

#include "client/cli/gen/gen_kinds.h"
#include "client/cli/scene/scene_json.h"

#include "base/check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *folder;

static void
folder_make(const char *path)
{
	if (mkdir(path, 0777) != 0 && errno != EEXIST) {
		perror(path);
		exit(1);
	}
}

void
seed_write(const char *target, const char *name, const void *bytes, size_t count)
{
	char path[4096];
	(void)snprintf(path, sizeof path, "%s/%s", folder, target);
	folder_make(path);
	(void)snprintf(path, sizeof path, "%s/%s/%s", folder, target, name);
	FILE *file = fopen(path, "wb");
	if (!file || fwrite(bytes, 1, count, file) != count || fclose(file) != 0) {
		perror(path);
		exit(1);
	}
}

FILE *
dictionary_open(const char *target)
{
	char path[4096];
	(void)snprintf(path, sizeof path, "%s/%s.dict", folder, target);
	FILE *out = fopen(path, "w");
	CHECK(out);
	return out;
}

static void
scene_seed(const char *name, const Collide__V1__Scene *scene)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	CHECK(out && scene_json_write(out, scene) && fclose(out) == 0);
	seed_write("scene_json", name, text, size);
	free(text);
}

static void
simulate_seed(const char *name, Collide__V1__Scene *scene)
{
	Collide__V1__Simulate request = COLLIDE__V1__SIMULATE__INIT;
	request.optional_scene_case = COLLIDE__V1__SIMULATE__OPTIONAL_SCENE_SCENE;
	request.scene = scene;
	request.dt = 1.0 / 60;
	request.ticks = 20;
	size_t size = collide__v1__simulate__get_packed_size(&request);
	uint8_t *bytes = malloc(size);
	CHECK(bytes && collide__v1__simulate__pack(&request, bytes) == size);
	seed_write("scene", name, bytes, size);
	free(bytes);
}

static void
words_write(FILE *out, const ProtobufCMessageDescriptor *type)
{
	for (unsigned i = 0; i < type->n_fields; i++) {
		const ProtobufCFieldDescriptor *field = &type->fields[i];
		(void)fprintf(out, "\"\\\"%s\\\":\"\n", field->name);
		const ProtobufCEnumDescriptor *names = field->type == PROTOBUF_C_TYPE_ENUM ? field->descriptor : NULL;
		for (unsigned k = 0; names && k < names->n_values; k++)
			(void)fprintf(out, "\"\\\"%s\\\"\"\n", names->values[k].name);
		if (field->type == PROTOBUF_C_TYPE_MESSAGE)
			words_write(out, field->descriptor);
	}
}

/* A dictionary of libFuzzer's: the keys and names of scene files. */
static void
words_of_scenes(void)
{
	FILE *out = dictionary_open("scene_json");
	words_write(out, &collide__v1__scene__descriptor);
	CHECK(fclose(out) == 0);
}

/* Batches for a world of 16 circles. */
static void
seeds_of_commands(void)
{
	static uint32_t ids[] = { 1, 5 };
	static double numbers[] = { 3, -2 };
	Collide__V1__Commands commands = COLLIDE__V1__COMMANDS__INIT;
	Collide__V1__VelocityColumns velocities = COLLIDE__V1__VELOCITY_COLUMNS__INIT;
	Collide__V1__PlaceColumns places = COLLIDE__V1__PLACE_COLUMNS__INIT;
	Collide__V1__PushColumns pushes = COLLIDE__V1__PUSH_COLUMNS__INIT;
	velocities.n_id = velocities.n_vx = places.n_id = places.n_y = pushes.n_id = pushes.n_impulse_x = 2;
	velocities.id = places.id = pushes.id = ids;
	velocities.vx = places.y = pushes.impulse_x = numbers;
	commands.optional_velocities_case = COLLIDE__V1__COMMANDS__OPTIONAL_VELOCITIES_VELOCITIES;
	commands.velocities = &velocities;
	commands.optional_places_case = COLLIDE__V1__COMMANDS__OPTIONAL_PLACES_PLACES;
	commands.places = &places;
	commands.optional_pushes_case = COLLIDE__V1__COMMANDS__OPTIONAL_PUSHES_PUSHES;
	commands.pushes = &pushes;
	for (uint8_t late = 0; late < 2; late++) {
		uint8_t bytes[1000] = { late == 0 ? 2 : 0 };
		CHECK(collide__v1__commands__get_packed_size(&commands) < sizeof bytes);
		seed_write("world", late == 0 ? "batch" : "late", bytes, 1 + collide__v1__commands__pack(&commands, bytes + 1));
	}
}

/* What `collide gen` makes, as small as it goes. */
static void
seeds_of_scenes(void)
{
	for (size_t i = 0; i < GEN_KIND_COUNT; i++) {
		const struct gen_kind *kind = &gen_kinds[i];
		struct gen_options options = kind->defaults;
		struct scene_build build;
		char error[200];
		options.count = kind->count_min > 3 ? kind->count_min : kind->count_max < 3 ? kind->count_max : 3;
		options.seed = 1;
		options.segments = kind->segments_min;
		scene_build_init(&build);
		if (kind->build(&options, &build, error, sizeof error)) {
			Collide__V1__Scene *scene = scene_build_message(&build);
			CHECK(scene);
			scene_seed(kind->name, scene);
			simulate_seed(kind->name, scene);
			scene_json_free(scene);
		}
		scene_build_finish(&build);
	}
}

int
main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	folder = argv[1];
	folder_make(folder);
	seeds_of_snapshots();
	seeds_of_config();
	seeds_of_scene_texts();
	seeds_of_maps();
	seeds_of_tiled();
	seeds_of_scenes();
	words_of_scenes();
	seeds_of_commands();
	seeds_of_protocol();
	seeds_of_single_messages();
	seeds_of_frames();
	seeds_of_channel();
	return 0;
}
