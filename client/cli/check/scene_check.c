#include "client/cli/check/scene_check.h"

#include "client/cli/check/initial_overlap.h"
#include "client/cli/scene/scene_json.h"
#include "client/cli/scene/scene_json_name.h"
#include "scene/run/simulation.h"
#include "wire/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* At one place only problems of the lowest rank are kept: a radius that is a string is not also reported as not "greater than
 * 0". */
enum rank { RANK_JSON, RANK_VALUE, RANK_MISSING };

struct check {
	const char *text;
	size_t count;
	struct json_places *places;
	struct scene_problems *problems;
	const Collide__V1__Scene *scene;
	size_t circle_rows, segment_rows; /* of columns; those of single messages come after them */
};

static void
problem_add(struct scene_problems *problems, struct scene_problem problem)
{
	if (problems->count == problems->capacity) {
		size_t capacity = problems->capacity == 0 ? 16 : 2 * problems->capacity;
		struct scene_problem *list = realloc(problems->list, capacity * sizeof *list);
		if (!list) {
			problems->out_of_memory = true;
			return;
		}
		problems->list = list;
		problems->capacity = capacity;
	}
	problem.order = problems->count;
	problems->list[problems->count++] = problem;
}

/* Drops a character of UTF-8 at the end of which the last bytes were cut off. */
static void
character_end(char *text)
{
	size_t count = strlen(text), at = count;
	while (at > 0 && ((unsigned char)text[at - 1] & 0xc0) == 0x80)
		at--;
	unsigned char first = at > 0 ? (unsigned char)text[at - 1] : 0;
	size_t whole = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
	if (at > 0 && count - at + 1 < whole)
		text[at - 1] = '\0';
}

/* A problem that scene_json_read found. */
static void
json_problem(void *context, size_t offset, const char *path, const char *text)
{
	struct check *check = context;
	struct scene_problem problem = { .offset = offset, .rank = RANK_JSON };
	snprintf(problem.path, sizeof problem.path, "%s", path);
	snprintf(problem.text, sizeof problem.text, "%s", text);
	character_end(problem.path);
	character_end(problem.text);
	problem_add(check->problems, problem);
}

/* Takes one step of a path, ".name" or "[index]", from `place`. JSON_PLACE_NONE: the text has no such value. */
static uint32_t
path_step(struct json_places *places, uint32_t place, const char **path)
{
	if (**path == '[') {
		char *end;
		size_t index = strtoul(*path + 1, &end, 10);
		*path = *end == ']' ? end + 1 : end;
		return json_place_element(places, place, index);
	}
	char field[64], camel[64];
	size_t length = strcspn(*path + 1, ".[");
	snprintf(field, sizeof field, "%.*s", (int)length, *path + 1);
	scene_json_name(field, camel, sizeof camel);
	*path += 1 + length;
	uint32_t found = json_place_member(places, place, camel);
	return found != JSON_PLACE_NONE ? found : json_place_member(places, place, field);
}

/* The offset of the value that a path of the daemon names; *missing: it is that of the nearest enclosing value that the text
 * has. */
static size_t
path_offset(struct json_places *places, const char *path, bool *missing)
{
	uint32_t place = 0;
	path += strcspn(path, ".[");
	while (*path != '\0') {
		uint32_t next = path_step(places, place, &path);
		if (next == JSON_PLACE_NONE) {
			*missing = true;
			return json_place_offset(places, place);
		}
		place = next;
	}
	*missing = false;
	return json_place_offset(places, place);
}

/* A problem that the daemon would find; `field` begins with "scene". */
static void
value_problem(void *context, const struct wire_problem *found)
{
	struct check *check = context;
	struct scene_problems *problems = check->problems;
	/* What a whole column lacks comes once for each of its rows. */
	if (problems->count > 0 && found->field[0] != '\0' && strcmp(problems->list[problems->count - 1].path, found->field) == 0)
		return;
	bool missing;
	struct scene_problem problem = { .offset = path_offset(check->places, found->field, &missing) };
	problem.rank = missing ? RANK_MISSING : RANK_VALUE;
	memcpy(problem.path, found->field, sizeof problem.path);
	snprintf(problem.text, sizeof problem.text, "%s", found->text);
	problem_add(problems, problem);
}

enum { KEY_TOLD_MAX = 60 };

