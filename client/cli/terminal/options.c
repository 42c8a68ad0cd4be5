#include "client/cli/terminal/options.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool
count_parse(const char *text, uint64_t minimum, uint64_t maximum, uint64_t *out)
{
	if (text[0] == '\0' || text[strspn(text, "0123456789")] != '\0')
		return false;
	errno = 0;
	unsigned long long value = strtoull(text, NULL, 10);
	if (errno != 0 || value < minimum || value > maximum)
		return false;
	*out = value;
	return true;
}

/* Reads a finite number at the start of *text, and moves *text behind it. */
static bool
number_parse(const char **text, double *out)
{
	char *end;
	if (isspace((unsigned char)**text))
		return false;
	*out = strtod(*text, &end);
	if (end == *text || !isfinite(*out))
		return false;
	*text = end;
	return true;
}

bool
seconds_parse(const char *text, double *out)
{
	double value, divisor = 1;
	if (!number_parse(&text, &value))
		return false;
	if (*text == '/') {
		text++;
		if (!number_parse(&text, &divisor))
			return false;
	}
	double seconds = value / divisor;
	if (*text != '\0' || !(seconds > 0) || !isfinite(seconds))
		return false;
	*out = seconds;
	return true;
}

bool
amount_parse(const char *text, double *out)
{
	double value;
	if (!number_parse(&text, &value) || *text != '\0' || !(value >= 0))
		return false;
	*out = value;
	return true;
}

bool
range_parse(const char *text, double minimum, double maximum, double *out)
{
	double value;
	if (!number_parse(&text, &value) || *text != '\0' || value < minimum || value > maximum)
		return false;
	*out = value;
	return true;
}
