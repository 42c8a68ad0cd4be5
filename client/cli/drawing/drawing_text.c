/* Text from the outlines of a font, and PNG files: both by stb. */
#include "client/cli/drawing/drawing_parts.h"
#include "client/cli/drawing/utf8.h"

#include <errno.h>
#include <stb_image_write.h>
#include <stb_truetype.h>
#include <stdlib.h>
#include <string.h>

/* DejaVu Sans, as Debian's package fonts-dejavu-core has it. */
static const char font_path[] = COLLIDED_FONT;
/* Of a letter in an average text, by its size; where there is no font. */
static const double width_average = 0.6;
enum { FONT_BYTES_MAX = 1 << 24 };

struct font {
	unsigned char *bytes;
	stbtt_fontinfo info;
};

/* NULL with nothing to free. The caller frees. */
static struct font *
font_open(void)
{
	FILE *file = fopen(font_path, "rb");
	if (!file)
		return NULL;
	struct font *font = calloc(1, sizeof *font);
	long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
	bool ok = font && size > 0 && size < FONT_BYTES_MAX;
	if (ok) {
		rewind(file);
		font->bytes = malloc((size_t)size);
		ok = font->bytes && fread(font->bytes, 1, (size_t)size, file) == (size_t)size &&
		     stbtt_InitFont(&font->info, font->bytes, 0) != 0;
	}
	(void)fclose(file);
	if (ok)
		return font;
	free(font ? font->bytes : NULL);
	free(font);
	return NULL;
}

static void
font_close(struct font *font)
{
	free(font->bytes);
	free(font);
}

/* The next character of UTF-8, and moves on; what is not UTF-8 gives the replacement character, byte by byte. */
static int
character_next(const char **text)
{
	const unsigned char *at = (const unsigned char *)*text;
	size_t bytes = utf8_character_bytes(*text);
	int character = bytes <= 1 ? at[0] : at[0] & (0x7f >> bytes);
	for (size_t i = 1; i < bytes; i++)
		character = character << 6 | (at[i] & 0x3f);
	*text += bytes > 0 ? bytes : 1;
	return bytes == 0 ? 0xfffd : character;
}

static double
advance_of(const struct font *font, int glyph)
{
	int advance = 0, bearing = 0;
	stbtt_GetGlyphHMetrics(&font->info, glyph, &advance, &bearing);
	return advance;
}

double
drawing_text_width(double size, const char *text)
{
	struct font *font = font_open();
	double width = 0;
	while (*text) {
		int character = character_next(&text);
		width += font ? advance_of(font, stbtt_FindGlyphIndex(&font->info, character)) : width_average;
	}
	if (!font)
		return width * size;
	width *= (double)stbtt_ScaleForMappingEmToPixels(&font->info, (float)size);
	font_close(font);
	return width;
}

/* A font's curve between two of its points, as edges. */
static void
curve_cover(struct coverage *coverage, struct drawing_point from, struct drawing_point control, struct drawing_point to)
{
	enum { PIECES = 6 };
	struct drawing_point last = from;
	for (int i = 1; i <= PIECES; i++) {
		double t = (double)i / PIECES, s = 1 - t;
		struct drawing_point next = { s * s * from.x + 2 * s * t * control.x + t * t * to.x,
			                          s * s * from.y + 2 * s * t * control.y + t * t * to.y };
		coverage_edge(coverage, last, next);
		last = next;
	}
}

static void
glyph_cover(struct coverage *coverage, const struct font *font, int glyph, double x, double y, double scale)
{
	stbtt_vertex *vertices = NULL;
	int count = stbtt_GetGlyphShape(&font->info, glyph, &vertices);
	struct drawing_point last = { x, y };
	for (int i = 0; i < count; i++) {
		const stbtt_vertex *vertex = &vertices[i];
		struct drawing_point to = { x + vertex->x * scale, y - vertex->y * scale };
		struct drawing_point control = { x + vertex->cx * scale, y - vertex->cy * scale };
		if (vertex->type == STBTT_vline)
			coverage_edge(coverage, last, to);
		else if (vertex->type == STBTT_vcurve)
			curve_cover(coverage, last, control, to);
		last = to;
	}
	stbtt_FreeShape(&font->info, vertices);
}

void
text_cover(struct coverage *coverage, double x, double y, double size, const char *text)
{
	struct font *font = font_open();
	if (!font)
		return;
	double scale = (double)stbtt_ScaleForMappingEmToPixels(&font->info, (float)size);
	while (*text) {
		int glyph = stbtt_FindGlyphIndex(&font->info, character_next(&text));
		glyph_cover(coverage, font, glyph, x, y, scale);
		x += advance_of(font, glyph) * scale;
	}
	font_close(font);
}

struct png_output {
	FILE *file;
	bool ok;
};

static void
png_bytes(void *context, void *bytes, int count)
{
	struct png_output *output = context;
	output->ok = fwrite(bytes, 1, (size_t)count, output->file) == (size_t)count;
}

bool
png_write(const uint32_t *pixels, int width, int height, FILE *file)
{
	size_t count = (size_t)width * (size_t)height;
	unsigned char *bytes = malloc(3 * count);
	struct png_output output = { .file = file };
	errno = ENOMEM;
	if (!bytes)
		return false;
	for (size_t i = 0; i < count; i++) {
		bytes[3 * i] = (unsigned char)(pixels[i] >> 16);
		bytes[3 * i + 1] = (unsigned char)(pixels[i] >> 8);
		bytes[3 * i + 2] = (unsigned char)pixels[i];
	}
	/* 0 without memory; what becomes of the bytes is ours to know. */
	bool made = stbi_write_png_to_func(png_bytes, &output, width, height, 3, bytes, 3 * width) != 0;
	free(bytes);
	return made && output.ok;
}
