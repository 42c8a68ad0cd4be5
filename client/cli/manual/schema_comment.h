/* schema_comment: the comments of the embedded collide.proto. Any thread; owns nothing. */
#ifndef COLLIDE_CLI_SCHEMA_COMMENT_H
#define COLLIDE_CLI_SCHEMA_COMMENT_H

#include "client/cli/terminal/text.h"

/* Appends what the schema says of a message or enum ("message Circle"), or of a field or value in it: the comment lines before
 * it, and the one behind it. `member` may be NULL. Lines end with a line feed. Nothing is appended where it says nothing. */
void schema_comment(const char *definition, const char *member, struct text *out);

#endif
