#include "client/lib/pending.h"

#include <stdlib.h>

enum { CHAINS_FIRST = 16 }; /* a power of two: most connections have few requests under way */

struct pending *
pending_create(uint64_t request_id, Collide__V1__ClientMessage__RequestCase kind, size_t frame_bytes_max)
{
	struct pending *pending = calloc(1, sizeof *pending);
	if (!pending)
		return NULL;
	pending->request_id = request_id;
	pending->kind = kind;
	bool good = true;
	if (kind == COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SIMULATE)
		good = (pending->merge = merge_create(frame_bytes_max)) != NULL;
	if (kind == COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SUBSCRIBE)
		good = (pending->update = update_join_create(frame_bytes_max)) != NULL;
	if (good)
		return pending;
	pending_destroy(pending);
	return NULL;
}

void
pending_destroy(struct pending *pending)
{
	if (!pending)
		return;
	merge_destroy(pending->merge);
	join_finish(&pending->join);
	update_join_destroy(pending->update);
	free(pending);
}

static struct pending **
chain_of(const struct pending_table *table, uint64_t request_id)
{
	return &table->chains[request_id & (table->chain_count - 1)];
}

static void
chain_put(struct pending_table *table, struct pending *pending)
{
	struct pending **chain = chain_of(table, pending->request_id);
	pending->next = *chain;
	*chain = pending;
}

/* Twice as many chains. */
static bool
table_grow(struct pending_table *table)
{
	struct pending_table grown = { .chain_count = table->chain_count > 0 ? 2 * table->chain_count : CHAINS_FIRST,
		                           .count = table->count };
	grown.chains = calloc(grown.chain_count, sizeof *grown.chains);
	if (!grown.chains)
		return false;
	for (size_t i = 0; i < table->chain_count; i++) {
		struct pending *next;
		for (struct pending *pending = table->chains[i]; pending; pending = next) {
			next = pending->next;
			chain_put(&grown, pending);
		}
	}
	free(table->chains);
	*table = grown;
	return true;
}

bool
pending_enter(struct pending_table *table, struct pending *pending)
{
	if (table->count == table->chain_count && !table_grow(table))
		return false;
	chain_put(table, pending);
	table->count++;
	return true;
}

struct pending *
pending_find(const struct pending_table *table, uint64_t request_id)
{
	if (table->chain_count == 0)
		return NULL;
	struct pending *pending = *chain_of(table, request_id);
	while (pending && pending->request_id != request_id)
		pending = pending->next;
	return pending;
}

void
pending_take(struct pending_table *table, struct pending *pending)
{
	struct pending **link = chain_of(table, pending->request_id);
	while (*link != pending)
		link = &(*link)->next;
	*link = pending->next;
	table->count--;
}

void
pending_table_finish(struct pending_table *table)
{
	for (size_t i = 0; i < table->chain_count; i++)
		while (table->chains[i]) {
			struct pending *next = table->chains[i]->next;
			pending_destroy(table->chains[i]);
			table->chains[i] = next;
		}
	free(table->chains);
	*table = (struct pending_table){ 0 };
}
