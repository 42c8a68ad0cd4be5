/* Pictures: what is collected, in bounded memory, and that both kinds of files come out whole, of bounded size, and show what
 * they should where they should. Beauty was judged by eye. */
#include "client/cli/picture/picture.h"
#include "client/cli/picture/picture_draw.h"
#include "client/cli/scene/scene_json.h"

#include "support/assert_double.h"
#include "support/effort.h"
#include "support/long_case.h"

#include <stb_image.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct picture *
picture_from(const char *text)
{
	Collide__V1__Scene *scene = NULL;
	char error[300];
	if (!scene_json_parse("test", text, strlen(text), &scene, error, sizeof error))
		fail_msg("%s", error);
	struct picture *picture = picture_create(scene);
	scene_json_free(scene);
	return picture;
}

static const char box[] = "\"segments\": [{\"x2\": 100}, {\"x1\": 100, \"x2\": 100, \"y2\": 50}, {\"x1\": 100, \"y1\": 50, "
						  "\"y2\": 50}, {\"y1\": 50}]";

static struct picture *
picture_in_box(const char *circles)
{
	char text[1000];
	(void)snprintf(text, sizeof text, "{%s, %s}", circles, box);
	return picture_from(text);
}

static void
bodies_are_in_order_of_id(void **state)
{
	(void)state;
	struct picture *picture = picture_from(
		"{\"circles\": [{\"id\": 7, \"x\": 1, \"radius\": 1}, {\"id\": 2, \"x\": 2, \"radius\": 2}],"
		" \"circleColumns\": {\"id\": [9, 4], \"x\": [3, 4], \"radius\": [3]}}");
	assert_non_null(picture);
	assert_int_equal(picture->body_count, 4);
	static const double starts[] = { 2, 4, 1, 3 }, radii[] = { 2, 3, 1, 3 };
	for (size_t i = 0; i < 4; i++) {
		assert_double_same_bits(picture->bodies[i].start_x, starts[i]);
		assert_double_same_bits(picture->bodies[i].radius, radii[i]);
	}
	picture_destroy(picture);
	picture = picture_from("{\"circles\": [{\"x\": 1}, {\"x\": 2}], \"circleColumns\": {\"x\": [3, 4], \"radius\": [1]}}");
	assert_non_null(picture);
	assert_double_same_bits(picture->bodies[0].start_x, 3);
	assert_double_same_bits(picture->bodies[3].start_x, 2);
	picture_destroy(picture);
}

static void
unequal_columns_make_no_picture(void **state)
{
	(void)state;
	assert_null(picture_from("{\"circleColumns\": {\"x\": [1, 2, 3], \"y\": [1, 2]}}"));
	assert_null(picture_from("{\"circleColumns\": {\"count\": 2, \"x\": [1, 2, 3]}}"));
	assert_null(picture_from("{\"circleColumns\": {\"x\": [1, 2, 3], \"id\": [1]}}"));
	assert_null(picture_from("{\"segmentColumns\": {\"x1\": [1, 2, 3], \"y1\": [1, 2]}}"));
	assert_null(picture_from("{\"circles\": [{\"id\": 1}, {}]}"));
}

/* One tick's piece of a straight path after the other, then a bounce: a corner where it is, and none at the ticks. */
static void
straight_paths_keep_only_corners(void **state)
{
	(void)state;
	struct picture *picture = picture_in_box("\"circles\": [{\"x\": 10, \"y\": 10, \"radius\": 1}]");
	assert_int_equal(picture_trail_length(picture, 0), 1);
	for (int i = 0; i < 100; i++) {
		const struct motion_piece piece = { .t = i, .x = 10 + 0.1 * i, .y = 10, .vx = 0.1 };
		picture_piece(picture, 0, &piece, i + 1);
	}
	assert_int_equal(picture_trail_length(picture, 0), 2);
	const struct motion_piece back = { .t = 100, .x = 20, .y = 10, .vx = -1, .vy = 1, .cause = PIECE_BY_CIRCLE };
	picture_piece(picture, 0, &back, 104);
	assert_int_equal(picture_trail_length(picture, 0), 3);
	struct picture_point corner = picture_trail_point(picture, 0, 1), end = picture_trail_point(picture, 0, 0);
	assert_double_near((double)corner.x + picture->origin_x, 20, 1e-5);
	assert_double_near((double)corner.y + picture->origin_y, 10, 1e-5);
	assert_double_near((double)end.x + picture->origin_x, 16, 1e-5);
	assert_double_near((double)end.y + picture->origin_y, 14, 1e-5);
	/* What stands still has no corners, and what is pushed has one where it begins anew. */
	const struct motion_piece still = { .t = 104, .x = 16, .y = 14 },
							  pushed = { .t = 105, .x = 18, .y = 14, .vy = 1, .jumps = true };
	picture_piece(picture, 0, &still, 105);
	assert_int_equal(picture_trail_length(picture, 0), 3);
	picture_piece(picture, 0, &pushed, 106);
	assert_int_equal(picture_trail_length(picture, 0), 5);
	picture_piece(picture, 7, &pushed, 106); /* no such circle */
	picture_destroy(picture);
}

