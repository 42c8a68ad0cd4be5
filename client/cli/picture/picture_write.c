/* Files: the same drawing as vectors and, with one and a half pixels a unit, as pixels. */
#include "client/cli/picture/picture.h"

#include "client/cli/picture/picture_draw.h"
#include "client/cli/terminal/output.h"
#include "client/cli/terminal/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Pixels of a PNG per unit of the sheet. */
static const double png_scale = 1.5;

static bool
path_refuse(const char *path, int problem, char *error, size_t error_size)
{
	snprintf(error, error_size, "%s: %s", path, strerror(problem));
	return false;
}

/* The checksum of PNG's chunks (ISO 3309). */
static uint32_t
checksum(const char *bytes, size_t count)
{
	uint32_t sum = UINT32_MAX;
	for (size_t i = 0; i < count; i++) {
		sum ^= (uint8_t)bytes[i];
		for (int bit = 0; bit < 8; bit++)
			sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
	}
	return ~sum;
}

static void
number_append(struct text *out, uint32_t number)
{
	const char bytes[] = { (char)(number >> 24), (char)(number >> 16), (char)(number >> 8), (char)number };
	text_append_bytes(out, bytes, sizeof bytes);
}

/* A chunk of text before the last one, which has 12 bytes. */
static void
png_note(const char *note, const char *png, size_t count, FILE *file)
{
	struct text chunk = { 0 };
	size_t end = count - 12;
	number_append(&chunk, (uint32_t)(sizeof "Description" + strlen(note)));
	text_append_bytes(&chunk, "tEXtDescription", sizeof "tEXtDescription");
	text_append(&chunk, note);
	number_append(&chunk, checksum(chunk.characters + 4, chunk.count - 4));
	fwrite(png, 1, end, file);
	if (!chunk.failed)
		fwrite(chunk.characters, 1, chunk.count, file);
	fwrite(png + end, 1, count - end, file);
	text_finish(&chunk);
}

/* An element after the first tag. A note has no markup. */
static void
svg_note(const char *note, const char *svg, size_t count, FILE *file)
{
	static const char tag[] = "<svg ";
	size_t at = 0;
	while (at + sizeof tag <= count && memcmp(svg + at, tag, sizeof tag - 1) != 0)
		at++;
	while (at < count && svg[at++] != '>')
		continue;
	fwrite(svg, 1, at, file);
	fprintf(file, "\n<desc>%s</desc>", note);
	fwrite(svg + at, 1, count - at, file);
}

typedef void (*note_fn)(const char *note, const char *file, size_t count, FILE *out);

/* Writes the drawing with the note in it. 0, or an errno. */
static int
noted_write(const char *note, struct drawing *drawing, note_fn write_noted, FILE *file)
{
	char *bytes = NULL;
	size_t count = 0;
	FILE *memory = open_memstream(&bytes, &count);
	if (!memory)
		return ENOMEM;
	int problem = drawing_write(drawing, memory) ? 0 : errno;
	if (fclose(memory) != 0 && problem == 0)
		problem = errno;
	if (problem == 0)
		write_noted(note, bytes, count, file);
	free(bytes);
	return problem;
}

/* Draws and writes; destroys the drawing, which is NULL without memory. */
static bool
file_write(const struct picture *picture, const struct picture_view *view, struct drawing *drawing, note_fn write_noted,
           const char *path, char *error, size_t error_size)
{
	FILE *file = drawing ? output_open(path) : NULL;
	if (!file) {
		int problem = drawing ? errno : ENOMEM;
		drawing_destroy(drawing);
		return path_refuse(path, problem, error, error_size);
	}
	picture_draw(picture, view, drawing);
	int problem = 0;
	if (picture->note[0] != '\0')
		problem = noted_write(picture->note, drawing, write_noted, file);
	else if (!drawing_write(drawing, file))
		problem = errno;
	drawing_destroy(drawing);
	if (!output_close(file))
		problem = errno;
	return problem == 0 || path_refuse(path, problem, error, error_size);
}

bool
picture_write_svg(const struct picture *picture, const char *path, char *error, size_t error_size)
{
	struct picture_view view = picture_view_fit(picture);
	return file_write(picture, &view, drawing_create_svg(view.width, view.height), svg_note, path, error, error_size);
}

bool
picture_write_png(const struct picture *picture, const char *path, char *error, size_t error_size)
{
	bool narrow = picture->png_width > 0;
	struct picture_view view = narrow ? picture_view_fit_width(picture, picture->png_width) : picture_view_fit(picture);
	double scale = narrow ? 1 : png_scale;
	return file_write(picture, &view, drawing_create_pixels(view.width, view.height, scale), png_note, path, error, error_size);
}
