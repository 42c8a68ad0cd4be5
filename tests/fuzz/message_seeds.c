/* Seeds of single messages: such as each rule of the format refuses, and kinds that no conversation of the seeds has. */
#include "fuzz/fuzz_seeds.h"

#include "collide/v1/collide.pb-c.h"

#include "base/check.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the first byte of the target's inputs says. With FEW less rows are allowed. */
enum { CLIENT_MESSAGE = 0, SCENE = 2, COMMANDS = 3, QUERY = 5, FEW = 126 };

enum { CIRCLES = 40, TEXT_BYTES = 12 };

static const struct {
	const char *name;
	size_t count;
	uint8_t bytes[16];
} wrong[] = {
	{ "empty", 1, { CLIENT_MESSAGE } },
	{ "varint_cut", 3, { CLIENT_MESSAGE, 0x08, 0x80 } },
	{ "varint_not_shortest", 4, { CLIENT_MESSAGE, 0x08, 0x80, 0x00 } },
	{ "varint_too_long", 12, { CLIENT_MESSAGE, 8, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2 } },
	{ "varint_longest", 12, { CLIENT_MESSAGE, 8, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1 } },
	{ "tag_cut", 2, { CLIENT_MESSAGE, 0x80 } },
	{ "tag_too_large", 8, { CLIENT_MESSAGE, 0xf8, 0xff, 0xff, 0xff, 0xff, 0x01, 0x00 } },
	{ "tag_of_field_0", 3, { CLIENT_MESSAGE, 0x02, 0x00 } },
	{ "tag_of_a_group", 2, { CLIENT_MESSAGE, 0x0b } },
	{ "tag_of_no_type", 2, { CLIENT_MESSAGE, 0x0f } },
	{ "other_type", 4, { CLIENT_MESSAGE, 0x0a, 0x01, 0x05 } },
	{ "cut", 4, { CLIENT_MESSAGE, 0x32, 0x05, 0x01 } },
	{ "double_cut", 5, { SCENE, 0x31, 0x00, 0x00, 0x00 } },
	{ "unknown_of_each_type", 16, { CLIENT_MESSAGE, 0xf8, 0x7e, 1, 0xfd, 0x7e, 1, 2, 3, 4, 0xfa, 0x7e, 1, 7 } },
	{ "bool_of_two", 6, { SCENE, 0x12, 0x03, 0xc0, 0x01, 0x02 } },
};

/* Names, some of which are no UTF-8, or hold what could control a terminal. */
static const char *const texts[] = {
	"",         "name",         "\x1f",         "\x7f",         "\xc2\x80",     "\xc2\xa0",
	"\xc1\xbf", "\xe0\x80\x80", "\xe2\x82\xac", "\xed\xa0\x80", "\xef\xbf\xbd", "\xf0\x80\x80\x80",
	"\xc3",     "\xf4\x90\x80", "\xf5\x80\x80", "\xe2\x28\xa1", "\xe2\x82\x28", "\xf0\x9f\x98\x80"
};

static void
message_seed(const char *name, uint8_t type, const ProtobufCMessage *message)
{
	size_t count = protobuf_c_message_get_packed_size(message);
	uint8_t *bytes = malloc(count + 1);
	CHECK(bytes);
	bytes[0] = type;
	CHECK(protobuf_c_message_pack(message, bytes + 1) == count);
	seed_write("unpack", name, bytes, count + 1);
	free(bytes);
}

static void
seeds_of_texts(void)
{
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		char name[TEXT_BYTES + 10], text[TEXT_BYTES];
		Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
		Collide__V1__CreateMap map = COLLIDE__V1__CREATE_MAP__INIT;
		(void)snprintf(name, sizeof name, "text%zu", i);
		(void)snprintf(text, sizeof text, "%s", texts[i]);
		map.name = text;
		message.request_id = i;
		message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_CREATE_MAP;
		message.create_map = &map;
		message_seed(name, CLIENT_MESSAGE, &message.base);
	}
}

/* Circles that are alike: but for one, of which the bytes are as many, and one more. */
static void
seeds_of_rows(void)
{
	Collide__V1__Circle circles[CIRCLES], *rows[CIRCLES];
	Collide__V1__Scene scene = COLLIDE__V1__SCENE__INIT;
	double x[] = { 1, 2, 3, 4, 5, 6 };
	Collide__V1__CircleColumns columns = COLLIDE__V1__CIRCLE_COLUMNS__INIT;
	for (size_t i = 0; i < CIRCLES; i++) {
		collide__v1__circle__init(&circles[i]);
		circles[i].x = (double)i + 1;
		circles[i].radius = 0.25;
		rows[i] = &circles[i];
	}
	scene.circles = rows;
	scene.n_circles = 2;
	message_seed("two_rows", SCENE + FEW, &scene.base);
	scene.n_circles = 3;
	message_seed("rows_too_many", SCENE + FEW, &scene.base);
	scene.n_circles = CIRCLES;
	message_seed("alike", SCENE, &scene.base);
	circles[CIRCLES / 2].y = 3;
	circles[CIRCLES / 2].x = 0;
	message_seed("as_long", SCENE, &scene.base);
	circles[CIRCLES / 2].x = 4;
	circles[CIRCLES / 2].sensor = 1;
	message_seed("longer", SCENE, &scene.base);
	scene.n_circles = 0;
	scene.optional_circle_columns_case = COLLIDE__V1__SCENE__OPTIONAL_CIRCLE_COLUMNS_CIRCLE_COLUMNS;
	scene.circle_columns = &columns;
	columns.x = x;
	for (columns.n_x = 5; columns.n_x <= 6; columns.n_x++)
		message_seed(columns.n_x == 5 ? "column" : "column_too_long", SCENE + FEW, &scene.base);
}

void
seeds_of_single_messages(void)
{
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
		seed_write("unpack", wrong[i].name, wrong[i].bytes, wrong[i].count);
	seeds_of_texts();
	seeds_of_rows();
	Collide__V1__Commands commands = COLLIDE__V1__COMMANDS__INIT;
	Collide__V1__Query query = COLLIDE__V1__QUERY__INIT;
	Collide__V1__Nearest nearest = COLLIDE__V1__NEAREST__INIT;
	Collide__V1__PlaceColumns places = COLLIDE__V1__PLACE_COLUMNS__INIT;
	uint32_t ids[] = { 1, 300, 70000 };
	double numbers[] = { 1, 2, 3 };
	places.id = ids;
	places.x = places.y = nearest.x = nearest.y = numbers;
	places.n_id = places.n_x = places.n_y = nearest.n_x = nearest.n_y = 3;
	commands.optional_places_case = COLLIDE__V1__COMMANDS__OPTIONAL_PLACES_PLACES;
	commands.places = &places;
	query.optional_nearest_case = COLLIDE__V1__QUERY__OPTIONAL_NEAREST_NEAREST;
	query.nearest = &nearest;
	message_seed("commands", COMMANDS, &commands.base);
	message_seed("query", QUERY, &query.base);
}
