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
	unsigned char least = at[0] == 0xe0   ? 0xa0
	                      : at[0] == 0xf0 ? 0x90
	                                      : 0x80,
				  most = at[0] == 0xed   ? 0x9f
	                     : at[0] == 0xf4 ? 0x8f
	                                     : 0xbf;
	size_t bytes = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : at[0] < 0xf5 ? 4 : 0;
	if (bytes > 1 && (at[1] < least || at[1] > most))
		return 0;
	for (size_t i = 2; i < bytes; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	return bytes;
}

#endif
