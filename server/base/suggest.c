#include "base/suggest.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Nothing is suggested for longer words. */
enum { WORD_MAX = 40 };

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Damerau and Levenshtein's distance in the form of optimal string alignment: no letter is edited twice. */
static size_t
distance(const char *a, size_t a_count, const char *b, size_t b_count)
{
	size_t rows[3][WORD_MAX + 1];
	for (size_t j = 0; j <= b_count; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= a_count; i++) {
		size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
		row[0] = i;
		for (size_t j = 1; j <= b_count; j++) {
			int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
			row[j] = least(least(row[j - 1], above[j]) + 1, above[j - 1] + (x != y));
			bool swapped = i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) && y == tolower((unsigned char)a[i - 2]);
			if (swapped)
				row[j] = least(row[j], before[j - 2] + 1);
		}
	}
	return rows[a_count % 3][b_count];
}

void
suggest_begin(struct suggest *suggest, const char *word)
{
	*suggest = (struct suggest){ .word = word, .distance = SIZE_MAX };
}

void
suggest_add(struct suggest *suggest, const char *candidate)
{
	size_t word = strlen(suggest->word), count = strlen(candidate), longer = word > count ? word : count;
	if (longer > WORD_MAX || strcmp(candidate, suggest->nearest) == 0)
		return;
	/* A third of the letters may be wrong, and one of a short word, but not all of them. */
	size_t most = least(longer < 6 ? 1 : longer / 3, suggest->distance);
	if (longer - least(word, count) > most)
		return;
	size_t far = distance(suggest->word, word, candidate, count);
	if (far > most || far >= word || far >= count)
		return;
	suggest->tied = far == suggest->distance;
	if (suggest->tied)
		return;
	suggest->distance = far;
	snprintf(suggest->nearest, sizeof suggest->nearest, "%s", candidate);
}

const char *
suggest_nearest(const struct suggest *suggest)
{
	return suggest->distance != SIZE_MAX && !suggest->tied ? suggest->nearest : NULL;
}

const char *
suggest_text(const struct suggest *suggest, char to[static SUGGEST_TEXT_BYTES])
{
	const char *nearest = suggest_nearest(suggest);
	to[0] = '\0';
	if (nearest)
		snprintf(to, SUGGEST_TEXT_BYTES, "; did you mean \"%s\"?", nearest);
	return to;
}
