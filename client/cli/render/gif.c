/* Frames are drawn by drawing/ and reduced to a palette that is made of the pictures' colours. A frame holds only the rectangle
 * that changed, and in it only the pixels that did. */
#include "client/cli/render/gif.h"

#include "client/cli/picture/note.h"
#include "client/cli/render/frame.h"
#include "client/cli/terminal/interrupt.h"
#include "client/cli/terminal/output.h"

#include <errno.h>
#include <gif_lib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLOURS = 256, CLEAR = 255, LUT_BITS = 5, LUT_SIZE = 1 << (3 * LUT_BITS) };

struct gif {
	GifFileType *file;
	GifColorType colours[COLOURS];
	int colour_count;
	GifByteType *nearest; /* of each colour of 15 bits; 255: not yet looked for */
	GifByteType *before, *now, *line;
	unsigned width, height;
};

static int
on_write(GifFileType *file, const GifByteType *bytes, int count)
{
	return (int)fwrite(bytes, 1, (size_t)count, file->UserData);
}

static void
colour_add(struct gif *gif, struct picture_colour colour)
{
	gif->colours[gif->colour_count++] = (GifColorType){ (GifByteType)lround(255 * colour.red),
		                                                (GifByteType)lround(255 * colour.green),
		                                                (GifByteType)lround(255 * colour.blue) };
}

static void
ramp_add(struct gif *gif, struct picture_colour from, struct picture_colour to, int steps)
{
	for (int i = 1; i <= steps; i++)
		colour_add(gif, picture_colour_mix(from, to, (double)i / steps));
}

/* The paper; every second hue, from faint to full, and with chalk, for outlines; the ramps of walls and sparks. */
static void
palette_make(struct gif *gif)
{
	colour_add(gif, picture_night);
	for (int hue = 0; hue < PICTURE_HUES; hue += 2) {
		ramp_add(gif, picture_night, hue_colour(hue), 9);
		ramp_add(gif, hue_colour(hue), picture_colour_mix(hue_colour(hue), picture_chalk, 0.55), 2);
	}
	ramp_add(gif, picture_night, picture_steel, 14);
	ramp_add(gif, picture_night, picture_chalk, 20);
	ramp_add(gif, picture_night, picture_ember, 20);
	ramp_add(gif, picture_ember, picture_spark, 12);
	while (gif->colour_count < COLOURS)
		gif->colours[gif->colour_count++] = (GifColorType){ 0, 0, 0 };
}

static GifByteType
nearest_find(const struct gif *gif, int red, int green, int blue)
{
	int best = 0, least = 1 << 30;
	for (int i = 0; i < CLEAR; i++) {
		int r = gif->colours[i].Red - red, g = gif->colours[i].Green - green, b = gif->colours[i].Blue - blue;
		/* The eye's weights, roughly. */
		int distance = 3 * r * r + 6 * g * g + 2 * b * b;
		if (distance < least) {
			least = distance;
			best = i;
		}
	}
	return (GifByteType)best;
}

static void
pixels_reduce(struct gif *gif, const uint32_t *pixels)
{
	for (unsigned y = 0; y < gif->height; y++)
		for (unsigned x = 0; x < gif->width; x++) {
			uint32_t pixel = pixels[(size_t)y * gif->width + x];
			unsigned r = pixel >> 19 & 31, g = pixel >> 11 & 31, b = pixel >> 3 & 31, key = r << 10 | g << 5 | b;
			if (gif->nearest[key] == CLEAR)
				gif->nearest[key] = nearest_find(gif, (int)(r * 255 / 31), (int)(g * 255 / 31), (int)(b * 255 / 31));
			gif->now[(size_t)y * gif->width + x] = gif->nearest[key];
		}
}

struct change_box {
	unsigned x1, y1, x2, y2; /* the last two beyond it */
};

static struct change_box
change_find(const struct gif *gif)
{
	struct change_box box = { gif->width, gif->height, 0, 0 };
	for (unsigned y = 0; y < gif->height; y++)
		for (unsigned x = 0; x < gif->width; x++)
			if (gif->now[(size_t)y * gif->width + x] != gif->before[(size_t)y * gif->width + x]) {
				box.x1 = x < box.x1 ? x : box.x1;
				box.x2 = x + 1 > box.x2 ? x + 1 : box.x2;
				box.y1 = y < box.y1 ? y : box.y1;
				box.y2 = y + 1;
			}
	return box.x2 > 0 ? box : (struct change_box){ 0, 0, 1, 1 };
}

