/* suggest: the name that was probably meant, for every mistyped command, flag, variable, kind, value and field. Any thread. */
#ifndef COLLIDED_BASE_SUGGEST_H
#define COLLIDED_BASE_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of a suggestion in words: "; did you mean \"NAME\"?" with its end. */
#define SUGGEST_TEXT_BYTES 96

/* Takes candidates one by one and keeps the nearest. */
struct suggest {
	const char *word;
	char nearest[64];
	size_t distance; /* of the nearest; SIZE_MAX before any is near enough */
	bool tied;       /* another one is as near */
};

void suggest_begin(struct suggest *suggest, const char *word);
void suggest_add(struct suggest *suggest, const char *candidate);
/* The one that is nearer than all others and near enough, good as long as `suggest`; NULL: there is none. Case is ignored.
 * Inserting, deleting or replacing a letter and swapping two neighbours count one each. */
const char *suggest_nearest(const struct suggest *suggest);
/* "; did you mean \"NAME\"?" or "", in `to`. */
const char *suggest_text(const struct suggest *suggest, char to[static SUGGEST_TEXT_BYTES]);

#endif
