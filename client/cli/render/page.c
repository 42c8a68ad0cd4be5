#include "client/cli/render/page.h"

#include "client/cli/render/base64.h"
#include "client/cli/render/pack.h"
#include "client/cli/render/page_parts.h"
#include "client/cli/render/page_text.h"
#include "client/cli/terminal/output.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static void
string_print(FILE *out, const char *text)
{
	putc('"', out);
	for (size_t bytes; *text; text += bytes > 0 ? bytes : 1) {
		unsigned char byte = (unsigned char)*text;
		bytes = utf8_character_bytes(text);
		if (bytes == 0)
			putc('?', out);
		else if (byte < 32 || byte == '<' || byte == '"' || byte == '\\' || byte == 127)
			fprintf(out, "\\u%04x", byte);
		else
			fwrite(text, 1, bytes, out);
	}
	putc('"', out);
}

static double
radius_mean(const struct run_motion *motion)
{
	double sum = 0;
	size_t count = 0;
	for (size_t row = 0; row < motion->scene.circle_count; row++)
		if (motion->scene.circles[row].moves) {
			sum += motion->scene.circles[row].radius;
			count++;
		}
	return count > 0 ? sum / (double)count : 1;
}

static void
about_print(const struct run_motion *motion, const struct render_options *options, const struct pack_quanta *quanta, FILE *out)
{
	char digits[3][DIGITS_GROUPED_BYTES];
	struct motion_extent extent = motion_extent(motion);
	fputs("{\"title\":", out);
	string_print(out, options->title);
	fprintf(out, ",\"caption\":\"%s circles · %s walls · %s contacts\"", digits_grouped(motion->scene.circle_count, digits[0]),
	        digits_grouped(motion->scene.wall_count, digits[1]), digits_grouped(motion->contacts, digits[2]));
	fprintf(out, ",\"dt\":%.17g,\"duration\":%.17g,\"tick\":%" PRIu64 ",\"hash\":\"%016" PRIx64 "\",\"speed\":%.17g",
	        motion->dt, motion->duration, motion->tick, motion->hash, options->speed);
	fprintf(out, ",\"contacts\":%" PRIu64, motion->contacts);
	fprintf(out, ",\"radius\":%.17g,\"extent\":[%.17g,%.17g,%.17g,%.17g]", radius_mean(motion), extent.x1, extent.y1, extent.x2,
	        extent.y2);
	fprintf(out, ",\"quanta\":{\"place\":%.17g,\"velocity\":%.17g,\"time\":%.17g}}", quanta->place, quanta->velocity,
	        quanta->time);
}

static void
script_print(FILE *out, const uint8_t *bytes, size_t count)
{
	fputs("<script>\n", out);
	fwrite(bytes, 1, count, out);
	fputs("</script>\n", out);
}

static void
page_print(const struct run_motion *motion, const struct render_options *options, const struct pack_quanta *quanta,
           const struct text *packed, FILE *out)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>", out);
	page_text_print(out, options->title);
	fputs("</title>\n", out);
	fwrite(page_head, 1, page_head_bytes, out);
	script_print(out, page_motion, page_motion_bytes);
	fputs("<script id=\"run\">\nconst RUN = MOTION.unpack(Uint8Array.from(atob('", out);
	base64_write(packed->characters, packed->count, out);
	fputs("'), letter => letter.charCodeAt(0)), ", out);
	about_print(motion, options, quanta, out);
	fputs(");\n</script>\n", out);
	script_print(out, page_player, page_player_bytes);
	fputs("</body>\n</html>\n", out);
}

bool
page_write(const struct run_motion *motion, const struct render_options *options, const char *path, char *error,
           size_t error_size)
{
	struct text packed = { 0 };
	const struct pack_quanta quanta = pack_quanta_of(motion);
	pack_motion(motion, &quanta, &packed);
	FILE *out = packed.failed ? NULL : output_open(path);
	bool good = out != NULL;
	if (packed.failed)
		errno = ENOMEM;
	if (out) {
		page_print(motion, options, &quanta, &packed, out);
		good = output_close(out);
	}
	if (!good)
		snprintf(error, error_size, "%s: %s", path, strerror(errno));
	text_finish(&packed);
	return good;
}
