/* The schema keeps to a form that its lint holds: one field a line, "oneof optional_x { double x = 1; }" counting as one. */
#include "client/cli/manual/schema_comment.h"

#include "proto/descriptor_set.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* A line of the schema without the blanks before it. */
struct line {
	const char *text;
	size_t count;
	bool indented;
};

static bool
line_next(const char **at, struct line *out)
{
	const char *end = (const char *)collide_schema_text + collide_schema_text_bytes;
	if (*at >= end)
		return false;
	const char *feed = memchr(*at, '\n', (size_t)(end - *at)), *to = feed ? feed : end;
	out->indented = **at == ' ';
	while (*at < to && **at == ' ')
		(*at)++;
	*out = (struct line){ .text = *at, .count = (size_t)(to - *at), .indented = out->indented };
	*at = to < end ? to + 1 : end;
	return true;
}

static bool
begins(const struct line *line, const char *with)
{
	return line->count >= strlen(with) && memcmp(line->text, with, strlen(with)) == 0;
}

/* A comment's text; a ruler between parts of the schema has none. */
static void
comment_append(struct text *out, const char *text, size_t count)
{
	if (count == 2 && out->count > 0)
		text_append(out, "\n"); /* "//" alone parts two paragraphs */
	while (count > 0 && (*text == '/' || *text == ' ')) {
		text++;
		count--;
	}
	if (count > 0 && *text != '-') {
		text_append_bytes(out, text, count);
		text_append(out, "\n");
	} else if (count > 0 && count > 1 && text[1] == ' ') {
		text_append_bytes(out, text, count); /* a point of a list */
		text_append(out, "\n");
	}
}

/* Whether the line defines the member: "... NAME = 7;", before its own comment. */
static bool
line_defines(const struct line *line, const char *member)
{
	const size_t length = strlen(member);
	for (size_t i = 0; i + length + 3 <= line->count && line->text[i] != '/'; i++)
		if ((i == 0 || line->text[i - 1] == ' ') && memcmp(line->text + i, member, length) == 0 &&
		    memcmp(line->text + i + length, " = ", 3) == 0)
			return true;
	return false;
}

static void
behind_append(struct text *out, const struct line *line)
{
	for (size_t i = 0; i + 1 < line->count; i++)
		if (line->text[i] == '/' && line->text[i + 1] == '/') {
			comment_append(out, line->text + i, line->count - i);
			return;
		}
}

/* Comment lines that wait for what they are about. */
static void
pending_keep(struct text *pending, const struct line *line)
{
	if (begins(line, "//"))
		comment_append(pending, line->text, line->count);
	else if (!begins(line, "oneof") || memchr(line->text, ';', line->count))
		pending->count = 0; /* they were about this line */
}

void
schema_comment(const char *definition, const char *member, struct text *out)
{
	const char *at = (const char *)collide_schema_text;
	char head[80];
	struct text pending = { 0 };
	struct line line;
	bool inside = false;
	snprintf(head, sizeof head, "%s {", definition);
	while (line_next(&at, &line)) {
		if (!inside && begins(&line, head)) {
			inside = true;
			if (member)
				pending.count = 0;
			else
				break;
		} else if (inside && line.count > 0 && line.text[0] == '}' && !line.indented) {
			pending.count = 0;
			break;
		} else if (inside && line_defines(&line, member)) {
			text_append_bytes(out, pending.characters, pending.count);
			behind_append(out, &line);
			pending.count = 0;
			break;
		} else {
			pending_keep(&pending, &line);
		}
	}
	if (!member)
		text_append_bytes(out, pending.characters, pending.count);
	text_finish(&pending);
}
