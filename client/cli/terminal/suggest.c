#include "client/cli/terminal/suggest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Nothing is suggested for longer words. */
enum { WORD_MAX = 40 };

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Optimal string alignment: insertions, deletions, replacements and swaps of neighbours. Case is ignored. */
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
	*suggest = (struct suggest){ .word = word, .distance = strlen(word) };
}

void
suggest_add(struct suggest *suggest, const char *candidate)
{
	size_t word = strlen(suggest->word), count = strlen(candidate);
	if (word > WORD_MAX || count > WORD_MAX || count >= sizeof suggest->nearest)
		return;
	/* A third of the letters may be wrong, but not all of a short word. */
	size_t far = distance(suggest->word, word, candidate, count), most = (word > count ? word : count) / 3;
	most = most == 0 ? 1 : most;
	if (far <= most && far < suggest->distance && far < count) {
		suggest->distance = far;
		snprintf(suggest->nearest, sizeof suggest->nearest, "%s", candidate);
	}
}
