#include "worlds/quantized/velocity_rule.h"

#include <math.h>

/* The weight of the last update, and of one of the last few. */
#define LATEST 0.05f
/* Bits of an update: to tell another rule costs some. */
#define HOLD 1.0f
/* Bits that it costs to tell a place at all. */
#define TELLING 12.0
/* Updates for which a velocity may be good, at most. */
#define REACH_MAX 16.0

double
bits_of(double number)
{
	int exponent;
	double part = frexp(number, &exponent);

	return (double)(exponent - 1) + (2.0 * part - 1.0);
}

void
rule_scores_add(struct rule_scores *scores, const double errors[VELOCITY_RULES])
{
	for (unsigned rule = 0; rule < VELOCITY_RULES; rule++) {
		double bits = errors[rule] <= 1.0 ? 0.0 : TELLING + 2.0 * bits_of(errors[rule]);

		scores->bits[rule] += LATEST * ((float)bits - scores->bits[rule]);
	}
	scores->told_hits += LATEST * ((errors[VELOCITY_TOLD] <= 1.0 ? 1.0f : 0.0f) - scores->told_hits);
}

void
rule_scores_calm(struct rule_scores *scores)
{
	scores->told_hits += LATEST * (1.0f - scores->told_hits);
}

enum velocity_rule
rule_scores_choose(const struct rule_scores *scores, enum velocity_rule before, double told_bits)
{
	enum velocity_rule best = before == VELOCITY_TOLD ? VELOCITY_MEAN : before;
	double reach = fmin(REACH_MAX, 1.0 / (1.0 - fmin(scores->told_hits, 0.99)));

	for (unsigned rule = VELOCITY_KEEP; rule < VELOCITY_TOLD; rule++)
		best = scores->bits[rule] + HOLD < scores->bits[best] ? (enum velocity_rule)rule : best;

	double gain = (double)scores->bits[best] - (double)scores->bits[VELOCITY_TOLD];

	return told_bits < gain * reach ? VELOCITY_TOLD : best;
}