static bool
frame_put(struct gif *gif, int delay)
{
	const GraphicsControlBlock control = { .DisposalMode = DISPOSE_DO_NOT, .DelayTime = delay, .TransparentColor = CLEAR };
	GifByteType bytes[4];
	struct change_box box = change_find(gif);
	unsigned width = box.x2 - box.x1;
	size_t length = EGifGCBToExtension(&control, bytes);
	bool good = EGifPutExtension(gif->file, GRAPHICS_EXT_FUNC_CODE, (int)length, bytes) == GIF_OK &&
	            EGifPutImageDesc(gif->file, (int)box.x1, (int)box.y1, (int)width, (int)(box.y2 - box.y1), false, NULL) ==
	                GIF_OK;
	for (unsigned y = box.y1; y < box.y2 && good; y++) {
		size_t row = (size_t)y * gif->width + box.x1;
		for (unsigned x = 0; x < width; x++)
			gif->line[x] = gif->now[row + x] == gif->before[row + x] ? CLEAR : gif->now[row + x];
		good = EGifPutLine(gif->file, gif->line, (int)width) == GIF_OK;
	}
	GifByteType *swap = gif->before;
	gif->before = gif->now;
	gif->now = swap;
	return good;
}

static bool
head_put(struct gif *gif, const struct run_motion *motion)
{
	static const GifByteType loop[] = { 1, 0, 0 };
	char note[NOTE_BYTES];
	note_format(&(struct run_note){ motion->scene.circle_count, motion->scene.wall_count, motion->tick - motion->scene.tick,
	                                motion->contacts, motion->hash },
	            note);
	ColorMapObject *map = GifMakeMapObject(COLOURS, gif->colours);
	EGifSetGifVersion(gif->file, true);
	bool good = map && EGifPutScreenDesc(gif->file, (int)gif->width, (int)gif->height, 8, 0, map) == GIF_OK &&
	            EGifPutExtensionLeader(gif->file, APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
	            EGifPutExtensionBlock(gif->file, 11, "NETSCAPE2.0") == GIF_OK &&
	            EGifPutExtensionBlock(gif->file, sizeof loop, loop) == GIF_OK && EGifPutExtensionTrailer(gif->file) == GIF_OK &&
	            EGifPutComment(gif->file, note) == GIF_OK;
	GifFreeMapObject(map);
	return good;
}

static bool
frames_put(struct gif *gif, const struct run_motion *motion, const struct sheet *sheet, const struct render_options *options)
{
	struct frame_style style;
	struct drawing *drawing = drawing_create_pixels(sheet->width, sheet->height, 1);
	bool good = frame_style_init(&style, motion, sheet, options->speed) && drawing != NULL;
	/* Delays are hundredths of a second; what a frame's is short of is added to the next. */
	double seconds = (options->last - options->first) / options->speed;
	double frames = fmax(1, floor(seconds * options->fps + 0.5)); /* of a slow one more than an integer may have */
	for (double i = 0; i < frames && good && !interrupt_came(NULL); i++) {
		int delay = (int)(lround(100.0 * (i + 1) / options->fps) - lround(100.0 * i / options->fps)), width, height;
		frame_draw(&style, options->first + options->speed * i / options->fps, drawing);
		pixels_reduce(gif, drawing_pixels(drawing, &width, &height));
		good = frame_put(gif, delay);
	}
	drawing_destroy(drawing);
	frame_style_finish(&style);
	return good;
}

static bool
gif_make(struct gif *gif, size_t pixels)
{
	gif->nearest = malloc(LUT_SIZE);
	gif->before = malloc(pixels);
	gif->now = malloc(pixels);
	gif->line = malloc(gif->width);
	if (!gif->nearest || !gif->before || !gif->now || !gif->line)
		return false;
	memset(gif->nearest, CLEAR, LUT_SIZE);
	memset(gif->before, CLEAR, pixels);
	palette_make(gif);
	return true;
}

bool
gif_write(const struct run_motion *motion, const struct render_options *options, const char *path, char *error,
          size_t error_size)
{
	const struct sheet sheet = sheet_fit(motion, options->width);
	struct gif gif = { .width = sheet.width, .height = sheet.height };
	FILE *out = output_open(path);
	int problem = 0;
	bool good = out != NULL;
	if (out) {
		errno = 0;
		good = gif_make(&gif, (size_t)sheet.width * sheet.height) && (gif.file = EGifOpen(out, on_write, &problem)) != NULL &&
		       head_put(&gif, motion) && frames_put(&gif, motion, &sheet, options);
		if (gif.file)
			good = EGifCloseFile(gif.file, &problem) == GIF_OK && good;
		int reason = errno != 0 ? errno : EIO;
		good = output_close(out) && good;
		errno = errno != 0 ? errno : reason;
	}
	if (!good)
		snprintf(error, error_size, "%s: %s", path, strerror(errno));
	free(gif.nearest);
	free(gif.before);
	free(gif.now);
	free(gif.line);
	return good;
}
