#include "weights.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct weight {
	struct address_key key;
	uint32_t value;
};

enum weight_result { WEIGHT_READ, WEIGHT_NONE, WEIGHT_WRONG };

/* The next of the list; *text moves behind it. */
static enum weight_result
weight_next(const char **text, struct weight *out)
{
	char address[NET_ADDRESS_BYTES];
	char *end = NULL;
	*text += strspn(*text, " ");
	if (**text == '\0')
		return WEIGHT_NONE;
	size_t count = strcspn(*text, " =");
	if ((*text)[count] != '=' || !isdigit((unsigned char)(*text)[count + 1]) || count >= sizeof address)
		return WEIGHT_WRONG;
	snprintf(address, sizeof address, "%.*s", (int)count, *text);
	unsigned long value = strtoul(*text + count + 1, &end, 10);
	if ((*end != ' ' && *end != '\0') || value < 1 || value > WEIGHT_MAX || !address_key_parse(address, &out->key))
		return WEIGHT_WRONG;
	out->value = (uint32_t)value;
	*text = end;
	return WEIGHT_READ;
}

bool
weights_are_valid(const char *text)
{
	struct weight weight;
	enum weight_result result = WEIGHT_READ;
	while (result == WEIGHT_READ)
		result = weight_next(&text, &weight);
	return result == WEIGHT_NONE;
}

uint32_t
weights_of(const char *text, const struct address_key *key)
{
	struct weight weight;
	while (weight_next(&text, &weight) == WEIGHT_READ)
		if (address_key_equal(&weight.key, key))
			return weight.value;
	return 1;
}
