#include "client/cli/render/base64.h"

#include <stdint.h>

void
base64_write(const void *bytes, size_t count, FILE *out)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const uint8_t *from = bytes;
	for (size_t i = 0; i < count; i += 3) {
		size_t left = count - i;
		uint32_t three = (uint32_t)from[i] << 16;
		three |= left > 1 ? (uint32_t)from[i + 1] << 8 : 0;
		three |= left > 2 ? from[i + 2] : 0;
		putc(digits[three >> 18], out);
		putc(digits[three >> 12 & 63], out);
		putc(left > 1 ? digits[three >> 6 & 63] : '=', out);
		putc(left > 2 ? digits[three & 63] : '=', out);
	}
}
