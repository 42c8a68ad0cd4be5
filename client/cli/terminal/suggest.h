/* suggest: the name that was probably meant. Any thread. */
#ifndef COLLIDE_CLI_SUGGEST_H
#define COLLIDE_CLI_SUGGEST_H

#include <stddef.h>

/* Takes candidates one by one and keeps the nearest. */
struct suggest {
	const char *word;
	char nearest[64]; /* empty: none is near enough */
	size_t distance;  /* of the nearest */
};

void suggest_begin(struct suggest *suggest, const char *word);
void suggest_add(struct suggest *suggest, const char *candidate);

#endif
