/* mutant: which of the changes that were compiled into this program is in force. `./dev mutate` puts the first line of every
 * changed file here; see mutate.py. */
#ifndef COLLIDED_TESTS_MUTATE_MUTANT_H
#define COLLIDED_TESTS_MUTATE_MUTANT_H

#define MUTANTS_MAX 8192

extern __attribute__((visibility("hidden"))) int mutant_number;
extern __attribute__((visibility("hidden"))) unsigned char mutant_reached[MUTANTS_MAX];

/* Also notes that a test came here. */
static inline __attribute__((always_inline, unused)) int
mutant_is(int number)
{
	mutant_reached[number] = 1;
	return mutant_number == number;
}

#endif
