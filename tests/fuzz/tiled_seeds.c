/* Seeds of Tiled's maps: small ones, each for one way that something is read, refused or left out. */
#include "fuzz/fuzz_seeds.h"

#include "base/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IN_A_LAYER(objects) "{\"layers\":[{\"type\":\"objectgroup\",\"objects\":[" objects "]}]}"

/* More rows than are written one by one. */
enum { ROWS = 104, NESTED = 102 };

static const char *const maps[] = {
	"{}",
	"{\"layers\":1}",
	"{\"layers\":[],\"type\":\"tileset\"}",
	"{\"layers\":[],\"type\":\"map\",\"orientation\":\"isometric\"}",
	"{\"layers\":[],\"properties\":{\"gravityX\":\"1\"}}",
	"{\"layers\":[],\"properties\":{\"gravityX\":2,\"gravityY\":1e13}}",
	"{\"layers\":[{}, {\"type\":\"tilelayer\"}, {\"type\":\"imagelayer\"}, {\"type\":\"x\"}]}",
	"{\"layers\":[{\"type\":\"group\",\"name\":\"a\",\"layers\":[{\"type\":\"group\",\"name\":\"b\",\"layers\":[{}]}]}]}",
	IN_A_LAYER("{\"point\":true,\"name\":\"a\\n\\u007f\"}, {\"text\":{}}"),
	IN_A_LAYER("{\"template\":\"a.tx\"}, {\"gid\":1}, {\"capsule\":true}"),
	IN_A_LAYER("{\"ellipse\":true}, {\"ellipse\":true,\"width\":1,\"height\":2}, {\"ellipse\":true,\"width\":1}"),
	IN_A_LAYER("{}, {\"width\":1}, {\"width\":1e-300,\"height\":1e-300}, {\"width\":1,\"height\":1,\"rotation\":-1000}"),
	IN_A_LAYER(
		"{\"polygon\":[]}, {\"polyline\":[{}]}, {\"polygon\":[{\"x\":1},{\"y\":1}]}, {\"polyline\":[{\"x\":1,\"y\":2}]}"),
	IN_A_LAYER("{\"polygon\":[{\"x\":1,\"y\":1},{\"x\":9,\"y\":1}]}"),
	IN_A_LAYER("{\"polyline\":[{\"x\":3e8,\"y\":0.1},{\"x\":1e-9,\"y\":-7}]}"),
	IN_A_LAYER("{\"width\":1,\"height\":1,\"properties\":{\"id\":3}}, {\"width\":2,\"height\":1,\"properties\":{\"id\":5}}"),
	IN_A_LAYER("{\"width\":1,\"height\":1,\"properties\":{\"id\":1}}, {\"width\":2,\"height\":1}"),
	IN_A_LAYER(
		"{\"ellipse\":true,\"width\":1,\"height\":1,\"properties\":{\"id\":1}}, {\"ellipse\":true,\"width\":1,\"height\":1}"),
	IN_A_LAYER("{\"ellipse\":true,\"width\":1,\"height\":1,\"properties\":{\"id\":1}}, "
	           "{\"ellipse\":true,\"width\":1,\"height\":1,\"properties\":{\"id\":1}}"),
	IN_A_LAYER("{\"ellipse\":true,\"width\":1,\"height\":1,\"properties\":{\"kind\":\"static\",\"vx\":1}}"),
	IN_A_LAYER("{\"ellipse\":true,\"width\":1,\"height\":1,\"properties\":{\"kind\":\"static\",\"vy\":1}}"),
	IN_A_LAYER("{\"ellipse\":true,\"width\":1,\"height\":1,\"properties\":{\"kind\":\"static\",\"angularVelocity\":1}}"),
	IN_A_LAYER("{\"ellipse\":true,\"width\":1,\"height\":1,\"properties\":{\"kind\":\"BODY_KIND_STATIC\"}}"),
	/* Numbers of many and of few digits. */
	IN_A_LAYER(
		"{\"width\":1,\"height\":1,\"properties\":{\"friction\":1e-310,\"restitution\":1,\"rollingResistance\":0.12345678901234567}}, "
		"{\"width\":1,\"height\":1,\"properties\":{\"friction\":1.6e-322,\"rollingResistance\":0.3333333333333333}}, "
		"{\"width\":1,\"height\":1,\"properties\":{\"friction\":9.313225746154785e-10,\"rollingResistance\":5.684341886080802e-14}}, "
		"{\"ellipse\":true,\"width\":1,\"height\":1,\"properties\":{\"mass\":1e15,\"restitution\":1}}, "
		"{\"ellipse\":true,\"width\":1,\"height\":1,\"properties\":{\"mass\":562949953421311.9}}"),
};

