#include "physics/world/awake_set.h"

#include "base/memory.h"
#include "base/pause.h"
#include "physics/world/ledger.h"

#include <string.h>

#define BITS 64u

/* One word more than the bodies need, so that a search may read past the last body. */
static size_t
word_count(uint32_t body_count)
{
	return body_count / BITS + 2;
}

static size_t
summary_count(uint32_t body_count)
{
	return word_count(body_count) / BITS + 1;
}

static size_t
chunk_count(uint32_t body_count)
{
	return body_count / LEDGER_CHUNK + 1;
}

bool
awake_alloc(struct awake *awake, uint32_t body_count)
{
	size_t chunks = chunk_count(body_count);

	*awake = (struct awake){
		.words = memory_zeroed(word_count(body_count), sizeof *awake->words),
		.summary = memory_zeroed(summary_count(body_count), sizeof *awake->summary),
		.potentials = memory_zeroed((size_t)body_count + 1, sizeof *awake->potentials),
		.prefixes = memory_alloc(chunks * sizeof *awake->prefixes),
	};
	if (!awake->words || !awake->summary || !awake->potentials || !awake->prefixes)
		return false;
	for (size_t c = 0; c < chunks && !pause_after(1); c++)
		awake->prefixes[c] = (struct awake_prefix){ .end = UINT32_MAX };
	for (uint32_t i = 0; i < body_count && !pause_after(1); i++)
		awake_add(awake, i);
	return true;
}

void
awake_free(struct awake *awake)
{
	memory_free(awake->words);
	memory_free(awake->summary);
	memory_free(awake->potentials);
	memory_free(awake->prefixes);
	*awake = (struct awake){ 0 };
}

size_t
awake_memory_bytes(const struct awake *awake, uint32_t body_count)
{
	if (!awake->words)
		return 0;
	return (word_count(body_count) + summary_count(body_count)) * sizeof(uint64_t) +
	       ((size_t)body_count + 1) * sizeof *awake->potentials + chunk_count(body_count) * sizeof *awake->prefixes;
}

/* Its four arrays. */
struct awake_part {
	void *at;
	size_t bytes;
};

static void
parts_list(const struct awake *awake, uint32_t body_count, struct awake_part parts[4])
{
	parts[0] = (struct awake_part){ awake->words, word_count(body_count) * sizeof *awake->words };
	parts[1] = (struct awake_part){ awake->summary, summary_count(body_count) * sizeof *awake->summary };
	parts[2] = (struct awake_part){ awake->potentials, ((size_t)body_count + 1) * sizeof *awake->potentials };
	parts[3] = (struct awake_part){ awake->prefixes, chunk_count(body_count) * sizeof *awake->prefixes };
}

void
awake_write(const struct awake *awake, uint32_t body_count, void *out)
{
	struct awake_part parts[4];
	uint8_t *to = out;

	parts_list(awake, body_count, parts);
	for (size_t k = 0; k < 4; to += parts[k++].bytes)
		memcpy(to, parts[k].at, parts[k].bytes);
}

void
awake_return(struct awake *awake, uint32_t body_count, const void *in)
{
	struct awake_part parts[4];
	const uint8_t *from = in;

	parts_list(awake, body_count, parts);
	for (size_t k = 0; k < 4; from += parts[k++].bytes)
		memcpy(parts[k].at, from, parts[k].bytes);
}

void
awake_add(struct awake *awake, uint32_t body)
{
	uint32_t word = body / BITS;

	awake->words[word] |= UINT64_C(1) << body % BITS;
	awake->summary[word / BITS] |= UINT64_C(1) << word % BITS;
	awake->prefixes[body / LEDGER_CHUNK].end = UINT32_MAX;
	awake->added++;
}

void
awake_remove(struct awake *awake, uint32_t body)
{
	uint32_t word = body / BITS;

	awake->words[word] &= ~(UINT64_C(1) << body % BITS);
	if (awake->words[word] == 0)
		awake->summary[word / BITS] &= ~(UINT64_C(1) << word % BITS);
	awake->prefixes[body / LEDGER_CHUNK].end = UINT32_MAX;
}

/* The first word from `word` on that is not 0, or one at or after `end`. */
static uint32_t
word_next(const struct awake *awake, uint32_t word, uint32_t end)
{
	uint64_t bits = awake->summary[word / BITS] >> word % BITS;

	if (bits != 0)
		return word + (uint32_t)__builtin_ctzll(bits);
	for (uint32_t at = word / BITS + 1; at * BITS < end; at++)
		if (awake->summary[at] != 0)
			return at * BITS + (uint32_t)__builtin_ctzll(awake->summary[at]);
	return end;
}

/* The first awake body from `from` on, or `end`. */
static uint32_t
member_next(const struct awake *awake, uint32_t from, uint32_t end)
{
	uint32_t word = from / BITS, words = (end + BITS - 1) / BITS;
	uint64_t bits = awake->words[word] >> from % BITS;

	if (bits != 0)
		return from + (uint32_t)__builtin_ctzll(bits);
	word = word_next(awake, word + 1, words);
	return word < words ? word * BITS + (uint32_t)__builtin_ctzll(awake->words[word]) : end;
}

/* The first sleeping body from `from` on, or one at or after `end`. */
static uint32_t
gap_next(const struct awake *awake, uint32_t from, uint32_t end)
{
	uint32_t word = from / BITS;
	uint64_t bits = ~awake->words[word] >> from % BITS;

	if (bits != 0)
		return from + (uint32_t)__builtin_ctzll(bits);
	for (word++; word * BITS < end; word++)
		if (~awake->words[word] != 0)
			return word * BITS + (uint32_t)__builtin_ctzll(~awake->words[word]);
	return end;
}

struct span
awake_search(const struct awake *awake, uint32_t from, uint32_t end)
{
	struct span span = { end, end };

	if (from >= end)
		return span;

	uint32_t first = member_next(awake, from, end);

	if (first >= end)
		return span;

	uint32_t last = gap_next(awake, first, end);

	return (struct span){ first, last < end ? last : end };
}