/* A throw in one piece or in many: every line is on the parabola, in its middle too, to half a pixel. */
static void
parabolas_are_drawn_as_they_are(void **state)
{
	(void)state;
	for (int pieces = 1; pieces <= 1000; pieces *= 10) {
		struct picture *picture = picture_in_box("\"circles\": [{\"x\": 5, \"y\": 5, \"radius\": 1}]");
		for (int i = 0; i < pieces; i++) {
			double t = 9.0 * i / pieces, until = 9.0 * (i + 1) / pieces;
			const struct motion_piece piece = { t, 5 + 10 * t, 5 + 9 * t - t * t, 10, 9 - 2 * t, 0, -2, 0, 0, false };
			picture_piece(picture, 0, &piece, until);
		}
		size_t corners = picture_trail_length(picture, 0);
		assert_in_range(corners, 20, 1001);
		for (size_t back = 0; back + 1 < corners; back++) {
			struct picture_point a = picture_trail_point(picture, 0, back), b = picture_trail_point(picture, 0, back + 1);
			for (int k = 0; k <= 4; k++) {
				double x = (double)a.x + ((double)b.x - (double)a.x) * k / 4 + picture->origin_x;
				double y = (double)a.y + ((double)b.y - (double)a.y) * k / 4 + picture->origin_y, t = (x - 5) / 10;
				assert_double_near(y, 5 + 9 * t - t * t, picture->flatness);
			}
		}
		struct picture_point end = picture_trail_point(picture, 0, 0);
		assert_double_near((double)end.x + picture->origin_x, 95, 1e-5);
		picture_destroy(picture);
	}
}

static void
what_has_ended_stays_where_it_was(void **state)
{
	(void)state;
	struct picture *picture = picture_in_box(
		"\"circles\": [{\"x\": 10, \"y\": 10, \"radius\": 1}, {\"x\": 20, \"y\": 20, \"radius\": 1}]");
	const double x[] = { 11, 21 }, y[] = { 12, 22 }, other_x = 23, other_y = 29;
	picture_places(picture, x, y, 2);
	picture_end(picture, 0, 12, 15);
	picture_end(picture, 0, 13, 16);  /* it has */
	picture_end(picture, 5, 13, 16);  /* there is none */
	picture_places(picture, x, y, 2); /* as many as there were before */
	assert_true(picture->bodies[1].x == 21);
	picture_places(picture, &other_x, &other_y, 1);
	assert_int_equal(picture->ended_count, 1);
	assert_true(picture->bodies[0].ended && !picture->bodies[1].ended);
	assert_true(picture->bodies[0].x == 12 && picture->bodies[0].y == 15);
	assert_true(picture->bodies[1].x == 23 && picture->bodies[1].y == 29);
	picture_destroy(picture);
}

/* The text of a picture as SVG; the caller frees it. */
static char *
svg_of(const struct picture *picture)
{
	char path[] = "/tmp/test_client_picture.XXXXXX", error[200];
	int descriptor = mkstemp(path);
	assert_true(descriptor >= 0);
	(void)close(descriptor);
	assert_true(picture_write_svg(picture, path, error, sizeof error));
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	char *text = calloc(1, 1 << 20);
	assert_non_null(text);
	assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
	fclose(file);
	(void)unlink(path);
	return text;
}

/* A square at the last stop of each, and their number in the caption. */
static void
stops_are_drawn(void **state)
{
	(void)state;
	struct picture *picture = picture_in_box(
		"\"circles\": [{\"x\": 10, \"y\": 10, \"radius\": 1}, {\"x\": 20, \"y\": 20, \"radius\": 1}]");
	char *without = svg_of(picture);
	assert_null(strstr(without, "stop"));
	picture_stop(picture, 0, 12, 15);
	picture_stop(picture, 0, 13, 16);
	picture_stop(picture, 1, 21, 20);
	assert_true(picture->stopped_count == 2 && picture->stops == 3);
	assert_true(picture->bodies[0].stop_x == 13 && picture->bodies[0].stop_y == 16);
	char *with = svg_of(picture);
	assert_non_null(strstr(with, "3 stops"));
	assert_true(strlen(with) > strlen(without) + 100);
	free(with);
	free(without);
	picture_destroy(picture);
}

