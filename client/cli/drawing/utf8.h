/* utf8: where the characters of a text end. Any thread. */
#ifndef COLLIDE_CLI_UTF8_H
#define COLLIDE_CLI_UTF8_H

#include <stddef.h>

/* Bytes of the character that the text begins with; 0: it begins with none, as file names may that are not UTF-8. */
static inline size_t
utf8_character_bytes(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	/* The second byte's bounds keep out long forms, surrogates, and what is over U+10FFFF. */
	unsigned char least = 0x80, most = 0xbf;
	switch (at[0]) {
	case 0xe0: least = 0xa0; break;
	case 0xed: most = 0x9f; break;
	case 0xf0: least = 0x90; break;
	case 0xf4: most = 0x8f; break;
	default: break;
	}
	size_t bytes = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : at[0] < 0xf5 ? 4 : 0;
	if (bytes > 1 && (at[1] < least || at[1] > most))
		return 0;
	for (size_t i = 2; i < bytes; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	return bytes;
}

#endif
