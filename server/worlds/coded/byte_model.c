#include "worlds/coded/byte_model.h"

#include <string.h>

/* Factors of the hash: Knuth's 2^32 / golden ratio, and two of other bits. */
#define FACTOR_LAST UINT32_C(0x9e3779b1)
#define FACTOR_BEFORE UINT32_C(0x85ebca77)
#define FACTOR_FIRST UINT32_C(0xc2b2ae3d)

/* The ten bytes in front: the last four, the four before, and two more. The latest byte is in the lowest bits. */
struct recent {
	uint32_t last, before, first;
};

static void
recent_add(struct recent *recent, uint8_t byte)
{
	recent->first = (recent->first << 8 | recent->before >> 24) & 0xffff;
	recent->before = recent->before << 8 | recent->last >> 24;
	recent->last = recent->last << 8 | byte;
}

/* The entry of a hash: its top bits say where, the next eight are the check. */
static struct byte_entry *
entry_find(struct byte_entry table[static 1 << BYTE_ENTRIES_LOG], uint32_t hash, uint8_t *check)
{
	*check = (uint8_t)(hash >> (32 - BYTE_ENTRIES_LOG - 8));
	return &table[hash >> (32 - BYTE_ENTRIES_LOG)];
}

static bool
entry_knows(const struct byte_entry *entry, uint8_t check)
{
	return entry->trust > 0 && entry->check == check;
}

/* After the byte: one that was foretold is trusted more. Another takes its place once it is trusted no more. */
static void
entry_follow(struct byte_entry *entry, uint8_t check, uint8_t byte)
{
	if (entry_knows(entry, check) && entry->byte == byte)
		entry->trust = entry->trust < BYTE_TRUST_MAX ? entry->trust + 1 : BYTE_TRUST_MAX;
	else if (entry->trust <= 1)
		*entry = (struct byte_entry){ check, byte, 1 };
	else
		entry->trust--;
}

void
byte_model_begin(struct byte_model *model)
{
	struct bit_context *contexts = (struct bit_context *)&model->contexts;
	for (size_t i = 0; i < sizeof model->contexts / sizeof *contexts; i++)
		contexts[i] = BIT_CONTEXT_EVEN;
	memset(model->ten, 0, sizeof model->ten);
	memset(model->three, 0, sizeof model->three);
	speed_model_begin(&model->speeds);
}

/* A tree of eight bits, the highest first. */
static void
byte_put(struct bit_coder *coder, struct bit_context contexts[static 256], uint8_t byte)
{
	unsigned node = 1;
	for (unsigned i = 8; i-- > 0;) {
		bool bit = byte >> i & 1;
		bit_put(coder, &contexts[node], bit);
		node = node << 1 | bit;
	}
}

/* A byte, and what is known of it. */
struct foretold {
	uint8_t ten_check, three_check;
	struct byte_entry *ten, *three;
};

static struct foretold
byte_foretell(struct byte_model *model, const struct recent *recent)
{
	struct foretold foretold;
	foretold.ten = entry_find(model->ten,
	                          recent->last * FACTOR_LAST + recent->before * FACTOR_BEFORE + recent->first * FACTOR_FIRST,
	                          &foretold.ten_check);
	foretold.three = entry_find(model->three, (recent->last & 0xffffff) * FACTOR_LAST, &foretold.three_check);
	return foretold;
}

/* By the last ten bytes, where they are known. */
static bool
byte_put_ten(struct byte_model *model, struct bit_coder *coder, size_t place, const struct foretold *foretold, uint8_t byte)
{
	const struct byte_entry *ten = foretold->ten;
	if (!entry_knows(ten, foretold->ten_check))
		return false;
	bit_put(coder, &model->contexts.ten[place][ten->trust - 1], ten->byte == byte);
	return ten->byte == byte;
}

/* After that did not tell it. */
static void
byte_put_else(struct byte_model *model, struct bit_coder *coder, size_t place, const struct foretold *foretold, uint8_t byte)
{
	const struct byte_entry *ten = foretold->ten, *three = foretold->three;
	bool tried = entry_knows(ten, foretold->ten_check), told = false;
	if (entry_knows(three, foretold->three_check) && !(tried && three->byte == ten->byte)) {
		told = three->byte == byte;
		bit_put(coder, &model->contexts.three[place][tried][three->trust - 1], told);
	}
	if (!told)
		byte_put(coder, model->contexts.byte[place], byte);
}

/* As protobuf has it: the lowest byte first. */
static uint64_t
number_at(const uint8_t bytes[static 8])
{
	uint64_t bits = 0;
	for (unsigned i = 8; i-- > 0;)
		bits = bits << 8 | bytes[i];
	return bits;
}

void
byte_model_put(struct byte_model *model, struct bit_coder *coder, uint32_t seat, const uint8_t *bytes, size_t count)
{
	struct recent recent = { .last = seat };
	struct number_pair pair = { .left = 0 };
	size_t told = 0; /* bytes of a number that were told with its first */
	for (size_t i = 0; i < count; i++) {
		size_t place = i < BYTE_PLACES ? i : BYTE_PLACES - BYTE_TURNS + i % BYTE_TURNS;
		struct foretold foretold = byte_foretell(model, &recent);
		bool begins = number_pair_begins(&pair, bytes, i) && count - i >= 8;
		if (told == 0 && !byte_put_ten(model, coder, place, &foretold, bytes[i])) {
			if (begins && speed_model_put(&model->speeds, coder, pair.list, number_at(&bytes[i - number_pair_distance(&pair)]),
			                              number_at(&bytes[i])))
				told = 8;
			else
				byte_put_else(model, coder, place, &foretold, bytes[i]);
		}
		told -= told > 0;
		entry_follow(foretold.ten, foretold.ten_check, bytes[i]);
		entry_follow(foretold.three, foretold.three_check, bytes[i]);
		recent_add(&recent, bytes[i]);
		if (number_pair_ends(&pair))
			speed_model_follow(&model->speeds, pair.list, number_at(&bytes[i - 7 - number_pair_distance(&pair)]),
			                   number_at(&bytes[i - 7]));
	}
}