/* 500 circles, 600 ticks, a corner a tick: what a fast run on a map makes. */
static struct picture *
long_run(size_t circles, int frames, int hits)
{
	char *text = malloc(100 * circles + 1000);
	assert_non_null(text);
	size_t used = (size_t)sprintf(text, "{%s, \"circleColumns\": {\"count\": %zu, \"radius\": [0.3], \"x\": [50", box, circles);
	for (size_t i = 1; i < circles; i++)
		used += (size_t)sprintf(text + used, ", %zu.5", 1 + i % 98);
	(void)strcpy(text + used, "], \"y\": [25]}}");
	struct picture *picture = picture_from(text);
	free(text);
	double *x = calloc(circles, sizeof *x), *y = calloc(circles, sizeof *y);
	assert_non_null(x);
	assert_non_null(y);
	struct random random;
	random_init(&random, 3);
	for (size_t i = 0; i < circles; i++) {
		x[i] = random_between(&random, 0, 100);
		y[i] = random_between(&random, 0, 50);
	}
	for (int frame = 0; frame < frames; frame++) {
		for (int hit = 0; hit < hits; hit++)
			picture_contact(picture, random_between(&random, 0, 100), random_between(&random, 0, 50),
			                random_between(&random, 0, 9));
		for (size_t i = 0; i < circles; i++) {
			double to_x = random_between(&random, 0, 100), to_y = random_between(&random, 0, 50);
			const struct motion_piece piece = { .t = frame, .x = x[i], .y = y[i], .vx = to_x - x[i], .vy = to_y - y[i] };
			picture_piece(picture, i, &piece, frame + 1);
			x[i] = to_x;
			y[i] = to_y;
		}
		picture_places(picture, x, y, circles);
	}
	free(x);
	free(y);
	return picture;
}

static void
memory_does_not_grow_with_the_run(void **state)
{
	(void)state;
	struct picture *picture = long_run(500, 6000, 40);
	assert_true(picture->trail_max * picture->body_count <= PICTURE_POINTS_MAX);
	assert_int_equal(picture_trail_length(picture, 17), picture->trail_max);
	assert_int_equal(picture->contact_count, PICTURE_CONTACTS_MAX);
	assert_int_equal(picture->contacts_seen, 240000);
	/* The latest corner is the latest place. */
	struct picture_point last = picture_trail_point(picture, 17, 0);
	assert_double_near((double)last.x + picture->origin_x, picture->bodies[17].x, 1e-4);
	picture_destroy(picture);
}

struct file {
	char path[40];
	long size;
	char *text;
};

static struct file
file_make(const struct picture *picture, bool (*write)(const struct picture *, const char *, char *, size_t))
{
	struct file file = { .path = "/tmp/test_client_picture_XXXXXX" };
	char error[300] = "";
	int descriptor = mkstemp(file.path);
	assert_true(descriptor >= 0);
	(void)close(descriptor);
	if (!write(picture, file.path, error, sizeof error))
		fail_msg("%s", error);
	struct stat status;
	assert_int_equal(stat(file.path, &status), 0);
	file.size = status.st_size;
	FILE *stream = fopen(file.path, "rb");
	assert_non_null(stream);
	file.text = calloc((size_t)file.size + 1, 1);
	assert_non_null(file.text);
	assert_int_equal(fread(file.text, 1, (size_t)file.size, stream), file.size);
	(void)fclose(stream);
	return file;
}

static void
file_finish(struct file *file)
{
	(void)unlink(file->path);
	free(file->text);
}

static void
assert_svg_below(const struct picture *picture, long bytes)
{
	struct file svg = file_make(picture, picture_write_svg);
	assert_int_equal(strncmp(svg.text, "<?xml", 5), 0);
	assert_non_null(strstr(svg.text, "<svg"));
	assert_string_equal(svg.text + svg.size - 7, "</svg>\n");
	assert_null(strstr(svg.text, "nan"));
	assert_in_range(svg.size, 500, bytes);
	file_finish(&svg);
}

static void
svg_stays_viewable(void **state)
{
	(void)state;
	struct picture *picture = long_run(500, (int)effort(60, 600), 400);
	assert_svg_below(picture, 15000000);
	picture_destroy(picture);
	if (effort(0, 1) == 0)
		return;
	picture = long_run(5999, 30, 400);
	assert_svg_below(picture, 15000000);
	picture_destroy(picture);
	picture = long_run(200000, 8, 400);
	assert_svg_below(picture, 15000000);
	picture_destroy(picture);
	picture = long_run(1, 100000, 2);
	assert_svg_below(picture, 15000000);
	picture_destroy(picture);
}