/* How many bytes of a key to print, from behind its opening quote. The text does not end with a zero. */
static int
key_length(const struct check *check, size_t start)
{
	size_t end = start;
	while (end < check->count && end - start < KEY_TOLD_MAX && check->text[end] != '"' && check->text[end] != '\n')
		end++;
	return (int)(end - start);
}

/* Finds keys that one object has twice: jansson would silently take the last. */
static void
duplicates_find(struct check *check, uint32_t object)
{
	for (uint32_t at = json_place_first(check->places, object); at != JSON_PLACE_NONE;
	     at = json_place_next(check->places, object, at)) {
		for (uint32_t before = json_place_first(check->places, object); before != at;
		     before = json_place_next(check->places, object, before)) {
			if (!json_places_same_key(check->places, before, at))
				continue;
			struct scene_problem problem = { .offset = json_place_key_offset(check->places, at), .rank = RANK_JSON };
			snprintf(problem.text, sizeof problem.text, "the key \"%.*s\" was given before",
			         key_length(check, problem.offset + 1), check->text + problem.offset + 1);
			problem_add(check->problems, problem);
			break;
		}
	}
}

/* Walks jansson's tree beside the places. Only an object that lost members when it was read is searched. */
static void
duplicates_search(struct check *check, const json_t *json, uint32_t place)
{
	if (json_is_object(json) && json_object_size(json) != json_place_count(check->places, place))
		duplicates_find(check, place);
	if (!json_is_object(json) && !json_is_array(json))
		return;
	size_t index = 0;
	for (uint32_t at = json_place_first(check->places, place); at != JSON_PLACE_NONE;
	     at = json_place_next(check->places, place, at), index++) {
		if (json_place_count(check->places, at) == 0)
			continue;
		if (json_is_array(json)) {
			duplicates_search(check, json_array_get(json, index), at);
			continue;
		}
		const char *key;
		json_t *value;
		json_t *object = (json_t *)(uintptr_t)json; /* the iterator takes no const object */
		json_object_foreach(object, key, value) if (json_place_member(check->places, place, key) == at)
			duplicates_search(check, value, at);
	}
}

/* Tries the request as the daemon would get it. A refusal that no pass has found is reported in the daemon's words. */
static void
request_try(struct check *check, struct arena *arena, const struct scene_limits *limits)
{
	Collide__V1__Simulate simulate = COLLIDE__V1__SIMULATE__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	simulate.optional_scene_case = COLLIDE__V1__SIMULATE__OPTIONAL_SCENE_SCENE;
	simulate.scene = (Collide__V1__Scene *)(uintptr_t)check->scene;
	simulate.dt = 1;
	simulate.ticks = 1;
	message.request_id = 1;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SIMULATE;
	message.simulate = &simulate;
	size_t count = collide__v1__client_message__get_packed_size(&message);
	uint8_t *bytes = malloc(count);
	if (!bytes) {
		check->problems->out_of_memory = true;
		return;
	}
	collide__v1__client_message__pack(&message, bytes);
	const struct wire_limits wire_limits = scene_limits_wire(limits);
	const Collide__V1__ClientMessage *request;
	struct simulation *simulation = NULL;
	struct wire_problem problem;
	bool good = wire_request_unpack(arena, &wire_limits, bytes, count, &request, &problem) == STATUS_OK &&
	            simulation_create(request->simulate, limits, NULL, 1, arena, &simulation, &problem) == STATUS_OK;
	if (!good) {
		size_t prefix = strncmp(problem.field, "simulate.", 9) == 0 ? 9 : 0;
		memmove(problem.field, problem.field + prefix, sizeof problem.field - prefix);
		value_problem(check, &problem);
	}
	simulation_destroy(simulation);
	free(bytes);
}

static void
circle_path(const struct check *check, size_t index, char path[160])
{
	if (index < check->circle_rows)
		snprintf(path, 160, "scene.circle_columns.x[%zu]", index);
	else
		snprintf(path, 160, "scene.circles[%zu]", index - check->circle_rows);
}

