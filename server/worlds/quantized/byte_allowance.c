#include "worlds/quantized/byte_allowance.h"

#include <math.h>

/* The part of updates that places get, whatever else there is to tell. */
#define PLACES_PART 0.25
/* An update takes at least so many envelopes, while not all fits. */
#define ENVELOPES 4.0

static double
part_of_update(const struct byte_allowance *allowance, uint32_t hz, uint32_t every)
{
	return (double)allowance->per_second * every / hz;
}

void
byte_allowance_tick(struct byte_allowance *allowance, uint32_t hz, uint32_t every)
{
	double part = part_of_update(allowance, hz, every), most = fmax(part, allowance->least) + part;

	allowance->left = fmin(allowance->left + (double)allowance->per_second / hz, most);
}

bool
byte_allowance_is_enough(const struct byte_allowance *allowance)
{
	return allowance->left > 0.0 && allowance->left >= allowance->least;
}

size_t
byte_allowance_of_update(const struct byte_allowance *allowance, size_t spent, uint32_t hz, uint32_t every)
{
	double least = PLACES_PART * part_of_update(allowance, hz, every);

	return (size_t)fmax(allowance->left - (double)spent, least);
}

void
byte_allowance_spend(struct byte_allowance *allowance, size_t bytes, size_t envelope)
{
	allowance->left = fmax(allowance->left - (double)bytes, -(double)allowance->per_second);
	allowance->least = ENVELOPES * (double)envelope;
}