/* A PNG as another library reads it: three bytes a pixel. */
struct pixels {
	unsigned char *bytes;
	int width, height;
};

static struct pixels
png_read(const char *path)
{
	struct pixels png = { .bytes = NULL };
	int components = 0;
	png.bytes = stbi_load(path, &png.width, &png.height, &components, 3);
	if (!png.bytes)
		fail_msg("%s: %s", path, stbi_failure_reason());
	assert_int_equal(components, 3);
	return png;
}

/* The colour of a PNG at a place of the world. */
static uint32_t
pixel_at(const struct picture *picture, const struct pixels *png, double x, double y)
{
	struct picture_view view = picture_view_fit(picture);
	double scale = (double)png->width / view.width;
	int column = (int)(scale * ((view.left + view.right) / 2 + (x - view.x) * view.scale));
	int row = (int)(scale * ((view.top + view.bottom) / 2 - (y - view.y) * view.scale));
	assert_in_range(column, 0, png->width - 1);
	assert_in_range(row, 0, png->height - 1);
	const unsigned char *pixel = png->bytes + 3 * (row * png->width + column);
	return (uint32_t)pixel[0] << 16 | (uint32_t)pixel[1] << 8 | pixel[2];
}

static int
brightness(uint32_t pixel)
{
	return (int)(pixel >> 16) + (int)(pixel >> 8 & 255) + (int)(pixel & 255);
}

static void
png_shows_what_is_where(void **state)
{
	(void)state;
	struct picture *picture = picture_in_box("\"circles\": [{\"x\": 20, \"y\": 10, \"radius\": 2}]");
	double x = 80, y = 40;
	const struct motion_piece piece = { .x = 20, .y = 10, .vx = 60, .vy = 30 };
	picture_contact(picture, 60, 10, 3);
	picture_piece(picture, 0, &piece, 1);
	picture_places(picture, &x, &y, 1);
	struct file file = file_make(picture, picture_write_png);
	struct pixels png = png_read(file.path);
	assert_in_range(png.width, 1000, 2500);
	assert_in_range(png.height, 500, 2500);
	int paper = brightness(pixel_at(picture, &png, 10, 40));
	assert_in_range(paper, 1, 100);
	assert_true(brightness(pixel_at(picture, &png, 50, 0)) > 600);        /* a wall */
	assert_true(brightness(pixel_at(picture, &png, 80, 40)) > 250);       /* the circle */
	assert_true(brightness(pixel_at(picture, &png, 60, 10)) > 500);       /* the contact */
	assert_true(brightness(pixel_at(picture, &png, 50, 25)) > 2 * paper); /* half way along the path */
	assert_int_equal(brightness(pixel_at(picture, &png, 20, 40)), paper); /* nothing */
	stbi_image_free(png.bytes);
	file_finish(&file);
	picture_destroy(picture);
}

/* Rays and circles of questions: where they go, wherever they lead, as many as may be. */
static void
ways_of_questions_are_drawn(void **state)
{
	(void)state;
	struct picture *picture = picture_in_box("\"circles\": [{\"x\": 90, \"y\": 40, \"radius\": 2}]");
	picture_query_path(picture, 10, 10, 50, 10, 0, false);
	picture_query_path(picture, 10, 20, 60, 20, 5, false);
	picture_query_path(picture, 10, 30, 1e13, 1e13 + 20, 0, true);       /* at 45 degrees */
	picture_query_path(picture, -1e12, -1e12, -2e12, -1e12, 1e9, false); /* nowhere near */
	picture_query_path(picture, (double)NAN, 0, (double)INFINITY, 0, 1, false);
	picture_contact(picture, 50, 10, 1);
	struct file file = file_make(picture, picture_write_png);
	struct pixels png = png_read(file.path);
	int paper = brightness(pixel_at(picture, &png, 95, 5));
	assert_true(brightness(pixel_at(picture, &png, 30, 10)) > 3 * paper);  /* along the ray */
	assert_true(brightness(pixel_at(picture, &png, 50, 10)) > 500);        /* where it hit */
	assert_int_equal(brightness(pixel_at(picture, &png, 70, 10)), paper);  /* and no farther */
	assert_true(brightness(pixel_at(picture, &png, 60, 25)) > 2 * paper);  /* the circle at its end */
	assert_true(brightness(pixel_at(picture, &png, 20, 40)) > paper + 20); /* the long one, unbent */
	stbi_image_free(png.bytes);
	file_finish(&file);
	/* More than are kept. */
	for (size_t i = 0; i < 2 * PICTURE_QUERY_PATHS_MAX; i++)
		picture_query_path(picture, 10, 10, 90, 40.0 * (double)i / (double)PICTURE_QUERY_PATHS_MAX, 1, false);
	assert_int_equal(picture->query_path_count, PICTURE_QUERY_PATHS_MAX);
	if (effort(0, 1) > 0)
		assert_svg_below(picture, 15000000);
	picture_destroy(picture);
}

