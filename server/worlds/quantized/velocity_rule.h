/* velocity_rule: which velocity a reader is to go on with after it was told a place. Only the encoder chooses; whatever it
 * chooses, places stay within the tolerance. It goes by how well each rule would have done of late. */
#ifndef COLLIDED_WORLDS_QUANTIZED_VELOCITY_RULE_H
#define COLLIDED_WORLDS_QUANTIZED_VELOCITY_RULE_H

#include <stdbool.h>

/* As told. */
enum velocity_rule {
	VELOCITY_KEEP, /* as it was */
	VELOCITY_MEAN, /* and what would have ended at the place that was told */
	VELOCITY_STOP, /* 0 */
	VELOCITY_TOLD, /* as with MEAN, and a number on a grid */
	VELOCITY_RULES,
};

struct rule_scores {
	float bits[VELOCITY_RULES]; /* means of late: of what a place would have cost */
	float told_hits;            /* part of the updates in which the true velocity of the update before ended at the place */
};

/* About the binary logarithm of a number >= 1: straight between powers of two, and so the same on every machine. */
double bits_of(double number);
/* How far off each rule would have been at an update, in tolerances. That of VELOCITY_TOLD is of the true velocity. */
void rule_scores_add(struct rule_scores *scores, const double errors[VELOCITY_RULES]);
/* An update in which nothing was told. */
void rule_scores_calm(struct rule_scores *scores);
/* `before`: the rule of late, to which it holds if another is little better. `told_bits`: what the number would cost now. */
enum velocity_rule rule_scores_choose(const struct rule_scores *scores, enum velocity_rule before, double told_bits);

#endif
