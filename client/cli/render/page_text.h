/* page_text: text within HTML or XML. Any thread. */
#ifndef COLLIDE_CLI_PAGE_TEXT_H
#define COLLIDE_CLI_PAGE_TEXT_H

#include "client/cli/drawing/utf8.h"

#include <stdio.h>

/* What is markup is escaped; control characters, which XML has none of, and bytes that are not UTF-8 become question marks. */
static inline void
page_text_print(FILE *out, const char *text)
{
	while (*text) {
		size_t bytes = utf8_character_bytes(text);
		switch (*text) {
		case '<': fputs("&lt;", out); break;
		case '>': fputs("&gt;", out); break;
		case '&': fputs("&amp;", out); break;
		default:
			if (bytes == 0 || (unsigned char)*text < 32)
				putc('?', out);
			else
				fwrite(text, 1, bytes, out);
		}
		text += bytes > 0 ? bytes : 1;
	}
}

#endif