static const char *const properties[] = { "restitution", "friction", "rollingResistance", "category", "mask", "id", "vx",
	                                      "vy",          "mass",     "angularVelocity",   "kind" };
static const char *const values[] = { "\"no\"", "2e13", "0.5", "-1", "-3e9", "5e9", "4294967295", "\"kinematic\"" };

static void
map_seed(const char *name, size_t number, const char *text)
{
	char path[40];
	(void)snprintf(path, sizeof path, "%s%zu", name, number);
	seed_write("tiled", path, text, strlen(text));
}

/* The first one, then others, then the last one. */
static void
list_seed(const char *name, const char *first, const char *each, const char *last, size_t count)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	CHECK(out);
	(void)fputs(first, out);
	for (size_t i = 0; i < count; i++)
		(void)fputs(each, out);
	(void)fputs(last, out);
	CHECK(fclose(out) == 0);
	map_seed(name, count, text);
	free(text);
}

/* Groups in groups, more than are read. */
static void
nested_seed(void)
{
	static const char open[] = "\"type\":\"group\",\"layers\":[{", close[] = "}]";
	char text[NESTED * (sizeof open + sizeof close) + 40] = "{\"layers\":[{";
	for (size_t i = 0; i < NESTED; i++)
		(void)strcat(text, open);
	for (size_t i = 0; i < NESTED; i++)
		(void)strcat(text, close);
	(void)strcat(text, "}]}");
	map_seed("nested", NESTED, text);
}

void
seeds_of_tiled(void)
{
	const size_t property_count = sizeof properties / sizeof properties[0], value_count = sizeof values / sizeof values[0];
	for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++)
		map_seed("map", i, maps[i]);
	for (size_t i = 0; i < property_count * value_count; i++) {
		char text[400];
		const char *property = properties[i / value_count], *value = values[i % value_count];
		(void)snprintf(text, sizeof text,
		               IN_A_LAYER("{\"width\":1,\"height\":1,\"properties\":{\"%s\":%s}}, {\"ellipse\":true,\"width\":1,"
		                          "\"height\":1,\"properties\":[{\"name\":\"%s\",\"value\":%s}]}"),
		               property, value, property, value);
		map_seed("property", i, text);
	}
	list_seed("walls", "{\"layers\":[{\"type\":\"objectgroup\",\"objects\":[{\"polygon\":[{\"x\":5,\"y\":1}",
	          ",{\"x\":1,\"y\":2},{\"x\":2,\"y\":0}", "]}]}]}", ROWS / 2);
	list_seed("circles", "{\"layers\":[{\"type\":\"objectgroup\",\"objects\":[{}",
	          ",{\"ellipse\":true,\"width\":1,\"height\":1}", "]}]}", ROWS);
	list_seed("walls_with_ids",
	          "{\"layers\":[{\"type\":\"objectgroup\",\"objects\":[{\"properties\":{\"id\":3,\"mask\":1,\"friction\":2},"
	          "\"polygon\":[{\"x\":5,\"y\":1}",
	          ",{\"x\":1,\"y\":2},{\"x\":2,\"y\":0}", "]}]}]}", ROWS / 2);
	list_seed("circles_unlike",
	          "{\"layers\":[{\"type\":\"objectgroup\",\"objects\":[{\"ellipse\":true,\"width\":1,\"height\":1,\"properties\":"
	          "{\"kind\":\"kinematic\",\"category\":2,\"mask\":4,\"id\":1,\"mass\":2,\"friction\":1,\"vx\":3}}",
	          ",{\"ellipse\":true,\"width\":1,\"height\":1}", "]}]}", ROWS);
	nested_seed();
}
