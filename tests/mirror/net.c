#include "mirror/net.h"

#include "support/random.h"

#include <stdlib.h>
#include <string.h>

void
way_send(struct way *way, uint64_t now, const struct letter *head, const void *bytes, size_t count)
{
	struct letter *letter = malloc(sizeof *letter + count);

	if (!letter)
		abort();
	*letter = *head;
	letter->next = NULL;
	letter->count = count;
	if (count > 0)
		memcpy(letter->bytes, bytes, count);
	letter->arrives = now + way->delay + (way->jitter > 0 ? random_below(way->seed, way->jitter + 1) : 0);
	if (way->last && way->last->arrives > letter->arrives)
		letter->arrives = way->last->arrives;
	if (way->last)
		way->last->next = letter;
	else
		way->first = letter;
	way->last = letter;
}

struct letter *
way_take(struct way *way, uint64_t now)
{
	struct letter *letter = way->first;

	if (!letter || letter->arrives > now)
		return NULL;
	way->first = letter->next;
	if (!way->first)
		way->last = NULL;
	return letter;
}

void
way_finish(struct way *way)
{
	struct letter *letter;

	while ((letter = way_take(way, UINT64_MAX)))
		free(letter);
}
