#include "client/cli/manual/roff.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* Characters outside of ASCII go as they are: man reads UTF-8. */
static void
character_put(FILE *out, char c, bool line_begins)
{
	if (line_begins && (c == '.' || c == '\''))
		fputs("\\&", out);
	switch (c) {
	case '\\': fputs("\\e", out); break;
	case '-': fputs("\\-", out); break;
	case '\'': fputs("\\(aq", out); break;
	case '`': fputs("\\(ga", out); break;
	case '^': fputs("\\(ha", out); break;
	case '~': fputs("\\(ti", out); break;
	default: fputc(c, out);
	}
}

void
roff_text(FILE *out, const char *text)
{
	for (bool begins = true; *text != '\0'; text++) {
		character_put(out, *text, begins);
		begins = *text == '\n';
	}
}

void
roff_head(FILE *out, const char *name, const char *section, const char *version, const char *about)
{
	fputs(".TH \"", out);
	for (const char *c = name; *c != '\0'; c++)
		character_put(out, (char)toupper((unsigned char)*c), false);
	fprintf(out, "\" \"%s\" \"\" \"collided %s\" \"collided\"\n.SH NAME\n", section, version);
	roff_text(out, name);
	fputs(" \\- ", out);
	roff_text(out, about);
	fputc('\n', out);
}

static void
macro(FILE *out, const char *name, const char *text)
{
	fprintf(out, "%s \"", name);
	for (const char *c = text; *c != '\0'; c++)
		if (*c == '"')
			fputs("\\(dq", out);
		else
			character_put(out, *c, false);
	fputs("\"\n", out);
}

void
roff_heading(FILE *out, const char *text)
{
	macro(out, ".SH", text);
}

void
roff_subheading(FILE *out, const char *text)
{
	macro(out, ".SS", text);
}

/* Lines filled by roff; `between` stands for an empty line. Blanks at the begin of a line would break it. */
static void
filled_put(FILE *out, const char *text, const char *between)
{
	bool begins = true;
	for (; *text != '\0'; text++) {
		if (begins && *text == '\n') {
			fputs(between, out);
			continue;
		}
		if (begins && (*text == ' ' || *text == '\t'))
			continue;
		character_put(out, *text, begins);
		begins = *text == '\n';
	}
	if (!begins)
		fputc('\n', out);
}

void
roff_paragraph(FILE *out, const char *text)
{
	fputs(".PP\n", out);
	filled_put(out, text, ".PP\n");
}

void
roff_term(FILE *out, const char *term, const char *text)
{
	fputs(".TP\n", out);
	macro(out, ".B", term);
	if (text[0] == '\0')
		fputs("\\&\n", out);
	filled_put(out, text, ".IP\n");
}

void
roff_verbatim(FILE *out, const char *text)
{
	fputs(".PP\n.nf\n.RS\n", out);
	roff_text(out, text);
	if (text[0] != '\0' && text[strlen(text) - 1] != '\n')
		fputc('\n', out);
	fputs(".RE\n.fi\n", out);
}
