/* follow_c FILE PLACES: as follow.py, by the follower of the C library; but states are printed themselves, in hexadecimal, for
 * the test to make digests of. */
#include "client/lib/collide.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct asked {
	FILE *places;
	bool waits;
	uint32_t id;
	double time;
	char text[64];
};

static void
bytes_print(const void *bytes, size_t count)
{
	const unsigned char *at = bytes;

	for (size_t i = 0; i < count; i++)
		printf("%02x", at[i]);
}

static void
asked_next(struct asked *asked)
{
	asked->waits = fscanf(asked->places, "%" SCNu32 " %63s", &asked->id, asked->text) == 2;
	asked->time = asked->waits ? strtod(asked->text, NULL) : 0.0;
}

static void
place_print(const struct asked *asked, const struct collide_follower *follower)
{
	struct collide_place place;

	printf("at %" PRIu32 " %s ", asked->id, asked->text);
	if (collide_follower_place(follower, asked->id, asked->time, &place)) {
		const double numbers[] = { place.x, place.y, place.angle };

		bytes_print(numbers, sizeof numbers);
	} else {
		printf("none");
	}
	printf("\n");
}

static void
on_tick(void *context, const struct collide_follower *follower)
{
	struct asked *asked = context;
	struct collide_followed world = collide_follower_world(follower);

	printf("%" PRIu64 " ", world.tick);
	for (size_t i = 0; i < world.circle_count; i++) {
		const struct collide_followed_circle circle = collide_follower_circle(follower, i);
		const double numbers[] = { circle.x, circle.y, circle.vx, circle.vy, circle.angle, circle.spin };

		bytes_print(&circle.id, sizeof circle.id);
		bytes_print(numbers, sizeof numbers);
	}
	for (size_t i = 0; i < world.segment_count; i++) {
		const struct collide_followed_segment segment = collide_follower_segment(follower, i);
		const double numbers[] = { segment.x1, segment.y1, segment.x2, segment.y2 };

		if (segment.vx == 0.0 && segment.vy == 0.0)
			continue;
		bytes_print(&segment.id, sizeof segment.id);
		bytes_print(numbers, sizeof numbers);
	}
	printf("\n");
	for (; asked->waits && asked->time <= (double)world.tick * world.dt; asked_next(asked))
		place_print(asked, follower);
}

/* The length before a message. False: there is none any more. */
static bool
length_read(FILE *file, size_t *count)
{
	int byte;

	*count = 0;
	for (unsigned shift = 0; (byte = getc(file)) != EOF; shift += 7) {
		*count |= (size_t)(byte & 127) << shift;
		if (byte < 128)
			return true;
	}
	return false;
}

int
main(int argc, char **argv)
{
	FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
	struct asked asked = { .places = argc == 3 ? fopen(argv[2], "r") : NULL };
	struct collide_follower *follower = collide_follower_create(0);
	struct collide_error error = { .code = COLLIDE_OK };
	static unsigned char bytes[1 << 24];
	size_t count;
	bool good = file && asked.places && follower;

	if (good) {
		asked_next(&asked);
		collide_follower_on_tick(follower, on_tick, &asked);
	}
	while (good && length_read(file, &count))
		good = count <= sizeof bytes && fread(bytes, 1, count, file) == count &&
		       collide_follower_update(follower, bytes, count, &error);
	if (!good)
		fprintf(stderr, "follow_c: %s\n", error.text);
	collide_follower_destroy(follower);
	if (file)
		fclose(file);
	if (asked.places)
		fclose(asked.places);
	return good ? 0 : 1;
}