static void
overlap_problem(void *context, const struct initial_overlap *overlap)
{
	struct check *check = context;
	struct scene_problem problem = { .warning = true, .rank = RANK_JSON };
	char other[160];
	bool missing;
	circle_path(check, overlap->circle, problem.path);
	if (!overlap->with_segment)
		circle_path(check, overlap->other, other);
	else if (overlap->other < check->segment_rows)
		snprintf(other, sizeof other, "scene.segment_columns.x1[%zu]", overlap->other);
	else
		snprintf(other, sizeof other, "scene.segments[%zu]", overlap->other - check->segment_rows);
	problem.offset = path_offset(check->places, problem.path, &missing);
	snprintf(problem.text, sizeof problem.text, "overlaps %s by %.6g at the start", other, overlap->depth);
	problem_add(check->problems, problem);
}

/* Checks what the values mean. */
static void
values_check(struct check *check)
{
	const struct scene_limits limits = scene_limits_default();
	struct wire_problem problem;
	struct world_def def;
	struct arena arena;
	arena_init(&arena, SIZE_MAX);
	if (scene_check(&arena, check->scene, &limits, "scene", value_problem, check, &problem) != STATUS_OK)
		check->problems->out_of_memory = true;
	else if (check->problems->count == 0)
		request_try(check, &arena, &limits);
	if (check->problems->count == 0 && scene_world_def(&arena, check->scene, &limits, "scene", &def, &problem) == STATUS_OK) {
		check->problems->circles = def.circle_count;
		check->problems->segments = def.segment_count;
		check->circle_rows = def.circle_count - check->scene->n_circles;
		check->segment_rows = def.segment_count - check->scene->n_segments;
		if (!initial_overlaps_find(&def, overlap_problem, check))
			check->problems->out_of_memory = true;
	}
	arena_finish(&arena);
}

static int
problem_compare(const void *left, const void *right)
{
	const struct scene_problem *a = left, *b = right;
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

/* Sorts, drops what follows from another problem at the same place, finds lines and columns. */
static void
problems_arrange(struct scene_problems *problems, const char *text)
{
	struct json_cursor cursor = { 0 };
	size_t kept = 0;
	if (problems->count > 1)
		qsort(problems->list, problems->count, sizeof *problems->list, problem_compare);
	for (size_t i = 0; i < problems->count; i++) {
		struct scene_problem *problem = &problems->list[i], *before = kept > 0 ? &problems->list[kept - 1] : NULL;
		if (before && before->offset == problem->offset &&
		    (before->rank < problem->rank ||
		     (problem->path[0] != '\0' && !problem->warning && strcmp(before->path, problem->path) == 0)))
			continue;
		if (text) {
			json_cursor_move(&cursor, text, problem->offset);
			problem->line = cursor.line;
			problem->column = cursor.column;
		}
		problems->errors += !problem->warning;
		problems->warnings += problem->warning;
		problems->list[kept++] = *problem;
	}
	problems->count = kept;
}

static void
syntax_problem(struct scene_problems *problems, const json_error_t *found)
{
	struct scene_problem problem = { .line = found->line > 0 ? (unsigned)found->line : 1,
		                             .column = found->column > 0 ? (unsigned)found->column : 1 };
	snprintf(problem.text, sizeof problem.text, "%s", found->text);
	problem_add(problems, problem);
}

void
scene_check_text(const char *text, size_t count, struct scene_problems *problems)
{
	struct check check = { .text = text, .count = count, .problems = problems };
	Collide__V1__Scene *scene = NULL;
	json_error_t found;
	*problems = (struct scene_problems){ 0 };
	/* As scenes are read, but keys given twice are allowed here: all of them are found below. */
	json_t *json = json_loadb(text, count, JSON_DECODE_INT_AS_REAL, &found);
	if (!json) {
		syntax_problem(problems, &found);
		problems_arrange(problems, NULL);
		return;
	}
	check.places = json_places_create(text, count);
	if (!check.places) {
		problems->out_of_memory = true;
	} else {
		duplicates_search(&check, json, 0);
		if (!scene_json_read(json, check.places, json_problem, &check, &scene))
			problems->out_of_memory = true;
		check.scene = scene;
		if (scene)
			values_check(&check);
	}
	problems_arrange(problems, text);
	scene_json_free(scene);
	json_places_destroy(check.places);
	json_decref(json);
}

void
scene_problems_finish(struct scene_problems *problems)
{
	free(problems->list);
	*problems = (struct scene_problems){ 0 };
}