/* Nothing at all, one point, a far flight, and numbers that are none: always a picture. */
static void
odd_scenes_are_drawn(void **state)
{
	(void)state;
	static const char *const scenes[] = {
		"{}",
		"{\"circles\": [{\"x\": 3, \"y\": 4}]}",
		"{\"circles\": [{\"x\": 1e12, \"y\": -1e12, \"radius\": 1}, {\"x\": -1e12, \"radius\": 1e-9}]}",
		"{\"circles\": [{\"x\": \"NaN\", \"y\": \"Infinity\", \"radius\": \"NaN\"}], \"segments\": [{\"x1\": \"Infinity\"}]}",
		"{\"segments\": [{\"x2\": 1}]}",
		"{\"circles\": [{\"radius\": 1, \"kind\": \"BODY_KIND_STATIC\"}]}",
	};
	for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i += effort(6, 1)) {
		struct picture *picture = picture_from(scenes[i]);
		assert_non_null(picture);
		double x[2] = { 1e300, (double)NAN }, y[2] = { -1e300, (double)INFINITY };
		picture_contact(picture, x[0], y[1], x[1]);
		const struct motion_piece piece = { 0, 1e300, -1e300, (double)NAN, (double)INFINITY, 1e300, 0, 0, 0, false };
		picture_piece(picture, 0, &piece, 1);
		picture_places(picture, x, y, picture->body_count);
		assert_svg_below(picture, 100000);
		struct file png = file_make(picture, picture_write_png);
		assert_in_range(png.size, 1000, 10000000);
		file_finish(&png);
		picture_destroy(picture);
	}
}

static void
caption_counts_or_is_given(void **state)
{
	(void)state;
	struct picture *picture = picture_in_box("\"circles\": [{\"radius\": 1}]");
	struct file one = file_make(picture, picture_write_svg);
	picture_caption(picture,
	                "another caption, <&> and a long one: "
	                "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"
	                "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789");
	assert_int_equal(strlen(picture->caption), sizeof picture->caption - 1);
	struct file two = file_make(picture, picture_write_svg);
	assert_string_not_equal(one.text, two.text);
	file_finish(&one);
	file_finish(&two);
	picture_destroy(picture);
}

static void
failed_writing_is_told(void **state)
{
	(void)state;
	struct picture *picture = picture_in_box("\"circles\": [{\"radius\": 1}]");
	char error[300];
	assert_false(picture_write_svg(picture, "/nonexistent/a.svg", error, sizeof error));
	assert_string_equal(error, "/nonexistent/a.svg: No such file or directory");
	assert_false(picture_write_png(picture, "/nonexistent/a.png", error, sizeof error));
	assert_string_equal(error, "/nonexistent/a.png: No such file or directory");
	if (access("/dev/full", W_OK) == 0) {
		assert_false(picture_write_svg(picture, "/dev/full", error, sizeof error));
		assert_string_equal(error, "/dev/full: No space left on device");
		if (long_cases_run()) {
			assert_false(picture_write_png(picture, "/dev/full", error, sizeof error));
			assert_string_equal(error, "/dev/full: No space left on device");
		}
	}
	picture_destroy(picture);
	picture_destroy(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bodies_are_in_order_of_id),
		cmocka_unit_test(unequal_columns_make_no_picture),
		cmocka_unit_test(straight_paths_keep_only_corners),
		cmocka_unit_test(parabolas_are_drawn_as_they_are),
		cmocka_unit_test(stops_are_drawn),
		cmocka_unit_test(what_has_ended_stays_where_it_was),
		long_case(memory_does_not_grow_with_the_run),
		long_case(svg_stays_viewable),
		long_case(png_shows_what_is_where),
		long_case(ways_of_questions_are_drawn),
		long_case(odd_scenes_are_drawn),
		cmocka_unit_test(caption_counts_or_is_given),
		cmocka_unit_test(failed_writing_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
