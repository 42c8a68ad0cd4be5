/* page_text: text within HTML or XML. Any thread. */
#ifndef COLLIDE_CLI_PAGE_TEXT_H
#define COLLIDE_CLI_PAGE_TEXT_H

#include <stdio.h>

/* What is markup is escaped; control characters, which XML has none of, become question marks. */
static inline void
page_text_print(FILE *out, const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '<': fputs("&lt;", out); break;
		case '>': fputs("&gt;", out); break;
		case '&': fputs("&amp;", out); break;
		default: putc((unsigned char)*text < 32 ? '?' : *text, out);
		}
}

#endif
