/* roff: text in the macros of man(7). One thread at a time; owns nothing. */
#ifndef COLLIDE_CLI_ROFF_H
#define COLLIDE_CLI_ROFF_H

#include <stdio.h>

/* The page's head: .TH and the section NAME. */
void roff_head(FILE *out, const char *name, const char *section, const char *version, const char *about);
void roff_heading(FILE *out, const char *text);
void roff_subheading(FILE *out, const char *text);
/* A paragraph; an empty line in the text begins another. */
void roff_paragraph(FILE *out, const char *text);
/* A term in bold, with the text that explains it. */
void roff_term(FILE *out, const char *term, const char *text);
/* Lines as they are. */
void roff_verbatim(FILE *out, const char *text);
/* Text with what roff would understand made harmless; it does not begin a line of its own. */
void roff_text(FILE *out, const char *text);

#endif
